//! Checks a JSON answer against its event: unknown keys are ignored, wrong types are errors.

use serde_json::Value;

use super::stdout::says_nothing;
use crate::answer::{Answer, Fields, RuleDecision};
use crate::event::{Audience, DecisionForm, Event, FieldEffect};
use crate::formats::json;
use crate::json_type::json_type_name;

/// Whether a text is an object with a field of an answer.
pub(super) fn looks_like_an_answer(text: &str) -> bool {
    json::<Fields>(text.trim()).is_ok_and(|object| {
        ["decision", "permissionDecision", "hookSpecificOutput"].iter().any(|key| object.contains_key(*key))
    })
}

/// Parses an answer. The error describes the mistake.
pub(super) fn read(event: Event, object: &Fields) -> Result<Answer, String> {
    let spec = event.spec();
    let mut answer = Answer::default();
    let goes_on = flag(object, "continue")?.unwrap_or(true);
    let stop_reason = text(object, "stopReason")?.unwrap_or_default();
    // Accepted, without an effect in this dialect.
    flag(object, "suppressOutput")?;
    let message = text(object, "systemMessage")?;
    if let Some(sequence) = text(object, "terminalSequence")? {
        answer.members.insert("terminalSequence".to_owned(), sequence.into());
    }
    let reason = text(object, "reason")?.unwrap_or_default();
    let decision = text(object, "decision")?;
    if let Some(word) = decision.as_deref().filter(|word| !matches!(*word, "approve" | "block")) {
        return Err(format!("`decision` is `approve` or `block`, not `{word}`"));
    }
    let output = match object.get("hookSpecificOutput") {
        None | Some(Value::Null) => None,
        Some(Value::Object(output)) => Some(output),
        Some(other) => return Err(format!("`hookSpecificOutput` is an object, not {}", json_type_name(other))),
    };

    if !goes_on {
        match spec.stop {
            FieldEffect::Counts => answer.stop = Some(stop_reason),
            _ => answer.remarks.push(format!("`continue` has no power at {event}")),
        }
    }
    if let Some(message) = message {
        match spec.message {
            Audience::Person | Audience::NotStated => answer.messages.push(message),
            Audience::Model => answer.for_the_model.push(message),
            Audience::Nobody => answer.remarks.push(format!("nobody sees the `systemMessage` of {event}")),
        }
    }
    match (spec.decision, decision.as_deref()) {
        (_, None) => {}
        (DecisionForm::Permission | DecisionForm::Block, Some("block")) => answer.exit2(event, &reason),
        (DecisionForm::Permission, _) => answer.decision = RuleDecision::Allow(reason),
        // The older spelling of "no objection".
        (DecisionForm::Block, _) => {}
        (_, Some(word)) => answer.remarks.push(format!("`decision` has no power at {event}; `{word}` was dropped")),
    }
    if let Some(output) = output {
        specific(event, output, &mut answer)?;
    }
    misplaced(event, object, &mut answer);
    // A script that echoes its input did not mean it as an answer.
    if says_nothing(object) && !object.contains_key("hook_event_name") && answer.remarks.is_empty() {
        let keys = object.keys().take(5).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        answer.remarks.push(format!("the answer has {keys} and nothing that has an effect here; it decides nothing"));
    }
    Ok(answer)
}

