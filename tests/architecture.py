"""What the shape of the tree must be: each check takes a path or source text and returns the offences.

Nothing here reads the project by itself; `test_architecture.py` hands it over, and hands each check a sample
that must be refused, because a check that cannot fail guards nothing.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median, quantiles

FILE_CEILING, FILE_P90 = 250, 200
FUNCTION_CEILING, FUNCTION_MEDIAN, FUNCTION_P90 = 40, 8, 25
FUNCTION_P90_FLOOR = 13
"""Below it, code is cut into so many pieces that a reader jumps more than he reads."""
DEPTH_CEILING = 4
FOLDER_CEILING = 20
MODULE_FLOOR = 40
BUDGET = 56_424
"""Lines of the product, migrations included. Lowered as the tree falls, and raised for new toolsets and pages only."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def parsed(source: str) -> ast.Module:
    """The syntax tree, which every check of the same text shares."""
    return ast.parse(source)


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def function_length(function: Function) -> int:
    """Lines from `def` to the end, without the docstring and without decorators."""
    length = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        length -= (first.end_lineno or first.lineno) - first.lineno + 1
    return length


def long_file(source: str) -> list[str]:
    """The file ceiling."""
    lines = len(source.splitlines())
    return [f"{lines} lines, at most {FILE_CEILING}"] if lines > FILE_CEILING else []


def long_functions(source: str) -> list[str]:
    """The function ceiling."""
    found = [(f.name, function_length(f)) for f in functions(parsed(source))]
    return [f"{name} has {n} lines, at most {FUNCTION_CEILING}" for name, n in found if n > FUNCTION_CEILING]


def heavy_tree(sources: list[str]) -> list[str]:
    """Medians and ninth deciles over the whole tree, which no single file can show."""
    files = [len(source.splitlines()) for source in sources if source.strip()]
    lengths = [function_length(f) for source in sources for f in functions(parsed(source))]
    figures = {
        "median function": (median(lengths or [0]), FUNCTION_MEDIAN),
        "ninth decile of functions": (ninth_decile(lengths), FUNCTION_P90),
        "ninth decile of files": (ninth_decile(files), FILE_P90),
    }
    heavy = [f"{what}: {n:g} lines, at most {top}" for what, (n, top) in figures.items() if n > top]
    if (p90 := ninth_decile(lengths)) < FUNCTION_P90_FLOOR:
        heavy.append(f"ninth decile of functions: {p90:g} lines, at least {FUNCTION_P90_FLOOR}")
    return heavy


def crowded_folders(paths: list[Path]) -> list[str]:
    """Folders with more modules than a reader can take in; `__init__.py` does not count."""
    count = Counter(path.parent.as_posix() for path in paths if path.stem != "__init__")
    return [f"{folder}: {n} modules, at most {FOLDER_CEILING}" for folder, n in count.items() if n > FOLDER_CEILING]


def fragments(sources: Mapping[str, str]) -> list[str]:
    """Modules that are short and serve one other module only: they belong into it. `sources` by dotted names."""
    importers = Counter(name for text in sources.values() for name in set(_imported_modules(text, sources)))
    short = (name for name, text in sources.items() if 0 < len(text.splitlines()) < MODULE_FLOOR)
    return [name for name in short if importers[name] == 1]


def over_budget(sources: list[str]) -> list[str]:
    """The lines of the whole product."""
    lines = sum(len(source.splitlines()) for source in sources)
    return [f"{lines} lines, at most {BUDGET}"] if lines > BUDGET else []


def private_words(text: str, words: Mapping[str, str]) -> list[str]:
    """Words of this project's own where the field has a standard term; `words` maps the one to the other."""
    found = set(re.findall(rf"\b(?:{'|'.join(map(re.escape, words))})\b", text))
    return [f"{word!r}: the standard term is {words[word]!r}" for word in sorted(found)]


def ninth_decile(lengths: list[int]) -> float:
    """The length that nine of ten do not exceed."""
    return quantiles(lengths, n=10, method="inclusive")[8] if len(lengths) > 1 else sum(lengths)


def deep_folder(path: Path) -> list[str]:
    """`path` is relative and begins with the package."""
    depth = len(path.parent.parts) - 1
    return [f"{depth} folders below the package, at most {DEPTH_CEILING}"] if depth > DEPTH_CEILING else []


def comments(source: str) -> Iterator[tuple[int, str, str]]:
    """Line number, comment, and the whole line it stands on."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, token.line


_SUPPRESSION = re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma:\s*no (?:cover|branch))")
_CODES = re.compile(r"#\s*noqa:\s*[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*|#\s*type:\s*ignore\[[\w\-, ]+\]|#\s*pragma:\s*no \w+")


def bare_suppressions(source: str) -> list[str]:
    """A silenced tool names its rule, and gives a reason on the line or in a comment right above it."""
    if not _SUPPRESSION.search(source):
        return []
    lines = source.splitlines()
    return [
        f"line {number}: {text.strip()} needs {'a reason' if _CODES.match(text) else 'the name of the rule'}"
        for number, text, _ in comments(source)
        if _SUPPRESSION.match(text) and not (_CODES.match(text) and (_reason(text) or _comment_above(lines, number)))
    ]


def _reason(comment: str) -> bool:
    return re.search(r"[A-Za-z]{3,}", _CODES.sub("", comment)) is not None


def _comment_above(lines: list[str], number: int) -> bool:
    return number > 1 and lines[number - 2].strip().startswith("#")


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything imported; `from a import b` is `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def import_cycles(sources: Mapping[str, str]) -> list[str]:
    """`sources` maps dotted module names to their text."""
    graph = {name: set(_imported_modules(text, sources)) - {name} for name, text in sources.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as cycle:
        return [" is imported by ".join(cycle.args[1])]
    return []


def _imported_modules(source: str, known: Mapping[str, str]) -> Iterator[str]:
    """What is imported from a package is its submodule of that name, or else something that it holds itself."""
    for _, name in imported(parsed(source)):
        if name in known:
            yield name
        elif (holder := name.rpartition(".")[0]) in known:
            yield holder


def form_of_tests(source: str) -> list[str]:
    """Tests are functions, and wait for events instead of sleeping; a poll may sleep inside its loop."""
    if "sleep(" not in source and "class Test" not in source:
        return []
    tree = parsed(source)
    polled = {id(n) for loop in ast.walk(tree) if isinstance(loop, _LOOPS) for n in ast.walk(loop)}
    classes = [f"class {n.name}" for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name.startswith("Test")]
    sleeps = [
        f"line {n.lineno}: {ast.unparse(n)}"
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and id(n) not in polled and _sleeps(n)
    ]
    return classes + sleeps


_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def _sleeps(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rsplit(".", 1)[-1]
    yields_only = [ast.unparse(argument) for argument in call.args] == ["0"]
    return name == "sleep" and not yields_only
