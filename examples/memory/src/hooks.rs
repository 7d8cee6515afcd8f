//! The hooks, one function per phase. Each uses the contributions of earlier phases, and does not depend on other
//! hooks.

mod contract;
mod learn;
mod policy;
mod recall;
mod tools;

use hook_sdk::hooks;
use hook_sdk::scope::AgentDef;
use hooks_prebuilt::deny_secrets;

pub use contract::memory_contract;
pub use learn::{EXTRACT, Extract, learn};
pub use policy::memory_policy;
pub use recall::{NOTES, recall_topics, recall_words};
pub use tools::memory_tools;

/// The agent with these hooks, and a ready-made one: no tool call notes a secret.
pub fn agent() -> AgentDef {
    AgentDef::new("concierge").hooks(hooks![
        memory_policy,
        recall_words,
        recall_topics,
        memory_tools,
        memory_contract,
        learn,
        deny_secrets,
    ])
}

/// The error of a hook.
type Failure = Box<dyn std::error::Error + Send + Sync>;
