"""When a server that is asked something has been silent for too long. Pure."""

TURNS = 16
"""Parts of the patience, waited for one after the other."""

LATE, LATE_PARTS = 4.0, 2
"""A turn that took so many times as long as it should is late, and so many late ones count as one that was in time."""


class Silence:
    """The wait for one batch of answers, counted in turns of the event loop instead of by the clock.

    A timer that fires late tells of this process, not of the server, whose answer may be in the socket by then. So a
    turn counts as its own part of `patience` at most, and in each the loop reads its sockets at least once: a process
    that gets no processor, or is stopped, uses nothing up. On an idle loop that makes `patience`; on a busy one, the
    turns of the loop that an answer needs on its way through it: three with 1,000 requests at once, ten with a new
    connection. Turns that are late, one after the other, tell of processors that are shared with too many others: the
    server beside us gets as little of them, so that two such turns count for one. Thirty-two turns are the bound.
    """

    def __init__(self, patience: float) -> None:
        self.turn_seconds = patience / TURNS
        self._parts = self._left = TURNS * LATE_PARTS
        self._heard = 0

    @property
    def is_too_long(self) -> bool:
        return self._left <= 0

    def pass_turn(self, heard: int, seconds: float) -> None:
        """A turn is over that took `seconds`, and so many answers have come in all.

        A new answer ends the silence: a cluster's come apart.
        """
        used = 1 if seconds > LATE * self.turn_seconds else LATE_PARTS
        self._left = self._left - used if heard == self._heard else self._parts
        self._heard = heard
