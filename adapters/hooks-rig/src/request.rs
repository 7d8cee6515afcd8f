//! The request of a model call between rig and hooks.

use hook_sdk::data::{Messages, ModelAnswer, ModelRequest, Usage};
use rig_core::completion::{CompletionRequest, CompletionResponse, FinishReason, ToolDefinition};
use rig_core::message::{AssistantContent, Message as Row, ToolChoice, ToolName};
use rig_core::structured_output::OUTPUT_TOOL_DESCRIPTION;
use serde_json::Value;

use crate::rows;

/// A request as hooks see it.
pub(crate) fn shown(request: &CompletionRequest) -> ModelRequest {
    let mut shown = ModelRequest::new(split(&request.chat_history).0);
    shown.temperature = request.temperature;
    shown.max_tokens = request.max_tokens.map(|tokens| tokens.try_into().unwrap_or(u32::MAX));
    shown.tool_choice = request.tool_choice.as_ref().map(choice);
    shown.output_schema = request.output_schema.as_ref().map(|schema| schema.clone().to_value());
    shown
}

/// The system prompt, and the rows behind it.
pub(crate) fn split(history: &[Row]) -> (&str, &[Row]) {
    match history.split_first() {
        Some((Row::System { content }, rest)) => (content, rest),
        _ => ("", history),
    }
}

/// The choices that name no tool.
const CHOICES: [(&str, ToolChoice); 3] =
    [("auto", ToolChoice::Auto), ("none", ToolChoice::None), ("required", ToolChoice::Required)];

fn choice(choice: &ToolChoice) -> String {
    let name = match choice {
        ToolChoice::Specific { function_names } => function_names.first().map(ToString::to_string),
        choice => CHOICES.iter().find(|(_, of)| of == choice).map(|(name, _)| (*name).to_owned()),
    };
    name.unwrap_or_default()
}

fn tool_choice(name: &str) -> Result<ToolChoice, String> {
    if let Some((_, choice)) = CHOICES.into_iter().find(|(of, _)| *of == name) {
        return Ok(choice);
    }
    let name = ToolName::new(name).map_err(|_| "a hook set an empty tool choice".to_owned())?;
    Ok(ToolChoice::Specific { function_names: vec![name] })
}

/// The request as hooks left it.
///
/// # Errors
/// What rig cannot carry.
pub(crate) fn written(
    request: &CompletionRequest,
    streams: bool,
    left: &ModelRequest,
    mut rows: Vec<Row>,
) -> Result<CompletionRequest, String> {
    if let Some(profile) = &left.profile {
        return Err(format!("a hook routed the call to the profile `{profile}`, and rig cannot route it"));
    }
    if left.defer_output && streams {
        return Err("a hook holds the answer back, and rig shows it as it comes".to_owned());
    }
    let seen = shown(request);
    let mut written = request.clone();
    // Hooks see the documents as a row, which stands for them if it is not what it was.
    if let Some(documents) = request.normalized_documents() {
        if rows.first() == Some(&documents) {
            rows.remove(0);
        } else {
            written.documents.clear();
        }
    }
    written.chat_history = rows;
    if !left.system_prompt.is_empty() {
        written.chat_history.insert(0, Row::System { content: left.system_prompt.clone() });
    }
    written.temperature = left.temperature;
    if left.max_tokens != seen.max_tokens {
        written.max_tokens = left.max_tokens.map(u64::from);
    }
    if left.tool_choice != seen.tool_choice {
        written.tool_choice = left.tool_choice.as_deref().map(tool_choice).transpose()?;
    }
    if let Some(tools) = &left.tools {
        written.tools.retain(|tool| tools.iter().any(|name| tool.name == *name));
    }
    if left.output_schema != seen.output_schema {
        let schema = left.output_schema.clone().map(schemars::Schema::try_from).transpose();
        written.output_schema = schema.map_err(|error| format!("a hook set a schema that is none: {error}"))?;
    }
    if !left.extra.is_empty() {
        match written.additional_params.get_or_insert_with(|| Value::Object(serde_json::Map::new())) {
            Value::Object(fields) => fields.extend(left.extra.clone()),
            _ => return Err("a hook set fields of the request, whose additional parameters are no object".to_owned()),
        }
    }
    Ok(written)
}

/// The tool with which the model answers, if this request has one.
pub(crate) fn output_tool(request: &CompletionRequest) -> Option<String> {
    // That of an extractor has other words.
    let is_output = |tool: &&ToolDefinition| {
        tool.description == OUTPUT_TOOL_DESCRIPTION
            || tool.name == *"submit" && tool.description.starts_with("Submit the structured data you extracted")
    };
    request.tools.iter().find(is_output).map(|tool| tool.name.to_string())
}

/// The answer of a model as hooks see it.
pub(crate) fn answer(response: &CompletionResponse, streams: bool) -> ModelAnswer {
    let content = rows::blocks(&response.choice);
    let has_text = content.iter().any(|block| block.as_text().is_some_and(|text| !text.is_empty()));
    let mut answer = ModelAnswer::new(content).streamed(streams && has_text);
    answer = answer.model(response.model().unwrap_or_default());
    let has_calls = response.choice.iter().any(|part| matches!(part, AssistantContent::ToolCall(_)));
    match response.finish_reason() {
        // rig runs the calls of such an answer, and a step would drop them.
        Some(FinishReason::Length) if has_calls => answer = answer.stop_reason("length"),
        Some(FinishReason::Length) => answer = answer.stop_reason(hook_sdk::data::MAX_TOKENS),
        Some(FinishReason::ContentFilter) => answer = answer.stop_reason("content_filter"),
        Some(FinishReason::Other(reason)) => answer = answer.stop_reason(reason),
        _ => {}
    }
    let usage = &response.usage;
    if usage.input_tokens.is_some() || usage.output_tokens.is_some() {
        let seen = Usage::new(usage.input_tokens.unwrap_or(0), usage.output_tokens.unwrap_or(0));
        let seen = seen.cache_read(usage.cached_input_tokens.unwrap_or(0));
        answer = answer.usage(seen.cache_write(usage.cache_creation_input_tokens.unwrap_or(0)));
    }
    answer
}

/// The rows that hooks left of `rows`, with what they added for this turn in front of the prompt.
pub(crate) fn with_contexts(rows: &[Row], prompt: Option<&Row>, contexts: &Messages) -> Messages {
    let mut messages = rows::messages(rows);
    let place = rows.iter().rposition(|row| Some(row) == prompt).unwrap_or(rows.len().saturating_sub(1));
    let behind = messages.split_off(place);
    messages.extend(contexts.iter().cloned());
    messages.extend(behind);
    messages
}
