"""Reads the response format of a survey question from its wording. Pure.

An explicit type wins; then a stated scale ("on a scale of 1 to 10", "rate it 1-5", "out of 10"), listed options (lists
of lines, "(a) … (b) …", "Which one: A, B or C?", "Do you prefer A or B?"), and yes/no by the opening auxiliary verb.
Everything else is an open question.

It does not guess a scale ("How satisfied are you?" is open), nor where alternatives begin inside a sentence ("Is it
cheap or dear?" is open, since "yes" would be no answer), does not tell a list of things talked about from a list to
choose from, and knows German, French and Spanish by the words of its tables only. To be sure, give the type.
"""

import re
from collections.abc import Iterable, Iterator

from app.internal_api.engines.snippets import distinct
from app.internal_api.errors import BadRequest
from app.internal_api.models.asking import GivenClassification
from app.internal_api.panels import response_format

USUAL_SCALE = (1, 10)  # of a question that shall have a scale and states none
LONGEST_PHRASE = 10  # words of an option inside a sentence
EDGES = ' \t\n\r.,:;?!¿¡"“”„«»'
FLAGS = re.IGNORECASE | re.MULTILINE
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
NUMBERS |= {"nine": 9, "ten": 10, "zwei": 2, "drei": 3, "dos": 2, "tres": 3, "deux": 2, "trois": 3}
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)})"
_WH = r"(?:which|what|who|where|when|how|why|welche\w*|was|wer|wo|wann|wie|warum|qu[eé]|cu[aá]l\w*|quel\w*|où|pourquoi)"
_MORE = r"(?:more|less|older|mehr|más|plus)"  # "five or more", "more or less", but not "longer hours or less noise"
_NOT_COUNTED = r"(?<!\d)" + "".join(rf"(?<!\b{word})" for word in (*NUMBERS, "more", "mehr", "más", "plus", "once"))
_OR = rf"(?:\s(?:or|oder|ou|o|u)\s(?!{_MORE}\b)|{_NOT_COUNTED}\s(?:or|oder|ou|o|u)\s(?={_MORE}\s(?!often|than|so\b)\w))"

_NUMBER = r"-?\d{1,4}(?:\.\d+)?"
_TO = r"(?:[-\u2013]|to|through|and|bis|und|a|à|al|y|et)"
_REASON = re.compile(
    r"\W*(?:(?:and|but|und|et|y) )?(?:why|how come|warum|wieso|weshalb|pourquoi|por ?qu[e\u00e9])\b", FLAGS
)
_RANGE = re.compile(rf"(?P<low>{_NUMBER}) ?(?:\([^()\n]{{1,60}}\) ?)?{_TO} ?(?P<high>{_NUMBER})\b", FLAGS)
# English asks for an article: in "to scale from 10 to 100 customers" it is a verb.
_NOUN = (
    r"(?:(?:\b(?:an?|the|this|our|following) (?:[\w-]{1,14} ){0,2}|^|[(,.:] ?)scale|\w{0,12}skala|escala|[ée]chelle)"
)
_SCALE_OF = re.compile(rf"{_NOUN}\b[^.?!\n\d]{{0,40}}?{_RANGE.pattern}", FLAGS)
_RANGE_SCALE = re.compile(rf"{_RANGE.pattern}[ -](?:point )?(?:rating )?(?:scale|skala)\b", FLAGS)
_POINTS = re.compile(rf"\b({_COUNT})[ -]?(?:point|stufige[nr]?)[ -](?:[\w-]{{1,14}} )?(?:scale|skala)\b", FLAGS)
_BRACKETED = re.compile(rf"(?:[(\[]|^¿?(?:from|von|del?) ){_RANGE.pattern}(?:[)\]] ?(?:[.?!:]|$)| ?,)", FLAGS)
_OUT_OF = re.compile(r"(?<!\d)(?<!\d )(?:\bout of|\bsur|\bsobre|\bvon|/) ?(5|7|10|20|100)\b(?! ?\w)", FLAGS)
_ANCHOR = re.compile(
    r"(?<![\w.,])(\d{1,3}) ?=|\b(?:where|with|and|wobei|und|donde|y|où|et) (\d{1,3}) (?:is|means|being|ist|es|est)\b",
    FLAGS,
)
_RATES = re.compile(
    r"\b(?:how many (?:stars|points)|wie viele (?:sterne|punkte)|combien d'étoiles|cuántas estrellas"
    r"|rat(?:e|ed|ing)|scor(?:e|ing)|grade|mark|number|how (?!many|much|long|old|often|far|big|tall|late)\w+"
    r"|bewert\w*|benot\w*|wie (?!viele?|oft|lange|alt)\w+|calif\w*|punt[uú]\w*|valor\w*|nota|qu[eé] tan"
    r"|note[rz]?|[ée]valu\w*|à quel point)\b",
    FLAGS,
)
_AMOUNT = re.compile(r"[%€$£]| ?(?:years?|months?|weeks?|days?|hours?|minutes?|times|people|jahren?|años|ans)\b", FLAGS)

