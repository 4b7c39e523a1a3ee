"""The program that makes a PDF: what `pdf.py` made on standard input, the PDF on standard output.

It runs by its path and imports nothing of the gateway, so that it starts fast and holds no secret.
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import typst

try:
    import resource
except ImportError:  # Windows: there the parent's clock is the only limit
    resource = None  # type: ignore[assignment]  # a module that is not there

SECONDS = 60  # of work, for when the parent is no longer there to stop it
MEMORY = 2 * 1024**3  # bytes

TEMPLATE = Path(__file__).with_name("report.typ")


def pdf_of(data: bytes) -> bytes:
    """The PDF of a document as `pdf.py` describes it."""
    # Source Sans and Kurinto, which has almost every living script. Their files are wanted, not the wheel's code.
    found = find_spec("weblate_fonts")
    folders = (found.submodule_search_locations or ()) if found else ()
    paths = [str(path) for one in folders for path in Path(one).rglob("ttf") if path.parent.name != "source-code"]
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=paths)
    text = data.decode()
    return typst.compile(TEMPLATE, font_paths=fonts, sys_inputs={"report": text}, timestamp=json.loads(text)["created"])


if __name__ == "__main__":
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.stdout.buffer.write(pdf_of(sys.stdin.buffer.read()))
