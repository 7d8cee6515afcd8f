//! Approval of tool calls for which a gate answers *ask* or *defer*.

use std::time::Duration;

use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInput};
use hook_sdk::protocol::decision::CallQuestion;
use hook_sdk::protocol::{Approval, ToolQuestion};
use hook_sdk::verdict::Question;
use serde::{Deserialize, Serialize};

use crate::store::StoreFuture;

/// A request to approve a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// A unique id, which no other question has, not even a later one about the same call. It is derived from the
    /// conversation, the turn, the call and the number of the question.
    pub id: String,
    /// The conversation of the call.
    pub conversation: String,
    /// The id of the turn, as in [`HookContext::request`](hook_sdk::HookContext::request).
    pub turn: String,
    /// The agent that makes the call.
    pub agent: String,
    /// The agents that called this agent, outermost first. Empty if a person started the turn.
    pub agent_path: Vec<String>,
    /// The call as the model made it.
    pub call: ToolCall,
    /// The input that the tool would get. Only the answer can change it.
    pub input: ToolInput,
    /// The turn that a person began, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<RootTurn>,
    /// The calls of agents that led to this one, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) callers: Vec<AgentCall>,
    /// The prompt of the turn that a person began. [`Session::resume`](crate::Session::resume) needs it, because its
    /// list of hooks decides which gates judge the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What started the turn, if its request says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Whether a person was present.
    #[serde(default)]
    pub human_present: bool,
    /// The contexts that hooks added to results before this call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<String>,
    /// The input of an earlier answer to this call's question, about which the gates now ask. A resumed turn continues
    /// with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<ToolInput>,
    /// The question of the gate.
    pub question: Question,
    /// Whether the gate deferred the call (*defer*) instead of asking (*ask*).
    pub deferred: bool,
    /// How long the turn waits for an answer; in a stored question, how long it can be answered.
    pub expires: Duration,
    /// The token of the turn's [lease](crate::store::MessageStore::lease).
    #[serde(skip)]
    pub lease: Option<u64>,
}

/// A turn that a person began, and that waits for an approval: what [`Session::resume`](crate::Session::resume) needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuspendedTurn {
    /// Its conversation.
    pub conversation: String,
    /// Its agent.
    pub agent: String,
    /// Its prompt, whose list of hooks decides which gates judge the call.
    pub prompt: Option<String>,
}

/// The turn at the root of a tree of sub-agents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RootTurn {
    pub(crate) conversation: String,
    pub(crate) agent: String,
}

/// The call of an agent that waits: what its turn continues with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentCall {
    pub(crate) conversation: String,
    pub(crate) call: String,
    /// The input that the gates judge: that of the model, or of the person who edited it.
    pub(crate) input: ToolInput,
    /// The contexts that hooks added to results beside this call and before it.
    pub(crate) contexts: Vec<String>,
}

impl ApprovalRequest {
    /// The turn to resume when the request is answered. If a sub-agent asks, it is the turn of the agent that a person
    /// called.
    pub fn suspended_turn(&self) -> SuspendedTurn {
        let own = || RootTurn { conversation: self.conversation.clone(), agent: self.agent.clone() };
        let RootTurn { conversation, agent } = self.root.clone().unwrap_or_else(own);
        SuspendedTurn { conversation, agent, prompt: self.prompt.clone() }
    }

    pub(crate) fn new(cx: &HookContext, call: &CallQuestion) -> Self {
        let turn = cx.request().unwrap_or_default().to_owned();
        let ToolQuestion { call: of, input, question, deferred, .. } = call.question().clone();
        Self {
            id: format!("{turn}:{}:{}", of.id, call.number()),
            conversation: cx.conversation().unwrap_or_default().to_owned(),
            turn,
            agent: cx.agent().unwrap_or_default().to_owned(),
            agent_path: cx.agent_path().to_vec(),
            call: of,
            input,
            root: None,
            callers: Vec::new(),
            prompt: None,
            trigger: None,
            human_present: cx.human_present(),
            contexts: Vec::new(),
            edited: call.edited().cloned(),
            question,
            deferred,
            expires: Duration::ZERO,
            lease: None,
        }
    }
}

