"""Security headers that every answer carries, whatever made it."""

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
HSTS = "max-age=31536000; includeSubDomains"


def always(*, https: bool) -> dict[str, str]:
    """The headers of every answer; over TLS also that browsers shall stay there (RFC 6797)."""
    return {**ALWAYS, **({"strict-transport-security": HSTS} if https else {})}
