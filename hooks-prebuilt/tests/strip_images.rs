use hooks_prebuilt::StripImages;
use proptest::prelude::*;
use serde_json::json;

use crate::streams::{cut, shown};

fn images() -> StripImages {
    serde_json::from_value(json!({ "hosts": ["good.org", "*.good.org"] })).unwrap()
}

fn strip(text: &str) -> String {
    images().strip(text).unwrap_or_else(|| text.to_owned())
}

/// Texts with an image that must not be loaded, and what is left of them.
pub(crate) const STRIPPED: &[(&str, &str)] = &[
    ("a ![b](https://evil.org/?q=1) c", "a b c"),
    ("![b](<https://evil.org/x y> \"t\")", "b"),
    ("> a <img\n> src=\"https://evil.org/z\"> b", "> a  b"),
    ("> <video\n> poster=\"https://evil.org/z\">", "> "),
    ("> a <div style='x:y'\n> onclick=fetch('https://evil.org')>", "> a "),
    ("- > <img\n  > src=https://evil.org>", "- > "),
    ("> <img src=\"https://good.org/x\"\n> srcset=\"https://evil.org/z\">", "> "),
    ("<img src=\"https://good.org/x\" attributionsrc=\"https://evil.org/z\">", ""),
    (
        "<svg><image href=\"https://good.org/x\"><set attributeName=\"href\" to=\"https://evil.org/z\"/></image></svg>",
        "<svg><image href=\"https://good.org/x\"></image></svg>",
    ),
    ("<svg><animate values=\"red;//evil.org/z\"/></svg>", "<svg></svg>"),
    ("<path marker-start=\"url(https://evil.org/z#a)\"/>", ""),
    ("![b](https://evil.org/x 'a) b')", "b"),
    ("![a *b* `c`](//evil.org)", "a b c"),
    ("![](https://evil.org)", ""),
    ("![a\nb](\nhttps://evil.org\n)", "a b"),
    ("![a `]` b](https://evil.org)", "a  b"),
    ("[![b](https://evil.org)](https://x.org)", "[b](https://x.org)"),
    ("![a ![b](https://evil.org/1)](https://evil.org/2)", "a b"),
    ("![a ![b](https://evil.org/1)](https://good.org/2)", "![a b](https://good.org/2)"),
    ("[e]: https://evil.org\n\n![b][e] ![e] ![e][]", "[e]: https://evil.org\n\nb e e"),
    ("[e]: https://evil.org\n\n![b][e], ![e][], ![e].", "[e]: https://evil.org\n\nb, e, e."),
    ("![b][e]\n\n[e]: https://evil.org\n", "![b][e]\n\n\n"),
    ("![b][e]\n\n> [e]:\n> https://evil.org\n\nx", "![b][e]\n\n> \n\nx"),
    ("![b](ht&#116;ps://evil.org)", "b"),
    ("![b](https:\\\\evil.org)", "b"),
    ("![b](..//evil.org)", "b"),
    ("![b](/\\evil.org)", "b"),
    ("![b](https://good.org@evil.org)", "b"),
    ("![b](https://good.org\\@evil.org)", "b"),
    ("![b](https://evil.org#good.org)", "b"),
    ("![b](https://evilgood.org)", "b"),
    ("![b](data:image/svg+xml,<svg/>)", "b"),
    ("![b](relative.png)", "b"),
    ("![b](https://good.org.evil.org/x)", "b"),
    ("![b](https://ɡood.org)", "b"),
    ("![\\!\\[x\\](https://evil.org)](https://evil.org)", "xhttps://evil.org"),
    ("<img src=\"https://evil.org\">", ""),
    ("<IMG alt='b' SRC=https://evil.org>", "b"),
    ("<img\n  src = 'https://evil.org'\n/>", ""),
    ("<img/src=https://evil.org>", ""),
    ("<img src=`https://evil.org`>", ""),
    ("<img srcset=\"https://good.org/1 1x, https://evil.org/2 2x\">", ""),
    (
        "<picture><source srcset=//evil.org><img src=https://good.org></picture>",
        "<picture><img src=https://good.org></picture>",
    ),
    ("<svg><image href=\"https://evil.org\"/></svg>", "<svg></svg>"),
    ("<svg><image xlink:href=\"https://evil.org\"/></svg>", "<svg></svg>"),
    ("<svg><use href='//evil.org/x#y'></svg>", "<svg></svg>"),
    ("<div style=\"background:url(//evil.org)\">x</div>", "x</div>"),
    ("<div style='background:u\\72l(//evil.org)'>x</div>", "x</div>"),
    ("<td background=//evil.org>x", "x"),
    ("<style>a{background:url(//evil.org)}</style>x", "x"),
    ("<video poster=https://evil.org></video>", "</video>"),
    ("<input type=image src=https://evil.org>", ""),
    ("<link rel=icon href=https://evil.org>", ""),
    ("<base href=https://evil.org>", ""),
    ("<iframe srcdoc='<img src=//evil.org>'></iframe>", "</iframe>"),
    ("<object data=https://evil.org></object>", "</object>"),
    ("<a href=https://x.org onclick='new Image().src=1'>x</a>", "x</a>"),
    ("<img alt=\">\" src=https://evil.org>", ""),
    ("<img src=&#104;ttps://evil.org>", ""),
    ("<img src=\" https://evil.org\">", ""),
    ("<img src=\"ht\ntps://evil.org\">", ""),
    ("| `x | ![a](https://evil.org) | y` |\n|---|---|---|\n", "| `x | a | y` |\n|---|---|---|\n"),
    ("[^1]: ![x](https://evil.org)\n\nsee [^1]", "[^1]: x\n\nsee [^1]"),
    ("x <img src='https://evil.org/?", "x "),
    ("* ![b](https://evil.org)\n* c", "* b\n* c"),
    ("# ![b](https://evil.org)", "# b"),
    ("> ![b](https://evil.org)", "> b"),
];

