"""Understand a survey question: its type, and the scale or the options that it offers."""

from app.internal_api.panels.understanding.alternatives import in_sentence, pairs_of
from app.internal_api.panels.understanding.attitudes import (
    asks_for_degree,
    names_agreement_steps,
    rates_in_letters,
    usual_scale,
)
from app.internal_api.panels.understanding.behind import behind
from app.internal_api.panels.understanding.choices import asks_to_choose, at_most, is_open, takes_several
from app.internal_api.panels.understanding.degrees import named_degrees
from app.internal_api.panels.understanding.lists import lettered, lines, plain_lines
from app.internal_api.panels.understanding.polar import asks_then_to_tell, is_polar, yes_and_no
from app.internal_api.panels.understanding.reading import Reading, read
from app.internal_api.panels.understanding.scales import stated_scale
from app.internal_api.panels.understanding.several import noted
from app.internal_api.panels.understanding.wishes import checked_type, wished_most, wished_options, wished_scale
from app.internal_api.panels.understanding.words import (
    CATEGORICAL,
    INVALID_OPTIONS,
    MULTISELECT,
    QUALITATIVE,
    SCALE,
    MakesNoSense,
    Understanding,
    Wish,
)


def understand(text: str, wish: Wish | None = None) -> Understanding:
    """How the question is to be taken: as it is wished, and by its wording where nothing is.

    Raises:
        MakesNoSense: the wish contradicts itself or the question, or the wording states a scale that makes no sense.

    """
    wished = wish or Wish()
    kind = checked_type(wished)
    scale, options, most = wished_scale(wished), wished_options(wished), wished_most(wished)
    reading = read(text)
    if kind is None:
        kind = _several_or_one(reading) if options else None
    match kind:
        case None:
            return _by_wording(reading)
        case "scale":
            return Understanding(SCALE, scale=scale or stated_scale(reading) or usual_scale(reading.simple))
        case "qualitative":
            return Understanding(QUALITATIVE)
        case _:
            return _choosing(kind, options or _options(reading) or _polar_options(reading), most, reading)


def _by_wording(reading: Reading) -> Understanding:
    if scale := stated_scale(reading):
        return Understanding(SCALE, scale=scale)
    if options := _options(reading):
        return _choosing(_several_or_one(reading), options, None, reading)
    if names_agreement_steps(reading.masked):
        return Understanding(SCALE, scale=usual_scale(reading.masked))
    return _by_sentences(reading)


def _by_sentences(reading: Reading) -> Understanding:
    """The first sentence that asks for something decides: what follows it ("Why?") asks for its reason."""
    for sentence in reading.sentences:
        if asks_for_degree(sentence.text) and not is_open(sentence.text):
            if rates_in_letters(sentence.text):
                return Understanding(QUALITATIVE)
            return Understanding(SCALE, scale=usual_scale(reading.masked))
        if asks_then_to_tell(reading.masked[sentence.end - 1 :]):
            break
        if is_polar(sentence.text, reading.language) and (sentence.asks or len(reading.sentences) == 1):
            return Understanding(CATEGORICAL, options=yes_and_no(reading.language))
        if sentence.asks:
            break
    return Understanding(QUALITATIVE)


def _choosing(kind: str, options: tuple[str, ...], most: int | None, reading: Reading) -> Understanding:
    if not options:
        raise MakesNoSense(
            INVALID_OPTIONS, f"A {kind} question needs at least two options: name them in the question or give a list."
        )
    if kind == CATEGORICAL:
        return Understanding(CATEGORICAL, options=options)
    allowed = most or at_most(reading.masked)
    return Understanding(MULTISELECT, options=options, most=allowed if allowed and allowed < len(options) else None)


def _several_or_one(reading: Reading) -> str:
    return MULTISELECT if takes_several(reading.masked) else CATEGORICAL


def _options(reading: Reading) -> tuple[str, ...]:
    """The options in the wording; empty where there are none, or where they are only what is talked about."""
    if degrees := named_degrees(reading):
        return degrees
    for options, start in (lines(reading), lettered(reading), plain_lines(reading)):
        if options and _are_offered(reading, start):
            return options
    if options := noted(reading) or behind(reading):
        return options
    found = (in_sentence(reading, sentence, before) for sentence, before in pairs_of(reading.sentences))
    return next((options for options in found if options), ())


def _are_offered(reading: Reading, start: int) -> bool:
    """A list is offered where something shall be chosen, or where it follows a question that is not open."""
    before = [sentence for sentence in reading.sentences if sentence.end <= start]
    if any(is_open(sentence.text) for sentence in reading.sentences if sentence.asks):
        return False
    asked = bool(before) and (before[-1].asks or before[-1].text.endswith(":"))
    questions = [sentence.text for sentence in reading.sentences if sentence.asks or sentence in before[-1:]]
    questions += [reading.masked[s.start : start] for s in reading.sentences if s.start < start < s.end]
    return asked or any(map(asks_to_choose, questions))


def _polar_options(reading: Reading) -> tuple[str, ...]:
    polar = any(is_polar(sentence.text, reading.language) for sentence in reading.sentences)
    return yes_and_no(reading.language) if polar else ()
