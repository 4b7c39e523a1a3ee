"""What the doctor finds: for each client and each step one status, why, and what to change."""

import string
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.doctor.exchanges import quoted
from app.doctor.observations import View

Subject = TypeVar("Subject")


class Status(StrEnum):
    """`advice`: this client gets through, but another client, or a stricter day, will not.

    `undecided`: the client needs this step, and from here nobody can see whether it works.
    """

    OK = "ok"
    ADVICE = "advice"
    SKIPPED = "skipped"
    UNDECIDED = "undecided"
    FAILED = "failed"


OK, ADVICE, SKIPPED, UNDECIDED, FAILED = Status


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of one step: why, and one sentence for the operator on what to change, empty where nothing is wrong."""

    step: str
    status: Status
    why: str
    change: str = ""


class _Formatter(string.Formatter):
    """`{value!q}` is a server's word in quotation marks."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return quoted(value) if conversion == "q" else super().convert_field(value, conversion)


SENTENCES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))
"""By step and rule: `why` and `change`, in which `it` is what the check looks at, and 0, 1 ... what the rule saw."""
_FORMATTER = _Formatter()


class Check(Generic[Subject]):
    """One step: rules, the worst first, and what they look at: the whole view unless `of` names a part of it.

    A rule is a status, the name of its sentences, and a predicate. What the predicate sees stands in the sentences; a
    tuple is several values, and a list is a row for each; where no name is given, it is the name, if it is one. The
    first row counts. With `every` all of them do, but failed ones are reported alone, and nothing follows a row that
    is skipped or undecided. Without a row the step is `fine`.
    """

    def __init__(
        self,
        step: str,
        *rules: tuple[Status, str, Callable[[Subject], object]],
        of: Callable[[View], Subject | None] = lambda view: view,  # type: ignore[assignment,return-value]  # for a Check[View]
        every: bool = False,
    ) -> None:
        self.step, self._of, self._rules, self._every = step, of, rules, every

    def findings(self, view: View) -> list[Finding]:
        """What this client meets at this step; nothing where the part is missing: the step does not apply then."""
        subject = self._of(view)
        if subject is None:
            return []
        found = []
        for row in self._found(subject):
            found.append(row)
            if not self._every or row.status in {SKIPPED, UNDECIDED}:
                break
        return [row for row in found if row.status is FAILED] or found or [self._finding(OK, "fine", subject)]

    def _found(self, subject: Subject) -> Iterator[Finding]:
        for status, name, sees in self._rules:
            seen = sees(subject)
            for one in seen if isinstance(seen, list) else [seen] if seen else []:
                if name or str(one) in SENTENCES[self.step]:
                    yield self._finding(status, name or str(one), subject, one)

    def _finding(self, status: Status, name: str, subject: Subject, seen: object = None) -> Finding:
        sentences, values = SENTENCES[self.step][name], seen if isinstance(seen, tuple) else (seen,)
        why, change = (_FORMATTER.format(sentences.get(key, ""), *values, it=subject) for key in ("why", "change"))
        return Finding(self.step, status, why, change)
