"""The shape of the tree: ceilings, and what a module may not do. Layers are import-linter's job."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest

from tests import architecture

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("app", "mcp_server", "oauth")
SOURCES = sorted(
    path.relative_to(ROOT)
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if "versions" not in path.parts  # migrations are history: written once, never refactored
)
TESTS = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py") if "node_modules" not in path.parts)

MAY_READ_THE_ENVIRONMENT = {
    "app/commands/serve.py": "writes what each worker, a fresh process, reads: --host, --port, the folder of metrics",
}
"""Module -> reason. Settings classes read it through pydantic-settings and need no entry."""

MAY_CATCH_EVERYTHING = {
    "app/http/request_context.py:__call__": "a request's outermost frame: a bug is logged and shows its id alone",
    "app/inprocess_transport.py:_serve": "an application's outermost frame: a bug is logged and breaks the answer",
    "app/internal_api/panels/exporter.py:_make_or_fail": "a job's boundary: one fault must not stop the other jobs",
    "app/internal_api/panels/respondent.py:respond": "a persona's boundary: a fault must not cost the others' answers",
    "app/internal_api/panels/worker.py:run": "a question's boundary: one fault must not stop the other questions",
    "app/internal_api/http/api.py:__call__": "the API's boundary: a fault is logged and becomes a bare 500",
    "app/internal_api/training/worker.py:_train_or_fail": "a job's boundary: one fault must not stop the other jobs",
    "app/limits/failover.py:_watch": "a watcher's boundary: a fault is logged and must not end the looking for good",
    "mcp_server/protocol/stateless_http.py:_serve": "the outermost frame of a request: the SDK logs and maps a bug",
    "mcp_server/pipeline.py:run": "the outermost frame of a tool: a bug is logged with its trace and shows nothing",
}
"""`module:function` -> reason."""


MAY_BE_SHORT: dict[str, str] = {
    "app.http.edge": "the order of the middlewares, where a reader of one request begins; a test builds it alone",
    "app.metrics.tracing": "it is imported without the OpenTelemetry SDK, which it loads only where spans are made",
}
"""Module with one importer -> why it stands alone."""

GLOSSARY = {
    "Crowd": "ConnectionRegistry",
    "give_way": "evict",
    "own_way": "inprocess_transport",
    "OwnWay": "InProcessTransport",
    "wire_answers": "raw_responses",
    "gatehouse": "oauth_wiring, or authorization server",
    "to_api": "upstream_config",
    "at_once": "concurrency_limit",
    "class Guesses": "RequestLimits",
    "RefusedMiddleware": "Admission",
    "LastTold": "shadow_state",
    "LeanWindows": "InMemorySlidingWindow",
    "Toll": "Cost",
    "Asker": "RateLimitKey",
    "asker_of": "rate_limit_key",
    "Shelf": "FileStore",
    "class Wish": "AskRequest",
    "class Asking": "AskJob",
    "Tries": "RetryPolicy",
    "Allowance": "DeadlineTimeout",
    "legible": "log_sanitizer",
    "oauth.lookalikes": "confusables",
    "dialect_question": "dialect_probe",
    "class Hub": "EventHub",
    "scribe": "answer_writer",
    "class Means": "PanelDependencies",
    "unheard": "no_op",
    "untold": "no_op",
    "unbegun": "no_op",
    "unrecorded": "no_op",
    "the workshop": "the MCP server",
    "the gatehouse": "the authorization server",
    "The way out": "the HTTP client",
    "the way out": "the HTTP client",
    "stranger in the house": "separate package",
}
"""A word of this project's own -> the term of the RFC or library that everybody knows."""


def dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@cache
def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def offences(paths: list[Path], check: Callable[[str], list[str]]) -> list[str]:
    return [f"{path}: {offence}" for path in paths for offence in check(text(path))]


@pytest.mark.parametrize(
    "check",
    [
        architecture.long_file,
        architecture.long_functions,
        architecture.hidden_imports,
        architecture.missing_docstring,
        architecture.unfinished,
        architecture.bare_suppressions,
        architecture.wrong_client,
    ],
)
def test_every_source_module_keeps_the_rule(check: Callable[[str], list[str]]) -> None:
    assert offences(SOURCES, check) == []


@pytest.mark.parametrize(
    "check",
    [
        architecture.hidden_imports,
        architecture.unfinished,
        architecture.bare_suppressions,
        architecture.wrong_client,
        architecture.form_of_tests,
    ],
)
def test_every_test_module_keeps_the_rule(check: Callable[[str], list[str]]) -> None:
    assert offences(TESTS, check) == []


def test_functions_and_files_are_short_as_a_whole() -> None:
    assert architecture.heavy_tree([text(path) for path in SOURCES]) == []


def test_the_product_stays_within_its_budget_of_lines() -> None:
    assert architecture.over_budget([text(path) for path in SOURCES]) == []


def test_no_folder_is_crowded() -> None:
    assert architecture.crowded_folders(SOURCES) == []


def test_no_module_is_a_fragment_of_its_only_importer() -> None:
    fragments = set(architecture.fragments({dotted(path): text(path) for path in SOURCES}))

    assert fragments == set(MAY_BE_SHORT)


def test_names_are_the_standard_terms_of_the_field() -> None:
    documents = [path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))]
    pages = [path for path in documents if path.name != "CHANGELOG.md"]

    assert offences([*SOURCES, *pages], partial(architecture.private_words, words=GLOSSARY)) == []


