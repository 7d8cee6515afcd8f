//! Compares the tools that rules name, in matchers and in parameters of compiled hooks, with those that there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::rules::Rules;
use super::state::State;
use crate::event::Event;
use crate::matcher::{pattern_may_select_of_server, unknown_patterns, unknown_tools};
use crate::rule::{Action, Rule};
use crate::syntax::Defect;

impl Rules {
    /// Finds matchers and, once the rules are [installed](Self::install), parameters of compiled hooks that select none of
    /// these tools, and names in them that are almost one of them, such as `Bash` for the tool `bash`, or that name no tool of
    /// an MCP server that is here. Pass the names of all tools that the model may be offered. Each finding is a
    /// [`Warning`](crate::Severity::Warning).
    pub fn audit(&self, tools: impl IntoIterator<Item = impl Into<String>>) -> Vec<Defect> {
        let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
        let aliases = &self.shared().aliases;
        let state = self.state();
        let mut seen = BTreeSet::new();
        let found = state.active.iter().map(|active| &active.rule).flat_map(|rule| {
            let of_matcher = rule.event.is_of_a_tool().then(|| unknown_tools(&rule.matcher, &tools, aliases));
            let of_parameters = unknown_patterns(state.tools_in(rule), &tools).into_iter().map(|(problem, help)| {
                let Action::Compiled { id, .. } = &rule.action else { return (problem, help) };
                (format!("the parameters of `{id}`: {problem}"), help)
            });
            let unknown = of_matcher.into_iter().flatten().chain(of_parameters);
            unknown.map(move |(problem, help)| (rule, problem, help)).collect::<Vec<_>>()
        });
        // Rules of one group have the same matcher.
        let first = found.filter(|(rule, problem, _)| seen.insert((rule.file.clone(), problem.clone())));
        first
            .map(|(rule, problem, help)| Defect::of_rule(&rule.file, rule.line, rule.column, problem, &help).warning())
            .collect()
    }

    /// Finds what cannot be meant for a program in which all tools are `mcp__SERVER__TOOL` of this MCP server: files of which no
    /// rule can run for such a tool, and events at which rules of a file name tools of servers, and never this one. Beside one
    /// that names it, there may be rules for others. [Install](Self::install) the rules before: parameters of compiled hooks
    /// name tools too.
    ///
    /// ```
    /// use hooks_rules::Rules;
    ///
    /// let text = r#"{"hooks": {"PreToolUse": [{"matcher": "mcp__files__.*", "hooks": [{"type": "command", "command": "./a"}]}]}}"#;
    /// let rules = Rules::builder().text("hooks.json", text).build();
    /// rules.install(&hook_sdk::Registry::empty())?;
    /// assert!(rules.audit_server("files").is_empty() && rules.audit_server("mail").len() == 1);
    /// # Ok::<(), hook_sdk::ConfigError>(())
    /// ```
    pub fn audit_server(&self, server: &str) -> Vec<Defect> {
        let state = self.state();
        let mut by_file: BTreeMap<&Arc<Path>, BTreeMap<Event, Vec<&Rule>>> = BTreeMap::new();
        for active in state.active.iter().filter(|active| state.runs(active)) {
            let rule = &active.rule;
            by_file.entry(&rule.file).or_default().entry(rule.event).or_default().push(rule);
        }
        let of_file = |(file, by_event): (&Arc<Path>, BTreeMap<Event, Vec<&Rule>>)| {
            let help = format!("name the server as the rules do, or its tools `mcp__{server}__…`");
            if !by_event.values().flatten().any(|rule| may_judge_server(&state, rule, server)) {
                let problem = format!("none of its rules can run for a call of a tool `mcp__{server}__…`");
                return vec![Defect::of_file(file, problem, help)];
            }
            let of_event = |(event, rules): (Event, Vec<&Rule>)| {
                let (first, problem) = never_named(&state, event, &rules, server)?;
                Some(Defect::of_rule(file, first.line, first.column, problem, &help))
            };
            by_event.into_iter().filter_map(of_event).collect()
        };
        by_file.into_iter().flat_map(of_file).collect()
    }
}

fn may_judge_server(state: &State, rule: &Rule, server: &str) -> bool {
    let tools = state.tools_in(rule);
    rule.may_judge_server(server)
        && (tools.is_empty() || tools.iter().any(|tool| pattern_may_select_of_server(tool, server)))
}

/// The first rule that names tools of MCP servers, if none of these names this server, and the problem.
fn never_named<'a>(state: &State, event: Event, rules: &[&'a Rule], server: &str) -> Option<(&'a Rule, String)> {
    let mut named = Vec::new();
    for rule in rules.iter().filter(|_| event.is_of_a_tool()) {
        let filter = rule.filter.iter().map(|filter| (filter.tool(), filter.may_name_server(server)));
        let tools = state.tools_in(rule).iter();
        let tools = tools.map(|tool| (tool.as_str(), pattern_may_select_of_server(tool, server)));
        let all = rule.matcher.named_tools(server).chain(filter).chain(tools);
        named.extend(all.filter_map(|(name, may)| Some((*rule, &name[name.find("mcp__")?..], may))));
    }
    let (first, ..) = *named.first().filter(|_| !named.iter().any(|(.., may)| *may))?;
    let listed: Vec<String> = named.iter().map(|(rule, name, _)| format!("`{name}` (line {})", rule.line)).collect();
    let problem = format!(
        "at `{event}`, its rules name the tools {}, and none of this server, `mcp__{server}__…`: they never run",
        listed.join(", ")
    );
    Some((first, problem))
}
