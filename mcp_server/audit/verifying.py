"""Does the log say what was written? Every row is looked at once; the first that does not fit is named. Pure.

Two passes: the first gathers what the log says of itself (`Controls`: which heads were seen by other chains, what
retention has cut off), the second reads every row (`Verifier`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mcp_server.audit.chain import NOTHING_BEFORE, ChainKey, Unreadable, instant, read_body
from mcp_server.audit.entries import Event

MOST_FAULTS = 100
WRONG_MARK = "the mark does not fit the row"


@dataclass(frozen=True, slots=True)
class Stored:
    """A row as it was found.

    Attributes:
        place: how a person finds it: file and line, or table and number.
        columns: what a table says of the row beside the row itself.

    """

    place: str
    body: bytes
    hash: str
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is `altered`, `missing`, `reordered`, `repeated` or `unknown key`."""

    kind: str
    place: str
    chain: str | None
    seq: int | None
    text: str


@dataclass(slots=True)
class End:
    """How far a chain goes in one place, for comparing it with another.

    Attributes:
        places: where else the process wrote, by the name of the sink, as its first row says; None where that is gone.
        last: the moment of the latest row.

    """

    places: Mapping[str, str] | None = None
    last: str = ""
    is_closed: bool = False


@dataclass(slots=True)
class Report:
    """What was found. `gaps` counts events that the log itself says it has lost; they are no fault.

    `ends` and `cut_before` are for comparing with another place.
    """

    rows: int = 0
    chains: int = 0
    open_chains: int = 0
    gaps: int = 0
    torn: int = 0
    faults: list[Fault] = field(default_factory=list)
    ends: dict[str, End] = field(default_factory=dict)
    cut_before: dict[str, str] = field(default_factory=dict)


class Controls:
    """What the log says of itself, as far as it is genuine.

    `points` are the marks that rows must have, each with the row that says so; `cuts` what retention has cut off.
    """

    def __init__(self, keys: Iterable[ChainKey]) -> None:
        self.keys = list(keys)
        self.points: dict[str, dict[int, tuple[str, str]]] = {}
        self.cuts: dict[str, dict[int, str]] = {}

    def gather(self, row: Stored) -> None:
        """Take in one row of `entries.CONTROL`; others, and forged ones, say nothing here."""
        if self.key_of(row) is None:
            return
        told = read_body(row.body)
        detail = told.get("detail") or {}
        by = f"{told['chain']}#{told['seq']}"
        for chain, head in detail.get("heads", {}).items():
            self.points.setdefault(chain, {})[head["seq"]] = (head["hash"], by)
        for chain, cut in detail.get("cuts", {}).items():
            self.cuts.setdefault(chain, {})[cut["seq"]] = cut["hash"]

    def key_of(self, row: Stored) -> ChainKey | None:
        """The key under which the row's mark is right. The one that fitted last is tried first."""
        for place, key in enumerate(self.keys):
            if key.mark(row.body) == row.hash:
                if place:
                    self.keys.insert(0, self.keys.pop(place))
                return key
        return None

    def is_cut(self, chain: str, seq: int) -> bool:
        """Whether retention has said that this row may be gone."""
        return any(seq <= through for through in self.cuts.get(chain, ()))


@dataclass(slots=True)
class _Walk:
    """How far a chain has been followed. A `head` of None follows a row that cannot be trusted.

    Attributes:
        unknown_key: the place of the fault that says so among the faults; until a row of the chain can be checked
            after all, for then it was the first row that was altered.

    """

    chain: str
    expected: int
    head: str | None
    unknown_key: int | None = None
    missing: list[tuple[int, int, int]] = field(default_factory=list)


