"""What a model wrote of codes: nothing counts that is not there, and nothing is lost unseen."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.internal_api.engines.coding import (
    MOST_CODES,
    NO_VIEW,
    OTHER,
    RESERVED,
    Code,
    Coding,
    WrittenCodebook,
    WrittenGroup,
    WrittenMerge,
    check,
    check_merge,
    merged,
)

TEXTS = {1: "too loud, and dear", 2: "quiet please", 3: "no idea"}
KNOWN = [Code("k1", "Quiet", original_labels=("Noise",))]
IDS = st.sampled_from(["a", "b", "k1", OTHER, NO_VIEW, "ghost"])
MARKS = st.fixed_dictionaries({"code": IDS, "quote": st.sampled_from(["", "loud", "quiet", "dear", "never said"])})
CODINGS = st.fixed_dictionaries(
    {
        "n": st.integers(0, 4),
        "codes": st.lists(MARKS, max_size=3),
        "stance": st.sampled_from(["agrees", "disagrees", "neither", "shrugs"]),
    }
)
CODES = st.fixed_dictionaries({"id": IDS, "label": st.sampled_from(["Noise", "Price", "Other", "quiet"])})
BROKEN = st.one_of(st.none(), st.integers(), st.text(max_size=3))


TWICE: list[Any] = [{"code": "other", "quote": "never said"}, {"code": "other", "quote": ""}]


@given(st.lists(st.one_of(CODES, BROKEN), max_size=4), st.lists(st.one_of(CODINGS, BROKEN), max_size=6))
@example([], [{"n": 1, "codes": TWICE, "stance": "agrees"}])
def test_only_what_exists_and_was_said_counts_and_every_other_answer_has_a_fault(
    codes: list[Any], answers: list[Any]
) -> None:
    checked = check(WrittenCodebook(codes=codes, answers=answers), TEXTS, KNOWN)

    ids = {code.id for code in checked.codes}
    assert KNOWN[0] in checked.codes
    assert len({code.label.casefold() for code in checked.codes} | {"other"}) == len(ids) + 1
    for number, coding in checked.codings.items():
        assert set(coding.codes) <= ids | set(RESERVED)
        assert coding.codes
        assert all(quote in TEXTS[number] for quote in coding.codes.values())
        assert coding.stance in {"agrees", "disagrees", "neither"}
    faulty = {number for number in TEXTS if any(f"Answer {number} " in fault for fault in checked.faults)}
    assert faulty | set(checked.codings) == set(TEXTS)
    assert faulty & set(checked.codings) == set()


def test_a_sound_codebook_is_taken_as_it_is() -> None:
    written = WrittenCodebook(
        codes=[{"id": "a", "label": "Price", "definition": "What it costs."}],
        answers=[
            {
                "n": 1,
                "codes": [{"code": "k1", "quote": "too loud"}, {"code": "a", "quote": "dear"}],
                "stance": "agrees",
            },
            {"n": 2, "codes": [{"code": "k1", "quote": "quiet"}], "stance": "agrees"},
            {"n": 3, "codes": [{"code": NO_VIEW}], "stance": "neither"},
        ],
    )

    checked = check(written, TEXTS, KNOWN)

    assert checked.faults == ()
    assert checked.codes == (KNOWN[0], Code("a", "Price", "What it costs."))
    assert checked.codings[1] == Coding({"k1": "too loud", "a": "dear"}, "agrees")


def test_no_more_codes_than_agreed_count() -> None:
    many = [{"id": f"c{number}", "label": f"Theme {number}"} for number in range(MOST_CODES + 2)]

    one = {"n": 1, "codes": [{"code": "k1", "quote": "loud"}], "stance": "neither"}
    checked = check(WrittenCodebook(codes=many, answers=[one]), TEXTS, KNOWN)
    elsewhere = check(WrittenCodebook(codes=many, answers=[]), TEXTS, KNOWN, {"k1"})
    instead = check(WrittenCodebook(codes=many, answers=[]), TEXTS, KNOWN)

    assert [len(each.codes) for each in (checked, elsewhere)] == [MOST_CODES, MOST_CODES]
    assert len(instead.codes) == MOST_CODES + len(KNOWN)  # what no answer has now leaves its place
    assert check(None, TEXTS, KNOWN).faults != ()


@given(st.lists(st.lists(st.sampled_from(["k1", "k2", "a", "b"]), max_size=3), max_size=4))
def test_groups_of_codes_are_taken_only_whole_and_known_codes_stay_themselves(groups: list[list[str]]) -> None:
    known = [Code("k1", "Quiet"), Code("k2", "Price")]
    codes = [*known, Code("a", "Noise"), Code("b", "Cost")]
    written = WrittenMerge(codes=[WrittenGroup(label=f"Group {n}", codes=each) for n, each in enumerate(groups)])

    if check_merge(written, codes):
        assert sorted(one for each in groups for one in each) != ["a", "b", "k1", "k2"]
    else:
        into = merged(written.codes, codes, known)
        assert set(into) == {code.id for code in codes}
        assert (into["k1"], into["k2"]) == tuple(known)
        for each in groups:
            assert len({into[one].id for one in each if one in {"a", "b"}}) <= 1


def test_two_codes_of_one_id_are_a_fault_and_neither_counts() -> None:
    codes = [{"id": "c0", "label": "Noise"}, {"id": "c0", "label": "Price"}, {"id": "c1", "label": "Light"}]
    marks = {1: ("c0", "loud"), 2: ("c1", "quiet")}
    answers = [
        {"n": n, "codes": [{"code": one, "quote": said}], "stance": "neither"} for n, (one, said) in marks.items()
    ]

    checked = check(WrittenCodebook(codes=codes, answers=answers), {n: TEXTS[n] for n in marks}, KNOWN)

    assert "Two codes have the id c0." in checked.faults
    assert (set(checked.codings), [code.label for code in checked.codes]) == ({2}, ["Quiet", "Light"])


@pytest.mark.parametrize("label", ["", " ", "…", "\u200b", "x" * 81])
def test_a_code_without_a_label_that_can_be_read_is_none(label: str) -> None:
    codes = [{"id": "c1", "label": label}]
    answers = [{"n": 1, "codes": [{"code": "c1", "quote": "it"}], "stance": "neither"}]
    checked = check(WrittenCodebook(codes=codes, answers=answers), {1: "it is loud"}, ())

    assert (checked.codes, checked.codings) == ((), {})
    assert checked.faults == ("Answer 1 has a code that is not in the list.",)


def test_groups_of_codes_need_labels_of_their_own() -> None:
    codes = [Code("a", "Noise"), Code("b", "Price")]
    for labels, is_right in ((("Noise", "noise"), False), (("Noise", "No view"), False), (("Noise", "Price"), True)):
        groups = [WrittenGroup(label=label, codes=[code.id]) for label, code in zip(labels, codes, strict=True)]
        assert (check_merge(WrittenMerge(codes=groups), codes) == "") is is_right


def test_codes_and_stances_are_taken_by_their_plain_meaning() -> None:
    codes = [{"id": "c1", "label": "Price"}]
    marks = {
        1: [("C1", "dear"), ("quiet", "loud")],
        2: [("PRICE ", "please")],
        3: [("No view", "")],
        4: [("Other", "")],
    }
    answers = [
        {"n": n, "codes": [{"code": name, "quote": said} for name, said in each], "stance": " Agrees"}
        for n, each in marks.items()
    ]

    checked = check(WrittenCodebook(codes=codes, answers=answers), {**TEXTS, 4: "hm"}, KNOWN)

    assert checked.faults == ()
    assert [[*each.codes] for each in checked.codings.values()] == [["c1", "k1"], ["c1"], [NO_VIEW], [OTHER]]
    assert {each.stance for each in checked.codings.values()} == {"agrees"}


def coded_as(marks: dict[int, str]) -> WrittenCodebook:
    """Each answer by its number: the quote of the code that it has, or no view where it has none."""
    codings = {n: {"code": "k1", "quote": said} if said else {"code": NO_VIEW} for n, said in marks.items()}
    return WrittenCodebook(answers=[{"n": n, "codes": [one], "stance": "neither"} for n, one in codings.items()])


@pytest.mark.parametrize(
    ("marks", "kept"),
    [
        ({1: "cheap", 2: "", 3: "cheap", 4: "calm", 5: ""}, {1, 2, 3, 4, 5}),
        ({0: "cheap", 1: "", 2: "cheap", 3: "calm", 4: ""}, set()),
        ({2: "cheap", 3: "", 4: "cheap", 5: "calm", 6: ""}, set()),
        ({1: "", 2: "cheap", 3: "calm", 4: ""}, set()),
        ({1: "cheap", 2: "", 3: "cheap", 4: "pass"}, {1, 2}),
        ({1: "cheap", 2: "", 3: "never said", 4: "calm", 5: ""}, {1, 2, 4, 5}),
    ],
)
def test_where_numbers_are_shifted_nothing_counts_also_what_has_no_quote(marks: dict[int, str], kept: set[int]) -> None:
    texts = {1: "make it cheap", 2: "dunno", 3: "cheap for all", 4: "keep it calm", 5: "pass"}

    checked = check(coded_as(marks), texts, KNOWN)

    assert set(checked.codings) == kept
