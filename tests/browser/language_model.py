"""A language model on this machine that answers surveys as personas' names say, and waits where a test wants it."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

from tests.processes import HOST

HOSTILE = (
    "</script><script>document.title='pwned'</script> \u202eright to left <svg onload=alert(1)> 🤡 " + "x" * 10_000
)
ANSWERS = (
    "The lock sticks in the rain, and I stood there wet more than once.",
    "Batteries are empty on Mondays, which makes the bicycle useless.",
    "It is fine as it is: cheap and close to my flat.",
    "More stations by the river would help me most.",
)
THEMES = {"a": ("Locks", "lock"), "b": ("Batteries", "Batteries"), "c": ("More stations", "stations")}


class LanguageModel:
    """Answers of Unclear cannot be read, Nobody has no view, Mallory is hostile. `go` lets answers to surveys out."""

    def __init__(self) -> None:
        self.url = ""
        self.go = threading.Event()
        self.go.set()

    def reply(self, messages: list[dict[str, str]]) -> str:
        system, asked = messages[0]["content"], messages[-1]["content"]
        if "You take part in a survey" in system:
            self.go.wait(60)
            return json.dumps(self._survey(system, asked))
        if "You code the answers" in system:
            return json.dumps(_codebook(asked))
        if '"discipline"' in system:
            return json.dumps({"discipline": "Cycling", "description": "Cycles to work.", "traits": ["calm", "fair"]})
        return "You speak plainly and say what you think."

    def _survey(self, system: str, asked: str) -> dict[str, Any]:
        name = next((one for one in ("Unclear", "Nobody", "Mallory") if one in system), "")
        seed = crc32(system.partition("\n")[0].encode())
        if name == "Nobody":
            return {"reason": "I have no view on that.", "answer": None}
        said = HOSTILE if name == "Mallory" else ANSWERS[seed % len(ANSWERS)]
        if found := re.search(r"one whole number from (-?\d+) to (-?\d+)", system):
            low, high = int(found[1]), int(found[2])
            return {"reason": said, "answer": "it depends on the day" if name else high - seed % (high - low)}
        if options := re.findall(r"^- (.+)$", asked, re.MULTILINE):
            return {"reason": said, "answer": options[seed % len(options)]}
        return {"reason": said, "answer": [HOSTILE[:60] if name else "bicycles"]}


def _codebook(asked: str) -> dict[str, Any]:
    found = re.findall(r"BEGIN ANSWER (\d+) \w+\n(.*?)\nEND ANSWER", asked, re.DOTALL)
    answers = []
    for number, text in found:
        codes = [{"code": code, "quote": word} for code, (_, word) in THEMES.items() if word in text]
        marks = codes or [{"code": "other", "quote": ""}]
        answers.append({"n": int(number), "codes": marks, "stance": "agrees" if codes else "disagrees"})
    codes = [{"id": code, "label": label, "definition": f"Speaks of {word}."} for code, (label, word) in THEMES.items()]
    return {"codes": codes, "answers": answers}


@contextmanager
def answering() -> Iterator[LanguageModel]:
    """The model, listening at its `url`."""
    model = LanguageModel()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            message = {"role": "assistant", "content": model.reply(body["messages"])}
            answer = json.dumps({"choices": [{"index": 0, "message": message}], "usage": {"total_tokens": 50}}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    model.url = f"http://{HOST}:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        model.go.set()
        server.shutdown()
        server.server_close()
