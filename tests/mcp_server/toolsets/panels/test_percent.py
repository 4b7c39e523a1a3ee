"""A share is told as a whole percentage, the same in every place."""

import pytest

from mcp_server.toolsets.panels._percent import percent


@pytest.mark.parametrize(("share", "told"), [(0, "0 %"), (0.333, "33 %"), (0.6, "60 %"), (1, "100 %")])
def test_a_share_is_told_in_whole_percent(share: float, told: str) -> None:
    assert percent(share) == told
