"""Logos of apps that a host vouches for: which are shown, and what is asked of whom for them."""

from datetime import timedelta

import pytest

from oauth.flows.client_logos import KEPT, KEPT_OUT, MAX_LOGO, OF_HOST, ClientLogos
from oauth.grants import Client
from oauth.primitives.fetching import Fetched, FetchFailed, FetchRefused
from tests.oauth.browsing import client
from tests.oauth.clients import NOW, Web

LOGO = "https://app.example/logo.png"
PNG, JPEG, WEBP = b"\x89PNG\r\n\x1a\nxyz", b"\xff\xd8\xff\xe0xyz", b"RIFF\x04\x00\x00\x00WEBPxyz"


def document(logo: str | None = LOGO) -> Client:
    return client("https://app.example/client.json", kind="document", logo_uri=logo)


@pytest.mark.parametrize(("body", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp")])
async def test_a_picture_is_what_its_bytes_say_and_is_asked_for_once(body: bytes, kind: str) -> None:
    web = Web({LOGO: Fetched(200, {"content-type": "image/svg+xml"}, body)})
    logos = ClientLogos(web)

    found = [await logos.find(document(), NOW + later) for later in (timedelta(), KEPT / 2)]

    assert found == [(body, kind)] * 2
    assert web.asked == [LOGO]


@pytest.mark.security("RG-23")
@pytest.mark.parametrize(
    "answer",
    [
        Fetched(200, {"content-type": "image/png"}, b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        Fetched(200, {"content-type": "image/png"}, b"<html>"),
        Fetched(200, {}, b"RIFF\x04\x00\x00\x00WAVExyz"),
        Fetched(200, {}, PNG + b"x" * MAX_LOGO),
        Fetched(302, {"location": "http://169.254.169.254/"}, PNG),
        Fetched(404, {}, PNG),
        FetchFailed("no answer"),
        FetchRefused("a private address"),
    ],
)
async def test_what_is_no_small_picture_is_not_shown_and_not_asked_for_again_at_once(
    answer: Fetched | Exception,
) -> None:
    web = Web({LOGO: answer})
    logos = ClientLogos(web)

    found = [await logos.find(document(), NOW + later) for later in (timedelta(), KEPT_OUT / 2)]
    web.answers[LOGO] = Fetched(200, {}, PNG)

    assert found == [None, None]
    assert web.asked == [LOGO]
    assert await logos.find(document(), NOW + KEPT_OUT) == (PNG, "image/png")


@pytest.mark.security("RG-24")
async def test_nobody_is_asked_for_the_logo_of_an_app_that_no_host_vouches_for() -> None:
    web = Web({LOGO: Fetched(200, {}, PNG)})

    found = [await ClientLogos(web).find(each, NOW) for each in (client(logo_uri=LOGO), document(None))]

    assert found == [None, None]
    assert web.asked == []


async def test_one_host_is_asked_for_so_many_logos_a_minute() -> None:
    web = Web()
    logos = ClientLogos(web)

    for number in range(OF_HOST + 5):
        await logos.find(document(f"{LOGO}?{number}"), NOW)

    assert len(web.asked) == OF_HOST
