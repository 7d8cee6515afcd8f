//! Streams: a text that arrives in pieces is shown as it would be masked as a whole.

use hook_sdk::hook::Hold;
use hooks_prebuilt::{MaskSecrets, StreamWindow};
use proptest::prelude::*;

use crate::mask_pii::every;
use crate::mask_secrets::secret;
use crate::personal::{Random, TYPES};

/// What a loop that holds back this many characters shows of a text that arrives in these pieces. `Err` if it stops.
pub(crate) fn shown(
    pieces: &[&str],
    hold: usize,
    mut judge: impl FnMut(&str, &str, bool) -> StreamWindow,
) -> Result<String, String> {
    let (mut shown, mut window) = (String::new(), String::new());
    for (at, piece) in pieces.iter().chain([&""]).enumerate() {
        window.push_str(piece);
        let last = at == pieces.len();
        let StreamWindow { text, held } = judge(&shown, &window, last);
        if text[held..].chars().count() > hold {
            return Err(shown);
        }
        let kept = if last { "" } else { Hold::from(hold).of(&text) };
        shown.push_str(&text[..text.len() - kept.len()]);
        kept.clone_into(&mut window);
    }
    Ok(shown)
}

/// The text cut at these places.
pub(crate) fn cut<'a>(text: &'a str, places: &[usize]) -> Vec<&'a str> {
    let mut places: Vec<usize> = places.iter().map(|place| text.floor_char_boundary_of(*place)).collect();
    places.sort_unstable();
    let ends = places.iter().copied().chain([text.len()]);
    let mut at = 0;
    ends.map(|end| &text[std::mem::replace(&mut at, end)..end]).collect()
}

trait Boundary {
    fn floor_char_boundary_of(&self, at: usize) -> usize;
}

impl Boundary for str {
    fn floor_char_boundary_of(&self, at: usize) -> usize {
        (0..=at.min(self.len())).rev().find(|at| self.is_char_boundary(*at)).unwrap_or(0)
    }
}

/// A part of an answer: prose, data without spaces, addresses, headers, values, and values that no loop holds back.
fn part(random: &mut Random) -> String {
    let long = |random: &mut Random, count: usize| -> String {
        (0..count).map(|_| random.one_of(&["aB", "c4", "Dx", "e", "7", "Qz"])).collect()
    };
    let count = [1, 3, 12, 40][random.below(4)];
    match random.below(20) {
        0..3 => "So the parcel left on Monday, and – as it was late – nobody opened the door. ".repeat(count.min(12)),
        3..7 => TYPES[random.below(TYPES.len())].1(random),
        7..11 => secret(random).1,
        11 => {
            let row = |_| format!("{{\"id\":{},\"mail\":\"{}\",\"n\":[1,2]}}", random.below(99), TYPES[0].1(random));
            (0..count).map(row).collect::<Vec<_>>().join(",")
        }
        12 => {
            let row = |_| format!("{{\"host\":\"{}\",\"password\":\"k7{}\"}}", TYPES[4].1(random), long(random, 6));
            (0..count).map(row).collect::<Vec<_>>().join(",")
        }
        13 => (0..count)
            .map(|_| TYPES[random.below(4)].1(random))
            .collect::<Vec<_>>()
            .join(random.one_of(&[",", ";", "\n", "|"])),
        14 => format!(
            "https://login.example.org/a?state={}&scope=openid%20mail&{}",
            random.below(9),
            "x=1&".repeat(count * 9)
        ),
        15 => format!("data:image/png;base64,{}", "iVBORw0KGgo/".repeat(count * 5)),
        16 => random
            .one_of(&["1 ", "a", "0,", "-", ".", "12 34 ", "0.5, ", "| 1 ", "ab:", "a.b.", "1.", "=", "\\n", "中文"])
            .repeat(count * 9),
        17 => format!("Cookie: theme=dark; sid={}; {}\n", long(random, 8), "lang=en; ".repeat(count)),
        18 => format!(
            "curl -H 'Accept: {}' -{} ada:k7{} https://x.org",
            "text/html, ".repeat(count.min(20)),
            // In a stream, vendors' rules also take the name before a password that is replaced.
            if cfg!(feature = "rules") { "v" } else { "u" },
            long(random, 5)
        ),
        _ => {
            let value = long(random, 30 * count);
            let before = [
                "pass~word: ",
                "--to~ken ",
                "X-Api-~Key: ",
                "{\"pass~word\": \"",
                "<pass~word>",
                "post~gres://u:",
                "api_~key=",
                "Authorization: Bea~rer ",
                "eyJhbGciOiJIUzI1NiJ9.eyJ",
                "env('DB_PASS~WORD', '",
                "-----BEGIN PRI~VATE KEY-----\n",
                "?sig=",
                "Pass~word is ",
            ];
            let after = random.one_of(&["", "\"}", "</password>", "@h/x", "')", "\n", " "]);
            format!("{}{value}{after}", random.one_of(&before).replace('~', ""))
        }
    }
}

