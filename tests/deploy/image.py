"""The Dockerfile, read as far as this one goes, and followed without a container engine.

`python -m tests.deploy.image FOLDER` does what its COPY and RUN lines say below FOLDER instead of below `/`, with the
Python that runs it in place of the base image's. It installs for real, so it is done by hand and by no test.
"""

import fnmatch
import json
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "deploy/Dockerfile"
NEEDS_ROOT = ("groupadd", "useradd")
"""Of no meaning outside a container."""


@dataclass(frozen=True)
class Step:
    """One instruction, with what follows its keyword as it is written."""

    keyword: str
    rest: str

    @property
    def words(self) -> list[str]:
        """The arguments without flags; of the form in JSON, its members."""
        if self.rest.startswith("["):
            return [str(word) for word in json.loads(self.rest)]
        return [word for word in shlex.split(self.rest) if not word.startswith("--")]

    @property
    def flags(self) -> dict[str, str]:
        pairs = (word.removeprefix("--").partition("=") for word in self.rest.split() if word.startswith("--"))
        return {name: value for name, _, value in pairs}


def steps(text: str) -> list[Step]:
    """The instructions in order; comments and continued lines are as the builder reads them."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines()]


def stages(text: str) -> list[list[Step]]:
    """The same, split at each FROM."""
    found: list[list[Step]] = []
    for step in steps(text):
        if step.keyword == "FROM":
            found.append([])
        found[-1].append(step)
    return found


def is_sent(path: str, ignore: str) -> bool:
    """Whether a file of the project reaches the builder, by `.dockerignore`: the last rule that fits decides."""
    sent = True
    for line in ignore.splitlines():
        rule = line.strip()
        if rule and not rule.startswith("#") and _fits(path, rule.removeprefix("!")):
            sent = rule.startswith("!")
    return sent


def _fits(path: str, rule: str) -> bool:
    parts = path.split("/")
    heads = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    if rule.startswith("**/"):
        return any(fnmatch.fnmatchcase(part, rule[3:]) for part in parts)
    return any(head.count("/") == rule.count("/") and fnmatch.fnmatchcase(head, rule) for head in heads)


def follow(folder: Path) -> None:
    """Do the COPY and RUN steps below `folder`. Nothing but what `.dockerignore` lets through is copied."""
    ignore = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    workdir = folder
    for step in steps(DOCKERFILE.read_text(encoding="utf-8")):
        if step.keyword == "WORKDIR":
            workdir = folder / step.rest.lstrip("/")
            workdir.mkdir(parents=True, exist_ok=True)
        elif step.keyword == "COPY" and "from" not in step.flags:
            *sources, target = step.words
            _copy(sources, workdir / target, ignore, into=target.endswith("/"))
        elif step.keyword == "RUN" and _may_run(step.rest):
            _run(step.rest, folder, workdir)


def _copy(sources: list[str], target: Path, ignore: str, *, into: bool) -> None:
    listed = subprocess.run(["git", "ls-files", *sources], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in filter(lambda path: is_sent(path, ignore), listed.stdout.split()):
        (source,) = [source for source in sources if path == source or path.startswith(f"{source}/")]
        there = target / source / path[len(source) :].lstrip("/") if into else target / path[len(source) :].lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, there)


def _may_run(command: str) -> bool:
    # The last stage takes the base image's own installer away, which here would be this machine's.
    return not command.startswith((*NEEDS_ROOT, "python -m pip"))


def _run(command: str, folder: Path, workdir: Path) -> None:
    here = command.replace("/opt/gateway", str(folder / "opt/gateway"))
    if here.startswith("python "):
        here = sys.executable + here.removeprefix("python")
    sys.stdout.write(f"RUN {here}\n")
    sys.stdout.flush()
    subprocess.run(["sh", "-ec", here], cwd=workdir, check=True)


if __name__ == "__main__":
    follow(Path(sys.argv[1]).resolve())
