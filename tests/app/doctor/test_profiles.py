"""The facts about the clients hang together."""

import pytest

from app.doctor import addresses
from app.doctor.profiles import NAMES, PROFILES, Profile, Way, chosen


def test_names_are_unique_and_none_means_all() -> None:
    assert len(set(NAMES)) == len(PROFILES)
    assert chosen(()) == PROFILES
    assert [one.name for one in chosen(("vscode", "claude"))] == ["claude", "vscode"]


@pytest.mark.parametrize("client", PROFILES, ids=lambda one: one.name)
def test_a_client_can_do_what_its_ways_say(client: Profile) -> None:
    assert bool(client.document) == (Way.DOCUMENT in client.ways)
    assert bool(client.registration) == (Way.DYNAMIC in client.ways)
    assert client.body["redirect_uris"] == list(client.redirects)


@pytest.mark.parametrize("client", PROFILES, ids=lambda one: one.name)
def test_hosted_clients_come_back_to_their_maker_and_local_ones_to_loopback(client: Profile) -> None:
    assert addresses.is_loopback(client.redirects[0]) is not client.hosted
    assert not client.moved_redirect or addresses.is_loopback(client.moved_redirect)
