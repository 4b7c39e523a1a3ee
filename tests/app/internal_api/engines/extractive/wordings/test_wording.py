"""The form of a wording."""

from dataclasses import FrozenInstanceError

import pytest

from app.internal_api.engines.extractive.wordings import wording_for


def test_a_wording_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        wording_for("en").and_ = "or"  # type: ignore[misc]  # what is tested
