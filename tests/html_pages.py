"""What a browser makes of a page of ours: its forms as they would be sent untouched, its links and its labels."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

SCOPE = "scope:"


@dataclass
class Form:
    """`fields` are sent when nobody changes anything; `buttons` are name and value of each; `options` a script's."""

    action: str = ""
    method: str = "get"
    is_hidden: bool = False
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    options: str = ""

    @property
    def answers(self) -> list[str]:
        """The values of the buttons, in the order of the page."""
        return [value for _name, value in self.buttons]

    @property
    def scopes(self) -> set[str]:
        """Those that are ticked on a consent page."""
        return {name.removeprefix(SCOPE) for name in self.fields if name.startswith(SCOPE)}


class HtmlPage(HTMLParser):
    """One page, read once, without the header that all share. `inputs` are the attributes of each, by name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.inputs: dict[str, dict[str, str | None]] = {}
        self.links: list[str] = []
        self.labels: set[str | None] = set()
        self.roles: set[str | None] = set()
        self._choice = ""
        self.feed(text[max(text.find("<main"), 0) :])

    @property
    def form(self) -> Form:
        """The only form that is seen without scripts."""
        (form,) = [form for form in self.forms if not form.is_hidden]
        return form

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        values = {name: value or "" for name, value in attrs}
        self.roles.add(given.get("role"))
        match tag:
            case "form":
                self.forms.append(
                    Form(values.get("action", ""), values.get("method", "get").lower(), "hidden" in given)
                )
                self.forms[-1].options = values.get("data-options", "")
            case "a":
                self.links.append(values["href"])
            case "label":
                self.labels.add(given.get("for"))
            case "input" if "name" in values:
                self.inputs[values["name"]] = given
                self._fill(values)
            case "select":
                self._choice = values["name"]
            case "option":
                self._choose(values)
            case "button":
                self.forms[-1].buttons.append((values.get("name", ""), values.get("value", "")))

    def _fill(self, values: dict[str, str]) -> None:
        if values.get("type") != "checkbox" or "checked" in values:
            self.forms[-1].fields[values["name"]] = values.get("value", "")

    def _choose(self, values: dict[str, str]) -> None:
        """The first option is chosen where none is `selected`."""
        if "selected" in values or self._choice not in self.forms[-1].fields:
            self.forms[-1].fields[self._choice] = values.get("value", "")
