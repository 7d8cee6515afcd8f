#[hook(id = "blocks", kind = before_tool_call, blocking, timeout = "500ms", plugin = "scanner", locked)]
fn blocks(input: &ToolInput) -> Permission {
    scan(input)
}
