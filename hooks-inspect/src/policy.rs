//! The content security policy: only this script and this style, by their hashes.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The policy of a page with these parts. Text of a recording that became a script would not run.
pub(crate) fn policy(script: &str, style: &str) -> String {
    let mut policy =
        String::from("default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'");
    for (what, part) in [("script", script), ("style", style)] {
        // Infallible, because it is a `String`.
        let _ = write!(policy, "; {what}-src 'sha256-{}'", base64(&Sha256::digest(part.as_bytes())));
    }
    policy
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = (0..3).fold(0, |number, at| number << 8 | u32::from(chunk.get(at).copied().unwrap_or_default()));
        let digit = |at: usize| char::from(DIGITS[(number >> (18 - 6 * at)) as usize & 63]);
        text.extend((0..4).map(|at| if at <= chunk.len() { digit(at) } else { '=' }));
    }
    text
}
