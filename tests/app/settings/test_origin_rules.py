"""Who may call, as the settings say."""

from pathlib import Path

from app.settings.origin_rules import origin_rules
from tests.edge import settings_for


def test_the_site_may_call_itself_and_strangers_may_not() -> None:
    rules = origin_rules(settings_for(Path("var"), site_url="https://gateway.example"))

    assert rules.may_call("https://gateway.example")
    assert rules.may_call("https://claude.ai")
    assert not rules.may_call("https://evil.example")
