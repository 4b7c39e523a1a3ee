"""A group of minds as it is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.internal_api.models.audiences import AddMembers, ChangeAudience, CreateAudience, once, some


@given(st.lists(st.sampled_from("abc")).map(tuple))
def test_each_value_is_kept_once_where_it_came_first(values: tuple[str, ...]) -> None:
    kept = once(values)

    assert (set(kept), len(set(kept))) == (set(values), len(kept))
    assert [values.index(value) for value in kept] == sorted(values.index(value) for value in kept)


@given(st.lists(st.uuids(), min_size=1, max_size=20))
def test_minds_are_named_once_in_one_spelling(ids: list[object]) -> None:
    spelled = [spelling for each in ids for spelling in (str(each), str(each).upper())]

    asked = CreateAudience.model_validate({"name": "a", "mindIds": spelled})

    assert asked.mind_ids == once(tuple(str(each) for each in ids))


def test_without_minds_an_audience_is_empty_and_not_shared() -> None:
    asked = CreateAudience.model_validate({"name": "a", "mindIds": None})

    assert (asked.mind_ids, asked.is_link_sharing_enabled) == ((), False)


def test_somebody_has_to_be_named_where_members_are_added() -> None:
    assert some(("a",)) == ("a",)
    with pytest.raises(ValidationError):
        AddMembers.model_validate({"mindIds": []})


def test_a_change_changes_something() -> None:
    assert ChangeAudience.model_validate({"isLinkSharingEnabled": False}).name is None
    with pytest.raises(ValidationError):
        ChangeAudience.model_validate({"name": None})
