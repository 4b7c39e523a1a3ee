"""HTML and XML: the main text of a page, without its menus and scripts."""

import re
from typing import Any

import trafilatura
from lxml import etree, html  # type: ignore[import-untyped] # lxml ships no types

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.plain import MAX_CHARACTERS, Extracted, check_count, decode_text

META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
META_WINDOW = 4096
BLOCKS = (
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "option",
    "p", "pre", "section", "table", "td", "th", "tr", "ul",
)  # fmt: skip
INVISIBLE = ("script", "style", "noscript", "template", "svg", "head", "iframe", "object")
BLOCK_GAP = re.compile(r"\n(?![-|*\d])")
EMPHASIS = re.compile(r"(?<!\w)(\*\*|\*|__|~~|`)(?=\S)(.{1,400}?)(?<=\S)\1(?!\w)")
TAG = re.compile(r"<[^>]*")
QUOTED = re.compile(r"""("|').*?\1""", re.DOTALL)
BETWEEN = re.compile(r"[\s/=]+")
MAX_TAGS = 400_000  # a page of this size costs seconds; the main text of real ones has a few thousand
MAX_ATTRIBUTES = 2_000  # of one tag; they are compared with each other


def extract_html(data: bytes, charset: str | None) -> Extracted:
    declared = META_CHARSET.search(data[:META_WINDOW])
    text = decode_text(data, charset or (declared.group(1).decode("ascii") if declared else None))
    _check_tags(text)
    # The parser itself drops what is nested deeper than 256 levels: a tower of tags cannot exhaust the stack.
    try:
        tree = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError):
        return Extracted(("",))
    title = tree.findtext(".//title") or tree.findtext(".//h1")
    plain = _visible_text(tree)
    if not plain or len(plain) > MAX_CHARACTERS:
        return Extracted((plain,), title=title)  # refused in a moment; no need to search it for its main part
    found = trafilatura.extract(
        text, output_format="markdown", include_formatting=True, include_comments=False, include_tables=True
    )
    # Emphasis is noise in a quotation; headings are kept, they carry meaning for the chunks.
    main = BLOCK_GAP.sub("\n\n", EMPHASIS.sub(r"\2", found or "")).strip()
    return Extracted((main or plain,), title=title)


def _check_tags(text: str) -> None:
    check_count(text.count("<"), MAX_TAGS, "tags")
    for tag in TAG.finditer(text):
        if len(tag[0]) > MAX_ATTRIBUTES:
            check_count(len(BETWEEN.findall(QUOTED.sub("", tag[0]))), MAX_ATTRIBUTES, "attributes in a tag")


def _visible_text(tree: Any) -> str:
    etree.strip_elements(tree, etree.Comment, *INVISIBLE, with_tail=False)
    said: list[str] = []
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        gap = "\n" if element.tag in BLOCKS else ""
        said += (gap, element.text or "") if event == "start" else (gap, element.tail or "")
    return _lines("".join(said))


def _lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def extract_xml(data: bytes, _charset: str | None) -> Extracted:
    """The text of the elements, one line each; entities are not expanded and nothing is fetched.

    Raises `SourceRefused`: `unreadable_xml`.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    _check_tags(data.decode("latin-1"))
    try:
        tree = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError):
        raise SourceRefused("unreadable_xml", "The source is not well-formed XML.") from None
    text = "\n".join(piece for piece in tree.itertext() if piece)
    title = next((found.text for found in tree.iter("{*}title") if found.text), None)
    return Extracted((_lines(text),), title=title)
