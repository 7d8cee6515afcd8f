//! Who is asked where a gate says *ask* or *defer*.

use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::data::{ToolCall, ToolInput, ToolResult};
use hooks_core::hook::BoxFuture;
use hooks_core::verdict::Question;
use serde::{Deserialize, Serialize};

/// A call that waits for somebody's word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// What no other request has: it names the conversation, the turn and the call.
    pub id: String,
    /// The conversation that the call is part of.
    pub conversation: String,
    /// The turn, as [`HookContext::request`](hooks_core::HookContext::request) names it.
    pub turn: String,
    /// The agent whose call it is.
    pub agent: String,
    /// The agents that asked that agent, the first one first; none where a person did.
    pub agent_path: Vec<String>,
    /// The call as the model asked for it.
    pub call: ToolCall,
    /// What the tool would get. It changes only by the answer.
    pub input: ToolInput,
    /// What the gate asks.
    pub question: Question,
    /// Whether the gate put it off (*defer*) rather than asked.
    pub deferred: bool,
    /// How long an answer is waited for.
    pub expires: Duration,
}

impl ApprovalRequest {
    pub(crate) fn new(cx: &HookContext, call: ToolCall, input: ToolInput, question: Question) -> Self {
        let turn = cx.request().unwrap_or_default().to_owned();
        Self {
            id: format!("{turn}:{}", call.id),
            conversation: cx.conversation().unwrap_or_default().to_owned(),
            turn,
            agent: cx.agent().unwrap_or_default().to_owned(),
            agent_path: cx.agent_path().to_vec(),
            call,
            input,
            question,
            deferred: false,
            expires: Duration::ZERO,
        }
    }
}

/// What came of an [`ApprovalRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "with", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalAnswer {
    /// The call may run.
    Yes,
    /// It may not, for this reason.
    No(String),
    /// It may run with this input, which the gates judge anew.
    Edited(ToolInput),
    /// It does not run; this is its result.
    Result(ToolResult),
    /// Nobody answers just now: the turn ends as [suspended](crate::Outcome::Suspended), and the call waits for
    /// [`Session::resume`](crate::Session::resume).
    Suspend,
}

/// Answers what gates ask.
///
/// A request that is not answered at its deadline is denied. So is one whose approver panics.
pub trait Approver: Send + Sync + 'static {
    /// Whether the call may run.
    ///
    /// It may be asked about a call again that it was asked about before a turn was suspended, or its process ended.
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer>;

    /// Nobody acts on an answer about the call of this id any more: the conversation went on without it.
    fn forget<'a>(&'a self, conversation: &'a str, call: &'a str) -> BoxFuture<'a, ()> {
        let _ = (conversation, call);
        Box::pin(async {})
    }

    /// The request about the call of this id that nobody has acted on, where it holds one: then the call never ran, and a session
    /// may be [resumed](crate::Session::resume) with it. An approver that forgets its questions, as this is where nothing else
    /// is said, holds none.
    fn held<'a>(&'a self, conversation: &'a str, call: &'a str) -> BoxFuture<'a, Option<ApprovalRequest>> {
        let _ = (conversation, call);
        Box::pin(async { None })
    }
}

/// Denies everything: the approver of a harness that was given none, because nobody is there to be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn approve<'a>(&'a self, _request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer> {
        Box::pin(async { ApprovalAnswer::No("nobody is there to be asked".to_owned()) })
    }
}

/// A plain function that answers at once.
impl<F: Fn(&ApprovalRequest) -> ApprovalAnswer + Send + Sync + 'static> Approver for F {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer> {
        Box::pin(async move { self(request) })
    }
}
