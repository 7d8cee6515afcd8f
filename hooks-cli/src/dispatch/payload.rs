//! The payload: what a command would get on standard input. Fields that have a default can be left out.

use hooks_rules::Event;
use serde_json::{Map, Value};

/// The fields of a payload, which are taken one by one. Problems are collected and reported together.
pub(super) struct Payload {
    fields: Map<String, Value>,
    /// The fields that are passed to commands unchanged.
    passed: Map<String, Value>,
    known: Vec<&'static str>,
    problems: Vec<String>,
}

/// Fields of the contract that do not affect the dispatch. Commands get them unchanged.
const PASSED: &[&str] = &[
    "prompt_id",
    "effort",
    "scratchpad_dir",
    "mcp_server",
    "duration_ms",
    "is_interrupt",
    "model",
    "session_title",
    "agent_transcript_path",
    "background_tasks",
    "session_crons",
    "seconds_since_last_response",
    "context_tokens",
    "prompt_cache_likely_expired",
    "estimated_cache_write_usd",
    "permission_suggestions",
    "tool_use_id",
];

/// Fields that the dispatch computes: they change from round to round with `--follow`, or are judged.
const MADE: &[&str] = &["hook_event_name", "stop_hook_active", "tool_name", "tool_input"];

/// The names in the enveloped format, `{"event": …, "data": {…}}`.
const ENVELOPED: &[(&str, &str)] = &[
    ("userMessage", "prompt"),
    ("toolName", "tool_name"),
    ("toolInput", "tool_input"),
    ("toolOutput", "tool_response"),
    ("sessionId", "session_id"),
];

impl Payload {
    /// Parses a text. An empty text is a payload without fields.
    ///
    /// # Errors
    /// The problem of the text.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}').trim();
        let value = if text.is_empty() { Value::Object(Map::new()) } else { parse(text)? };
        let Value::Object(fields) = value else {
            return Err("the payload is an object, as in `{\"tool_name\": \"Bash\"}`".to_owned());
        };
        let fields = opened(fields);
        let mut passed = fields.clone();
        passed.retain(|name, _| !MADE.contains(&name.as_str()));
        Ok(Self { fields, passed, known: Vec::new(), problems: Vec::new() })
    }

    /// The fields that commands get unchanged, known or not.
    pub(super) fn passed(&self) -> Map<String, Value> {
        self.passed.clone()
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            other => self.wrong(name, "a string", &other),
        }
    }

    /// A required string.
    pub(super) fn needed(&mut self, name: &'static str, example: &str) -> String {
        let there = self.fields.get(name).is_some_and(|value| !value.is_null());
        let text = self.text(name);
        if !there || text.as_deref() == Some("") {
            let lacks = if there { "empty" } else { "missing" };
            self.problems.push(format!("`{name}` is {lacks}; write `\"{name}\": \"{example}\"`"));
        }
        text.unwrap_or_default()
    }

    /// An object. Empty by default.
    pub(super) fn object(&mut self, name: &'static str) -> Value {
        match self.take(name) {
            None => Value::Object(Map::new()),
            Some(object @ Value::Object(_)) => object,
            Some(other) => self.wrong(name, "an object", &other).unwrap_or_default(),
        }
    }

    pub(super) fn flag(&mut self, name: &'static str) -> bool {
        match self.take(name) {
            None => false,
            Some(Value::Bool(flag)) => flag,
            Some(other) => self.wrong(name, "true or false", &other).unwrap_or_default(),
        }
    }

    /// Any value.
    pub(super) fn value(&mut self, name: &'static str) -> Option<Value> {
        self.take(name)
    }

    /// All remaining fields.
    pub(super) fn rest(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.fields)
    }

    /// The event that the payload names.
    pub(super) fn event(&mut self) -> Option<String> {
        self.text("hook_event_name")
    }

    /// The problems of the fields that were taken.
    pub(super) fn problems(&self) -> &[String] {
        &self.problems
    }

    pub(super) fn problem(&mut self, text: String) {
        self.problems.push(text);
    }

    /// Warnings about the remaining fields, with suggestions.
    pub(super) fn unknown(&self, event: Event) -> Vec<String> {
        let unknown = self.fields.keys().filter(|name| !PASSED.contains(&name.as_str())).map(|name| {
            let near = self.known.iter().map(|known| (strsim::osa_distance(known, name), *known)).min();
            let starts = self.known.iter().find(|known| known.starts_with(name.as_str()) && name.len() > 3);
            let meant = near.filter(|(distance, _)| *distance <= 2).map(|(_, known)| known).or(starts.copied());
            let hint = meant.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
            format!("the payload of {event} has no field `{name}`{hint}")
        });
        unknown.collect()
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    fn wrong<T>(&mut self, name: &str, wanted: &str, found: &Value) -> Option<T> {
        let text = found.to_string();
        let short: String = text.chars().take(40).collect();
        let dots = if short.len() < text.len() { "…" } else { "" };
        self.problems.push(format!("`{name}` is {wanted}, not `{short}{dots}`"));
        None
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| {
        let near = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
        let near: String = near.chars().take(80).collect();
        format!("the payload is not JSON: {error}\n  in: {near}\n  write it as in `echo '{{\"tool_name\": \"Bash\"}}' | hooks dispatch …`")
    })
}

/// Converts the enveloped format to the flat one.
fn opened(mut fields: Map<String, Value>) -> Map<String, Value> {
    let is_envelope = fields.len() == 2 && fields.get("event").is_some_and(Value::is_string);
    if !is_envelope || !fields.get("data").is_some_and(Value::is_object) {
        return fields;
    }
    let (Some(event), Some(Value::Object(data))) = (fields.remove("event"), fields.remove("data")) else {
        return fields;
    };
    let renamed = data.into_iter().map(|(name, value)| {
        let flat = ENVELOPED.iter().find(|(enveloped, _)| *enveloped == name).map(|(_, flat)| (*flat).to_owned());
        (flat.unwrap_or(name), value)
    });
    renamed.chain([("hook_event_name".to_owned(), event)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_of_a_payload_are_reported_at_once() {
        let mut payload = Payload::read(r#"{"session_id": 5, "tool": "Bash", "stop_hook_active": "yes"}"#).unwrap();
        payload.text("session_id");
        payload.needed("tool_name", "Bash");
        payload.flag("stop_hook_active");
        assert_eq!(
            payload.problems(),
            [
                "`session_id` is a string, not `5`",
                "`tool_name` is missing; write `\"tool_name\": \"Bash\"`",
                "`stop_hook_active` is true or false, not `\"yes\"`",
            ]
        );
        let unknown = payload.unknown(Event::PreToolUse);
        assert_eq!(unknown, ["the payload of PreToolUse has no field `tool`; did you mean `tool_name`?"]);
    }

    #[test]
    fn an_enveloped_payload_has_the_same_fields_as_a_flat_one() {
        let text = r#"{"event": "PreToolUse", "data": {"toolName": "Bash", "sessionId": "s"}}"#;
        let mut payload = Payload::read(text).unwrap();
        assert_eq!(payload.event().as_deref(), Some("PreToolUse"));
        assert_eq!(payload.text("tool_name").as_deref(), Some("Bash"));
        assert_eq!(payload.text("session_id").as_deref(), Some("s"));
    }

    #[test]
    fn a_payload_that_is_not_an_object_is_reported() {
        for (text, words) in [("[1]", "is an object"), ("{\"a\": }", "not JSON"), ("tool_name=Bash", "not JSON")] {
            assert!(Payload::read(text).is_err_and(|problem| problem.contains(words)), "{text}");
        }
        assert!(Payload::read("  ").is_ok());
    }
}
