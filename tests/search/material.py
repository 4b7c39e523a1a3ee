"""Documentation of other projects to search: shipped inside their source packages, and fetched by name and version."""

import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".venv" / "material"
LARGEST = 4 * 1024 * 1024
FETCH_SECONDS, FETCHES = 300, 3


@dataclass(frozen=True)
class Tree:
    """Markdown files of one package: those below `folder` of its archive, without the folders of `leave_out`."""

    name: str
    version: str
    kind: str
    folder: str = ""
    leave_out: tuple[str, ...] = ()


TREES = (
    Tree("next", "16.4.6", "npm", "dist/docs"),
    Tree("fastmcp", "4.1.6", "pip", "docs", ("v2", "v3")),
    Tree("mcp", "2.3.0", "pip", "docs"),
    Tree("npm", "11.21.2", "npm", "docs/content"),
    Tree("aws-cdk-lib", "2.276.0", "npm", "", ("node_modules",)),
    Tree("ai", "6.0.326", "npm", "docs"),
    Tree("instructor", "1.17.0", "pip", "docs"),
    Tree("starlette", "1.10.0", "pip", "docs"),
    Tree("@typescript-eslint/eslint-plugin", "6.21.0", "npm", "docs/rules"),
)


@dataclass(frozen=True)
class Question:
    """`answers` are the ends of the paths of the pages that answer it, or whole paths where they begin with a slash;
    one that is `aside` is never tuned on.
    """

    tree: str
    text: str
    answers: tuple[str, ...]
    aside: bool

    def is_answered_by(self, path: str) -> bool:
        return any(PurePosixPath("/", path).match(answer) for answer in self.answers)


def questions(file: str = "questions.toml") -> list[Question]:
    by_tree: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(
        Path(__file__).with_name(file).read_text(encoding="utf-8")
    )
    listed = [(tree, text, tuple(answers)) for tree, asked in by_tree.items() for text, answers in asked.items()]
    return [Question(*one, aside=number % 3 == 0) for number, one in enumerate(listed)]


def fetched(tree: Tree) -> Path:
    """The folder of its pages, fetched once for an environment. Raises RuntimeError: it cannot be fetched."""
    place = KEPT / f"{tree.name.replace('/', '-')}-{tree.version}"
    if not place.is_dir():
        KEPT.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=KEPT) as folder:
            draft = Path(folder) / "pages"
            _extract(_archive(tree, Path(folder)), draft, tree)
            try:
                draft.rename(place)
            except OSError:
                if not place.is_dir():  # else another worker of the tests was sooner, with the same pages
                    raise
    return place


def _archive(tree: Tree, folder: Path) -> Path:
    commands = {
        "pip": [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", tree.name, "-d", "."],
        "npm": ["npm", "pack", "--silent"],
    }
    between = {"pip": "==", "npm": "@"}[tree.kind]
    command = [*commands[tree.kind], f"{tree.name}{between}{tree.version}"]
    for _ in range(FETCHES):  # pip builds the metadata of a source package, which fetches more
        run = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=FETCH_SECONDS)
        if run.returncode == 0:
            return next(path for path in folder.iterdir() if path.name.endswith((".tgz", ".tar.gz")))
    raise RuntimeError(run.stderr)


def _extract(archive: Path, place: Path, tree: Tree) -> None:
    with tarfile.open(archive) as opened:
        for member, path in _pages(opened, tree):
            file = opened.extractfile(member)
            assert file is not None
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(file.read(LARGEST))


def _pages(opened: tarfile.TarFile, tree: Tree) -> Iterator[tuple[tarfile.TarInfo, PurePosixPath]]:
    for member in opened:
        path = PurePosixPath(*PurePosixPath(member.name).parts[1:])  # without the folder that names the package
        if not member.isfile() or path.suffix not in {".md", ".mdx"} or ".." in path.parts:
            continue
        if path.is_relative_to(tree.folder) and path.relative_to(tree.folder).parts[0] not in tree.leave_out:
            yield member, path.relative_to(tree.folder)
