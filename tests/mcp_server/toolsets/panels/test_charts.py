"""Charts as SVG: their figures, and texts that stay texts."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.panels import charts
from mcp_server.toolsets.panels._results import Interval, QuestionResult
from tests.mcp_server.toolsets.panels.reports import report_of

REPORT = report_of(groups=2, each=10, texts=["Quick."])
SCALE, CHOICE, SEVERAL, OPEN = (section.result for section in REPORT.sections)
ROOM = 68  # for the highest column
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["</title><script>alert(1)</script>", '"><b onclick="x">', "{} {0}", "&amp;", "\u202eback\x00\x1b"]


def parts(chart: str, tag: str, kind: str) -> list[ET.Element]:
    return [one for one in ET.fromstring(chart).iter(f"{SVG}{tag}") if kind in one.attrib.get("class", "").split()]


def renamed(result: QuestionResult, name: str) -> QuestionResult:
    """With a group, and an option where there are some, of this name."""
    group = result.groups[0]
    counts = [group.counts[0].model_copy(update={"value": name}), *group.counts[1:]]
    is_choice = result.type == "categorical"
    odd = group.model_copy(update={"group": name, **({"counts": counts} if is_choice else {})})
    overall = result.overall.model_copy(update={"counts": counts}) if is_choice else result.overall
    return result.model_copy(update={"groups": [odd, *result.groups[1:]], "overall": overall})


def test_a_bar_has_its_share_and_its_interval() -> None:
    chart = charts.bar(3, 0.5, Interval(low=0.25, high=0.75, method="m"))

    assert [one.attrib["width"] for one in parts(chart, "rect", "fill")] == ["50%"]
    line = parts(chart, "g", "whisker")[0][0]
    assert (line.attrib["x1"], line.attrib["x2"]) == ("25%", "75%")
    assert "50 % of the answers (3), 95 % interval from 25 % to 75 %" in chart


def test_what_is_beyond_the_ends_stays_within_the_bar() -> None:
    assert parts(charts.bar(3, 1.5), "rect", "fill")[0].attrib["width"] == "100%"


def test_columns_are_as_high_as_their_shares_in_every_group() -> None:
    drawn = charts.side_by_side(SCALE)

    heights = [max(float(one.attrib["height"]) for one in parts(row.columns, "rect", "fill")) for row in drawn]
    shares = [max(one.share for one in row.summary.counts) for row in drawn]

    assert max(heights) == ROOM
    assert heights == pytest.approx([ROOM * share / max(shares) for share in shares], abs=0.01)
    for row in drawn:
        counts = [int(one.text or "") for one in parts(row.columns, "text", "count")]
        assert counts == [one.count for one in row.summary.counts if one.count]


def test_means_stand_on_the_whole_scale_below_the_labels_of_its_axis() -> None:
    ends = charts.ends_of(SCALE)
    assert ends
    assert list(ends) == [1, 10]
    low, *_, high = (float(one.attrib["x"].rstrip("%")) for one in parts(charts.axis(*ends), "text", "soft"))

    for row in charts.side_by_side(SCALE):
        (dot,) = parts(row.mean, "circle", "fill")
        assert row.summary.scale is not None
        assert float(dot.attrib["cx"].rstrip("%")) == pytest.approx(
            low + (high - low) * (row.summary.scale.mean - 1) / 9, abs=0.01
        )


def test_a_stack_is_divided_by_the_answers_and_its_legend_names_the_letters() -> None:
    drawn = charts.side_by_side(CHOICE)
    legend = charts.legend(CHOICE)

    for row in drawn:
        widths = [float(one.attrib["width"].rstrip("%")) for one in parts(row.stack, "rect", "part")]
        assert widths == pytest.approx([100 * one.share for one in row.summary.counts], abs=0.01)
        assert {(one.text or "")[0] for one in parts(row.stack, "text", "part")} <= {letter for _, letter, _ in legend}
    assert [option for *_, option in legend] == [one.value for one in CHOICE.overall.counts]


def test_several_choices_and_open_answers_are_no_stack() -> None:
    assert not any(row.stack or row.columns or row.mean for row in charts.side_by_side(SEVERAL))
    assert not any(row.bars for row in charts.side_by_side(OPEN))


@pytest.mark.parametrize("name", NAMES)
def test_texts_stay_texts(name: str) -> None:
    told = [charts.side_by_side(renamed(result, name))[1] for result in (SCALE, CHOICE)]

    for chart in (told[0].columns, told[0].mean, told[1].stack, *told[1].bars.values()):
        root = ET.fromstring(chart)
        assert {one.tag.removeprefix(SVG) for one in root.iter()} <= {
            *("svg", "title", "rect", "g", "line", "circle", "text")
        }
        assert not any(key.startswith("on") or key == "style" for one in root.iter() for key in one.attrib)


@given(st.integers(-1_000, 1_000), st.integers(1, 2_000))
def test_ticks_are_few_and_reach_from_end_to_end(low: int, length: int) -> None:
    found = charts.ticks(low, low + length)

    assert (found[0], found[-1]) == (low, low + length)
    assert len(found) <= charts.MOST_TICKS
    assert found == sorted(set(found))