_ITEM = re.compile(r"^[^\S\n]*(?:[-*•\u2013]|\(?[a-z0-9]{1,2}[.)])[^\S\n]+(\S.*)$", FLAGS)
_LETTERED = re.compile(r"(?<!\S)\(?(?:[a-z]|[1-9])\)[^\S\n]+", FLAGS)
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»")
_ANY_OR = re.compile(_OR, FLAGS)
_SEPARATOR = re.compile(rf"\s?[,;](?:{_OR}|\s)|{_OR}|\s/\s", FLAGS)
_AND = re.compile(r",?\s(?:and|und|y|et)\s", FLAGS)
_NO_OPTION = re.compile(rf"{_WH}\b|(?:e\.g|i\.e|for example|such as|like|including|z\.\s?b)\b|.*:\s", FLAGS)
_CHOOSES = re.compile(rf"{_WH}\b|\b(?:pick|choose|select|check|vote|prefer|wählen?|elija|elige|choisi\w+)\b", FLAGS)
_SENTENCE = re.compile(r"\S[^\n]*?(?:(?<=[.?!…])(?=\s)|$)", FLAGS)
_AFTER_COLON = re.compile(r"^(?P<lead>.{1,400}?)(?:\s?:|\s[-\u2013])\s+(?P<list>.+)$", FLAGS)
_COMPARED = r"\b(?:prefer|prefiere[sn]?|choose|like|want|use|trust|buy|for|better|best|more|most|first|often)"
_PREFERS = r"\b(?:prefer|rather|lieber|bevorzugen sie|prefiere[sn]?|pr[ée]f[ée]re\w*-(?:vous|tu))"
_LISTS = (
    re.compile(r"\((?P<list>[^()\n]+)\)[.?!\s]*$", FLAGS),
    re.compile(rf"^¿?{_WH}\b[^,?]{{0,200}}{_COMPARED}, (?P<list>.+)$", FLAGS),
    re.compile(rf"{_PREFERS}\s(?P<list>[^?]+)\?", FLAGS),
    re.compile(r"^(?P<list>.+)$", FLAGS),  # by itself: "Tea or coffee?", "Which plan would you choose? Basic or Pro."
)
_SEVERAL = re.compile(
    r"\b(?:all|any) (?:of (?:these|them) )?that apply\b|\b(?:check|tick|select|choose|pick) (?:all|any|as many)\b"
    r"|\b(?:one or more|more than one|multiple (?:answers|choices)|mehrfach\w*|mehrere antworten|alles? zutreffenden?"
    r"|(?:kreuzen|wählen|markieren) sie alles?|tod[oa]s? l[oa]s? que|varias (?:respuestas|opciones)"
    r"|(?:elegir|marcar) vari[oa]s|plusieurs (?:réponses|choix)|(?:cochez|choisissez|sélectionnez) tou(?:t|te?s))\b",
    FLAGS,
)
_AT_MOST = re.compile(
    r"\b(?:up to|at most|no more than|exactly|(?:a )?max(?:imum|\.)?(?: of)?|bis zu|höchstens|maximal|hasta|como máximo"
    r"|(?:un )?máximo(?: de)?|jusqu'à|au (?:plus|maximum)|which|top|your(?= \w+ favou?rites?\b)"
    rf"|(?:pick|choose|select)(?: one or)?|wählen? sie|elij[ae]|elige|choisissez(?:-en)?) ({_COUNT})\b(?! to)",
    FLAGS,
)

