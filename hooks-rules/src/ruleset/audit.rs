//! Compares the matchers of rules with the tools of a harness.

use std::collections::BTreeSet;

use super::rules::Rules;
use crate::matcher::unknown_tools;
use crate::syntax::Defect;

impl Rules {
    /// Finds matchers that select none of these tools, and names in matchers that are almost one of them, such as `Bash` for
    /// the tool `bash`. Pass the names of all tools that the model may be offered. Each finding is a
    /// [`Warning`](crate::Severity::Warning).
    pub fn audit(&self, tools: impl IntoIterator<Item = impl Into<String>>) -> Vec<Defect> {
        let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
        let aliases = &self.shared().aliases;
        let state = self.state();
        let of_tools = state.active.iter().map(|active| &active.rule).filter(|rule| rule.event.is_of_a_tool());
        let mut seen = BTreeSet::new();
        let found = of_tools.flat_map(|rule| {
            let unknown = unknown_tools(&rule.matcher, &tools, aliases);
            unknown.into_iter().map(move |(problem, help)| (rule, problem, help))
        });
        // Rules of one group have the same matcher.
        let first = found.filter(|(rule, problem, _)| seen.insert((rule.file.clone(), problem.clone())));
        first
            .map(|(rule, problem, help)| Defect::of_rule(&rule.file, rule.line, rule.column, problem, &help).warning())
            .collect()
    }
}
