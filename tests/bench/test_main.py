"""How the figures are written down."""

from bench.__main__ import report, table
from bench.contestants import CEILING
from bench.measure import Line, Plan
from bench.panels import Run

LINES = [
    Line("gateway", "2025-11-25", 500.0, 10.0, 30.0, 1.9, 90.0),
    Line(CEILING.name, "2025-11-25", 1000.0, 5.0, 12.0, 0.9, 40.0),
]


def test_the_table_has_a_row_for_each_server_beside_the_ceiling_and_for_stdio() -> None:
    told = {**report(LINES, 0.5, Plan(rounds=1, seconds=1, connections=1)), "missing": ["another"]}

    rows = table(told).splitlines()

    assert [row["of_ceiling"] for row in told["servers"]] == [0.5, 1.0]
    assert [row.split("  ")[0] for row in rows[1:]] == ["gateway", CEILING.name, "another", rows[-1].split("  ")[0]]
    assert "0.50 s" in rows[-1]


def test_the_panels_stand_below_with_what_they_took_beside_the_ideal() -> None:
    run = Run("chat endpoint", "REST", 200, 4, 7.2, 6.0, 1.2, 0.4, 13.9, 0, 900, [164.0, 172.0])

    told = report(LINES, None, Plan(rounds=1, seconds=1, connections=1), [run])

    assert told["panels"][0]["of_ideal"] == 1.2
    row = table(told).splitlines()[-1]
    assert " ".join(row.split()) == "chat endpoint REST 200 4 7.20 6.0 1.20 13.9 0/900 164 172"
