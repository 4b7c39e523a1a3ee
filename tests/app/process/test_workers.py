"""Workers come and go, and no call is lost by it; a worker learns that its supervisor has died, and only then."""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from app.process.shutdown import end_with
from tests.askers import Askers
from tests.processes import HOST, PATIENCE, DidNotStart, free_port, serving
from tests.supervised import AWAY, BITS, BROKEN

SCRIPT = ("-m", "tests.supervised")
PAUSE = 0.05
OPEN_FROM_THE_BEGINNING = 6
"""Descriptors of a supervisor: its three streams, the port, the two ends of the pipe of the workers."""


@dataclass(frozen=True)
class Crew:
    """A supervisor and its two workers."""

    port: int
    folder: Path
    supervisor: psutil.Process

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def log(self) -> str:
        return (self.folder / f"server-{self.port}.log").read_text()

    def workers(self) -> set[int]:
        return {child.pid for child in self.supervisor.children() if _is_worker(child)}

    async def until_there_are_two(self, without: set[int]) -> set[int]:
        """Others than those, both at work."""
        async with asyncio.timeout(PATIENCE):
            while True:
                now = self.workers()
                if len(now) == 2 and not now & without and await self._all_answer(now):
                    return now
                await asyncio.sleep(PAUSE)

    async def _all_answer(self, workers: set[int]) -> bool:
        answers = set()
        for _ in range(50):
            async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as web:
                answers.add(int((await web.get(self.url)).text))
            if answers == workers:
                return True
        return False


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_so():  # noqa: ASYNC110  another process tells nobody
            await asyncio.sleep(PAUSE)


def _is_worker(child: psutil.Process) -> bool:
    try:
        return "spawn_main" in " ".join(child.cmdline())
    except psutil.Error:
        return False


@asynccontextmanager
async def at_work(folder: Path, notice: float = 0) -> AsyncIterator[Crew]:
    port = free_port()
    with serving((*SCRIPT, str(port), "2", str(notice)), port, folder, {}, ready="/", fresh=True) as process:
        crew = Crew(port, folder, psutil.Process(process.pid))
        await crew.until_there_are_two(set())
        yield crew


@pytest.fixture(scope="module")
async def crew(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Crew]:
    async with at_work(tmp_path_factory.mktemp("crew")) as crew:
        yield crew


@pytest.mark.security("FI-11")
async def test_workers_are_replaced_one_by_one_under_load_and_no_call_is_lost(crew: Crew) -> None:
    before = crew.workers()
    askers, streams = Askers(crew.port), Askers(crew.port, "/slow")

    async with askers.asking(), streams.asking(1, 1):
        await askers.answered()
        crew.supervisor.send_signal(signal.SIGHUP)
        after = await crew.until_there_are_two(before)
        await askers.answered()

    assert (askers.lost, streams.lost, askers.refused + streams.refused) == ([], [], 0)
    assert {text.count("data:") for text in streams.answers} == {BITS + 1}
    assert {int(text) for text in askers.answers} >= before | after


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM])
async def test_a_worker_that_is_killed_or_hangs_or_goes_is_replaced_and_the_other_stays(
    crew: Crew, fate: signal.Signals
) -> None:
    victim, other = sorted(crew.workers())

    os.kill(victim, fate)
    after = await crew.until_there_are_two({victim})

    assert other in after


@pytest.mark.skipif(not hasattr(psutil.Process, "rlimit"), reason="limits of another process are set on Linux only")
async def test_a_supervisor_that_can_open_nothing_goes_on_and_starts_a_worker_when_it_can_again(crew: Crew) -> None:
    victim, other = sorted(crew.workers())
    before = crew.supervisor.rlimit(psutil.RLIMIT_NOFILE)
    # All below are in use from the beginning, and stay so: neither a pipe nor a file is left for it.
    crew.supervisor.rlimit(psutil.RLIMIT_NOFILE, (OPEN_FROM_THE_BEGINNING, before[1]))

    os.kill(victim, signal.SIGKILL)
    await until(lambda: "worker_not_started" in crew.log)
    crew.supervisor.rlimit(psutil.RLIMIT_NOFILE, before)
    after = await crew.until_there_are_two({victim})

    assert other in after


