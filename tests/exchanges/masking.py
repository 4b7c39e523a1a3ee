"""Placeholders for what is random or timed in an exchange: equal values get the same one within a group."""

import re
from collections import defaultdict

SECRET_FIELDS = (
    "access_token|refresh_token|device_code|user_code|client_id|client_secret|registration_client_uri|"
    "registration_access_token|jti|sid|kid"
)
UNNUMBERED = frozenset({"request-id", "time", "date"})
"""Two times may be equal or not, as it happens; and numbers of request ids would change after each added exchange."""
ANYWHERE: tuple[tuple[str, str], ...] = (
    ("request-id", r"(?im)^x-request-id: (\S+)"),
    ("uuid", r"\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b"),
    ("key", r"\b(minds_[A-Za-z0-9_-]{20,})"),
    ("token", r"\b(eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)"),
    ("time", r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)"),
    ("value", r'"(?:x|y|n)":\s*"([A-Za-z0-9_-]{40,})"'),
    ("basic", r"(?i)\bbasic ([A-Za-z0-9+/=]{8,})"),
    ("key-hint", r"\b(minds_[0-9a-f]{6}…[0-9a-f]{4})"),
    ("key-id", r"/account/keys/([a-z0-9]{10,})/"),
    ("key-hint", r"(…[0-9a-f]{4})\b"),
    ("date", r"-(20\d\d-\d\d-\d\d)\.(?:csv|json|md|pdf|xlsx)\b"),
    ("date", r"\b((?:\w{3}, )?\d{1,2} \w{3,9} 20\d\d(?:,? \d\d:\d\d(?::\d\d)?)?(?: (?:GMT|UTC))?)"),
    ("hex", r"\b([0-9a-f]{16,})\b"),
    ("value", rf'"(?:{SECRET_FIELDS})":\s*"([^"]{{4,}})"'),
    ("digest", r"\bui://widget/\w+\.([0-9a-f]{12})\.html"),
    ("cookie", r"(?im)^(?:set-)?cookie: [^=\s]+=([^;\s]{8,})"),
    (
        "value",
        r"[?&\n](?:code|continue|request|client_id|user_code|signature|token|refresh_token|csrf)=([^&\s\"'<>]{6,})",
    ),
    ("field", r'type="hidden" name="[^"]+" value="([^"]{20,})"'),
    ("nonce", r"'nonce-([^']+)'"),
)
"""Kind and pattern; the first group of the pattern is what varies."""
UNEVEN = re.compile("<(?:timed|date|used or not)>")
"""Placeholders for values that differ in length, so that the length of the body says nothing."""
REPLACED: tuple[tuple[str, str], ...] = (
    (
        r"(?im)^((?:x-ratelimit-reset|ratelimit-reset|retry-after|date|last-modified|etag|x-response-time): ).*$",
        r"\1<timed>",
    ),
    (r"(?im)^(x-ratelimit-remaining: |ratelimit: .*;r=)\d{3,}\b", r"\1<many>"),
    (
        r'(?i)("(?:uptime|iat|nbf|exp|expires|expires_at|client_id_issued_at|retryAfter|retryAfterSeconds|reset)":\s*)[\d.]+',
        r"\1<timed>",
    ),
    (r'("(?:toolCalls|toolFailures|queued)":\s*)\d+', r"\1<timed>"),
    (r"([?&]expires=)\d+", r"\1<timed>"),
    (r"\b(try again in |after |in )\d+ seconds?\b", r"\1<timed> seconds"),
    (r"\bt=\d+\b", "t=<timed>"),
    (r"(?im)^(content-range: bytes [^/]+/)\d+", r"\1<size>"),
    (r'\bdatetime="[^"]+"', 'datetime="<timed>"'),
    (r"not used yet|last used <time[^>]*>[^<]+</time>", "<used or not>"),
)
"""Pattern and replacement for what may differ by a second and refers to nothing."""


class Masks:
    """The placeholders of one group."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._counts: defaultdict[str, int] = defaultdict(int)

    def applied(self, text: str) -> str:
        """`text` with a placeholder for each varying value, in the order in which they were first seen."""
        for kind, pattern in ANYWHERE:
            for found in re.finditer(pattern, text):
                self.learn(kind, found.group(1))
        for value in sorted(self._known, key=len, reverse=True):
            text = text.replace(value, self._known[value])
        for pattern, replacement in REPLACED:
            text = re.sub(pattern, replacement, text)
        return text

    def learn(self, kind: str, value: str) -> None:
        """Give `value` a placeholder of its own, unless it has one."""
        if value not in self._known and "<" not in value:
            self._counts[kind] += 1
            self._known[value] = f"<{kind}>" if kind in UNNUMBERED else f"<{kind}-{self._counts[kind]}>"
