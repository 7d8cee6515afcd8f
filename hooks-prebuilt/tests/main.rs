//! Tests of the hooks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests say what they expect by unwrapping")]
#![allow(clippy::print_stdout, reason = "the figures of the book")]
#![allow(clippy::needless_pass_by_value, reason = "`json!(…)` reads best as an argument")]

mod ask_for;
mod limit_calls;
mod mask_pii;
mod personal;
mod placed;
mod streams;
mod strip_images;
mod strip_invisible;
