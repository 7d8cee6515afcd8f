//! The report of a run, as text or as JSON.

use std::io::{self, Write};
use std::time::Duration;

use hook_sdk::diagnostics::Finding;

use crate::desk::Desk;
use crate::glimpse::Glimpse;
use crate::summary::Summary;
use crate::tally::Row;

/// Prints the plan of the hooks in force, and the findings of the audit.
///
/// # Errors
/// Errors of writing to `to`.
pub fn plan(to: &mut impl Write, desk: &Desk, findings: &[Finding]) -> io::Result<()> {
    writeln!(to, "{}", desk.hooks())?;
    if findings.is_empty() {
        return writeln!(to, "audit: no findings");
    }
    writeln!(to, "audit, the desk's prompts included:")?;
    findings.iter().try_for_each(|finding| writeln!(to, "  {finding}"))
}

/// Prints the summary as JSON.
///
/// # Errors
/// Errors of writing to `to`.
pub fn json(to: &mut impl Write, summary: &Summary) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *to, summary)?;
    writeln!(to)
}

/// Prints the summary as text.
///
/// # Errors
/// Errors of writing to `to`.
pub fn text(to: &mut impl Write, summary: &Summary, glimpses: &[Glimpse]) -> io::Result<()> {
    for glimpse in glimpses {
        writeln!(to, "{}", glimpse.what)?;
        writeln!(to, "  - {}", glimpse.before)?;
        writeln!(to, "  + {}\n", glimpse.after)?;
    }
    table(to, &summary.hooks)?;
    for row in summary.hooks.iter().filter(|row| row.failures > 0) {
        writeln!(to, "\n{} failed {}; what it had changed by then was dropped:", row.hook, times(row.failures))?;
        // A cause can have several lines. The first one suffices.
        row.causes.iter().try_for_each(|cause| writeln!(to, "  {}", cause.lines().next().unwrap_or_default()))?;
    }
    let totals = &summary.totals;
    writeln!(
        to,
        "\n{} conversations: {} messages in, {} out; {} tool calls: {} not run, {} asked about and approved",
        totals.conversations, totals.messages_in, totals.messages_out, totals.calls, totals.refused, totals.approved,
    )?;
    tools(to, summary)?;
    let skipped = summary.skipped.len();
    if skipped > 0 {
        writeln!(to, "{skipped} {} skipped", if skipped == 1 { "line was" } else { "lines were" })?;
    }
    writeln!(to, "done in {}", short(summary.time))
}

fn table(to: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let width = |text: fn(&Row) -> usize, head: &str| rows.iter().map(text).max().unwrap_or(0).max(head.len());
    let (hook, kind) = (width(|row| row.hook.len(), "HOOK"), width(|row| row.kind.len(), "KIND"));
    writeln!(
        to,
        "{:kind$}  {:hook$}  {:>6} {:>8} {:>7} {:>6} {:>7} {:>9}",
        "KIND", "HOOK", "RUNS", "CHANGES", "DENIED", "ASKED", "FAILED", "TIME"
    )?;
    let mut last = "";
    for row in rows {
        // Omit repeated kinds, and show a dot instead of zeros.
        let name = if row.kind == last { "" } else { row.kind };
        last = row.kind;
        writeln!(
            to,
            "{name:kind$}  {:hook$}  {:>6} {:>8} {:>7} {:>6} {:>7} {:>9}",
            row.hook,
            row.runs,
            count(row.changes),
            count(row.denials),
            count(row.asks),
            count(row.failures),
            short(row.time),
        )?;
    }
    Ok(())
}

fn tools(to: &mut impl Write, summary: &Summary) -> io::Result<()> {
    if summary.metrics.tools.is_empty() {
        return Ok(());
    }
    let tools = summary.metrics.tools.iter().map(|(name, tool)| {
        let errors = if tool.errors > 0 { format!(", an error {}", times(tool.errors)) } else { String::new() };
        let time = if tool.time > Duration::ZERO { format!(", {}", short(tool.time)) } else { String::new() };
        format!("{name} {}{errors}{time}", times(tool.runs))
    });
    writeln!(to, "tools that ran: {}", tools.collect::<Vec<_>>().join("; "))
}

fn count(number: u64) -> String {
    if number == 0 { "·".to_owned() } else { number.to_string() }
}

fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

/// A short form, such as `1.2 ms` instead of `1.234567ms`.
fn short(time: Duration) -> String {
    if time < Duration::from_millis(1) {
        format!("{} µs", time.as_micros())
    } else if time < Duration::from_secs(1) {
        format!("{:.1} ms", time.as_secs_f64() * 1e3)
    } else {
        format!("{:.2} s", time.as_secs_f64())
    }
}
