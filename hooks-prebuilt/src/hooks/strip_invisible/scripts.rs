//! Which characters need an invisible one beside them.

pub(super) type Ranges = &'static [(u32, u32)];

pub(super) fn within(c: char, ranges: Ranges) -> bool {
    ranges.iter().any(|(low, high)| (*low..=*high).contains(&u32::from(c)))
}

/// Scripts whose letters change their form at a joiner or non-joiner: Arabic, Syriac, Mongolian, Tifinagh, and those
/// that descend from Brahmi. Without the marks among them that are invisible themselves.
#[rustfmt::skip]
pub(super) const JOINING: Ranges = &[
    (0x0600, 0x061b), (0x061d, 0x07ff), (0x0840, 0x0dff), (0x0e00, 0x109f), (0x1700, 0x17b3), (0x17b6, 0x180a),
    (0x1810, 0x18af), (0x1900, 0x1cff), (0x2d30, 0x2d7f), (0xa800, 0xa8ff), (0xa930, 0xaaff), (0xabc0, 0xabff),
    (0xfb50, 0xfdff), (0xfe70, 0xfefc), (0x10a00, 0x10a5f), (0x10ac0, 0x10aff), (0x10d00, 0x10d3f), (0x10f00, 0x11fff),
    (0x16100, 0x1613f), (0x1e900, 0x1e95f),
];

/// Scripts that write no space between words, and mark their borders with a space without width.
#[rustfmt::skip]
pub(super) const BREAKING: Ranges = &[
    (0x0e00, 0x0eff), (0x1000, 0x109f), (0x1780, 0x17b3), (0x17b6, 0x17ff), (0x1950, 0x19ff), (0x1a20, 0x1aaf),
    (0xa9e0, 0xa9ff), (0xaa60, 0xaadf),
];

/// Scripts that are written from right to left.
#[rustfmt::skip]
pub(super) const RIGHT_TO_LEFT: Ranges = &[
    (0x0590, 0x061b), (0x061d, 0x08ff), (0xfb1d, 0xfdff), (0xfe70, 0xfefc), (0x10800, 0x10fff), (0x1e800, 0x1eeff),
];

pub(super) const HEBREW: Ranges = &[(0x0590, 0x05ff), (0xfb1d, 0xfb4f)];

pub(super) const MONGOLIAN: Ranges = &[(0x1800, 0x180a), (0x1810, 0x18af), (0x11660, 0x1166c)];

/// Korean vowels, which need a consonant before them.
pub(super) const VOWELS: Ranges = &[(0x1161, 0x11a7)];

#[rustfmt::skip]
pub(super) const IDEOGRAPHS: Ranges = &[
    (0x3005, 0x3007), (0x3400, 0x4dbf), (0x4e00, 0x9fff), (0xf900, 0xfaff), (0x17000, 0x18d8f), (0x1b170, 0x1b2fb),
    (0x20000, 0x3ffff),
];

/// The last variant of an ideograph that a selector can select: three have thirty, and the others no more than sixteen.
pub(super) fn last_variant(ideograph: char) -> char {
    if matches!(ideograph, '\u{8fba}' | '\u{9089}' | '\u{908a}') { '\u{e0120}' } else { '\u{e010f}' }
}

/// Pictures that a joiner can join to another.
#[rustfmt::skip]
pub(super) const PICTOGRAPHS: Ranges = &[
    (0xa9, 0xa9), (0xae, 0xae), (0x203c, 0x203c), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139), (0x2190, 0x21ff),
    (0x2300, 0x23ff), (0x24c2, 0x24c2), (0x25a0, 0x27bf), (0x2934, 0x2935), (0x2b00, 0x2bff), (0x3030, 0x3030),
    (0x303d, 0x303d), (0x3297, 0x3297), (0x3299, 0x3299), (0x1f000, 0x1faff),
];

/// Capital letters of mathematics in a script, which have two forms.
#[rustfmt::skip]
pub(super) const CAPITALS: Ranges = &[
    (0x210b, 0x210b), (0x2110, 0x2110), (0x2112, 0x2112), (0x211b, 0x211b), (0x212c, 0x212c), (0x2130, 0x2131),
    (0x2133, 0x2133), (0x1d49c, 0x1d4b5),
];

pub(super) const SKINS: Ranges = &[(0x1f3fb, 0x1f3ff)];

/// For the numbers of the first sixteen variation selectors: the characters for which Unicode defines such a form.
#[rustfmt::skip]
const FORMS: &[(u32, u32, Ranges)] = &[
    (1, 1, &[
        (0x1000, 0x109f), (0xaa60, 0xaa7f), (0xa840, 0xa877), (0x10ac0, 0x10aff),
        (0x13443, 0x13446), (0x2200, 0x22ff), (0x2a00, 0x2aff),
    ]),
    (1, 2, &[(0x3001, 0x3002), (0xff01, 0xff01), (0xff0c, 0xff0c), (0xff0e, 0xff0e), (0xff1a, 0xff1b), (0xff1f, 0xff1f)]),
    (2, 2, &[(0x2018, 0x201d), (0x2654, 0x265f)]),
    (1, 3, IDEOGRAPHS),
    (1, 7, &[(0x13000, 0x1342f)]),
    (1, 2, CAPITALS), (15, 16, PICTOGRAPHS),
];

/// Whether Unicode defines a form of `base` for one of the first sixteen variation selectors.
pub(super) fn has_form(base: char, selector: char) -> bool {
    let number = u32::from(selector) - 0xfdff;
    FORMS.iter().any(|(from, to, bases)| (*from..=*to).contains(&number) && within(base, bases))
}
