"""Somebody who signs in and allows, through the real pages, without a browser: what the suite waits for."""

from urllib.parse import urljoin

import httpx2

from tests.html_pages import HtmlPage

SCREENS = 5
"""Pages between the app and its answer: signing in, the question, and some that say what went wrong."""


class Lost(RuntimeError):
    """A page came that a person cannot answer; the message says which."""


class Person:
    """An account of the server under test."""

    def __init__(self, email: str, password: str) -> None:
        self.email, self._password = email, password

    def allow(self, address: str, callback: str) -> None:
        """Open `address`, answer what is asked, and follow the answer to `callback`.

        Raises:
            Lost: it did not lead there.

        """
        with httpx2.Client(trust_env=False, timeout=30) as web:
            page = _arrived(web, web.get(address), callback)
            for _ in range(SCREENS):
                if str(page.url).startswith(callback):
                    return
                page = _arrived(web, self._answered(web, page), callback)
        raise Lost(f"after {SCREENS} pages still at {page.url.path}")

    def _answered(self, web: httpx2.Client, page: httpx2.Response) -> httpx2.Response:
        forms = HtmlPage(page.text).forms
        if not page.is_success or len(forms) != 1:
            raise Lost(f"{page.status_code} at {page.url.path}: {page.text[-600:]}")
        (form,) = forms
        if "password" in form.fields:
            fields = {**form.fields, "email": self.email, "password": self._password}
        else:
            fields = {**form.fields, "answer": "allow"}
        own = f"{page.url.scheme}://{page.url.netloc.decode()}"
        return web.post(urljoin(str(page.url), form.action), data=fields, headers={"origin": own})


def _arrived(web: httpx2.Client, response: httpx2.Response, callback: str) -> httpx2.Response:
    """The page at the end of the redirects. The callback is asked once, as a browser does: it closes afterwards."""
    while response.is_redirect and not str(response.url).startswith(callback):
        response = web.get(urljoin(str(response.url), response.headers["location"]))
    return response
