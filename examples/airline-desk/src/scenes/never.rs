use std::sync::Arc;

use hook_sdk::HookContext;
use hook_sdk::data::{Messages, ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hook_sdk::protocol::Approval;
use hooks_agent::Preflight;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::StoreFuture;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use tokio::sync::Notify;

/// An implementation of several traits that starts but never completes.
#[derive(Clone, Debug, Default)]
pub(super) struct Never(Arc<Notify>);

impl Never {
    /// Waits until it was started.
    pub(super) async fn begun(&self) {
        self.0.notified().await;
    }

    pub(super) fn wait<T: Send + 'static>(&self) -> BoxFuture<'static, T> {
        let begun = Arc::clone(&self.0);
        Box::pin(async move {
            begun.notify_one();
            std::future::pending().await
        })
    }
}

impl Model for Never {
    fn call<'a>(&'a self, _: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        self.wait()
    }
}

impl Tool for Never {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("search_flights")
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        _: &'a ToolCall,
        _: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        self.wait()
    }
}

impl Approver for Never {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        self.wait()
    }
}

impl Preflight for Never {
    type Plan = ();

    fn look<'a>(&'a self, _: &'a HookContext, _: &'a str, _: &'a Messages) -> BoxFuture<'a, ()> {
        self.wait()
    }
}
