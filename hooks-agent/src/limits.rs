use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How far a turn may go.
///
/// ```
/// use hooks_agent::Limits;
///
/// let mut limits = Limits::default();
/// limits.iterations = 20;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Limits {
    /// Calls of the model in a turn, those that hooks ask for and those of agents that it asks included. 50.
    pub iterations: u32,
    /// How often hooks at `post_model_call` may continue a turn. 5.
    pub continues: u32,
    /// How often hooks at `stop` may continue a turn without a tool call in between. 8.
    pub stop_continues: u32,
    /// A call of the same tool with the same input for the nth time in a row ends the turn. 4.
    pub repeats: u32,
    /// How often a tool may run again for a call where hooks at `after_tool_call_failure` ask for it. 2.
    pub tool_retries: u32,
    /// Calls of tools that run at once. 8.
    pub parallel: usize,
    /// Tokens that the calls of models in a turn may take in all, those of agents that it asks included; `None` for any
    /// number, which is the default. What a provider does not tell is not counted.
    pub tokens: Option<u64>,
    /// How long a turn may take in all; `None` for ever, which is the default.
    pub turn: Option<Duration>,
    /// How long an agent that another one asks may take in all, where it has no limit of its own. 10 minutes.
    pub agent: Duration,
    /// How long a tool may run. 2 minutes.
    pub tool: Duration,
    /// How long an approver may take. 10 minutes.
    pub approval: Duration,
    /// How long a call of a model may take. 10 minutes.
    pub model: Duration,
    /// How long a model that has begun to stream may say nothing. 60 s.
    pub idle: Duration,
    /// Events of a turn that are kept for who does not read them; [`TurnEvent::Missed`](crate::TurnEvent::Missed) tells of older
    /// ones. 1,024.
    pub events: usize,
    /// How often a call is made again where the provider asks to wait or cannot be reached. 2.
    pub retries: u32,
    /// How long to wait before the first of these, where the provider does not say; twice as long before each next. 1 s.
    pub retry_after: Duration,
    /// How long a call of the message store may take. 30 s.
    pub store: Duration,
    /// Characters of a tool's answer that are kept. 100,000.
    pub result_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 50,
            continues: 5,
            stop_continues: 8,
            repeats: 4,
            tool_retries: 2,
            parallel: 8,
            tokens: None,
            turn: None,
            agent: Duration::from_secs(600),
            tool: Duration::from_secs(120),
            approval: Duration::from_secs(600),
            model: Duration::from_secs(600),
            idle: Duration::from_secs(60),
            events: 1_024,
            retries: 2,
            retry_after: Duration::from_secs(1),
            store: Duration::from_secs(30),
            result_chars: 100_000,
        }
    }
}
