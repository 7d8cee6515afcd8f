use serde_json::Value;

use super::report;
use crate::verdict::{Contribution, Contributions, Diagnostic, ToolDeclaration};

/// The tools that hooks add, and the limits that they set.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tools<'a> {
    /// The added tools that may be used, in plan order, without duplicates.
    pub added: Vec<&'a ToolDeclaration>,
    /// The only tools that may be used, including the harness's own; `None` if no hook sets a limit.
    pub allowed: Option<Vec<&'a str>>,
    /// Problems with declarations and limits.
    pub diagnostics: Vec<Diagnostic>,
}

impl Tools<'_> {
    /// Whether the harness's `tool` may be used, regardless of how it was added.
    pub fn allows(&self, tool: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(&tool))
    }
}

impl Contributions {
    /// The union of the added tools, and the **intersection** of the limits.
    ///
    /// A limit applies to the tool that runs ([`ToolDeclaration::runs`]), so a declaration under another name does not
    /// bypass it. If a name is declared several times, the first declaration is used, and
    /// `tool_bundle.declaration_conflict` reports a different one. An invalid declaration is omitted with
    /// `tool_bundle.malformed_declaration`.
    ///
    /// A limit that is not a list of names allows no tool, and `tool_bundle.malformed_limit` reports it: a malformed
    /// limit must fail closed.
    ///
    /// ```
    /// use hook_sdk::prelude::*;
    ///
    /// let all = Contributions::from(vec![
    ///     Contribution::tool_bundle("files", ["fs_read", "fs_write"]),
    ///     Contribution::tool_limit("read_only", ["fs_read", "search"]),
    /// ]);
    /// let tools = all.tool_bundles();
    /// assert_eq!(tools.added, [&"fs_read".into()]);
    /// assert!(tools.allows("search") && !tools.allows("fs_write"));
    /// ```
    pub fn tool_bundles(&self) -> Tools<'_> {
        let mut joined = Tools { added: Vec::new(), allowed: None, diagnostics: Vec::new() };
        for one in self.iter() {
            let Contribution::ToolBundle { id, tools, allow } = one else { continue };
            for tool in tools {
                let wrong = if let Some(problem) = tool.problem() {
                    let text =
                        format!("the tool `{}` of the tool bundle `{id}` {problem}, so it is omitted", tool.name);
                    Some(("tool_bundle.malformed_declaration", text))
                } else if let Some(first) = joined.added.iter().find(|added| added.name == tool.name) {
                    let text = format!(
                        "several hooks declare the tool `{}` differently; the first declaration is used",
                        tool.name
                    );
                    (*first != tool).then_some(("tool_bundle.declaration_conflict", text))
                } else {
                    joined.added.push(tool);
                    None
                };
                if let Some((code, text)) = wrong {
                    report(&mut joined.diagnostics, Diagnostic::new(code, text));
                }
            }
            let Some(limit) = allow else { continue };
            let limit = names(limit).unwrap_or_else(|| {
                let text = format!(
                    "the limit of the tool bundle `{id}` is not a list of names, so it allows no tool; write [\"fs_read\", …]"
                );
                report(&mut joined.diagnostics, Diagnostic::new("tool_bundle.malformed_limit", text));
                Vec::new()
            });
            match &mut joined.allowed {
                Some(allowed) => allowed.retain(|tool| limit.contains(tool)),
                none => *none = Some(limit),
            }
        }
        if let Some(allowed) = &joined.allowed {
            joined.added.retain(|tool| allowed.contains(&tool.runs()));
        }
        joined
    }
}

/// The names of a limit, sorted, without duplicates; `None` if anything in it is not a name.
fn names(limit: &Value) -> Option<Vec<&str>> {
    let name = |value| Value::as_str(value).filter(|name| !name.trim().is_empty());
    let mut names = limit.as_array()?.iter().map(name).collect::<Option<Vec<&str>>>()?;
    names.sort_unstable();
    names.dedup();
    Some(names)
}
