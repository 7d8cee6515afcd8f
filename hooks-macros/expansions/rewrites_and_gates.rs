#[hook(id = "rewrites_and_gates", kind = before_tool_call)]
fn rewrites_and_gates(input: ToolInput) -> Result<(ToolInput, Permission), Box<dyn Error + Send + Sync>> {
    Ok((input, Permission::Allow))
}
