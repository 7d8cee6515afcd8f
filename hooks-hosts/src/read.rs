//! From the payload of a host to an event.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::event::{HostEvent, HostTool, PayloadKeys};
use crate::host::Host;
use crate::json;
use crate::table::{HookPoint, HostEventSpec};
use crate::tool;

/// Why a payload has no event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PayloadError {
    /// What is wrong.
    pub reason: String,
    /// The event, if at least that is known.
    pub event: Option<(HookPoint, &'static str)>,
}

/// Reads what a host has written. `named` is the event's name if somebody knows it; the payload must not name one of another kind.
///
/// # Errors
/// [`PayloadError`], which a gate has to refuse.
pub fn read(host: &Host, named: Option<&str>, stdin: &[u8]) -> Result<HostEvent, PayloadError> {
    let known = |name: &str| {
        let unknown = || format!("{} has no event `{name}` that this program knows", host.title);
        host.event(name).ok_or_else(|| PayloadError { reason: unknown(), event: None })
    };
    let spec = named.map(known).transpose()?;
    let unread = |reason: String| PayloadError { reason, event: spec.map(|spec| (spec.kind, spec.name)) };
    let payload = json::parse(stdin).map_err(|problem| unread(format!("the payload {problem}")))?;
    if !payload.is_object() {
        return Err(unread("the payload is not an object".to_owned()));
    }
    let spec = match spec {
        Some(spec) => {
            // A call at the wrong event would judge something else than what happens.
            match json::text(&payload, host.keys.event).and_then(|name| host.event(name)) {
                Some(shown) if shown.kind != spec.kind => {
                    let reason =
                        format!("the payload is that of `{}`, and the command names `{}`", shown.name, spec.name);
                    // Nobody knows for which the host waits, so it is refused as the one that can be.
                    let waits = |spec: &HostEventSpec| spec.kind.is_gate() || spec.kind.is_after_tool();
                    let event = match (waits(&shown), waits(&spec)) {
                        (true, true) => None,
                        (false, true) => Some(spec),
                        (_, false) => Some(shown),
                    };
                    return Err(PayloadError { reason, event: event.map(|spec| (spec.kind, spec.name)) });
                }
                _ => spec,
            }
        }
        None => match host.event_name(&payload) {
            Some(name) => known(name)?,
            None => return Err(unread("the payload names no event; call this program with `--event`".to_owned())),
        },
    };
    let of_event = |reason| PayloadError { reason, event: Some((spec.kind, spec.name)) };
    event(host, &spec, payload).map_err(of_event)
}

fn event(host: &Host, spec: &HostEventSpec, mut payload: Value) -> Result<HostEvent, String> {
    let keys = &host.keys;
    let mut event = HostEvent::named(host.name, spec.kind, spec.name);
    event.writable = (host.arrange)(spec.name, &mut payload)?;
    let text = |pointers: &[&str]| json::text(&payload, pointers).map(str::to_owned);
    event.session = text(keys.session);
    event.cwd = text(keys.cwd);
    event.project = text(keys.project);
    if spec.kind != HookPoint::Notice {
        event.prompt = text(keys.prompt);
        event.last_message = text(keys.last_message);
        event.stop_hook_active = json::at(&payload, keys.stop_hook_active).and_then(Value::as_bool);
        let detail = |(name, pointer): &(&str, &str)| Some(((*name).to_owned(), payload.pointer(pointer)?.clone()));
        event.details = keys.details.iter().filter_map(detail).collect();
        read_call(host, spec, &payload, &mut event)?;
    }
    if spec.kind == HookPoint::UserPromptSubmit {
        // The first that is there counts: one of another type must not give its place to the next.
        let sent = json::at(&payload, keys.prompt);
        if sent.is_none_or(|prompt| !prompt.is_string()) {
            return Err("the payload shows no prompt".to_owned());
        }
        event.prompt.get_or_insert_default();
    }
    event.payload = payload;
    (host.complete)(&mut event);
    if event.kind.is_after_tool() && event.error.is_some() {
        event.kind = HookPoint::AfterToolCallFailure;
    }
    Ok(event)
}

fn read_call(host: &Host, spec: &HostEventSpec, payload: &Value, event: &mut HostEvent) -> Result<(), String> {
    let keys = &host.keys;
    let is_before = matches!(spec.kind, HookPoint::BeforeToolCall | HookPoint::PermissionRequest);
    if !is_before && !spec.kind.is_after_tool() {
        return Ok(());
    }
    // Which of them the host runs, nobody knows.
    if is_before && (json::differ(payload, keys.tool) || json::differ(payload, keys.input)) {
        return Err("the payload shows two calls under two spellings of a key".to_owned());
    }
    event.tool_use_id = json::text(payload, keys.call).map(str::to_owned);
    event.own_id = own_id();
    if spec.kind.is_after_tool() {
        event.result = json::at(payload, keys.result).cloned();
        event.error = json::at(payload, keys.error).map(shown).filter(|error| !error.is_empty());
        if spec.kind == HookPoint::AfterToolCallFailure {
            event.error.get_or_insert_default();
        }
    }
    let Some(name) =
        json::at(payload, keys.tool).and_then(Value::as_str).filter(|name| !name.is_empty() && !name.contains('\0'))
    else {
        // After a call, nothing is decided by the name.
        return if is_before { Err("the payload names no tool".to_owned()) } else { Ok(()) };
    };
    let input = arguments(keys, payload);
    let mcp = host.mcp.and_then(|mcp| mcp(name, payload));
    let by_table =
        if mcp.is_none() { input.as_ref().ok().and_then(|input| tool::spec(host, name, input)) } else { None };
    let of_server = mcp.as_ref().and_then(|mcp| Some(format!("mcp__{}__{}", mcp.server.as_ref()?, mcp.tool)));
    let canonical =
        by_table.as_ref().map(|spec| spec.canonical.to_owned()).or(of_server).unwrap_or_else(|| name.to_owned());
    event.tool = Some(HostTool { host: name.to_owned(), canonical, mcp });
    match input {
        Ok(input) => event.input = Some(input),
        Err(problem) if is_before => return Err(problem),
        Err(_) => event.writable = false,
    }
    if let Some(spec) = by_table {
        tool::canonical(event, &spec);
    }
    Ok(())
}

/// The call's own id, in this process and in others.
fn own_id() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("call-{now:x}-{:x}-{:x}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}

/// The arguments of a call: an object, or its text.
fn arguments(keys: &PayloadKeys, payload: &Value) -> Result<Value, String> {
    match json::at(payload, keys.input) {
        None => Ok(Value::Object(Map::new())),
        Some(value @ Value::Object(_)) => Ok(value.clone()),
        Some(Value::String(text)) if keys.input_is_text => match json::parse(text.as_bytes()) {
            Ok(value @ Value::Object(_)) => Ok(value),
            Ok(_) => Err("the arguments of the call are not an object".to_owned()),
            Err(problem) => Err(format!("the text of the arguments {problem}")),
        },
        Some(_) => Err("the arguments of the call are not an object".to_owned()),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => json::text(other, &["/message"]).map_or_else(|| other.to_string(), str::to_owned),
    }
}
