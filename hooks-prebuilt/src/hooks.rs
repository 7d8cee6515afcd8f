//! The hooks, each in a file or folder of its own.

pub(crate) mod ask_for;
pub(crate) mod budget;
pub(crate) mod cap_results;
#[cfg(feature = "schema")]
pub(crate) mod check_input;
#[cfg(feature = "shell")]
pub(crate) mod confine_commands;
pub(crate) mod confine_paths;
pub(crate) mod confine_urls;
pub(crate) mod limit_calls;
pub(crate) mod mask_pii;
pub(crate) mod mask_secrets;
#[cfg(feature = "sql")]
pub(crate) mod read_only_sql;
pub(crate) mod retry_tools;
pub(crate) mod strip_images;
pub(crate) mod strip_invisible;
