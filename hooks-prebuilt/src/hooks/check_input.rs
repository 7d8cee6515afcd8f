//! `check_input`: the arguments of a call have to fit the JSON Schema of its tool, before another gate or a person
//! judges them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use jsonschema::{Draft, Validator};
use serde_json::Value;
use wildmatch::WildMatch;

use crate::parameters::{Fields, from_fields, patterns};

/// The parameters of `check_input`.
#[derive(Debug)]
pub struct CheckInput {
    tools: Vec<WildMatch>,
    /// Schemas of the app, by patterns of tools. They hold besides the schema that the harness knows.
    schemas: Vec<(WildMatch, Validator)>,
    /// Whether a call is denied of a tool that has no schema.
    denies_unknown: bool,
    /// The schemas of tools that were read.
    read: Mutex<HashMap<String, Arc<Schema>>>,
}

/// The schema of a tool, as it was given and as it was read.
type Schema = (Value, Result<Validator, String>);

/// The most tools whose schemas are remembered.
const MOST: usize = 1_000;

/// The most problems that are said about one call.
const PROBLEMS: usize = 5;

from_fields!(CheckInput, |fields: &mut Fields| {
    let schemas: BTreeMap<String, Value> = fields.or("schemas", BTreeMap::new());
    let mut read = Vec::new();
    for (pattern, schema) in schemas {
        match compile(&schema) {
            Ok(schema) => read.push((WildMatch::new(&pattern), schema)),
            Err(problem) => fields.problem(format_args!("`schemas.{pattern}`: {problem}")),
        }
    }
    CheckInput {
        tools: patterns(fields, "tools", &["*"]),
        schemas: read,
        denies_unknown: fields.choice("unknown", ["allow", "deny"]) == "deny",
        read: Mutex::default(),
    }
});

/// Reads a schema. Without `$schema`, it may be one of this draft or of an older one.
fn compile(schema: &Value) -> Result<Validator, String> {
    // Nothing that the schema refers to is loaded.
    let read = |draft| jsonschema::options().with_draft(draft).offline().build(schema);
    let read_itself = || jsonschema::options().offline().build(schema);
    let older = || [Draft::Draft7, Draft::Draft4].into_iter().find_map(|draft| read(draft).ok());
    let is_undeclared = schema.get("$schema").is_none();
    read_itself()
        .or_else(|error| older().filter(|_| is_undeclared).ok_or(error))
        .map_err(|error| format!("it is no JSON Schema that can be read: {}", error.masked()))
}

impl CheckInput {
    /// Judges a call by the schema of its tool.
    ///
    /// # Errors
    /// What was expected, and where. The values of the arguments are not in it.
    pub fn judge(&self, tool: &str, schema: Option<&Value>, input: &Value) -> Result<(), String> {
        if !self.tools.iter().any(|pattern| pattern.matches(tool)) {
            return Ok(());
        }
        let own = schema.map(|schema| self.schema(tool, schema));
        let own = own.as_deref().map(|(_, schema)| schema.as_ref()).transpose();
        let own = own.map_err(|problem| format!("`{tool}` has a schema, and {problem}"))?;
        let given = self.schemas.iter().filter(|(pattern, _)| pattern.matches(tool)).map(|(_, schema)| schema);
        let mut schemas = own.into_iter().chain(given).peekable();
        if schemas.peek().is_none() && self.denies_unknown {
            return Err(format!("`{tool}` has no schema, so its arguments cannot be checked"));
        }
        let errors = schemas.flat_map(|schema| schema.iter_errors(input));
        let mut problems: Vec<String> = errors
            .take(PROBLEMS + 1)
            .map(|error| match error.instance_path().as_str() {
                "" => error.masked_with("it").to_string(),
                path => format!("`{path}`: {}", error.masked_with("it")),
            })
            .collect();
        if problems.is_empty() {
            return Ok(());
        }
        if problems.len() > PROBLEMS {
            problems.truncate(PROBLEMS);
            problems.push("and more".to_owned());
        }
        Err(format!("the arguments of `{tool}` do not fit its schema: {}", problems.join("; ")))
    }

    /// The schema of a tool, which is read once as long as it does not change.
    fn schema(&self, tool: &str, schema: &Value) -> Arc<Schema> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(tool).filter(|known| known.0 == *schema) {
            return Arc::clone(known);
        }
        if read.len() >= MOST {
            read.clear();
        }
        let compiled = Arc::new((schema.clone(), compile(schema)));
        read.insert(tool.to_owned(), Arc::clone(&compiled));
        compiled
    }
}

/// Denies calls whose arguments do not fit the JSON Schema of their tool.
// First, so that no other gate and no person judges a call that cannot run.
#[hook(kind = before_tool_call, priority = -10_000)]
pub fn check_input(check: &With<CheckInput>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    let schema = event.info.as_ref().and_then(|info| info.schema.as_ref());
    check.judge(&event.call.name, schema, input).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}
