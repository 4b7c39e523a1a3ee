"""Mail over SMTP, sent by one thread: no request waits for it, nor does the end of a process."""

import logging
import queue
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from threading import Thread
from urllib.parse import unquote, urlsplit

from app.settings import Settings
from app.settings.origins import is_loopback

PATIENCE = 15.0
"""Seconds for each step of the dialogue."""
MOST_WAITING = 100
PORTS = {"smtp": 587, "smtps": 465}

log = logging.getLogger(__name__)


class SmtpMail:
    """Sends as `sender` through the server of a URL (`smtp://`, which begins TLS, or `smtps://`)."""

    def __init__(self, url: str, sender: str) -> None:
        self._url, self._sender = urlsplit(url), sender
        self._waiting: queue.Queue[tuple[str, str, str]] = queue.Queue(MOST_WAITING)
        self._thread: Thread | None = None

    def __call__(self, to: str, subject: str, text: str) -> None:
        """Have it sent."""
        try:
            self._waiting.put_nowait((to, subject, text))
        except queue.Full:
            log.warning("a mail was dropped: the mail server takes none, or is too slow")
        if self._thread is None:  # made by the process that sends, after any fork
            self._thread = Thread(target=self._send_all, name="mail", daemon=True)
            self._thread.start()

    def _send_all(self) -> None:
        while True:
            mail = self._waiting.get()
            try:
                self._send(*mail)
            except (OSError, smtplib.SMTPException, ValueError) as fault:  # its text may quote the address
                log.warning("a mail could not be sent: %s", type(fault).__name__)

    def _send(self, to: str, subject: str, text: str) -> None:
        if parseaddr(to)[1] != to:  # smtplib sends what is for `carol,bob@example.com` to `carol`
            raise ValueError
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self._sender, to, subject
        message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=self._sender.rpartition("@")[2])
        message.set_content(text)
        host, port = self._url.hostname or "", self._url.port or PORTS[self._url.scheme]
        tls = ssl.create_default_context()
        if self._url.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=PATIENCE, context=tls)
        else:
            server = smtplib.SMTP(host, port, timeout=PATIENCE)
        with server:
            if self._url.scheme == "smtp" and not is_loopback(host):
                server.starttls(context=tls)  # refused, it raises: a link is never sent in the clear
            if self._url.username:
                server.login(unquote(self._url.username), unquote(self._url.password or ""))
            server.send_message(message, self._sender, [to])


def open_mail(settings: Settings) -> SmtpMail | None:
    """Nothing is opened before the first mail; None where no server is set."""
    if settings.smtp_url is None or settings.mail_from is None:
        return None
    return SmtpMail(settings.smtp_url.get_secret_value(), settings.mail_from)
