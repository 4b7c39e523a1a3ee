"""What a person does on the pages, by what is written on them."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.async_api import Page


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who can sign in."""

    email: str
    password: str


async def sign_in(page: Page, account: Account, password: str | None = None) -> None:
    """Fill the sign-in page in and send it; the page that comes next has loaded."""
    await page.get_by_label("E-mail address").fill(account.email)
    await page.get_by_label("Password").fill(account.password if password is None else password)
    await press(page, "Sign in")


async def press(page: Page, button: str) -> None:
    """Press a button and wait for where it leads."""
    async with page.expect_navigation():
        await page.get_by_role("button", name=button, exact=True).click()


async def confirm(page: Page, deed: str, what: str) -> None:
    """Ask for what cannot be undone, and say yes to the question."""
    name = f"{deed} {what}"
    await page.locator("summary").filter(has_text=re.compile(rf"^{re.escape(name)}$")).click()
    await press(page, f"Yes, {deed.lower()} {what}")


async def follow(page: Page, link: str) -> None:
    """Follow a link to another page."""
    async with page.expect_navigation():
        await page.get_by_role("link", name=link, exact=True).click()


async def choices(page: Page) -> dict[str, bool]:
    """The boxes of the page by their words, and whether each is ticked."""
    boxes = await page.get_by_role("checkbox").all()
    return {await box.evaluate("box => box.labels[0].textContent.trim()"): await box.is_checked() for box in boxes}


def path(page: Page) -> str:
    return urlsplit(page.url).path
