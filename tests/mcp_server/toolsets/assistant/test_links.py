"""Links of an answer lead somewhere for whoever reads it elsewhere."""

import time

import pytest

from mcp_server.toolsets.assistant._links import whole_links

ROOT, BELOW = "https://docs.agno.com", "https://resend.com/docs"


@pytest.mark.parametrize(
    ("text", "docs_url", "whole"),
    [
        ("[a](/agents)", ROOT, "[a](https://docs.agno.com/agents)"),
        ("[a](agents/new#x)", ROOT, "[a](https://docs.agno.com/agents/new#x)"),
        ("[a](/send)", BELOW, "[a](https://resend.com/docs/send)"),
        ("[a](/docs/send)", BELOW, "[a](https://resend.com/docs/send)"),
        ("[a](/docsearch)", BELOW, "[a](https://resend.com/docs/docsearch)"),
        ("[a](./send)", BELOW, "[a](https://resend.com/docs/send)"),
        ("![a](/i.png)", ROOT, "![a](https://docs.agno.com/i.png)"),
        ("(a)[/agents]", ROOT, "[a](https://docs.agno.com/agents)"),
        ("(a)[https://x.test/y]", ROOT, "[a](https://x.test/y)"),
        ("[a](https://x.test)", ROOT, "[a](https://x.test)"),
        ("[a](mailto:b@x.test)", ROOT, "[a](mailto:b@x.test)"),
        ("[a](//x.test)", ROOT, "[a](//x.test)"),
        ("[a](/agents)", "", "[a](/agents)"),
        ("f(x)[0] and `(a)[/b]`", ROOT, "f(x)[0] and `(a)[/b]`"),
        ("```\n[a](/b)\n```\n[a](/b)", ROOT, "```\n[a](/b)\n```\n[a](https://docs.agno.com/b)"),
    ],
)
def test_links_are_absolute_and_the_right_way_round_outside_code(text: str, docs_url: str, whole: str) -> None:
    assert whole_links(text, docs_url) == whole


@pytest.mark.parametrize("sign", ["[", "(", "`", "```", "[](", "(a)[/", "[a]("])
def test_a_hostile_text_is_read_in_linear_time(sign: str) -> None:
    begun = time.process_time()

    whole_links(sign * (200_000 // len(sign)), ROOT)

    assert time.process_time() - begun < 2
