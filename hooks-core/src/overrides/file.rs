//! A layer of overrides from a TOML file. Parse errors are kept and reported together with all other problems.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Change, Changes, FIELDS, Override, OverrideEntry, Overrides, bad_override};
use crate::diagnostics::{Problem, ProblemKind};
use crate::id::HookId;
use crate::source::Places;
use crate::text::nearest_names;

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
                let at = file.display().to_string();
                let problem = Problem::new(ProblemKind::BadOverride, &at, error.to_string());
                Self { problems: vec![problem], ..Self::new(at) }
            }
        }
    }

    /// Parses a layer from TOML. `file` is the layer's name and the path in messages.
    pub fn from_toml(file: impl AsRef<Path>, text: &str) -> Self {
        let file: Arc<Path> = file.as_ref().into();
        let name: Arc<str> = file.display().to_string().into();
        let text = crate::scope::unmarked(text);
        let mut reader = Reader { places: Places::new(&file, text), name: Arc::clone(&name), problems: Vec::new() };
        let entries = reader.entries(text);
        Self { name, entries, problems: reader.problems }
    }
}

struct Reader<'a> {
    places: Places<'a>,
    name: Arc<str>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn at(&mut self, offset: usize) -> String {
        self.places.at(offset).to_string()
    }

    fn wrong(&mut self, offset: usize, problem: impl Into<String>) {
        let at = self.at(offset);
        self.problems.push(bad_override(&at, &problem.into()));
    }

    fn entries(&mut self, text: &str) -> Vec<OverrideEntry> {
        let (table, errors) = DeTable::parse_recoverable(text);
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
            let name = key.get_ref().as_ref();
            let Some((field, expected)) = FIELDS.iter().find(|(field, _)| *field == name) else {
                let names = || FIELDS.iter().map(|(field, _)| *field);
                let nearest = nearest_names(name, names());
                let all = names().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
                let hint = if nearest.is_empty() { format!("; expected one of {all}") } else { nearest };
                self.wrong(key.span().start, format!("unknown field `{name}`{hint}"));
                continue;
            };
            let only = MapDeserializer::<_, toml::de::Error>::new(std::iter::once((*field, value.clone())));
            match Override::deserialize(only) {
                Ok(set) => {
                    let (layer, at) = (Arc::clone(&self.name), self.at(value.span().start));
                    changes.0.insert(field, Change { field: set, layer, at });
                }
                Err(_) => self.wrong(value.span().start, format!("expected {expected}")),
            }
        }
        let at = self.at(id.span().start);
        Some(OverrideEntry { id: HookId::new(id.get_ref()), at, changes })
    }
}