/// Answers the questions of gates.
///
/// If there is no answer within [`ApprovalRequest::expires`], or if the approver panics, the call is denied. In a resumed
/// turn, whose calls may have a stored answer, the turn fails then, and the calls wait on.
pub trait Approver: Send + Sync + 'static {
    /// Whether questions outlive the process. Their answers are lost unless the [conversations](crate::store::MessageStore::is_lasting) do
    /// too, so [`HarnessBuilder::build`](crate::HarnessBuilder::build) fails otherwise.
    fn is_lasting(&self) -> bool {
        false
    }

    /// Decides whether the call may run.
    ///
    /// This can be called again for the same call: after a turn was suspended, or its process ended, and also if a later
    /// call of the same answer suspends the turn. A stored answer therefore has to stay until its question is
    /// [closed](Self::close).
    ///
    /// # Errors
    /// [`StoreError`](crate::store::StoreError) if nobody can be asked now, or nobody knows the answer. The turn fails
    /// then, and a call that an earlier turn left waiting waits on.
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval>;

    /// Closes the questions about these calls: the calls run now, or they never will. From then on, nobody acts on an
    /// answer. Until then a question can be answered, even if the future of [`approve`](Self::approve) was dropped.
    /// Returns the calls about which a question was already closed by somebody else; such a call may be running
    /// elsewhere, so the turn does not run it. The default is for approvers that store no requests.
    ///
    /// A turn calls this before it starts a call about which it asked, after it has stored another result of the call, and
    /// before it stores that nobody waits for the answer. So no question is open about a call that runs, or about one of
    /// those that run together with it.
    /// `lease` is the token of its [lease](crate::store::MessageStore::lease).
    ///
    /// # Errors
    /// [`StoreError`](crate::store::StoreError), and none of the calls runs in this turn. It is
    /// [`LeaseLost`](crate::store::StoreError::LeaseLost) if there is a later lease.
    fn close<'a>(
        &'a self,
        conversation: &'a str,
        calls: &'a [&'a str],
        lease: Option<u64>,
    ) -> StoreFuture<'a, Vec<String>> {
        let _ = (conversation, calls, lease);
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Undoes a [`close`](Self::close): the call has not run, and its answer counts again. A resumed turn calls this if it
    /// is cancelled while it closes the question, or if closing fails, which may have closed it nevertheless. A question
    /// that a person closed stays closed. The default is for approvers that store no requests.
    ///
    /// # Errors
    /// [`StoreError`](crate::store::StoreError). The next turn does not know then whether the call has run, so it does not run it.
    fn reopen<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        let _ = request;
        Box::pin(async { Ok(()) })
    }

    /// Stores a changed request, if its question is not closed: an agent that calls the one that asks adds what its own
    /// turn needs to continue. The default is for approvers that store no requests.
    ///
    /// # Errors
    /// [`StoreError`](crate::store::StoreError). The turn fails then, and the call waits on.
    fn update<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, ()> {
        let _ = request;
        Box::pin(async { Ok(()) })
    }

    /// The stored request about this call, if its question is not [closed](Self::close). Such a call never ran, nor did one
    /// that runs together with it, and [`Session::resume`](crate::Session::resume) continues with the call of the request.
    /// The default is for approvers that store no requests; if such an approver answers [`Approval::Suspend`], the call is
    /// denied.
    ///
    /// # Errors
    /// [`StoreError`](crate::store::StoreError) if nobody knows now. The turn fails then, and the call waits on.
    fn held<'a>(&'a self, conversation: &'a str, call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        let _ = (conversation, call);
        Box::pin(async { Ok(None) })
    }
}

/// Denies every request. This is the default approver of a harness, for programs without a person to ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn approve<'a>(&'a self, _request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async { Ok(Approval::No("there is nobody to ask".to_owned())) })
    }
}

/// An approver made from an async function or closure, which may wait for a person.
///
/// ```
/// use hooks_agent::approve::AsyncApprover;
///
/// let small = AsyncApprover::new(async |request| request.input["cents"].as_u64().is_some_and(|cents| cents < 100));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AsyncApprover<F>(F);

impl<F, R> AsyncApprover<F>
where
    F: Fn(ApprovalRequest) -> R + Send + Sync + 'static,
    R: Future<Output: Into<Approval>> + Send + 'static,
{
    /// Creates an approver that returns what `approve` answers: an [`Approval`] or a `bool`.
    pub fn new(approve: F) -> Self {
        Self(approve)
    }
}

impl<F, R> Approver for AsyncApprover<F>
where
    F: Fn(ApprovalRequest) -> R + Send + Sync + 'static,
    R: Future<Output: Into<Approval>> + Send + 'static,
{
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async move { Ok((self.0)(request.clone()).await.into()) })
    }
}

/// A plain function that answers immediately.
impl<F: Fn(&ApprovalRequest) -> Approval + Send + Sync + 'static> Approver for F {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        Box::pin(async move { Ok(self(request)) })
    }
}
