//! Text for messages and records: truncated, redacted, and with the nearest known name.

mod const_text;
mod fields;
mod fingerprint;
mod nearest;
mod numbered;
mod redact;

pub(crate) use const_text::{ConstText, starts_with};
pub(crate) use fields::fields_of;
pub(crate) use fingerprint::fingerprint;
pub(crate) use nearest::{did_you_mean, nearest, nearest_names};
pub(crate) use numbered::numbered;
pub(crate) use redact::{CAUSE_LIMIT, cut, is_unsafe, one_line};
pub use redact::{redacted, set_redactor};
