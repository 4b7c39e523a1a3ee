"""How an answer is put."""

from dataclasses import replace

from app.internal_api.engines.engine import Turn
from app.internal_api.engines.extractive.questions import Question, read_question
from app.internal_api.engines.extractive.selection import Cover, Selection
from app.internal_api.engines.extractive.units import read_units
from app.internal_api.engines.extractive.voice import citations, nothing, personal, quote
from tests.app.internal_api.engines.people import ADA, passage


def question(text: str = "What about water?") -> Question:
    return read_question([Turn("user", text)], "Ada", None)


def test_each_quotation_is_marked_and_another_source_begins_a_paragraph() -> None:
    found = [passage("Water is wet. It flows."), passage("Rain falls.")]
    units = tuple(read_units(found))
    numbers, cited = citations(units, found)

    text = quote(question(), ADA, Selection(units, Cover.FULL, evaluates=False), numbers)

    lead, _, rest = text.partition(": ")
    assert "Water" not in lead
    first, further = rest.split("\n\n")
    assert first == "Water is wet. [[CITE:0]] It flows. [[CITE:0]]"
    assert further.endswith(": Rain falls. [[CITE:1]]")
    assert cited == tuple(found)


def test_lists_and_code_keep_their_lines() -> None:
    found = [passage("You need:\n- a cup\n\n```\nx --help\n```")]
    units = tuple(read_units(found))

    text = quote(question(), ADA, Selection(units, Cover.FULL, evaluates=False), {0: 0})

    assert text.endswith("You need: [[CITE:0]]\n- a cup [[CITE:0]]\n- `x --help` [[CITE:0]]")


def test_passages_that_are_not_quoted_are_not_cited() -> None:
    found = [passage("One.", "A"), passage("Two.", "B"), passage("Three.", "C")]
    units = [unit for unit in read_units(found) if unit.passage != 1]

    assert citations(units, found) == ({0: 0, 2: 1}, (found[0], found[2]))


def test_the_words_stay_the_same_for_the_same_persona_and_question() -> None:
    assert nothing(question(), ADA, ["Tea"]) == nothing(question(), ADA, ["Tea"])
    assert len({nothing(question(), replace(ADA, id=str(number)), ["Tea"]) for number in range(20)}) == 2


def test_without_topics_a_document_is_asked_for() -> None:
    assert "Give me a page" in nothing(question(), ADA, [])
    assert "Give me a page" in personal(question("Hello"), ADA, [])


def test_braces_and_marks_in_a_name_stay_text() -> None:
    odd = replace(ADA, name="{topics} [[[CITE:0]] {0}", description="{name}", discipline="{field}")

    for message in ("Hello", "Who are you?", "Thanks", "Bye", "What do you know?"):
        assert "[[CITE" not in personal(question(message), odd, ["{x}"])


def test_who_it_is_includes_the_description() -> None:
    described = replace(ADA, description="Roasts in Turin")
    default = replace(ADA, description="Created via API")

    assert "Roasts in Turin." in personal(question("Who are you?"), described, [])
    assert "Created" not in personal(question("Who are you?"), default, [])


def test_nobodys_field_is_their_own_name() -> None:
    told = personal(question("Who are you?"), replace(ADA, discipline=ADA.name), [])

    assert told.count(ADA.name) == personal(question("Who are you?"), replace(ADA, discipline=None), []).count(ADA.name)
