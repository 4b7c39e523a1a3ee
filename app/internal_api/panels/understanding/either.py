"""Options that one "or" joins: "Should we launch in spring or autumn?", "iPhone vs Android: which is better?"."""

import re

from app.internal_api.panels.understanding.attitudes import asks_for_degree
from app.internal_api.panels.understanding.choices import is_open
from app.internal_api.panels.understanding.lists import split
from app.internal_api.panels.understanding.options import presented
from app.internal_api.panels.understanding.polar import begins_polar
from app.internal_api.panels.understanding.reading import Reading, Sentence

OR = re.compile(r"(?<=[^\s,;:.?!]),? (?:or|oder|ou|o|u|vs\.?|versus) (?=\S)")
OR_NOT = re.compile(r" (?:or|oder|ou|o)(?: why)? (?:not|nicht|no|non|pas|nein)\b(?!-)")
PREFERS = re.compile(
    r"\b(?:rather (?:have |buy |see |use |be |get |take |choose |pick |go with )?|makes? you feel "
    r"|prefer(?:red)? (?:to (?:have |use |buy |see )?)?"
    r"|opt for |go (?:with|for) |lean (?:towards?|to) |side with |would you (?:choose|pick|select) (?:to )?"
    r"|eher |lieber (?:mogen |haben |nehmen )?|bevorzugen sie |bevorzugst du"
    r" |prefiere[ns]? |preferirias? |preferez-vous |preferes-tu |preferiez-vous |plutot )(?=\S)"
)
WH = re.compile(
    r"\A[¿\"(]?(?:(?:and|so|now|then|overall|personally|if [^,?\n]{1,120}|when [^,?\n]{1,120}|in [^,?\n]{1,80}"
    r"|for [^,?\n]{1,80}), )?"
    r"(?:(?:in|at|on|from|to|for|with|through|by|via) )?(?:which|what|who|whom|where|when|how|welche\w?"
    r"|was(?! (?:it|this|that|the|there|your|our|his|her|he|she|an?)\b)|wer|wo|wann|wie"
    r"|cual\w*|que|quien|donde|cuando|como|quel\w*|lequel|laquelle|qui|quoi|ou|quand|comment)\b"
)
PREPOSITIONS = frozenset(
    "in on at by with from to for as im am per mit bei auf en con por au aux dans sur par avec"  # noqa: SIM905 - reads better
    " online offline bar alone outdoors indoors abroad".split()
)
_OPPOSITES = re.compile(
    r"\b(easy|hard|difficult|fur|gegen|simple|good|bad|positive|negative|cheap|expensive|happy|sad|for|against|true"
    r"|false|agree|disagree"
    r"|better|worse|too \w{1,12}|cheaper|higher|lower|useful|useless|clear|unclear|confusing|fair|unfair|like"
    r"|dislike|love|hate"
    r"|stay|leave|keep|cancel|buy|rent|bleiben|kundigen|kaufen|mieten"
    r"|leicht|schwer|gut|schlecht|teuer|gunstig|richtig|falsch|facil|dificil|bueno|malo|caro|barato|verdadero"
    r"|falso|vrai|faux"
    r"|facile|difficile|bon|mauvais) (?:or|oder|o|ou) (hard|easy|difficult|gegen|fur|complicated|bad|good|negative"
    r"|positive|expensive"
    r"|cheap|sad|happy|against|for|false|true|disagree|agree|worse|better|too \w{1,12}|pricier|lower|higher"
    r"|useless|useful|unclear"
    r"|clear|confusing|unfair|fair|dislike|hate|leave|stay|cancel|keep|rent|buy|gehen|kundigen|bleiben|mieten|kaufen"
    r"|schwer|leicht|schlecht|gut|gunstig|teuer|falsch|richtig"
    r"|dificil|facil|malo|bueno"
    r"|barato|caro|falso|verdadero|faux|vrai|difficile|facile|mauvais|bon)\b(?! not\b)"
)
_UN = re.compile(r"\b(?P<one>\w{3,16}) (?:or|oder|o|ou) ((?:un|in|im|ir|dis)(?P=one))\b")
# "More or less" also means "roughly", and so has to be followed by what it is compared with.
_COMPARED = re.compile(
    r"\b(more|fewer|less) or (fewer|more)\b|\b(mehr|weniger) oder (mehr)\b"
    r"|\b(more|mehr) (?:or|oder) (less|weniger)\b(?=[^?\n]{0,80} (?:than|als|lieber)\b)"
    r"|\b(longer|shorter|higher|lower|older|younger|bigger|smaller|larger|earlier|later|further|closer|cheaper|heavier"
    r"|lighter|taller|faster|slower) or (longer|shorter|higher|lower|older|younger|bigger|smaller|larger|earlier|later"
    r"|further|closer|more expensive|pricier|dearer|heavier|lighter|taller|faster|slower)\b(?= than\b)"
    r"|(?<!you )(?<!they )(?<!we )\b(more) or (less)\b(?= [\w-]{2,20}(?: (?:to|for|in|on|with|at) [^?\n]{1,60})?\?)"
    r"|\b(plus) ou (moins)\b(?=[^?\n]{0,80} qu)|\b(mas) o (menos)\b(?=[^?\n]{0,80} que\b)"
)
_HOW = re.compile(r"\A[¿\"(]?(?:how|wie|como|comment)\b")
_SAYS_HOW = re.compile(
    r"[$€£]?\d|\w{3,12}(?:ly|lich)\Z|(?:more|less|never|always|often|rarely|mehr|nie|oft|selten)\b", re.IGNORECASE
)
# The row is what is asked about: "Which shops, pubs or bars do you visit?".
_GOES_ON = re.compile(r" (?:do|does|did|have|has|had|is|are|was|were|would|will|you|they|we|sie|du|ihr)\b")
_LEADS_TO_FIRST = re.compile(
    r"\b(?:your|our|their|ihre|deine) [\w-]{2,20}(?:s|en)\Z"
    r"|\A(?:who|wer) (?!(?:would|do|does|did|is|was|will|should|can|has|ist)\b)"
    r"| (?:in|on|at|by|with|from|for|to|about|of|mit|bei|fur|von|im|am|zum|zur)"
    r" (?:(?:an?|the|your|our|der|die|das|dem|den|einem|einer) )?"
    r"(?!(?:you|me|us|it|this|that|them|sie|dich|ihnen|uns|\w{2,12}ing)\Z)[\w-]{2,20}\Z"
)
# "… with your data, a bank or a supermarket?": what has an article of its own is no row with what stands before.
_NAMED_APART = re.compile(r",? an? (?:[\w-]+ ){1,4}or an? ")
_STEPS = re.compile(
    r"\b(more|better|higher|easier|longer|larger|bigger|stronger|faster|cheaper), (\w{3,12}),? or (?:about |roughly )?"
    r"(the same|equal|unchanged|no different)\b"
)
# "sein", "werden", "zahlen", and what is cut off a verb: "fahren … los".
_GERMAN_END = re.compile(
    r"(?<=[\w€%])(?<!oder)(?<! zu)(?<!^zu)(?<!sehr)(?<!ganz)(?<!eher)(?<!etwas)(?<!genau)(?<!viel)(?<!nicht)"
    r" (?:sein|tun|werden"
    r"|(?!selten|(?:un)?zufrieden|trocken|offen|golden|verschieden|bescheiden|eben|morgen)[a-zäöüß]{3,14}(?:en|ern|eln)"
    r"|los|ab|an|auf|aus|ein|mit|zu|vor|nach|her|hin|weg|um|teil|statt|weiter|zurück|fort|fest|lieber)\Z"
)
_ARTICLE = re.compile(r"\A(?:an?|the|to) (?=\w)", re.IGNORECASE)


