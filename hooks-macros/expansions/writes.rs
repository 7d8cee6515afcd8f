/// Masks e-mail addresses.
#[hook(id = "writes", kind = after_tool_call_success, on_failure = remove)]
pub(crate) fn writes(cx: &HookContext, result: &mut ToolResult) -> Result<(), MaskError> {
    mask(result)
}
