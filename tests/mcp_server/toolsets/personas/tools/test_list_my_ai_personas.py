"""The list shows the caller's personas, finds them by what was meant, and says what it leaves out."""

import httpx2
import pytest

from tests.mcp_server.toolsets.personas.world import call, id_of, listing, listing_of, summary
from tests.support import ADA, BOB, ERAS, Era, FakeApi, Reply, serve, text_of


@pytest.mark.requirement("seed:gateway:list")
@pytest.mark.parametrize("era", ERAS)
async def test_the_list_has_every_persona_with_its_id(api: FakeApi, era: Era) -> None:
    api.answers["GET /minds"] = listing(
        [
            summary("Ada", discipline="Computing", description="Wrote the first program", tags=["maths"], future=1),
            summary("Bob", type="user", discipline="Bob"),
        ]
    )

    result = await call(api, "list_my_ai_personas", {}, ADA, era)
    assert result.structured_content == {
        "personas": [
            {
                "id": id_of("Ada"),
                "name": "Ada",
                "discipline": "Computing",
                "type": "expert",
                "description": "Wrote the first program",
                "createdAt": "2026-11-20T09:00:00.000Z",
                "tags": ["maths"],
                "status": None,
            },
            {
                "id": id_of("Bob"),
                "name": "Bob",
                "discipline": "Bob",
                "type": "user",
                "description": None,
                "createdAt": "2026-11-20T09:00:00.000Z",
                "tags": [],
                "status": None,
            },
        ],
        "total": 2,
        "searchQuery": None,
        "approximate": False,
        "untrusted": ["$.personas"],
    }
    assert text_of(result) == (
        "You have 2 AI personas:\n"
        f"- Ada (Computing, expert) [id {id_of('Ada')}]\n  > Wrote the first program\n"
        f"- Bob (user) [id {id_of('Bob')}]"
    )
    assert [str(asked.url) for asked in api.asked] == ["http://api.test/api/v1/minds?limit=100&offset=0"]


@pytest.mark.requirement("seed:gateway:tool-uses-callers-credential")
async def test_two_callers_are_shown_to_the_internal_api_each_by_their_own_key(api: FakeApi) -> None:
    owned = {"Bearer minds_ada": "Ada's own", "Bearer minds_bob": "Bob's own"}
    api.answers["GET /minds"] = lambda request: listing_of(owned[request.headers["authorization"]])

    async with serve(api) as gateway, gateway.connect(ADA) as ada, gateway.connect(BOB) as bob:
        of_ada = await ada.call_tool("list_my_ai_personas", {})
        of_bob = await bob.call_tool("list_my_ai_personas", {})

    assert "Ada's own" in text_of(of_ada)
    assert "Bob's own" in text_of(of_bob)
    assert [asked.headers["authorization"] for asked in api.asked] == list(owned)


async def test_as_many_pages_are_read_as_are_shown_and_all_are_counted(api: FakeApi) -> None:
    names = [f"Persona {number}" for number in range(230)]

    def page(request: httpx2.Request) -> Reply:
        offset = int(request.url.params["offset"])
        return listing([summary(name) for name in names[offset : offset + 100]], total=230, offset=offset)

    api.answers["GET /minds"] = page

    result = await call(api, "list_my_ai_personas", {})
    assert result.structured_content is not None
    assert result.structured_content["total"] == 230
    assert len(result.structured_content["personas"]) == 200
    assert "... and 30 more; narrow them down with searchQuery." in text_of(result)
    assert [asked.url.params["offset"] for asked in api.asked] == ["0", "100"]


async def test_a_search_is_the_internal_apis_with_fitting_names_first(api: FakeApi) -> None:
    api.answers["GET /minds"] = listing(
        [summary("Bob", description="knows Ada"), summary("Ada Lovelace"), summary("Ada")]
    )

    result = await call(api, "list_my_ai_personas", {"searchQuery": " ada "})
    assert result.structured_content is not None
    assert [row["name"] for row in result.structured_content["personas"]] == ["Ada", "Ada Lovelace", "Bob"]
    assert result.structured_content["approximate"] is False
    assert text_of(result).startswith('3 AI personas for "ada":')
    assert [asked.url.params.get("search") for asked in api.asked] == ["ada"]


@pytest.mark.requirement("seed:gateway:list-fuzzy")
async def test_a_misspelled_search_finds_the_nearest_names(api: FakeApi) -> None:
    api.answers["GET /minds"] = lambda request: (
        listing([]) if "search" in request.url.params else listing_of("Grace Hopper", "Ada Lovelace")
    )

    result = await call(api, "list_my_ai_personas", {"searchQuery": "lovelase"})
    assert result.structured_content is not None
    assert [row["name"] for row in result.structured_content["personas"]] == ["Ada Lovelace"]
    assert result.structured_content["approximate"] is True
    assert text_of(result).startswith('Nothing contains "lovelase"; nearest to it, 1 AI persona:')


@pytest.mark.parametrize(
    ("arguments", "names", "said"),
    [({"searchQuery": "zzzz"}, ["Ada"], "without searchQuery"), ({}, [], "create_ai_persona_or_digital_twin")],
)
async def test_an_empty_list_says_what_to_do(
    api: FakeApi, arguments: dict[str, str], names: list[str], said: str
) -> None:
    api.answers["GET /minds"] = lambda request: listing_of(*([] if "search" in request.url.params else names))

    result = await call(api, "list_my_ai_personas", arguments)

    assert (result.structured_content or {})["personas"] == []
    assert said in text_of(result)


@pytest.mark.parametrize("arguments", [{}, {"searchQuery": ""}, {"searchQuery": "   "}, {"searchQuery": None}])
async def test_an_empty_search_lists_everything(api: FakeApi, arguments: dict[str, str | None]) -> None:
    api.answers["GET /minds"] = listing_of("Ada")

    result = await call(api, "list_my_ai_personas", arguments)
    assert result.structured_content is not None
    assert result.structured_content["searchQuery"] is None
    assert "search" not in api.asked[0].url.params
