"""How a Markdown file becomes a page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.toolsets.docs.pages import Page, Reader, plain, text_of
from tests.mcp_server.toolsets.docs.folder import ENDPOINTS

READER = Reader()


def page(text: str, path: str = "a/some-page.md") -> Page:
    return READER.read(path, text, mtime=1.0, size=len(text))


@pytest.mark.requirement("seed:servemd:sections-with-lines")
def test_a_section_reaches_to_the_next_heading_of_its_level() -> None:
    found = page(ENDPOINTS)

    assert found.title == "API Endpoints"
    assert [(one.heading, one.level, one.line_start, one.line_end) for one in found.sections] == [
        ("API Endpoints", 1, 1, 15),
        ("GET /llms.txt", 2, 5, 12),
        ("Caching", 3, 9, 12),
        ("GET /search", 2, 13, 15),
    ]
    assert text_of(found.sections[2], ENDPOINTS).startswith("### Caching")
    assert found.section_at(11) == found.sections[2]
    assert found.word_count == len(ENDPOINTS.split())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: 'From the front'\n---\n# Other\n", "From the front"),
        ("text\n\nSetext\n======\n", "Setext"),
        ("## Only a second level\n", "some page"),
        ("```\n# a comment\n```\n\n# Real\n", "Real"),
        ("", "some page"),
        ("---\n!!python/object/apply:os.system ['true']\ntitle: X\n---\n", "X"),
    ],
)
def test_the_title_is_of_the_front_matter_or_the_first_heading_or_the_file(text: str, title: str) -> None:
    assert page(text).title == title


def test_lines_are_those_of_the_file_also_below_front_matter() -> None:
    found = page("---\ntitle: X\n---\n\n## Here\n")

    assert [(one.heading, one.line_start, one.line_end) for one in found.sections] == [("Here", 5, 5)]


def test_anchors_are_those_of_code_hosts_and_a_second_one_gets_a_number() -> None:
    found = page("## GET /llms.txt\n\n## What's new?\n\n## What's new?\n\n## Déjà vu\n")

    assert [one.anchor for one in found.sections] == ["get-llmstxt", "whats-new", "whats-new-1", "déjà-vu"]


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("The `--flag` of **this**", "The --flag of this"),
        ("A [link](https://x) here", "A link here"),
        ("snake_case stays", "snake_case stays"),
        ("With attributes {#some-id}", "With attributes"),
        ("<a name='x'></a>Named", "Named"),
    ],
)
def test_a_heading_is_shown_without_its_markup(heading: str, wanted: str) -> None:
    assert plain(heading) == wanted


@given(st.text(alphabet=st.sampled_from("# `\n->[]()*_=a1"), max_size=300))
def test_whatever_stands_in_a_file_its_sections_are_lines_of_it(text: str) -> None:
    found = page(text)

    for section in found.sections:
        assert 1 <= section.line_start <= section.line_end <= max(1, text.count("\n") + 1)


@pytest.mark.parametrize("bomb", ["> " * 20_000, "- " * 20_000, "[" * 100_000, "#" * 100_000, "`" * 100_000])
def test_a_bomb_is_read_as_text(bomb: str) -> None:
    assert page(bomb).size == len(bomb)
