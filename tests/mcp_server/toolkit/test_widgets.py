"""The widgets' documents are small and whole, change nothing but text, and their metadata is what each host wants."""

import re
from html.parser import HTMLParser

import pytest

from mcp_server.toolkit.widgets import document, resource_meta, tool_meta, uri_of

NAMES = ("spark", "panel")
MOST_BYTES = 60_000
SITE = "https://minds.example.com"
ADDRESS = re.compile(r"\b(?:https?|wss?|ftp)://[^\s'\"]*")
NAMESPACE = "http://www.w3.org/2000/svg"
"""A name that nothing is fetched from."""


class Elements(HTMLParser):
    """The tags of a document, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_small_and_holds_each_of_its_parts_once(name: str) -> None:
    text = document(name)

    assert len(text.encode()) < MOST_BYTES
    assert "/* STYLE */" not in text
    assert "/* SCRIPT */" not in text
    for part in ("const WORDS = {", "class Host {", "const state = {", ":root {", 'id="app"'):
        assert text.count(part) == 1, part


@pytest.mark.parametrize("name", NAMES)
def test_a_document_takes_nothing_from_elsewhere(name: str) -> None:
    text = document(name)
    elements = Elements(text).found

    assert {tag for tag, _ in elements} <= {
        "html", "head", "meta", "title", "style", "body", "main", "noscript", "p", "script",
    }  # fmt: skip
    assert [found for found in elements if {"src", "href", "srcset", "action", "style"} & found[1].keys()] == []
    assert set(ADDRESS.findall(text)) == {NAMESPACE}
    assert not re.search(r"^\s*import\b|\bimport\s*\(|@import|\burl\(", text, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "way", ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
            "createContextualFragment", "srcdoc", "localStorage", "sessionStorage", "document.cookie"],
)  # fmt: skip
def test_a_document_never_makes_markup_or_code_of_text_and_keeps_nothing(name: str, way: str) -> None:
    assert way not in document(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_sentence_of_a_document_is_used_and_stands_in_one_place(name: str) -> None:
    everything = "".join(map(document, NAMES))
    sentences = re.findall(r"^  (\w+): '", document(name), re.MULTILINE)
    asked = re.findall(r"words\('(\w+)'|listed\('(\w+)'|choice\('\w+', '(\w+)'", document(name))

    assert len(sentences) > 30
    assert {"".join(found) for found in asked} <= set(sentences)
    assert [word for word in sentences if everything.count(f"'{word}'") == 0] == []


def test_the_address_of_a_widget_changes_with_its_text() -> None:
    assert re.fullmatch(r"ui://widget/spark\.[0-9a-f]{12}\.html", uri_of("spark", "a"))
    assert uri_of("spark", "a") == uri_of("spark", "a")
    assert uri_of("spark", "a") != uri_of("spark", "b")
    assert uri_of("spark", "a") != uri_of("panel", "a")


def test_a_widget_of_a_public_gateway_may_reach_that_gateway_and_nothing_else() -> None:
    assert resource_meta(SITE) == {
        "ui": {"csp": {"connectDomains": [SITE], "resourceDomains": []}, "prefersBorder": True},
        "openai/widgetPrefersBorder": True,
        "openai/widgetCSP": {"connect_domains": [SITE], "resource_domains": []},
        "openai/widgetDomain": SITE,
    }


@pytest.mark.parametrize(("site", "connect"), [("http://127.0.0.1:8000", ["http://127.0.0.1:8000"]), ("", [])])
def test_only_a_gateway_on_https_names_a_domain_for_its_widgets(site: str, connect: list[str]) -> None:
    meta = resource_meta(site)

    assert "openai/widgetDomain" not in meta
    assert meta["ui"]["csp"] == {"connectDomains": connect, "resourceDomains": []}
    assert meta["openai/widgetCSP"] == {"connect_domains": connect, "resource_domains": []}


@pytest.mark.parametrize("site", [SITE, "http://127.0.0.1:8000", ""])
def test_no_host_is_told_a_domain_that_is_not_its_own(site: str) -> None:
    assert "domain" not in resource_meta(site)["ui"]


def test_a_tool_names_its_widget_for_every_kind_of_host() -> None:
    assert tool_meta("ui://widget/x.html") == {
        "ui": {"resourceUri": "ui://widget/x.html", "visibility": ["model", "app"]},
        "ui/resourceUri": "ui://widget/x.html",
        "openai/outputTemplate": "ui://widget/x.html",
        "openai/widgetAccessible": True,
    }