_LEAD = rf"(?:(?!{_WH}\b)[^,:?]{{1,120}}[,:] ?)?(?:and |so |but )?"
_GERMAN = (
    r"(?:würden?|haben|hast|hat|sind|bist|ist|war(?:en)?|kann|können|möchten?|wollen|soll(?:te)?n?|werden|wird|dürfen"
    r"|gibt es|[^\W\d]+en sie)\b"
)
_ENGLISH = (
    r"(?:(?:would|do|does|did|could|should|have|has|had|is|are|were)(?:n't)?|will|can|might|may|shall|must|am"
    r"|was (?=the|it|this|that|your|our|there|he|she))\b"
)
_YES_NO = (
    (("Sí", "No"), r"¿ ?(?!qu[eé]|cu[aá]|c[oó]mo|d[oó]nde|por|qui[eé]n|en |a |para )\w+"),
    (("Oui", "Non"), r"est-ce qu(?:e |')|[^\W\d]+-(?:t-)?(?:vous|tu|il|elle|on)\b"),
    (("Ja", "Nein"), _GERMAN),
    (("Yes", "No"), _ENGLISH),
)
_OPENINGS = tuple((answers, re.compile(f"^{_LEAD}(?:{opening})", FLAGS)) for answers, opening in _YES_NO)
_YES_OR_NO = re.compile(r"\b(?:yes|ja|sí|si|oui) ?(?:or|oder|o|ou|/) ?(?:no|nein|non)\b", FLAGS)
_MORE_THAN_TWO = re.compile(r"\b(?:no|nein|non) ?/ ?\w", FLAGS)  # "yes/no/maybe"
# Requests to tell something, and questions between alternatives: neither is answered by yes or no.
_NO_YES_NO = re.compile(
    r"\b(?:can|could|would|will) you (?:please |briefly )?(?:describe|explain|tell|share|list|name|give|think of)\b"
    r"|\b(?:do you have|are there) any\b|\bkönnen sie (?:uns |bitte )*(?:sagen|beschreiben|erklären|nennen)\b"
    rf"|{_OR}(?!(?:not|nicht|non)\b(?!-))",
    FLAGS,
)


def own_words(text: str) -> str:
    """What a follow-up asks, without the note behind it of whom it follows and which question."""
    return text.partition("\n\n(Follow-up for ")[0]


def classify(text: str, given: GivenClassification | None = None) -> response_format.ResponseFormat:
    """The format as it is given, and by the wording where nothing is.

    Raises `BadRequest`: what is given contradicts itself or the question, or the wording names an impossible scale.
    """
    wanted = given or GivenClassification()
    kind = response_format.checked_type(wanted)
    scale = None if wanted.scale_range is None else response_format.checked_scale(wanted.scale_range)
    options = distinct(" ".join(option.split()) for option in wanted.options)
    if options and (fault := response_format.fault_of(options)):
        raise BadRequest(fault, {"code": response_format.INVALID_OPTIONS})
    if kind == "qualitative" or (given is None and _REASON.match(text)):
        return response_format.ResponseFormat("qualitative")
    if kind == "scale" or (kind is None and not options and (scale := stated_scale(text))):
        return response_format.ResponseFormat("scale", scale=scale or stated_scale(text) or USUAL_SCALE)
    if options := options or listed_options(text):
        return _choice(text, options, kind, wanted.most)
    if options := yes_or_no(text):
        return _choice(text, options, kind or "categorical", wanted.most)
    if kind is None:
        return response_format.ResponseFormat("qualitative")
    message = f"A {kind} question needs at least two options: name them in the question or give a list."
    raise BadRequest(message, {"code": response_format.INVALID_OPTIONS})


def stated_scale(text: str) -> tuple[int, int] | None:
    """The scale that the wording gives. Raises BadRequest for one that is called a scale and cannot be one."""
    if found := _SCALE_OF.search(text) or _RANGE_SCALE.search(text):
        return response_format.checked_scale(_ends(found))
    if found := _POINTS.search(text):
        points = _number(found[1])
        return response_format.checked_scale((0, points - 1) if points == 11 else (1, points))  # noqa: PLR2004 - 0 to 10 has eleven
    anchors = [float(point or other) for point, other in _ANCHOR.findall(text)]
    candidates = [*([(min(anchors), max(anchors))] if anchors else []), *map(_ends, _BRACKETED.finditer(text))]
    for sentence, _ in _sentences(text):
        if _RATES.search(sentence):
            ranges = (found for found in _RANGE.finditer(sentence) if not _AMOUNT.match(sentence, found.end()))
            candidates += map(_ends, ranges)
            candidates += ((1, float(high)) for high in _OUT_OF.findall(sentence))
    # What nobody calls a scale must at least begin and end as scales do.
    usual = ((low, high) for low, high in candidates if (low in {0, 1} or low == -high) and high in range(3, 101))
    return next(((int(low), int(high)) for low, high in usual), None)