/// Texts that stay as they are, byte for byte.
pub(crate) const KEPT: &[&str] = &[
    "a ![b](https://good.org/x.png) c",
    "![b](https://cdn.good.org:8443/x.png?y=1&z=2 \"title\")",
    "![b](HTTPS://GOOD.ORG/x)",
    "![b][g]\n\n[g]: https://good.org/x.png\n",
    "use `![alt](https://evil.org)` for images",
    "```md\n![alt](https://evil.org)\n<img src=https://evil.org>\n```\n",
    "    ![alt](https://evil.org)\n",
    "\\![alt](https://x.org)",
    "[a link](https://evil.org) and <https://evil.org> and https://evil.org",
    "vec![1, 2] and !important and a != b!",
    "a < b > c, x <y and Vec<String>, <T: Into<U>>",
    "<img src=\"https://good.org/x.png\" alt=\"x\"> <br/> <b>bold</b> <a href=\"https://evil.org\">x</a>",
    "<span style=\"color: red\">x</span>",
    "> a <b\n> title=\"x\">b</b> > c\n> d",
    "<svg><animate attributeName=\"r\" values=\"1;2.5;3\" from=\"0\" to=\"1\"/></svg>",
    "<details><summary>x</summary>y</details>",
    "no image at all: [e]: x",
    "![undefined][nothing] stays",
    "1 | 2\n--|--\n`a` | b",
];

#[test]
fn no_image_survives_whose_host_is_not_listed() {
    for (text, expected) in STRIPPED {
        assert_eq!(strip(text), *expected, "{text}");
        assert_eq!(images().strip(expected), None, "again: {text}");
    }
}

#[test]
fn every_other_text_stays_as_it_is() {
    for text in KEPT {
        assert_eq!(strip(text), *text);
    }
}

#[test]
fn code_after_many_images_stays() {
    let badges = "![a](https://evil.org/?q=1) ".repeat(200);
    assert_eq!(strip(&format!("{badges}`Vec<u8>`")), format!("{}`Vec<u8>`", "a ".repeat(200)));
}

#[test]
fn a_relative_image_stays_if_the_list_says_so() {
    let images: StripImages = serde_json::from_value(json!({ "relative": true })).unwrap();
    assert_eq!(images.strip("![b](docs/x.png) ![c](./y.png?z#w) <img src=/z.png>"), None);
    for text in [
        "![b](//evil.org)",
        "![b](..//evil.org)",
        "![b](/\\evil.org)",
        "![b](x//y)",
        "![b](javascript:x)",
        "![b](../../x)",
    ] {
        assert_eq!(images.strip(text).as_deref(), Some("b"), "{text}");
    }
}

#[test]
fn a_wrong_host_is_said() {
    let error =
        serde_json::from_value::<StripImages>(json!({ "hosts": ["https://good.org", "*"], "host": 1 })).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("`https://good.org` is not a host") && error.contains("`*` is not a host"), "{error}");
    assert!(error.contains("did you mean `hosts`"), "{error}");
}

fn texts() -> Vec<String> {
    let mut all: Vec<String> = STRIPPED.iter().map(|(text, _)| (*text).to_owned()).collect();
    all.extend(KEPT.iter().map(|text| (*text).to_owned()));
    let pairs: Vec<String> =
        all.iter().zip(all.iter().skip(5)).map(|(one, other)| format!("{one}\n\n{other}\n\nend")).collect();
    all.extend(pairs);
    all
}

fn streamed(text: &str, places: &[usize]) -> String {
    shown(&cut(text, places), 2_000, |shown, window, last| images().window(shown, window, last)).unwrap()
}

#[test]
fn a_text_in_pieces_is_shown_like_the_stripped_whole() {
    for text in texts() {
        let whole = strip(&text);
        for at in 0..=text.len() {
            assert_eq!(streamed(&text, &[at]), whole, "{text:?} at {at}");
        }
        let all: Vec<usize> = (0..=text.len()).collect();
        assert_eq!(streamed(&text, &all), whole, "{text:?}");
    }
}

proptest! {
    #[test]
    fn up_to_seven_pieces(number in 0_usize..1000, places in prop::collection::vec(0_usize..160, 0..7)) {
        let texts = texts();
        let text = &texts[number % texts.len()];
        prop_assert_eq!(streamed(text, &places), strip(text));
    }

    #[test]
    fn nothing_is_left_of_an_image_in_any_text(text in r#"(!\[|\]|\(|\)|https://evil\.org|<img |src=|>|`|\[e\]: |\n|\n\n|"|'| |a|<|\\|\|){0,24}"#) {
        let stripped = strip(&text);
        prop_assert_eq!(images().strip(&stripped), None, "{:?}", stripped);
        let parser = pulldown_cmark::Parser::new(&stripped);
        let images = parser.filter(|event| matches!(event, pulldown_cmark::Event::Start(pulldown_cmark::Tag::Image { .. })));
        prop_assert_eq!(images.count(), 0, "{:?}", stripped);
    }
}