async def test_new_workers_that_cannot_start_leave_the_old_ones_in_their_places_until_they_can(crew: Crew) -> None:
    before, broken = crew.workers(), crew.folder / BROKEN
    broken.touch()

    crew.supervisor.send_signal(signal.SIGHUP)
    await until(lambda: "restart_given_up" in crew.log and crew.workers() == before)
    broken.unlink()
    status = httpx2.get(crew.url, timeout=PATIENCE).status_code
    crew.supervisor.send_signal(signal.SIGHUP)

    assert status == 200
    assert await crew.until_there_are_two(before)


@pytest.mark.security("FI-11")
async def test_a_new_worker_that_waits_for_its_database_takes_nobodys_place_until_it_serves(crew: Crew) -> None:
    before, away = crew.workers(), crew.folder / AWAY
    away.touch()

    crew.supervisor.send_signal(signal.SIGHUP)
    # Long enough for it to be asked several times: it tries to open ten times a second.
    await until(lambda: crew.log.count("the database was asked") >= 30)
    meanwhile = crew.workers()
    away.unlink()

    assert meanwhile > before
    assert await crew.until_there_are_two(before)


def test_workers_of_which_none_can_start_end_the_supervisor(tmp_path: Path) -> None:
    (tmp_path / BROKEN).touch()
    port = free_port()

    lost = r"exit_code\W+[1-9].*worker_lost|worker_lost.*exit_code\W+[1-9]"

    with (
        pytest.raises(DidNotStart, match=lost),
        serving((*SCRIPT, str(port), "2", "0"), port, tmp_path, {}, fresh=True),
    ):
        raise AssertionError("it started")


@pytest.mark.security("FI-11")
async def test_an_orderly_end_under_load_resets_no_connection_and_finishes_streams(tmp_path: Path) -> None:
    async with at_work(tmp_path, notice=0.3) as crew:
        askers, streams = Askers(crew.port), Askers(crew.port, "/slow")
        async with askers.asking(), streams.asking(1, 1):
            await streams.answered(1)
            crew.supervisor.terminate()
            code = await asyncio.to_thread(crew.supervisor.wait, PATIENCE)

    assert (askers.lost, streams.lost, code) == ([], [], 0)
    assert {text.count("data:") for text in streams.answers} == {BITS + 1}
    assert askers.refused > 0


async def test_told_a_second_time_workers_do_not_wait_for_the_end_of_the_notice(tmp_path: Path) -> None:
    async with at_work(tmp_path, notice=3600) as crew:
        crew.supervisor.terminate()
        await until(lambda: httpx2.get(crew.url, timeout=PATIENCE).headers.get("connection") == "close")
        crew.supervisor.terminate()
        code = await asyncio.to_thread(crew.supervisor.wait, PATIENCE)

    assert code == 0


@dataclass
class Parent:
    """What a worker sees of the process that started it: a pipe whose other end closes with it."""

    sentinel: int
    life: int

    def die(self) -> None:
        os.close(self.life)


@pytest.fixture
def supervisor() -> Iterator[Any]:
    sentinel, life = os.pipe()
    yield Parent(sentinel, life)
    os.close(sentinel)


def test_a_worker_ends_when_its_supervisor_has_died_and_not_before(supervisor: Any) -> None:
    ended = threading.Event()

    end_with(supervisor, ended.set)
    before = ended.is_set()
    supervisor.die()

    assert ended.wait(PATIENCE)
    assert before is False


def test_a_process_without_a_supervisor_waits_for_nobody() -> None:
    threads = threading.active_count()

    end_with(None, lambda: pytest.fail("nobody died"))

    assert threading.active_count() == threads
