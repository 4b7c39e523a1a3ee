"""What was said, and who said it."""

from mcp_server.toolsets.panels._exports.pdf import look
from mcp_server.toolsets.panels._exports.pdf.voices import (
    CLEAR_AT_MOST,
    FURTHER,
    QUOTE_AT_MOST,
    UNCLEAR_AT_MOST,
    quotation,
    voices,
    who,
)
from mcp_server.toolsets.panels._results import Difference, Quote
from tests.mcp_server.toolsets.panels._exports.pdf.paper import HEBREW, Paper, drawn
from tests.mcp_server.toolsets.panels.reports import report_of

REPORT = report_of(groups=2, each=3, texts=["I would wait for it."], broken=False)
SCALE, OPEN = REPORT.sections[0].result, REPORT.sections[3].result


def difference(n: int, *, clear: bool) -> Difference:
    return Difference(first=f"a{n}", second="b", measure="mean", difference=n, interval=None, clear=clear)


def test_every_part_has_its_heading_and_empty_parts_have_none(paper: Paper) -> None:
    drawn(paper, voices(paper, OPEN))
    found = [text for text in paper.texts if text in HEADINGS]
    empty: dict[str, list[object]] = {
        "themes": [],
        "quotes": [],
        "agreements": [],
        "disagreements": [],
        "differences": [],
        "dissent": [],
    }

    assert found == [heading for heading in HEADINGS if heading != "Differences between groups"]
    assert list(voices(paper, OPEN.model_copy(update=empty))) == []


HEADINGS = [
    "Themes",
    "In their own words",
    "Agreements",
    "Disagreements",
    "Differences between groups",
    "Dissenting voices",
]


def test_a_theme_has_its_counts_its_other_names_and_a_quote_with_who_said_it(paper: Paper) -> None:
    drawn(paper, voices(paper, OPEN))

    told = " ".join(paper.texts)
    theme = OPEN.themes[0]
    assert f"{theme.label}  ·  2 personas, 33 %" in told
    assert f"{theme.by_group[0].group}: {theme.by_group[0].count} of 3" in told
    assert f"Merged from: {theme.label} (own words)" in told
    assert "“I would wait for it.”" in paper.texts
    assert "— Mia Okafor (Early adopters)" in paper.texts


def test_themes_that_are_not_shown_are_named_with_their_counts(paper: Paper) -> None:
    many = [OPEN.themes[0].model_copy(update={"label": f"Theme {n}", "count": 1}) for n in range(9)]

    drawn(paper, voices(paper, OPEN.model_copy(update={"themes": many})))

    told = " ".join(paper.texts)
    assert f"{FURTHER} Theme 6 (1); Theme 7 (1); Theme 8 (1)." in told
    assert "Theme 5  ·  1 persona" in told


def test_dissenting_voices_are_named_with_what_they_said(paper: Paper) -> None:
    drawn(paper, voices(paper, SCALE))

    voice = SCALE.dissent[0]
    assert f"{voice.persona} ({voice.group}): {voice.value}" in paper.texts
    assert voice.reason in paper.texts


def test_a_long_quote_is_cut(paper: Paper) -> None:
    drawn(paper, quotation(paper, "word " * 1000, "Mia"))

    said = " ".join(mark.text for mark in paper.marks if mark.style and mark.style.face == "I")
    assert QUOTE_AT_MOST - 20 < len(said) < QUOTE_AT_MOST + 3
    assert said.endswith("…”")


def test_a_quote_that_is_read_from_the_right_stands_there(paper: Paper) -> None:
    drawn(paper, quotation(paper, HEBREW, "Mia"))

    assert paper.where(f"“{HEBREW}”").align == "R"
    assert paper.where("— Mia").align == "L"


def test_clear_differences_come_first_and_the_rest_is_counted(paper: Paper) -> None:
    many = [*(difference(n, clear=False) for n in range(90, 99)), *(difference(n, clear=True) for n in range(20))]

    drawn(paper, voices(paper, SCALE.model_copy(update={"differences": many})))

    assert paper.texts.count("yes") == CLEAR_AT_MOST
    assert paper.texts.count("no") == 0
    assert "14 more comparisons, 5 of them clear: the other formats list them." in paper.texts


def test_groups_that_do_not_differ_need_no_long_list(paper: Paper) -> None:
    many = [difference(n, clear=False) for n in range(28)]

    drawn(paper, voices(paper, SCALE.model_copy(update={"differences": many})))

    assert paper.texts.count("no") == UNCLEAR_AT_MOST


def test_a_difference_of_shares_is_told_in_percent(paper: Paper) -> None:
    told = Difference(first="a", second="b", measure="Email", difference=0.25, interval=None, clear=False)

    drawn(paper, voices(paper, SCALE.model_copy(update={"differences": [told]})))

    assert "+25 %" in paper.texts


def test_whoever_speaks_is_named_with_the_group() -> None:
    assert who(Quote(persona="Mia", group="Early adopters", text="x")) == "Mia (Early adopters)"


def test_quotes_are_in_italics_and_beside_a_bar(paper: Paper) -> None:
    drawn(paper, quotation(paper, "Quick.", "Mia"))

    style = paper.where("“Quick.”").style
    assert style is not None
    assert style.face == "I"
    assert len(paper.filled(look.BAR)) == 2
