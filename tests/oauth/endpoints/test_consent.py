"""The consent page: what it shows, who may answer it, and that an answer counts once."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr
from sqlalchemy import delete

from oauth.errors import AccessDenied, LoginRequired
from oauth.flows.authorization import Authorization
from oauth.primitives.parameters import Parameters
from oauth.primitives.sealing import Sealer
from oauth.primitives.secrets import digest
from oauth.stores.tables import sessions
from tests.html_pages import HtmlPage
from tests.oauth.browsing import (
    REDIRECT,
    SITE,
    Gate,
    address,
    answer,
    answer_of,
    asked,
    client,
    is_local_page,
    login_of,
    words,
)

ADA, BOB = "ada@example.com", "bob@example.com"
DOCUMENT = "https://claude.ai/oauth/client.json"
READ, WRITE = "sparks:read", "sparks:write"
STATE = "s t/=&+é"


@pytest.mark.security("CO-01")
async def test_the_page_names_the_app_where_access_goes_each_scope_and_the_account(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)

    page = await browser.visit(address())

    text = words(page)
    for shown in (
        "Some App",
        "app.example",
        ADA,
        "See your AI personas",
        "Create, train, change and delete",
        "Nobody has checked",
    ):
        assert shown in text
    assert "Talk to your AI personas" not in text
    assert HtmlPage(page.text).form.answers == ["again", "cancel", "allow", "leave"]


@pytest.mark.security("AZ-32", "CO-01", "RG-38")
async def test_an_app_with_a_trusted_name_is_called_what_it_is(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    await browser.submit(await browser.visit(address()), "allow")
    gate.directory.add(client("attacker", "https://evil.example/cb", name="Some App"))

    page = await browser.visit(address(client_id="attacker", redirect_uri="https://evil.example/cb"))

    assert page.status_code == 200
    assert "calls itself “<bdi>Some App</bdi>”" in page.text
    assert "evil.example" in words(page)
    assert "Nobody has checked" in words(page)


@pytest.mark.security("CI-11")
async def test_a_program_on_the_device_is_warned_of_even_where_a_host_vouches(gate: Gate) -> None:
    gate.directory.add(client(DOCUMENT, "http://localhost/cb", kind="document", name="Claude"))
    browser = await gate.signed_in_browser(ADA)

    page = await browser.visit(address(client_id=DOCUMENT, redirect_uri="http://localhost:3118/cb"))

    assert "its identity cannot be proved" in words(page)
    assert "localhost (this device)" in words(page)


@pytest.mark.security("CO-03")
async def test_a_form_counts_in_no_other_browser(gate: Gate) -> None:
    page = await (await gate.signed_in_browser(ADA)).visit(address())

    for other in (await gate.browser(), await gate.signed_in_browser(ADA), await gate.signed_in_browser(BOB)):
        for pressed in ("allow", "cancel"):
            refused = await other.submit(page, pressed)
            assert refused.status_code == 403
            assert "location" not in refused.headers


@pytest.mark.security("CO-04")
async def test_a_form_counts_only_with_its_token_and_from_our_site(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page, other_tab = await browser.visit(address()), await browser.visit(address())
    fields = {**HtmlPage(page.text).form.fields, "answer": "allow"}

    without = await browser.submit(page, "allow", csrf=None)
    of_other = await browser.submit(page, "allow", csrf=HtmlPage(other_tab.text).form.fields["csrf"])
    foreign = [await browser.http.post("/oauth/consent", data=fields, headers={"origin": "https://evil.example"})]
    foreign += [await browser.http.post("/oauth/consent", data=fields, headers={"origin": "null"})]

    assert [each.status_code for each in (without, of_other, *foreign)] == [403] * 4
    assert (await browser.submit(page, "allow")).status_code == 303


@pytest.mark.security("CO-05")
async def test_who_cancels_sends_the_app_away_politely(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)

    refused = await browser.submit(await browser.visit(address()), "cancel")

    told = answer(refused)
    assert (refused.status_code, told["error"], told["state"], told["iss"]) == (303, "access_denied", STATE, SITE)


@pytest.mark.security("CO-15")
@pytest.mark.parametrize("pressed", ["allow", "cancel"])
async def test_a_request_that_has_its_answer_is_not_asked_about_again(gate: Gate, pressed: str) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())
    await browser.submit(page, pressed)

    visits = [await each.visit(str(page.url)) for each in (browser, await gate.browser())]

    assert [each.status_code for each in visits] == [409, 409]
    assert "Answered already" in words(visits[0])
    assert "<form" not in visits[0].text


@pytest.mark.security("CO-18")
async def test_the_button_that_enter_presses_allows_nothing_and_keeps_what_was_ticked(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())

    again = await browser.submit(page, HtmlPage(page.text).form.answers[0], **{f"scope:{WRITE}": None})

    assert (again.status_code, "location" in again.headers) == (200, False)
    assert "Nothing is allowed yet" in words(again)
    assert HtmlPage(again.text).form.scopes == {READ}
    assert (await browser.submit(again, "allow")).status_code == 303


@pytest.mark.security("CO-07")
@pytest.mark.parametrize("name", ["<b>Claude</b>", '"><script>alert(1)</script>', "Cl\u202eedua", "{{ 7*7 }}"])
async def test_a_name_is_text_and_hides_nothing(gate: Gate, name: str) -> None:
    gate.directory.add(client(name=name))
    browser = await gate.signed_in_browser(ADA)

    page = await browser.visit(address())

    assert "<b>" not in page.text
    assert "<script" not in page.text
    assert "\u202e" not in page.text
    assert "49" not in words(page)


@pytest.mark.security("CO-08", "CO-12")
async def test_asking_and_answering_set_no_cookie(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)

    onward = await browser.http.get(address())
    page = await browser.visit(address())
    allowed = await browser.submit(page, "allow")

    assert [each for each in (onward, page, allowed) if "set-cookie" in each.headers] == []


@pytest.mark.security("CO-10")
async def test_the_page_cannot_be_framed_and_runs_no_script(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)

    page = await browser.visit(address())

    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "<script" not in page.text
    assert " on" not in {part[:3] for part in page.text.split('"')}
    assert " style=" not in page.text


@pytest.mark.security("CO-14")
async def test_a_guessed_an_altered_and_an_old_request_get_one_answer(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    onward = (await browser.http.get(address())).headers["location"]
    handle = parse_qs(urlsplit(onward).query)["request"][0]
    sealer = Sealer(SecretStr("another installation, another secret"))
    foreign = Authorization(gate.directory, sealer, gate.settings)
    forged = await foreign.begin(Parameters(asked().items()), gate.now)

    wrong = ["1", "x" * 400, handle[:-3] + "abc", handle.swapcase(), forged]
    pages = [await browser.http.get(f"/oauth/consent?request={each}") for each in wrong]
    gate.later(gate.settings.request + timedelta(seconds=1))
    pages.append(await browser.http.get(onward))

    assert {(each.status_code, each.text) for each in pages} == {(400, pages[0].text)}
    assert is_local_page(await browser.http.get("/oauth/consent"))


@pytest.mark.security("CO-16")
async def test_a_page_made_for_one_person_is_not_answered_by_the_next(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())
    await browser.sign_in(BOB)

    refused = await browser.submit(page, "allow")

    assert (refused.status_code, "location" in refused.headers) == (403, False)
    assert BOB in words(refused)
    assert ADA not in words(refused)


@pytest.mark.security("CO-17")
async def test_a_disabled_account_and_an_ended_session_answer_nothing(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())
    async with gate.engine.begin() as connection:
        await connection.execute(delete(sessions))

    assert (await browser.submit(page, "allow")).status_code == 403


@pytest.mark.security("CO-18")
async def test_a_link_approves_nothing(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())
    fields = {**HtmlPage(page.text).form.fields, "answer": "allow"}

    by_get = await browser.http.get("/oauth/consent", params=fields)

    assert "location" not in by_get.headers
    assert HtmlPage(page.text).form.method == "post"
    assert (await browser.http.put("/oauth/consent", data=fields)).status_code == 405


@pytest.mark.security("CO-19")
async def test_long_names_hosts_and_scopes_leave_the_page_readable(gate: Gate) -> None:
    host = ".".join(["claude-ai", *["x" * 60] * 3, "evil.example"])
    gate.directory.add(client("long", f"https://{host}/cb", name="Claude " * 300))
    browser = await gate.signed_in_browser(ADA)
    scope = " ".join(["sparks:read", *[f"made-up:{number}" for number in range(200)]])

    page = await browser.visit(address(client_id="long", redirect_uri=f"https://{host}/cb", scope=scope))

    assert len(words(page)) < 2_000
    assert ".evil.example" in words(page)
    assert "claude-ai" not in words(page)
    assert HtmlPage(page.text).form.scopes == {READ}


@pytest.mark.security("AZ-31")
async def test_two_tabs_are_answered_each_with_its_own_state_and_proof(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    first = await browser.visit(address(state="first", code_challenge="1" * 43))
    second = await browser.visit(address(state="second", code_challenge="2" * 43))

    answers = [answer(await browser.submit(page, "allow")) for page in (second, first)]

    assert [each["state"] for each in answers] == ["second", "first"]
    codes = [await gate.grants.find_code(digest(each["code"])) for each in answers]
    assert [code and code.challenge for code in codes] == ["2" * 43, "1" * 43]


async def test_what_is_unticked_is_not_granted(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())

    allowed = await browser.submit(page, "allow", **{f"scope:{WRITE}": None, "scope:docs:read": "on"})

    code = await gate.grants.find_code(digest(answer(allowed)["code"]))
    assert code is not None
    assert code.scopes == {READ}


@pytest.mark.security("CO-01", "CO-13")
@pytest.mark.parametrize(
    ("unticked", "granted"),
    # No more than it has is an answer, too: an app that lost its tokens asks for everything again.
    [({"docs:read"}, {READ, WRITE}), ({WRITE, "docs:read"}, {READ})],
)
async def test_who_asks_for_more_is_shown_with_what_it_has_and_asks_for_no_more_than_that(
    gate: Gate, unticked: set[str], granted: set[str]
) -> None:
    browser = await gate.signed_in_browser(ADA)
    await browser.submit(await browser.visit(address(scope=READ)), "allow")

    page = await browser.visit(address(scope=f"{READ} {WRITE} docs:read"))
    allowed = await browser.submit(page, "allow", **{f"scope:{scope}": None for scope in unticked})

    shown, asks = words(page).split("It will also be able to")
    assert "allowed already See your AI personas" in shown
    assert "See your AI personas" not in asks
    assert "Create, train, change and delete" in asks
    assert {name for name, about in HtmlPage(page.text).inputs.items() if about.get("type") == "checkbox"} == {
        f"scope:{WRITE}",
        "scope:docs:read",
    }
    code = await gate.grants.find_code(digest(answer(allowed)["code"]))
    assert code is not None
    assert code.scopes == granted


@pytest.mark.security("CO-13")
@pytest.mark.parametrize(
    "other",
    [
        {"client_id": "other"},
        {"redirect_uri": "https://elsewhere.example/cb"},
        {"resource": f"{SITE}/api/v1"},
        {"scope": READ, "prompt": "consent"},
    ],
)
async def test_nothing_counts_as_allowed_already_to_another_app_or_place_or_for_no_more(
    gate: Gate, other: dict[str, str]
) -> None:
    places = (REDIRECT, "https://elsewhere.example/cb")
    gate.directory.add(*(client(name, *places) for name in ("app", "other")))
    browser = await gate.signed_in_browser(ADA)
    await browser.submit(await browser.visit(address(scope=READ)), "allow")

    page = await browser.visit(address(**{"scope": f"{READ} {WRITE}", **other}))

    assert "allowed already" not in words(page)
    assert f"scope:{READ}" in HtmlPage(page.text).inputs


@pytest.mark.security("CO-17")
async def test_what_was_taken_away_is_not_allowed_already(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    await browser.submit(await browser.visit(address(scope=READ)), "allow")
    await gate.grants.end_client(gate.users[ADA].id, "app", gate.now)

    page = await browser.visit(address(scope=f"{READ} {WRITE}"))

    assert "allowed already" not in words(page)


async def test_who_unticks_everything_is_asked_to_tick_one_or_cancel(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())

    again = await browser.submit(page, "allow", **{f"scope:{READ}": None, f"scope:{WRITE}": None})

    assert again.status_code == 400
    assert 'role="alert"' in again.text
    assert HtmlPage(again.text).form.scopes == set()
    assert (await browser.submit(again, "allow", **{f"scope:{READ}": "on"})).status_code == 303


async def test_who_is_not_meant_signs_out_and_the_request_waits_for_the_other(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    page = await browser.visit(address())

    left = await browser.submit(page, "leave")

    assert left.headers["location"].startswith("/oauth/login?continue=")
    assert (await browser.submit(page, "allow")).status_code == 403
    theirs = await browser.sign_in(BOB, left.headers["location"])
    assert BOB in words(theirs)
    assert (await browser.submit(theirs, "allow")).status_code == 303


async def test_prompt_none_asks_nobody_anything(gate: Gate) -> None:
    browser = await gate.browser()
    stranger = await browser.visit(address(prompt="none"))
    await browser.sign_in(ADA)
    unasked = await browser.visit(address(prompt="none"))
    await browser.submit(await browser.visit(address()), "allow")
    known = await browser.visit(address(prompt="none"))

    assert [answer(each).get("error") for each in (stranger, unasked, known)] == [
        "login_required",
        "consent_required",
        None,
    ]
    assert "code" in answer(known)


@pytest.mark.parametrize("prompt", ["consent", "select_account"])
async def test_prompt_consent_asks_also_where_an_answer_is_remembered(gate: Gate, prompt: str) -> None:
    browser = await gate.signed_in_browser(ADA)
    await browser.submit(await browser.visit(address()), "allow")

    assert (await browser.visit(address(prompt=prompt))).status_code == 200


async def test_prompt_login_wants_a_sign_in_that_is_newer_than_the_request(gate: Gate) -> None:
    browser = await gate.signed_in_browser(ADA)
    gate.later(timedelta(minutes=1))

    asked_anew = await browser.visit(address(prompt="login"))

    opened = gate.returning.open(parse_qs(urlsplit(login_of(asked_anew)).query)["continue"][0], gate.now)
    assert opened.fresh
    gate.later(timedelta(seconds=5))
    page = await browser.sign_in(ADA, login_of(asked_anew))
    assert "Some App" in words(page)
    assert (await browser.submit(page, "allow")).status_code == 303


async def test_a_client_that_waits_hears_of_a_sign_in_that_failed_and_of_a_no_once(gate: Gate) -> None:
    path = (await (await gate.browser()).http.get(address())).headers["location"]
    unfinished, declined = LoginRequired("Nobody was signed in."), AccessDenied("The sign-in was declined.")

    heard = [await gate.consent.refused_address(path, error, gate.now) for error in (unfinished, declined)]

    assert [answer_of(at or "")["error"] for at in heard] == ["login_required", "access_denied"]
    assert {answer_of(at or "")["state"] for at in heard} == {STATE}
    assert await gate.consent.refused_address(path, declined, gate.now) is None
    assert await gate.consent.refused_address("/account", declined, gate.now) is None
    assert await gate.consent.refused_address(f"{path}x", unfinished, gate.now) is None
