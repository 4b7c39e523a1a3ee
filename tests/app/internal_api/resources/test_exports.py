"""A study is exported by a durable job, and its file is read by a link that is valid for some minutes."""

import asyncio
import csv
import io
from pathlib import Path

import httpx2
import pytest

from tests.app.internal_api.panels.rows import another, answers, pending
from tests.app.internal_api.panels.stored import BOBS_STUDY, STUDY, store_question, store_study
from tests.app.internal_api.support import World

PATH = f"/studies/{STUDY.id}"
ASKED = [(another(1, "scale", text="=How likely?"), answers("5", "4", None))]
ROOT = str(Path(__file__).resolve().parents[4])


@pytest.fixture(autouse=True)
def _children_run_this_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ROOT)


async def exported(world: World, body: dict[str, object] | None = None) -> str:
    """The id of a job that has been done."""
    asked = await world.client().post(f"{PATH}/export", json=body or {})
    assert asked.status_code == 200, asked.text
    while await world.api().exporter.work_once():
        pass
    return str(asked.json()["data"]["jobId"])


async def status(world: World, **which: str) -> httpx2.Response:
    return await world.client().get(f"{PATH}/export-status", params=which)


async def link(world: World, job_id: str) -> str:
    answer = await world.client().get(f"{PATH}/export-download", params={"jobId": job_id})
    assert answer.status_code == 302, answer.text
    assert answer.headers["referrer-policy"] == "no-referrer"
    return str(answer.headers["location"])


async def opened(world: World, path: str) -> httpx2.Response:
    """Without any credential."""
    return await world.client(None).get(path.removeprefix("/api/v1"))


async def test_an_export_goes_from_a_receipt_to_a_file(world: World) -> None:
    await store_study(world.engine, ASKED)

    asked = await world.client().post(f"{PATH}/export")
    receipt = asked.json()["data"]
    waiting = (await status(world, jobId=receipt["jobId"])).json()["data"]
    await world.api().exporter.work_once()
    done = (await status(world, kind="full_report", format="md")).json()["data"]

    assert receipt == {"kind": "full_report", "format": "md", "jobId": receipt["jobId"], "status": "queued"}
    assert (waiting["status"], "downloadUrl" in waiting) == ("queued", False)
    assert (done["jobId"], done["status"], done["progress"]) == (receipt["jobId"], "completed", 100)
    assert done["downloadUrl"] == f"/api/v1{PATH}/export-download?jobId={receipt['jobId']}"
    file = await opened(world, await link(world, receipt["jobId"]))
    assert (file.status_code, file.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    assert "Mean 4.5 (n = 2, 1 failed)" in file.text


async def test_a_file_is_saved_and_never_shown_nor_told_on(world: World) -> None:
    await store_study(world.engine, ASKED)

    file = await opened(world, await link(world, await exported(world, {"format": "csv"})))

    assert file.headers["content-disposition"] == 'attachment; filename="pricing-full-report.csv"'
    assert file.headers["x-content-type-options"] == "nosniff"
    assert file.headers["referrer-policy"] == "no-referrer"
    assert file.headers["cache-control"] == "no-store"
    rows = list(csv.DictReader(io.StringIO(file.content.decode("utf-8-sig"))))
    assert [(row["Question"], row["Answer"], row["Status"]) for row in rows] == [
        ("'=How likely?", "5", "answered"),
        ("'=How likely?", "4", "answered"),
        ("'=How likely?", "", "failed"),
    ]


@pytest.mark.both_databases
async def test_the_same_export_is_made_once_until_somebody_answers_or_forces_it(world: World) -> None:
    await store_study(world.engine, ASKED)
    first = await exported(world)

    again = await exported(world)
    forced = await exported(world, {"force": True})
    async with world.engine.begin() as connection:
        await store_question(connection, another(2), answers("Price"))
    newer = await exported(world)

    assert again == first
    assert len({first, forced, newer}) == 3


@pytest.mark.both_databases
async def test_two_exports_at_once_are_one_job(world: World) -> None:
    await store_study(world.engine, ASKED)

    asked = await asyncio.gather(*(world.client().post(f"{PATH}/export", json={}) for _ in range(3)))

    assert len({answer.json()["data"]["jobId"] for answer in asked}) == 1


async def test_before_any_answer_there_is_nothing_to_export(world: World) -> None:
    await store_study(world.engine, [(another(1), [pending(0), *answers(None, first=1)])])

    refused = await world.client().post(f"{PATH}/export", json={})

    assert (refused.status_code, refused.json()["data"]["code"]) == (409, "NOTHING_TO_EXPORT")


@pytest.mark.parametrize("file_format", ["docx", "pptx", "xls", "sav", "json"])
async def test_formats_that_are_not_made_are_refused_with_those_that_are(world: World, file_format: str) -> None:
    await store_study(world.engine, ASKED)

    refused = await world.client().post(f"{PATH}/export", json={"format": file_format})

    assert refused.status_code == 400
    assert "'csv', 'md' or 'pdf'" in refused.json()["message"]


async def test_a_download_before_the_end_is_refused(world: World) -> None:
    await store_study(world.engine, ASKED)
    await world.client().post(f"{PATH}/export", json={})

    assert (await world.client().get(f"{PATH}/export-download")).status_code == 400


@pytest.mark.parametrize(
    ("query", "expected"),
    [({}, 404), ({"jobId": STUDY.id}, 404), ({"jobId": "x"}, 400), ({"kind": "x"}, 400), ({"format": "x"}, 400)],
)
async def test_an_export_that_is_not_there_is_not_found(world: World, query: dict[str, str], expected: int) -> None:
    await store_study(world.engine, ASKED)

    assert (await status(world, **query)).status_code == expected


async def test_somebody_elses_exports_are_not_there(world: World) -> None:
    await store_study(world.engine, ASKED)
    await store_study(world.engine, study=BOBS_STUDY)
    job_id = await exported(world)
    bob = world.client("bob")

    refused = [
        await bob.post(f"{PATH}/export", json={}),
        await bob.get(f"{PATH}/export-status", params={"jobId": job_id}),
        await bob.get(f"{PATH}/export-download", params={"jobId": job_id}),
        await bob.get(f"/studies/{BOBS_STUDY.id}/export-status", params={"jobId": job_id}),
        await bob.get(f"/studies/{BOBS_STUDY.id}/export-download", params={"jobId": job_id}),
    ]

    assert [answer.status_code for answer in refused] == [404] * 5


async def test_a_link_is_dead_after_five_minutes(world: World) -> None:
    await store_study(world.engine, ASKED)
    path = await link(world, await exported(world))

    world.clock.forward(299)
    before = await opened(world, path)
    world.clock.forward(1)
    after = await opened(world, path)

    assert (before.status_code, after.status_code) == (200, 404)


async def test_a_link_that_was_changed_opens_nothing(world: World) -> None:
    await store_study(world.engine, ASKED)
    first, second = await exported(world), await exported(world, {"format": "csv"})
    path = await link(world, first)

    tried = [
        path.replace(first, second),
        path.replace("expires=1", "expires=2"),
        path[:-1],
        path.partition("&")[0],
        path.partition("?")[0],
        path.replace(first, "x"),
    ]

    assert [(await opened(world, each)).status_code for each in tried] == [404] * 6
    assert (await opened(world, path)).status_code == 200


async def test_the_link_of_an_export_that_is_gone_opens_nothing(world: World) -> None:
    await store_study(world.engine, ASKED)
    job_id = await exported(world)
    world.clock.forward(25 * 3600)
    path = await link(world, job_id)

    await world.api().exporter.clean()

    assert (await opened(world, path)).status_code == 404
