"""`python -m tests.fuzz.guided RUNS`: inputs that coverage guides, with atheris, for each parser."""

import importlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Never

INSTRUMENTED = ["app", "mcp_server", "oauth"]
LONGEST = 4_096


def run_all(runs: str) -> int:
    """Each target in a process of its own, which is forked once the instrumented modules are imported.

    Returns 1 if one of them has a finding, which it prints, else 0.
    """
    if importlib.util.find_spec("atheris") is None:
        sys.stderr.write("atheris is not installed here; the parsers were tried by grammar only\n")
        return 0
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=INSTRUMENTED):
        targets = importlib.import_module("tests.fuzz.targets")
    failed = []
    for name, target in targets.TARGETS.items():
        if (child := os.fork()) == 0:
            _fuzz(atheris, target, targets.SEEDS[name], runs)
        if os.waitpid(child, 0)[1]:
            failed.append(name)
    sys.stderr.write(
        f"{len(targets.TARGETS)} parsers, {runs} inputs each; findings in: {', '.join(failed) or 'none'}\n"
    )
    return 1 if failed else 0


def _fuzz(atheris: Any, target: Callable[[bytes], None], seed: bytes, runs: str) -> Never:
    """It never returns: the fuzzer ends the process, with an error if there was a finding."""
    with tempfile.TemporaryDirectory() as corpus:
        Path(corpus, "seed").write_bytes(seed)
        options = [f"-runs={runs}", f"-max_len={LONGEST}", "-timeout=10", f"-artifact_prefix={corpus}/"]
        atheris.Setup([sys.argv[0], *options, corpus], target)
        atheris.Fuzz()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(run_all(sys.argv[1]))
