//! `ask_for`: which calls a person has to approve, and which are denied.

mod rule;

use std::collections::BTreeMap;

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use rule::Rule;
use serde::Deserialize;
use serde_json::Value;
use wildmatch::WildMatch;

use crate::parameters::Fields;

/// The parameters of `ask_for`: a rule for each pattern of tool names.
#[derive(Debug, Deserialize)]
#[serde(try_from = "BTreeMap<String, Value>")]
pub struct AskFor {
    /// The most specific pattern first.
    rules: Vec<(WildMatch, Rule)>,
}

impl TryFrom<BTreeMap<String, Value>> for AskFor {
    type Error = String;

    fn try_from(given: BTreeMap<String, Value>) -> Result<Self, String> {
        let mut fields = Fields::new(serde_json::Map::new());
        if given.is_empty() {
            fields.problem(r#"no tool is named: write a rule such as {"send_*": "ask"}"#);
        }
        let mut rules: Vec<(WildMatch, Rule)> = Vec::new();
        for (pattern, rule) in given {
            match Rule::read(rule) {
                Ok(rule) => rules.push((WildMatch::new(&pattern), rule)),
                Err(problem) => fields.problem(format_args!("`{pattern}`: {problem}")),
            }
        }
        rules.sort_by_key(|(pattern, _)| std::cmp::Reverse(letters(&pattern.to_string())));
        fields.finish(Self { rules })
    }
}

/// How specific a pattern is: the number of its characters that stand for themselves.
fn letters(pattern: &str) -> usize {
    pattern.chars().filter(|c| !"*?".contains(*c)).count()
}

impl AskFor {
    /// Judges a call by the rule of the most specific pattern that matches the tool.
    pub fn judge(&self, tool: &str, input: &ToolInput) -> Permission {
        let rule = self.rules.iter().find(|(pattern, _)| pattern.matches(tool));
        rule.map_or(Permission::NoOpinion, |(_, rule)| rule.judge(tool, input))
    }
}

/// Asks a person about calls of tools, depending on their arguments, or denies them.
#[hook(kind = before_tool_call)]
pub fn ask_for(rules: &With<AskFor>, event: &BeforeToolCall, input: &ToolInput) -> Permission {
    rules.judge(&event.call.name, input)
}
