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


@dataclass(slots=True)
class Fault:
    """`kind` is `altered`, `missing`, `reordered`, `repeated` or `unknown key`."""

    kind: str
    place: str
    chain: str | None
    seq: int | None
    text: str


@dataclass(slots=True)
class ChainState:
    """How far a chain has been followed in one place.

    Attributes:
        head: the mark of its latest row; None after a row that cannot be trusted.
        unknown_key: the fault that says so; until a row of the chain can be checked after all, for then it was the
            first row that was altered.
        missing: first and last number of rows that did not come yet, with the fault that says so.
        places: where else the process wrote, by the name of the sink, as its first row says; None where that is gone.
        last: the moment of the latest row that can be trusted, empty where there is none.

    """

    chain: str
    expected: int = 0
    head: str | None = NOTHING_BEFORE
    unknown_key: Fault | None = None
    missing: list[tuple[int, int, Fault]] = field(default_factory=list)
    places: Mapping[str, str] | None = None
    last: str = ""
    is_closed: bool = False


@dataclass(slots=True)
class Report:
    """What was found. `gaps` counts events that the log itself says it has lost; they are no fault.

    `chains` and `cut_before`, which retention says, are for comparing with another place.
    """

    rows: int = 0
    gaps: int = 0
    torn: int = 0
    faults: list[Fault] = field(default_factory=list)
    chains: dict[str, ChainState] = field(default_factory=dict)
    cut_before: dict[str, str] = field(default_factory=dict)

    @property
    def open_chains(self) -> int:
        """Those whose process still runs, or was killed."""
        return sum(not chain.is_closed for chain in self.chains.values())


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
        if not self.is_genuine(row):
            return
        fields = read_body(row.body)
        detail = fields.get("detail") or {}
        by = f"{fields['chain']}#{fields['seq']}"
        for chain, head in detail.get("heads", {}).items():
            self.points.setdefault(chain, {})[head["seq"]] = (head["hash"], by)
        for chain, cut in detail.get("cuts", {}).items():
            self.cuts.setdefault(chain, {})[cut["seq"]] = cut["hash"]

    def is_genuine(self, row: Stored) -> bool:
        return any(key.mark(row.body) == row.hash for key in self.keys)

    def is_cut(self, chain: str, seq: int) -> bool:
        """Whether retention has said that this row may be gone."""
        return any(seq <= through for through in self.cuts.get(chain, ()))


class Verifier:
    """Fed with every row, chain by chain in the order in which they are stored."""

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._last: ChainState | None = None
        self.report = Report()

    def feed(self, row: Stored) -> None:
        self.report.rows += 1
        try:
            fields = read_body(row.body)
        except Unreadable:
            self.unreadable(row.place)
            return
        if not self._controls.is_genuine(row):
            self._altered(row, fields)
            return
        state = self._last = self.report.chains.get(fields["chain"]) or self._begin(fields["chain"], fields["seq"])
        if state.unknown_key is not None:
            state.unknown_key.kind, state.unknown_key.text = "altered", WRONG_MARK
            state.unknown_key = None
        self._check_content(row, fields)
        self._check_order(row, fields, state)
        self._take_in(fields, state)

    def unreadable(self, place: str) -> None:
        self._spoilt(place, self._last, "this is not a row of the log")

    def finish(self) -> Report:
        for chain, points in self._controls.points.items():
            state, last = self.report.chains.get(chain), max(points)
            first = 0 if state is None else state.expected
            if first <= last and not self._controls.is_cut(chain, last):
                text = f"rows {first} to {last}: {points[last][1]} saw them"
                self._fault("missing", f"{chain}#{first}", chain, first, text)
        return self.report

    def _begin(self, chain: str, seq: int) -> ChainState:
        state = self.report.chains[chain] = ChainState(chain)
        if self._controls.is_cut(chain, seq - 1):
            # What was announced to go but is not gone is followed as well; then the cut lies further on.
            state.expected, state.head = seq, self._controls.cuts[chain].get(seq - 1)
        return state

    def _altered(self, row: Stored, fields: dict[str, Any]) -> None:
        """Nothing that the row says is to be believed; where it stands tells which row it was."""
        chain, key = fields["chain"], (fields.get("detail") or {}).get("key")
        if chain in self.report.chains or fields.get("event") != Event.AUDIT_START:
            self._spoilt(row.place, self.report.chains.get(chain, self._last), WRONG_MARK)
            return
        state = self._last = self.report.chains[chain] = ChainState(chain, head=None)
        if key in {known.id for known in self._controls.keys}:
            self._spoilt(row.place, state, WRONG_MARK)
            return
        state.expected = 1
        text = f"the rows of this chain are marked under the key {key}, which is not here"
        state.unknown_key = self._fault("unknown key", row.place, chain, 0, text)

    def _spoilt(self, place: str, state: ChainState | None, text: str) -> None:
        if state is None:
            self._fault("altered", place, None, None, text)
            return
        if state.unknown_key is None:
            self._fault("altered", place, state.chain, state.expected, text)
        state.expected, state.head = state.expected + 1, None

    def _check_content(self, row: Stored, fields: dict[str, Any]) -> None:
        chain, seq = fields["chain"], fields["seq"]
        point = self._controls.points.get(chain, {}).get(seq)
        if point is not None and point[0] != row.hash:
            self._fault("altered", row.place, chain, seq, f"{point[1]} saw another row here")
        wrong = [name for name, value in row.columns.items() if fields.get(name) != value]
        if {"chain", "seq"} & set(wrong):
            self._fault("reordered", row.place, chain, seq, "this row belongs elsewhere")
        elif wrong:
            self._fault("altered", row.place, chain, seq, f"the columns {', '.join(wrong)} differ")

    def _check_order(self, row: Stored, fields: dict[str, Any], state: ChainState) -> None:
        chain, seq, expected = state.chain, fields["seq"], state.expected
        if seq < expected:
            for first, last, fault in state.missing:
                if first <= seq <= last:
                    fault.kind, fault.place, fault.seq = "reordered", row.place, seq
                    fault.text = f"row {seq} stands after row {expected - 1}"
                    return
            self._fault("repeated", row.place, chain, seq, "a row of this number was here before")
            return
        if seq > expected:
            gone = f"row {expected}" if seq - 1 == expected else f"rows {expected} to {seq - 1}"
            fault = self._fault("missing", row.place, chain, expected, f"{gone} should stand before this one")
            state.missing.append((expected, seq - 1, fault))
        elif state.head is not None and fields.get("prev") != state.head:
            self._fault("altered", row.place, chain, seq, "it does not follow the row before it")
        state.expected, state.head = seq + 1, row.hash

    def _take_in(self, fields: dict[str, Any], state: ChainState) -> None:
        event, detail = fields.get("event"), fields.get("detail") or {}
        state.is_closed, state.last = event == Event.AUDIT_END, max(state.last, fields["time"])
        if event == Event.AUDIT_START:
            state.places = detail.get("places", {})
        elif event == Event.AUDIT_RETENTION and "days" in detail:
            before = datetime.fromisoformat(fields["time"]) - timedelta(days=detail["days"])
            self.report.cut_before |= dict.fromkeys(detail["cuts"], instant(before.timestamp()))
        elif event == Event.AUDIT_GAP:
            self.report.gaps += int(detail.get("lost", 0))

    def _fault(self, kind: str, place: str, chain: str | None, seq: int | None, text: str) -> Fault:
        fault = Fault(kind, place, chain, seq, text)
        if len(self.report.faults) < MOST_FAULTS:
            self.report.faults.append(fault)
        return fault
