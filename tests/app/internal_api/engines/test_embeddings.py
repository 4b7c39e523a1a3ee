"""Texts as vectors, from the table of the extra `embeddings`."""

import subprocess
import sys

import pytest

from app.internal_api.engines.embeddings import Embedder


@pytest.fixture(scope="module")
def embed() -> Embedder:
    found = Embedder.installed()
    if found is None:
        pytest.skip("the extra has no wheel for this Python")
    return found


def test_each_text_is_a_unit_vector_whatever_its_case(embed: Embedder) -> None:
    rows = embed(["Quiet space", "quiet SPACE", "too expensive"])

    cosines = rows @ rows.T
    assert rows.shape == (3, 256)
    assert [round(float(cosines[i][i]), 5) for i in range(3)] == [1.0, 1.0, 1.0]
    assert round(float(cosines[0][1]), 5) == 1.0


def test_words_of_one_meaning_are_nearer_than_others(embed: Embedder) -> None:
    noise, loud, price = embed(["less noise", "it is too loud", "a lower price"])

    assert float(noise @ loud) > float(noise @ price) + 0.2


def test_a_text_without_a_word_is_zero_and_no_text_is_no_row(embed: Embedder) -> None:
    assert float(abs(embed([""])).sum()) == 0
    assert embed([]).shape == (0, 256)


def test_neither_the_package_that_ships_the_table_nor_a_network_client_is_imported() -> None:
    names = "wordllama", "requests", "huggingface_hub", "httpx"
    code = (
        "import sys; from app.internal_api.engines.embeddings import Embedder; (Embedder.installed() or list)(['x']);"
        f"print([name for name in {names} if name in sys.modules])"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)

    assert ran.stdout.decode().strip() == "[]"
