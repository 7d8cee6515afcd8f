use hook_sdk::HookContext;
use hook_sdk::data::{ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use opentelemetry::{Context, KeyValue};

use super::Traced;
use crate::operation::{EXECUTE_TOOL, TOOL, of_call};
use crate::telemetry::Telemetry;
use crate::told::{of_ids, table};

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
        let begin = || {
            let description = Some(&self.spec.description).filter(|text| !text.is_empty());
            let own = table([("gen_ai.tool.description", description.map(|text| text.clone().into()))]);
            let attributes = own.chain(of_call(Some(call.id.clone()))).chain(of_ids(cx.ids()));
            let attributes = attributes.chain(EXECUTE_TOOL.viewers(self.telemetry.wanted));
            let span = EXECUTE_TOOL.begin(&self.spec.name).with_attributes(attributes);
            (span, vec![EXECUTE_TOOL.attribute(), KeyValue::new(TOOL, self.spec.name.clone())])
        };
        let durations = &self.telemetry.shared.metrics.agent.tools;
        let work = async { self.tool.run(cx, call, input).await };
        let tell = |traced: &mut Traced<'_>, result: &Result<ToolResult, ToolError>| {
            traced.error = result.as_ref().map_or(true, |result| result.is_error).then_some("tool_error");
        };
        Box::pin(async move { self.telemetry.traced(Context::current(), durations, begin, work, tell).await })
    }
}
