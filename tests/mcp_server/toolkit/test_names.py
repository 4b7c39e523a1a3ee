"""A name means one object, or the caller is told which ones it could mean."""

from operator import itemgetter

import pytest

from mcp_server.errors import Ambiguous, NotFound
from mcp_server.toolkit.names import Kind, labels, meant

PANELS = [{"id": "1", "name": "Pricing"}, {"id": "2", "name": "Onboarding"}, {"id": "3", "name": "onboarding"}]
PANEL = Kind("panel", "list_panels")
NAME, ID = itemgetter("name"), itemgetter("id")


@pytest.mark.parametrize("wanted", ["Pricing", "pricing", "  pricing ", "Pricng"])
def test_a_name_is_found_whatever_its_case_and_with_a_slip(wanted: str) -> None:
    assert meant(PANEL, wanted, PANELS, name=NAME, id=ID) == PANELS[0]


def test_a_shared_name_is_told_apart_by_ids() -> None:
    with pytest.raises(Ambiguous) as caught:
        meant(PANEL, "ONBOARDING", PANELS, name=NAME, id=ID)

    assert caught.value.details["suggestions"] == ["Onboarding (id 2)", "onboarding (id 3)"]


def test_an_unknown_name_comes_with_the_nearest_ones() -> None:
    with pytest.raises(NotFound) as caught:
        meant(PANEL, "Price test", PANELS, name=NAME, id=ID)

    assert caught.value.details["suggestions"] == ["Pricing"]


def test_labels_have_an_id_only_where_a_name_is_shared() -> None:
    twins = [{"id": "1", "name": "A"}, {"id": "2", "name": "A"}, {"id": "3", "name": "B"}]

    assert labels(twins, name=NAME, id=ID) == ["A (id 1)", "A (id 2)", "B"]
