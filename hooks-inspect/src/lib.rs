//! A page that shows what the hooks of an LLM agent did: turns, each turn as the sequence of its dispatches, each dispatch with
//! its plan and the subject before and after.
//!
//! [`HooksPage::report`] writes it as one HTML file, from recordings of `hooks-replay`. It loads nothing from any host, and texts of
//! people, models and tools are only ever shown as text.
//!
//! ```
//! use hook_sdk::prelude::*;
//! use hooks_inspect::HooksPage;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::empty();
//! let agent = AgentDef::new("support").hooks(Vec::<String>::new());
//! let page = HooksPage::new("support").registry(&registry).scope(&registry.scope(&agent, None)?);
//! let mut html = Vec::new();
//! page.report(["{\"line\":\"header\",\"schema\":2}\n".as_bytes()], &mut html)?;
//! assert!(String::from_utf8(html)?.contains("Content-Security-Policy"));
//! # Ok(())
//! # }
//! ```

mod policy;
mod page;
#[cfg(feature = "server")]
mod server;

pub use page::HooksPage;
#[cfg(feature = "server")]
pub use server::{Inspector, router};
