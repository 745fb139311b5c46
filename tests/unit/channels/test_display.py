from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.channels.display import (
    Cut,
    Mark,
    Text,
    cut,
    hidden_in,
    one_line,
    plain,
    restore,
    show,
    shown_from_json,
    shown_json,
    warned_in,
)
from sayso.errors import ChannelError

ODD = "\x00\x1b\r\n\t \u202e\u200b\u00ad\u0301аpр／＠./:xn--éσ漢\ud800\U000e0041\U0001d400\u3164\ufe0f\x9b"
TEXTS = st.text() | st.text(st.sampled_from(ODD)) | st.text(st.characters(categories=None))


@given(TEXTS, st.booleans())
def test_what_is_shown_is_the_exact_text(text: str, host: bool) -> None:
    assert restore(show(text, host=host)) == text


@given(TEXTS)
def test_texts_hold_nothing_that_cannot_be_seen(text: str) -> None:
    for run in show(text):
        if isinstance(run, Text):
            assert run.text
            categories = {unicodedata.category(c) for c in run.text if c not in " \n\t"}
            assert not categories & {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}


@given(TEXTS)
def test_runs_survive_json(text: str) -> None:
    shown = show(text)
    assert shown_from_json(shown_json(shown)) == shown


@given(TEXTS, st.integers(0, 50), st.none() | st.integers(1, 4))
def test_a_cut_says_exactly_how_much_is_hidden(text: str, limit: int, lines: int | None) -> None:
    shown = show(text)
    kept = cut(shown, limit, lines=lines)
    if kept == shown:
        assert len(text) <= limit
        assert lines is None or text.count("\n") < lines
        return
    *before, last = kept
    assert isinstance(last, Cut)
    beginning = restore(before)
    assert text.startswith(beginning)
    assert len(beginning) <= limit
    assert lines is None or beginning.count("\n") < lines
    assert last.characters == len(text) - len(beginning) > 0
    assert last.lines == text[len(beginning) :].count("\n")
    with pytest.raises(ChannelError, match="cut"):
        restore(kept)


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\x00", "NULL"),
        ("\x07", "BELL"),
        ("\r", "CARRIAGE RETURN"),
        ("\x1b", "ESCAPE"),
        ("\x7f", "DELETE"),
        ("\x85", "NEXT LINE"),
        ("\x9b", "CONTROL SEQUENCE INTRODUCER"),
        ("\x80", "CONTROL"),
        ("\u00a0", "NO-BREAK SPACE"),
        ("\u00ad", "SOFT HYPHEN"),
        ("\u034f", "COMBINING GRAPHEME JOINER"),
        ("\u061c", "ARABIC LETTER MARK"),
        ("\u115f", "HANGUL CHOSEONG FILLER"),
        ("\u180e", "MONGOLIAN VOWEL SEPARATOR"),
        ("\u200b", "ZERO WIDTH SPACE"),
        ("\u200d", "ZERO WIDTH JOINER"),
        ("\u2028", "LINE SEPARATOR"),
        ("\u2029", "PARAGRAPH SEPARATOR"),
        ("\u202e", "RIGHT-TO-LEFT OVERRIDE"),
        ("\u2066", "LEFT-TO-RIGHT ISOLATE"),
        ("\u2800", "BRAILLE PATTERN BLANK"),
        ("\u3000", "IDEOGRAPHIC SPACE"),
        ("\u3164", "HANGUL FILLER"),
        ("\ufe0f", "VARIATION SELECTOR-16"),
        ("\ufeff", "ZERO WIDTH NO-BREAK SPACE"),
        ("\uffa0", "HALFWIDTH HANGUL FILLER"),
        ("\ue000", "PRIVATE USE"),
        ("\uffff", "UNASSIGNED"),
        ("\ud800", "SURROGATE"),
        ("\U000e0041", "TAG LATIN CAPITAL LETTER A"),
        ("\U000e0100", "VARIATION SELECTOR-17"),
    ],
)
def test_what_cannot_be_seen_is_a_mark(char: str, name: str) -> None:
    code = f"U+{ord(char):04X}"
    assert show(f"a{char}b") == (Text("a"), Mark(code, name), Text("b"))


def test_an_escape_sequence_is_a_box_and_then_text() -> None:
    shown = show("\x1b[31mred\x1b[0m")
    assert plain(shown) == "[U+001B][31mred[U+001B][0m"
    assert hidden_in(shown) == 2


def test_new_lines_and_tabs_are_text() -> None:
    assert show("a\n\tb") == (Text("a\n\tb"),)


