"""The readers of hostile input, by any bytes; `make fuzz` also lets coverage guide them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.grammar import mutated
from tests.fuzz.sizes import bounded
from tests.fuzz.targets import SEEDS, TARGETS

any_bytes = st.binary(max_size=300) | st.text(st.characters(exclude_categories=()), max_size=80).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


@pytest.mark.security("JR-29")
@pytest.mark.parametrize("name", TARGETS)
@bounded()
@given(data=st.data())
def test_no_bytes_are_more_than_a_reader_promises(name: str, data: st.DataObject) -> None:
    TARGETS[name](data.draw(any_bytes | mutated(st.just(SEEDS[name]))))
