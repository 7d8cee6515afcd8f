use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of a turn.
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
    /// Model calls per turn, including those that hooks request and those of sub-agents, but without those for
    /// summaries. Default: 50.
    pub iterations: u32,
    /// How often hooks at `post_model_call` may continue a turn. Default: 5.
    pub continues: u32,
    /// How often hooks at `stop` may continue a turn without a tool call in between. Default: 8.
    pub stop_continues: u32,
    /// Ends the turn at this many consecutive calls of the same tool with the same input. Default: 4.
    pub repeats: u32,
    /// How often the tool of a call may be run again when hooks at `after_tool_call_failure` request a retry. Default:
    /// 2.
    pub tool_retries: u32,
    /// Tool calls that run concurrently. Default: 8.
    pub parallel: usize,
    /// Tokens that the model calls of a turn may use in total, including those of sub-agents. Tokens that a provider
    /// does not report are not counted. Default: `None`, no limit.
    pub tokens: Option<u64>,
    /// How long a turn may take. Default: `None`, no limit.
    pub turn: Option<Duration>,
    /// How long a sub-agent without its own deadline may take. Default: 10 minutes.
    pub agent: Duration,
    /// How long a tool may run. Default: 2 minutes.
    pub tool: Duration,
    /// How long an approver may take. Default: 10 minutes.
    pub approval: Duration,
    /// How long a model call may take. Default: 10 minutes.
    pub model: Duration,
    /// How long a stream may pause after its first piece. Default: 60 s.
    pub idle: Duration,
    /// Events of a turn that are buffered for a slow reader. When the buffer is full, the oldest are dropped, and
    /// [`TurnEvent::Missed`](crate::TurnEvent::Missed) reports how many. Default: 1,024.
    pub events: usize,
    /// How often a model call is retried when the provider is rate-limiting or cannot be reached. Default: 2.
    pub retries: u32,
    /// The delay before the first retry, unless the provider says how long to wait. It doubles with each retry.
    /// Default: 1 s.
    pub retry_after: Duration,
    /// How long a call of the message store may take. Default: 30 s.
    pub store: Duration,
    /// How long a channel may take to send a reply. Default: 60 s.
    pub channel: Duration,
    /// Characters of a tool's output that are kept. Default: 100,000.
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
            channel: Duration::from_secs(60),
            result_chars: 100_000,
        }
    }
}
