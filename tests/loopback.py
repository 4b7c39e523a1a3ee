"""Real servers on loopback whose every byte a test decides."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

Reply = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


class Canary(httpx2.AsyncBaseTransport):
    """Stands where the network begins, and notes what reaches it."""

    def __init__(self, *failing: str) -> None:
        self.asked: list[httpx2.Request] = []
        self.failing = failing

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        if request.url.host in self.failing:
            raise httpx2.ConnectError("refused")
        return httpx2.Response(200, text="reached")


def resolving(*answers: Sequence[str]) -> Callable[[str, int], Awaitable[Sequence[str]]]:
    """Names are resolved to the answers in turn, and to the last one for ever."""
    waiting = list(answers)

    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return resolve


@dataclass
class Loopback:
    """What the server listens on, and the requests (request line and headers) that it has seen."""

    host: str
    port: int = 0
    heads: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://{self.netloc}"

    @property
    def netloc(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def reply(status: str, body: bytes = b"", **headers: str) -> bytes:
    """A whole HTTP/1.1 answer that closes the connection; `Content_Type` becomes `Content-Type`."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@asynccontextmanager
async def serving(
    replies: Mapping[str, Reply], *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Loopback]:
    """Answer each path with its reply, and anything else with 404."""
    here = Loopback(host)

    talks: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A client that hangs up in the middle is what half of these tests are about.
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                here.heads.append(head)
                await say(replies.get(head.split(" ")[1], reply("404 Not Found")), writer)
            finally:
                writer.close()
                await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(answer(reader, writer))
        talks.add(talk)

    server = await asyncio.start_server(accept, host, 0, ssl=tls)
    here.port = server.sockets[0].getsockname()[1]
    try:
        yield here
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


async def say(script: Reply, writer: asyncio.StreamWriter) -> None:
    if isinstance(script, bytes):
        writer.write(script)
        await writer.drain()
    else:
        await script(writer)


def certificate(name: str, folder: Path, hours: int = 1) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server context that proves `name`, and a client context that trusts its maker."""
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=hours))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=True)
        .sign(key, SHA256())
    )
    pem = folder / "both.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem)
    return tls, ssl.create_default_context(cadata=certificate.public_bytes(Encoding.PEM).decode())
