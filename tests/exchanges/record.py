"""`python -m tests.exchanges.record`: accept the raw HTTP exchanges as they are now."""

import asyncio
import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

from tests.exchanges.gateway import transcripts

FOLDER = Path(__file__).resolve().parent / "recordings"


def main() -> None:
    """Rewrite every recording, and print which of them changed."""
    FOLDER.mkdir(exist_ok=True)
    with redirect_stdout(io.StringIO()):  # the gateway's log
        played = asyncio.run(transcripts())
    before = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.txt")}
    for name in before.keys() - played.keys():
        (FOLDER / f"{name}.txt").unlink()
    for name, text in played.items():
        (FOLDER / f"{name}.txt").write_text(text, "utf-8")
    changed = sorted(name for name in before.keys() | played.keys() if before.get(name) != played.get(name))
    sys.stdout.write("\n".join([f"changed: {name}" for name in changed] or ["no exchange has changed"]) + "\n")


if __name__ == "__main__":
    main()
