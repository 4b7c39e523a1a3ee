"""A name is shown without what hides or reorders; what may imitate is told; a host keeps its end."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oauth.primitives.display_names import MAX_HOST, MAX_NAME, NAMELESS, may_imitate, shown_host, shown_name


@pytest.mark.security("CO-07", "CO-19")
@given(st.text(max_size=200))
def test_whatever_a_name_is_it_is_shown_in_one_short_line_that_hides_nothing(name: str) -> None:
    shown = shown_name(name)

    assert 0 < len(shown) <= MAX_NAME
    assert {unicodedata.category(character) for character in shown}.isdisjoint({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
    assert shown == shown.strip()
    assert set(shown).isdisjoint("\ufe0f\U000e0100\u17b4\u180b\u180f\u3164")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Claude", "Claude"),
        ("  Café\r\n\tTools ", "Café Tools"),
        ("evil\u202eedualC\u202c", "eviledualC"),
        ("Cl\u200bau\u2060de\ufeff", "Claude"),
        ("\u2066\u3164\u2069", NAMELESS),
        ("", NAMELESS),
        ("e" + "\u0335" * 50 + "!", "e\u0335\u0335!"),
        ("x" * 2_000, "x" * 79 + "…"),
    ],
)
def test_hidden_characters_are_gone_and_the_rest_stays(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@pytest.mark.parametrize(
    "name",
    [
        "Acme™ ½ № 7²",
        "Nº 5",
        "Hawaiʻi",  # noqa: RUF001 - lookalikes are the point
        "Ελλάδα",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
        "ﾃｽﾄ",
        "क्\u200dष",
        "👩\u200d💻 Dev",
        "❤\ufe0f\u200d🔥",
        "👍🏽\u200d♂ Up",
        "ℹ\ufe0f Info",  # noqa: RUF001 - lookalikes are the point
        "北京 App",
        "Ναυτίλος",
        "",
        "Claude",
        "日本語 Claude",
        "नमस्ते",
        "Bob’s “Tools” – v2 · beta…",  # noqa: RUF001 - lookalikes are the point
        "日本語（テスト）・道具！",  # noqa: RUF001 - lookalikes are the point
        "שלום׀ עולם",  # noqa: RUF001 - lookalikes are the point
        "नमस्ते १२३।",
        "أدوات ٣؟",
        "Oʻzbekiston",  # noqa: RUF001 - lookalikes are the point
        "5 € ± 2 °C × 3",  # noqa: RUF001 - lookalikes are the point
        "İstanbul Asistanı",  # noqa: RUF001 - lookalikes are the point
        "Alışveriş Yardımcısı",  # noqa: RUF001 - lookalikes are the point
        "Ɓarawo ɗan",
        "ChatGPT для бизнеса",
        "AI مساعد",
        "ChatGPT สำหรับธุรกิจ",
        "µTorrent",
        "МОСТ",  # noqa: RUF001 - lookalikes are the point
        "АВТО",  # noqa: RUF001 - lookalikes are the point
        "хор",  # noqa: RUF001 - lookalikes are the point
        "ԵՌԱՄԱՍ հաց",  # noqa: RUF001 - lookalikes are the point
        "μTorrent 3",
        "Ɛwe ɔdɔ",
        "Notion для команды (бета)",
        "Claude · Москва",
        "Đà Nẵng Trợ lý",
    ],
)
def test_a_name_in_one_language_is_no_imitation(name: str) -> None:
    assert not may_imitate(name)


@pytest.mark.parametrize(
    "name",
    [
        "\u0421laude",
        "\u0421\u043e\u0440\u0443",
        "\u039d\u039f\u03a4\u0399\u039f\u039d",
        "\uff23laude",
        "\U0001d402laude",
        "Cl\u0251ude",
        "Cla\u200bude",
        "\u202eedualC",
        "Open\u0391I",
        "C\u217caude",
        "ⓒlaude",
        "Cℹ\ufe0faude",  # noqa: RUF001 - lookalikes are the point
        "Cl\u00adaude",
        "Claude\u202eevil",
        "Cl\u200daude",
        "Cl\u3164aude",
        *(f"Cl{hidden}aude" for hidden in "\ufe00\ufe0f\U000e0100\U000e01ef\u17b4\u17b5\u180b\u180e\u180f\u034f\u2800"),
        *(f"C{letter}aude" for letter in "\u01c0\u2223\uff5c\u05c0\u2502\u2758\u2016"),
        *(f"Claud{letter}" for letter in "\U0001d41e\u0435"),
        *(f"claude{sign}ai" for sign in "\u2024\uff0e\u0589\u0701\u06d4"),
        *(f"claude{slash}ai" for slash in "\u2215\u2044\u2571\u29f8\uff0f"),
        "Claude\ufe0f",
        "1\ufe0f",
        "Micros\u043eft",
        "\u0430\u0440\u0440\u04cf\u0435",
        "\u0425\u0410\u0406",
        "M\u0131nds",
        "M\u0131crosoft",
        "Clau\u0257e",
        "Open \u0410\u0406",
        "claude.\u0430\u0456",
        "Co\u00b5rse",
        "\u039d\u039f\u03a4\u0399\u039f\u039d \u0434\u043b\u044f \u043a\u043e\u043c\u0430\u043d\u0434\u044b",
        "G\u00f6ogle",
        "GP\u0422",
        "claude\u0589ai \u0570\u0561\u0575",
        "C\u05c0aude \u05e9\u05dc\u05d5\u05dd",
        "Claude \u0421\u043e\u0501\u0435",
        "\u0421laude \u0434\u043b\u044f \u0431\u0438\u0437\u043d\u0435\u0441\u0430",
        "\u216d\u216caude",
        "Final Fantasy\u2176",
    ],
)
def test_a_name_in_lookalikes_of_another_is_told(name: str) -> None:
    assert may_imitate(name)


@pytest.mark.security("CO-19")
def test_a_long_host_is_cut_at_its_front() -> None:
    host = "claude.ai." + "x" * 200 + ".evil.example"

    assert shown_host(host).endswith(".evil.example")
    assert len(shown_host(host)) == MAX_HOST
    assert shown_host("claude.ai") == "claude.ai"
