//! Turns, model calls and tools of `hooks-agent`.

mod model;
mod tool;
mod turn;

pub use model::TracedModel;
pub use tool::TracedTool;

use hook_sdk::data::Usage;
use opentelemetry::KeyValue;

use crate::names::agent;

fn integer(name: &'static str, number: impl TryInto<i64>) -> KeyValue {
    KeyValue::new(name, number.try_into().unwrap_or(i64::MAX))
}

/// The tokens of a call or a turn.
fn tokens(usage: &Usage) -> impl Iterator<Item = KeyValue> {
    agent::tokens(usage).map(|(name, tokens)| integer(name, tokens))
}
