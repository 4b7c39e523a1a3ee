"""The token endpoint: requests and answers as a client sees them, and the exchange of codes."""

import asyncio
from datetime import timedelta

import jwt
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from oauth.endpoints.http import FORM
from oauth.primitives.clock import EPOCH
from oauth.primitives.secrets import new_key
from oauth.signing_keys import SPAN
from oauth.stores.tables import codes, metadata, refresh_tokens
from tests.oauth.delegations import CALLBACK, CHALLENGE, CLIENT, RESOURCE, VERIFIER
from tests.oauth.token_house import House, refused

INVALID_GRANT = (400, "invalid_grant")
MINUTE = timedelta(minutes=1)
INVALID_REQUEST = (400, "invalid_request")


@pytest.mark.requirement("seed:gateway:oauth-token")
@pytest.mark.security("TK-01")
async def test_a_code_becomes_tokens_and_nothing_else_is_said(house: House) -> None:
    answer = await house.redeem(await house.code())

    body = answer.json()
    assert answer.status_code == 200
    assert (body.pop("token_type"), body.pop("expires_in"), body.pop("scope")) == (
        "Bearer",
        3_600,
        "sparks:read docs:read",
    )
    assert await house.is_live(body.pop("access_token"))
    assert await house.is_live(body.pop("refresh_token"))
    assert body == {}
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["pragma"] == "no-cache"
    assert "access-control-allow-origin" not in answer.headers


WRONG_VERIFIERS = ["another-verifier-of-forty-three-characters-or-more", CHALLENGE, VERIFIER[:42], "v" * 129, "ä" * 43]
OTHER_REDIRECTS = [f"{CALLBACK}/", f"{CALLBACK}?", "https://client.example/other", "https://CLIENT.example/callback"]


@pytest.mark.security("TK-02", "TK-03", "TK-08")
@pytest.mark.parametrize(
    "wrong",
    [{"code_verifier": each} for each in WRONG_VERIFIERS] + [{"redirect_uri": each} for each in OTHER_REDIRECTS],
)
async def test_a_wrong_verifier_or_redirect_of_its_client_burns_a_code(house: House, wrong: dict[str, str]) -> None:
    code = await house.code()

    assert refused(await house.redeem(code, **wrong)) == INVALID_GRANT
    assert refused(await house.redeem(code)) == INVALID_GRANT
    assert house.noted == []


@pytest.mark.security("TK-02")
@pytest.mark.parametrize("verifier", ["", None])
async def test_a_request_without_a_verifier_is_none_and_leaves_the_code_alone(
    house: House, verifier: str | None
) -> None:
    code = await house.code()

    assert refused(await house.redeem(code, code_verifier=verifier)) == INVALID_REQUEST
    assert (await house.redeem(code)).status_code == 200


@pytest.mark.security("TK-04")
@pytest.mark.parametrize("seconds", [61, 601])
async def test_a_code_lives_sixty_seconds(house: House, seconds: int) -> None:
    code, another = await house.code(), await house.code()
    house.later(seconds=59)
    assert (await house.redeem(another)).status_code == 200

    house.later(seconds=seconds - 59)

    assert refused(await house.redeem(code)) == INVALID_GRANT


@pytest.mark.security("TK-05")
async def test_the_second_use_of_a_code_ends_the_tokens_of_the_first(house: House) -> None:
    code = await house.code()
    first = (await house.redeem(code)).json()

    assert refused(await house.redeem(code)) == INVALID_GRANT

    assert not await house.is_live(first["access_token"])
    assert not await house.is_live(first["refresh_token"])
    assert refused(await house.refresh(first["refresh_token"])) == INVALID_GRANT


@pytest.mark.security("TK-05")
async def test_a_used_code_without_its_verifier_ends_nothing(house: House) -> None:
    code = await house.code()
    first = (await house.redeem(code)).json()

    assert refused(await house.redeem(code, code_verifier="x" * 43)) == INVALID_GRANT
    assert await house.is_live(first["access_token"])


@pytest.mark.security("TK-09")
async def test_the_redirect_may_be_left_out_only_where_it_was_left_out_before(house: House) -> None:
    given, silent, echoed = await house.code(), *[await house.code(redirect_given=False) for _ in range(2)]

    assert refused(await house.redeem(given, redirect_uri=None)) == INVALID_GRANT
    assert (await house.redeem(given)).status_code == 200  # what was left out proves nothing wrong, and burns nothing
    assert (await house.redeem(silent, redirect_uri=None)).status_code == 200
    assert (await house.redeem(echoed)).status_code == 200


@pytest.mark.security("TK-10")
@pytest.mark.parametrize("client_id", ["unknown", "*", "' OR 1=1 --", "x" * 8_000, "a\0b"])
async def test_an_unknown_client_is_told_so_with_a_challenge(house: House, client_id: str) -> None:
    answer = await house.redeem(await house.code(), client_id=client_id)

    assert refused(answer) == (401, "invalid_client")
    assert answer.headers["www-authenticate"].startswith("Basic ")


