"""The ids of the security matrix: attacks and faults, each of which is a test that bears its id."""

_FAMILIES = {
    "DI": "01-04 06-08 10 15-18 21-25",  # discovery
    "RG": "01 03 05-07 13 15-16 18-24 26-27 29 31 33-39",  # Registration (DCR)
    "AZ": "01-03 05-11 13-14 17-20 22-24 26 29-35",  # authorize
    "CI": "01-11",  # Client ID metadata documents
    "CO": "01 03-19",  # consent
    "CB": "01-10 13",  # upstream callback
    "TK": "01-05 07-11 14-16 18 20 22-24 26 28-30 32-34",  # token
    "RF": "01-04 06-15",  # refresh
    "RV": "01-03 06 09-12",  # revoke
    "RS": "01-12 14-23 25-29 31",  # Resource server: 401/403, tokens, sessions
    "AK": "01-07 09-11 13",  # API keys
    "JR": "01-03 05-09 11-16 18-25 27-29",  # JSON-RPC input
    "RL": "01-07 09-16",  # rate limit
    "OR": "01-05 07-13",  # CORS / Origin / Host / framing
    "HD": "01 03-10",  # headers and error hygiene
    "RE": "02-12",  # resource exhaustion
    "FI": "01-28",  # fault injection
}


def _numbers(written: str) -> list[str]:
    """`01-03 07` in full."""
    spans = [span.partition("-") for span in written.split()]
    return [f"{number:02}" for first, _, last in spans for number in range(int(first), int(last or first) + 1)]


ROWS = tuple(f"{family}-{number}" for family, written in _FAMILIES.items() for number in _numbers(written))
