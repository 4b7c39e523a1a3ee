"""`make conformance`: both revisions against the fixtures, the product itself and its authorization server."""

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import httpx2

from tests.conformance.authorization import Examined, callback, judge_authorization
from tests.conformance.suite import Verdict, judge
from tests.journeys.gateway import new_user
from tests.node import NodeMissing
from tests.processes import HOST, DidNotStart, free_port, serving

HERE = Path(__file__).resolve().parent
EMAIL = "ada@example.com"
REVISIONS = ("2026-07-28", "2025-11-25")


@dataclass(frozen=True, slots=True)
class Target:
    """A server process, and for each revision that it is judged by, what it is excused from."""

    name: str
    arguments: tuple[str, ...]
    baselines: tuple[tuple[str, str], ...]


TARGETS = (
    Target(
        "fixtures",
        ("-m", "tests.conformance.server", "--sessions"),
        tuple((revision, "empty-baseline.yml") for revision in REVISIONS),
    ),
    Target(
        "fixtures, sessionless",
        ("-m", "tests.conformance.server"),
        (("2026-07-28", "empty-baseline.yml"), ("2025-11-25", "sessionless-baseline-2025-11-25.yml")),
    ),
    Target(
        "product",
        ("-m", "app", "serve"),
        tuple((revision, f"product-baseline-{revision}.yml") for revision in REVISIONS),
    ),
)


def verdicts(folder: Path, targets: Sequence[Target] = TARGETS) -> Iterator[Verdict]:
    """Start each target, judge it and stop it; everything they write is in `folder`."""
    for number, target in enumerate(targets):
        data = folder / str(number)
        data.mkdir()
        port = free_port()
        settings = {"HOST": HOST, "PORT": str(port), "DATA_DIR": str(data / "var")}
        with serving(target.arguments, port, data, settings):
            for revision, baseline in target.baselines:
                results = data / f"results-{revision}"
                yield judge(target.name, f"http://{HOST}:{port}/mcp", revision, HERE / baseline, results)


def authorization_verdicts(folder: Path) -> Iterator[Verdict]:
    """The product's authorization server, to a client that it was told of and to one that registers itself."""
    port, back = free_port(), free_port()
    site, results = f"http://{HOST}:{port}", folder / "results"
    client = {"client_name": "Conformance", "redirect_uris": [callback(back)], "token_endpoint_auth_method": "none"}
    settings = {
        "HOST": HOST,
        "PORT": str(port),
        "DATA_DIR": str(folder / "var"),
        "OAUTH_CLIENTS": json.dumps([{"client_id": "conformance", **client}]),
    }
    with serving(("-m", "app", "serve"), port, folder, settings):
        new_user(EMAIL, settings)
        registered = httpx2.post(f"{site}/oauth/register", json=client, trust_env=False).raise_for_status().json()
        for name, client_id in (("configured", "conformance"), ("registered", registered["client_id"])):
            for revision in REVISIONS:
                examined = Examined(site, client_id, back)
                told = results / f"{name}-{revision}"
                yield judge_authorization(f"authorization, {name}", examined, revision, EMAIL, told)


def everything(folder: Path) -> Iterator[Verdict]:
    """All that is judged, one after the other."""
    (folder / "authorization").mkdir()
    yield from verdicts(folder)
    yield from authorization_verdicts(folder / "authorization")


def lines(verdict: Verdict) -> str:
    """One row of the table, and beneath it what went wrong."""
    excused = f"{len(verdict.expected)} excused" if verdict.expected else ""
    row = (
        f"{verdict.target:<25} {verdict.revision} {verdict.scenarios:>3} scenarios {verdict.checks:>4} checks passed"
        f"  {excused:<10} {'ok' if verdict.passed else 'FAILED'}"
    )
    return "\n".join([row, *(f"    {fault}" for fault in verdict.faults)])


@click.command(help=__doc__)
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of the table.")
def main(*, as_json: bool) -> None:
    told: list[Verdict] = []
    try:
        with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
            for verdict in everything(Path(folder)):
                told.append(verdict)
                if not as_json:
                    click.echo(lines(verdict))
    except (NodeMissing, DidNotStart) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps([{**asdict(verdict), "passed": verdict.passed} for verdict in told], indent=2))
    sys.exit(0 if all(verdict.passed for verdict in told) else 1)


if __name__ == "__main__":
    main()
