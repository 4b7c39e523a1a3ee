"""A report as PDF, written by a child process that can be stopped, and that holds no secret.

The exporter runs this module; it reads the report as JSON from standard input and writes the PDF to standard output.
"""

import json
import sys
from importlib.resources import files
from pathlib import Path

import typst

from app.internal_api.children import limit_resources
from app.internal_api.panels.report import Report, blocks

SECONDS, MEMORY = 300, 2 * 1024**3
TEMPLATE = Path(__file__).with_name("report.typ")
FONTS = ("Source Sans 3", "Kurinto Sans", *(f"Kurinto Sans {region}" for region in ("SC", "JP", "KR", "TC")))


def write_pdf(report: Report) -> bytes:
    content = {"title": report.study, "fonts": FONTS, "blocks": [block._asdict() for block in blocks(report)]}
    folders = [Path(str(files("weblate_fonts")), "static/weblate_fonts", name) for name in ("source-sans", "kurinto")]
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[*map(str, folders)])
    written = json.dumps(content, default=lambda share: {**share.model_dump(), "percent": f"{share.share:.0%}"})
    return typst.compile(TEMPLATE, font_paths=fonts, sys_inputs={"report": written})


if __name__ == "__main__":
    limit_resources(SECONDS, MEMORY)
    sys.stdout.buffer.write(write_pdf(Report.model_validate_json(sys.stdin.buffer.read())))