def listed_options(text: str) -> tuple[str, ...]:
    """The options that the wording lists, word for word; empty where it lists none."""
    if options := _options(_ITEM.findall(text)):
        return options
    for sentence, before in _sentences(text):
        if options := _options(_LETTERED.split(sentence)[1:]) or _in_sentence(sentence, before):
            return options
    return ()


def yes_or_no(text: str) -> tuple[str, ...]:
    """Yes and no in the language of the first question, where that opens as such questions do or names the two."""
    if _MORE_THAN_TWO.search(text):
        return ()
    for sentence, _ in _sentences(text):
        opening = next((answers for answers, pattern in _OPENINGS if pattern.match(sentence)), ())
        if _YES_OR_NO.search(sentence):
            return opening or ("Yes", "No")
        if sentence.endswith("?"):
            return () if _NO_YES_NO.search(sentence) else opening
    return ()


def _choice(text: str, options: tuple[str, ...], kind: str | None, most: int | None) -> response_format.ResponseFormat:
    """One or several of the options; a limit that allows all of them is none."""
    stated = next(map(_number, _AT_MOST.findall(text)), 0)
    several = stated > 1 or _SEVERAL.search(text)
    if kind == "categorical" or (kind is None and not several):
        return response_format.ResponseFormat("categorical", options=options)
    limit = most or stated
    return response_format.ResponseFormat(
        "multiselect", options=options, most=limit if 0 < limit < len(options) else None
    )


def _ends(found: re.Match[str]) -> tuple[float, float]:
    """Both ends of a range, the lower first: also of "from 10 (best) to 1 (worst)"."""
    ends = float(found["low"]), float(found["high"])
    return min(ends), max(ends)


def _number(word: str) -> int:
    return NUMBERS.get(word.lower()) or int(word)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with the one before it."""
    before = ""
    for found in _SENTENCE.finditer(text):
        yield found.group().rstrip(), before
        before = found.group().rstrip()


def _in_sentence(sentence: str, before: str) -> tuple[str, ...]:
    if (found := _AFTER_COLON.match(sentence)) and (_CHOOSES.search(found["lead"]) or _CHOOSES.search(before)):
        return _phrases(found["list"])
    if not (sentence.endswith("?") or before.endswith("?")):
        return ()
    found = next((found for pattern in _LISTS if (found := pattern.search(sentence))), None)
    return _phrases(found["list"]) if found else ()


def _phrases(text: str) -> tuple[str, ...]:
    """A list inside a sentence; empty where its parts are too long for one, or begin as questions do."""
    masked = _QUOTED.sub(lambda quoted: "x" * len(quoted.group()), text)
    cuts = [found.span() for found in _SEPARATOR.finditer(masked)]
    names_or = _ANY_OR.search(masked)
    if cuts and not names_or and (last := _AND.search(masked, cuts[-1][1])):
        cuts.append(last.span())
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)]
    pieces = [text[start:end].strip(EDGES) for start, end in zip(starts, ends, strict=True)]
    if not names_or and len(pieces) < 3:  # noqa: PLR2004 - one comma does not make a list
        return ()
    too_long = any(len(piece.split()) > LONGEST_PHRASE for piece in pieces)
    beginnings = (_NO_OPTION, *(pattern for _, pattern in _OPENINGS))
    return () if too_long or any(each.match(piece) for each in beginnings for piece in pieces) else _options(pieces)


def _options(pieces: Iterable[str]) -> tuple[str, ...]:
    """The pieces as options; empty where they cannot be the options of one question."""
    found = distinct(piece for each in pieces if (piece := each.strip(EDGES)))
    return () if response_format.fault_of(found) else found
