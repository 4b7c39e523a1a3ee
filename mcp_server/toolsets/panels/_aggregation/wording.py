"""Wording that bends answers: two questions in one, questions that suggest their answer, scales that run backwards.

English first, with the commonest forms in German, French and Spanish. What stands in quotes or brackets is material,
not wording. The rules would rather miss a fault than blame a sound question. Pure.
"""

import re
from collections.abc import Iterator

from mcp_server.toolsets.panels._aggregation.texts import plain

LONGEST = 2_000  # characters looked at
QUOTED = re.compile(r"\"[^\"]*\"|«[^»]*»|(?<!\w)'[^']*'(?!\w)|\([^)]*\)|\[[^\]]*\]")

LEADING = re.compile(
    r"(?:^|[.!?:;,]\s+)(?:do|would|are|is|could|should|have|did|does|was|were|ca|wo)n'?t"
    r" (?:you|it|this|that|they|we|the|our)\b[^.?!]{0,20}"
    r"|\b(?:do|would|will) you (?:also )?agree (?:that|with|it)\b(?![^?]*\bdisagree)"
    r"|,\s*(?:right|correct|(?:is|are|was|do|does|did|would|wo|ca|have|has)n'?t (?:it|you|they|we))\s*\?"
    r"|\b(?:surely|obviously|of course|everyone knows|as (?:we|you) (?:all )?know)\b"
    r"|\b(?:finden|glauben|denken|meinen) sie nicht\b|, nicht wahr\s*\?"
    r"|\bne (?:pensez|croyez|trouvez)[ -]vous pas\b|\bn'est-ce pas\b"
    r"|(?:^|\s|¿)no (?:cree|crees|piensa|piensas|te parece|le parece)\b|, verdad\s*\?"
)
AND = r"(?:and|&|und|et|y)"
ONE_THING = r"(?!(?:(?:the|our|your) )?(?:terms|pros|friends|health|food) and (?:conditions|cons|family|safety|drink))"
THING = r"(?:(?:the|our|your|its|this) )?(?:\w+ )?\w+"
DOUBLE_BARRELLED = re.compile(
    rf"\bhow (?!many|much|often|long|far|soon|likely)\w+ {AND} (?:how )?\w+ (?:is|are|was|were|do|does|did)\b"
    rf"|\bwie \w+ und \w+ (?:ist|sind|war|finden)\b"
    rf"|\b(?:satisfied|happy|pleased) (?:are|were) you with {ONE_THING}{THING} {AND} {ONE_THING}{THING}\b"
    rf"|\b(?:how (?:do|would|did) you|please) rate {ONE_THING}{THING} {AND} {THING}\b"
    rf"|\bzufrieden (?:sind|waren) sie mit (?:\w+ )?\w+ und (?:\w+ )?\w+"
    rf"|[,;]? {AND} (?:(?:is|are|do|does|did|would|will|can|have) (?:you|it|they|we|this|the)"
    rf"|(?:how|which|where|when|who) (?:is|are|do|does|did|would|will|much|many|often|likely)"
    rf"|(?:wurden|sind|haben|wie|welche[rs]?) (?:sie|oft|viel))\b[^?]*(?=\?)"
)

LOW = r"(?<![\d.,-])[01](?![\d.,]*\d)\s*(?:[=:(-]\s*|(?:is|being|means|for|as|ist|bedeutet|heisst)\s+)(?:the )?"
GOOD = r"(?:best\w*|excellent|very (?:good|happy|satisfied|likely)|sehr (?:gut|zufrieden)|strongly agree|highest|top)\b"
LOW_IS_GOOD = re.compile(rf"{LOW}{GOOD}|\bschulnoten?\b")


SUGGESTS = 'suggests the answer. Ask for either side: "How much do you agree or disagree that …?"'
SEVERAL_THINGS = "asks for more than one thing, and one answer cannot say which it means. Ask one by one."
REVERSED = (
    "On this scale a low figure is the good one: a mean below the middle is a good mark. Ask from 1 (worst) up to be "
    "read without this note."
)


def wording_caveats(question: str) -> Iterator[tuple[str, str]]:
    """What to mind when reading the answers to `question`, as codes and messages that say what to write instead."""
    text = " ".join(QUOTED.sub(" ", plain(question[:LONGEST])).split())
    if found := LEADING.search(text):
        yield "leading", f'"{_excerpt(found)}" {SUGGESTS}'
    if found := DOUBLE_BARRELLED.search(text):
        yield "double_barrelled", f'"{_excerpt(found)}" {SEVERAL_THINGS}'
    if low_is_good(question):
        yield "reversed_scale", REVERSED


def low_is_good(question: str) -> str:
    """What a sentence about high and low must add on a scale whose low end is the good one."""
    text = " ".join(plain(question[:LONGEST]).split())
    return ", where a low figure is the good one" if LOW_IS_GOOD.search(text) else ""


def _excerpt(found: re.Match[str]) -> str:
    """The first words that were found."""
    words = found[0].strip(" .,:;!?¿").split()
    return " ".join(words[:8]) + (" …" if len(words) > 8 else "")  # noqa: PLR2004 - enough to find the place
