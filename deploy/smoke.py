#!/usr/bin/env python3
"""Ask a deployed gateway, from outside and without a credential, whether it is what it should be.

    python deploy/smoke.py https://mcp.example.com [--json] [--timeout 10] [--ca FILE]

Needs nothing but Python 3.11: copy it anywhere. The exit status is 0 when everything is well, 1 when something is not,
2 for bad usage. `doctor` looks closer, at what each known client needs.
"""

import argparse
import http.client
import json
import ssl
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

ORIGIN, STRANGER = "https://claude.ai", "https://smoke-test.invalid"
LEAST_DAYS = 14
"""Days that the certificate has to be valid for: less, and nobody renews it."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
LARGEST = 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """What came back; `fault` instead of everything else when nothing did. `days` are left of the certificate."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    fault: str = ""
    days: float = 0

    def json(self) -> dict[str, Any]:
        try:
            found = json.loads(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Result:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


class Site:
    """The gateway, asked on a connection of its own each time."""

    def __init__(self, url: str, timeout: float, ca: str | None) -> None:
        split = urlsplit(url if "://" in url else f"https://{url}")
        if split.scheme not in {"http", "https"} or not split.hostname:
            raise ValueError(f"{url} is no http or https address")
        self.scheme, self.host, self.port = split.scheme, split.hostname, split.port
        self.origin = f"{split.scheme}://{split.netloc}"
        self._timeout = timeout
        self._tls = ssl.create_default_context(cafile=ca) if self.scheme == "https" else None

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Answer:
        """The answer, however it is meant; redirects are not followed."""
        connection = self._connection()
        try:
            connection.request(method, path, body, dict(headers or {}))
            ends = connection.sock.getpeercert()["notAfter"] if self._tls else None
            days = (ssl.cert_time_to_seconds(ends) - time.time()) / 86_400 if ends else 0
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read(LARGEST), days=days)
        except (OSError, http.client.HTTPException) as fault:
            return Answer(fault=f"{type(fault).__name__}: {fault}")
        finally:
            connection.close()

    def _connection(self) -> Any:
        if self._tls is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=self._timeout)
        return http.client.HTTPSConnection(self.host, self.port, timeout=self._timeout, context=self._tls)


def tls(site: Site) -> Iterator[Result]:
    """A certificate that the machine trusts, for some time still; plain http for this machine alone."""
    if site.scheme == "http":
        yield Result("TLS", site.host in LOOPBACK, "plain http" if site.host in LOOPBACK else "plain http to a network")
        return
    answer = site.ask("GET", "/mcp")
    yield Result(
        "TLS", answer.days >= LEAST_DAYS, answer.fault or f"the certificate is valid for {answer.days:.0f} days"
    )
    told = answer.headers.get("strict-transport-security", "")
    yield Result("HSTS", "max-age=" in told, told or "no Strict-Transport-Security")


def health(site: Site) -> Iterator[Result]:
    """Alive and well, and the metrics are nobody's business."""
    alive = site.ask("GET", "/livez")
    yield Result("alive", alive.status == 200, alive.fault or f"GET /livez: {alive.status}")
    report = site.ask("GET", "/mcp")
    status, version = report.json().get("status"), report.json().get("version")
    yield Result("health", status == "ok", report.fault or f"GET /mcp: {report.status}, {status}, version {version}")
    metrics = site.ask("GET", "/metrics", {"x-forwarded-for": "127.0.0.1"})
    closed = metrics.status in {401, 403, 404}
    yield Result("metrics closed", closed, metrics.fault or f"GET /metrics: {metrics.status}")


def discovery(site: Site) -> Iterator[Result]:
    """The documents by which a client finds its way, each in its own name."""
    resource = site.ask("GET", "/.well-known/oauth-protected-resource/mcp")
    named = resource.json().get("resource")
    yield Result("resource metadata", named == f"{site.origin}/mcp", resource.fault or f"resource: {named}")
    servers = resource.json().get("authorization_servers") or [None]
    server = site.ask("GET", "/.well-known/oauth-authorization-server")
    issuer, methods = server.json().get("issuer"), server.json().get("code_challenge_methods_supported")
    same = issuer == site.origin and servers[0] == issuer
    yield Result("issuer", same, server.fault or f"issuer: {issuer}, of the resource: {servers[0]}")
    yield Result("PKCE", methods == ["S256"], f"code_challenge_methods_supported: {methods}")
    keys = site.ask("GET", "/.well-known/jwks.json").json().get("keys") or []
    public = bool(keys) and not any("d" in key for key in keys)
    yield Result("signing keys", public, f"{len(keys)} published")


def challenge(site: Site) -> Iterator[Result]:
    """A call without a credential is told where to get one, in an answer that browsers may read."""
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        "origin": ORIGIN,
    }
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list_my_ai_personas", "arguments": {}},
    }
    answer = site.ask("POST", "/mcp", headers, json.dumps(call).encode())
    told = answer.headers.get("www-authenticate", "")
    wanted = f'resource_metadata="{site.origin}/.well-known/oauth-protected-resource/mcp"'
    yield Result("401", answer.status == 401, answer.fault or f"POST /mcp: {answer.status}")
    yield Result("challenge", told.startswith("Bearer ") and wanted in told, told or "no WWW-Authenticate")
    shown = answer.headers.get("access-control-expose-headers", "").lower()
    yield Result("challenge readable", "www-authenticate" in shown, shown or "no Access-Control-Expose-Headers")


def preflight(site: Site) -> Iterator[Result]:
    """Pages of known clients may call, and others may not."""
    wanted = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
    }
    known = site.ask("OPTIONS", "/mcp", {"origin": ORIGIN, **wanted})
    allowed = known.headers.get("access-control-allow-origin")
    yield Result("preflight", known.status in {200, 204} and allowed == ORIGIN, known.fault or f"{ORIGIN}: {allowed}")
    other = site.ask("OPTIONS", "/mcp", {"origin": STRANGER, **wanted}).headers.get("access-control-allow-origin")
    yield Result("preflight of strangers", other is None, f"{STRANGER}: {other}")


def security_headers(site: Site) -> Iterator[Result]:
    """Pages are not framed, guessed at or kept, and nobody says which version of what answered."""
    page = site.ask("GET", "/connect").headers
    policy = page.get("content-security-policy", "")
    for name, good in (
        ("x-content-type-options", page.get("x-content-type-options") == "nosniff"),
        ("content-security-policy", "frame-ancestors" in policy),
        ("referrer-policy", "referrer-policy" in page),
    ):
        yield Result(name, good, page.get(name, "missing"))
    server = page.get("server", "")
    yield Result("no versions", not any(c.isdigit() for c in server), server or "no Server header")


CHECKS = (tls, health, discovery, challenge, preflight, security_headers)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Ask a deployed gateway whether it is what it should be.")
    parser.add_argument("url", help="its public address, as in SITE_URL")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--timeout", type=float, default=10, metavar="SECONDS", help="for each answer (10)")
    parser.add_argument("--ca", metavar="FILE", help="trust these authorities, and not the machine's")
    given = parser.parse_args(arguments)
    try:
        site = Site(given.url, given.timeout, given.ca)
    except (ValueError, OSError) as fault:
        parser.error(str(fault))
    results = [result for check in CHECKS for result in check(site)]
    well = all(result.ok for result in results)
    if given.json:
        print(json.dumps({"url": site.origin, "ok": well, "results": [asdict(result) for result in results]}, indent=2))
    else:
        for result in results:
            print(f"{'ok  ' if result.ok else 'FAIL'}  {result.name}: {result.detail}")
        print(f"{site.origin} is {'well' if well else 'not well'}.")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