fn text(random: &mut Random) -> String {
    let parts = 1 + random.below(7);
    let ends = [" ", "\n", ",", ", ", "; ", ". ", "\", \"x\": \""];
    (0..parts).map(|_| part(random) + random.one_of(&ends)).collect()
}

/// What is shown of a text is what is shown of it as a whole, or its beginning, if the stream stops.
fn check(text: &str, places: &[usize]) -> Result<(), TestCaseError> {
    let (personal, secrets, pieces) = (every(), MaskSecrets::default(), cut(text, places));
    let whole = personal.window("", text, true).text;
    let shown_of = shown(&pieces, 340, |shown, window, last| personal.window(shown, window, last));
    prop_assert_eq!(shown_of, Ok(whole), "{:?}", pieces);
    let whole = secrets.window("", text, true).text;
    match shown(&pieces, 340, |shown, window, last| secrets.window(shown, window, last)) {
        Ok(shown) => prop_assert_eq!(shown, whole, "{:?}", pieces),
        Err(shown) => prop_assert!(whole.starts_with(&shown), "{:?} of {:?}: {:?}", shown, whole, pieces),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]
    #[test]
    fn a_text_in_pieces_is_shown_like_the_masked_whole(seed in 0_u64..1_000_000, places in prop::collection::vec(0_usize..6_000, 0..9), step in 1_usize..99) {
        let text = text(&mut Random::new(seed));
        check(&text, &places)?;
        let steps: Vec<usize> = (0..text.len().min(3_000)).step_by(step.max(text.len() / 200)).collect();
        check(&text, &steps)?;
    }
}

#[test]
fn a_text_that_is_cut_anywhere_is_shown_like_the_masked_whole() {
    let mut random = Random::new(5);
    // A value in quotes that are not closed has fewer words once a secret behind it is replaced.
    let open = text(&mut Random::new(594_772));
    check(&open, &(0..3_000).step_by(1.max(open.len() / 200)).collect::<Vec<_>>()).unwrap();
    let texts = std::iter::repeat_with(|| text(&mut random)).filter(|text| (330..700).contains(&text.len()));
    for text in texts.take(12) {
        for at in 340..text.len() {
            check(&text, &[at]).unwrap();
        }
    }
}

#[test]
fn long_words_without_a_secret_do_not_stop_a_stream() {
    let (mut random, secrets) = (Random::new(3), MaskSecrets::default());
    let row =
        |random: &mut Random| format!("{{\"id\":{},\"pass~word\":\"k7Qd81mZ9x\"}},", random.below(99)).replace('~', "");
    for text in [
        format!(
            "https://login.example.org/oauth2?state=af0ifjsldkj&next=https%3A%2F%2Fx.org%2F{}",
            "a=1&bc=2%20".repeat(200)
        ),
        format!("<img src=\"data:image/png;base64,{}\">", "iVBORw0KGgo/AAxQ".repeat(200)),
        (0..90).map(|_| row(&mut random)).collect(),
        "0123456789abcdef".repeat(90),
        "请打开https://example.org看看，".repeat(60),
    ] {
        let steps: Vec<usize> = (0..text.len()).step_by(7).collect();
        let whole = secrets.window("", &text, true).text;
        let shown = shown(&cut(&text, &steps), 340, |shown, window, last| secrets.window(shown, window, last));
        assert_eq!(shown, Ok(whole));
    }
}
