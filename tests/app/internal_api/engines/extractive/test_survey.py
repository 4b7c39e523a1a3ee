"""Survey questions: an answer where a sentence states it, and an abstention everywhere else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.engines.engine import ABSTENTIONS, EngineUnavailable, SurveyAnswer, SurveyQuestion, Turn
from app.internal_api.engines.extractive.engine import ExtractiveEngine
from app.internal_api.engines.extractive.survey import answer_survey
from app.internal_api.engines.snippets import one_line
from app.internal_api.knowledge.documents import Passage
from tests.app.internal_api.engines.people import ADA, passage
from tests.app.internal_api.engines.texts import BICYCLES, ESPRESSO, passages_of

RECOMMEND = SurveyQuestion("How likely are you to recommend the hire service to a friend?", "scale", scale=(1, 10))
BURGER = SurveyQuestion("Would you buy a vegan burger?", "categorical", options=("Yes", "No"))
MATTERS = SurveyQuestion(
    "Which of these matters most to you when you hire a bicycle?", "categorical", options=("Price", "Safety")
)
IMPROVE = SurveyQuestion(
    "What should the hire service improve?", "multiselect", options=("locks", "batteries", "app"), most=2
)
RIDE = SurveyQuestion("Which do you prefer: bus, tram or bike?", "categorical", options=("bus", "tram", "bike"))
OPEN = SurveyQuestion("What do you think of the burr grinder?", "qualitative")


def answered(question: SurveyQuestion, *texts: str) -> SurveyAnswer:
    return answer_survey("offline", question, [passage(text) for text in texts])


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (RECOMMEND, "I would recommend the hire service to a friend: 8 out of 10.", "8"),
        (RECOMMEND, "My answer on recommending the hire service to a friend is nine out of ten.", "9"),
        (RECOMMEND, "My friends ask. I recommend this hire service to every friend, 10 out of 10!", "10"),
        (RECOMMEND, "I do not recommend the hire service to a friend: 2 out of 10.", "2"),
        (BURGER, "Yes, I would buy a vegan burger.", "Yes"),
        (BURGER, "No, I would buy a steak before a vegan burger.", "No"),
        (MATTERS, "When I hire a bicycle, safety matters most to me.", "Safety"),
        (IMPROVE, "The hire service should improve its locks and the app.", "locks; app"),
        (RIDE, "I prefer the bike.", "bike"),
        (RIDE, "The tram is my favourite.", "tram"),
    ],
)
def test_an_answer_that_a_sentence_states_is_given_and_quoted(question: SurveyQuestion, text: str, value: str) -> None:
    said = answered(question, "I like tea.", text)

    assert (said.value, said.raw_value) == (value, value)
    assert said.message in text
    assert said.citations == (passage(text),)
    assert (said.origin, said.chunks_found) == ("mind_knowledge", 2)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (RECOMMEND, []),
        (RECOMMEND, ["I recommend the hire service to every friend."]),
        (RECOMMEND, ["I recommend the hire service to 8 friends of 10."]),
        (RECOMMEND, ["I recommend the hire service to a friend, and 8 out of 10 people do."]),
        (RECOMMEND, ["I recommend the hire service to a friend: 4 out of 5."]),
        (RECOMMEND, ["I recommend the hire service to a friend: 11 out of 10."]),
        (RECOMMEND, ["I do not recommend the hire service to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend the tea room: 8 out of 10."]),
        (RECOMMEND, ["I might recommend the hire service to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend the other hire service to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend most hire services to a friend: 8 out of 10."]),
        (RECOMMEND, ["I recommend the hire service to a friend: below 8 out of 10."]),
        (RECOMMEND, ["Give 10 out of 10 when you recommend the hire service to a friend."]),
        (RIDE, ["The bus stops here.", "I may prefer the bus.", "My mother prefers the tram."]),
        (BURGER, ["I have been a vegan for ten years and love every burger."]),
        (BURGER, ["I would buy a vegan burger."]),
        (BURGER, ["Would you buy a vegan burger? Yes."]),
        (BURGER, ["Yes, I would never buy a vegan burger."]),
        (BURGER, ["Yes, if it were free I would buy a vegan burger."]),
        (replace(BURGER, text="Do you like a vegan burger?"), ["Yes, I sell a vegan burger."]),
        (MATTERS, ["When I hire a bicycle, safety matters less."]),
        (MATTERS, ["Safety matters most to me."]),
        (MATTERS, ["When I hire a bicycle, the saddle matters most."]),
        (replace(MATTERS, text="Price or safety?"), ["Safety."]),
        (replace(BURGER, context="Yes, I would buy a vegan burger."), []),
        (OPEN, ["The grinder is loud."]),
        (OPEN, []),
    ],
)
def test_everything_else_is_an_abstention(question: SurveyQuestion, texts: list[str]) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        answered(question, *texts)

    assert raised.value.kind in ABSTENTIONS
    assert not raised.value.retryable


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (RECOMMEND, ["How I rate the hire service when I recommend it to a friend: 7 or 8 out of 10."]),
        (RECOMMEND, [f"I recommend the hire service to a friend: {number} out of 10." for number in (2, 9)]),
        (MATTERS, ["When I hire a bicycle, price matters, and safety matters."]),
        (IMPROVE, ["The hire service should improve its locks, batteries and app."]),
    ],
)
def test_several_answers_are_quoted_without_a_value_for_a_person_to_read(
    question: SurveyQuestion, texts: list[str]
) -> None:
    said = answered(question, *texts)

    assert (said.value, said.message) == ("", "\n\n".join(texts))
    assert said.citations == tuple(passage(text) for text in texts)


@pytest.mark.parametrize(
    ("question", "text", "kind"),
    [
        (RECOMMEND, "I recommend the hire service to every friend.", "unstated"),
        (RECOMMEND, "I recommend the tea room: 8 out of 10.", "unsupported"),
        (OPEN, "The weather is fine.", "unsupported"),
    ],
)
def test_an_abstention_tells_what_is_not_stated_from_what_is_not_known(
    question: SurveyQuestion, text: str, kind: str
) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        answered(question, text)

    assert raised.value.kind == kind


FUTURE = SurveyQuestion("What worries you most about the future of your town?", "qualitative")


@pytest.mark.parametrize(
    "text",
    [
        "What worries her most about the future of her town is that the only hospital will close.",
        "He says that nothing about the future of his town worries him.",
        "My biggest worry about the future of our town is the rent.",
        "The town's future worries him, as the mill closes.",
    ],
)
def test_an_open_question_is_answered_by_one_sentence_of_the_persona(text: str) -> None:
    assert text in answered(FUTURE, f"She keeps bees. {text}").message


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("What do you think of the new library?", "She works in the new library.", False),
        ("What do you think of the new library?", "He finds the new library too loud.", True),
        ("What do you think of the pool?", "I do not like the pool.", True),
        ("What do you think of the pool?", "I can't stand the pool.", True),
        ("What do you think of the pool?", "I am not in the pool.", False),
        ("What do you like about your neighbourhood?", "She delivers papers in the neighbourhood.", False),
        ("What do you like about your neighbourhood?", "She loves her neighbourhood for its parks.", True),
        ("Was gefällt dir an der Stadt?", "Er wohnt seit Jahren in der Stadt.", False),
    ],
)
def test_who_only_mentions_what_an_opinion_is_asked_of_has_none(question: str, text: str, answers: bool) -> None:
    asked = SurveyQuestion(question, "qualitative")
    try:
        assert bool(answered(asked, text).message) is answers
    except EngineUnavailable:
        assert not answers


@pytest.mark.parametrize(
    "text",
    [
        "Chiara is a hairdresser. Her mother worries about the future of their town.",
        "My neighbour worries about the future of our town.",
        "Sam's boss worries about the future of the town.",
        "Lea van der Berg's boss worries about the future of the town; she has never said what she makes of it.",
        "He is married to a nurse whose father worries about the future of the town.",
        "They say the future of the town worries everyone.",
        "She used to worry about the future of her town.",
        "He worries about his back. In the future he wants to live in another town.",
        "What worries him about the future of his town?",
    ],
)
def test_what_others_think_or_several_sentences_only_touch_is_no_answer(text: str) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        answered(FUTURE, text)

    assert raised.value.kind in ABSTENTIONS


async def test_an_open_question_is_answered_with_quotations_and_without_labels() -> None:
    known = passages_of(ESPRESSO, "Espresso guide")

    said = await ExtractiveEngine().survey(ADA, OPEN, known)
    brief = await ExtractiveEngine().survey(ADA, replace(OPEN, response_form="concise"), known)

    assert "A burr grinder is worth its price" in said.message
    assert (said.value, said.engine) == ("", "offline")
    assert said.citations[0].heading == "Grind size"
    assert len(brief.citations) == 1


def test_an_open_question_may_go_on_from_an_earlier_one() -> None:
    earlier = (Turn("user", "Is a burr grinder worth its price?"), Turn("assistant", "Yes."))

    said = answered(SurveyQuestion("And why?", "qualitative", earlier=earlier), ESPRESSO)

    assert "burr grinder is worth its price" in said.message


QUESTIONS = st.sampled_from([RECOMMEND, BURGER, MATTERS, IMPROVE, OPEN]) | st.builds(
    SurveyQuestion,
    st.text(max_size=80),
    st.sampled_from(["categorical", "multiselect"]),
    options=st.lists(st.text(min_size=1, max_size=12).filter(str.strip), min_size=2, max_size=5, unique=True).map(
        tuple
    ),
)
TEXTS = st.lists(st.text(max_size=150) | st.sampled_from([BICYCLES, "8 out of 10.", "Yes. No."]), max_size=3)


@given(QUESTIONS, TEXTS)
def test_whatever_is_answered_can_be_counted_and_stands_in_the_cited_passage(
    question: SurveyQuestion, texts: list[str]
) -> None:
    known: list[Passage] = [passage(text) for text in texts]
    try:
        said = answer_survey("offline", question, known)
    except EngineUnavailable:
        return

    assert said.citations
    assert all(
        part in one_line(" ".join(cited.text for cited in said.citations)) for part in said.message.split("\n\n")
    )
    assert question.type != "categorical" or said.value in {"", *question.options}
    assert question.type != "scale" or not said.value or 1 <= int(said.value) <= 10
