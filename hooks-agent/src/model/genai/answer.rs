//! Converts answers of `genai`.

use ::genai::chat::{ContentPart, MessageContent, StreamEnd};
use hook_sdk::data::{Block, ToolCall, ToolInput, Usage};
use serde_json::{Map, Value, json};

use crate::model::{MAX_TOKENS, ModelAnswer};

/// The field of a call that keeps the provider's signature, which has to be sent back.
pub(super) const SIGNATURES: &str = "thought_signatures";

pub(super) fn of(end: StreamEnd, model: &str) -> ModelAnswer {
    let parts = end.captured_content.map(MessageContent::into_parts).unwrap_or_default();
    let mut content = blocks(parts, model);
    // Providers without signatures return the thinking separately from the content.
    if !content.iter().any(|block| matches!(block, Block::Other(_))) {
        let thought = end.captured_reasoning_content.filter(|text| !text.is_empty());
        content.splice(..0, thought.map(|text| thinking(Some(text), None, model)));
    }
    let mut answer = ModelAnswer::new(content);
    if let Some(reason) = end.captured_stop_reason {
        let word = if reason.is_max_tokens() { MAX_TOKENS } else { reason.raw() };
        word.clone_into(&mut answer.stop_reason);
    }
    model.clone_into(&mut answer.model);
    answer.usage = end.captured_usage.as_ref().and_then(usage);
    answer
}

/// The token usage. `None` if the provider reports none.
fn usage(reported: &::genai::chat::Usage) -> Option<Usage> {
    let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
    let cache = reported.prompt_tokens_details.as_ref();
    let (input, output) = (tokens(reported.prompt_tokens), tokens(reported.completion_tokens));
    if input.is_none() && output.is_none() {
        return None;
    }
    let usage = Usage::new(input.unwrap_or_default(), output.unwrap_or_default())
        .cache_read(cache.and_then(|cache| tokens(cache.cached_tokens)).unwrap_or_default())
        .cache_write(cache.and_then(|cache| tokens(cache.cache_creation_tokens)).unwrap_or_default());
    Some(usage)
}

fn blocks(parts: Vec<ContentPart>, model: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut parts = parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            ContentPart::Text(text) if !text.is_empty() => blocks.push(Block::from(text)),
            ContentPart::ReasoningContent(text) => blocks.push(thinking(Some(text), None, model)),
            // A signature precedes the content that it signs.
            ContentPart::ThoughtSignature(signature) => {
                let text = parts.next_if(|part| matches!(part, ContentPart::ReasoningContent(_)));
                let text = text.and_then(|part| part.as_reasoning_content().map(str::to_owned));
                blocks.push(thinking(text, Some(signature), model));
            }
            // If a provider does not count calls from 0, `genai` fills the gap with copies of a call.
            ContentPart::ToolCall(call) if parts.clone().any(|later| is_copy(&call, &later)) => {}
            ContentPart::ToolCall(call) => blocks.push(Block::ToolUse(tool_call(call))),
            _ => {}
        }
    }
    blocks
}

/// Whether `call` is an early copy of `later`.
fn is_copy(call: &::genai::chat::ToolCall, later: &ContentPart) -> bool {
    let empty = call.fn_arguments.as_str() == Some("");
    later.as_tool_call().is_some_and(|later| {
        let same = call.call_id == later.call_id && call.fn_name == later.fn_name;
        same && (empty || call.fn_arguments == later.fn_arguments)
    })
}

fn tool_call(call: ::genai::chat::ToolCall) -> ToolCall {
    let input = match call.fn_arguments {
        // Tools without parameters are often called without an input.
        Value::Null => json!({}).into(),
        Value::String(text) if text.trim().is_empty() => json!({}).into(),
        // The text was not valid JSON.
        Value::String(text) => ToolInput::parse(text),
        value => value.into(),
    };
    let mut made = ToolCall::new(call.call_id, call.fn_name, input);
    if let Some(signatures) = call.thought_signatures {
        made.extra.insert(SIGNATURES.to_owned(), signatures.into());
    }
    made
}

/// A thinking block in Anthropic's format, plus the name of the model: other models cannot read it, or reject it.
fn thinking(text: Option<String>, signature: Option<String>, model: &str) -> Block {
    let mut block = Map::new();
    block.insert("type".to_owned(), "thinking".into());
    block.insert("thinking".to_owned(), text.unwrap_or_default().into());
    block.extend(signature.map(|signature| ("signature".to_owned(), signature.into())));
    block.insert("model".to_owned(), model.into());
    Block::Other(block.into())
}
