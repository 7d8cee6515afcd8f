//! The call in a payload of Cline, from either engine.

use serde_json::{Map, Value, json};

use super::super::nested;
use crate::json;
use crate::place::quoted;

/// Arguments that are lists.
const LISTS: &[&str] = &["commands", "files", "queries", "requests"];

/// Puts the call of either engine into one place. A line that was joined from its words cannot be written back.
pub(super) fn arrange(_event: &str, payload: &mut Value) -> Result<bool, String> {
    let Some(mut call) = arranged(payload)? else { return Ok(true) };
    let is_shell = call["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case("run_commands"));
    let is_joined = is_shell && typed(&mut call["input"]);
    payload["call"] = call;
    Ok(!is_joined)
}

/// `{name, id?, input, result?, error?}`.
fn arranged(payload: &Value) -> Result<Option<Value>, String> {
    if let Some(call) = payload.get("tool_call").or_else(|| payload.get("tool_result")) {
        let name = call.get("name").cloned().unwrap_or(Value::Null);
        // Without arguments of its own, the call is judged by those that stand beside it for show.
        let of_call = call.get("input").filter(|input| !input.is_null());
        let shown = || payload.pointer("/preToolUse/parameters").filter(|shown| shown.is_object());
        let input = of_call.or_else(shown).unwrap_or(&Value::Null);
        return Ok(Some(json!({
            "name": name, "id": call.get("id"), "input": input, "result": call.get("output"), "error": call.get("error"),
        })));
    }
    let Some(call) = payload.get("preToolUse").or_else(|| payload.get("postToolUse")) else { return Ok(None) };
    let name = call.get("toolName").and_then(Value::as_str).unwrap_or_default();
    let none = json!({});
    let Value::Object(parameters) = call.get("parameters").unwrap_or(&none) else {
        return Err("the parameters of the call are not an object".to_owned());
    };
    let failed = call.get("success") == Some(&Value::Bool(false));
    let result = call.get("result").cloned().unwrap_or(Value::Null);
    let error = if failed { result.clone() } else { Value::Null };
    if name == "use_mcp_tool" {
        let text = |key: &str| parameters.get(key).and_then(Value::as_str).unwrap_or_default();
        let input = match text("arguments") {
            "" => json!({}),
            arguments => {
                json::parse(arguments.as_bytes()).map_err(|problem| format!("the text of the arguments {problem}"))?
            }
        };
        let name = format!("{}__{}", text("server_name"), text("tool_name"));
        return Ok(Some(json!({ "name": name, "input": input, "result": result, "error": error })));
    }
    let is_mcp = nested::separated(name, payload).is_some();
    let input = parameters.iter().map(|(key, value)| Ok((key.clone(), parameter(is_mcp, key, value)?)));
    let input = input.collect::<Result<Map<String, Value>, String>>()?;
    Ok(Some(json!({ "name": name, "input": input, "result": result, "error": error })))
}

/// The parameters of the extension are texts: those of lists are JSON, and so are lists and objects for MCP tools.
fn parameter(is_mcp: bool, key: &str, value: &Value) -> Result<Value, String> {
    let Some(text) = value.as_str() else { return Ok(value.clone()) };
    let is_list = !is_mcp && LISTS.contains(&key);
    let looks = text.trim_start().starts_with(['[', '{']);
    if !(is_mcp || is_list) || !looks {
        return Ok(if is_list { json!([text]) } else { value.clone() });
    }
    match json::parse(text.as_bytes()) {
        Ok(object @ Value::Object(_)) if is_list => Ok(json!([object])),
        Ok(parsed) => Ok(parsed),
        Err(_) if is_mcp => Ok(value.clone()),
        Err(problem) => Err(format!("the text of `{key}` {problem}")),
    }
}

/// The shell takes `{commands}`, `{command}`, `{command, args}`, a text and a list. Whether words were joined.
fn typed(input: &mut Value) -> bool {
    *input = match input.take() {
        Value::String(text) => json!({ "commands": [text] }),
        Value::Array(list) => json!({ "commands": list }),
        other => other,
    };
    if let Some(text) = input.get("commands").filter(|commands| commands.is_string() || commands.is_object()) {
        // A list may come as its text.
        let list = text.as_str().and_then(|text| json::parse(text.as_bytes()).ok()).filter(Value::is_array);
        input["commands"] = list.unwrap_or_else(|| json!([text]));
    }
    let mut is_joined = joined(input);
    for call in input.get_mut("commands").and_then(Value::as_array_mut).into_iter().flatten() {
        is_joined |= joined(call);
    }
    is_joined
}

/// Makes `{command, args}` the line that runs, if it is that.
fn joined(call: &mut Value) -> bool {
    let text = call.get("args").and_then(Value::as_str).and_then(|text| json::parse(text.as_bytes()).ok());
    let quoted = |value: &Value| match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    };
    let args: Vec<String> = match text.as_ref().or_else(|| call.get("args")) {
        Some(Value::Array(list)) => list.iter().map(quoted).collect(),
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Null) | None => return false,
        Some(other) => vec![other.to_string()],
    };
    let key = if call.get("command").is_some() { "command" } else { "cmd" };
    let Some(command) = call.get(key).and_then(Value::as_str) else { return false };
    // What stands beside it may run too, so it stays.
    call[key] = std::iter::once(command).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ").into();
    call.as_object_mut().is_some_and(|call| call.remove("args").is_some())
}
