"""`python -m tests.fuzz.guided TARGET RUNS` or `--all RUNS`: inputs that coverage guides, with atheris."""

import importlib
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.processes import ROOT

INSTRUMENTED = ["app", "mcp_server", "oauth"]
LONGEST = 4_096


def run_one(name: str, runs: str) -> None:
    """Never returns: the fuzzer ends the process, with an error if there was a finding."""
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=INSTRUMENTED):
        targets = importlib.import_module("tests.fuzz.targets")
    with tempfile.TemporaryDirectory() as corpus:
        Path(corpus, "seed").write_bytes(targets.SEEDS[name])
        options = [f"-runs={runs}", f"-max_len={LONGEST}", "-timeout=10", f"-artifact_prefix={corpus}/"]
        atheris.Setup([sys.argv[0], *options, corpus], targets.TARGETS[name])
        atheris.Fuzz()


def run_all(runs: str) -> int:
    """Each target in a process of its own."""
    if importlib.util.find_spec("atheris") is None:
        sys.stderr.write("atheris is not installed here; the parsers were tried by grammar only\n")
        return 0
    targets = importlib.import_module("tests.fuzz.targets")
    failed = [name for name in targets.TARGETS if not passes(name, runs)]
    sys.stderr.write(
        f"{len(targets.TARGETS)} parsers, {runs} inputs each; findings in: {', '.join(failed) or 'none'}\n"
    )
    return 1 if failed else 0


def passes(name: str, runs: str) -> bool:
    """Whether that many inputs find nothing; what they find is printed."""
    command = [sys.executable, "-m", "tests.fuzz.guided", name, runs]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.stderr.write(ended.stdout[-3_000:] + ended.stderr[-3_000:])
    return ended.returncode == 0


if __name__ == "__main__":
    sys.exit(run_all(sys.argv[2])) if sys.argv[1] == "--all" else run_one(sys.argv[1], sys.argv[2])
