//! The report as a self-contained HTML file.

use std::fmt::Write;

use super::{Example, Group, ReplayReport, Slower};
use crate::compare::Difference;

const STYLE: &str = include_str!("report.css");

impl ReplayReport {
    /// An HTML page with the whole report. It loads no resources.
    pub fn to_html(&self) -> String {
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>Replay: {} of {} differ</title>\n\
             <style>{STYLE}</style>\n<h1>{}</h1>\n",
            self.differing,
            self.replayed,
            self.headline()
        );
        if self.has_flips() {
            page.push_str("<p>A red bar marks a changed decision, a grey bar any other difference.</p>\n");
        }
        for group in &self.groups {
            put_group(&mut page, group);
        }
        list(
            &mut page,
            "Not started, because they outlive their dispatch",
            self.not_started.iter().map(|(hook, count)| format!("{count} × {hook}")),
        );
        let took = |slower: &Slower| {
            let Slower { hook, recorded, replayed } = slower;
            format!("{hook} takes {replayed} µs instead of {recorded} µs (medians)")
        };
        list(&mut page, "Slower", self.slower.iter().map(took));
        let other = self.other.iter().map(|(what, count)| format!("{count} × {what}"));
        list(&mut page, "Lines with nothing for hooks", other);
        let more = self.failed.saturating_sub(self.problems.len());
        let more = (more > 0).then(|| format!("and {more} more"));
        let problems = self.problems.iter().cloned().chain(more);
        list(&mut page, &format!("{} could not be replayed", self.failed), problems);
        for note in self.notes() {
            put(&mut page, format_args!("<p>{}</p>\n", escaped(&note)));
        }
        page
    }
}

fn put_group(page: &mut String, group: &Group) {
    let after = group.aside();
    let class = if group.is_flip() { "flip" } else { "change" };
    let shows_text = |example: &Example| matches!(example.difference, Difference::Rewrite { .. });
    let open = if group.is_flip() || group.examples.iter().any(shows_text) { " open" } else { "" };
    let hook = group.hook.as_deref().map(|hook| format!(" <code>{}</code>", escaped(hook))).unwrap_or_default();
    put(
        page,
        format_args!(
            "<details{open} class=\"{class}\"><summary><b>{} ×</b> <code>{}</code>{hook} {}{after}</summary>\n",
            group.count,
            escaped(&group.kind),
            escaped(&group.title)
        ),
    );
    for example in &group.examples {
        put(page, format_args!("<p>{}</p>\n", escaped(&example.at())));
        if let Some(diff) = example.difference.diff() {
            put_diff(page, diff);
        }
        match &example.difference {
            Difference::Rewrite { followed, .. } if !followed.is_empty() => {
                put(page, format_args!("<p>Hooks that differ as a result: {}</p>\n", escaped(&followed.join(", "))));
            }
            Difference::Status { cause: Some(cause), .. } => {
                put(page, format_args!("<pre>{}</pre>\n", escaped(cause)));
            }
            _ => {}
        }
    }
    let more = group.count.saturating_sub(group.examples.len());
    if more > 0 {
        put(page, format_args!("<p>and {more} more</p>\n"));
    }
    page.push_str("</details>\n");
}

fn put_diff(page: &mut String, diff: &str) {
    page.push_str("<pre>");
    for line in diff.lines().filter(|line| !line.starts_with("@@")) {
        let tag = match line.as_bytes().first() {
            Some(b'+') => "ins",
            Some(b'-') => "del",
            _ => "span",
        };
        put(page, format_args!("<{tag}>{}</{tag}>", escaped(line)));
    }
    page.push_str("</pre>\n");
}

fn list(page: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.map(|item| format!("<li>{}</li>\n", escaped(&item))).collect();
    if !items.is_empty() {
        put(page, format_args!("<h2>{}</h2>\n<ul>\n{}</ul>\n", escaped(title), items.concat()));
    }
}

fn put(page: &mut String, text: std::fmt::Arguments<'_>) {
    // Infallible, because it is a `String`.
    let _ = page.write_fmt(text);
}

/// Escapes recorded text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