class Verifier:
    """Fed with every row, chain by chain in the order in which they are stored."""

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._walks: dict[str, _Walk] = {}
        self._last: _Walk | None = None
        self.report = Report()

    def feed(self, row: Stored) -> None:
        """Look at the next row."""
        self.report.rows += 1
        try:
            told = read_body(row.body)
        except Unreadable:
            self.unreadable(row.place)
            return
        if self._controls.key_of(row) is None:
            self._altered(row, told)
            return
        walk = self._last = self._walks.get(told["chain"]) or self._begun(told)
        if walk.unknown_key is not None and walk.unknown_key < len(self.report.faults):
            first = self.report.faults[walk.unknown_key]
            self.report.faults[walk.unknown_key] = Fault("altered", first.place, walk.chain, 0, WRONG_MARK)
        walk.unknown_key = None
        self._check_content(row, told)
        self._check_place(row, told, walk)
        self._take_in(told, walk.chain)

    def unreadable(self, place: str) -> None:
        self._spoilt(place, self._last, "this is not a row of the log")

    def finish(self) -> Report:
        """What is missing at the ends, and the whole report."""
        self.report.chains = len(self._walks)
        self.report.open_chains = len(self._walks) - sum(end.is_closed for end in self.report.ends.values())
        for chain, points in self._controls.points.items():
            walk = self._walks.get(chain)
            last = max(points)
            if (walk is not None and walk.expected > last) or self._controls.is_cut(chain, last):
                continue
            first = 0 if walk is None else walk.expected
            text = f"rows {first} to {last}: {points[last][1]} saw them"
            self._fault("missing", f"{chain}#{first}", chain, first, text)
        return self.report

    def _begun(self, told: dict[str, Any]) -> _Walk:
        chain, before, walk = told["chain"], told["seq"] - 1, _Walk(told["chain"], 0, NOTHING_BEFORE)
        if self._controls.is_cut(chain, before):
            # What was announced to go but is not gone is followed as well; then the cut lies further on.
            walk = _Walk(chain, before + 1, self._controls.cuts[chain].get(before))
        self._walks[chain] = walk
        return walk

    def _altered(self, row: Stored, told: dict[str, Any]) -> None:
        """Nothing that the row says is to be believed; where it stands tells which row it was."""
        chain, named = told["chain"], (told.get("detail") or {}).get("key")
        if chain in self._walks or told.get("event") != Event.AUDIT_START:
            self._spoilt(row.place, self._walks.get(chain, self._last), WRONG_MARK)
            return
        walk = self._last = self._walks[chain] = _Walk(chain, 0, None)
        if named in {key.id for key in self._controls.keys}:
            self._spoilt(row.place, walk, WRONG_MARK)
            return
        walk.unknown_key, walk.expected = len(self.report.faults), 1
        text = f"the rows of this chain are marked under the key {named}, which is not here"
        self._fault("unknown key", row.place, chain, 0, text)

    def _spoilt(self, place: str, walk: _Walk | None, text: str) -> None:
        if walk is None:
            self._fault("altered", place, None, None, text)
            return
        if walk.unknown_key is None:
            self._fault("altered", place, walk.chain, walk.expected, text)
        walk.expected, walk.head = walk.expected + 1, None

    def _check_content(self, row: Stored, told: dict[str, Any]) -> None:
        point = self._controls.points.get(told["chain"], {}).get(told["seq"])
        if point is not None and point[0] != row.hash:
            self._fault("altered", row.place, told["chain"], told["seq"], f"{point[1]} saw another row here")
        wrong = [name for name, value in row.columns.items() if told.get(name) != value]
        if {"chain", "seq"} & set(wrong):
            self._fault("reordered", row.place, told["chain"], told["seq"], "this row belongs elsewhere")
        elif wrong:
            self._fault("altered", row.place, told["chain"], told["seq"], f"the columns {', '.join(wrong)} differ")

    def _check_place(self, row: Stored, told: dict[str, Any], walk: _Walk) -> None:
        chain, seq = told["chain"], told["seq"]
        if seq < walk.expected:
            for first, last, place in walk.missing:
                if first <= seq <= last and place < len(self.report.faults):
                    text = f"row {seq} stands after row {walk.expected - 1}"
                    self.report.faults[place] = Fault("reordered", row.place, chain, seq, text)
                    return
            self._fault("repeated", row.place, chain, seq, "a row of this number was here before")
            return
        if seq > walk.expected:
            walk.missing.append((walk.expected, seq - 1, len(self.report.faults)))
            gone = f"row {walk.expected}" if seq - 1 == walk.expected else f"rows {walk.expected} to {seq - 1}"
            self._fault("missing", row.place, chain, walk.expected, f"{gone} should stand before this one")
        elif walk.head is not None and told.get("prev") != walk.head:
            self._fault("altered", row.place, chain, seq, "it does not follow the row before it")
        walk.expected, walk.head = seq + 1, row.hash

    def _take_in(self, told: dict[str, Any], chain: str) -> None:
        event, detail = told.get("event"), told.get("detail") or {}
        end = self.report.ends.setdefault(chain, End())
        end.is_closed, end.last = event == Event.AUDIT_END, max(end.last, told["time"])
        if event == Event.AUDIT_START:
            end.places = detail.get("places", {})
        elif event == Event.AUDIT_RETENTION and "days" in detail:
            before = datetime.fromisoformat(told["time"]) - timedelta(days=detail["days"])
            self.report.cut_before |= dict.fromkeys(detail["cuts"], instant(before.timestamp()))
        elif event == Event.AUDIT_GAP:
            self.report.gaps += int(detail.get("lost", 0))

    def _fault(self, kind: str, place: str, chain: str | None, seq: int | None, text: str) -> None:
        if len(self.report.faults) < MOST_FAULTS:
            self.report.faults.append(Fault(kind, place, chain, seq, text))
