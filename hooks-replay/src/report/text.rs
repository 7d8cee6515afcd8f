//! The report as text for a terminal.

use std::collections::BTreeSet;
use std::fmt;

use super::{Example, Group, ReplayReport, Slower};
use crate::compare::Difference;

impl fmt::Display for ReplayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        let gone: BTreeSet<&str> = self.groups.iter().filter_map(Group::gone).collect();
        if !gone.is_empty() {
            let names = gone.iter().map(|hook| format!("`{hook}`")).collect::<Vec<_>>().join(", ");
            writeln!(f, "removed hooks: {names}")?;
        }
        for group in self.groups.iter().filter(|group| !group.is_of_list()) {
            writeln!(f, "\n{group}")?;
            for example in &group.examples {
                write!(f, "{example}")?;
            }
        }
        let of_list: Vec<_> = self.groups.iter().filter(|group| group.is_of_list()).collect();
        if !of_list.is_empty() {
            writeln!(f, "\nhooks that only one of both has:")?;
            of_list.iter().try_for_each(|group| writeln!(f, "{group}"))?;
        }
        if !self.not_started.is_empty() {
            writeln!(f, "\nnot started, because they outlive their dispatch:")?;
            for (hook, count) in &self.not_started {
                writeln!(f, "{count:>6} × `{hook}`")?;
            }
        }
        for Slower { hook, recorded, replayed } in &self.slower {
            writeln!(f, "\n`{hook}` takes {replayed} µs instead of {recorded} µs (medians)")?;
        }
        if !self.other.is_empty() {
            let other = self.other.iter().map(|(what, count)| format!("{count} × {what}"));
            writeln!(f, "\nlines with nothing for hooks: {}", other.collect::<Vec<_>>().join(", "))?;
        }
        for note in self.notes() {
            writeln!(f, "\n{note}")?;
        }
        if self.failed > 0 {
            writeln!(f, "\n{} could not be replayed:", self.failed)?;
            for problem in &self.problems {
                writeln!(f, "       {problem}")?;
            }
            if self.failed > self.problems.len() {
                writeln!(f, "       and {} more", self.failed - self.problems.len())?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hook = self.hook.as_deref().map(|hook| format!("`{hook}` ")).unwrap_or_default();
        write!(f, "{:>6} × {} {hook}{}{}", self.count, self.kind, self.title, self.aside())
    }
}

impl Example {
    /// The place: line, conversation and call.
    pub(super) fn at(&self) -> String {
        let conversation = self.conversation.as_ref().map(|conversation| format!(" ({conversation})"));
        let call = self.call.as_ref().map(|call| format!(" {} {}", call.tool, call.id));
        [Some(self.place.clone()), conversation, call].into_iter().flatten().collect()
    }
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "         {}", self.at())?;
        for line in self.difference.diff().into_iter().flat_map(str::lines).filter(|line| !line.starts_with("@@")) {
            writeln!(f, "           {line}")?;
        }
        match &self.difference {
            Difference::Rewrite { followed, .. } if !followed.is_empty() => {
                writeln!(f, "           hooks that differ as a result: {}", followed.join(", "))
            }
            Difference::Status { cause: Some(cause), .. } => {
                cause.lines().try_for_each(|line| writeln!(f, "           {line}"))
            }
            _ => Ok(()),
        }
    }
}
