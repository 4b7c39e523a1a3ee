"""The engine with a language model, against a real endpoint on loopback."""

import json
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from app.internal_api.engines.chat.engine import LanguageModelEngine, create_engine
from app.internal_api.engines.engine import Answer, EngineUnavailable, Profile, Turn
from app.internal_api.engines.extractive.engine import ExtractiveEngine, decline
from app.internal_api.engines.extractive.profiles import HEADING
from app.internal_api.engines.settings import EngineSettings
from app.internal_api.store.minds import Mind
from tests.app.internal_api.engines.chat_server import Reply, chat_server, refuses, says
from tests.app.internal_api.engines.people import ADA, passage

CLOSED = replace(ADA, source_policy="knowledge_only")
ROASTER = replace(ADA, keywords=["coffee"], context="context")
HOT = [Turn("user", "How hot should the water be?")]
SOURCES = [passage("Espresso is small.", "A"), passage("The water has 93 degrees.", "B")]


async def answered(reply: Reply, persona: Mind = ADA, turns: list[Turn] = HOT, found: int = 2) -> tuple[Answer, int]:
    async with chat_server(reply) as server:
        engine = create_engine(server.settings())
        answer = await engine.answer(persona, turns, SOURCES[:found])
    return answer, len(server.bodies)


async def test_an_answer_brings_the_passages_that_it_cites() -> None:
    answer, _ = await answered(says("At 93 degrees [[CITE:2]]. Or so [[CITE:7]]."))

    assert answer == Answer(
        content="At 93 degrees [[CITE:0]]. Or so.",
        citations=(SOURCES[1],),
        origin="mind_knowledge",
        engine="openai-compatible",
        chunks_found=2,
    )


async def test_an_answer_without_citations_comes_from_the_personality() -> None:
    answer, _ = await answered(says("I love coffee."))

    assert (answer.origin, answer.citations, answer.fallback_status) == ("mind_personality", (), "fallback")


@pytest.mark.parametrize("text", ["[[NOTHING]] I know nothing of that [[CITE:0]].", "[[NOTHING]]"])
async def test_a_model_that_declines_is_believed(text: str) -> None:
    answer, _ = await answered(says(text))

    assert (answer.origin, answer.unsupported, answer.citations) == ("unsupported", True, ())
    assert answer.content
    assert "[[" not in answer.content


async def test_closed_knowledge_without_passages_does_not_ask_the_model() -> None:
    answer, asked = await answered(says("At 93 degrees."), CLOSED, found=0)

    assert asked == 0
    assert (answer.origin, answer.unsupported, answer.engine) == ("unsupported", True, "offline")


async def test_closed_knowledge_lets_no_uncited_claim_out() -> None:
    answer, _ = await answered(says("Certainly at 70 degrees."), CLOSED)

    assert (answer.origin, answer.unsupported) == ("unsupported", True)
    assert "70" not in answer.content


async def test_closed_knowledge_still_greets() -> None:
    answer, _ = await answered(says("Good morning to you."), CLOSED, [Turn("user", "Hello!")])

    assert (answer.content, answer.origin) == ("Good morning to you.", "mind_personality")


@pytest.mark.parametrize("text", ["[[CITE:0]]", "[[CITE:1]]"])
async def test_a_model_that_says_nothing_has_nothing_to_say_on_that(text: str) -> None:
    with capture_logs() as logs:
        answer, _ = await answered(says(text))

    assert (answer.origin, answer.unsupported, answer.citations) == ("unsupported", True, ())
    assert answer.content == decline(ADA, SOURCES)
    assert [line["event"] for line in logs] == ["persona_engine.empty_answer"]


@pytest.mark.parametrize("text", ["", "  \n", "<think>hm</think>"])
async def test_a_model_without_any_text_is_out_of_order(text: str) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        await answered(says(text))

    assert (raised.value.kind, raised.value.status, raised.value.retryable) == ("empty", 200, True)


async def test_a_model_that_says_nothing_still_greets() -> None:
    answer, _ = await answered(says("[[CITE:0]]"), ADA, [])

    assert answer == await ExtractiveEngine().answer(ADA, [], SOURCES)


async def test_a_failing_endpoint_is_reported_and_not_papered_over() -> None:
    with pytest.raises(EngineUnavailable) as raised:
        await answered(refuses("401 Unauthorized"))

    assert not raised.value.retryable


async def test_the_prompt_holds_the_voice_of_the_model_and_our_rules() -> None:
    profile = Profile("Coffee", "Knows it.", ("calm",))

    async with chat_server(says("You speak softly. [[CITE:0]]")) as server:
        prompt = await create_engine(server.settings()).prompt(ADA, profile, ["Grind size"])

    assert "You speak softly." in prompt
    assert f"{HEADING}\n- Grind size" in prompt
    assert "never invent" in prompt
    assert "[[CITE" not in prompt


async def test_the_name_says_which_model() -> None:
    async with chat_server(says("x")) as server:
        engine = create_engine(server.settings())

    assert isinstance(engine, LanguageModelEngine)
    assert create_engine(EngineSettings.model_construct(llm_base_url=None)).name == "offline"
    assert engine.name == "openai-compatible:test-model"


WRITTEN = json.dumps({"discipline": "Coffee", "description": "Knows  coffee.", "traits": ["calm", " ", "exact"]})


@pytest.mark.parametrize(
    "text", [WRITTEN, f"```json\n{WRITTEN}\n```", f"Here you {{are}}: {WRITTEN} Enjoy!", f'{{"other": 1}} {WRITTEN}']
)
async def test_a_profile_is_found_in_what_surrounds_it(text: str) -> None:
    async with chat_server(says(text)) as server:
        profile = await create_engine(server.settings()).profile(ROASTER)

    assert profile == Profile("Coffee", "Knows coffee.", ("calm", "exact"))


@pytest.mark.parametrize(
    "text",
    [
        "Sure! Ada is great.",
        "{" * 50_000,
        "[1]",
        '{"discipline": "x"}',
        '{"discipline": 1, "description": "x"}',
        '{"discipline": "", "description": "x"}',
    ],
)
async def test_a_profile_that_cannot_be_read_is_made_of_the_owners_own_words(text: str) -> None:
    async with chat_server(says(text)) as server:
        with capture_logs() as logs:
            profile = await create_engine(server.settings()).profile(ROASTER)

    assert profile == await ExtractiveEngine().profile(ROASTER)
    assert [(line["event"], line["log_level"]) for line in logs] == [("persona_engine.unreadable_profile", "warning")]
    assert "great" not in str(logs)
