"""How the authorization server reaches others. It fetches clients' metadata documents and key sets, from public
addresses only, and sends mail over SMTP, by threads of its own: no request waits for it, nor does the end of a process.
"""

import asyncio
import logging
import smtplib
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from threading import BoundedSemaphore, Thread
from urllib.parse import unquote, urlsplit

import httpx2

from app.settings import Settings
from app.settings.origins import is_loopback
from mcp_server.upstream.addresses import AddressRefused, parse_hosts
from mcp_server.upstream.web import Resolve, open_web, resolve_host
from oauth.primitives.fetching import Fetched, FetchFailed, FetchRefused, TooLarge

# Nothing compressed: five kilobytes need no compression, and what is not unpacked cannot explode.
HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}
OK = 200


class GuardedFetch:
    """The `Fetch` of `oauth.primitives.fetching`, on a client that reaches public addresses only."""

    def __init__(self, web: httpx2.AsyncClient) -> None:
        self._web = web

    async def __call__(self, url: str, *, max_bytes: int, seconds: float) -> Fetched:
        try:
            # One limit for the whole of it: a byte now and then keeps any timeout between two bytes waiting.
            async with asyncio.timeout(seconds):
                return await self._get(url, max_bytes)
        except AddressRefused as refused:
            raise FetchRefused(refused.code) from None
        except TimeoutError:
            raise FetchFailed(f"no answer within {seconds:g} seconds") from None
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            raise FetchFailed(type(error).__name__) from None

    async def aclose(self) -> None:
        await self._web.aclose()

    async def _get(self, url: str, max_bytes: int) -> Fetched:
        async with self._web.stream("GET", url, headers=HEADERS, follow_redirects=False) as response:
            headers = dict(response.headers)
            if response.status_code != OK:
                return Fetched(response.status_code, headers, b"")  # its body is of no use, and may have no end
            if headers.get("content-encoding", "identity") != "identity":
                raise FetchFailed("compressed without being asked")
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) > max_bytes:
                    raise TooLarge(f"more than {max_bytes} bytes")
            return Fetched(response.status_code, headers, bytes(data))


def open_fetch(
    allow_hosts: Sequence[str], *, resolve: Resolve = resolve_host, verify: ssl.SSLContext | bool = True
) -> GuardedFetch:
    """A fetch with a client of its own; `allow_hosts` (`host:port`) may be private. Whoever opens it closes it."""
    return GuardedFetch(open_web(parse_hosts(",".join(allow_hosts)), resolve=resolve, verify=verify))


PATIENCE = 15.0  # seconds for each step of the dialogue
AT_ONCE = 10
PORTS = {"smtp": 587, "smtps": 465}

log = logging.getLogger(__name__)


class SmtpMail:
    def __init__(self, url: str, sender: str) -> None:
        self._url, self._sender, self._room = urlsplit(url), sender, BoundedSemaphore(AT_ONCE)

    def __call__(self, to: str, subject: str, text: str) -> None:
        if self._room.acquire(blocking=False):
            Thread(target=self._try, args=(to, subject, text), name="mail", daemon=True).start()
        else:
            log.warning("a mail was dropped: the mail server is too slow")

    def _try(self, *mail: str) -> None:
        try:
            self.deliver(*mail)
        except (OSError, ValueError) as fault:  # its text may quote the address
            log.warning("a mail could not be sent: %s", type(fault).__name__)
        finally:
            self._room.release()

    def deliver(self, to: str, subject: str, text: str) -> None:
        """Send it now. Raises `OSError`, which SMTP's own errors are, or `ValueError`: it could not be sent."""
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
