"""Names are found by what was meant, silently only when that is clear, and always in the same order."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcp_server.errors import Ambiguous, NotFound
from mcp_server.toolkit.folding import LONGEST, fold, latin
from mcp_server.toolkit.names import Directory, Kind, composed, search


def directory(names: Sequence[str]) -> Directory[SimpleNamespace]:
    panels = [SimpleNamespace(id=str(number), name=name) for number, name in enumerate(names, 1)]
    return Directory(Kind("panel", "list_panels", "studies"), panels)


NAMES = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "José García", "Shopper 2", "Rear Admiral Hopper"]

names = st.lists(st.text(max_size=100), max_size=12)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("José  GARCÍA", "jose garcia"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("O'Neil, Shaun-Paul", "o neil shaun paul"),
        ("\uff21da", "ada"),
        ("🤖", ""),
        ("कुमार", "कुमार"),
        ("が", "か\u3099"),
    ],
)
def test_folding_drops_case_accents_and_punctuation_and_keeps_letters_apart(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)

    assert fold(once) == once
    assert len(once) <= LONGEST


@pytest.mark.requirement("seed:gateway:utility-fuzzy-match")
@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("  ada   LOVELACE ", "Ada Lovelace"),
        ("jose garcia", "José García"),
        ("Ada Lovelase", "Ada Lovelace"),
        ("Lovelace, Ada", "Ada Lovelace"),
        ("lovelase ada", "Ada Lovelace"),
        ("Grcae Hopper", "Grace Hopper"),
    ],
)
def test_a_name_is_found_through_case_accents_order_and_one_slip(query: str, meant: str) -> None:
    assert directory(NAMES).resolve(query) == ("found", (NAMES.index(meant),))


@pytest.mark.parametrize(
    "query", ["Love", "Ad", "Ada Byron", "Allan Kay", "Shopper 3", "Hopper", "x", "Grace Kelly", "Bob", "Ada Turing"]
)
def test_what_is_only_like_a_name_is_not_taken_for_it(query: str) -> None:
    assert directory(NAMES).resolve(query)[0] == "unknown"


PEOPLE = [
    "Ferris the Rust teacher", "The pricing page shopper", "Ольга Петрова", "Сергей Щукин", "Νίκος Παπαδόπουλος",
    "王小明", "김민수", "Щербаков Юрий", "Мария Иванова",
    "Anna Schmidt", "Anna Berg", "Annabel Lee", "Maria Lopes", "Maria Lopez Garcia", "Shopper 2 of Berlin",
    "Zoë Müller",
    "Jean-Luc Picard", "Dr. Ada Lovelace", "Igor the student", "Igor the teacher",
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("Ferris", "Ferris the Rust teacher"),
        ("the rust teacher", "Ferris the Rust teacher"),
        ("pricing page", "The pricing page shopper"),
        ("my page pricing persona", "The pricing page shopper"),
        ("the Kim Min-su persona", "김민수"),
        ("Kim Minsu", "김민수"),
        ("Olga Petrova", "Ольга Петрова"),
        ("Olga", "Ольга Петрова"),
        ("petrova", "Ольга Петрова"),
        ("Sergey Shchukin", "Сергей Щукин"),
        ("Nikos Papadopoulos", "Νίκος Παπαδόπουλος"),
        ("Wang XiaoMing", "王小明"),
        ("XiaoMing", "王小明"),
        ("Annabel", "Annabel Lee"),
        ("Papadopoulos", "Νίκος Παπαδόπουλος"),
        ("Anna Berg", "Anna Berg"),
        ("Lopez Garcia", "Maria Lopez Garcia"),
        ("Shopper 2", "Shopper 2 of Berlin"),
        ("Zoe Muller", "Zoë Müller"),
        ("Zoe Mueller", "Zoë Müller"),
        ("Iurii Shcherbakov", "Щербаков Юрий"),
        ("Juri Schtscherbakow", "Щербаков Юрий"),
        ("Yuri", "Щербаков Юрий"),
        ("zoe", "Zoë Müller"),
        ("Picard", "Jean-Luc Picard"),
        ("jean luc", "Jean-Luc Picard"),
        ("Ada Lovelace", "Dr. Ada Lovelace"),
        ("Lovelace", "Dr. Ada Lovelace"),
        ("student", "Igor the student"),
        ("Игорь the student", "Igor the student"),
    ],
)
def test_the_only_name_that_holds_the_words_is_taken_in_any_script(query: str, meant: str) -> None:
    assert directory(PEOPLE).resolve(query) == ("found", (PEOPLE.index(meant),))


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Anna", {"Anna Schmidt", "Anna Berg"}),
        ("teacher", {"Ferris the Rust teacher", "Igor the teacher"}),
        ("Maria Lopez", {"Maria Lopes", "Maria Lopez Garcia"}),
        ("Maria", {"Maria Lopes", "Maria Lopez Garcia", "Мария Иванова"}),
        ("Igor", {"Igor the student", "Igor the teacher"}),
        ("the", set()),
        ("Shopper", set()),
        ("Shopper 3", set()),
        ("Berg Anna Lee", set()),
        ("Ann", set()),
        ("Ferri", set()),
        ("Mario Lopes", set()),
        ("Serge Shchukina", set()),
        ("Olga Ivanova", set()),
        ("Petrov", set()),
        ("Sergey Lavrov", set()),
        ("Ming", set()),
        ("Lope", set()),
        ("hopper", set()),
        ("Grace Lovelace", set()),
        ("Anna Lee", set()),
        ("Anna B", {"Anna Berg"}),
        ("Sergey S", {"Сергей Щукин"}),
    ],
)
def test_words_that_several_names_hold_or_none_are_left_to_the_caller(query: str, first: set[str]) -> None:
    outcome, places = directory(PEOPLE).resolve(query)

    assert outcome == "unknown"
    assert first <= {PEOPLE[place] for place in places}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Experienced driver", "Inexperienced driver"),
        ("Jürgen Möller", "Jürgen Müller"),
        ("Jurgen Miller", "Jürgen Müller"),
        ("Thomas Bäcker", "Thomas Becker"),
        ("Daniel Bergmann", "Daniela Bergmann"),
        ("John Smith", "John Smyth"),
        ("Wang Xiaomin", "王小明"),
        ("the", "Ferris the Rust teacher"),
    ],
)
def test_what_is_one_letter_or_a_syllable_away_may_be_another_name(query: str, name: str) -> None:
    assert directory([name]).resolve(query) == ("unknown", (0,))


def test_a_short_word_with_another_letter_is_another_name() -> None:
    among = directory(["Jon Ray", "Bo Li"])

    others = ("Jan Ray", "Joan Ray", "Jon Roy", "Bo Lu", "Jno Ray")

    assert {among.resolve(query)[0] for query in others} == {"unknown"}
    assert among.resolve("Jonn Ray") == ("found", (0,))


@pytest.mark.parametrize(
    ("query", "found"),
    [("李", (0,)), ("Li", ()), ("Ян", ()), ("小龙", (0,)), ("O'Connor", (3,)), ("Siobhan O'Connor", (3,)), ("Jan", ())],
)
def test_what_is_short_is_known_by_its_letters_and_not_by_its_sound(query: str, found: tuple[int, ...]) -> None:
    outcome, places = directory(["李小龙", "محمد علي", "Ian Cole", "O’Connor, Siobhán"]).resolve(query)  # noqa: RUF001  as people write it

    assert (places if outcome == "found" else ()) == found


@pytest.mark.parametrize(
    ("name", "others", "own"),
    [
        ("山本 健", ["山", "本"], ["山本", "健"]),
        ("이영희", ["이영", "영"], ["영희"]),
        ("上海的年轻妈妈", ["妈"], ["上海", "年轻妈妈"]),
        ("小组1", ["组"], ["小组"]),
    ],
)
def test_where_words_are_not_parted_a_part_is_taken_that_may_be_a_word(
    name: str, others: list[str], own: list[str]
) -> None:
    one = directory([name])

    assert [one.resolve(query) for query in others] == [("unknown", (0,))] * len(others)
    assert [one.resolve(query)[0] for query in own] == ["found"] * len(own)


def test_names_in_another_script_are_offered_by_their_sound() -> None:
    assert directory(["Ольга Петрова", "Bob", "Otto"]).resolve("Olga Petrov") == ("unknown", (0, 2))


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_an_empty_query_means_nobody_and_lists_everybody(query: str) -> None:
    assert directory(NAMES).resolve(query) == ("unknown", ())
    assert search(NAMES, query) == list(range(len(NAMES)))


def test_a_slip_between_two_near_names_is_left_to_the_caller() -> None:
    near = ["Anna Schmidt", "Anna Schmitt", "Bernd Meier"]

    outcome, indices = directory(near).resolve("Anna Schmit")

    assert outcome == "unknown"
    assert sorted(indices[:2]) == [0, 1]


def test_a_slip_that_sounds_like_one_name_and_is_written_like_another_is_left_to_the_caller() -> None:
    outcome, indices = directory(["Müller", "Mueller", "Bernd Meier"]).resolve("Mueler")

    assert (outcome, sorted(indices[:2])) == ("unknown", [0, 1])


@pytest.mark.parametrize(
    ("among", "query", "outcome"),
    [
        (["Ada", "Bob", "ada"], "ADA", ("ambiguous", (0, 2))),
        (["Jose", "José"], "José", ("found", (1,))),
        (["🤖", "👻"], "🤖", ("found", (0,))),
        (["🤖", "👻"], "👽", ("unknown", ())),
        (["🤖"], "👽", ("unknown", ())),
    ],
)
def test_the_very_spelling_beats_names_that_only_fold_to_it(among: list[str], query: str, outcome: object) -> None:
    assert directory(among).resolve(query) == outcome


def test_the_nearest_three_are_offered_best_first() -> None:
    outcome, indices = directory(["Grace Kelly", "Grace Jones", "Grace Slick", "Grace Hopper", "Ada"]).resolve(
        "Grace Hoper Junior"
    )

    assert outcome == "unknown"
    assert len(indices) == 3
    assert indices[0] == 3


def test_names_that_contain_the_query_come_before_names_like_it_in_one_word() -> None:
    assert [NAMES[place] for place in search(NAMES, "hopper")] == ["Grace Hopper", "Rear Admiral Hopper", "Shopper 2"]
    assert [NAMES[place] for place in search(NAMES, "Admirall")] == ["Rear Admiral Hopper"]


@given(names, st.text(max_size=100))
def test_a_search_names_each_index_once_and_is_always_the_same(some: list[str], query: str) -> None:
    listed = search(some, query)

    assert len(set(listed)) == len(listed)
    assert set(listed) <= set(range(len(some)))
    assert search(some, query) == listed


@given(st.lists(st.text(max_size=40), max_size=8, unique=True), st.text(max_size=40).filter(str.strip))
def test_the_order_of_the_names_does_not_decide_who_is_listed_first(some: list[str], query: str) -> None:
    turned = list(reversed(some))

    listed, again = [some[i] for i in search(some, query)], [turned[i] for i in search(turned, query)]

    assert sorted(listed) == sorted(again)
    assert [composed(name) for name in listed] == [composed(name) for name in again]


@given(names, st.text(max_size=100))
def test_what_is_found_is_one_name_and_what_is_ambiguous_is_several(some: list[str], query: str) -> None:
    outcome, indices = directory(some).resolve(query)

    match outcome:
        case "found":
            assert len(indices) == 1
        case "ambiguous":
            assert len(indices) > 1
            assert len({fold(some[index]) for index in indices}) == 1
        case "unknown":
            assert len(indices) <= 3


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=8, unique_by=fold))
def test_every_name_finds_itself(some: list[str]) -> None:
    for index, name in enumerate(some):
        if name.strip():
            assert directory(some).resolve(name) == ("found", (index,))


def test_a_huge_query_is_cut_before_it_is_compared() -> None:
    assert directory(NAMES).resolve("Ada Lovelace" + " x" * 100_000)[0] == "unknown"
    assert search(NAMES, "q" * 200_000) == []


def meant(wanted: str, *names: str) -> SimpleNamespace:
    return directory(names).meant(wanted)


def test_a_shared_name_is_told_apart_by_ids() -> None:
    with pytest.raises(Ambiguous) as caught:
        meant("ONBOARDING", "Pricing", "Onboarding", "onboarding")

    assert caught.value.details["suggestions"] == ["Onboarding (id 2)", "onboarding (id 3)"]


def test_an_unknown_name_comes_with_the_nearest_ones_and_ids_where_they_share_a_name() -> None:
    with pytest.raises(NotFound) as caught:
        meant("Price test", "Pricing", "Pricing", "Prices", "Onboarding")

    assert sorted(caught.value.details["suggestions"]) == ["Prices", "Pricing (id 1)", "Pricing (id 2)"]


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Marina Kowalski", "Marian Kowalski"),
        ("Elisa Brandt", "Elias Brandt"),
        ("Amy Johnson", "May Johnson"),
        ("Ronald Keller", "Donald Keller"),
        ("Marvin Keller", "Martin Keller"),
        ("Tom Baker", "Tom Barker"),
        ("Anna Kellner", "Anna Keller"),
        ("Carla Hoffmann-Schulze", "Clara Hoffmann-Schulze"),
        ("PM of a small startup", "MP of a small startup"),
        ("Johannes", "Johann"),
        ("Cohort B", "Cohort A"),
        ("Cohort Alpha", "Cohort A"),
        ("Cohort A1", "Cohort A"),
        ("Customer B2B", "Customer B"),
        ("Study 2", "Panel 2"),
        ("Type B personality", "type a personality"),
        ("Henry VI", "Henry V"),
        ("Henry VI", "Henry IV"),
        ("Louis XIV", "Louis XVI"),
        ("C++ developer", "C# developer"),
        ("C++ developer", "C developer"),
    ],
)
def test_a_name_that_differs_by_its_ends_or_its_letter_or_numeral_is_another(name: str, query: str) -> None:
    assert directory([name]).resolve(query)[0] == "unknown"


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Group 1.5", "Group 1"),
        ("Group 1.5", "Group 1 5"),
        ("Person 18-24", "Person 18"),
        ("Shopper 1,100", "Shopper 100"),
        ("Room 7-b", "Room 7"),
        ("Room 7-bis", "Room 7"),
        ("Plan v2.1 buyer", "Plan v2 buyer"),
        ("Group A.2", "Group 2"),
        ("Shopper 65+ of Berlin", "Shopper 65"),
        ("Q10 panel", "Q1 panel"),
        ("小组10", "小组1"),
        ("Петя 12", "Petya 1"),
        ("Respondent 1 of 10", "Respondent 10"),
        ("Group 2 wave 1", "Group 1 wave 2"),
        ("Room 1, floor 3", "Room 3"),
        ("Pre-2000 driver", "2000 driver"),
    ],
)
def test_a_number_is_a_whole_word_that_belongs_to_the_one_before_it(name: str, query: str) -> None:
    assert directory([name]).resolve(query) == ("unknown", (0,))


letters = st.text(st.characters(categories=["L"]), min_size=1, max_size=20)


@given(
    letters,
    st.integers(0, 10**6).map(str),
    st.sampled_from(["", " of Berlin", ", Leeds", " (2nd wave)"]),
    st.sampled_from("0123456789b"),
    st.integers(0, 7),
)
def test_a_name_with_a_number_is_never_taken_with_a_sign_more_or_fewer(
    word: str, number: str, behind: str, sign: str, place: int
) -> None:
    more, fewer = number[:place] + sign + number[place:], number[:place] + number[place + 1 :]

    for one, other in (number, more), (more, number), (number, fewer), (fewer, number), (number, f"{number}.{sign}"):
        if one and other and one != other:
            assert directory([f"{word} {one}{behind}"]).resolve(f"{word} {other}")[0] == "unknown"


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Pricing panel Q1", "Q1"),
        ("Shopper 2 of Berlin", "the Shopper 2 persona"),
        ("45-year-old nurse", "45 year old nurse"),
        ("UX researcher #3", "UX researcher 3"),
        ("Plan B buyer", "plan b"),
        ("Müller 2 of Bonn", "Mueller 2"),
        ("C++ developer of Bonn", "C++ developer"),
    ],
)
def test_a_number_or_letter_that_a_name_has_finds_it(name: str, query: str) -> None:
    assert directory([name]).resolve(query) == ("found", (0,))


@pytest.mark.parametrize(
    ("name", "others", "own"),
    [
        ("Ex-smoker Tom", ["smoker", "smoker Tom"], ["Tom", "ex smoker"]),
        ("Anti-vaxxer of Leeds", ["vaxxer"], ["anti-vaxxer", "Leeds"]),
        ("No-car city dweller", ["car city dweller", "car"], ["city dweller", "no car city"]),
        ("Former nurse (Leeds)", ["nurse"], ["former nurse", "Leeds"]),
        ("Nurse without kids", ["nurse with kids", "kids"], ["nurse", "without kids"]),
        ("Ex-Raucher Tom", ["Raucher"], ["Ex-Raucher"]),
        ("Un-employed miner", ["employed", "employed miner"], ["miner", "un-employed"]),
        ("Co-founder of Acme", ["founder", "founder of Acme"], ["Acme", "co-founder"]),
        ("Marie Curie's daughter", ["Curie", "Marie Curie", "Marie"], ["daughter", "Curie's daughter"]),
        ("Mother-in-law", ["Mother", "law"], ["mother in law"]),
        ("Owner-occupier (Leeds)", ["owner", "occupier"], ["owner-occupier", "Leeds"]),
        ("Left-wing voter", ["wing voter"], ["left", "left wing"]),
        ("Anna Müller-Lüdenscheidt", [], ["Müller", "Lüdenscheidt", "Anna Mueller"]),
    ],
)
def test_words_that_others_turn_are_found_with_these_only(name: str, others: list[str], own: list[str]) -> None:
    one = directory([name])

    assert [one.resolve(query)[0] for query in others] == ["unknown"] * len(others)
    assert [one.resolve(query)[0] for query in own] == ["found"] * len(own)


@given(st.sampled_from(["ex", "non", "anti", "no", "former", "nicht", "sans"]), letters, st.sampled_from(" -"))
def test_nobody_is_taken_for_the_contrary(turning: str, word: str, between: str) -> None:
    assume(fold(latin(word)) not in turning)

    assert directory([f"{turning}{between}{word} of Bonn"]).resolve(word)[0] == "unknown"


def test_a_name_that_may_be_meant_by_what_another_has_is_left_to_the_caller() -> None:
    assert directory(["Chen Wei", "Wei Chen's mother"]).resolve("Chen") == ("unknown", (0, 1))


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Александр Иванов", "Alexander Ivanov"),
        ("Night shift nurse (Leeds)", "nurse from Leeds"),
        ("The sceptical landlord", "skeptical landlord"),
        ("Pricing", "pricng"),
        ("Лев Толстой", "Tolstoi"),
    ],
)
def test_what_is_said_around_a_name_and_its_other_spelling_find_it(name: str, query: str) -> None:
    assert directory([name]).resolve(query) == ("found", (0,))


@pytest.mark.parametrize("query", ["P1", "P2", "P1 M\u00fcller"])
def test_numbers_are_never_written_otherwise(query: str) -> None:
    others = [f"P{number:02} M\u00fcller" for number in range(24)]

    assert directory(others).resolve(query)[0] == "unknown"
