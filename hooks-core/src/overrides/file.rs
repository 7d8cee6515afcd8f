//! A layer of overrides from a TOML file. Parse errors are kept and reported together with all other problems.

use std::path::Path;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::changes::Setting;
use super::{Changes, OverrideEntry, Overrides, bad_override, parse_timeout};
use crate::diagnostics::Problem;
use crate::failure::OnFailure;
use crate::id::HookId;
use crate::options::HookMode;
use crate::source::Place;
use crate::text::nearest_names;

const FIELDS: [&str; 5] = ["enabled", "priority", "timeout", "on_failure", "mode"];
const POLICIES: [OnFailure; 4] = [OnFailure::Continue, OnFailure::Remove, OnFailure::Deny, OnFailure::Required];

impl Overrides {
    /// Reads a layer from a TOML file. The layer is named after the file.
    ///
    /// ```toml
    /// [hooks.count_tokens]
    /// enabled = false
    ///
    /// [hooks.guard_cancel]
    /// priority = 5
    /// timeout = "2s"
    /// on_failure = "required"
    /// ```
    pub fn from_file(file: impl AsRef<Path>) -> Self {
        let file = file.as_ref();
        match crate::scope::read(file) {
            Ok(text) => Self::from_toml(file, &text),
            Err(error) => {
                // The message begins with the file's path.
                let text = error.to_string();
                let at = file.display().to_string();
                let problem = text.strip_prefix(&format!("{at}: ")).unwrap_or(&text).to_owned();
                Self { problems: vec![bad_override(&at, &problem)], ..Self::new(at) }
            }
        }
    }

    /// Parses a layer from TOML. `file` is the layer's name and the path in messages.
    pub fn from_toml(file: impl AsRef<Path>, text: &str) -> Self {
        let file: Arc<Path> = file.as_ref().into();
        let name: Arc<str> = file.display().to_string().into();
        let text = crate::scope::unmarked(text);
        let lines = text.split_inclusive('\n').scan(0, |end, line| {
            let start = *end;
            *end += line.len();
            Some(start)
        });
        let lines = lines.collect();
        let mut reader = Reader { file: &file, text, lines, name: Arc::clone(&name), problems: Vec::new() };
        let entries = reader.entries();
        Self { name, entries, problems: reader.problems }
    }
}

struct Reader<'a> {
    file: &'a Arc<Path>,
    text: &'a str,
    /// The start offset of each line, for lookups: tables come sorted by name, and there may be many.
    lines: Vec<usize>,
    name: Arc<str>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn at(&self, offset: usize) -> String {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or_default();
        let rest = self.text.get(start..).unwrap_or_default();
        let column = 1 + rest.char_indices().take_while(|(at, c)| start + at + c.len_utf8() <= offset).count();
        Place { file: Arc::clone(self.file), line, column }.to_string()
    }

    fn wrong(&mut self, offset: usize, problem: impl Into<String>) {
        let at = self.at(offset);
        self.problems.push(bad_override(&at, &problem.into()));
    }

    fn entries(&mut self) -> Vec<OverrideEntry> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        if let Some(error) = errors.first() {
            // After a syntax error the rest may be parsed differently than it was meant.
            self.wrong(error.span().map_or(0, |span| span.start), error.message());
            return Vec::new();
        }
        let mut entries = Vec::new();
        for (key, value) in table.into_inner() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("hooks", DeValue::Table(hooks)) => {
                    for (id, fields) in hooks {
                        entries.extend(self.entry(id, fields));
                    }
                }
                ("hooks", _) => {
                    self.wrong(value.span().start, "expected `hooks` to be tables, as in `[hooks.redact_pii]`");
                }
                (other, _) => {
                    let nearest = nearest_names(other, ["hooks"]);
                    let hint = "; overrides are written as `[hooks.redact_pii]`";
                    let hint = if nearest.is_empty() { hint.to_owned() } else { nearest };
                    let problem = format!("unknown table `{other}`{hint}");
                    // A table's own span starts after its name.
                    self.wrong(key.span().start, problem);
                }
            }
        }
        entries
    }

    fn entry<'t>(
        &mut self,
        id: &Spanned<std::borrow::Cow<'t, str>>,
        fields: &Spanned<DeValue<'t>>,
    ) -> Option<OverrideEntry> {
        let DeValue::Table(fields) = fields.get_ref() else {
            let problem = format!("expected a table, as in `[hooks.{}]`", id.get_ref());
            self.wrong(fields.span().start, problem);
            return None;
        };
        let mut changes = Changes::default();
        for (key, value) in fields {
            let offset = key.span().start;
            match key.get_ref().as_ref() {
                "enabled" => changes.enabled = self.parsed(value, "true or false", boolean),
                "priority" => {
                    changes.priority = self.parsed(value, "a whole number between -2147483648 and 2147483647", number);
                }
                "timeout" => {
                    let expected = "a time, such as \"250ms\", \"2s\" or \"1m\", or \"none\"";
                    changes.timeout = self.parsed(value, expected, |value| parse_timeout(text(value)?).ok());
                }
                "on_failure" => {
                    let expected = "one of \"continue\", \"remove\", \"deny\" and \"required\"";
                    changes.on_failure = self.parsed(value, expected, policy);
                }
                "mode" => changes.mode = self.parsed(value, "\"enforce\" or \"shadow\"", mode),
                other => {
                    let nearest = nearest_names(other, FIELDS);
                    let fields = FIELDS.map(|field| format!("`{field}`")).join(", ");
                    let hint = if nearest.is_empty() { format!("; expected one of {fields}") } else { nearest };
                    self.wrong(offset, format!("unknown field `{other}`{hint}"));
                }
            }
        }
        let at = self.at(id.span().start);
        Some(OverrideEntry { id: HookId::new(id.get_ref()), at, changes })
    }

    /// Parses a value, and reports it if it is invalid.
    fn parsed<T>(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<Setting<T>> {
        let offset = value.span().start;
        let read = read(value.get_ref());
        if read.is_none() {
            self.wrong(offset, format!("expected {expected}"));
        }
        let (layer, at) = (Arc::clone(&self.name), self.at(offset));
        read.map(|value| Setting { value, layer, at })
    }
}

fn text<'a>(value: &'a DeValue<'_>) -> Option<&'a str> {
    if let DeValue::String(text) = value { Some(text) } else { None }
}

fn boolean(value: &DeValue<'_>) -> Option<bool> {
    if let DeValue::Boolean(value) = value { Some(*value) } else { None }
}

fn number(value: &DeValue<'_>) -> Option<i32> {
    let DeValue::Integer(number) = value else { return None };
    i32::from_str_radix(number.as_str(), number.radix()).ok()
}

fn mode(value: &DeValue<'_>) -> Option<HookMode> {
    [HookMode::Enforce, HookMode::Shadow].into_iter().find(|mode| text(value) == Some(mode.as_str()))
}

fn policy(value: &DeValue<'_>) -> Option<OnFailure> {
    let word = text(value)?;
    POLICIES.into_iter().find(|policy| policy.as_str() == word)
}