/// `hookSpecificOutput`.
fn specific(event: Event, output: &Fields, answer: &mut Answer) -> Result<(), String> {
    let name = text(output, "hookEventName")?.ok_or("`hookSpecificOutput` needs `hookEventName`")?;
    match Event::named(&name).map(|named| (named, named.spec().output)) {
        None | Some((_, None)) => return Err(format!("`{name}` has no `hookSpecificOutput`")),
        Some((named, _)) if named != event => {
            return Err(format!("`hookEventName` is `{name}`, and this is `{event}`"));
        }
        Some(_) => {}
    }
    if let Some(word) = text(output, "permissionDecision")? {
        let why = text(output, "permissionDecisionReason")?.unwrap_or_default();
        let decision = match word.as_str() {
            "allow" => RuleDecision::Allow(why),
            "deny" => RuleDecision::Deny(why),
            "ask" => RuleDecision::Ask(why),
            "defer" if event == Event::PreToolUse => RuleDecision::Defer(why),
            _ => return Err(format!("`permissionDecision` is `allow`, `deny`, `ask` or `defer`, not `{word}`")),
        };
        match event.spec().decision {
            // It takes precedence over the older `decision`.
            DecisionForm::Permission => answer.decision = decision,
            _ => answer.remarks.push(format!("`permissionDecision` has no power at {event}")),
        }
    }
    let deferred = matches!(answer.decision, RuleDecision::Defer(_));
    if let Some(context) = text(output, "additionalContext")?.filter(|context| !context.trim().is_empty()) {
        match event {
            Event::Notification | Event::Setup => answer.remarks.push(format!("the context of {event} is dropped")),
            // Context continues the turn, like a block.
            Event::Stop | Event::SubagentStop if answer.decision == RuleDecision::None => {
                answer.decision = RuleDecision::Continue(context);
            }
            _ if deferred => answer.remarks.push("`additionalContext` is ignored together with `defer`".to_owned()),
            _ => answer.contexts.push(context),
        }
    }
    match output.get("updatedInput") {
        None | Some(Value::Null) => {}
        Some(_) if deferred => answer.remarks.push("`updatedInput` is ignored together with `defer`".to_owned()),
        Some(input @ Value::Object(_)) if event == Event::PreToolUse => {
            answer.updated_input = Some(input.clone());
            let reason = text(output, "permissionDecisionReason")?;
            answer.input_reason = reason.filter(|reason| !reason.trim().is_empty());
        }
        Some(Value::Object(_)) => answer.remarks.push(format!("`updatedInput` has no power at {event}")),
        Some(other) => return Err(format!("`updatedInput` is an object, not {}", json_type_name(other))),
    }
    if event == Event::PostToolUse {
        let output = output.get("updatedToolOutput").or_else(|| output.get("updatedMCPToolOutput"));
        answer.updated_output = output.filter(|output| !output.is_null()).cloned();
    }
    if event == Event::PermissionRequest {
        permission_request(output, answer)?;
    }
    members(event, output, answer)
}

/// `decision: {behavior, message?, updatedInput?}`.
fn permission_request(output: &Fields, answer: &mut Answer) -> Result<(), String> {
    let Some(Value::Object(decision)) = output.get("decision") else {
        return Err("`hookSpecificOutput` of PermissionRequest needs `decision`, an object with `behavior`".to_owned());
    };
    let message = text(decision, "message")?.unwrap_or_default();
    answer.decision = match text(decision, "behavior")?.as_deref() {
        Some("allow") => RuleDecision::Allow(message),
        Some("deny") => RuleDecision::Deny(message),
        _ => return Err("`behavior` is `allow` or `deny`".to_owned()),
    };
    answer.updated_input = decision.get("updatedInput").filter(|input| input.is_object()).cloned();
    answer.input_reason = answer.decision.reason().filter(|reason| !reason.trim().is_empty()).map(str::to_owned);
    if flag(decision, "interrupt")? == Some(true) {
        answer.stop = Some(String::new());
    }
    Ok(())
}

/// The other members that the event supports, with their types.
fn members(event: Event, output: &Fields, answer: &mut Answer) -> Result<(), String> {
    const READ: &[&str] = &[
        "permissionDecision",
        "permissionDecisionReason",
        "additionalContext",
        "updatedInput",
        "updatedToolOutput",
        "updatedMCPToolOutput",
        "decision",
    ];
    for name in event.spec().output.unwrap_or_default().iter().filter(|name| !READ.contains(name)) {
        let Some(value) = output.get(*name).filter(|value| !value.is_null()) else { continue };
        let fits = match *name {
            "retry" | "suppressOriginalPrompt" | "reloadSkills" => value.is_boolean(),
            "watchPaths" => value.as_array().is_some_and(|paths| paths.iter().all(Value::is_string)),
            "content" => value.is_object(),
            "action" => value.as_str().is_some_and(|word| ["accept", "decline", "cancel"].contains(&word)),
            _ => value.is_string(),
        };
        if !fits {
            return Err(format!("`{name}` cannot be {}", json_type_name(value)));
        }
        answer.members.insert((*name).to_owned(), value.clone());
    }
    Ok(())
}

/// Warns about misplaced keys.
fn misplaced(event: Event, object: &Fields, answer: &mut Answer) {
    let output = object.get("hookSpecificOutput").and_then(Value::as_object);
    for key in ["systemMessage", "continue", "stopReason", "reason"] {
        if output.is_some_and(|output| output.contains_key(key)) {
            answer.remarks.push(format!("`{key}` is in `hookSpecificOutput`; write it at the top"));
        }
    }
    for key in ["permissionDecision", "permissionDecisionReason", "additionalContext", "updatedInput"] {
        if object.contains_key(key) {
            let help = format!(
                "`{key}` is at the top; write `{{\"hookSpecificOutput\": {{\"hookEventName\": \"{event}\", …}}}}`"
            );
            answer.remarks.push(help);
        }
    }
}

fn text(object: &Fields, name: &str) -> Result<Option<String>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{name}` is a string, not {}", json_type_name(other))),
    }
}

fn flag(object: &Fields, name: &str) -> Result<Option<bool>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(other) => Err(format!("`{name}` is true or false, not {}", json_type_name(other))),
    }
}
