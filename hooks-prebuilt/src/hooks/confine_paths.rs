//! `confine_paths`: paths in the arguments of tools stay below given folders.

mod resolve;

use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;

use hook_sdk::hook;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use regex::Regex;
use serde_json::Value;
use wildmatch::WildMatch;

use crate::fields::FieldsOf;
use crate::parameters::{Fields, from_fields, rows};

/// The parameters of `confine_paths`.
#[derive(Clone, Debug)]
pub struct ConfinePaths {
    fields: FieldsOf,
    roots: Vec<String>,
    /// Names of files and folders that no path may contain.
    deny: Vec<WildMatch>,
}

from_fields!(ConfinePaths, |fields: &mut Fields| {
    let roots: Vec<String> =
        fields.required("roots", r#"the folders below which paths stay, such as ["/srv/files"] or ["."]"#);
    if roots.iter().any(|root| root.is_empty() || root.starts_with(['~', '$'])) {
        fields.problem("`roots` are folders such as `/srv/files`, or `.` for the workspace, without `~` and variables");
    }
    let deny: Option<Vec<String>> = fields.optional("deny");
    let usual = || rows(include_str!("../../data/private_names.txt")).map(str::to_owned).collect();
    let deny = deny.unwrap_or_else(usual);
    if let Some(name) = deny.iter().find(|name| name.contains('/')) {
        fields.problem(format_args!("`deny`: `{name}` is not the name of one file or folder"));
    }
    ConfinePaths {
        fields: FieldsOf::required(fields, r#"{"read_*": ["path"]}"#),
        roots,
        deny: deny.iter().map(|name| WildMatch::new_case_insensitive(name)).collect(),
    }
});

impl ConfinePaths {
    /// Judges a call by the paths in its arguments. Relative ones, and relative roots, begin in `workspace`.
    ///
    /// # Errors
    /// The path that is outside, denied, or cannot be read.
    pub fn judge(&self, tool: &str, input: &Value, workspace: Option<&Path>) -> Result<(), String> {
        for path in self.fields.texts(tool, input, "a path")? {
            self.check(path, workspace)
                .map_err(|because| format!("the path `{}` is denied: {because}", path.escape_debug()))?;
        }
        Ok(())
    }

    fn check(&self, path: &str, workspace: Option<&Path>) -> Result<(), String> {
        // What a tool may read in another way than the system.
        if path.is_empty() || path.starts_with(['~', '$']) || path.chars().any(char::is_control) || is_url(path) {
            return Err("write it as a plain path".to_owned());
        }
        if cfg!(unix) && path.contains('\\') {
            return Err("write it with slashes".to_owned());
        }
        let absolute = |path: &str| match (Path::new(path).is_absolute(), workspace) {
            (true, _) => Ok(Path::new(path).to_path_buf()),
            (false, Some(workspace)) if workspace.is_absolute() => Ok(workspace.join(path)),
            (false, _) => Err(format!("`{path}` is relative, and the context has no workspace")),
        };
        let written = absolute(path)?;
        let real = resolve::real(&written)?;
        for root in &self.roots {
            let root = absolute(root)?;
            // A root may be a link itself.
            let Some(inside) = resolve::real(&root).ok().and_then(|root| real.strip_prefix(root).ok()) else {
                continue;
            };
            // The folders above a root are the choice of whoever wrote the list.
            for path in [inside, written.strip_prefix(&root).unwrap_or(&written)] {
                for name in path.iter().map(OsStr::to_string_lossy) {
                    // A system may ignore spaces and dots at the end of a name, and take `ſ` for `s`.
                    let folded = name.to_uppercase().to_lowercase();
                    let spellings = [&*name, name.trim_end_matches([' ', '.']), folded.trim_end_matches([' ', '.'])];
                    if self.deny.iter().any(|denied| spellings.iter().any(|name| denied.matches(name))) {
                        return Err(format!("`{name}` may not be used"));
                    }
                    if let Some(denied) = self.deny.iter().find(|denied| finds(&name, &denied.pattern())) {
                        return Err(format!("`{name}` may find `{denied}`, which may not be used"));
                    }
                }
            }
            return Ok(());
        }
        Err(format!("it is not below `{}`", self.roots.join("`, `")))
    }
}

/// Whether a tool that reads patterns finds a denied name by this one. `**` is a way to folders, not a name.
fn finds(pattern: &str, denied: &str) -> bool {
    static GROUPS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[[^\]]*\]").ok());
    if pattern == "**" || !pattern.contains(['*', '?', '[', '{']) {
        return false;
    }
    let Some(groups) = &*GROUPS else { return true };
    let open = groups.replace_all(pattern, "?");
    let open = open.find('{').map_or(open.to_string(), |at| format!("{}*", &open[..at]));
    WildMatch::new_case_insensitive(&open).matches(&denied.replace('*', ""))
}

/// Whether a tool may read it as an address: `file:/etc/passwd`.
fn is_url(path: &str) -> bool {
    let scheme = path.split_once(':').map_or("", |(scheme, _)| scheme);
    path.contains("://") || ["file", "data", "jar", "zip"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Denies calls with paths outside the given folders. A path can still change between this and its use: tools that can
/// should open files relative to a folder, without following links.
#[hook(kind = before_tool_call)]
pub fn confine_paths(
    cx: &HookContext,
    paths: &With<ConfinePaths>,
    event: &BeforeToolCall,
    input: &ToolInput,
) -> Permission {
    paths.judge(&event.call.name, input, cx.workspace()).map_or_else(Permission::deny, |()| Permission::NoOpinion)
}
