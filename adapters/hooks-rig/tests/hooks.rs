//! The hooks of the tests.

use std::sync::atomic::{AtomicUsize, Ordering};

use hook_sdk::data::{Block, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use serde_json::json;

pub(crate) static ENDS: AtomicUsize = AtomicUsize::new(0);

#[hook(id = "judge", kind = before_tool_call)]
fn judge(mut input: ToolInput) -> Result<(ToolInput, Permission), Halt> {
    let verdict = match input["text"].as_str() {
        Some("deny") => Permission::deny("no"),
        Some("panic") => panic!("the guard has broken"),
        Some("ask") => Permission::ask("may I?"),
        Some("defer") => Permission::defer("later?"),
        Some("answer") => Permission::answer(ToolResult::new("known")),
        Some("halt") => return Err(Halt::new("enough")),
        Some("rewrite") => {
            input["text"] = "rewritten".into();
            Permission::Allow
        }
        _ => Permission::NoOpinion,
    };
    Ok((input, verdict))
}

fn masked(text: &str) -> Option<String> {
    text.contains("s3cret").then(|| text.replace("s3cret", "***"))
}

#[hook(id = "mask", kind = after_tool_call_success, on_failure = required)]
fn mask(mut result: ToolResult) -> Result<Option<ToolResult>, String> {
    match &*result.text() {
        "remove" => return Ok(None),
        "fail" => return Err("the mask has broken".to_owned()),
        "context" => result.add_context("and this"),
        "relay" => result.said_by = Some(Role::User),
        _ => {}
    }
    result.rewrite_text(masked);
    Ok(Some(result))
}

#[hook(id = "halts", kind = after_tool_call_success)]
fn halts(_result: &ToolResult) -> Result<(), Halt> {
    Err(Halt::new("seen enough"))
}

#[hook(id = "failure", kind = after_tool_call_failure)]
fn failure(result: &mut ToolResult) {
    result.rewrite_text(|_| Some("mended".to_owned()));
}

#[hook(id = "row", kind = before_create_message, on_failure = required)]
fn row(row: &mut Message) {
    row.rewrite_text(|text| text.contains("s3cret").then(|| text.replace("s3cret", "+++")));
}

#[hook(id = "answers_for_the_model", kind = pre_model_call, call_site = "main")]
fn answers_for_the_model(request: &mut ModelRequest) {
    request.answer = Some(vec!["from a cache".into()]);
}

#[hook(id = "routes", kind = pre_model_call)]
fn routes(request: &mut ModelRequest) {
    request.profile = Some("big".to_owned());
}

#[hook(id = "request", kind = pre_model_call)]
fn request(request: &mut ModelRequest) {
    request.system_prompt.push_str(" Be brief.");
    (request.temperature, request.max_tokens, request.tools) = (Some(0.5), Some(9), Some(vec![]));
}

#[hook(id = "history", kind = prefilter_llm_history)]
fn history(messages: &mut Messages) {
    messages.retain(|message| message.text() != "drop me");
    for message in messages.iter_mut() {
        message.rewrite_text(masked);
    }
}

#[hook(id = "draws", kind = prefilter_llm_history)]
fn draws(messages: &mut Messages) {
    messages.push(Message::of(Role::User, vec![Block::Other(json!({"type": "hologram", "beam": 7}))]));
}

#[hook(id = "blocks_the_prompt", kind = user_prompt_submit)]
fn blocks_the_prompt() -> PromptVerdict {
    PromptVerdict::block("not today")
}

#[hook(id = "rewrites_the_prompt", kind = user_prompt_submit)]
fn rewrites_the_prompt(messages: &mut Messages) -> PromptVerdict {
    if let Some(last) = messages.last_mut() {
        last.rewrite_text(|text| Some(format!("{text}!")));
    }
    PromptVerdict::context("it is Monday")
}

#[hook(id = "rewrites_the_past", kind = user_prompt_submit)]
fn rewrites_the_past(messages: &mut Messages) {
    messages[0].rewrite_text(|_| Some("it never was".to_owned()));
}

#[hook(id = "removes_the_prompt", kind = user_prompt_submit)]
fn removes_the_prompt(messages: &mut Messages) {
    messages.pop();
}

#[hook(id = "reply", kind = post_model_call)]
fn reply(reply: &mut ModelReply) -> ReplyVerdict {
    let bad = reply.content.iter().any(|block| block.as_text() == Some("bad"));
    for block in &mut reply.content {
        if let Block::Text(text) = block {
            text.text = masked(&text.text).unwrap_or_else(|| text.text.clone());
        }
    }
    if bad { ReplyVerdict::Continue } else { ReplyVerdict::default() }
}

#[hook(id = "stop", kind = stop)]
fn stop(event: &Stop) -> StopVerdict {
    match event.last_message.as_ref().map(|message| message.text().into_owned()).as_deref() {
        Some("half") => StopVerdict::continue_with("and the rest?"),
        Some(text) if text.contains("secret") => StopVerdict::block("that is private"),
        _ => StopVerdict::default(),
    }
}

#[hook(id = "stream", kind = stream_delta)]
fn stream(window: &mut String) -> Permission {
    if let Some(left) = masked(window) {
        *window = left;
    }
    if window == "forbidden" { Permission::deny("not that") } else { Permission::NoOpinion }
}

#[hook(id = "ends", kind = turn_end)]
fn ends() {
    ENDS.fetch_add(1, Ordering::Relaxed);
}

#[hook(id = "drops_calls", kind = post_model_call)]
fn drops_calls(reply: &mut ModelReply) {
    reply.content = vec!["I would rather not".into()];
}
