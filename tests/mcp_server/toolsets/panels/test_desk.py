"""A wish becomes an ask: what overrides the understanding must fit together, and groups are those of the panel.

The same wish is under way once, whichever process began it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from mcp_server.errors import InvalidArguments, NotFound
from mcp_server.toolsets.panels._asking import Asking
from mcp_server.toolsets.panels._askings import Askings
from mcp_server.toolsets.panels._desk import Wish, groups_of, put
from mcp_server.toolsets.panels._studies import Panel
from mcp_server.toolsets.panels._study import AskedQuestion, Group, Member, Study
from mcp_server.toolsets.panels._transcript import Entry
from mcp_server.toolsets.panels._wire import UNDERSTOOD_AS_TEXT, Classification
from tests.mcp_server.toolsets.panels.spoken import SpokenApi
from tests.mcp_server.toolsets.panels.test_asking import no_pause
from tests.mcp_server.toolsets.panels.test_asking import studies as opened
from tests.mcp_server.toolsets.panels.world import id_of

OWNERS = Group(id_of("Owners"), "Owners", (Member("m", "Mia"),))
GUESTS = Group(id_of("Guests"), "Guests", (Member("z", "Zoe"),))
PANEL = Panel(Study("p", "Pricing", (OWNERS, GUESTS)), ())


@pytest.mark.parametrize(
    "wish",
    [
        Wish("?", type="qualitative", scale=(1, 5)),
        Wish("?", type="scale", options=("a", "b")),
        Wish("?", scale=(1, 5), options=("a", "b")),
    ],
)
def test_what_contradicts_itself_is_refused(wish: Wish) -> None:
    with pytest.raises(InvalidArguments):
        wish.check()


@pytest.mark.parametrize(
    ("wish", "told"),
    [
        (Wish("?"), None),
        (Wish("?", scale=(1, 7)), {"type": "scale", "scaleRange": [1, 7]}),
        (Wish("?", options=("a", "b")), {"type": "categorical", "options": ["a", "b"]}),
        (Wish("?", type="multiselect", options=("a", "b")), {"type": "multiselect", "options": ["a", "b"]}),
        (Wish("?", type="qualitative"), {"type": "qualitative"}),
    ],
)
def test_the_kind_follows_from_what_is_given(wish: Wish, told: object) -> None:
    assert wish.classification() == told


def test_the_body_holds_only_what_was_said() -> None:
    assert Wish("Why?").body([OWNERS], "r", everyone=True) == {"question": "Why?", "clientRequestId": "r"}


def test_without_a_choice_all_groups_are_asked() -> None:
    assert groups_of(PANEL, ()) == [OWNERS, GUESTS]


def test_a_group_is_chosen_by_name_or_id_once() -> None:
    assert groups_of(PANEL, ("guests", id_of("Guests"))) == [GUESTS]


def test_a_group_of_another_panel_is_refused_with_those_of_this_one() -> None:
    with pytest.raises(NotFound) as caught:
        groups_of(PANEL, (id_of("Elsewhere"),))

    assert caught.value.details["suggestions"] == ["Owners", "Guests"]


LINK = ({"url": "https://example.com/"},)


def running(wish: Wish, understood: Classification = UNDERSTOOD_AS_TEXT) -> Asking:
    body = wish.body([OWNERS, GUESTS], "r", everyone=True)
    return Asking("p", body, [OWNERS, GUESTS], understood=understood)


@pytest.mark.parametrize("again", [Wish("Why?"), Wish("Why?", scale=(1, 5)), Wish("Why?", scale=(1, 5), links=LINK)])
def test_what_is_left_out_when_asking_again_fits_anything(again: Wish) -> None:
    assert again.is_of(running(Wish("Why?", scale=(1, 5), links=LINK)))


@pytest.mark.parametrize("other", [Wish("Why?", scale=(1, 7)), Wish("Why?", options=("a", "b"))])
def test_another_understanding_is_another_question(other: Wish) -> None:
    assert not other.is_of(running(Wish("Why?", scale=(1, 5))))


def test_other_material_is_another_question() -> None:
    assert not Wish("Why?", links=LINK).is_of(running(Wish("Why?")))


def test_what_the_words_said_already_may_be_said_again() -> None:
    one = running(Wish("Why?"), Classification("categorical", None, ("Red", "Blue")))

    assert Wish("Why?", options=("blue", " RED ")).is_of(one)
    assert not Wish("Why?", options=("blue", "green")).is_of(one)


@asynccontextmanager
async def desk(api: SpokenApi) -> AsyncIterator[Askings]:
    async with opened(api) as studies:
        askings = Askings(studies, pause=no_pause)
        yield askings
        await askings.close()


def entry(status: str, **more: object) -> Entry:
    asked = AskedQuestion("q", "Why?", "qualitative", groups=("Owners", "Guests"), status=status, **more)  # type: ignore[arg-type]  # one of the words
    return Entry(asked, frozenset({"q"}), None, "q", 2)


async def test_two_processes_ask_the_same_under_one_id(api: SpokenApi) -> None:
    async with desk(api) as one, desk(api) as other:
        first, _ = put(one, "ada", PANEL, Wish("Why?", links=LINK))
        second, _ = put(other, "ada", PANEL, Wish("Why?", links=LINK))

        assert first.request_id == second.request_id


@pytest.mark.parametrize(
    ("panel", "wish"),
    [
        (PANEL, Wish("Why not?")),
        (PANEL, Wish("Why?", scale=(1, 5))),
        (PANEL, Wish("Why?", groups=("Owners",))),
        (Panel(PANEL.study, (entry("completed"),)), Wish("Why?")),
    ],
)
async def test_another_question_and_a_fresh_measurement_have_an_id_of_their_own(
    api: SpokenApi, panel: Panel, wish: Wish
) -> None:
    async with desk(api) as askings:
        first, _ = put(askings, "ada", PANEL, Wish("Why?"))
        second, resumed = put(askings, "ada", panel, wish) if wish != Wish("Why?") else put(askings, "bob", panel, wish)

        assert (first.request_id == second.request_id, resumed) == (False, False)


async def test_an_unfinished_question_is_taken_up_only_when_it_is_understood_as_wished(api: SpokenApi) -> None:
    panel = Panel(PANEL.study, (entry("processing"),))
    async with desk(api) as askings:
        same, same_resumed = put(askings, "ada", panel, Wish(" why? "))
        other, other_resumed = put(askings, "bob", panel, Wish("Why?", scale=(1, 5)))

        assert (other_resumed, same_resumed, same.request_id) == (False, True, "q")
        assert other.request_id != "q"
        assert same.body["question"] == "Why?"


async def test_a_question_that_is_read_here_already_is_not_taken_up_a_second_time(api: SpokenApi) -> None:
    panel = Panel(PANEL.study, (entry("processing"),))
    async with desk(api) as askings:
        put(askings, "ada", panel, Wish("Why?"))
        again, resumed = put(askings, "ada", panel, Wish("Why?", links=LINK))

        assert not resumed
        assert again.request_id != "q"
