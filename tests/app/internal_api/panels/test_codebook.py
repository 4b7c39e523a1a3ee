"""Open answers are coded after the last of them, and stay so: across askings, revisions and deaths of processes."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from app.internal_api.engines.chat.codebook import write_codebook
from app.internal_api.engines.chat.endpoint import Endpoint
from app.internal_api.engines.chat.engine import create_engine
from app.internal_api.engines.clusters import cluster
from app.internal_api.engines.coding import NO_VIEW, OTHER, Code, Coded, Coding
from app.internal_api.engines.contraries import are_contrary
from app.internal_api.engines.engine import EngineUnavailable, SurveyQuestion
from app.internal_api.knowledge.embeddings import Embedder
from app.internal_api.knowledge.terms import words_of
from app.internal_api.store.minds import Mind
from app.internal_api.store.questions import write_codings
from mcp_server.toolsets.panels._aggregation.aggregate import aggregate
from mcp_server.toolsets.panels._minds import wire
from mcp_server.toolsets.panels._results import QuestionResult
from mcp_server.toolsets.panels._study import AskedQuestion
from tests.app.internal_api.engines.chat_server import Reply, chat_server, refuses, says
from tests.app.internal_api.engines.open_answers import QUESTION, THEMES, planted
from tests.app.internal_api.panels.coded_panel import ANSWER, model, sometimes_wrong
from tests.app.internal_api.panels.panels import MadePanel, make_panel, queue, stored
from tests.app.internal_api.support import FakeEngine, World

GROUPS = {group: [one.name for one in planted() if one.group == group] for group in ("North", "South")}
LISTED = re.compile(r"^(\w+): (\w+ \d+)\.", re.MULTILINE)
HELD, PRECISE = 0.85, 0.9


def quality(held: Mapping[str, set[str]], wanted: Mapping[str, set[str]]) -> dict[str, tuple[float, float]]:
    """For each planted theme, of the theme that holds most of it: the part of it that is held, and its precision."""
    found = {}
    for theme, members in wanted.items():
        best = max(held.values(), key=lambda names: len(names & members), default=set())
        found[theme] = (len(best & members) / len(members), len(best & members) / max(1, len(best)))
    return found


async def output_of(world: World, panel: MadePanel, question_id: str) -> dict[str, Any]:
    read = await world.client().get(f"/studies/{panel.study_id}/messages/{question_id}/answers")
    assert read.status_code == 200, read.text
    return dict(read.json()["outputData"])


def result_of(output: dict[str, Any]) -> QuestionResult:
    """What the gateway makes of it."""
    return aggregate(wire.answered(AskedQuestion("q", QUESTION, "qualitative"), output, ()))


async def revise(world: World, panel: MadePanel, question_id: str, **body: Any) -> httpx2.Response:
    return await world.client().post(f"/studies/{panel.study_id}/messages/{question_id}/codebook", json=body)


async def test_five_planted_themes_and_three_dissenters_are_found_by_a_model_that_is_sometimes_wrong(
    engine: AsyncEngine,
) -> None:
    async with model() as server:
        world = World(engine, persona_engine=cast("FakeEngine", create_engine(server.settings())))
        panel = await make_panel(engine, GROUPS)
        question_id = await queue(world, panel, QUESTION, disableQuestionClassifier=True)
        await world.ask_all()
        output = await output_of(world, panel, question_id)

    coding = [body for body in server.bodies if "BEGIN ANSWER" in body["messages"][-1]["content"]]
    said = {one["persona"]: one for group in output["audiences"] for one in group["answers"]}
    labels = {name: {code["label"] for code in one.get("codes") or ()} for name, one in said.items()}
    held = {label: {name for name in labels if label in labels[name]} for label in THEMES.values()}
    wanted = {theme: {one.name for one in planted() if theme in one.themes} for theme in THEMES}
    result = result_of(output)
    assert len(coding) == 3
    assert (result.calls, result.tokens) == (48 + 3, 100 * (48 + 3))
    assert all(kept >= HELD and precise >= PRECISE for kept, precise in quality(held, wanted).values())
    assert {voice.persona for voice in result.dissent} == {one.name for one in planted() if one.stance == "disagrees"}
    assert len(result.themes) == len(THEMES)
    assert [one for one in result.disagreements if "Only" in one] == []
    assert [group.n + group.declined + group.uncoded + group.failed for group in result.groups] == [24, 24]
    assert [one["label"] for one in output["categoryCodebook"]][-2:] == ["Other", "No view"]


async def test_what_the_model_never_gets_right_is_left_uncoded_and_said_to_be(engine: AsyncEngine) -> None:
    def stubborn(_call: int, codings: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return sometimes_wrong(1, codings) if len(codings) > 3 else []

    async with model(stubborn) as server:
        world = World(engine, persona_engine=cast("FakeEngine", create_engine(server.settings())))
        panel = await make_panel(engine, GROUPS)
        question_id = await queue(world, panel, QUESTION, disableQuestionClassifier=True)
        await world.ask_all()
        output = await output_of(world, panel, question_id)

    uncoded = [one for group in output["audiences"] for one in group["answers"] if "codes" not in one]
    assert len(uncoded) == 1
    (said,) = [caveat.message for caveat in result_of(output).caveats if caveat.code == "uncoded"]
    assert f"{urlsplit(server.url).netloc} answers, but with codes that do not fit the answers (LLM_MODEL)" in said


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (refuses("401 Unauthorized"), "answers 401: it refuses the key (LLM_API_KEY)"),
        (says("I would rather not."), "answers, but with codes that do not fit the answers (LLM_MODEL)"),
    ],
)
async def test_a_model_that_does_not_code_is_named_with_what_is_wrong_and_its_calls_are_counted(
    engine: AsyncEngine, reply: Reply, why: str
) -> None:
    async def answers_only(writer: asyncio.StreamWriter) -> None:
        coding = "BEGIN ANSWER" in server.bodies[-1]["messages"][-1]["content"]
        await (reply if coding else says('{"reason": "It is calm.", "answer": ["Calm"]}'))(writer)

    async with chat_server(answers_only) as server:
        world = World(engine, persona_engine=cast("FakeEngine", create_engine(server.settings())))
        panel = await make_panel(engine, {"Old": ["Ada", "Ben"]})
        question_id = await queue(world, panel, QUESTION, disableQuestionClassifier=True)
        await world.ask_all()
        output = await output_of(world, panel, question_id)

    said = f"No language model coded these answers: the language model at {urlsplit(server.url).netloc} {why}. "
    assert [caveat for caveat in result_of(output).caveats if caveat.message.startswith(said)]
    assert output["usage"]["calls"] == len(server.bodies)


def test_without_a_model_answers_of_three_languages_are_grouped_by_what_they_mean() -> None:
    embed = Embedder.installed()
    if embed is None:
        pytest.skip("the extra is not installed")
    texts = {one.name: one.text for one in planted()}

    coded = cluster(embed, QUESTION, texts, [], {})

    held = {code.id: {name for name, each in coded.codings.items() if code.id in each.codes} for code in coded.codes}
    wanted = {theme: {one.name for one in planted() if theme in one.themes} for theme in THEMES}
    assert all(kept >= 0.6 and precise >= PRECISE for kept, precise in quality(held, wanted).values())
    assert len(held) == len(THEMES)
    assert all(code.label[0].isupper() for code in coded.codes)
    assert set(coded.codings) == set(texts)
    assert all(quote in texts[name] for name, each in coded.codings.items() for quote in each.codes.values())
    assert [name for name, each in coded.codings.items() if NO_VIEW in each.codes] == [
        one.name for one in planted() if one.stance == "neither"
    ]
    several = {one.name for one in planted() if len(one.themes) > 1}
    assert any(len(coded.codings[name].codes) > 1 for name in several)


def test_without_a_model_the_codes_of_an_earlier_asking_take_what_is_like_their_examples() -> None:
    embed = Embedder.installed()
    if embed is None:
        pytest.skip("the extra is not installed")
    known = [Code("p", "Price"), Code("q", "Never said again")]
    examples = {"p": ["the fee is too high", "it costs too much", "zu teuer"]}
    texts = {one.name: one.text for one in planted()}

    coded = cluster(embed, QUESTION, texts, known, examples)

    fees = {one.name for one in planted() if "fees" in one.themes}
    held = {name for name, each in coded.codings.items() if "p" in each.codes}
    assert coded.codes[:2] == tuple(known)
    assert len(held & fees) / len(fees) >= 0.6
    assert len(held & fees) / len(held) >= PRECISE
    assert not any("q" in each.codes for each in coded.codings.values())
    assert len(coded.codes) <= 2 + len(THEMES)


def test_without_a_model_a_theme_is_shown_by_all_that_an_answer_says_of_it() -> None:
    embed = Embedder.installed()
    if embed is None:
        pytest.skip("the extra is not installed")
    examples = {"p": ["the fee is too high", "it costs too much", "zu teuer"]}
    texts = {one.name: one.text for one in planted()} | {"Ann": "The fee. It is too high, it costs far too much."}

    coded = cluster(embed, QUESTION, texts, [Code("p", "Price")], examples)

    assert coded.codings["Ann"].codes == {"p": "The fee. It is too high, it costs far too much"}
    assert len({frozenset(words_of(code.label)) for code in coded.codes}) == len(coded.codes)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("it is too cheap", "it is too expensive"),
        ("the checkout is not safe", "the checkout is safe"),
        ("way too fast", "way too slow"),
        ("I do not trust the price", "I trust the price"),
        ("es ist zu teuer", "es ist viel zu billig"),
        ("le personnel est poli", "le personnel est impoli"),
        ("el wifi no funciona", "el wifi funciona bien"),
        ("the toll is far too high", "the toll is fair"),
        ("I love the logo", "I liked the logo at first"),
    ],
)
def test_contraries_are_never_one_theme(one: str, other: str) -> None:
    embed = Embedder.installed()
    if embed is None:
        pytest.skip("the extra is not installed")
    texts = {f"{number} {text}": text for text in (one, other) for number in range(3)}

    coded = cluster(embed, "What do you think of it?", texts, [], {})

    themes = [{name[2:] for name, each in coded.codings.items() if code.id in each.codes} for code in coded.codes]
    assert sorted(map(sorted, themes)) == sorted([[one], [other]])


@pytest.mark.parametrize("good", ["fair", "quite all right", "reasonable", "long overdue"])
@pytest.mark.parametrize("bad", ["unjust", "unfair", "a bad joke", "outrageous", "a waste"])
def test_verdicts_for_and_against_are_contraries(good: str, bad: str) -> None:
    assert are_contrary(f"I think the toll is {good}", f"I think the toll is {bad}", "What do you think of the toll?")


async def by_word(texts: Mapping[str, str], known: Sequence[Code]) -> Coded:
    """Codes by the name in the answer: those before N, and the others."""
    codes = known or (Code("early", "Early names", "A to M."), Code("late", "Late names", "N to Z."))
    ids = {mind: codes[0 if text.split()[2] < "N" else 1].id for mind, text in texts.items()}
    return Coded(tuple(codes), {mind: Coding({one: "I am"}, "agrees") for mind, one in ids.items()}, "model")


async def coded_panel(world: World) -> tuple[MadePanel, str]:
    world.persona_engine.on_code = by_word
    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben", "Zoe"], "New": ["Cleo", "Zoe"]})
    question_id = await queue(world, panel, "Why tea?")
    await world.ask_all()
    return panel, question_id


BOTH = ["late", "early"]


def counts(output: dict[str, Any]) -> dict[str, int]:
    return {one["label"]: one["count"] for one in output["categoryCodebook"]}


async def test_a_persona_in_two_groups_is_coded_once_and_shown_in_both(world: World) -> None:
    panel, question_id = await coded_panel(world)

    output = await output_of(world, panel, question_id)

    (asked,) = [told for what, told in world.persona_engine.asked if what == "code"]
    assert len(asked[1]) == 4
    assert counts(output) == {"Early names": 3, "Late names": 1}
    assert {one["label"]: one["byAudience"] for one in output["themes"]} == {
        "Early names": {"Old": 2, "New": 1},
        "Late names": {"Old": 1, "New": 1},
    }
    assert (output["codebookMethod"], output["categoryCodebook"][0]["definition"]) == ("model", "A to M.")


@pytest.mark.both_databases
async def test_the_same_question_asked_again_keeps_its_codes_and_what_was_changed_in_them(world: World) -> None:
    panel, first = await coded_panel(world)
    renamed = await revise(world, panel, first, action="rename", themes=["late"], label="End of the alphabet")

    world.persona_engine.words = "I am {}, and now I say {}."
    again = await queue(world, panel, "why  TEA?")
    await world.ask_all()

    last = [told for what, told in world.persona_engine.asked if what == "code"][-1]
    assert renamed.status_code == 200
    assert [(code.id, code.label) for code in last[2]] == [("early", "Early names"), ("late", "End of the alphabet")]
    assert last[3] == {"early": ["I am"] * 3, "late": ["I am"] * 2}
    shown = await output_of(world, panel, again)
    assert counts(shown) == {"Early names": 3, "End of the alphabet": 1}
    assert "End of the alphabet" in shown["codebookChanges"][0]["what"]


async def test_who_says_the_same_as_before_has_the_same_codes_without_another_coding(world: World) -> None:
    panel, first = await coded_panel(world)
    world.persona_engine.on_code = None

    again = await queue(world, panel, "Why tea?")
    await world.ask_all()

    assert counts(await output_of(world, panel, again)) == counts(await output_of(world, panel, first))
    assert [what for what, _ in world.persona_engine.asked].count("code") == 1


@pytest.mark.both_databases
async def test_codes_are_merged_renamed_and_split_and_every_change_is_told(world: World) -> None:
    panel, question_id = await coded_panel(world)
    again = await queue(world, panel, "Why tea?")
    await world.ask_all()

    split = await revise(
        world, panel, question_id, action="split", themes=["early"], label="Ada alone", mindIds=[panel.minds["Ada"]]
    )
    merged = await revise(world, panel, question_id, action="merge", themes=["early", "late"], label="Names")

    output, other = merged.json()["outputData"], await output_of(world, panel, again)
    assert counts(split.json()["outputData"]) == {"Early names": 2, "Late names": 1, "Ada alone": 1}
    assert counts(output) == counts(other) == {"Names": 3, "Ada alone": 1}
    assert output["categoryCodebook"][0]["originalLabels"] == ["Early names", "Late names"]
    assert [(change["by"], change["what"][:6]) for change in output["codebookChanges"]] == [
        ("11111111-1111-4111-8111-111111111111", "Split "),
        ("11111111-1111-4111-8111-111111111111", "Merged"),
    ]
    assert {caveat.code for caveat in result_of(output).caveats} >= {"themes_revised"}


@pytest.mark.parametrize("both", [{"dear": "is Ada", "slow": "I am"}, {"slow": "I am", "dear": "is Ada"}])
async def test_an_answer_that_says_both_keeps_both_where_words_part_what_was_merged(
    world: World, both: dict[str, str]
) -> None:
    async def code(texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        codes = tuple(Code(one, one.title()) for one in ("dear", "slow"))
        said = {mind: both if "Ada" in text else {"dear": "I am"} for mind, text in texts.items()}
        return Coded(codes, {mind: Coding(each) for mind, each in said.items()}, "model")

    world.persona_engine.on_code = code
    panel = await make_panel(world.engine, {"All": ["Ada", "Ben"]})
    question_id = await queue(world, panel, "Why tea?")
    await world.ask_all()

    await revise(world, panel, question_id, action="merge", themes=["dear", "slow"], label="Bad")
    moved = {"mindIds": [panel.minds["Ada"]], "words": ["I AM"]}
    split = await revise(world, panel, question_id, action="split", themes=["dear"], label="Late", **moved)

    output = split.json()["outputData"]
    ada = output["audiences"][0]["answers"][0]
    assert counts(output) == {"Bad": 2, "Late": 1}
    assert {one["label"]: one["quote"] for one in ada["codes"]} == {"Bad": "is Ada", "Late": "I am"}


async def test_a_split_by_persona_reaches_what_the_persona_said_alike_in_other_askings_and_nothing_else(
    world: World,
) -> None:
    async def changed(persona: Mind, _question: SurveyQuestion) -> None:
        world.persona_engine.words = "I am {}, and new." if persona.name == "Ben" else "I am {}, and I say {}."

    panel, first = await coded_panel(world)
    world.persona_engine.on_survey = changed
    again = await queue(world, panel, "Why tea?")
    await world.ask_all()

    moved = [panel.minds[name] for name in ("Ada", "Ben")]
    split = await revise(world, panel, again, action="split", themes=["early"], label="Both", mindIds=moved)

    assert counts(split.json()["outputData"]) == {"Early names": 1, "Late names": 1, "Both": 2}
    assert counts(await output_of(world, panel, first)) == {"Early names": 2, "Late names": 1, "Both": 1}


async def test_what_a_split_takes_out_of_no_view_counts_also_where_its_words_refuse_until_it_is_taken_back(
    world: World,
) -> None:
    async def code(texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        codings = {mind: Coding({NO_VIEW: ""} if "Ben" not in text else {"b": "Ben"}) for mind, text in texts.items()}
        return Coded((Code("b", "Bens"),), codings, "model")

    world.persona_engine.on_code, world.persona_engine.words = code, "As an AI I, {}, have no opinion."
    panel = await make_panel(world.engine, {"All": ["Ada", "Ben", "Zoe"]})
    question_id = await queue(world, panel, "Why tea?")
    await world.ask_all()

    moved = {"mindIds": [panel.minds["Ada"]]}
    split = await revise(world, panel, question_id, action="split", themes=[NO_VIEW], label="AI", **moved)
    output = split.json()["outputData"]
    path = f"/studies/{panel.study_id}/messages/{question_id}/codes"
    back = await world.client().put(path, json={"mindId": panel.minds["Ada"], "value": None})

    result = result_of(output)
    assert {theme.label: theme.count for theme in result.themes}["AI"] == 1
    assert (
        output["audiences"][0]["n"] == result.overall.n + 1 == 2
    )  # Ben's words refuse, whatever the model made of them
    assert [one["label"] for one in back.json()["codes"]] == ["No view"]


async def test_a_split_by_words_parts_the_answers_of_every_asking(world: World) -> None:
    panel, question_id = await coded_panel(world)
    again = await queue(world, panel, "Why tea?")
    await world.ask_all()

    moved = {"mindIds": [panel.minds["Ada"]], "words": ["ada"]}
    await revise(world, panel, question_id, action="split", themes=["early"], label="Ada alone", **moved)

    other = await output_of(world, panel, again)
    assert counts(other) == {"Early names": 2, "Late names": 1, "Ada alone": 1}
    assert other["categoryCodebook"][-1]["definition"] == "Speaks of “ada”"
    assert "answers with “ada”" in other["codebookChanges"][-1]["what"]


async def test_what_was_left_uncoded_is_given_a_theme_by_hand_and_counts_in_it(world: World) -> None:
    async def all_but_zoe(texts: Mapping[str, str], known: Sequence[Code]) -> Coded:
        coded = await by_word(texts, known)
        return Coded(
            coded.codes, {mind: each for mind, each in coded.codings.items() if "late" not in each.codes}, "model"
        )

    world.persona_engine.on_code = all_but_zoe
    panel = await make_panel(world.engine, {"All": ["Ada", "Ben", "Zoe"]})
    question_id = await queue(world, panel, "Why tea?")
    await world.ask_all()
    path, mind = f"/studies/{panel.study_id}/messages/{question_id}/codes", panel.minds["Zoe"]

    def standing(output: dict[str, Any]) -> tuple[int, ...]:
        (group,) = output["audiences"]
        return group["n"], group["uncoded"], counts(output)["Late names"]

    before = await output_of(world, panel, question_id)
    unknown = await world.client().put(path, json={"mindId": mind, "value": "Tea"})
    await world.client().put(path, json={"mindId": mind, "value": "late names; Early names"})
    after = await output_of(world, panel, question_id)
    await world.client().put(path, json={"mindId": mind, "value": None})

    assert before["audiences"][0]["answers"][2]["status"] == "uncoded"
    assert (unknown.status_code, unknown.json()["data"]["code"]) == (400, "INVALID_VALUE")
    assert [standing(before), standing(after)] == [(2, 1, 0), (3, 0, 1)]
    assert [code["id"] for code in after["audiences"][0]["answers"][2]["codes"]] == ["late", "early"]
    assert await output_of(world, panel, question_id) == before


async def test_a_code_by_hand_is_taken_back_to_what_its_theme_was_merged_into(world: World) -> None:
    panel, question_id = await coded_panel(world)
    path, mind = f"/studies/{panel.study_id}/messages/{question_id}/codes", panel.minds["Ada"]

    await world.client().put(path, json={"mindId": mind, "value": "Other"})
    await revise(world, panel, question_id, action="merge", themes=["late", "early"], label="Names")
    back = await world.client().put(path, json={"mindId": mind, "value": None})

    assert [one["label"] for one in back.json()["codes"]] == ["Names"]
    assert counts(await output_of(world, panel, question_id)) == {"Names": 4}


@pytest.mark.both_databases
async def test_nothing_is_revised_while_the_question_is_asked_again(world: World) -> None:
    panel, question_id = await coded_panel(world)
    world.persona_engine.words = "I am {}, and now I say {}."
    refused: list[int] = []

    async def revised_meanwhile(texts: Mapping[str, str], known: Sequence[Code]) -> Coded:
        refused.append(
            (await revise(world, panel, question_id, action="merge", themes=BOTH, label="Names")).status_code
        )
        return await by_word(texts, known)

    world.persona_engine.on_code = revised_meanwhile
    again = await queue(world, panel, "Why tea?")
    await world.ask_all()
    merged = await revise(world, panel, question_id, action="merge", themes=BOTH, label="Names")

    assert (refused, merged.status_code) == ([409], 200)
    assert counts(await output_of(world, panel, again)) == {"Names": 4}


async def test_a_code_by_hand_stays_that_of_one_persona_in_every_later_asking_and_can_be_taken_back(
    world: World,
) -> None:
    world.persona_engine.on_code, world.persona_engine.words = by_word, "I am Tea."
    panel = await make_panel(world.engine, {"A": ["Ada", "Ben", "Cleo"], "B": ["Zoe"]})
    first = await queue(world, panel, "Why tea?")
    await world.ask_all()
    hand = {"mindId": panel.minds["Ben"], "value": "Other"}
    await world.client().put(f"/studies/{panel.study_id}/messages/{first}/codes", json=hand)
    await queue(world, panel, "Why tea?", audienceIds=[panel.audiences["B"]])
    await world.ask_all()

    last = await queue(world, panel, "Why tea?")
    await world.ask_all()

    output = await output_of(world, panel, last)
    said = {one["persona"]: one for group in output["audiences"] for one in group["answers"]}
    labels = {name: [code["label"] for code in one["codes"]] for name, one in said.items()}
    assert labels == {"Ada": ["Late names"], "Ben": ["Other"], "Cleo": ["Late names"], "Zoe": ["Late names"]}
    assert {name for name, one in said.items() if one.get("coded")} == {"Ben"}
    assert [what for what, _ in world.persona_engine.asked].count("code") == 1
    path = f"/studies/{panel.study_id}/messages/{last}/codes"
    back = await world.client().put(path, json={**hand, "value": None})
    assert ([one["label"] for one in back.json()["codes"]], back.json().get("coded")) == (["Late names"], None)


async def test_a_code_by_hand_is_taken_back_to_what_a_split_made_of_it(world: World) -> None:
    panel, question_id = await coded_panel(world)
    path, mind = f"/studies/{panel.study_id}/messages/{question_id}/codes", panel.minds["Ada"]

    await world.client().put(path, json={"mindId": mind, "value": "Other"})
    moved = {"mindIds": [panel.minds["Ben"]], "words": ["am"]}
    await revise(world, panel, question_id, action="split", themes=["early"], label="Being", **moved)
    back = await world.client().put(path, json={"mindId": mind, "value": None})

    assert [one["label"] for one in back.json()["codes"]] == ["Being"]


async def test_what_was_coded_without_the_model_is_coded_by_it_when_it_is_there_again(world: World) -> None:
    async def makeshift(texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        codes = (Code("words", "I am"),)
        return Coded(codes, dict.fromkeys(texts, Coding({"words": "I am"})), "embeddings")

    world.persona_engine.on_code = makeshift
    panel = await make_panel(world.engine, {"All": ["Ada", "Ben", "Zoe"]})
    asked = []
    for words in ("I am {}.", "I am {}, say {}."):
        world.persona_engine.words = words
        asked.append(await queue(world, panel, "Why tea?"))
        await world.ask_all()

    world.persona_engine.on_code = by_word
    asked.append(await queue(world, panel, "Why tea?"))
    await world.ask_all()

    for output in [await output_of(world, panel, one) for one in asked]:
        assert output["codebookMethod"] == "model"
        assert {one["stance"] for one in output["audiences"][0]["answers"]} == {"agrees"}
        assert counts(output) == {"Early names": 2, "Late names": 1}


async def test_an_answer_with_a_code_of_no_codebook_keeps_nobody_from_reading_the_panel(world: World) -> None:
    panel, question_id = await coded_panel(world)
    async with world.engine.begin() as connection:
        await write_codings(connection, question_id, {panel.minds["Ada"]: Coding({"ghost": ""}, "agrees")})

    assert counts(await output_of(world, panel, question_id)) == {"Early names": 2, "Late names": 1}


@pytest.mark.both_databases
async def test_who_spoke_before_of_what_is_a_new_code_has_it_in_every_asking(world: World) -> None:
    early, late = Code("early", "Early names"), Code("late", "Late names")

    async def knows_early(texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        codings = {
            mind: Coding({OTHER: ""} if "Zoe" in text else {"early": "I am"}, "agrees") for mind, text in texts.items()
        }
        return Coded((early,), codings, "model")

    async def adds_late(texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        meant = {"Ada": "late", "Zoe": "late", "Cleo": "early"}
        named = {mind: next(meant[name] for name in meant if name in text) for mind, text in texts.items()}
        codings = {mind: Coding({one: "I am"}, "agrees") for mind, one in named.items()}
        return Coded((early, late), codings, "model")

    panel = await make_panel(world.engine, {"A": ["Ada", "Zoe"], "B": ["Cleo"]})
    asked = []
    for coder, groups in ((knows_early, ["A"]), (adds_late, ["A", "B"])):
        world.persona_engine.on_code = coder
        asked.append(await queue(world, panel, "Why tea?", audienceIds=[panel.audiences[one] for one in groups]))
        await world.ask_all()

    first, second = [counts(await output_of(world, panel, one)) for one in asked]
    assert first == {"Early names": 1, "Late names": 2}
    assert second == {"Early names": 2, "Late names": 2}


async def test_where_the_model_is_away_when_there_is_a_new_code_nothing_new_is_coded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    async def then_away(texts: Mapping[str, str], known: Sequence[Code]) -> Coded:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise EngineUnavailable("down", retryable=False, kind="failed", status=503, host="llm.example")
        code = Code(f"c{calls}", f"Code {calls}")
        return Coded((*known, code), dict.fromkeys(texts, Coding({code.id: ""}, "agrees")), "model")

    monkeypatch.setattr(Embedder, "installed", lambda: None)
    world.persona_engine.on_code = then_away
    panel = await make_panel(world.engine, {"A": ["Ada", "Zoe"], "B": ["Cleo"]})
    asked = []
    for groups in (["A"], ["A", "B"]):
        asked.append(await queue(world, panel, "Why tea?", audienceIds=[panel.audiences[one] for one in groups]))
        await world.ask_all()

    first, second = [await output_of(world, panel, one) for one in asked]
    assert counts(first) == counts(second) == {"Code 1": 2}
    assert [group["uncoded"] for group in second["audiences"]] == [0, 1]
    assert second["codingFailure"]


@pytest.mark.parametrize(
    "body",
    [
        {"action": "merge", "themes": ["early"]},
        {"action": "merge", "themes": ["early", "ghost"], "label": "X"},
        {"action": "rename", "themes": ["early"]},
        {"action": "rename", "themes": ["early"], "label": "late NAMES"},
        {"action": "rename", "themes": ["early"], "label": "Other"},
        {"action": "rename", "themes": ["early", "late"], "label": "X"},
        {"action": "split", "themes": ["early"], "label": "X"},
        {"action": "split", "themes": ["early"], "label": "X", "mindIds": ["00000000-0000-4000-8000-000000000000"]},
        {"action": "split", "themes": ["early"], "label": "Early names"},
    ],
)
async def test_a_revision_that_cannot_be_is_refused_and_changes_nothing(world: World, body: dict[str, Any]) -> None:
    panel, question_id = await coded_panel(world)
    before = await output_of(world, panel, question_id)

    refused = await revise(world, panel, question_id, **body)

    assert (refused.status_code, refused.json()["data"]["code"]) == (400, "INVALID_REVISION")
    assert await output_of(world, panel, question_id) == before


async def test_only_the_owner_revises_and_only_what_is_coded_and_answered(world: World) -> None:
    panel, question_id = await coded_panel(world)
    world.persona_engine.on_code = None
    uncoded = await queue(world, panel, "Why coffee?")
    await world.ask_all()
    waiting = await queue(world, panel, "Why water?")
    body: dict[str, Any] = {"action": "rename", "themes": ["early"], "label": "X"}

    path = f"/studies/{panel.study_id}/messages/{question_id}/codebook"
    stranger = await world.client("bob").post(path, json=body)

    assert stranger.status_code == 404
    assert (await revise(world, panel, uncoded, **body)).status_code == 400
    assert (await revise(world, panel, waiting, **body)).status_code == 409


async def test_a_coder_that_fails_costs_nobody_the_answers(world: World) -> None:
    faults: list[Exception] = [EngineUnavailable("down", retryable=False), ZeroDivisionError()]

    async def fails(_texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        raise faults.pop()

    panel = await make_panel(world.engine, {"Old": ["Ada", "Ben"]})
    world.persona_engine.on_code = fails
    while faults:
        question_id = await queue(world, panel, "Why tea?")
        await world.ask_all()

        question, answers = await stored(world.engine, question_id)
        assert (question.status, question.codebook) == ("completed", None)
        assert {answer.status for answer in answers} == {"answered"}


async def test_where_nothing_codes_what_is_new_who_says_the_same_is_coded_as_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        raise EngineUnavailable("down", retryable=False, kind="failed", status=500, host="llm.example")

    async def changed(persona: Mind, _question: SurveyQuestion) -> None:
        world.persona_engine.words = "I am {}, and new." if persona.name == "Ada" else "I am {} and say {}."

    monkeypatch.setattr(Embedder, "installed", lambda: None)
    world.persona_engine.words = "I am {} and say {}."
    panel, _ = await coded_panel(world)
    world.persona_engine.on_code, world.persona_engine.on_survey = fails, changed
    again = await queue(world, panel, "Why tea?")
    await world.ask_all()

    output = await output_of(world, panel, again)
    said = {one["persona"]: one for group in output["audiences"] for one in group["answers"]}
    assert {name: one["status"] for name, one in said.items()} == {
        "Ada": "uncoded",
        "Ben": "answered",
        "Cleo": "answered",
        "Zoe": "answered",
    }
    assert counts(output) == {"Early names": 2, "Late names": 1}
    assert "(the language model at llm.example answers 500: it is out of order): Ada" in str(result_of(output).caveats)

    world.persona_engine.on_code = by_word
    await queue(world, panel, "Why tea?")
    await world.ask_all()

    output = await output_of(world, panel, again)
    assert counts(output) == {"Early names": 3, "Late names": 1}
    assert output.get("codingFailure") is None


async def test_asking_again_codes_what_an_outage_left_uncoded_but_not_what_a_person_coded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_texts: Mapping[str, str], _known: Sequence[Code]) -> Coded:
        raise EngineUnavailable("down", retryable=False, kind="failed", status=503, host="llm.example")

    monkeypatch.setattr(Embedder, "installed", lambda: None)
    world.persona_engine.on_code = fails
    panel = await make_panel(world.engine, {"All": ["Ada", "Ben", "Zoe"]})
    first, second = [await queue(world, panel, "Why tea?") for _ in range(2)]
    await world.ask_all()
    path, mind = f"/studies/{panel.study_id}/messages/{second}/codes", panel.minds["Zoe"]
    await world.client().put(path, json={"mindId": mind, "value": "Tea"})
    by_hand = await output_of(world, panel, second)

    world.persona_engine.on_code = by_word
    again = await queue(world, panel, "Why tea?")
    await world.ask_all()

    outputs = [await output_of(world, panel, one) for one in (first, again)]
    assert [counts(output) for output in outputs] == [{"Early names": 2, "Late names": 1}] * 2
    assert [output.get("codingFailure") for output in outputs] == [None, None]
    assert await output_of(world, panel, second) == by_hand


async def test_codes_of_parts_that_nobody_merged_are_none() -> None:
    async def complete(messages: Sequence[Mapping[str, str]], **_: Any) -> str:
        codings = [
            {"n": int(n), "codes": [{"code": "x", "quote": ""}]} for n, *_ in ANSWER.findall(messages[1]["content"])
        ]
        return json.dumps({"codes": [{"id": "x", "label": "Price"}], "answers": codings}) if codings else "hello"

    endpoint = Endpoint()
    endpoint.complete = complete  # type: ignore[method-assign]  # a model that does not merge

    with pytest.raises(EngineUnavailable, match="merge"):
        await write_codebook(endpoint, "Why?", {f"m{n}": f"it is {n}" for n in range(1, 131)}, [])


async def test_many_answers_are_coded_in_batches_whose_codes_are_merged_by_one_more_call() -> None:
    asked: list[str] = []

    async def complete(messages: Sequence[Mapping[str, str]], *, long: int = 1, **_: Any) -> str:
        asked.append(messages[0]["content"])
        answers = ANSWER.findall(messages[1]["content"])
        if not answers:
            listed = LISTED.findall(messages[1]["content"])
            groups = {word: [one for one, label in listed if word in label] for word in ("Price", "Speed")}
            return json.dumps({"codes": [{"label": label, "codes": ids} for label, ids in groups.items()]})
        codes = [{"id": word, "label": f"{word} {len(asked)}"} for word in ("Price", "Speed")]
        marks = [(int(number), "Price" if int(number) % 2 else "Speed") for number, _, _ in answers]
        codings = [{"n": n, "codes": [{"code": code, "quote": "it"}], "stance": "neither"} for n, code in marks]
        assert long > len(answers) // 20
        return json.dumps({"codes": codes, "answers": codings})

    endpoint = Endpoint()
    endpoint.complete = complete  # type: ignore[method-assign]  # a model that follows a rule
    coded = await write_codebook(endpoint, "Why?", {f"m{n}": f"it is {n}" for n in range(1, 231)}, [])

    assert len(asked) == 4
    assert [code.label for code in coded.codes] == ["Price", "Speed"]
    assert len(coded.codings) == 230
    price = coded.codes[0].id
    assert all((price in each.codes) is (int(mind[1:]) % 2 == 1) for mind, each in coded.codings.items())


@pytest.mark.parametrize(("words", "is_shown"), [(30_000, True), (130_000, False)])
async def test_an_answer_is_coded_to_its_end_unless_all_together_are_too_long(words: int, is_shown: bool) -> None:
    async def complete(messages: Sequence[Mapping[str, str]], **_: Any) -> str:
        said = [(int(n), "dear" in text) for n, _, text in ANSWER.findall(messages[1]["content"])]
        marks = {n: {"code": "x", "quote": "dear"} if found else {"code": "other"} for n, found in said}
        codings = [{"n": n, "codes": [mark], "stance": "neither"} for n, mark in marks.items()]
        return json.dumps({"codes": [{"id": "x", "label": "Price"}], "answers": codings})

    endpoint = Endpoint()
    endpoint.complete = complete  # type: ignore[method-assign]  # a model that follows a rule

    coded = await write_codebook(endpoint, "Why?", {"Ada": "x" * words + " dear", "Ben": "dear"}, [])

    assert ("other" not in coded.codings["Ada"].codes) is is_shown
    assert "other" not in coded.codings["Ben"].codes
