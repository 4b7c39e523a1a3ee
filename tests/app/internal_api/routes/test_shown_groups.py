"""Audiences and studies in the words of the wire."""

from app.internal_api.models.studies import StudySummary
from app.internal_api.routes.shown_groups import audience_shown, member_shown, study_audience, study_fields
from app.internal_api.store.audiences import Audience, Member
from app.internal_api.store.studies import Study
from tests.app.internal_api.support import ADA, START

MIA = Member("m", "Mia", "Student", "https://example.com/mia.png")
NOA = Member("n", "Noa", None, None)
AUDIENCE = Audience("a", ADA.user_id, "Gen Z", True, "share", "secret key", START, START + 1)


def test_a_member_is_shown_with_face_and_field() -> None:
    shown = {"id": "m", "name": "Mia", "discipline": "Student", "profileImageUrl": "https://example.com/mia.png"}

    assert member_shown(MIA).model_dump(by_alias=True) == shown


def test_an_audience_counts_and_lists_its_members() -> None:
    shown = audience_shown(AUDIENCE, [NOA, MIA]).model_dump(by_alias=True)

    assert (shown["mindCount"], shown["mindIds"]) == (2, ["n", "m"])
    assert [mind["name"] for mind in shown["minds"]] == ["Noa", "Mia"]
    assert (shown["isLinkSharingEnabled"], shown["publicShareId"]) == (True, "share")
    assert (shown["createdAt"], shown["updatedAt"]) == ("2023-11-14T22:13:20.000Z", "2023-11-14T22:13:20.001Z")
    assert "secret key" not in str(shown)


def test_a_study_has_both_modes_and_its_audiences_in_order() -> None:
    other = Audience("b", ADA.user_id, "Parents", False, None, None, START, START)
    study = Study("s", ADA.user_id, "Tea", False, None, START, START)

    shown = StudySummary(**study_fields(study, [other, AUDIENCE], {"a": [MIA], "b": []}, 3))

    assert (shown.study_mode, shown.flow_mode, shown.message_count) == ("study", "panel", 3)
    assert shown.audiences == [study_audience(other, []), study_audience(AUDIENCE, [MIA])]
    assert [(each.name, each.mind_count) for each in shown.audiences] == [("Parents", 0), ("Gen Z", 1)]
