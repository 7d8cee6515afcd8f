//! Finds commands that cannot run, which the text of a rule does not show.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use super::rules::Rules;
use crate::event::Event;
use crate::filter::{bash_only, first_command};
use crate::paths::find_program;
use crate::rule::{Action, FailureMode, Rule, Shell};
use crate::runner::ActiveRule;
use crate::syntax::Defect;

/// Programs that run the file in their first argument.
const INTERPRETERS: &[&str] =
    &["sh", "bash", "dash", "zsh", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "pwsh"];

const PATH_HELP: &str = "write the path from the project's folder, or from `$CLAUDE_PROJECT_DIR`";

/// Builtins and reserved words of the shell.
const BUILTINS: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "fg", "for", "getopts", "hash", "if", "jobs", "kill", "local", "printf", "pwd", "read",
    "readonly", "return", "set", "shift", "source", "test", "time", "times", "trap", "true", "type", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while",
];

impl Rules {
    /// Finds reasons why commands would fail on this machine: a script that does not exist, is not executable or has a
    /// missing interpreter, a plugin variable in a settings file, syntax that `sh` does not support. A
    /// [`Hint`](crate::Severity::Hint) names guards that let a call through when they fail. Runs nothing.
    pub fn inspect(&self) -> Vec<Defect> {
        let project = &self.shared().environment.project;
        let state = self.state();
        let of_rules = state.active.iter().flat_map(|active| of_rule(active, project));
        of_rules.chain(open_guards(&state.active)).collect()
    }
}

/// One hint per file for the rules that may refuse a tool call, and whose failure allows it without the file saying so.
fn open_guards(rules: &[Arc<ActiveRule>]) -> Vec<Defect> {
    let mut by_file: BTreeMap<&Arc<Path>, Vec<&Rule>> = BTreeMap::new();
    for active in rules {
        let rule = &active.rule;
        let may_refuse = matches!(rule.event, Event::PreToolUse | Event::PermissionRequest) && !rule.detached;
        if may_refuse && !rule.on_failure_is_written && matches!(rule.action, Action::Command(_) | Action::Http(_)) {
            by_file.entry(&rule.file).or_default().push(rule);
        }
    }
    let hint = |(file, rules): (&Arc<Path>, Vec<&Rule>)| {
        let lines: Vec<_> = rules.iter().map(|rule| rule.line.to_string()).collect();
        let problem = match lines.as_slice() {
            [_] => "if this rule fails, the call goes on".to_owned(),
            lines => format!("if one of these rules fails, the call goes on: lines {}", lines.join(", ")),
        };
        let help = "write `\"onFailure\": \"block\"` for a guard, or `\"continue\"` if that is intended";
        Defect::of_rule(file, rules[0].line, rules[0].column, problem, help).hint()
    };
    by_file.into_iter().map(hint).collect()
}

fn of_rule(active: &ActiveRule, project: &Path) -> Vec<Defect> {
    let rule = &active.rule;
    let Action::Command(line) = &rule.action else { return Vec::new() };
    let variables = active.owner.variables(project);
    let mut found = Vec::new();
    let mut report = |problem: String, help: &str| {
        found.push(Defect::of_rule(&rule.file, rule.line, rule.column, problem, help).warning());
    };
    let all = || std::iter::once(&line.command).chain(line.args.iter().flatten());
    let of_a_plugin = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"];
    if let Some(name) =
        of_a_plugin.iter().find(|name| all().any(|word| word.contains(**name)) && !variables.contains_key(**name))
    {
        let is_a_plugins = rule.file.ends_with("hooks/hooks.json");
        if !is_a_plugins {
            report(
                format!("`${name}` is set for plugins only; here it is empty"),
                "write `$CLAUDE_PROJECT_DIR`, or a full path",
            );
        }
        return found;
    }
    if line.shell != Shell::Sh {
        return found;
    }
    let fill = |text: &str| {
        variables.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value)
        })
    };
    let words = match &line.args {
        Some(args) => Some(std::iter::once(fill(&line.command)).chain(args.iter().map(|arg| fill(arg))).collect()),
        None => {
            if let Some(what) = bash_only(&line.command) {
                report(
                    format!("`{what}` is bash's, and the line goes to `sh`"),
                    "run `bash -c '…'`, or a script of bash",
                );
            }
            first_command(&fill(&line.command))
        }
    };
    if let Some((problem, help)) = words.and_then(|words: Vec<String>| cannot_run(&words, project)) {
        // Commands of a plugin run in the project's folder too, which does not contain its scripts.
        let is_path = help == PATH_HELP && active.owner.plugin().is_some();
        let problem = match rule.on_failure {
            FailureMode::Block => problem.replace("which denies nothing", "and `onFailure: block` denies"),
            _ => problem,
        };
        report(problem, if is_path { "write the path from `$CLAUDE_PLUGIN_ROOT`" } else { help });
    }
    found
}

/// Why this command cannot run, as far as the file system shows.
fn cannot_run(words: &[String], project: &Path) -> Option<(String, &'static str)> {
    let (program, args) = words.split_first()?;
    if !program.contains('/') {
        if BUILTINS.contains(&program.as_str()) {
            return None;
        }
        if find_program(program).is_none() {
            let problem = format!("there is no program `{program}`: it exits with code 127, which denies nothing");
            return Some((problem, "install it, or name the one that is there"));
        }
        let script = args.iter().find(|arg| !arg.starts_with('-'))?;
        let is_a_script =
            INTERPRETERS.contains(&program.as_str()) && args.first() == Some(script) && script.contains('.');
        let missing = is_a_script && !project.join(script).exists();
        let problem =
            format!("there is no file `{script}`: `{program}` fails, and with code 2 it would deny every call");
        return missing.then_some((problem, PATH_HELP));
    }
    let path = project.join(program);
    let Ok(file) = std::fs::metadata(&path) else {
        let problem = format!("there is no file `{program}`: it exits with code 127, which denies nothing");
        return Some((problem, PATH_HELP));
    };
    if !is_executable(&file) {
        let problem = format!("`{program}` is not executable: it exits with code 126, which denies nothing");
        return Some((problem, "run `chmod +x` on it"));
    }
    let interpreter = interpreter(&path).filter(|name| find_program(name).is_none())?;
    let problem = format!("`{program}` needs `{interpreter}`, which does not exist: it exits with code 127");
    Some((problem, "install it, or name another one on the script's first line"))
}

/// The interpreter in the first line of a script.
fn interpreter(script: &Path) -> Option<String> {
    let mut start = Vec::new();
    std::fs::File::open(script).ok()?.take(256).read_to_end(&mut start).ok()?;
    let text = String::from_utf8_lossy(&start);
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let program = words.next()?;
    if program.ends_with("/env") {
        return words.find(|word| !word.starts_with('-') && !word.contains('=')).map(str::to_owned);
    }
    Some(program.to_owned())
}

#[cfg(unix)]
fn is_executable(file: &std::fs::Metadata) -> bool {
    file.is_dir() || std::os::unix::fs::PermissionsExt::mode(&file.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}
