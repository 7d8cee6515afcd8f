#[hook(id = "falls_back", kind = before_tool_call, on_failure = deny, fallback = cautious)]
async fn falls_back(input: &ToolInput) -> Result<Permission, ServiceError> {
    ask_service(input).await
}
