"""The readers of hostile input: by any bytes, and a little by coverage."""

import importlib.util
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.grammar import mutated
from tests.fuzz.sizes import bounded
from tests.fuzz.targets import SEEDS, TARGETS
from tests.processes import ROOT

any_bytes = st.binary(max_size=300) | st.text(st.characters(exclude_categories=()), max_size=80).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


@pytest.mark.security("JR-29")
@pytest.mark.parametrize("name", TARGETS)
@bounded()
@given(data=st.data())
def test_no_bytes_are_more_than_a_reader_promises(name: str, data: st.DataObject) -> None:
    TARGETS[name](data.draw(any_bytes | mutated(st.just(SEEDS[name]))))


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is built for Linux on x86-64 only")
def test_inputs_that_coverage_guides_find_nothing_either() -> None:
    command = [sys.executable, "-m", "tests.fuzz.guided", "500"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert ended.returncode == 0, ended.stdout[-3_000:] + ended.stderr[-3_000:]
