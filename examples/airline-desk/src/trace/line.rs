use hook_sdk::HookId;
use hook_sdk::data::{Block, Message};
use hook_sdk::record::{Record, Run, Skip, Status};
use hooks_agent::TurnEvent;

use super::every::is_own;

/// The number of characters of a stored text that are shown.
const SHOWN: usize = 72;
/// The column of the hooks, after most names of kinds.
const COLUMN: usize = 24;

/// The line of a dispatch: its kind, and the hooks that ran. `None` if no hook was selected.
pub(super) fn dispatch(record: &Record) -> Option<String> {
    let meant = |run: &&Run| run.status != Status::Skipped(Skip::Filter);
    let mut runs = record.runs.iter().filter(meant).peekable();
    runs.peek()?;
    let hooks: Vec<String> = runs.filter(|run| !is_own(&run.hook)).map(hook).collect();
    Some(format!("{:COLUMN$} {}", record.kind, hooks.join(" · ")).trim_end().to_owned())
}

/// The description of a hook's run.
fn hook(run: &Run) -> String {
    let mut parts = vec![run.hook.to_string()];
    if run.status != Status::Completed {
        parts.push(run.status.to_string());
    }
    if run.changed {
        parts.push("changed".to_owned());
    }
    parts.extend(run.verdict.map(|word| format!("→ {word}")));
    parts.join(" ")
}

/// The line of an event, if it has one.
pub(super) fn event(event: &TurnEvent) -> Option<String> {
    Some(match event {
        TurnEvent::Stored(message) => format!("+ {}: {}", message.role, said(message)),
        TurnEvent::Prepared { left_out, .. } if *left_out > 0 => {
            format!("~ messages left out of what the model reads: {left_out}")
        }
        TurnEvent::ModelCalled { profile, messages, .. } => format!("> model `{profile}` reads {messages} messages"),
        TurnEvent::ModelFailed { error, .. } => format!("> the model failed: {error}"),
        TurnEvent::ToolStarted(call) => format!("> tool `{}`", call.name),
        TurnEvent::ToolRetrying { call, error, .. } => format!("> tool `{}` runs again: {error}", call.name),
        TurnEvent::ToolFinished { call, .. } => format!("> tool `{}` is not run", call.name),
        TurnEvent::Blocked { by, reason, .. } => format!("~ blocked{}: {reason}", by_hook(by.as_ref())),
        TurnEvent::Stopped { by, reason, .. } => format!("~ stopped{}: {reason}", by_hook(by.as_ref())),
        TurnEvent::Compacted { messages, .. } => format!("~ compacted to {messages} messages"),
        TurnEvent::Stop { effect, by, .. } => format!("~ {}{}", effect.as_str(), by_hook(by.as_ref())),
        TurnEvent::Retrying { error, .. } => format!("> the model is called again: {error}"),
        _ => return None,
    })
}

/// The hook that caused the event, if known.
fn by_hook(by: Option<&HookId>) -> String {
    by.map(|hook| format!(" by {hook}")).unwrap_or_default()
}

/// A stored message in a single line.
fn said(message: &Message) -> String {
    let block = |block: &Block| match block {
        Block::Text(text) if text.text.is_empty() => None,
        Block::Text(text) => Some(text.text.clone()),
        Block::ToolUse(call) => Some(format!("{}({})", call.name, call.input.text())),
        Block::ToolResult(result) => Some(result.content.iter().filter_map(Block::as_text).collect()),
        _ => Some("…".to_owned()),
    };
    let text = message.content.iter().filter_map(block).collect::<Vec<_>>().join(" ");
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let shown: String = chars.by_ref().take(SHOWN).collect();
    match shown.as_str() {
        "" => "nothing".to_owned(),
        _ if chars.next().is_some() => format!("{shown}…"),
        _ => shown,
    }
}
