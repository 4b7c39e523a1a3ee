"""Where a browser goes on after it signed in: a path of this site, sealed, so that no link can lead elsewhere."""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from oauth.primitives.sealing import Sealer, Tampered

HOME = "/account"
PURPOSE = "return"
MAX_AGE = timedelta(days=1)  # a sign-in page may stay open over lunch; what it leads to has an age of its own
# One slash, then neither slash nor backslash: browsers read `//host` and `/\host` as another site.
LOCAL = re.compile(r"/(?![/\\])[\x21-\x7e]*")


@dataclass(frozen=True, slots=True)
class Return:
    """`fresh`: the person must prove anew who they are, also to a provider that still knows them."""

    path: str
    fresh: bool = False


class Returning:
    """Seals and opens return paths."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer

    def seal(self, path: str, now: datetime, *, fresh: bool = False) -> str:
        """The value of `continue` that leads to `path`.

        Raises:
            ValueError: `path` is not a path of this site: a fault of ours, never of a visitor.

        """
        if not LOCAL.fullmatch(path):
            raise ValueError("a return path begins with one slash and is printable ASCII")
        return self._sealer.seal(PURPOSE, json.dumps([path, fresh]).encode(), now)

    def open(self, sealed: str | None, now: datetime) -> Return:
        """Where to go on: `HOME` when nothing was given, or nothing that we sealed within a day."""
        try:
            path, fresh = json.loads(self._sealer.open(PURPOSE, sealed or "", max_age=MAX_AGE, now=now))
        except Tampered:
            return Return(HOME)
        return Return(path, fresh)
