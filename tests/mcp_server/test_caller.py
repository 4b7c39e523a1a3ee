"""Nobody is somebody by accident, and a caller's secret is not printed."""

from dataclasses import FrozenInstanceError

import pytest

from tests.support import ADA


def test_a_caller_cannot_be_changed_and_does_not_show_the_secret() -> None:
    with pytest.raises(FrozenInstanceError):
        ADA.subject = "bob"  # type: ignore[misc]  # that it cannot be set is the point

    assert "minds_ada" not in repr(ADA) + str(ADA)
