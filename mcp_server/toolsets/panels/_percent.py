"""Shares as people read them. Pure."""


def percent(share: float) -> str:
    """A share from 0 to 1 as a whole percentage: `60 %`."""
    return f"{share * 100:.0f} %"