@pytest.mark.security("TK-10", "TK-11")
@pytest.mark.parametrize(
    ("client_id", "parameter", "value"),
    [
        (CLIENT, "client_id", ""),
        (CLIENT, "client_id", "x" * 10_000),
        ("confidential", "client_secret", None),
        ("confidential", "client_secret", ""),
        ("confidential", "client_secret", "wrong"),
        ("confidential", "client_secret", "x" * 100_000),
    ],
)
async def test_a_request_that_proves_no_client_leaves_the_code_alone(
    house: House, client_id: str, parameter: str, value: str | None
) -> None:
    code = await house.code(client_id)
    right = {"client_id": client_id, "client_secret": None if client_id == CLIENT else "s3cret"}

    assert refused(await house.redeem(code, **{**right, parameter: value})) == (401, "invalid_client")
    assert (await house.redeem(code, **right)).status_code == 200


@pytest.mark.security("TK-16")
@pytest.mark.parametrize(
    ("grant_type", "refusal"),
    [
        (None, INVALID_REQUEST),
        ("", INVALID_REQUEST),
        ("magic", (400, "unsupported_grant_type")),
        ("password", (400, "unsupported_grant_type")),
        ("implicit", (400, "unsupported_grant_type")),
        ("Authorization_Code", (400, "unsupported_grant_type")),
        ("urn:ietf:params:oauth:grant-type:token-exchange", (400, "unsupported_grant_type")),
        ("client_credentials", (400, "unauthorized_client")),
    ],
)
async def test_a_grant_type_that_is_not_the_clients_is_refused(
    house: House, grant_type: str | None, refusal: tuple[int, str]
) -> None:
    assert refused(await house.redeem(await house.code(), grant_type=grant_type)) == refusal


@pytest.mark.security("TK-18")
async def test_only_a_posted_form_is_read(house: House) -> None:
    code = await house.code()
    valid = {
        "grant_type": "authorization_code",
        "client_id": CLIENT,
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
    }

    answers = [
        await house.send("POST", "/oauth/token", json=valid),
        await house.send("POST", "/oauth/token", params=valid),
        await house.send("POST", "/oauth/token", params=valid, headers={"content-type": FORM}),
        await house.send("POST", "/oauth/token", files={name: (None, value) for name, value in valid.items()}),
        await house.send("POST", "/oauth/token", content="a=1", headers={"content-type": "text/plain"}),
    ]
    others = [await house.send(method, "/oauth/token", params=valid) for method in ("GET", "HEAD", "PUT", "DELETE")]

    assert {refused(answer) for answer in answers} == {INVALID_REQUEST}
    assert {answer.status_code for answer in others} == {405}
    assert (await house.redeem(code)).status_code == 200


@pytest.mark.security("TK-20")
@pytest.mark.parametrize("name", ["grant_type", "client_id", "code", "redirect_uri", "code_verifier", "scope"])
async def test_a_repeated_parameter_is_refused(house: House, name: str) -> None:
    code = await house.code()
    body = (
        f"grant_type=authorization_code&client_id={CLIENT}&code={code}&redirect_uri={CALLBACK}"
        f"&code_verifier={VERIFIER}&scope=docs:read&{name}=again"
    )

    answer = await house.send("POST", "/oauth/token", content=body, headers={"content-type": FORM})

    assert refused(answer) == INVALID_REQUEST
    assert (await house.redeem(code)).status_code == 200


@pytest.mark.security("TK-22")
async def test_of_sixteen_redemptions_at_once_one_gets_tokens_that_end_with_the_second(house: House) -> None:
    code = await house.code()

    answers = await asyncio.gather(*(house.redeem(code) for _ in range(16)))

    winners = [answer for answer in answers if answer.status_code == 200]
    assert len(winners) == 1
    assert {refused(answer) for answer in answers if answer not in winners} == {INVALID_GRANT}
    assert not await house.is_live(winners[0].json()["access_token"])
    assert refused(await house.refresh(winners[0].json()["refresh_token"])) == INVALID_GRANT


@pytest.mark.security("TK-23")
@pytest.mark.parametrize("turns", [0, 10, 30, 60, 100, 200])
async def test_a_redemption_that_is_given_up_is_done_as_a_whole_or_not_at_all(
    house: House, engine: AsyncEngine, turns: int
) -> None:
    code = await house.code()
    request = asyncio.create_task(house.redeem(code))
    for _ in range(turns):
        await asyncio.sleep(0)
    request.cancel()
    await asyncio.wait({request})

    async with engine.connect() as connection:
        was_used = (await connection.execute(select(codes.c.used_at))).scalar_one() is not None
        tokens = len((await connection.execute(select(refresh_tokens.c.digest))).all())
    retry = await house.redeem(code)

    assert tokens == (1 if was_used else 0)
    assert retry.status_code == (400 if was_used else 200)


@pytest.mark.security("TK-26")
async def test_a_code_is_good_for_the_resource_that_was_granted(house: House) -> None:
    code = await house.code()

    for resource in ("https://evil.example/mcp", "https://gateway.example/api/v1", "no url", f"{RESOURCE}#x"):
        assert refused(await house.redeem(code, resource=resource)) == (400, "invalid_target")
    answer = await house.redeem(code, resource="https://GATEWAY.example:443/mcp/")

    assert house.tokens.issued[answer.json()["access_token"]].aud == RESOURCE


