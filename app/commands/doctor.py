"""`doctor`: plays the known clients against a gateway, anybody's, and says what stops them."""

import asyncio
from typing import Any

import click

from app.commands.output import answer
from app.doctor import addresses
from app.doctor.examination import DoctorOptions, as_json, as_text, examine
from app.doctor.profiles import NAMES, PROFILES, Way


@click.command()
@click.argument("url")
@click.option("--client", "names", multiple=True, type=click.Choice(NAMES), help="Only this client; can be repeated.")
@click.option("--no-register", is_flag=True, help="Register no throw-away clients.")
@click.option("--login", is_flag=True, help="Complete a sign-in in your browser, call, refresh and revoke.")
@click.option("--login-timeout", "login_seconds", type=click.FloatRange(1, 3600), default=300, show_default=True)
@click.option(
    "--client-id", default="", help="Sign in as this client, which the server knows, instead of registering one."
)
@click.option(
    "--client-secret",
    envvar="DOCTOR_CLIENT_SECRET",
    default="",
    help="Its secret; better in DOCTOR_CLIENT_SECRET, as the key.",
)
@click.option(
    "--callback-port", type=click.IntRange(0, 65535), default=0, help="Its redirect is http://127.0.0.1:PORT/callback."
)
@click.option(
    "--api-key",
    "key",
    default="",
    # Not the variable of the stdio server: a key that lies in the environment for one gateway must not be sent to
    # whichever gateway is examined.
    envvar="DOCTOR_API_KEY",
    help="Call with this key; better in DOCTOR_API_KEY, where no list of processes shows it.",
)
@click.option("--timeout", "seconds", type=click.FloatRange(0.1, 120), default=10, show_default=True, metavar="SECONDS")
@click.option("--json", "as_program", is_flag=True, help="Print the report as JSON.")
def doctor(url: str, names: tuple[str, ...], *, no_register: bool, as_program: bool, **asked: Any) -> int:
    """Play the known MCP clients against the gateway at URL, and say which step fails, why, and what to change.

    The exit status is 0 when no client is kept out, 1 when one cannot connect, 2 for bad usage.
    """
    profiles = tuple(profile for profile in PROFILES if not names or profile.name in names)
    options = DoctorOptions(url, profiles, registers=not no_register, **asked)
    _check(options)
    if options.registers and any(Way.DYNAMIC in profile.ways for profile in options.profiles):
        _say("Registers one throw-away client for each client that registers itself; --no-register leaves that out.")
    report = asyncio.run(examine(options, lambda address: _say(f"Open this address in your browser:\n{address}")))
    answer(as_json(report), as_text(report), as_json=as_program)
    return 0 if report.healthy else 1


def _check(options: DoctorOptions) -> None:
    url, key = options.url, options.key
    split = addresses.parts(url)
    if split is None or "@" in split.netloc or "#" in url:
        raise click.UsageError("URL is the http or https address of an MCP endpoint, without user name and fragment.")
    if options.client_id and not options.login:
        raise click.UsageError("--client-id says as whom to sign in; it goes with --login.")
    if options.login and not options.registers and not options.client_id:
        raise click.UsageError("--login registers a client of its own: with --no-register it needs --client-id.")
    if (key or options.login) and split.scheme == "http" and not addresses.is_loopback(url):
        raise click.UsageError("Credentials are sent over https, or to this machine, and nowhere else.")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise click.UsageError("The API key holds characters that no header can carry.")


def _say(text: str) -> None:
    """On stderr: stdout belongs to the report."""
    click.echo(text, err=True)
