"""A request becomes a job: its overrides must fit together, and its groups are those of the panel.

The same question is under way once, whichever process began it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from mcp_server.errors import InvalidArguments, NotFound
from mcp_server.toolsets.panels._ask.job import AskJob
from mcp_server.toolsets.panels._ask.planner import AskRequest, groups_of, plan, request_ids
from mcp_server.toolsets.panels._ask.runner import AskJobs
from mcp_server.toolsets.panels._minds.studies import Panel
from mcp_server.toolsets.panels._minds.transcript import Entry
from mcp_server.toolsets.panels._minds.wire import UNDERSTOOD_AS_TEXT, Classification
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Member, Study
from tests.mcp_server.toolsets.panels._ask.test_job import no_pause
from tests.mcp_server.toolsets.panels._ask.test_job import studies as opened
from tests.mcp_server.toolsets.panels.world import id_of
from tests.support import FakeApi

OWNERS = Group(id_of("Owners"), "Owners", (Member("m", "Mia"),))
GUESTS = Group(id_of("Guests"), "Guests", (Member("z", "Zoe"),))
PANEL = Panel(Study("p", "Pricing", (OWNERS, GUESTS)), ())


@pytest.mark.parametrize(
    "ask",
    [
        {"type": "qualitative", "scale": (1, 5)},
        {"type": "scale", "options": ("a", "b")},
        {"scale": (1, 5), "options": ("a", "b")},
    ],
)
def test_what_contradicts_itself_is_refused(ask: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments):
        AskRequest("?", **ask)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (AskRequest("?"), None),
        (AskRequest("?", scale=(1, 7)), {"type": "scale", "scaleRange": [1, 7]}),
        (AskRequest("?", options=("a", "b")), {"options": ["a", "b"]}),
        (AskRequest("?", type="multiselect", options=("a", "b")), {"type": "multiselect", "options": ["a", "b"]}),
        (AskRequest("?", type="qualitative"), {"type": "qualitative"}),
    ],
)
def test_the_kind_follows_from_what_is_given(ask: AskRequest, told: object) -> None:
    assert ask.classification() == told


def test_a_group_is_chosen_by_name_or_id_once() -> None:
    assert groups_of(PANEL, AskRequest("Why?", ("guests", id_of("Guests")))) == [GUESTS]


def test_a_group_of_another_panel_is_refused_with_those_of_this_one() -> None:
    with pytest.raises(NotFound) as caught:
        groups_of(PANEL, AskRequest("Why?", (id_of("Elsewhere"),)))

    assert caught.value.details["suggestions"] == ["Owners", "Guests"]


LINK = ({"url": "https://example.com/"},)


def running(ask: AskRequest, understood: Classification = UNDERSTOOD_AS_TEXT) -> AskJob:
    body = ask.body([OWNERS, GUESTS], "r", everyone=True)
    return AskJob("p", body, [OWNERS, GUESTS], understood=understood)


@pytest.mark.parametrize(
    "again", [AskRequest("Why?"), AskRequest("Why?", scale=(1, 5)), AskRequest("Why?", scale=(1, 5), links=LINK)]
)
def test_what_is_left_out_when_asking_again_fits_anything(again: AskRequest) -> None:
    assert again.is_answered_by(running(AskRequest("Why?", scale=(1, 5), links=LINK)))


@pytest.mark.parametrize(
    "other",
    [
        AskRequest("Why?", scale=(1, 7)),
        AskRequest("Why?", options=("a", "b")),
        AskRequest("Why?", scale=(1, 5), follows="another wave"),
        AskRequest("Why?", scale=(1, 5), history="none"),
    ],
)
def test_another_understanding_is_another_question(other: AskRequest) -> None:
    assert not other.is_answered_by(running(AskRequest("Why?", scale=(1, 5))))


@asynccontextmanager
async def opened_jobs(api: FakeApi) -> AsyncIterator[AskJobs]:
    async with opened(api) as studies:
        jobs = AskJobs(studies, pause=no_pause)
        yield jobs
        await jobs.close()


def planned(jobs: AskJobs, owner: str, panel: Panel, ask: AskRequest) -> tuple[AskJob, bool]:
    return plan(jobs, owner, panel, ask, request_ids(panel, [ask])[0])


def entry(status: str, request_id: str | None = "q") -> Entry:
    asked = AskedQuestion("q", "Why?", "qualitative", groups=("Owners", "Guests"), status=status)  # type: ignore[arg-type]  # one of the words
    return Entry(asked, frozenset({request_id or "q"}), None, request_id, 2)


async def test_two_processes_ask_the_same_under_one_id(api: FakeApi) -> None:
    async with opened_jobs(api) as one, opened_jobs(api) as other:
        first, _ = planned(one, "ada", PANEL, AskRequest("Why?", links=LINK))
        second, _ = planned(other, "ada", PANEL, AskRequest("Why?", links=LINK))

        assert first.request_id == second.request_id


@pytest.mark.parametrize(
    "ask", [AskRequest("Why not?"), AskRequest("Why?", scale=(1, 5)), AskRequest("Why?", groups=("Owners",))]
)
async def test_another_question_has_an_id_of_its_own(api: FakeApi, ask: AskRequest) -> None:
    async with opened_jobs(api) as jobs:
        first, _ = planned(jobs, "ada", PANEL, AskRequest("Why?"))
        second, resumed = planned(jobs, "ada", PANEL, ask)

        assert (first.request_id == second.request_id, resumed) == (False, False)


STUDY = [AskRequest("What?"), AskRequest("Why?")]
FIRST_IDS = request_ids(PANEL, STUDY)


@pytest.mark.parametrize(
    ("entries", "is_same"),
    [
        ([entry("completed", FIRST_IDS[0])], True),
        ([entry("completed", FIRST_IDS[0]), entry("processing", FIRST_IDS[1])], True),
        ([entry("completed", FIRST_IDS[0]), entry("completed", "somebody else's")], True),
        ([entry("completed", FIRST_IDS[0]), entry("completed", FIRST_IDS[1])], False),
        ([entry("failed", FIRST_IDS[1])], False),
        ([entry("completed", None)], False),
    ],
)
def test_a_study_keeps_its_ids_until_its_last_question_has_ended(entries: list[Entry], is_same: bool) -> None:
    assert (request_ids(Panel(PANEL.study, tuple(entries)), STUDY) == FIRST_IDS) is is_same


@pytest.mark.parametrize("other", [STUDY[:1], STUDY[::-1], [*STUDY, AskRequest("When?")]])
def test_no_two_studies_share_an_id(other: list[AskRequest]) -> None:
    assert len({*FIRST_IDS, *request_ids(PANEL, other)}) == len(STUDY) + len(other)


async def test_a_question_that_has_ended_is_taken_up_and_not_sent_again(api: FakeApi) -> None:
    panel = Panel(PANEL.study, (entry("completed", FIRST_IDS[1]),))
    async with opened_jobs(api) as jobs:
        job, resumed = plan(jobs, "ada", panel, STUDY[1], FIRST_IDS[1])

        assert (job.request_id, job.can_stream, resumed) == (FIRST_IDS[1], False, True)


async def test_an_unfinished_question_is_taken_up_only_when_it_is_understood_as_wished(api: FakeApi) -> None:
    panel = Panel(PANEL.study, (entry("processing"),))
    async with opened_jobs(api) as jobs:
        same, same_resumed = planned(jobs, "ada", panel, AskRequest(" why? "))
        other, other_resumed = planned(jobs, "bob", panel, AskRequest("Why?", scale=(1, 5)))

        assert (other_resumed, same_resumed, same.request_id) == (False, True, "q")
        assert other.request_id != "q"
        assert same.body["question"] == "Why?"


async def test_a_question_that_is_read_here_already_is_not_taken_up_a_second_time(api: FakeApi) -> None:
    panel = Panel(PANEL.study, (entry("processing"),))
    async with opened_jobs(api) as jobs:
        planned(jobs, "ada", panel, AskRequest("Why?"))
        again, resumed = planned(jobs, "ada", panel, AskRequest("Why?", links=LINK))

        assert not resumed
        assert again.request_id != "q"
