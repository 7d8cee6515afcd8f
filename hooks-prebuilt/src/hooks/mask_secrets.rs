//! `mask_secrets` and `deny_secrets`: keys, tokens and passwords, masked where they are read and denied where they leave.

use hook_sdk::kinds::BeforeToolCall;
use hooks_secrets::REDACTED;
use serde_json::Value;
use wildmatch::WildMatch;

use crate::finder::{self, Finder, Found, StreamWindow};
use crate::json;
use crate::masks::mask_everywhere;
use crate::parameters::{Fields, exceptions, from_fields, patterns};

/// The parameters of `mask_secrets`.
#[derive(Clone, Debug, Default)]
pub struct MaskSecrets {
    /// Values that are no secrets, such as the keys of tests.
    allow: Vec<WildMatch>,
}

from_fields!(MaskSecrets, MaskSecrets::read);

impl MaskSecrets {
    fn read(fields: &mut Fields) -> Self {
        Self { allow: exceptions(fields).iter().map(|pattern| WildMatch::new(pattern)).collect() }
    }

    /// The text without secrets; `None` if it contains none. In JSON, the key of a field can say that its value is one.
    ///
    /// ```
    /// use hooks_prebuilt::MaskSecrets;
    ///
    /// let key = "k7Qd81mZ";
    /// let masked = MaskSecrets::default().mask(&format!("pass --token {key} to it"));
    /// assert_eq!(masked.as_deref(), Some("pass --token [REDACTED_SECRET] to it"));
    /// ```
    pub fn mask(&self, text: &str) -> Option<String> {
        json::rewrite("", text, &mut |name, text| self.edit(name, text))
    }

    /// The window of a stream without secrets. `shown` is the text before it, and `last` says that no more follows.
    pub fn window(&self, shown: &str, window: &str, last: bool) -> StreamWindow {
        finder::window(self, shown, window, last)
    }

    fn edit(&self, name: &str, text: &str) -> Option<String> {
        let mut found = hooks_secrets::find(text);
        if found.is_empty() {
            let is_named = !name.is_empty() && !self.is_allowed(text);
            return is_named.then(|| hooks_secrets::redact_named(name, text)).flatten();
        }
        found.retain(|place| !self.is_allowed(&text[place.clone()]));
        (!found.is_empty()).then(|| hooks_secrets::replaced(text, &found))
    }

    fn stream(&self, shown: &str, window: &str, last: bool) -> Result<Option<String>, String> {
        let read = self.window(shown, window, last);
        let held = &read.text[read.held..];
        // A long address is held back because it may be the beginning of a secret; then the loop shows its beginning.
        if held.chars().count() > HOLD && !hooks_secrets::find(held).is_empty() {
            return Err(format!("the answer contains a secret that is longer than {HOLD} characters"));
        }
        Ok(Some(read.text))
    }

    fn is_allowed(&self, value: &str) -> bool {
        self.allow.iter().any(|allowed| allowed.matches(value))
    }
}

impl Finder for MaskSecrets {
    fn find<'a>(&'a self, text: &'a str, from: usize) -> impl Iterator<Item = Found> + 'a {
        let found = hooks_secrets::find(text).into_iter();
        let found = found.filter(move |place| place.end > from && !self.is_allowed(&text[place.clone()]));
        found.map(move |place| (place.start.max(from)..place.end, REDACTED.to_owned()))
    }

    fn tail(&self, text: &str) -> usize {
        // The last word may be the beginning of one, and what follows a name such as `password` is one.
        let end = text.trim_end().len();
        let word =
            text.rfind(char::is_whitespace).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let open = hooks_secrets::find_unfinished(text).into_iter().filter(|place| place.end >= end);
        open.map(|place| place.start).chain([word]).min().unwrap_or(word)
    }
}

hook_sdk::group! {
    /// Replaces keys, tokens and passwords wherever text is stored, read by a model, returned by a tool or shown.
    pub mask_secrets
}

mask_everywhere!(mask_secrets, MaskSecrets, hold = 256);

/// The parameters of `deny_secrets`.
#[derive(Clone, Debug)]
pub struct DenySecrets {
    tools: Vec<WildMatch>,
    secrets: MaskSecrets,
}

from_fields!(DenySecrets, |fields: &mut Fields| DenySecrets {
    tools: patterns(fields, "tools", &["*"]),
    secrets: MaskSecrets::read(fields),
});

impl DenySecrets {
    /// Denies a call whose arguments contain secrets.
    ///
    /// # Errors
    /// Where they are. The secrets themselves are not in it.
    pub fn judge(&self, tool: &str, input: &Value) -> Result<(), String> {
        if !self.tools.iter().any(|pattern| pattern.matches(tool)) {
            return Ok(());
        }
        let places = json::places(input, &mut |name, text| self.secrets.edit(name, text));
        match places.len() {
            0 => Ok(()),
            count => Err(format!(
                "expected no secrets in the arguments of `{tool}`, and found {count} at `{}`; refer to them by name",
                places.join("`, `")
            )),
        }
    }
}

/// Denies calls whose arguments contain keys, tokens or passwords.
#[hook(kind = before_tool_call)]
pub fn deny_secrets(secrets: &With<DenySecrets>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    secrets.judge(&event.call.name, input).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}
