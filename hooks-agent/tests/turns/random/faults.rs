//! Parts of the app that misbehave on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hook_sdk::hook::BoxFuture;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError, Scripted};
use hooks_agent::store::StoreError;

use crate::turns::bench::Log;
use crate::turns::stores::Disturb;

/// How a part of the app misbehaves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    Fails,
    Panics,
    Hangs,
}

/// A store that records its content, and misbehaves at the given call.
pub(super) struct Faulty {
    pub(super) log: Log,
    pub(super) calls: AtomicUsize,
    pub(super) at: Option<(usize, Fault)>,
}

impl Disturb for Faulty {
    fn before(&self, _: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            tokio::task::yield_now().await;
            match self.at {
                Some((at, fault)) if at == call => match fault {
                    Fault::Fails => Err(StoreError::new("the disk is full")),
                    Fault::Panics => std::panic::resume_unwind(Box::new("the driver is broken")),
                    Fault::Hangs => std::future::pending().await,
                },
                _ => Ok(()),
            }
        })
    }

    fn after(&self, call: &'static str) -> Result<(), StoreError> {
        if call == "append" {
            self.log.note("the store");
        }
        Ok(())
    }
}

/// A scripted model that records its calls, and misbehaves if its line says so.
pub(super) struct Moody(pub(super) Arc<Scripted>, pub(super) Log);

impl Model for Moody {
    fn call<'a>(&'a self, call: &'a ModelCall, deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        self.1.note("the model");
        Box::pin(async move {
            match self.0.call(call, deltas).await {
                Err(ModelError::Rejected(word)) if word == "hang" => std::future::pending().await,
                Err(ModelError::Rejected(word)) if word == "panic" => {
                    std::panic::resume_unwind(Box::new("the client is broken"))
                }
                answer => answer,
            }
        })
    }
}

/// A slow tool.
pub(super) struct Slow;

impl hooks_agent::tool::Tool for Slow {
    fn spec(&self) -> hooks_agent::tool::ToolSpec {
        hooks_agent::tool::ToolSpec::new("slow")
    }

    fn run<'a>(
        &'a self,
        _cx: &'a HookContext,
        _call: &'a ToolCall,
        _input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, hooks_agent::tool::ToolError>> {
        Box::pin(async {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            Ok(ToolResult::new("at last"))
        })
    }
}
