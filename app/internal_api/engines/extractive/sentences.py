"""Running text cut into sentences; every sentence stays an exact piece of the text."""

import re

LONGEST = 420  # characters of one quotation; what is longer is cut at a pause

_END = re.compile(r"(?:[.!?…]+[\"'”\u2019»)\]]*(?=\s)|[。\uff01\uff1f]+[」』”]?)")
_STARTS_LIKE_SENTENCE = re.compile(r"[\"'“\u2018«(\[¿¡]*[^\W_a-zß-öø-ÿ]")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:[A-Za-zÀ-Þ]|mr|mrs|ms|dr|prof|st|sr|jr|vs|no|nos|nr|vol|fig|figs|ca|cf|approx|etc|resp|bzw|usw|evtl|"
    r"inkl|max|min|e\.g|i\.e|z\.b|d\.h|u\.a|p\.\s?ex|c\.-à-d|ej|sra|srta|mme|mlle|art|abb|inc|ltd|co|u\.s|a\.m|p\.m)\.$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH = re.compile(
    r"\s*(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Stock)\b"
)
_PAUSES = ("; ", ": ", " \u2013 ", " — ", ", ", " ")


def split_sentences(text: str) -> list[str]:
    """The sentences of folded text, in order, without the blanks between them."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if _is_boundary(text, start, end):
            found.append(text[start:end].strip())
            start = end
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def shorten(sentence: str, longest: int = LONGEST) -> str:
    """The beginning of a sentence, cut at the last pause that still leaves most of it."""
    if len(sentence) <= longest:
        return sentence
    head = sentence[:longest]
    for pause in _PAUSES:
        at = head.rfind(pause)
        if at >= longest // 2:
            return head[:at].rstrip()
    return head.rstrip()


def _is_boundary(text: str, start: int, end: int) -> bool:
    if text[end - 1] in "。\uff01\uff1f」』":
        return True
    following = text[end : end + 40].lstrip()
    if not _STARTS_LIKE_SENTENCE.match(following):
        return False
    tail = text[max(start, end - 12) : end]
    if _ORDINAL.search(tail):
        # "am 3. Oktober" goes on; "… by 12. Then …" ends only when more than the number stands before it.
        return not _MONTH.match(following) and end - start > len(tail)
    return not _ABBREVIATION.search(tail)
