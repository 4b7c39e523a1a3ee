"""CSV and JSON as lines that can be read, found and cited."""

import pytest

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.records import extract_csv, extract_json


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_are_read_with_the_names_of_their_columns(delimiter: str) -> None:
    text = "Grain,Price,Note\nrye,2,dark\nwheat,3,\n\noats\n".replace(",", delimiter)

    (said,) = extract_csv((text).encode(), None).parts

    assert said.splitlines() == ["Grain: rye; Price: 2; Note: dark", "Grain: wheat; Price: 3", "Grain: oats"]


def test_quoted_cells_keep_delimiters_and_lose_line_ends() -> None:
    (said,) = extract_csv((b'Grain,Note\nrye,"dark, sour\nand ""good"""\nwheat,a,surplus\n'), None).parts

    assert said.splitlines() == ['Grain: rye; Note: dark, sour and "good"', "Grain: wheat; Note: a; surplus"]


def test_a_table_of_a_header_only_says_its_header() -> None:
    assert extract_csv((b"Grain,Price\n"), None).parts == ("Grain, Price",)


def test_a_cell_without_an_end_is_text_all_the_same() -> None:
    text = 'Grain\n"' + "rye " * 60_000

    assert extract_csv((text).encode(), None).parts == (text,)


def test_each_object_of_json_is_a_line_with_its_path() -> None:
    text = """{"shop": "Ada's", "open": true, "owner": null, "tags": ["rye", 2.5],
        "offers": [{"grain": "rye", "price": 2}, {"grain": "wheat", "sizes": {"small": 1}}]}"""

    (said,) = extract_json((text).encode(), None).parts

    assert said.splitlines() == [
        "shop: Ada's; open: true; owner: null",
        "tags - rye, 2.5",
        "offers - grain: rye; price: 2",
        "offers - grain: wheat",
        "offers sizes - small: 1",
    ]


def test_json_lines_are_read_too() -> None:
    assert extract_json((b'{"a": 1}\n\n{"a": 2}\n'), None).parts == ("a: 1\na: 2",)


@pytest.mark.parametrize("text", ["{", "[1,]", "nope", "[" * 500 + "]" * 500, '{"a":' * 900 + "1" + "}" * 900])
def test_what_is_no_json_or_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(SourceRefused) as refused:
        extract_json(text.encode(), None)

    assert refused.value.code == "unreadable_json"
