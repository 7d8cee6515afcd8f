//! Converts messages and tools to those of `genai`.

use ::genai::chat::{
    Binary, CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, JsonSpec, MessageContent, Tool,
    ToolChoice, ToolResponse,
};
use hook_sdk::data::{Block, Message, Role, ToolCall, ToolResultBlock};
use serde_json::{Value, json};

use super::answer::SIGNATURES;
use crate::model::ModelCall;

/// Converts a call for `model`.
pub(super) fn of(call: &ModelCall, model: &str) -> ChatRequest {
    let request = ChatRequest::new(call.messages.iter().flat_map(|message| messages(message, model)).collect());
    let request = match call.system_prompt.as_str() {
        "" => request,
        prompt => request.with_system(prompt),
    };
    if call.tools.is_empty() {
        return request;
    }
    let tools = call.tools.iter().map(|spec| {
        let tool = Tool::new(spec.name.as_str()).with_schema(spec.schema.clone());
        if spec.description.is_empty() { tool } else { tool.with_description(spec.description.as_str()) }
    });
    request.with_tools(tools)
}

/// Adds marks for prompt caching to the request: one after the tools and the system prompt, which change least, and one
/// after the last message.
pub(super) fn marked(mut request: ChatRequest) -> ChatRequest {
    let system = request.system.take().map(ChatMessage::system);
    if let Some(last) = request.messages.last_mut() {
        last.options = Some(CacheControl::Ephemeral.into());
    }
    request.messages.splice(..0, system.map(|system| system.with_options(CacheControl::Ephemeral)));
    request
}

/// The options of a call: those of the model, overridden by those that hooks set for this call.
pub(super) fn options(made: &ChatOptions, call: &ModelCall) -> ChatOptions {
    let mut options = made.clone();
    if let Some(temperature) = call.temperature {
        options = options.with_temperature(temperature);
    }
    if let Some(tokens) = call.max_tokens {
        options = options.with_max_tokens(tokens);
    }
    if let Some(schema) = &call.output_schema {
        options = options.with_response_format(JsonSpec::new("answer", schema.clone()));
    }
    if let Some(choice) = call.tool_choice.as_deref() {
        options = options.with_tool_choice(match choice {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            tool => ToolChoice::tool(tool),
        });
    }
    if !call.extra.is_empty() {
        let mut fields = made.extra_body.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        fields.extend(call.extra.clone());
        options = options.with_extra_body(Value::Object(fields));
    }
    options
}

/// Converts a message. The tool results that it contains become messages of their own, in front of it: `genai` wants
/// them separate, although some providers keep them in user messages.
fn messages(message: &Message, model: &str) -> Vec<ChatMessage> {
    let (mut results, mut parts) = (Vec::new(), Vec::new());
    for block in &message.content {
        match block {
            Block::Text(text) if text.text.is_empty() => {}
            Block::Text(text) => parts.push(ContentPart::Text(text.text.clone())),
            Block::ToolUse(call) => parts.push(tool_call(call)),
            Block::ToolResult(result) => results.push(ContentPart::ToolResponse(tool_response(result))),
            Block::Other(value) => other(message.role, value, model, &mut parts),
            _ => left_out("unknown"),
        }
    }
    let role = match message.role {
        // Tool calls always belong to the model, even if a hook changed the role of the row. Without its call, the
        // provider would reject the result forever.
        _ if message.tool_calls().next().is_some() => ChatRole::Assistant,
        Role::System | Role::Developer => ChatRole::System,
        Role::Assistant => ChatRole::Assistant,
        _ => ChatRole::User,
    };
    [(ChatRole::Tool, results), (role, parts)]
        .into_iter()
        .filter(|(_, parts)| !parts.is_empty())
        .map(|(role, parts)| ChatMessage::new(role, MessageContent::from_parts(parts)))
        .collect()
}

fn tool_call(call: &ToolCall) -> ContentPart {
    let signatures = call.extra.get(SIGNATURES).and_then(Value::as_array);
    ContentPart::ToolCall(::genai::chat::ToolCall {
        call_id: call.id.clone(),
        fn_name: call.name.clone(),
        fn_arguments: arguments(&call.input),
        thought_signatures: signatures.map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
    })
}

/// Providers require an object, even if the model sent something else, which its tool then rejected.
fn arguments(input: &Value) -> Value {
    match input {
        Value::Object(_) => input.clone(),
        Value::Null => json!({}),
        other => json!({ "arguments": other }),
    }
}

/// The text of a result. Content that is not text cannot be sent, so a placeholder says what was left out.
fn tool_response(result: &ToolResultBlock) -> ToolResponse {
    let text = result.content.iter().map(|block| match block {
        Block::Text(text) => text.text.clone(),
        Block::Other(value) => {
            let kind = value["type"].as_str().unwrap_or("unknown");
            left_out(kind);
            format!("[left out, not text: {kind}]")
        }
        _ => String::new(),
    });
    let response = ToolResponse::new(result.call_id.as_str(), text.collect::<Vec<_>>().join("\n"));
    match &result.name {
        Some(name) => response.with_fn_name(name.as_str()),
        None => response,
    }
}

/// Converts a block of a type that this crate does not know but `genai` does.
fn other(role: Role, value: &Value, model: &str, parts: &mut Vec<ContentPart>) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match value["type"].as_str().unwrap_or_default() {
        // Thinking of another model is useless for this one.
        "thinking" if value["model"].as_str().is_some_and(|of| of != model) => {}
        "thinking" if role == Role::Assistant => {
            parts.extend(text(&value["signature"]).map(ContentPart::ThoughtSignature));
            parts.extend(text(&value["thinking"]).map(ContentPart::ReasoningContent));
        }
        "image" | "image_url" if image(value).is_some() => parts.extend(image(value).map(ContentPart::Binary)),
        kind => left_out(kind),
    }
}

/// An image in the format of Anthropic or OpenAI.
fn image(value: &Value) -> Option<Binary> {
    let source = &value["source"];
    if let (Some(kind), Some(data)) = (source["media_type"].as_str(), source["data"].as_str()) {
        return Some(Binary::from_base64(kind, data, None));
    }
    let url = source["url"].as_str().or_else(|| value["image_url"]["url"].as_str())?;
    match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((kind, data)) => Some(Binary::from_base64(kind, data, None)),
        None => Some(Binary::from_url("image/*", url, None)),
    }
}

fn left_out(kind: &str) {
    tracing::warn!(block = kind, "a block of an unsupported type was left out of a model call");
}
