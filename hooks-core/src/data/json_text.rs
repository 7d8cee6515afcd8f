//! Rewrites the string values of a JSON text in place. Keys, order, whitespace and numbers stay as they were written.

use serde::de::IgnoredAny;

/// Rewrites `text` with `edit`: plain text as a whole, JSON one string value at a time, so that it stays valid JSON
/// with the same keys. Returns `None` if nothing changed.
///
/// ```
/// use hook_sdk::data::rewrite_json_text;
///
/// let mut shout = |text: &str| Some(text.to_uppercase());
/// assert_eq!(rewrite_json_text(r#"{ "a": ["b"] }"#, &mut shout).as_deref(), Some(r#"{ "a": ["B"] }"#));
/// assert_eq!(rewrite_json_text("a: b", &mut shout).as_deref(), Some("A: B"));
/// ```
pub fn rewrite_json_text(text: &str, edit: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    if text.trim_start().starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        rewrite_values(text, edit)
    } else {
        edit(text)
    }
}

/// `json` is valid, so every quote outside a string opens one.
fn rewrite_values(json: &str, edit: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let mut written: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(open) = json[at..].find('"').map(|found| at + found) {
        let inside = open + 1;
        let close = inside + end_of_string(&json[inside..]);
        at = close + 1;
        let is_key = json[at..].trim_start().starts_with(':');
        if is_key {
            continue;
        }
        if let Some(new) = rewrite_string(&json[inside..close], edit) {
            let out = written.get_or_insert_with(|| String::with_capacity(json.len()));
            out.push_str(&json[copied..open]);
            out.push_str(&new);
            copied = at;
        }
    }
    written.map(|mut out| {
        out.push_str(&json[copied..]);
        out
    })
}

/// The index of the closing quote. A backslash escapes the next byte.
fn end_of_string(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// Rewrites a string, quotes included. `edit` sees the unescaped text: `\n1990-04-05` is a date after a line break, not
/// a word that begins with `n`.
fn rewrite_string(raw: &str, edit: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let new = if raw.contains('\\') {
        let unescaped: String = serde_json::from_str(&format!("\"{raw}\"")).ok()?;
        // A string may itself contain JSON, such as call arguments that a tool echoes.
        rewrite_json_text(&unescaped, edit)?
    } else {
        edit(raw)?
    };
    serde_json::to_string(&new).ok()
}

#[cfg(test)]
mod tests {
    use super::rewrite_json_text;

    fn stars(text: &str) -> Option<String> {
        text.contains('x').then(|| text.replace('x', "*"))
    }

    #[test]
    fn only_values_change() {
        let table = [
            (r#"{"x": "x"}"#, Some(r#"{"x": "*"}"#)),
            (r#"{"x" : {"a": 1.50, "b": ["x", "y"]}}"#, Some(r#"{"x" : {"a": 1.50, "b": ["*", "y"]}}"#)),
            (r#"["say \"x\"", "\\"]"#, Some(r#"["say \"*\"", "\\"]"#)),
            (r#"{"a": "\\", "x": "\u0078"}"#, Some(r#"{"a": "\\", "x": "*"}"#)),
            (r#"{"nested": "{\"x\": \"x\"}"}"#, Some(r#"{"nested": "{\"x\": \"*\"}"}"#)),
            (r#"{"x": 1}"#, None),
            (r#""x""#, Some(r#""*""#)),
            ("[not json x", Some("[not json *")),
            ("", None),
        ];
        for (before, after) in table {
            assert_eq!(rewrite_json_text(before, &mut stars).as_deref(), after, "{before}");
        }
    }
}
