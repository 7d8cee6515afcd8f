//! What of a streamed answer has to be scanned again with its next piece.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use hooks_secrets::{REDACTED, replaced};

/// The number of bytes at the end of an answer that a match may still need.
const WINDOW: usize = 2 << 10;

/// Of a match that is longer than the window, what is before it, such as its name, and its beginning.
const BEFORE: usize = 256;
const BEGINNING: usize = 64;

/// The maximum number of answers at once.
const STREAMS: usize = 256;

/// Finds the secrets of a text, also those of which the end is missing.
pub(crate) type Find<'a> = &'a mut dyn FnMut(&str) -> Vec<Range<usize>>;

/// The answers that are being streamed.
#[derive(Default)]
pub(crate) struct Streams {
    hasher: RandomState,
    settled: HashMap<String, Settled>,
}

/// The beginning of an answer, which needs no further scan.
#[derive(Default)]
struct Settled {
    /// Its length and hash. An answer with another beginning is another one.
    length: usize,
    hash: u64,
    clean: String,
    redacted: bool,
    /// What a match in the rest may need of it.
    context: String,
}

impl Streams {
    /// Removes secrets from what an answer has shown, and from the pieces that may follow it. A secret may begin in what was
    /// shown and end in a piece.
    pub(crate) fn clean(
        &mut self,
        answer: &str,
        shown: &mut String,
        pieces: &mut [&mut String],
        find: Find<'_>,
    ) -> bool {
        let mut settled = self.settled.remove(answer).unwrap_or_default();
        if shown.get(..settled.length).is_none_or(|start| self.hasher.hash_one(start) != settled.hash) {
            settled = Settled::default();
        }
        let (context, rest) = (settled.context.len(), &shown[settled.length..]);
        let window = format!("{}{rest}", settled.context);
        let (mut any, mut of_first) = (false, None);
        for piece in pieces {
            let found = find(&format!("{window}{piece}"));
            let within = part(&found, window.len()..window.len() + piece.len());
            if !within.is_empty() {
                **piece = replaced(piece, &within);
                any = true;
            }
            of_first.get_or_insert(found);
        }
        let found = of_first.unwrap_or_else(|| find(&window));
        let within = part(&found, context..window.len());
        any |= !within.is_empty() || settled.redacted;
        let clean = settled.followed_by(&replaced(rest, &within));
        let raw = std::mem::replace(shown, clean);
        if rest_is_long(&window, context) {
            settled.grow(&window, &found);
            settled.hash = self.hasher.hash_one(&raw[..settled.length]);
        }
        if self.settled.len() >= STREAMS {
            self.settled.clear();
        }
        self.settled.insert(answer.to_owned(), settled);
        any
    }

    /// Forgets an answer.
    pub(crate) fn end(&mut self, answer: &str) {
        self.settled.remove(answer);
    }
}

fn rest_is_long(window: &str, context: usize) -> bool {
    window.len() - context > 2 * WINDOW
}

impl Settled {
    /// Adds all of `window` but its last bytes.
    fn grow(&mut self, window: &str, found: &[Range<usize>]) {
        let context = self.context.len();
        let end = boundary(window, window.len() - WINDOW);
        let within = part(found, context..end);
        self.redacted |= !within.is_empty();
        self.clean = self.followed_by(&replaced(&window[context..end], &within));
        self.length += end - context;
        let from =
            found.iter().find(|secret| secret.start < end && secret.end > end).map_or(end, |secret| secret.start);
        let start = boundary(window, from.saturating_sub(BEFORE));
        window[start..end.min(boundary(window, from + BEGINNING))].clone_into(&mut self.context);
    }

    /// With what follows. A secret that ends in it is replaced once.
    fn followed_by(&self, rest: &str) -> String {
        let again = if self.clean.ends_with(REDACTED) { rest.strip_prefix(REDACTED) } else { None };
        format!("{}{}", self.clean, again.unwrap_or(rest))
    }
}

/// The end of the last character up to there.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// What lies in this part of a text, counted from its beginning.
fn part(found: &[Range<usize>], of: Range<usize>) -> Vec<Range<usize>> {
    let within = found.iter().filter(|secret| secret.start < of.end && secret.end > of.start);
    within.map(|secret| secret.start.max(of.start) - of.start..secret.end.min(of.end) - of.start).collect()
}

