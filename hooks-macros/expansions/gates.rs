#[hook(id = "gates", kind = before_tool_call, tool = "refund*", priority = -10, timeout = "2s")]
async fn gates(event: &BeforeToolCall, input: &ToolInput) -> Permission {
    Permission::deny("no refunds today")
}
