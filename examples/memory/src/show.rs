//! Shows a turn: prompt, reply, and the contributions of each phase.

use std::io::{self, Write};

use hook_sdk::verdict::Contribution;

use crate::app::Said;
use crate::fact::Fact;
use crate::worker::JobError;

/// The phases in order. Those after the reply are shown after it.
const PHASES: [&str; 6] = [
    "pre_policy",
    "pre_prompt_context",
    "post_preflight_prompt_context",
    "pre_tool_materialization",
    "pre_prompt_compile",
    "post_turn",
];

/// Shows a turn up to its last phase.
///
/// # Errors
/// If writing to `to` fails.
pub fn turn(to: &mut dyn Write, prompt: &str, said: &Said) -> io::Result<()> {
    writeln!(to, "you    {prompt}")?;
    for phase in PHASES {
        if phase == "post_turn" {
            writeln!(to, "agent  {}", said.reply)?;
        }
        let of = said.phases.iter().filter(|(kind, _)| *kind == phase);
        let lines: Vec<String> = of.flat_map(|(_, contributions)| contributions.iter()).map(line).collect();
        row(to, phase, &lines)?;
    }
    Ok(())
}

/// Waits for the jobs of a turn, and shows their results.
///
/// # Errors
/// If writing to `to` fails.
pub async fn jobs(to: &mut dyn Write, said: Said) -> io::Result<()> {
    for job in said.jobs {
        let kept = match job {
            Ok(pending) => pending.done().await,
            Err(error) => Err(error),
        };
        row(to, "after the reply", &[summary(kept)])?;
    }
    writeln!(to)?;
    to.flush()
}

fn summary(kept: Result<Vec<Fact>, JobError>) -> String {
    match kept {
        Ok(facts) if facts.is_empty() => "nothing to keep".to_owned(),
        Ok(facts) => format!("kept {}", facts.iter().map(|fact| fact.key.as_str()).collect::<Vec<_>>().join(", ")),
        Err(error) => format!("not done: {error}"),
    }
}

fn row(to: &mut dyn Write, name: &str, lines: &[String]) -> io::Result<()> {
    let mut name = name;
    if lines.is_empty() {
        return writeln!(to, "  {name:<30} nothing");
    }
    for line in lines {
        writeln!(to, "  {name:<30} {line}")?;
        name = "";
    }
    Ok(())
}

/// A short description of a contribution.
fn line(one: &Contribution) -> String {
    match one {
        Contribution::Policy { domain, key, value, .. } => format!("policy {domain}.{key} = {value}"),
        Contribution::PromptContext(context) => format!("context {}", context.text),
        Contribution::PromptSection(section) => format!("section {} at {}", section.title, section.order),
        Contribution::ToolBundle { tools, .. } => {
            format!("tools {}", tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>().join(", "))
        }
        Contribution::Audit(note) => format!("note for the audit: {}", note.message),
        Contribution::BackgroundJob { job, .. } => format!("job {job}"),
        _ => "something else".to_owned(),
    }
}
