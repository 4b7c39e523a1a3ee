"""A checked authorization request as one sealed word, so that it survives the sign-in without a row anywhere.

Ten thousand abandoned requests cost nothing, tabs do not meet, and any process after any restart can go on with it.
"""

import json
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from oauth.errors import InvalidRequest
from oauth.grants import AuthorizationRequest
from oauth.primitives.clock import EPOCH, MILLISECOND
from oauth.primitives.sealing import Sealer
from oauth.settings import OAuthSettings

PURPOSE = "authorization request"
MAX_LENGTH = 6_000
"""The sign-in seals it once more into its own address, a third longer; a parameter there has 8,192 at most."""


class Handles:
    """Makes and opens them."""

    def __init__(self, sealer: Sealer, settings: OAuthSettings) -> None:
        self._sealer, self._max_age = sealer, settings.request

    def seal(self, request: AuthorizationRequest) -> str:
        """The request as URL-safe text, good from its `issued_at` for as long as the settings say.

        Raises:
            InvalidRequest: it would not fit into an address; clients put all sorts of things into their `state`.

        """
        data = asdict(request) | {
            "scopes": sorted(request.scopes),
            "prompt": sorted(request.prompt),
            "issued_at": (request.issued_at - EPOCH) // MILLISECOND,
        }
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        handle = self._sealer.seal(PURPOSE, text.encode(), request.issued_at)
        if len(handle) > MAX_LENGTH:
            raise InvalidRequest("The request is too long; send a shorter state.")
        return handle

    def open(self, handle: str, now: datetime) -> AuthorizationRequest:
        """The request.

        Raises:
            Tampered: it was not sealed here for this purpose, or is too old (`Stale`).

        """
        data: dict[str, Any] = json.loads(self._sealer.open(PURPOSE, handle, max_age=self._max_age, now=now))
        known = {field.name for field in fields(AuthorizationRequest)}  # a newer process may have sealed more
        return AuthorizationRequest(
            **{name: value for name, value in data.items() if name in known}
            | {
                "scopes": frozenset(data["scopes"]),
                "prompt": frozenset(data["prompt"]),
                "issued_at": EPOCH + data["issued_at"] * MILLISECOND,
            }
        )
