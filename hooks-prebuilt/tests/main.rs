//! Tests of the hooks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests say what they expect by unwrapping")]
#![allow(clippy::print_stdout, reason = "the figures of the book")]
#![allow(clippy::needless_pass_by_value, reason = "`json!(…)` reads best as an argument")]

mod ask_for;
mod attacks;
mod budget;
mod cap_results;
#[cfg(feature = "schema")]
mod check_input;
#[cfg(feature = "shell")]
mod confine_commands;
mod confine_paths;
mod confine_urls;
mod limit_calls;
mod mask_pii;
mod mask_secrets;
mod page;
mod personal;
mod placed;
#[cfg(feature = "sql")]
mod read_only_sql;
mod retry_tools;
mod streams;
mod strip_images;
mod strip_invisible;