def test_no_folder_is_deep() -> None:
    assert [f"{path}: {offence}" for path in SOURCES for offence in architecture.deep_folder(path)] == []


def test_only_commands_print() -> None:
    silent = [path for path in SOURCES if path.parts[:2] != ("app", "commands")]

    assert offences(silent, architecture.prints) == []


def test_the_environment_is_read_by_settings_only() -> None:
    readers = {path.as_posix() for path in SOURCES if architecture.environment_reads(text(path))}

    assert readers == set(MAY_READ_THE_ENVIRONMENT)


def test_everything_is_caught_only_where_a_reason_is_listed() -> None:
    places = {f"{path.as_posix()}:{place}" for path in SOURCES for place in architecture.broad_excepts(text(path))}

    assert places == set(MAY_CATCH_EVERYTHING)


def test_no_module_imports_itself_in_a_circle() -> None:
    assert architecture.import_cycles({dotted(path): text(path) for path in SOURCES}) == []


def test_every_exception_has_its_reason() -> None:
    listed = MAY_READ_THE_ENVIRONMENT | MAY_CATCH_EVERYTHING | MAY_BE_SHORT

    assert [place for place, reason in listed.items() if len(reason.split()) < 4] == []


# --- each check refuses what it is there to refuse, and lets the neighbouring good form pass ---

SAMPLES: list[tuple[Callable[[str], list[str]], str, str]] = [
    (architecture.long_file, "x = 1\n" * 251, "x = 1\n" * 250),
    (
        architecture.long_functions,
        "def f():\n" + "    x = 1\n" * 40,
        'def f():\n    """Nine\n    lines."""\n' + "    x = 1\n" * 39,
    ),
    (architecture.hidden_imports, "def f():\n    import os\n", "import os\n"),
    (architecture.prints, "def f():\n    print('x')\n", "def f():\n    'print(1)'\n    pprint(1)\n"),
    (architecture.missing_docstring, "x = 1\n", '"""What it is for."""\nx = 1\n'),
    (architecture.environment_reads, "import os\nx = os.environ['A']\n", "import os\nx = os.getpid()\n"),
    (architecture.environment_reads, "from os import environ\n", "from os import path\n"),
    (
        architecture.broad_excepts,
        "def f():\n    try:\n        g()\n    except Exception:\n        pass\n",
        "def f():\n    try:\n        g()\n    except ValueError:\n        pass\n",
    ),
    (architecture.broad_excepts, "try:\n    g()\nexcept:\n    pass\n", "x = Exception\n"),
    (architecture.broad_excepts, "try:\n    g()\nexcept (OSError, BaseException):\n    pass\n", ""),
    (architecture.unfinished, "x = 1  # TO" + "DO: later\n", "x = 'TO" + "DO in text'\n"),
    (architecture.unfinished, '"""FIX' + 'ME."""\n', '"""Fixed."""\n'),
    (architecture.bare_suppressions, "x = 1  # no" + "qa\n", "x = 1  # a plain comment\n"),
    (architecture.bare_suppressions, "x = 1  # no" + "qa: E501\n", "x = 1  # no" + "qa: E501 - a URL\n"),
    (
        architecture.bare_suppressions,
        "x = 1  # type: ig" + "nore\n",
        "# untyped upstream\nx = 1  # type: ig" + "nore[x]\n",
    ),
    (
        architecture.bare_suppressions,
        "x = 1  # pragma: no co" + "ver\n",
        "x = 1  # pragma: no co" + "ver - windows\n",
    ),
    (architecture.wrong_client, "import httpx\n", "import httpx2\n"),
    (architecture.form_of_tests, "class TestIt:\n    pass\n", "class Sample:\n    pass\n"),
    (
        architecture.form_of_tests,
        "async def test():\n    await anyio.sleep(1)\n",
        "async def test():\n    while x:\n        await anyio.sleep(1)\n    await anyio.sleep(0)\n",
    ),
]


@pytest.mark.parametrize(("check", "bad", "good"), SAMPLES)
def test_a_check_refuses_the_bad_sample_and_passes_the_good_one(
    check: Callable[[str], list[str]], bad: str, good: str
) -> None:
    assert check(bad) != []
    assert check(good) == []


def test_a_short_module_with_one_importer_is_a_fragment() -> None:
    short, long = "x = 1\n" * 39, "x = 1\n" * 40

    assert architecture.fragments({"a": short, "b": "import a\n" + long}) == ["a"]
    assert architecture.fragments({"a": short, "b": "import a\n" + long, "c": "import a\n" + long}) == []
    assert architecture.fragments({"a": long, "b": "import a\n" + long}) == []


def test_a_private_word_is_found_and_a_longer_word_is_not() -> None:
    assert architecture.private_words("class Hub:", {"Hub": "EventHub"}) == ["'Hub': the standard term is 'EventHub'"]
    assert architecture.private_words("class EventHub:", {"Hub": "EventHub"}) == []


def test_a_circle_of_imports_is_found_and_neither_a_line_nor_a_package_that_imports_its_module() -> None:
    package = "from p.a import x"

    assert architecture.import_cycles({"a": "import b", "b": "from c import x", "c": "import a"}) != []
    assert architecture.import_cycles({"a": "import b", "b": "from c import x", "c": ""}) == []
    assert architecture.import_cycles({"p": package, "p.a": "from p import b", "p.b": ""}) == []
    assert architecture.import_cycles({"p": package, "p.a": "from p import CONSTANT", "p.b": ""}) != []
