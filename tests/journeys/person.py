"""A person with a browser: signs in and answers on the real pages, as they are written."""

import html
import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx2

from tests.html_pages import Form, HtmlPage

PASSWORD = "correct horse battery staple"
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class Page:
    """What the window shows; with `left`, the browser is on its way out of the site."""

    address: str
    status: int
    text: str
    left: str | None = None

    @property
    def form(self) -> Form:
        return HtmlPage(self.text).form

    @property
    def forms(self) -> list[Form]:
        return HtmlPage(self.text).forms

    def form_to(self, action: str) -> Form:
        """The only one of several that is sent there."""
        (form,) = [form for form in self.forms if form.action == action]
        return form

    @property
    def code(self) -> str:
        """What stands in `<code>`: a key, on the page that shows it once."""
        return self.text.partition("<code>")[2].partition("</code>")[0]

    @property
    def words(self) -> str:
        """The text without its markup."""
        return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", self.text)))

    @property
    def scopes(self) -> set[str]:
        """Those that the page asks about."""
        return self.form.scopes


class Person:
    """Somebody with an account and one browser, in which they are signed in nowhere yet."""

    def __init__(self, browser: httpx2.AsyncClient, email: str) -> None:
        self._browser, self.email = browser, email

    @property
    def cookies(self) -> dict[str, str]:
        """What the browser holds."""
        return dict(self._browser.cookies)

    async def open(self, address: str) -> Page:
        """Follow a link, and all redirects within the site."""
        return await self._arrived(address, await self._browser.get(address))

    async def press(self, page: Page, button: str = "", *, action: str | None = None, **changes: str | None) -> Page:
        """Send the form of the page by the button of this value; a change of None takes a field away.

        Where there are several forms, it is the one with this `action`.
        """
        form = page.form if action is None else page.form_to(action)
        named = [(name, value) for name, value in form.buttons if value == button]
        assert named, (button, form.buttons, page.words)
        given = {**form.fields, **changes} | {name: value for name, value in named if name}
        data = {name: value for name, value in given.items() if value is not None}
        target = urljoin(page.address, form.action)
        if form.method == "get":
            return await self.open(str(httpx2.URL(target, params=data)))
        parts = urlsplit(page.address)
        headers = {"origin": f"{parts.scheme}://{parts.netloc}", "referer": page.address}
        return await self._arrived(target, await self._browser.post(target, data=data, headers=headers))

    async def sign_in(self, page: Page) -> Page:
        """Fill in the sign-in form that the page is."""
        assert "password" in page.form.fields, page.words
        return await self.press(page, email=self.email, password=PASSWORD)

    async def asked(self, address: str) -> Page:
        """The consent page that an authorization request leads to, after signing in where that is wanted."""
        page = await self.open(address)
        if page.left is None and "password" in page.form.fields:
            page = await self.sign_in(page)
        return page

    async def follow(self, page: Page) -> Page:
        """Go where a redirect leads out of the site."""
        assert page.left is not None, page.words
        return await self.open(page.left)

    async def allow(self, address: str, without: Collection[str] = ()) -> dict[str, str]:
        """Say yes to an authorization request, but not to the scopes `without`; what the client is answered."""
        page = await self.asked(address)
        if page.left is None:
            page = await self.press(page, "allow", **{f"scope:{scope}": None for scope in without})
        return answer_of(page)

    async def _arrived(self, address: str, response: httpx2.Response) -> Page:
        while response.status_code in REDIRECTS:
            onward = urljoin(address, response.headers["location"])
            if urlsplit(onward)[:2] != urlsplit(address)[:2]:
                return Page(address, response.status_code, "", onward)
            address, response = onward, await self._browser.get(onward)
        return Page(address, response.status_code, response.text)


def answer_of(page: Page) -> dict[str, str]:
    """What the client is answered by the redirect that leaves the site, each parameter once."""
    assert page.left is not None, page.words
    pairs = parse_qsl(urlsplit(page.left).query, keep_blank_values=True)
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)
