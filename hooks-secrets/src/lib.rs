//! Finds secrets in texts and JSON.
//!
//! A secret is recognised by its name, its place, or its form. A password without any of them, such as one in the middle
//! of a sentence, cannot be told from a word, and neither can a secret that is encrypted, compressed, encoded twice, or
//! split over several texts that are scanned one by one.
#![doc = include_str!("../README.md")]

mod names;
mod pattern;
mod forms;
mod places;
mod settings;
#[cfg(feature = "rules")]
mod rules;
mod encoded;
mod scan;
mod tail;
mod redact;
mod json;

pub use json::{redact_json, redact_json_with};
pub use names::is_secret_name;
pub use redact::{REDACTED, find, find_named, find_unfinished, redact, redact_named, replaced};
