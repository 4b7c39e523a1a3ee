"""Mail reaches the server that is set, and its absence holds nobody up."""

import logging
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue

import pytest

from app.oauth_outgoing import AT_ONCE, SmtpMail
from tests.loopback import certificate

SECONDS = 30


@dataclass
class Server:
    """An SMTP server on loopback: what it was told, up to the end of each message. `refuses` these addresses."""

    port: int = 0
    told: Queue[list[str]] = field(default_factory=Queue)
    tls: ssl.SSLContext | None = None
    is_tls_at_once: bool = False
    refuses: tuple[str, ...] = ()

    def url(self, host: str = "127.0.0.1", scheme: str = "smtp") -> str:
        return f"{scheme}://{host}:{self.port}"


class Talk(socketserver.StreamRequestHandler):
    """One connection to `here`."""

    here: Server

    def encrypt(self) -> None:
        assert self.here.tls is not None
        self.request = self.here.tls.wrap_socket(self.request, server_side=True)
        self.setup()

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def handle(self) -> None:
        self.lines: list[str] = []
        if self.here.is_tls_at_once:
            self.encrypt()
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            self.lines.append(line)
            self.wfile.write(self.reply(line.partition(" ")[0].upper(), line))
            if line.upper() == "STARTTLS":
                self.encrypt()

    def reply(self, word: str, line: str) -> bytes:
        if any(f"<{address}>" in line for address in self.here.refuses):
            return b"550 no\r\n"
        if word == "DATA":
            self.wfile.write(b"354 go on\r\n")
            while (text := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                self.lines.append(text)
            self.here.told.put(self.lines)
        offered = b"250-here\r\n250 STARTTLS\r\n" if self.here.tls else b"250 here\r\n"
        return {"EHLO": offered, "STARTTLS": b"220 go on\r\n", "QUIT": b"221 bye\r\n"}.get(word, b"250 fine\r\n")


@pytest.fixture
def server() -> Iterator[Server]:
    here = Server()
    talk = type("TalkHere", (Talk,), {"here": here})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), talk) as listening:
        listening.handle_error = lambda *_refused: None  # type: ignore[method-assign]  # a client that hangs up
        here.port = listening.server_address[1]
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield here
        listening.shutdown()
        thread.join()


def join_mails() -> None:
    for thread in threading.enumerate():
        if thread.name == "mail":
            thread.join(SECONDS)


def test_a_mail_is_sent_by_a_thread_of_its_own(server: Server) -> None:
    SmtpMail(server.url(), "minds@example.com")(
        "ada@example.com", "Set a password", "Open\nhttps://minds.example/x?token=y"
    )

    told = server.told.get(timeout=SECONDS)

    assert "rcpt to:<ada@example.com>" in [line.lower() for line in told]
    assert "Subject: Set a password" in told
    assert "https://minds.example/x?token=y" in told


@pytest.mark.parametrize("to", ["ada@example.com", "böb@example.com", "carol,bob@example.com"])
def test_what_cannot_be_sent_goes_to_nobody_and_is_logged_without_its_text(
    server: Server, caplog: pytest.LogCaptureFixture, to: str
) -> None:
    server.refuses = ("ada@example.com", "carol")

    with caplog.at_level(logging.WARNING):
        SmtpMail(server.url(), "minds@example.com")(to, "Set", "a secret link")
        join_mails()

    assert server.told.empty()
    assert "could not be sent" in caplog.text
    assert not [word for word in ("example.com", "secret") if word in caplog.text]


def test_nothing_is_sent_in_the_clear_across_the_network(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda _host, *_more: [(2, 1, 6, "", ("127.0.0.1", server.port))])

    with pytest.raises(OSError, match="STARTTLS"):
        SmtpMail(server.url("mail.example"), "minds@example.com").deliver("ada@example.com", "Set", "a secret link")

    assert server.told.empty()


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
@pytest.mark.parametrize("name", ["mail.example", "other.example"])
def test_what_crosses_the_network_is_encrypted_for_the_server_that_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, scheme: str, name: str
) -> None:
    server.tls, server.is_tls_at_once = certificate("mail.example", tmp_path)[0], scheme == "smtps"
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "both.pem"))
    monkeypatch.setattr("socket.getaddrinfo", lambda _host, *_more: [(2, 1, 6, "", ("127.0.0.1", server.port))])
    mail = SmtpMail(server.url(name, scheme), "minds@example.com")

    if name == "mail.example":
        mail.deliver("ada@example.com", "Set", "a secret link")
        assert "a secret link" in server.told.get(timeout=SECONDS)
    else:
        with pytest.raises(ssl.SSLCertVerificationError):
            mail.deliver("ada@example.com", "Set", "a secret link")


def test_a_server_that_says_nothing_holds_few_threads(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=2 * AT_ONCE) as silent:
        mail = SmtpMail(f"smtp://127.0.0.1:{silent.getsockname()[1]}", "minds@example.com")
        for _ in range(AT_ONCE):
            mail("ada@example.com", "Set", "a secret link")
        assert caplog.text == ""

        mail("ada@example.com", "Set", "a secret link")

        assert "dropped" in caplog.text
    join_mails()