@pytest.mark.security("TK-28", "TK-32")
async def test_an_access_token_says_whose_it_is_and_for_what_and_nothing_more(house: House) -> None:
    token = (await house.tokens_of())["access_token"]

    header, claims = jwt.get_unverified_header(token), jwt.decode(token, options={"verify_signature": False})

    began = int(house.now.timestamp())
    assert header.keys() == {"alg", "typ", "kid"}
    assert (header["alg"], header["typ"]) == ("ES256", "at+jwt")
    assert claims.pop("jti")
    assert claims.pop("grant_id")
    assert claims == {
        "iss": "https://gateway.example",
        "aud": RESOURCE,
        "sub": house.user.id,
        "client_id": CLIENT,
        "scope": "sparks:read docs:read",
        "iat": began,
        "exp": began + 3_600,
    }


@pytest.mark.security("TK-33")
async def test_the_tokens_of_a_key_outlive_its_turn_and_not_its_publication(house: House) -> None:
    house.now = EPOCH + SPAN * 700 - 10 * MINUTE
    first = (await house.tokens_of())["access_token"]

    house.now += 20 * MINUTE
    second = (await house.tokens_of())["access_token"]

    keys = [jwt.get_unverified_header(token)["kid"] for token in (first, second)]
    assert keys[0] != keys[1]
    assert await house.is_live(first)
    assert await house.is_live(second)
    house.now += 45 * MINUTE
    assert keys[0] not in [key["kid"] for key in (await house.keys.jwks(house.now + 10 * MINUTE))["keys"]]
    assert not await house.is_live(first)
    assert await house.is_live(second)


@pytest.mark.security("TK-29")
@pytest.mark.parametrize("hostile", ['"><script>', "a\\b\r\nset-cookie: x=1", "\u202ecode", "ä" * 100])
async def test_a_description_quotes_nothing(house: House, hostile: str) -> None:
    answer = await house.redeem(hostile)

    assert refused(answer) == INVALID_GRANT
    description = answer.json()["error_description"]
    assert all(character.isascii() and character.isprintable() for character in description)
    assert not set(description) & {'"', "\\"}


@pytest.mark.security("TK-34")
async def test_the_database_holds_neither_code_nor_tokens(house: House, engine: AsyncEngine) -> None:
    code = await house.code()
    body = (await house.redeem(code)).json()
    successor = (await house.refresh(body["refresh_token"])).json()["refresh_token"]

    async with engine.connect() as connection:
        dump = [str((await connection.execute(select(table))).all()) for table in metadata.sorted_tables]

    for secret in (code, body["access_token"], body["refresh_token"], successor, VERIFIER):
        assert secret not in "".join(dump)


async def test_tokens_are_given_although_the_use_of_the_client_cannot_be_noted(house: House) -> None:
    house.clients.is_broken = True

    assert await house.is_live((await house.tokens_of())["access_token"])


@pytest.mark.security("AK-13")
@pytest.mark.parametrize("field", ["refresh_token", "code"])
async def test_an_api_key_is_nothing_that_the_token_endpoint_takes(house: House, field: str) -> None:
    grant_type = {"code": "authorization_code", "refresh_token": "refresh_token"}[field]
    form = {"grant_type": grant_type, "client_id": CLIENT, "code_verifier": VERIFIER, field: new_key()}

    assert refused(await house.send("POST", "/oauth/token", data=form)) == INVALID_GRANT


@pytest.mark.security("RF-15")
async def test_a_refresh_from_another_address_stands_in_the_audit_beside_the_first(house: House) -> None:
    tokens = await house.tokens_of()
    grant = house.tokens.issued[tokens["access_token"]].grant_id
    form = {"grant_type": "refresh_token", "client_id": CLIENT, "refresh_token": tokens["refresh_token"]}

    with capture_logs() as lines:
        for address in ("192.0.2.1", "2001:db8:1:2:3::4"):
            assert (await house.send("POST", "/oauth/token", address, data=form)).status_code == 200

    told = [(line["grant"], line["place"]) for line in lines if line["event"] == "tokens_issued"]
    assert told == [(grant, "192.0.2.1"), (grant, "2001:db8:1:2::/64")]
    assert tokens["refresh_token"] not in str(lines)


@pytest.mark.security("TK-07")
async def test_another_client_cannot_redeem_a_code_and_the_owner_still_can(house: House) -> None:
    code = await house.code()

    for verifier in (VERIFIER, "x" * 43):
        assert refused(await house.redeem(code, client_id="other", code_verifier=verifier)) == INVALID_GRANT
    assert (await house.redeem(code)).status_code == 200


@pytest.mark.security("TK-24")
async def test_two_tokens_have_nothing_in_common_and_cannot_be_guessed(house: House) -> None:
    first, second = [(await house.tokens_of())["refresh_token"] for _ in range(2)]

    assert first != second
    assert len(first.removeprefix("minds_rt_")) == len(second.removeprefix("minds_rt_")) == 43
