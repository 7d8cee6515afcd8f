#[hook(id = "takes_parameters", kind = before_tool_call, on_failure = deny)]
fn takes_parameters(limit: &With<Limit>, input: &ToolInput) -> Permission {
    limit.judge(input)
}
