//! A tool of adk-rust, and a guard around it: an agent takes the one as it takes the other.

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

use std::error::Error;
use std::sync::Arc;

use adk_core::{AdkError, Tool, ToolContext};
use async_trait::async_trait;
use hook_sdk::prelude::*;
use serde_json::Value;

// ANCHOR: tool
/// A tool behind the guard: `LlmAgentBuilder::tool(Arc::new(Guarded { tool, hooks }))`.
struct Guarded {
    tool: Arc<dyn Tool>,
    hooks: HookSet,
}

#[async_trait]
impl Tool for Guarded {
    async fn execute(&self, adk: Arc<dyn ToolContext>, args: Value) -> Result<Value, AdkError> {
        let cx = HookContext::builder().conversation(adk.session_id()).agent(adk.agent_name()).build();
        let call = ToolCall::new(adk.function_call_id(), self.tool.name(), args);
        let run = async |input: ToolInput| self.tool.execute(adk, (*input).clone()).await;
        match self.hooks.tool_call(&cx, &call).run(run).await {
            // Hooks see the value as JSON text; one that they replaced may be any text.
            Ok(result) if !result.is_error => {
                Ok(serde_json::from_str(&result.text()).unwrap_or_else(|_| result.text().into()))
            }
            Ok(result) => Err(AdkError::tool(result.text())),
            Err(end) => Err(AdkError::tool(end.to_string())),
        }
    }
    // The rest is that of the tool: `name`, `description`, `parameters_schema` and so on.
    // ANCHOR_END: tool

    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn parameters_schema(&self) -> Option<Value> {
        self.tool.parameters_schema()
    }
}

mod till {
    //! The tool, and the context in which adk-rust would run it.

    use adk_core::{
        Artifacts, CallbackContext, Content, EventActions, MemoryEntry, ReadonlyContext, Result, Tool, ToolContext,
    };
    use async_trait::async_trait;
    use serde_json::Value;
    use std::sync::Arc;

    pub(crate) struct Refund;

    #[async_trait]
    impl Tool for Refund {
        fn name(&self) -> &'static str {
            "refund"
        }

        fn description(&self) -> &'static str {
            "Pays a refund"
        }

        async fn execute(&self, _: Arc<dyn ToolContext>, args: Value) -> Result<Value> {
            Ok(format!("{} cents paid", args["cents"]).into())
        }
    }

    pub(crate) struct Call(pub(crate) Content);

    impl ReadonlyContext for Call {
        fn invocation_id(&self) -> &'static str {
            "invocation"
        }
        fn agent_name(&self) -> &'static str {
            "support"
        }
        fn user_id(&self) -> &'static str {
            "ada"
        }
        fn app_name(&self) -> &'static str {
            "desk"
        }
        fn session_id(&self) -> &'static str {
            "session"
        }
        fn branch(&self) -> &'static str {
            ""
        }
        fn user_content(&self) -> &Content {
            &self.0
        }
    }

    impl CallbackContext for Call {
        fn artifacts(&self) -> Option<Arc<dyn Artifacts>> {
            None
        }
    }

    #[async_trait]
    impl ToolContext for Call {
        fn function_call_id(&self) -> &'static str {
            "call_1"
        }
        fn actions(&self) -> EventActions {
            EventActions::default()
        }
        fn set_actions(&self, _: EventActions) {}
        async fn search_memory(&self, _: &str) -> Result<Vec<MemoryEntry>> {
            Ok(Vec::new())
        }
    }
}

async fn turn(hooks: HookSet, cents: u64) -> String {
    let tool = Guarded { tool: Arc::new(till::Refund), hooks };
    let call = Arc::new(till::Call(adk_core::Content::new("user")));
    match tool.execute(call, serde_json::json!({ "cents": cents })).await {
        Ok(value) => value.as_str().unwrap_or_default().to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    for cents in [900, 2_000, 9_900] {
        println!("{cents}: {}", turn(guides::hooks()?, cents).await);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_guard_judges_each_call() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        assert_eq!(super::turn(guides::hooks()?, 900).await, "900 cents paid");
        let refused = super::turn(guides::hooks()?, 9_900).await;
        assert!(refused.ends_with("Denied: refunds above 50.00 are not possible here"), "{refused}");
        Ok(())
    }
}
