"""Mail reaches the server that is set, and its absence holds nobody up."""

import logging
import socket
import socketserver
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from queue import Queue

import pytest

from app.mail import AT_ONCE, SmtpMail

SECONDS = 30


@dataclass
class Server:
    """An SMTP server on loopback: what it was told, up to the end of each message. `refuses` these addresses."""

    port: int = 0
    told: Queue[list[str]] = field(default_factory=Queue)
    refuses: tuple[str, ...] = ()

    def url(self, host: str = "127.0.0.1") -> str:
        return f"smtp://{host}:{self.port}"


@pytest.fixture
def server() -> Iterator[Server]:
    here = Server()

    class Talk(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            lines: list[str] = []
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline().decode().rstrip("\r\n"):
                lines.append(line)
                if line.upper() == "DATA":
                    self.wfile.write(b"354 go on\r\n")
                    while (text := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                        lines.append(text)
                    here.told.put(lines)
                is_refused = any(f"<{address}>" in line for address in here.refuses)
                self.wfile.write(
                    b"550 no\r\n" if is_refused else b"221 bye\r\n" if line.upper() == "QUIT" else b"250 fine\r\n"
                )

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Talk) as listening:
        here.port = listening.server_address[1]
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield here
        listening.shutdown()
        thread.join()


def test_a_mail_is_sent_by_a_thread_of_its_own(server: Server) -> None:
    SmtpMail(server.url(), "minds@example.com")(
        "ada@example.com", "Set a password", "Open\nhttps://minds.example/x?token=y"
    )

    told = server.told.get(timeout=SECONDS)

    assert "rcpt TO:<ada@example.com>" in told
    assert "Subject: Set a password" in told
    assert "https://minds.example/x?token=y" in told


@pytest.mark.parametrize("to", ["ada@example.com", "böb@example.com", "carol,bob@example.com"])
def test_what_cannot_be_sent_goes_to_nobody_and_is_logged_without_its_text(
    server: Server, caplog: pytest.LogCaptureFixture, to: str
) -> None:
    server.refuses = ("ada@example.com", "carol")

    with caplog.at_level(logging.WARNING):
        SmtpMail(server.url(), "minds@example.com")(to, "Set", "a secret link")
        for thread in threading.enumerate():
            if thread.name == "mail":
                thread.join(SECONDS)

    assert server.told.empty()
    assert "could not be sent" in caplog.text
    assert not [word for word in ("example.com", "secret") if word in caplog.text]


def test_nothing_is_sent_in_the_clear_across_the_network(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda _host, *_more: [(2, 1, 6, "", ("127.0.0.1", server.port))])

    with pytest.raises(OSError, match="STARTTLS"):
        SmtpMail(server.url("mail.example"), "minds@example.com").deliver("ada@example.com", "Set", "a secret link")

    assert server.told.empty()


def test_a_server_that_says_nothing_holds_few_threads(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=2 * AT_ONCE) as silent:
        mail = SmtpMail(f"smtp://127.0.0.1:{silent.getsockname()[1]}", "minds@example.com")
        for _ in range(AT_ONCE):
            mail("ada@example.com", "Set", "a secret link")
        assert caplog.text == ""

        mail("ada@example.com", "Set", "a secret link")

        assert "dropped" in caplog.text
