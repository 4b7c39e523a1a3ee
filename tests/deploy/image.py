"""The Dockerfile, read as far as this one goes, without a container engine."""

import fnmatch
import json
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "deploy/Dockerfile"


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
