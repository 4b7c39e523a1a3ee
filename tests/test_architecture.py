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

MAY_BE_SHORT: dict[str, str] = {}
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
    "class StudyRequest": "AskJob",
    "Tries": "RetryPolicy",
    "Allowance": "DeadlineTimeout",
    "legible": "log_sanitizer",
    "oauth.lookalikes": "confusables",
    "dialect_question": "dialect_probe",
    "class Hub": "EventHub",
    "scribe": "answer_writer",
    "class Means": "Services",
    "unheard": "no_op",
    "untold": "no_op",
    "unbegun": "no_op",
    "unrecorded": "no_op",
    "the workshop": "the MCP server",
    "The workshop": "the MCP server",
    "self.shelf": "files",
    "figures(": "window_data",
    "class Opening": "DeferredStartup",
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


@pytest.mark.parametrize("check", [architecture.long_file, architecture.long_functions, architecture.bare_suppressions])
def test_every_source_module_keeps_the_rule(check: Callable[[str], list[str]]) -> None:
    assert offences(SOURCES, check) == []


@pytest.mark.parametrize("check", [architecture.bare_suppressions, architecture.form_of_tests])
def test_every_test_module_keeps_the_rule(check: Callable[[str], list[str]]) -> None:
    assert offences(TESTS, check) == []


def test_functions_and_files_are_short_as_a_whole() -> None:
    assert architecture.heavy_tree([text(path) for path in SOURCES]) == []


def test_the_product_stays_within_its_budget_of_lines() -> None:
    everything = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]

    assert architecture.over_budget([path.read_text(encoding="utf-8") for path in everything]) == []


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


def test_no_module_imports_itself_in_a_circle() -> None:
    assert architecture.import_cycles({dotted(path): text(path) for path in SOURCES}) == []


def test_every_exception_has_its_reason() -> None:
    assert [place for place, reason in MAY_BE_SHORT.items() if len(reason.split()) < 4] == []


# --- each check refuses what it is there to refuse, and lets the neighbouring good form pass ---

SAMPLES: list[tuple[Callable[[str], list[str]], str, str]] = [
    (architecture.long_file, "x = 1\n" * 251, "x = 1\n" * 250),
    (
        architecture.long_functions,
        "def f():\n" + "    x = 1\n" * 40,
        'def f():\n    """Nine\n    lines."""\n' + "    x = 1\n" * 39,
    ),
    (architecture.bare_suppressions, "x = 1  # no" + "qa\n", "x = 1  # a plain comment\n"),
    (architecture.bare_suppressions, "x = 1  # no" + "qa: E501\n", "x = 1  # no" + "qa: E501 - a URL\n"),
    (
        architecture.bare_suppressions,
        "x = 1  # type: ig" + "nore\n",
        "# untyped upstream\nx = 1  # type: ig" + "nore[x]\n",
    ),
    (architecture.bare_suppressions, "x = 1  # pragma: no co" + "ver\n", "x = 1  # pragma: no co" + "ver - windows\n"),
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
