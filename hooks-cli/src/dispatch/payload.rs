//! The payload: what a command would be given on its standard input, with everything left out that has a default.

use hooks_rules::Event;
use serde_json::{Map, Value};

/// The fields of a payload, each taken by its type; what is wrong with any of them is reported at the end, all at once.
pub(super) struct Payload {
    fields: Map<String, Value>,
    /// Those that commands are given as they are here.
    passed: Map<String, Value>,
    known: Vec<&'static str>,
    problems: Vec<String>,
}

/// Fields of the contract that decide nothing here. Commands are given them as they are.
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

/// Fields that the dispatch itself makes: with `--follow` they change from round to round, or they are judged.
const MADE: &[&str] = &["hook_event_name", "stop_hook_active", "tool_name", "tool_input"];

/// The names of the enveloped form, `{"event": …, "data": {…}}`.
const ENVELOPED: &[(&str, &str)] = &[
    ("userMessage", "prompt"),
    ("toolName", "tool_name"),
    ("toolInput", "tool_input"),
    ("toolOutput", "tool_response"),
    ("sessionId", "session_id"),
];

impl Payload {
    /// Reads a text. An empty one is a payload without fields.
    ///
    /// # Errors
    /// What is wrong with it.
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

    /// What commands are given as it is here, whether anything is known of it or not.
    pub(super) fn passed(&self) -> Map<String, Value> {
        self.passed.clone()
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            other => self.wrong(name, "a string", &other),
        }
    }

    /// A string that has to be there.
    pub(super) fn needed(&mut self, name: &'static str, example: &str) -> String {
        let there = self.fields.get(name).is_some_and(|value| !value.is_null());
        let text = self.text(name);
        if !there || text.as_deref() == Some("") {
            let lacks = if there { "empty" } else { "missing" };
            self.problems.push(format!("`{name}` is {lacks}; write `\"{name}\": \"{example}\"`"));
        }
        text.unwrap_or_default()
    }

    /// An object; an empty one where nothing is there.
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

    /// Whatever is there.
    pub(super) fn value(&mut self, name: &'static str) -> Option<Value> {
        self.take(name)
    }

    /// All fields that nobody asked for.
    pub(super) fn rest(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.fields)
    }

    /// Whether the payload says that it is one of another event.
    pub(super) fn event(&mut self) -> Option<String> {
        self.text("hook_event_name")
    }

    /// What is wrong with the fields that were asked for.
    pub(super) fn problems(&self) -> &[String] {
        &self.problems
    }

    pub(super) fn problem(&mut self, text: String) {
        self.problems.push(text);
    }

    /// The fields that nobody asked for, with what was likely meant.
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

/// The fields of the enveloped form under the names of the flat one.
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
    fn everything_wrong_with_a_payload_is_told_at_once() {
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
    fn the_enveloped_form_is_the_flat_one_with_other_names() {
        let text = r#"{"event": "PreToolUse", "data": {"toolName": "Bash", "sessionId": "s"}}"#;
        let mut payload = Payload::read(text).unwrap();
        assert_eq!(payload.event().as_deref(), Some("PreToolUse"));
        assert_eq!(payload.text("tool_name").as_deref(), Some("Bash"));
        assert_eq!(payload.text("session_id").as_deref(), Some("s"));
    }

    #[test]
    fn what_is_no_object_is_told() {
        for (text, words) in [("[1]", "is an object"), ("{\"a\": }", "not JSON"), ("tool_name=Bash", "not JSON")] {
            assert!(Payload::read(text).is_err_and(|problem| problem.contains(words)), "{text}");
        }
        assert!(Payload::read("  ").is_ok());
    }
}
