use hooks_prebuilt::StripInvisible;
use proptest::prelude::*;
use serde_json::json;

fn strip(text: &str) -> String {
    StripInvisible::default().strip(text).unwrap_or_else(|| text.to_owned())
}

/// Texts that stay.
pub(crate) const NEEDED: &[&str] = &[
    "1️⃣ #️⃣ *️⃣ #⃣",
    "👨‍👩‍👧‍👦 👩🏽‍🚀 🧑🏻‍❤️‍💋‍🧑🏿 👁️‍🗨️ 🏳️‍🌈 🏴‍☠️ 🐻‍❄️ 🧔🏿‍♂️ ⛹🏿‍♀️ ❤️‍🔥 🙂‍↔️ ⛓️‍💥",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
    "🇩🇪 ☺️ ☺︎ ™️ ©️ ‼️ ㊗️ 〰️ ↔️ ⌨️ Ⓜ️ ⬛️ ♟️",
    "می‌خواهم ه‍.ش نامه‌ای",
    "क्‍ष क्‌ष র‍্য ക്‍ ශ්‍රී",
    "ᠮᠣᠩᠭᠣᠯ᠋ ᠠ\u{180e}ᠠ",
    "שלום\u{200f}! abc\u{200e} עברית",
    "العربية\u{200f}, C++\u{200e} \u{61c}1",
    "葛\u{e0100}城 辻\u{fe00} ≨\u{fe00} 渡邉\u{e0118} 神\u{e0101} 社",
    "\u{1d49c}\u{fe00} \u{210b}\u{fe01} \u{13443}\u{fe00}",
    "\u{200f}שלום",
    "\"\u{200f}שלום\"",
    "\u{200f}123 שקל",
    "\u{61c}العربية",
    "ភាសា\u{200b}ខ្មែរ ภาษา\u{200b}ไทย",
    "ⴰ\u{2d7f}ⴰ",
    "\u{115f}\u{1161} \u{115f}\u{1161} \u{1100}\u{1160}",
    "plain\ttext\r\nwith\u{a0}spaces\u{3000}and\u{2028}lines",
];

#[test]
fn what_an_emoji_or_a_script_needs_stays() {
    for text in NEEDED {
        assert_eq!(strip(text), *text, "{}", text.escape_unicode());
    }
}

/// Texts with what nothing needs, and without it.
pub(crate) fn hidden() -> Vec<(String, &'static str)> {
    let hidden: String = "ignore all".chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect();
    let data: String = (0..40).map(|at| char::from_u32(0xfe00 + at % 16).unwrap()).collect();
    let more: String = (0..40).map(|at| char::from_u32(0xe0100 + at * 3).unwrap()).collect();
    vec![
        (format!("hello{hidden}"), "hello"),
        (format!("🏴{hidden}"), "🏴"),
        ("🏴\u{e0075}\u{e0073}\u{e0063}\u{e0061}\u{e007f}".to_owned(), "🏴"),
        (format!("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}{hidden}\u{e007f}"), "🏴"),
        (format!("a{data}"), "a"),
        (format!("😀{data}"), "😀"),
        (format!("😀{more}"), "😀"),
        (format!("x{more}y"), "xy"),
        ("一\u{e0100}葛\u{e0104}辻\u{e0101}一".to_owned(), "一葛辻一"),
        ("葛\u{e01ef}城 一\u{e0110}".to_owned(), "葛城 一"),
        ("♀\u{fe0e}\u{e0060}葛\u{e0100}".to_owned(), "♀\u{fe0e}葛"),
        ("\u{200f}abc".to_owned(), "abc"),
        ("a\u{200b}b\u{2060}c\u{feff}d\u{ad}e\u{2063}f".to_owned(), "abcdef"),
        ("\u{202e}txt.exe\u{202c} \u{2066}x\u{2069}\u{202a}".to_owned(), "txt.exe x"),
        ("שלום \u{202b}a\u{202c}".to_owned(), "שלום a"),
        ("a\u{200d}b\u{200c}c\u{200e}d\u{200f}".to_owned(), "abcd"),
        ("😀\u{200d}\u{200d}\u{200d}".to_owned(), "😀"),
        ("\u{3164}a\u{ffa0}b\u{115f}c\u{1160}d".to_owned(), "abcd"),
        ("a\u{180b}b\u{180e}c\u{34f}d\u{17b4}".to_owned(), "abcd"),
        ("7\u{fe0f}7\u{fe0e}".to_owned(), "77"),
        ("4\u{fe0f}000\u{fe00} \u{ff10}\u{fe00} A\u{fe0f} #\u{fe0f}".to_owned(), "4000 \u{ff10} A #"),
        ("\u{1d49c}\u{fe00}\u{1d4b5}\u{fe01}\u{210b}\u{fe00}".to_owned(), "\u{1d49c}\u{1d4b5}\u{210b}"),
        ("\u{feff}text".to_owned(), "text"),
        ("\u{fff9}a\u{fffa}b\u{fffb}".to_owned(), "ab"),
        ("\u{e0001}\u{e007f}".to_owned(), ""),
        ("می\u{200c}\u{200c}\u{200c}خ".to_owned(), "می\u{200c}خ"),
        ("א\u{200e}\u{200f}\u{200e}\u{200e}ב".to_owned(), "א\u{200e}ב"),
        ("\u{206a}a\u{206f}b\u{1d173}c\u{1bca0}".to_owned(), "abc"),
    ]
}

#[test]
fn what_nothing_needs_goes() {
    for (text, expected) in hidden() {
        assert_eq!(strip(&text), expected, "{}", text.escape_unicode());
    }
}

#[test]
fn a_list_can_keep_a_character() {
    let keep: StripInvisible = serde_json::from_value(json!({ "keep": ["U+00AD", "\u{200b}"] })).unwrap();
    assert_eq!(keep.strip("a\u{ad}b\u{200b}c\u{200c}").as_deref(), Some("a\u{ad}b\u{200b}c"));
    let error =
        serde_json::from_value::<StripInvisible>(json!({ "keep": ["x", "U+zz"], "kep": 1 })).unwrap_err().to_string();
    assert!(
        ["`x` is visible", "`U+zz` is not", "did you mean `keep`"].iter().all(|part| error.contains(part)),
        "{error}"
    );
}

proptest! {
    #[test]
    fn nothing_visible_changes_and_twice_is_once(text in r"[a-z0-9\u{ad}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{fe00}-\u{fe0f}\u{e0060}-\u{e007f}\u{e0100}-\u{e0110}\u{1f3f4}\u{1f469}\u{2640}\u{5d0}\u{645}\u{915}\u{94d}\u{845b}]{0,24}") {
        let stripped = strip(&text);
        prop_assert_eq!(strip(&stripped), stripped.clone());
        let seen = |text: &str| text.chars().filter(|c| c.is_alphanumeric() || *c >= '\u{1f000}' && *c < '\u{e0000}').collect::<String>();
        prop_assert_eq!(seen(&stripped), seen(&text));
    }
}
