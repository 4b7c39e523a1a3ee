"""Markdown is rendered without anything of its author's that runs, in bounded time, with the anchors of the index."""

import cProfile
from html.parser import HTMLParser

import pytest

from app.documentation.llms import without_front_matter
from app.documentation.rendering import LARGEST, Renderer
from mcp_server.toolsets.docs.pages import Reader

RENDERER = Renderer()
TAGS = {"p", "a", "em", "pre", "code", "div", "table", "thead", "tbody", "tr", "th", "td"}
HOSTILE = {
    "brackets": "[" * 100_000,
    "images": "![" * 250_000,
    "emphasis": "*a " * 160_000,
    "quotes": ">" * 100_000,
    "nested lists": "".join("  " * depth + "- a\n" for depth in range(440)),
    "bullets": "- " * 50_000,
    "list items": "1. a\n" * 100_000,
    "one line": "a " * 250_000,
    "references": "[a\n" * 150_000,
    "cells": "|a" * 4_000 + "|\n" + "|-" * 4_000 + "|\n" + "|x\n" * 40_000,
    "comments": "<!--" * 120_000,
    "backticks": "".join("`" * times + "a" for times in range(990)),
    "links": "[a](b" * 100_000,
    "entities": "&" * 490_000,
    "headings": "# a\n" * 120_000,
    "too long a line": "a" * 1_000_000,
}


class Seen(HTMLParser):
    """The tags of a text, with their attributes as a browser has them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def rendered(text: str, path: str = "guide/page.md") -> str:
    page = Reader().read(path, text, mtime=0, size=len(text))
    anchors = {section.line_start: section.anchor for section in page.sections}
    return RENDERER.html((path, hash(text), len(text)), without_front_matter(text), anchors)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
        "![x](https://elsewhere.example/pixel.png)",
        '[x](https://a.example "onmouseover=alert(1)")',
        "<a href='javascript:alert(1)'>x</a>",
        "```<script>\n<script>alert(1)</script>\n```",
        '![" onerror="alert(1)](a.png)',
        "| <b onclick=alert(1)> |\n|:-:|\n| x |",
        "<!-- a --><script>alert(1)</script>\n",
        "<!-- a --><script>alert(1)</script> b -->",
        "x <!-- a --> <svg onload=alert(1)>\n\n<details open ontoggle=alert(1)>\n",
        "[x]\n\n[x]: javascript:alert(1)",
        "<javascript:alert(1)>",
    ],
)
def test_nothing_of_an_author_runs_or_is_fetched(text: str) -> None:
    seen = Seen(rendered(text))

    assert {tag for tag, _ in seen.tags} <= TAGS
    assert {name for _, attributes in seen.tags for name in attributes} <= {
        "href",
        "title",
        "tabindex",
        "scope",
        "class",
    }
    links = [attributes["href"] or "" for _, attributes in seen.tags if "href" in attributes]
    assert [one for one in links if not one.startswith("https://a.example")] == []


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("other.md", "/docs/guide/other"),
        ("../index.md#the-start", "/docs/index#the-start"),
        ("../index.md#d%C3%A9j%C3%A0", "/docs/index#d%C3%A9j%C3%A0"),
        ("./sub/page.mdx?x=1", "/docs/guide/sub/page"),
        ("other.html", "/docs/guide/other"),
        ("sub/", "/docs/guide/sub"),
        ("/api/endpoints.md", "/docs/api/endpoints"),
        ("/docs/api/endpoints", "/docs/api/endpoints"),
        ("with%20space.md", "/docs/guide/with%20space"),
        ("#here", "#here"),
        ("https://example.com/a.md", "https://example.com/a.md"),
        ("mailto:a@example.com", "mailto:a@example.com"),
    ],
)
def test_links_lead_to_pages_of_people(target: str, address: str) -> None:
    assert f'<a href="{address}">x</a>' in rendered(f"[x]({target})")


@pytest.mark.parametrize(
    "target", ["../../README.md", "%2e%2e/../../x.md", "picture.png", "ftp://example.com/x", "//example.com"]
)
def test_a_link_to_what_is_not_served_leads_nowhere(target: str) -> None:
    assert "<a>x</a>" in rendered(f"[x](<{target}>)")


def test_headings_have_the_anchors_of_the_index_and_comments_are_not_shown() -> None:
    text = "---\ntitle: A\n---\n<!-- run\n\n# hidden -->\n# One\n\n> # Quoted\n\n| a\n---\n\n## Two *x*\n\n## One\n"

    html = rendered(text)

    assert '<h1 id="one">One</h1>' in html
    assert '<h2 id="two-x">Two <em>x</em></h2>' in html
    assert '<h2 id="one-1">One</h2>' in html
    assert "<h1>Quoted" in html
    assert "run" not in html


def test_tables_and_code_have_no_style_of_their_own_and_can_be_scrolled_by_keyboard() -> None:
    html = rendered("| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n```js\n<x>\n```\n")

    assert "style" not in html
    assert html.count('tabindex="0"') == 2
    assert '<th scope="col">a</th>' in html


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_markdown_that_is_made_to_be_slow_takes_few_steps_a_character(kind: str) -> None:
    with cProfile.Profile() as counting:
        html = Renderer().html((kind, 0, 0), HOSTILE[kind], {})

    assert 0 < len(html) < 12 * LARGEST
    assert sum(step.callcount for step in counting.getstats()) < 10 * LARGEST


def test_a_large_page_is_shown_as_it_is() -> None:
    assert rendered("# <b>\n" + "a" * LARGEST).startswith('<pre class="whole"># &lt;b&gt;')


def test_long_headings_stay_what_they_are() -> None:
    assert len(rendered(f"# {'long ' * 2_000}\n")) > 10_000


def test_a_version_of_a_page_is_rendered_once_and_the_oldest_is_forgotten() -> None:
    renderer = Renderer(most=20)

    first = renderer.html(("a", 1, 1), "one", {})
    again = renderer.html(("a", 1, 1), "not read", {})
    changed = renderer.html(("a", 2, 1), "other", {})
    later = renderer.html(("a", 1, 1), "another", {})

    assert (first, again) == ("<p>one</p>\n", first)
    assert changed == "<p>other</p>\n"
    assert later == "<p>another</p>\n"
