"""Mail reaches the server that is set, one after the other, and its absence holds nobody up."""

import logging
import socketserver
from collections.abc import Iterator
from dataclasses import dataclass, field
from queue import Queue
from threading import Thread

import pytest

from app.mail import MOST_WAITING, SmtpMail

SECONDS = 30


@dataclass
class Server:
    """An SMTP server on loopback: what it was told, up to the end of each message. `refuses` these addresses."""

    port: int = 0
    told: Queue[list[str]] = field(default_factory=Queue)
    refuses: tuple[str, ...] = ()

    def url(self, scheme: str = "smtp", host: str = "127.0.0.1") -> str:
        return f"{scheme}://{host}:{self.port}"


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
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield here
        listening.shutdown()
        thread.join()


def test_a_mail_that_is_refused_stops_no_other_and_is_logged_without_its_text(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    server.refuses = ("ada@example.com",)
    mail = SmtpMail(server.url(), "minds@example.com")

    with caplog.at_level(logging.WARNING):
        mail("ada@example.com", "Set", "a secret link")
        mail("böb@example.com", "Set", "a secret link")
        mail("carol,bob@example.com", "Set", "a secret link")
        mail("carol@example.com", "Set a password", "Open this:\nhttps://minds.example/x?token=y")
        told = server.told.get(timeout=SECONDS)

    assert "rcpt TO:<carol@example.com>" in told
    assert "Subject: Set a password" in told
    assert "https://minds.example/x?token=y" in told
    assert caplog.text.count("could not be sent") == 3
    assert not [word for word in ("example.com", "secret") if word in caplog.text]


def test_nothing_is_sent_in_the_clear_across_the_network(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = SmtpMail(server.url(host="127.0.0.1").replace("127.0.0.1", "localhost.localdomain"), "minds@example.com")
    monkeypatch.setattr("socket.getaddrinfo", lambda _host, *_more: [(2, 1, 6, "", ("127.0.0.1", server.port))])

    with pytest.raises(OSError, match="STARTTLS"):
        mail._send("ada@example.com", "Set", "a secret link")

    assert server.told.empty()


def test_where_no_server_takes_mail_no_more_than_a_few_wait(caplog: pytest.LogCaptureFixture) -> None:
    mail = SmtpMail("smtp://127.0.0.1:1", "minds@example.com")
    mail._thread = Thread()  # none that takes any

    for _ in range(MOST_WAITING + 1):
        mail("ada@example.com", "Set", "a secret link")

    assert "dropped" in caplog.text
