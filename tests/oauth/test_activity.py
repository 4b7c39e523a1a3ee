"""What happened is known by what was said of it then."""

from dataclasses import FrozenInstanceError
from datetime import datetime

import pytest

from oauth.activity import Happening


def test_what_happened_cannot_be_changed_and_needs_no_name(now: datetime) -> None:
    happening = Happening(now, "signed_in", None, "ok")

    assert happening.client_name is None
    with pytest.raises(FrozenInstanceError):
        happening.event = "signed_out"  # type: ignore[misc]  # that it is refused is what is asked