@given(TEXTS)
def test_on_one_line_nothing_breaks_it_and_nothing_is_lost(text: str) -> None:
    shown = one_line(show(text))
    assert restore(shown) == text
    assert not set(plain(shown)) & {"\n", "\t"}


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("e\u0301 Z\u030c", 0),
        ("\u0301x", 1),
        ("\n\u0301x", 1),
        ("a\u200b\u0301", 2),
        ("Z" + "\u0301" * 3, 0),
        ("Z" + "\u0301" * 40 + "x\u0301", 37),
    ],
)
def test_combining_marks_need_something_to_sit_on_and_do_not_pile_up(text: str, marks: int) -> None:
    assert hidden_in(show(text)) == marks


@pytest.mark.parametrize(
    "text",
    [
        "übersicht naïve café Žluťoučký d’où",
        "日本語 こんにちは！（笑） Tシャツ Wi-Fi接続 한국어",
        "Привет мир, как дела с ухом",
        "файл.txt test_тест",
        "Ελληνικά και α-helix 5µm 10Ω m² 1ª",
        "हिन्दी ไทย שלום مرحبا",
        "ﬁle – “quoted” … €120.00 → ✓",
        "https://example.com:8080/a?b=c#d user@example.com ssh://git@example.com/x",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert show(text) == ((Text(text),) if text else ())


@pytest.mark.parametrize(
    ("text", "odd", "says"),
    [
        ("go to pаypal.com", "pаypal", "`а` is CYRILLIC SMALL LETTER A"),
        ("ΑΒC", "ΑΒC", "mixes Greek and Latin"),
        ("rm сору", "сору", "every letter is Cyrillic and could pass for a Latin one"),
        ("rm а b", "а", "every letter is Cyrillic"),
        ("ＡＢＣ rm", "ＡＢＣ", "FULLWIDTH LATIN CAPITAL LETTER A, not the ASCII A"),
        ("𝐫𝐦 -rf", "𝐫𝐦", "MATHEMATICAL BOLD SMALL R, not the ASCII r"),
        ("ls ／etc", "／", "FULLWIDTH SOLIDUS, not the ASCII /"),
        ("a∕b", "∕", "DIVISION SLASH, not the ASCII /"),
        ("git ‑f", "‑", "NON-BREAKING HYPHEN, not the ASCII -"),
        ("ɡoogle", "ɡoogle", "LATIN SMALL LETTER SCRIPT G, not the ASCII g"),
        ("\u212aelvin", "\u212aelvin", "KELVIN SIGN, not the ASCII K"),
        ("a\u037e b", "\u037e", "not the ASCII ;"),
        ("https://münchen.de/", "münchen.de", "it is really xn--mnchen-3ya.de"),
        ("https://xn--pypal-4ve.com/x", "xn--pypal-4ve.com", "it reads pаypal.com"),
        ("ping XN--80AK6AA92E.com", "XN--80AK6AA92E.com", "it reads аррӏе.com"),
        ("xn--a\u0080 xn--99999999", "xn--99999999", "punycode that cannot be read"),
        ("https://google.com@evil.com/", "google.com@evil.com", "the host is evil.com"),
        ("http://a..ü/", "a..ü", "has no valid form"),
    ],
)
def test_look_alikes_are_flagged_with_what_is_odd(text: str, odd: str, says: str) -> None:
    warned = [run for run in show(text) if isinstance(run, Text) and run.warn is not None]
    assert (warned[-1].text, warned[-1].warn)[0] == odd
    assert says in str(warned[-1].warn)


def test_a_host_name_is_flagged_wherever_it_is_known_to_be_one() -> None:
    assert warned_in(show("münchen.de")) == 0
    assert warned_in(show("münchen.de", host=True)) == 1
    assert warned_in(show("example.com", host=True)) == 0


def test_a_hidden_character_inside_a_flagged_word_is_still_a_mark() -> None:
    shown = show("http://mü\u200bnchen.de/")
    assert hidden_in(shown) == 1
    assert [run.text for run in shown if isinstance(run, Text) and run.warn] == ["mü", "nchen.de"]


def test_a_megabyte_is_shown_in_reasonable_time() -> None:
    for text in ("x" * 2**20, "ж" * 2**18, "a\u0301" * 2**16, "\u200b" * 2**16, "xn--" * 2**16):
        assert restore(show(text)) == text


@pytest.mark.parametrize("data", [{}, {"mark": "U+0000"}, {"cut": "x", "lines": 0}])
def test_what_is_no_run_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ChannelError, match="shown text"):
        shown_from_json([data])
