#[hook(id = "reads", kind = after_tool_call_success)]
fn reads(result: &ToolResult) {}
