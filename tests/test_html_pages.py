"""A page is read as a browser reads it."""

import pytest

from tests.html_pages import Form, HtmlPage

PAGE = """
<a href="/home">Home</a>
<form method="POST" action="/there"><label for="csrf">x</label>
  <input type="hidden" name="csrf" value="c&amp;d"><input type="password" name="password">
  <input type="checkbox" name="scope:a" value="on" checked><input type="checkbox" name="scope:b" value="on">
  <select name="first"><option value="1">1</option><option value="2">2</option></select>
  <select name="chosen"><option value="1">1</option><option value="2" selected>2</option></select>
  <button name="answer" value="allow">Allow</button><button>Go</button>
</form>
<form><p role="alert">No</p></form>
"""


def test_a_form_is_filled_in_as_it_comes() -> None:
    first, second = HtmlPage(PAGE).forms

    assert (first.action, first.method) == ("/there", "post")
    assert first.fields == {"csrf": "c&d", "password": "", "scope:a": "on", "first": "1", "chosen": "2"}
    assert first.buttons == [("answer", "allow"), ("", "")]
    assert (first.answers, first.scopes) == (["allow", ""], {"a"})
    assert second == Form()


def test_links_labels_and_roles_are_seen_and_unticked_boxes_are_inputs() -> None:
    page = HtmlPage(PAGE)

    assert page.links == ["/home"]
    assert page.labels == {"csrf"}
    assert "alert" in page.roles
    assert set(page.inputs) == {"csrf", "password", "scope:a", "scope:b"}
    assert page.inputs["password"]["type"] == "password"


def test_the_only_form_is_the_only_one() -> None:
    assert HtmlPage("<form action='/a'></form>").form == Form("/a")
    with pytest.raises(ValueError, match="values to unpack"):
        _ = HtmlPage(PAGE).form
