"""When a server that is asked something has been silent for too long. Pure."""

from math import ceil

TURNS, TURN_SECONDS = 16, 0.0025
"""Parts of the patience, waited for one after the other: at least so many, each at most so long."""


class Silence:
    """The wait for one batch of answers, counted in turns of the event loop instead of by the clock.

    A timer that fires late tells of this process, not of the server, whose answer may be in the socket by then. So each
    turn counts as its own part of `patience`, however long it took, and in each the loop reads its sockets at least
    once: a process that gets no processor, or is stopped, uses nothing up. On an idle loop that makes `patience`; on a
    busy one, the turns of the loop that an answer needs on its way through it: three with 1,000 requests at once, ten
    with a new connection. Where the processors are shared with too many others, turns become long for those who wait as
    well as for the server, and the wait with them. Their number bounds the whole.
    """

    def __init__(self, patience: float) -> None:
        self._turns = max(TURNS, ceil(patience / TURN_SECONDS))
        self.turn_seconds = patience / self._turns
        self._left, self._heard = self._turns, 0

    @property
    def is_too_long(self) -> bool:
        return self._left <= 0

    def pass_turn(self, heard: int) -> None:
        """A turn is over, and so many answers have come in all. A new one ends the silence: a cluster's come apart."""
        self._left = self._left - 1 if heard == self._heard else self._turns
        self._heard = heard
