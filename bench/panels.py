"""A panel of 200 personas in 8 groups, asked again and again: how long a question takes beside the ideal, how the
memory goes from question to question, and for how long the event loop is held. The answers come from the offline
engine, then from a slow and faulty chat endpoint; the questions come over the internal API, then through `ask_panel`.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.doors import Api, Door, Mcp, Told
from bench.watching import Holds, resident_mb, watched
from tests.processes import HOST, ROOT, environment, free_port, serving, stop

LATENCY = 0.3
FAILURES = 0.02
CONCURRENCY = 10
QUESTIONS = 5
OPEN, MEMBERS = 500, 2
"""Questions that are open at once, each over a stream of its own, and the personas that each is put to."""

OPENED = (
    "MAX_CALLS_AT_ONCE",
    "UPSTREAM_CONCURRENCY",
    "UPSTREAM_CONCURRENCY_PER_OPERATION",
    "UPSTREAM_CONCURRENCY_PER_SUBJECT",
)
ROOM = {**dict.fromkeys(OPENED, str(2 * OPEN)), "INTERNAL_API_PANELS_AT_ONCE": "50"}

SUBJECTS = ("locks", "batteries", "prices", "stations", "support", "safety", "maps", "helmets")
QUESTION = "On a scale of 1 to 10, how likely are you to recommend the bicycle hire service?"


@dataclass(frozen=True)
class Run:
    """One question, put several times. `seconds` and `first_answer_seconds` are the medians.

    Attributes:
        ideal_seconds: answers x latency / concurrency; None where nothing is waited for.
        longest_hold_ms: the longest look at the server's liveness, over all questions.
        holds_over_50_ms: how many of the `looks` took longer than 50 ms.
        resident_mb: before the first question, and after each.

    """

    engine: str
    door: str
    answers: int
    failed: int
    seconds: float
    ideal_seconds: float | None
    of_ideal: float | None
    first_answer_seconds: float
    longest_hold_ms: float
    holds_over_50_ms: int
    looks: int
    resident_mb: list[float]


def measure(
    folder: Path, personas: int, groups: int, tell: Callable[[str], None], questions: int = QUESTIONS
) -> list[Run]:
    """Both engines on the same personas, which the offline one has trained, through both doors."""
    port = free_port()
    settings = {"PORT": str(port), "DATA_DIR": str(folder / "var"), "INTERNAL_API_TRAINING_CONCURRENCY": "4"}
    with serving(("-m", "app", "serve"), port, folder, settings) as server:
        key = _key(settings, folder)
        api = Api(port, key)
        tell(f"training {personas} personas")
        study, ids = _study(api, personas, groups)
        doors: list[Door] = [api, Mcp(port, key)]
        tell("asking the offline engine")
        offline = [_ask(door, study, server.pid, port, "offline", None, questions) for door in doors]
    with ExitStack() as stack:
        chat = stack.enter_context(_chat(folder))
        told = {**settings, **ROOM, "LLM_BASE_URL": f"http://{HOST}:{chat}/v1", "LLM_MODEL": "bench"}
        server = stack.enter_context(serving(("-m", "app", "serve"), port, folder, told))
        tell("asking the chat endpoint")
        ideal = personas * LATENCY / CONCURRENCY
        asked = [*offline, *(_ask(door, study, server.pid, port, "chat endpoint", ideal, questions) for door in doors)]
        tell(f"{OPEN} open questions")
        few = api.call(
            "POST", "/studies", {"name": "Few", "audienceConfigs": [{"name": "All", "mindIds": ids[:MEMBERS]}]}
        )
        return [*asked, _fan_out(api, few["data"]["id"], server.pid, port)]


def _fan_out(door: Door, study: str, pid: int, port: int) -> Run:
    """Many questions at once: `seconds` is until the last of them is answered. Not through `ask_panel`, where so many
    waiting calls meet their own deadline.
    """
    with watched(port) as holds, ThreadPoolExecutor(OPEN) as threads:
        resident, begun = [resident_mb(pid)], time.perf_counter()
        told = list(threads.map(lambda number: door.ask(study, f"{number}. {QUESTION}"), range(OPEN)))
        took = time.perf_counter() - begun
        resident.append(resident_mb(pid))
    return _run(f"{OPEN} open questions", door, told, took, None, holds, resident)


def _study(api: Api, personas: int, groups: int) -> tuple[str, list[str]]:
    ids = []
    for number in range(personas):
        subject = SUBJECTS[number % len(SUBJECTS)]
        body = {
            "name": f"Rider {number}",
            "discipline": "Cycling",
            "mode": "clone",
            "personaContext": f"Rider {number} hires bicycles and cares about {subject}. The {subject} are "
            f"{('excellent', 'unreliable', 'fair')[number % 3]} and that decides whether to recommend the service.",
        }
        ids.append(api.call("POST", "/minds", body)["data"]["id"])
    for mind in ids:
        while not api.call("GET", f"/minds/{mind}/training")["readyToChat"]:
            time.sleep(0.05)
    configs = [{"name": f"Group {number}", "mindIds": ids[number::groups]} for number in range(groups)]
    study: str = api.call("POST", "/studies", {"name": "Bench", "audienceConfigs": configs})["data"]["id"]
    return study, ids


def _ask(door: Door, study: str, pid: int, port: int, engine: str, ideal: float | None, questions: int) -> Run:
    resident, seconds, told = [resident_mb(pid)], [], []
    with watched(port) as holds:
        for _ in range(questions):
            begun = time.perf_counter()
            told.append(door.ask(study, QUESTION))
            seconds.append(time.perf_counter() - begun)
            resident.append(resident_mb(pid))
    return _run(engine, door, told, statistics.median(seconds), ideal, holds, resident)


def _run(
    engine: str, door: Door, told: list[Told], took: float, ideal: float | None, holds: Holds, resident: list[float]
) -> Run:
    return Run(
        engine=engine,
        door=door.name,
        answers=min(one.answers for one in told),
        failed=sum(one.failed for one in told),
        seconds=round(took, 2),
        ideal_seconds=ideal,
        of_ideal=round(took / ideal, 2) if ideal else None,
        first_answer_seconds=round(statistics.median(one.first for one in told), 2),
        longest_hold_ms=holds.longest_ms,
        holds_over_50_ms=holds.long,
        looks=len(holds.seconds),
        resident_mb=resident,
    )


@contextmanager
def _chat(folder: Path) -> Iterator[int]:
    port = free_port()
    program = [sys.executable, "-m", "bench.chat", "--port", str(port)]
    behaviour = ["--latency", str(LATENCY), "--failures", str(FAILURES)]
    with (folder / "chat.log").open("wb") as log:
        process = subprocess.Popen([*program, *behaviour], cwd=ROOT, env=environment(), stderr=log)
        try:
            yield port
        finally:
            stop(process)


def _key(settings: dict[str, str], folder: Path) -> str:
    for command in (
        ("users", "create", "--email", "bench@example.com", "--password-stdin"),
        ("keys", "create", "--user", "bench@example.com", "--name", "bench"),
    ):
        run = subprocess.run(
            [sys.executable, "-m", "app", *command],
            cwd=folder,
            env=environment(**settings),
            input="correct horse battery staple\n",
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    return run.stdout.strip()


def table(runs: list[Run]) -> str:
    heads = f"{'a question to a panel':<24} {'through':<10} {'answers':>8} {'failed':>7} {'s':>8} {'ideal':>7}"
    rows = [f"{heads} {'ratio':>6} {'hold ms':>8} {'>50 ms':>11}  RSS MB"]
    for run in runs:
        ideal = f"{run.ideal_seconds:>7.1f} {run.of_ideal:>6.2f}" if run.ideal_seconds else f"{'-':>7} {'-':>6}"
        rows.append(
            f"{run.engine:<24} {run.door:<10} {run.answers:>8} {run.failed:>7} {run.seconds:>8.2f} {ideal}"
            f" {run.longest_hold_ms:>8.1f} {f'{run.holds_over_50_ms}/{run.looks}':>11}"
            f"  {' '.join(f'{resident:.0f}' for resident in run.resident_mb)}"
        )
    return "\n".join(rows)
