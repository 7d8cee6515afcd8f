//! Who is asked where a gate says *ask* or *defer*.

use hooks_core::data::{ToolCall, ToolInput};
use hooks_core::hook::BoxFuture;
use hooks_core::verdict::Question;

/// A call that waits for somebody's word.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The call as the model asked for it.
    pub call: ToolCall,
    /// What the tool would get. It cannot change any more.
    pub input: ToolInput,
    /// What the gate asks.
    pub question: Question,
    /// Whether the gate put it off (*defer*) rather than asked.
    pub deferred: bool,
}

impl ApprovalRequest {
    pub(crate) fn new(call: ToolCall, input: ToolInput, question: Question, deferred: bool) -> Self {
        Self { call, input, question, deferred }
    }
}

/// What came of an [`ApprovalRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalAnswer {
    /// The call may run.
    Yes,
    /// It may not, for this reason.
    No(String),
}

/// Answers what gates ask.
///
/// A request that is not answered at its deadline is denied. So is one whose approver panics.
pub trait Approver: Send + Sync + 'static {
    /// Whether the call may run.
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, ApprovalAnswer>;
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
