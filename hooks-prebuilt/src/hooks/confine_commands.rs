//! `confine_commands`: shell lines by patterns of commands that are allowed, asked about and denied.

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::verdict::Question;
use hooks_rules::{Aliases, BadFilter, Filter, plain_commands};
use serde_json::{Value, json};
use wildmatch::WildMatch;

use crate::fields::Field;
use crate::parameters::{Fields, from_fields, patterns};

/// The parameters of `confine_commands`.
#[derive(Clone, Debug)]
pub struct ConfineCommands {
    tools: Vec<WildMatch>,
    field: Field,
    allow: Vec<WildMatch>,
    ask: Vec<Filters>,
    deny: Vec<Filters>,
    /// Whether a person is asked about every other line, or it is denied.
    asks: bool,
}

from_fields!(ConfineCommands, |fields: &mut Fields| {
    let tools: Vec<String> = fields.required("tools", r#"the tools that run shell lines, such as ["Bash"]"#);
    let field = fields.or("field", "command".to_owned());
    ConfineCommands {
        tools: tools.iter().map(|tool| WildMatch::new(tool)).collect(),
        field: Field::parse(&field),
        allow: allowed(fields),
        ask: filters(fields, "ask"),
        deny: filters(fields, "deny"),
        asks: fields.choice("else", ["ask", "deny"]) == "ask",
    }
});

fn allowed(fields: &mut Fields) -> Vec<WildMatch> {
    let allow = patterns(fields, "allow", &[]);
    for pattern in &allow {
        let written = pattern.to_string();
        // What it would be for `x` in place of all that is open.
        let commands = plain_commands(&written.replace(['*', '?'], "x")).unwrap_or_default();
        let name = written.strip_suffix(":*").filter(|name| !name.contains(' '));
        if let Some(name) = name {
            fields.problem(format_args!("`allow`: `{written}` allows nothing; write `{name} *`"));
        } else if !commands.iter().any(|words| pattern.matches(&joined(words))) {
            fields.problem(format_args!(
                "`allow`: `{written}` allows nothing; write the words of one command, such as `git status *`, without quotes"
            ));
        }
    }
    allow
}

/// A command as patterns see it. The name of a program and each argument are words: a space within one is none between two.
fn joined(words: &[String]) -> String {
    words.iter().map(|word| word.replace(' ', "\u{a0}")).collect::<Vec<_>>().join(" ")
}

/// A pattern, and one of all commands of its program. The first alone selects every line with a variable if it has several
/// words, even one that cannot run the program.
type Filters = [Filter; 2];

fn filters(fields: &mut Fields, name: &'static str) -> Vec<Filters> {
    let written: Vec<String> = fields.or(name, Vec::new());
    let read = written.iter().map(|pattern| {
        let filter = Filter::read(&format!("Bash({pattern})"))?;
        let program = pattern.split_whitespace().next().filter(|program| *program != pattern);
        let of_program = program.and_then(|program| Filter::read(&format!("Bash({program} *)")).ok());
        Ok([of_program.unwrap_or_else(|| filter.clone()), filter])
    });
    let read = read.map(|filters: Result<_, BadFilter>| {
        filters.map_err(|error| fields.problem(format_args!("`{name}`: {error}")))
    });
    read.filter_map(Result::ok).collect()
}

impl ConfineCommands {
    /// Judges a call by the commands that its line runs. Every one has to be allowed, and one is enough to be denied.
    pub fn judge(&self, tool: &str, input: &Value) -> Permission {
        if !self.tools.iter().any(|pattern| pattern.matches(tool)) {
            return Permission::NoOpinion;
        }
        let lines = match self.field.values(input) {
            Ok(lines) if !lines.is_empty() => lines,
            Ok(_) => return Permission::deny(format!("expected a command in `{}`", self.field)),
            Err(expected) => return Permission::deny(expected),
        };
        let mut asked = None;
        for line in lines {
            let Some(line) = line.as_str() else {
                return Permission::deny(format!("expected a command in `{}`, as one text", self.field));
            };
            if let Some(filter) = selecting(&self.deny, line) {
                return Permission::deny(format!("the line runs, or may run, what `{filter}` denies"));
            }
            let asks = selecting(&self.ask, line);
            match (self.is_allowed(line, asks.is_some()), asks) {
                (Err(because), _) if !self.asks => return Permission::deny(because),
                (_, Some(filter)) => {
                    asked = Some(format!("the line runs, or may run, what `{filter}` asks about"));
                }
                (Err(because), None) => asked = asked.or(Some(because)),
                (Ok(()), None) => {}
            }
        }
        match asked {
            None => Permission::Allow,
            Some(because) => Question::new(because).details(json!({ "tool": tool, "input": input })).into(),
        }
    }

    /// Whether every command of a line is allowed or, if `or_asked`, one that a person is asked about.
    fn is_allowed(&self, line: &str, or_asked: bool) -> Result<(), String> {
        let commands = plain_commands(line).filter(|commands| !commands.is_empty());
        let commands = commands.ok_or("what the line runs is not known before it runs")?;
        let is_allowed = |words: &[String]| {
            let text = joined(words);
            let bare = |pattern: &WildMatch| {
                pattern.to_string().strip_suffix(" *").is_some_and(|name| WildMatch::new(name).matches(&text))
            };
            self.allow.iter().any(|pattern| pattern.matches(&text) || bare(pattern))
        };
        let is_asked = |words: &[String]| {
            let quoted = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
            or_asked && selecting(&self.ask, &quoted.collect::<Vec<_>>().join(" ")).is_some()
        };
        match commands.iter().find(|words| !is_allowed(words) && !is_asked(words)) {
            None => Ok(()),
            Some(words) => Err(format!("`{}` is not one of the allowed commands", words.join(" "))),
        }
    }
}

/// The first pattern that selects a line.
fn selecting(filters: &[Filters], line: &str) -> Option<String> {
    let call = json!({ "command": line });
    let selects = |filter: &Filter| filter.selects(&Aliases::default(), "Bash", &call, None);
    filters.iter().find(|filters| filters.iter().all(selects)).map(|[_, filter]| filter.to_string())
}

/// Allows shell lines of which every command is allowed, and asks about or denies the others.
#[hook(kind = before_tool_call)]
pub fn confine_commands(commands: &With<ConfineCommands>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    commands.judge(&event.call.name, input)
}
