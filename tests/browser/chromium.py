"""Debian's Chromium, driven by Playwright. The tests bring no browser of their own.

Its headless shell is the same engine without the application around it, which takes half of the processor's time.
"""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, async_playwright

QUIET = (
    "--no-sandbox",  # CI runs as root, where the sandbox cannot be made
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""It talks to nobody but the server under test."""


def executable() -> str:
    """The path of the browser. Without one the test is skipped; in CI, which installs it, the test fails."""
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if found is not None:
        return found
    missing = "these tests need Chromium: apt-get install chromium-headless-shell"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)


@asynccontextmanager
async def running() -> AsyncIterator[Browser]:
    """A headless browser without a profile."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable(), headless=True, args=QUIET)
        yield browser
        await browser.close()
