//! Reads the fields of a handler by type, and reports each mistake at its position.

use serde_json::Value;

use super::defect::{Flaw, Flaws};
use super::json::Node;
use super::support::HandlerSupport;
use crate::event::Event;
use crate::json_type::json_type_name;

/// A handler that is being parsed.
pub(crate) struct Handler<'a> {
    pub(crate) terms: HandlerSupport,
    pub(crate) event: Event,
    pub(crate) node: &'a Node,
    pub(crate) flaws: &'a mut Flaws,
}

impl Handler<'_> {
    /// A boolean. Default: `false`.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        match self.node.get(name).map(Node::value) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(other) => {
                self.error(
                    name,
                    format!("`{name}` is true or false, not {}", json_type_name(&other)),
                    "write `true` or `false`",
                );
                false
            }
        }
    }

    /// An optional string.
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        match self.node.get(name)?.value() {
            Value::String(text) => Some(text),
            Value::Null => None,
            other => {
                self.error(
                    name,
                    format!("`{name}` is a string, not {}", json_type_name(&other)),
                    format!("write `\"{name}\": \"…\"`"),
                );
                None
            }
        }
    }

    /// A required string. `example` is used for the suggestion.
    pub(crate) fn required(&mut self, name: &str, example: &str) -> Option<String> {
        let found = self.text(name);
        match found.as_deref().map(str::trim) {
            Some("") => self.error(name, format!("`{name}` is empty"), format!("write `{example}`")),
            None if self.node.get(name).is_none_or(|node| node.value().is_null()) => {
                let problem = match self.text("type") {
                    Some(kind) if name != "type" => format!("a handler of the type `{kind}` needs `{name}`"),
                    _ => format!("a handler needs `{name}`"),
                };
                self.flaws.push(Flaw::error(self.node.span.clone(), problem, format!("write `{example}`")));
            }
            _ => return found,
        }
        None
    }

    /// Reports an error at the field or, if it does not exist, at the handler.
    pub(crate) fn error(&mut self, name: &str, problem: impl Into<String>, help: impl Into<String>) {
        let span = self.node.get(name).map_or(self.node.span.clone(), |node| node.span.clone());
        self.flaws.push(Flaw::error(span, problem, help));
    }

    /// Reports a warning.
    pub(crate) fn warning(&mut self, name: &str, problem: impl Into<String>, help: impl Into<String>) {
        let span = self.node.get(name).map_or(self.node.span.clone(), |node| node.span.clone());
        self.flaws.push(Flaw::warning(span, problem, help));
    }
}
