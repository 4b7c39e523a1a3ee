"""What is attached is one text within a limit, and says what it leaves out."""

from hypothesis import given
from hypothesis import strategies as st

from app.internal_api.panels.context import MAX_CONTEXT, Source, context_of, shares

LENGTHS = st.lists(st.integers(0, 50_000), max_size=15)


def test_nothing_attached_is_no_context() -> None:
    assert context_of([]) == ""


def test_each_source_is_named_and_given_whole_where_there_is_room() -> None:
    sources = [Source("Prices", "example.com", "Tea is 3 EUR."), Source("notes.txt", "notes.txt", "Nobody likes it.")]

    context = context_of(sources, ["price", "taste"])

    assert context == (
        "Keywords: price, taste\n\n[1] Prices (example.com)\nTea is 3 EUR.\n\n[2] notes.txt\nNobody likes it."
    )


def test_what_is_cut_says_how_much_is_left() -> None:
    context = context_of([Source("Long", "Long", "a" * 30_000), Source("Short", "Short", "b")])

    assert "\n[cut: only the first 19,999 of 30,000 characters are given]\n" in context
    assert context.endswith("[2] Short\nb")


@given(LENGTHS, st.integers(0, 100_000))
def test_shares_never_exceed_the_limit_nor_what_is_wanted(wanted: list[int], limit: int) -> None:
    given_to = shares(wanted, limit)

    assert sum(given_to) <= limit
    assert all(0 <= got <= want for got, want in zip(given_to, wanted, strict=True))


@given(LENGTHS, st.integers(0, 100_000))
def test_nobody_is_cut_below_another_who_got_more(wanted: list[int], limit: int) -> None:
    given_to = shares(wanted, limit)

    cut = [got for got, want in zip(given_to, wanted, strict=True) if got < want]
    assert not cut or max(given_to) - min(cut) <= 1


@given(st.lists(st.text(max_size=30_000), max_size=3))
def test_the_text_of_all_sources_stays_within_the_limit(texts: list[str]) -> None:
    context = context_of([Source("T", "T", text) for text in texts])

    assert len(context) <= MAX_CONTEXT + 100 * len(texts)
