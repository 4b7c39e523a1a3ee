"""Wording that bends answers: what is wrong with a question, and how to ask instead. Pure.

English thoroughly, German, French and Spanish in their most frequent forms. What stands in quotes or in brackets is
material, not wording. The rules would rather miss a fault than blame a sound question.
"""

import re
from collections.abc import Iterator

from mcp_server.toolsets.panels._aggregation.double_barrelled import two_questions
from mcp_server.toolsets.panels._aggregation.texts import plain
from mcp_server.toolsets.panels._results import Caveat

LONGEST = 2_000  # characters looked at

QUOTED = re.compile(r"\"[^\"]*\"|«[^»]*»|(?<!\w)'[^']*'(?!\w)|\([^)]*\)|\[[^\]]*\]")
PRAISE = (
    "great|amazing|awesome|wonderful|fantastic|excellent|brilliant|outstanding|incredible|superb|terrific|fabulous|"
    "delightful|impressive"
)
BLAME = "terrible|awful|horrible|dreadful|annoying|frustrating|disappointing|ridiculous|bad|poor"
LOADED = (
    f"{PRAISE}|{BLAME}|innovative|revolutionary|groundbreaking|cutting-edge|state-of-the-art|world-class|best-in-class|"
    "award-winning|game-changing|industry-leading|exciting|stunning|beautiful|delicious|much-loved|beloved|so-called|"
    "greedy|useless|overpriced|outdated|clunky|ugly|disastrous|outrageous|unfair|wasteful|shameful"
)
AUXILIARIES = "do|does|did|would|will|is|are|was|were|can|could|should|have|has"

LEADING = re.compile(
    r"(?:^|[.!?:;,]\s+)(?:so |and |but )?"
    r"(?:(?:do|would|are|is|could|should|have|did|does|was|were|ca|wo)n'?t|(?:do|would|are|is)"
    r" (?=(?:you|it|they|this|we) not\b)) ?(?:you|it|this|that|they|we|the|these|those|our)\b[^.?!]{0,20}"
    r"|(?<!extent )(?<!much )(?<!strongly )\b(?:do|would|will) you (?:also )?agree (?:that|with|it)\b"
    r"(?![^?]*\bdisagree)"
    r"|,\s*(?:is|are|was|do|does|did|would|wo|ca|have|has)n'?t (?:it|you|they|we|he|she)\s*\?"
    r"|,\s*(?:right|correct|agreed|yes|no)\s*\?\s*$"
    r"|\b(?:surely|obviously|of course|as (?:we|you) (?:all )?know|as everyone knows|everyone knows|it is well known)\b"
    r"|(?:^|[.!?]\s+)(?:clearly|undoubtedly|naturally),"
    r"|\b(?:most|many) (?:people|experts|users|customers) (?:think|say|agree|believe|prefer|love)\b"
    r"|\b(?:experts|studies|scientists) (?:agree|say|show|recommend)\b"
    r"|\bfinden sie nicht\b|\bfindest du nicht\b|\b(?:glauben|denken|meinen) sie nicht\b|\bauch der meinung\b"
    r"|\bstimmen sie zu, dass\b|, (?:nicht wahr|oder|stimmt's)\s*\?"
    r"|\bne (?:pensez|croyez|trouvez)[ -]vous pas\b|\bn'etes-vous pas\b|\bn'est-ce pas\b"
    r"|\betes-vous d'accord (?:que|pour)\b"
    r"|(?:^|\s|¿)no (?:cree|crees|piensa|piensas|te parece|le parece|opina|opinas)\b|, (?:verdad|no|cierto)\s*\?"
    r"|\b(?:no )?estas? de acuerdo (?:en|con) que\b(?![^?]*\bdesacuerdo)"
)
LOADED_WORDING = re.compile(
    rf"\bhow (?:very |really )?(?:{PRAISE}|{BLAME})\b(?!\s+(?:a |an )?(?:or|vs)\b)"
    r"|\bhow much (?:do|did|would|will) you (?:love|adore|enjoy|hate|detest)\b"
    rf"|\b(?:the|our|your|this|these|those|their|its|an?) (?:(?:new|very|truly|really) )?(?:{LOADED})"
    r" (?!or\b|and\b|to\b|for\b)\w+"
    r"|\bwie (?:toll|grossartig|fantastisch|super|schrecklich|furchtbar|schlimm|schlecht)\b"
    r"|\b(?:a quel point|combien)\b[^?]*\b(?:genial|formidable|fantastique|merveilleu\w+|horrible|terrible)\b"
    r"|\b(?:que tan|cuan|como de) (?:genial|increible|fantastic[oa]|maravillos[oa]|horrible|terrible|mal[oa])\b"
)
PRESUMES = re.compile(
    r"\bwhy (?:do|does|did|would|are|have) (?:you|people|customers|users|they) "
    r"(?:all )?(?:love|like|prefer|hate|dislike|enjoy|trust|distrust|avoid|need)\b"
    r"|\bwhat (?:do|did) you (?:most )?(?:love|hate|enjoy)\b(?! (?:or|and) (?:hate|love|dislike))"
    r"|\bwhy is [^?]{1,80}\b(?:better|worse|the best|the worst|superior|so (?:good|bad|popular|expensive|hard|easy))\b"
    r"|\bhow much (?:better|worse|easier|faster|happier|safer|more (?!or\b)\w+ (?:is|are|was|do|does|did))\b"
    r"|\bhow (?:has|have|did|does|will) [^?]{1,80}\b(?:improved?|made? [^?]{1,40}\b(?:better|easier|faster|safer))\b"
    r"|\bwhen will you (?:buy|switch|upgrade|subscribe|sign up|order)\b"
    r"|\bhave you stopped\b"
    r"|\bwarum (?:lieben|hassen|bevorzugen|mogen) sie\b|\bwas lieben sie\b"
    r"|\bwarum ist [^?]{1,80}\b(?:besser|schlechter|so)\b"
    r"|\bpourquoi (?:aimez|adorez|preferez|detestez)[ -]vous\b"
    r"|\bpor que (?:le gusta|te gusta|prefiere|prefieres|odia|odias|ama|amas)\b"
)
ABSOLUTE = re.compile(
    rf"(?:^|[.!?:;,]\s+)(?:{AUXILIARIES}) (?:(?:everyone|everybody|nobody|no one)\b|[^.?!]*?\b"
    r"(?:always|never|all the time|every single|completely|totally|absolutely|"
    r"(?:all|every one) of (?:the|our|your|these|its))\b)[^.?!]*"
    r"|\b(?:sind|finden|nutzen|verwenden|kaufen|lesen|mochten|wurden|haben|ist|hilft) [^.?!]*?\b(?<!noch )"
    r"(?:immer(?! noch| mehr| wieder)|niemals|nie|vollig|absolut|alle(?= \w+n\b))\b[^.?!]*"
    r"|\b(?:-vous|est-ce que vous) [^.?!]*?\b(?:toujours|jamais|absolument)\b[^.?!]*"
    r"|-vous [^.?!]*?\b(?:toujours|jamais|absolument|completement)\b[^.?!]*"
    r"|¿\s*(?:usa|usas|compra|compras|esta|estas|es|le|te|lee|lees|confia|confias)\b[^.?!]*?\b(?:siempre|nunca"
    r"|jamas)\b[^.?!]*"
)
ANCHORS = re.compile(
    r"\b(?:never|nie|jamais|nunca)\b.*\b(?:always|immer|toujours|siempre)\b"
    r"|\b(?:always|immer|toujours|siempre)\b.*\b(?:never|nie|jamais|nunca)\b|\bnot at all\b|\bnever\b[^?]* or\b"
    r"|\bhow (?:often|many|much)\b|\bwie (?:oft|haufig)\b|\bque tan a menudo\b|\bcon que frecuencia\b"
    r"|\ba quelle frequence\b"
    r"|\b(?:always|all the time)\b[^?]* or\b|\b(?:nie|niemals|immer)\b[^?]* oder\b|\b(?:jamais|toujours)\b[^?]* ou\b"
    r"|\b(?:nunca|jamas|siempre)\b[^?]* o\b"
)
"""Both ends of a scale are named, or a frequency is asked for: no absolute is put into anybody's mouth."""


