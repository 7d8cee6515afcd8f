//! How each host takes an answer before a call, written from its contract and not from this crate's code.

use hooks_hosts::{HostAnswer, Stdout};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Taken {
    Denied,
    Asked,
    Allowed,
    /// As without a hook.
    Unheard,
}

/// What the host does with the call, and the arguments that it then uses if they are others.
pub(crate) fn taken(host: &str, event: &str, sent: &Value, answer: &HostAnswer) -> (Taken, Option<Value>) {
    let denied_by_status = answer.exit == 2 && answer.stderr.as_ref().is_some_and(|text| !text.is_empty());
    let said = match &answer.stdout {
        Stdout::Json(value) => value.clone(),
        _ if denied_by_status && host != "antigravity" && host != "cline" => return (Taken::Denied, None),
        _ => return (Taken::Unheard, None),
    };
    let text = |pointer: &str| said.pointer(pointer).and_then(Value::as_str);
    let value = |pointer: &str| said.pointer(pointer).cloned();
    let word = |word: Option<&str>| match word {
        Some("deny" | "block") => Taken::Denied,
        Some("ask" | "force_ask") => Taken::Asked,
        Some("allow") => Taken::Allowed,
        _ => Taken::Unheard,
    };
    let nested = || (word(text("/hookSpecificOutput/permissionDecision")), value("/hookSpecificOutput/updatedInput"));
    let is_request = event.eq_ignore_ascii_case("permissionRequest");
    match host {
        "claude" | "qwen" if is_request => {
            (word(text("/hookSpecificOutput/decision/behavior")), value("/hookSpecificOutput/decision/updatedInput"))
        }
        "claude" | "vscode" | "qwen" | "droid" => nested(),
        "codex" if is_request => {
            let known =
                value("/hookSpecificOutput/decision").is_none_or(|decision| decision.get("updatedInput").is_none());
            (if known { word(text("/hookSpecificOutput/decision/behavior")) } else { Taken::Denied }, None)
        }
        // Anything that Codex does not support fails the run, and the call goes on.
        "codex" => match nested() {
            (Taken::Denied, None)
                if text("/hookSpecificOutput/permissionDecisionReason").is_some_and(|r| !r.is_empty()) =>
            {
                (Taken::Denied, None)
            }
            (Taken::Allowed, Some(input)) => (Taken::Allowed, Some(input)),
            _ => (Taken::Unheard, None),
        },
        "copilot" if is_request => (word(text("/behavior")), None),
        "copilot" => (word(text("/permissionDecision")), value("/modifiedArgs")),
        "gemini" => {
            let taken = word(text("/decision"));
            (if taken == Taken::Allowed { Taken::Unheard } else { taken }, value("/hookSpecificOutput/tool_input"))
        }
        "antigravity" => {
            let merged = value("/overwrite").map(|overwrite| {
                let mut merged = sent.clone();
                for (key, value) in overwrite.as_object().into_iter().flatten() {
                    merged[key] = value.clone();
                }
                merged
            });
            match word(text("/decision")) {
                Taken::Allowed => (Taken::Unheard, merged),
                other => (other, merged),
            }
        }
        "cursor" => {
            let taken = match word(text("/permission")) {
                Taken::Asked => Taken::Unheard,
                other => other,
            };
            (taken, value("/updated_input").filter(|_| event == "preToolUse"))
        }
        "kiro" if event.starts_with('P') => (word(text("/hookSpecificOutput/permissionDecision")), None),
        "kiro" | "windsurf" => (Taken::Unheard, None),
        "goose" => (if text("/decision") == Some("block") { Taken::Denied } else { Taken::Unheard }, None),
        "cline" if said["cancel"] == true => (Taken::Denied, None),
        "cline" => (Taken::Unheard, value("/overrideInput").filter(|_| event == "tool_call")),
        other => panic!("no contract of {other}"),
    }
}

/// What of an answer a host would not accept at all.
pub(crate) fn malformed(host: &str, event: &str, answer: &HostAnswer) -> Option<String> {
    let Stdout::Json(said) = &answer.stdout else {
        let silent_closes = host == "goose" && (event == "PreToolUse" || event == "Stop");
        return silent_closes.then(|| "nothing said".to_owned());
    };
    let Some(map) = said.as_object() else { return Some("not an object".to_owned()) };
    let known: &[&str] = match host {
        "codex" => {
            &["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"]
        }
        "goose" if map.is_empty() => return Some("an empty object".to_owned()),
        "cursor" => &[
            "permission",
            "user_message",
            "agent_message",
            "updated_input",
            "continue",
            "additional_context",
            "updated_mcp_tool_output",
            "followup_message",
            "env",
        ],
        _ => return None,
    };
    map.keys().find(|key| !known.contains(&key.as_str())).map(|key| format!("the key `{key}`"))
}
