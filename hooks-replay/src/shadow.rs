//! Reports what hooks in shadow mode would have decided, from a recording.

use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;

use serde::Serialize;

use crate::compare::reason;
use crate::line::{DispatchLine, RecordingLine, RunLine};
use crate::reader::{Gaps, Reader};
use crate::report::plain;

/// What the hooks in shadow mode would have decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShadowReport {
    /// An entry per hook and kind.
    pub hooks: Vec<ShadowHook>,
    /// What is missing in the recordings.
    #[serde(flatten)]
    pub gaps: Gaps,
}

/// A hook in shadow mode, at one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShadowHook {
    /// The hook.
    pub hook: String,
    /// The kind.
    pub kind: String,
    /// The number of runs.
    pub runs: usize,
    /// The number of decisions that it would have made, by decision and reason.
    pub decisions: BTreeMap<String, BTreeMap<String, usize>>,
    /// The number of times that it would have changed the subject.
    pub changes: usize,
    /// The number of failures, by cause.
    pub failures: BTreeMap<String, usize>,
}

impl ShadowReport {
    /// Adds a recording.
    pub fn add<R: BufRead>(&mut self, lines: Reader<R>) {
        for (_, line) in lines {
            self.gaps.note(&line);
            if let Ok(RecordingLine::Dispatch(line)) = line {
                self.dispatch(&line);
            }
        }
    }

    fn dispatch(&mut self, line: &DispatchLine) {
        // A hook that was skipped had no say, in shadow or not.
        let ran = |run: &&RunLine| run.shadow && !run.status.starts_with("skipped");
        for run in line.runs.iter().flatten().filter(ran) {
            self.of(&run.hook, &line.kind).note(run);
        }
    }

    fn of(&mut self, hook: &str, kind: &str) -> &mut ShadowHook {
        let at = self.hooks.iter().position(|known| known.hook == hook && known.kind == kind).unwrap_or_else(|| {
            self.hooks.push(ShadowHook { hook: hook.to_owned(), kind: kind.to_owned(), ..ShadowHook::default() });
            self.hooks.len() - 1
        });
        &mut self.hooks[at]
    }
}

impl ShadowHook {
    fn note(&mut self, run: &RunLine) {
        self.runs += 1;
        self.changes += usize::from(run.changes().is_some());
        if let Some(word) = &run.word {
            let reason = reason(&run.verdict).unwrap_or_default();
            *self.decisions.entry(word.clone()).or_default().entry(reason).or_default() += 1;
        }
        if let Some(cause) = &run.cause {
            *self.failures.entry(cause.clone()).or_default() += 1;
        }
    }
}

impl fmt::Display for ShadowReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hooks.is_empty() {
            writeln!(f, "no hook ran in shadow")?;
        }
        for hook in &self.hooks {
            let runs = hook.runs;
            writeln!(f, "`{}` at {}, {runs} runs", plain(&hook.hook), plain(&hook.kind))?;
            for (word, reasons) in &hook.decisions {
                let count = reasons.values().sum::<usize>();
                writeln!(f, "  would have decided `{}` {count} of {runs} times", plain(word))?;
                for (reason, count) in reasons.iter().filter(|(reason, _)| !reason.is_empty()) {
                    writeln!(f, "    {count:>6} × {}", plain(reason))?;
                }
            }
            if hook.changes > 0 {
                writeln!(f, "  would have changed the subject {} of {runs} times", hook.changes)?;
            }
            for (cause, count) in &hook.failures {
                writeln!(f, "  failed {count} of {runs} times: {}", plain(cause))?;
            }
        }
        write!(f, "{}", self.gaps)
    }
}