#[cfg(test)]
mod tests {
    use hooks_secrets::{find, find_unfinished};

    use super::*;

    const PROSE: &str = "The flight of Ada leaves at ten, and nobody has to be there before nine o'clock.\n";

    /// Streams `text` in pieces of this size. Returns what was written of the last piece and of all before it, and calls
    /// `written` with every text that is written.
    fn stream(text: &str, size: usize, find: Find<'_>, written: &mut dyn FnMut(&str)) -> String {
        let (mut streams, mut at, mut last) = (Streams::default(), 0, String::new());
        while at < text.len() {
            let end = boundary(text, at + size);
            let (mut shown, mut piece) = (text[..at].to_owned(), text[at..end].to_owned());
            streams.clean("a", &mut shown, &mut [&mut piece], find);
            written(&shown);
            written(&piece);
            (last, at) = (shown + &piece, end);
        }
        last
    }

    #[test]
    fn the_bytes_that_are_scanned_grow_with_the_answer_and_not_with_its_square() {
        const PIECE: usize = 20;
        for is_secret in [false, true] {
            let scanned = |length: usize| {
                let mut scanned = 0;
                // A secret without an end is the worst case: all of it is one match.
                let mut find = |text: &str| {
                    scanned += text.len();
                    if is_secret { std::iter::once(0..text.len()).collect() } else { Vec::new() }
                };
                stream(&"x".repeat(length), PIECE, &mut find, &mut |_| {});
                scanned
            };
            let (short, long) = (scanned(20_000), scanned(80_000));
            assert!(long < 5 * short, "{short} bytes, then {long}");
            let of_piece = long / (80_000 / PIECE);
            assert!(of_piece <= 2 * WINDOW + BEFORE + BEGINNING + PIECE, "{of_piece} bytes for a piece of {PIECE}");
        }
    }

    #[test]
    fn a_secret_is_found_wherever_the_window_begins() {
        let body = "MIIEpAIBAAKCAQEA0Q9z\n".repeat(300);
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----");
        let long = "f4Zq81mXp0Lv7Ns2".repeat(400);
        for (before, secret, after) in [
            ("The key is ", "sk-proj-kQ1okTBGzvAmwufUxbvJDCTbyvHN", " and so on. "),
            ("Log in with password = \"", "correct horse battery", "\" now. "),
            ("Cookie: session=", "a1b2c3d4e5f6g7h8i9", "\nand so on. "),
            ("\"token\": \"", &*long, "\" and so on. "),
            ("", &*key, "\nand so on. "),
        ] {
            for shift in [0, 2_030, 4_090] {
                let prose: String = PROSE.chars().cycle().take(shift).collect();
                let text = format!("{prose}{before}{secret}{after}{}", PROSE.repeat(60));
                let mut longest = 0;
                let mut written = |written: &str| {
                    let parts = (longest + 1..=secret.len().min(60)).take_while(|length| {
                        // The long ones repeat themselves.
                        (0..=secret.len().min(60) - length)
                            .any(|start| written.contains(&secret[start..start + length]))
                    });
                    longest = parts.last().unwrap_or(longest);
                };
                let last = stream(&text, 333, &mut |text| find_unfinished(text), &mut written);
                assert!(longest <= 6, "{longest} bytes of {secret:.20} after {shift}");
                assert_eq!(find(&last), find(&hooks_secrets::redact(&text).unwrap()), "{secret:.20} after {shift}");
                assert!(last.matches(REDACTED).count() <= 2, "{last}");
            }
        }
    }

    #[test]
    fn an_answer_that_does_not_continue_what_was_scanned_is_scanned_from_its_beginning() {
        let mut streams = Streams::default();
        let mut clean = |text: String| {
            let mut shown = text;
            streams.clean("a", &mut shown, &mut [], &mut |text| find_unfinished(text));
            shown
        };
        clean(PROSE.repeat(100));
        let other = format!("password=hunter2x {}", PROSE.repeat(100));
        assert!(!clean(other.clone()).contains("hunter2x") && !clean(other).contains("hunter2x"));
        assert!(!clean("password=hunter2x or so".to_owned()).contains("hunter2x"));
    }
}
