use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use opentelemetry::trace::{FutureExt, SpanBuilder};
use opentelemetry::{Context, KeyValue};

use super::Traced;
use crate::names::{AGENT, CONVERSATION, agent, operation};
use crate::telemetry::Telemetry;

impl Telemetry {
    /// A tool with a span per run, `execute_tool {name}`. What the tool does itself, such as a request, is in it.
    pub fn tool<T: Tool>(&self, tool: T) -> TracedTool<T> {
        TracedTool { telemetry: self.clone(), spec: tool.spec(), tool }
    }
}

/// A tool with a span per run. Made by [`Telemetry::tool`].
#[derive(Clone, Debug)]
pub struct TracedTool<T> {
    telemetry: Telemetry,
    spec: ToolSpec,
    tool: T,
}

impl<T: Tool> Tool for TracedTool<T> {
    fn spec(&self) -> ToolSpec {
        self.tool.spec()
    }

    fn run<'a>(
        &'a self,
        cx: &'a HookContext,
        call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let (shared, parent) = (&self.telemetry.shared, Context::current());
            let Some(span) = shared.tracing.start(&parent, || self.span(cx, call)) else {
                return self.tool.run(cx, call, input).await;
            };
            let mut traced = Traced::new(&parent, span, &shared.metrics.agent.tools, vec![operation(), self.name()]);
            let result = self.tool.run(cx, call, input).with_context(traced.cx.clone()).await;
            traced.error = result.as_ref().map_or(true, |result| result.is_error).then_some("tool_error");
            result
        })
    }
}

impl<T> TracedTool<T> {
    fn name(&self) -> KeyValue {
        KeyValue::new(agent::TOOL, self.spec.name.clone())
    }

    fn span(&self, cx: &HookContext, call: &ToolCall) -> SpanBuilder {
        let mut attributes = vec![operation(), self.name()];
        attributes.push(KeyValue::new(agent::TOOL_CALL, call.id.clone()));
        attributes.push(KeyValue::new(agent::TOOL_TYPE, "function"));
        let description = &self.spec.description;
        attributes
            .extend((!description.is_empty()).then(|| KeyValue::new(agent::TOOL_DESCRIPTION, description.clone())));
        for (name, id) in [(CONVERSATION, cx.conversation()), (AGENT, cx.agent())] {
            attributes.extend(id.map(|id| KeyValue::new(name, id.to_owned())));
        }
        self.telemetry.add_viewers(&mut attributes, "TOOL", "tool");
        SpanBuilder::from_name(format!("{} {}", operation::EXECUTE_TOOL, self.spec.name)).with_attributes(attributes)
    }
}

fn operation() -> KeyValue {
    KeyValue::new(operation::NAME, operation::EXECUTE_TOOL)
}
