"""The measured panel is really asked, by both engines and through both doors."""

from pathlib import Path

from bench.panels import measure, table


def test_both_engines_answer_for_every_persona_through_both_doors(tmp_path: Path) -> None:
    told: list[str] = []

    runs = measure(tmp_path, personas=4, groups=2, tell=told.append, questions=2)

    assert [(run.engine, run.door) for run in runs] == [
        ("offline", "REST"),
        ("offline", "ask_panel"),
        ("chat endpoint", "REST"),
        ("chat endpoint", "ask_panel"),
    ]
    assert [run.answers for run in runs] == [4] * 4
    assert [run.failed for run in runs[:2]] == [0, 0]
    assert [run.of_ideal is None for run in runs] == [True, True, False, False]
    assert all(0 < run.first_answer_seconds <= run.seconds for run in runs)
    assert all(len(run.resident_mb) == 3 for run in runs)
    assert all(run.looks > 0 for run in runs)
    assert len(told) == 3
    assert len(table(runs).splitlines()) == 5
