//! Hooks ready to use.
#![doc = include_str!("../README.md")]

// Hooks that no list of an app names are not missing there. The parameters of these name tools.
hook_sdk::library! {
    ask_for: "",
    cap_results: "/tools",
    check_input: "/schemas",
    check_input: "/tools",
    confine_commands: "/tools",
    confine_paths: "/fields",
    confine_urls: "/fields",
    confine_urls: "/tools",
    deny_secrets: "/tools",
    limit_calls: "/limits",
    read_only_sql: "/fields",
    retry_tools: "/tools",
}

mod finder;
mod digits;
mod kept;
mod parameters;
mod fields;
mod addresses;
mod json;
mod texts;
mod masks;
mod hooks;

pub use finder::StreamWindow;
pub use hooks::ask_for::{AskFor, ask_for};
pub use hooks::budget::{Budget, Spent, budget};
pub use hooks::cap_results::{CapResults, cap_results};
#[cfg(feature = "schema")]
pub use hooks::check_input::{CheckInput, check_input};
#[cfg(feature = "shell")]
pub use hooks::confine_commands::{ConfineCommands, confine_commands};
pub use hooks::confine_paths::{ConfinePaths, confine_paths};
pub use hooks::confine_urls::{ConfineUrls, confine_urls};
pub use hooks::limit_calls::{Calls, LimitCalls, limit_calls};
pub use hooks::mask_pii::{MaskPii, mask_pii};
pub use hooks::mask_secrets::{DenySecrets, MaskSecrets, deny_secrets, mask_secrets};
#[cfg(feature = "sql")]
pub use hooks::read_only_sql::{ReadOnlySql, read_only_sql};
pub use hooks::retry_tools::{RetryTools, retry_tools};
pub use hooks::strip_images::{StripImages, strip_images};
pub use hooks::strip_invisible::{StripInvisible, strip_invisible};
pub use kept::CountsOn;
