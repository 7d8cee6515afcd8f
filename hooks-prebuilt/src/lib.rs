//! Hooks ready to use.
#![doc = include_str!("../README.md")]

mod conversations;
mod digits;
mod fields;
mod finder;
mod json;
mod parameters;
mod texts;
mod masks;
mod hooks;

pub use finder::StreamWindow;
pub use hooks::ask_for::{AskFor, ask_for};
pub use hooks::limit_calls::{Calls, LimitCalls, limit_calls};
pub use hooks::mask_pii::{MaskPii, mask_pii};
pub use hooks::strip_images::{StripImages, strip_images};
pub use hooks::strip_invisible::{StripInvisible, strip_invisible};