def wording_caveats(question: str) -> list[Caveat]:
    """What to mind when reading the answers to `question`; each says what to write instead."""
    text = _bare(question)
    return [Caveat(code=code, message=message) for code, message in _faults(text)]


def _bare(question: str) -> str:
    return " ".join(QUOTED.sub(" ", plain(question[:LONGEST])).split())


def _faults(text: str) -> Iterator[tuple[str, str]]:
    if found := LEADING.search(text):
        yield (
            "leading",
            f'"{_shown(found)}" suggests the answer. Ask for either side: "How much do you agree or disagree that …?"',
        )
    if found := LOADED_WORDING.search(text):
        yield (
            "loaded",
            f'"{_shown(found)}" judges before anybody answers. Leave the judgement out: "How would you rate …?"',
        )
    if found := PRESUMES.search(text):
        yield (
            "presumes",
            f'"{_shown(found)}" takes for granted what some do not share. Ask openly: "What, if anything, …?"',
        )
    if both := two_questions(text):
        yield (
            "double_barrelled",
            f'"{both}" asks for more than one thing, and one answer cannot say which it means. Ask one by one.',
        )
    if (found := ABSOLUTE.search(text)) and not ANCHORS.search(text):
        yield (
            "absolute",
            f'"{_shown(found)}" leaves no middle, so that few can agree. Ask how often or how much instead.',
        )


def _shown(found: re.Match[str]) -> str:
    """The words that were found, the last one to its end."""
    rest = found.string[found.end() :].split(maxsplit=1) if found[0][-1:].isalpha() else []
    after = rest[0] if rest and not found.string[found.end()].isspace() else ""
    words = (found[0] + after).strip(" .,:;!?¿").split()
    return " ".join(words[:8]) + (" …" if len(words) > 8 else "")  # noqa: PLR2004 - enough to find the place
