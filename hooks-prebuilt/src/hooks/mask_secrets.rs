//! `mask_secrets` and `deny_secrets`: keys, tokens and passwords, masked where they are read and denied where they leave.

use hook_sdk::kinds::BeforeToolCall;
use hooks_secrets::REDACTED;
use serde_json::Value;
use wildmatch::WildMatch;

use crate::finder::{self, Finder, Found, StreamWindow, before};
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
        let mut found = hooks_secrets::find_named(name, text);
        found.retain(|place| !self.is_allowed(&text[place.clone()]));
        (!found.is_empty()).then(|| hooks_secrets::replaced(text, &found))
    }

    fn stream(&self, shown: &str, window: &str, last: bool) -> Option<StreamWindow> {
        let is_plain = is_plain(window) && is_plain(&shown[before(shown, shown.len(), NEAR)..]);
        (!is_plain).then(|| self.window(shown, window, last))
    }

    fn is_allowed(&self, value: &str) -> bool {
        self.allow.iter().any(|allowed| allowed.matches(value))
    }
}

/// The characters before a secret that say what it is, if none within it does.
const NEAR: usize = 128;

/// Whether a text is prose without a secret, as most windows of a stream are: the rules look for digits, signs and a few
/// words.
fn is_plain(text: &str) -> bool {
    let is_of_prose = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii() || b" \n,.;!?()'-".contains(&byte);
    text.bytes().all(is_of_prose)
        && !["--", " -", "\n-", "pass", "ENV ", "setx "].iter().any(|sign| text.contains(sign))
}

impl Finder for MaskSecrets {
    const BEFORE: usize = 1_024;

    fn find<'a>(&'a self, text: &'a str, from: usize) -> impl Iterator<Item = Found> + 'a {
        let found = hooks_secrets::find(text).into_iter();
        let found = found.filter(move |place| place.end > from && !self.is_allowed(&text[place.clone()]));
        // What was shown and is a secret only since a part of it is replaced is none.
        let found = found.filter(move |place| place.start >= from || !text[place.clone()].contains(REDACTED));
        found.map(move |place| (place.start.max(from)..place.end, REDACTED.to_owned()))
    }

    fn open(&self, text: &str) -> Option<usize> {
        // Only a word can be that long: it is found if its end is added.
        let word = &text[before(text, text.len(), HOLD)..];
        let ends = ENDS.iter().filter(|_| word.bytes().all(|byte| byte.is_ascii_graphic()));
        let found = ends.flat_map(|end| hooks_secrets::find(&format!("{text}{end}")));
        found.filter(|place| place.end >= text.len()).map(|place| place.start).min()
    }
}

/// The ends of secrets that are none without: `https://ada:…@`, `<password>…</`, `env("PASSWORD", "…"`.
const ENDS: [&str; 4] = ["@", "</", "\"", "'"];

hook_sdk::group! {
    /// Replaces keys, tokens and passwords wherever text is stored, read by a model, returned by a tool or shown.
    pub mask_secrets
}

mask_everywhere!(mask_secrets, MaskSecrets);

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
