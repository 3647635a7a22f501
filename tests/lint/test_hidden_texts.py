"""Hidden characters and secrets in texts."""

import pytest

from appfunctions_mcp.lint.hidden_characters import hidden_characters
from appfunctions_mcp.lint.secret_texts import secrets_in


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("a\u200bb", 1, "U+200B (zero width space)"),
        ("\ufeffCreates", 0, "U+FEFF (zero width no-break space)"),
        ("abc\u202egnp.exe", 3, "U+202E (right-to-left override)"),
        ("a\U000e0041\U000e0042b", 1, "U+E0041 (tag latin capital letter a)"),
        ("a\u2066b", 1, "U+2066 (left-to-right isolate)"),
        ("a\x07b", 1, "U+0007"),
        ("a\u3164b", 1, "U+3164 (hangul filler)"),
        ("a\ufe0fb", 1, "U+FE0F (variation selector-16)"),
        ("no\u200dte", 2, "U+200D (zero width joiner)"),
        ("a\udc80b", 1, "U+DC80"),
        ("\U000e0101", 0, "U+E0101 (variation selector-18)"),
        ("a\ue000\ue001b", 1, "U+E000"),
        ("\u26a0\ufe0f\ufe0e\ufe0fb", 2, "U+FE0E (variation selector-15)"),
        ("a\u200fb", 1, "U+200F (right-to-left mark)"),
    ],
)
def test_a_hidden_character_is_found_and_named(text: str, place: int, name: str) -> None:
    found = list(hidden_characters(text))

    assert [(span.start, what) for span, what in found] == [(place, name)]


@pytest.mark.parametrize(
    "text",
    [
        "Plain text.\n\tWith tabs\r\n",
        "Заметка — «текст»…",
        "\u26a0\ufe0f A warning",
        "1\ufe0f\u20e3 a key",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 a family",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f a flag",
        "می\u200cخواهم",
        "ملاحظة\u200f (HTML)",
        "שלום\u200e!",
        "Über\u00adlänge",
        "no\u00a0break",
        "笔记",
    ],
)
def test_what_shapes_words_and_pictures_is_left_alone(text: str) -> None:
    assert list(hidden_characters(text)) == []


SECRETS = [
    "sk-proj-Q7fK2mX9Lw3RtZ8vB5nY1cD4",
    "ghp_" + "a1B2c3D4e5" * 4,
    "AKIAQ7PZ2M4KD8VN3R5T",
    "AIza" + "SyD3fG5hJ7kL9qW2eR4tY6uI8oP0aS1dF3g",
    "xoxb-2837465019-kdjfhgqp",
    "glpat-x7Yk2Lm9Qr4Tz8Wb1Nc5",
    "npm_" + "a1B2c3D4e5F6" * 3,
    "hf_" + "QwRtYpLkJhGfDsZxCvBn" + "QwRtYpLkJhGf",
    "SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8t",
    "pypi-AgEIcHlwaS5vcmcCJDNjOTkzLTU2",
    "8192736450:AA" + "Hq7Tz2Lm9Qr4W" + "b1Nc5x7Yk2Lm9Qr4Tz8W",
    "AccountKey=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MjQyIn0.Qx7Lm2Zt9Kr4",
    "-----BEGIN RSA PRIVATE KEY-----",
    "postgres://admin:hT7kPq2Lz@db.internal/notes",
    "password: hT7kPq2Lz9",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_in_a_text(secret: str) -> None:
    found = list(secrets_in(f"Connects with {secret} and returns."))

    assert len(found) == 1
    assert found[0][0].text.startswith(secret[:6])


@pytest.mark.parametrize(
    "text",
    [
        "Uses the key AKIAIOSFODNN7EXAMPLE.",
        "Pass sk-your-key-goes-right-here-please.",
        "postgres://user:password@host/db",
        "The password: 8 to 64 characters",
        "api_key=<your key>",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "An access token of the account",
        "secret: changeme123456",
    ],
)
def test_a_placeholder_is_no_secret(text: str) -> None:
    assert list(secrets_in(text)) == []