def more_or_less(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Do you drink more or less tea than before?"."""
    match = None if WH.match(sentence.text) else _COMPARED.search(reading.masked, sentence.start, sentence.end)
    spans = [span for span in match.regs[1:] if span[0] >= 0] if match and sentence.asks else []
    return presented(reading.text[slice(*span)] for span in spans)


def opposites(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Was it easy or hard to use?", "True or false: …"."""
    if WH.match(sentence.text):
        return ()
    match = _OPPOSITES.search(reading.masked, sentence.start, sentence.end)
    told = sentence.asks or (match is not None and match.end() < sentence.end and reading.masked[match.end()] == ":")
    match = match or (_UN.search(reading.masked, sentence.start, sentence.end) if sentence.asks else None)
    if steps := _STEPS.search(reading.masked, sentence.start, sentence.end):
        match, told = steps, True
    return presented(reading.text[slice(*span)] for span in match.regs[1:] if span[0] >= 0) if match and told else ()


def either_of_two(reading: Reading, sentence: Sentence, _: Sentence | None) -> tuple[str, ...]:
    """As in "Which do you prefer, A, B or C?", "Would you rather A or B?", "iPhone vs Android: which is better?"."""
    masked = reading.masked
    last = max((match.start() for match in OR.finditer(masked, sentence.start, sentence.end)), default=None)
    if last is None or OR_NOT.search(masked, sentence.start, sentence.end):
        return ()
    cues = [match.end() for match in PREFERS.finditer(masked, sentence.start, last)]
    comma = masked.find(", ", sentence.start, sentence.end)
    lead = masked[sentence.start : comma] if comma > 0 else ""
    asks_which = WH.match(sentence.text) and not begins_polar(masked[comma + 2 : sentence.end], reading.language)
    if asks_which and 0 < comma <= last and not is_open(lead):
        return _behind_question(reading, sentence, max([comma, *cues]), last)
    if cues:
        ends = len(masked[cues[-1] : sentence.end].rstrip("?!. "))
        ends = cues[-1] + len(without_german_end(reading.text[cues[-1] : cues[-1] + ends], reading.language))
        found = split(reading, cues[-1], ends)
        return _without_articles(found) if reading.language == "en" else found
    return _versus(reading, sentence)


def _behind_question(reading: Reading, sentence: Sentence, start: int, last: int) -> tuple[str, ...]:
    """Nothing where the comma may follow the first of a row: "How often do you buy bread, milk or eggs?"."""
    masked = reading.masked
    after = masked.find(", ", last + 1, sentence.end)
    end = after if after > 0 else sentence.end
    lead = masked[sentence.start : masked.find(", ", sentence.start)]
    row = _LEADS_TO_FIRST.search(lead) and not _NAMED_APART.match(masked, start)
    if asks_for_degree(sentence.text) or row or _GOES_ON.search(masked, last, end):
        return ()
    found = split(reading, start, end)
    said_how = all(_SAYS_HOW.match(option) or option.split()[0].lower() in PREPOSITIONS for option in found)
    return found if said_how or not _HOW.match(sentence.text) else ()


def _versus(reading: Reading, sentence: Sentence) -> tuple[str, ...]:
    match = re.match(
        r"(?!if |when |as |for |given )([^.?!\n:,]{1,80}) (?:vs\.?|versus|or) ([^.?!\n:,]{1,80})[:,-] ?(?:which|what"
        r"|who)\b",
        sentence.text,
    )
    if not match:
        return ()
    spans = [match.span(1), match.span(2)]
    return presented(reading.text[sentence.start + low : sentence.start + high] for low, high in spans)


def without_german_end(text: str, language: str) -> str:
    """Without the part of a German verb that ends the sentence, and so stands behind the last option."""
    return _GERMAN_END.sub("", text) if language == "de" else text


def _without_articles(options: tuple[str, ...]) -> tuple[str, ...]:
    return presented(_ARTICLE.sub("", option) for option in options)
