//! `ask_for`: which calls a person has to approve, and which are denied.

mod rule;

use std::collections::BTreeMap;

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use rule::Rule;
use wildmatch::WildMatch;

use crate::parameters::{Fields, by_pattern, from_fields, specificity};

/// The parameters of `ask_for`: a rule for each pattern of tool names.
#[derive(Debug)]
pub struct AskFor {
    /// The most specific pattern first.
    rules: Vec<(WildMatch, Rule)>,
}

from_fields!(AskFor, |fields: &mut Fields| {
    let given = fields.all();
    if given.is_empty() {
        fields.problem(r#"no tool is named: write a rule such as {"send_*": "ask"}"#);
    }
    let mut rules = BTreeMap::new();
    for (pattern, rule) in given {
        match Rule::read(rule) {
            Ok(rule) => drop(rules.insert(pattern, rule)),
            Err(problem) => fields.problem(format_args!("`{pattern}`: {problem}")),
        }
    }
    AskFor { rules: by_pattern(rules) }
});

impl AskFor {
    /// Judges a call by the rule of the most specific pattern that matches the tool; of two that are equally specific, by
    /// the stricter answer.
    pub fn judge(&self, tool: &str, input: &ToolInput) -> Permission {
        let rules = self.rules.iter().filter(|(pattern, _)| pattern.matches(tool));
        let mut rules = rules.map(|(pattern, rule)| (specificity(&pattern.to_string()), rule)).peekable();
        let most = rules.peek().map_or(0, |(specificity, _)| *specificity);
        let equal = rules.take_while(|(specificity, _)| *specificity == most);
        equal.fold(Permission::NoOpinion, |mut verdict, (_, rule)| {
            verdict.merge(rule.judge(tool, input));
            verdict
        })
    }
}

/// Asks a person about calls of tools, depending on their arguments, or denies them.
#[hook(kind = before_tool_call)]
pub fn ask_for(rules: &With<AskFor>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    rules.judge(&event.call.name, input)
}
