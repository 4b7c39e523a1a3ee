"""The program that reads a PDF from standard input, and writes its text, or why not, to standard output."""

import json
import sys
from dataclasses import asdict

from app.internal_api.knowledge.documents import SourceRefused
from app.internal_api.knowledge.extractors.pdf import read_pdf
from app.internal_api.knowledge.extractors.pdf_process import SECONDS

try:
    import resource
except ImportError:  # Windows: there the parent's clock is the only limit
    resource = None  # type: ignore[assignment]  # a module that is not there

MEMORY = 1024**3
"""Bytes; several PDFs are read at once."""


def main() -> None:
    """Read it within the limits of this process."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))  # for when the parent is no longer there to stop it
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        told = asdict(read_pdf(sys.stdin.buffer.read()))
    except SourceRefused as refused:
        told = {"code": refused.code, "message": refused.message}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
