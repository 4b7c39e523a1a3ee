"""What the page shows is plain words."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.account.shown import TITLES, Line, badges, key_values, shown_line
from app.internal_api.resources.table import operations
from oauth.activity import Happening
from oauth.models import ApiKey, OwnedKey, User
from oauth.primitives.scopes import ALL

AT = datetime(2026, 3, 5, 7, 9, tzinfo=UTC)
OWNER = User("u", "ada@example.com", AT)
KEY = ApiKey("key_1", "u", "laptop", "minds_1111", "1111", "digest", ALL, AT)


def test_events_are_told_in_words_and_failures_by_their_name() -> None:
    events = [
        Happening(AT, "tool:ask_panel", "c", "timeout"),
        Happening(AT, "api:deleteMind", "c", "404"),
        Happening(AT, "signed_in", None, "ok"),
        Happening(AT, "something_new", None, "ok"),
    ]

    shown = [shown_line(Line(event, event.at), {}) for event in events]

    assert [(one["what"], one["by"], one["outcome"]) for one in shown] == [
        ("Used ask_panel", "c", "timeout"),
        ("Deleted a persona", "c", "404"),
        ("Signed in", None, None),
        ("something_new", None, None),
    ]


def test_every_change_through_the_api_has_its_words() -> None:
    assert set(TITLES["operations"]) == {operation.id for operation in operations() if operation.method != "GET"}


def test_a_key_with_a_successor_is_told_from_it_and_can_only_be_revoked() -> None:
    old = replace(KEY, expires_at=AT + timedelta(days=1))
    new = replace(KEY, id="key_2", rotated_from=old.id)

    told = key_values([OwnedKey(key, OWNER) for key in (new, old)], AT)

    assert [(key["state"], key["rotates"], key["revokes"]) for key in told] == [
        ("active", True, True),
        ("replaced", False, True),
    ]


def test_a_key_that_has_ended_is_told_so_whatever_came_after_it() -> None:
    revoked = OwnedKey(replace(KEY, revoked_at=AT), OWNER)
    successor = OwnedKey(replace(KEY, id="key_2", rotated_from=KEY.id, expires_at=AT), OWNER)

    told = key_values([successor, revoked], AT)

    assert [(key["state"], key["rotates"], key["revokes"]) for key in told] == [
        ("expired", False, False),
        ("revoked", False, False),
    ]


def test_an_app_is_told_by_the_name_that_it_had_then() -> None:
    events = [Happening(AT, "app_allowed", "c", "ok", "Cursor, as it was"), Happening(AT, "tool:ask_panel", "c", "ok")]

    told = [shown_line(Line(event, event.at), {"c": "Cursor"})["by"] for event in events]

    assert told == ["Cursor, as it was", "Cursor"]


def test_what_an_app_may_do_is_told_shortly_and_in_a_sentence() -> None:
    assert [badge["name"] for badge in badges(ALL)] == [
        "See personas",
        "Change personas",
        "Talk to personas",
        "See panels",
        "Ask and change panels",
        "Search documentation",
        "Change articles",
    ]
    assert badges(frozenset({"docs:read"})) == [{"name": "Search documentation", "words": "Search the documentation"}]
