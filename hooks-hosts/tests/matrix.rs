//! What each host carries: `TABLES.md` and the table of the book, written from the tables of the hosts, and held to what their
//! contracts say.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hooks_hosts::{Carried, Carries, HookPoint, Host, all};

fn word(carried: Carried) -> &'static str {
    match carried {
        Carried::Yes => "yes",
        Carried::IfAllowed => "with allow",
        Carried::Degraded => "degraded",
        Carried::Dropped => "dropped",
        Carried::Impossible => "impossible",
        _ => "–",
    }
}

fn first(host: &Host, kind: HookPoint) -> Option<Carries> {
    host.events().find(|event| event.kind == kind).map(|event| event.carries)
}

/// Before a call: deny, ask, rewrite, context. After: replace, context. Prompt: deny, context. Stop: keep going.
fn summary(host: &Host) -> [&'static str; 9] {
    let none = || "none";
    let of = |kind, field: fn(Carries) -> Carried| first(host, kind).map_or_else(none, |carries| word(field(carries)));
    let (before, after) = (HookPoint::BeforeToolCall, HookPoint::AfterToolCallSuccess);
    let (prompt, stop) = (HookPoint::UserPromptSubmit, HookPoint::Stop);
    [
        of(before, |c| c.deny),
        of(before, |c| c.ask),
        of(before, |c| c.rewrite),
        of(before, |c| c.context),
        of(after, |c| c.replace),
        of(after, |c| c.context),
        of(prompt, |c| c.deny),
        of(prompt, |c| c.context),
        of(stop, |c| c.keep_going),
    ]
}

/// The contracts, in one line per host.
const CONTRACTS: &str = "
claude      yes yes      yes        yes      yes        yes      yes        yes     yes
codex       yes degraded yes        yes      yes        yes      yes        yes     yes
copilot     yes yes      yes        dropped  yes        yes      impossible yes     yes
vscode      yes yes      yes        yes      impossible yes      yes        yes     yes
gemini      yes yes      yes        dropped  degraded   yes      yes        yes     yes
antigravity yes yes      yes        dropped  impossible dropped  none       none    yes
cursor      yes degraded yes        dropped  yes        yes      yes        yes     yes
windsurf    yes degraded degraded   dropped  impossible dropped  yes        dropped impossible
kiro        yes yes      degraded   dropped  impossible dropped  yes        yes     yes
qwen        yes yes      yes        yes      degraded   yes      yes        yes     yes
droid       yes yes      with_allow dropped  impossible yes      yes        yes     yes
goose       yes degraded degraded   dropped  impossible dropped  impossible dropped yes
cline       yes degraded degraded   yes      impossible yes      yes        dropped impossible
";

#[test]
fn every_host_carries_what_its_contract_says() {
    let lines: Vec<&str> = CONTRACTS.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), all().len());
    for (line, host) in lines.into_iter().zip(all()) {
        let words: Vec<String> = line.split_whitespace().map(|word| word.replace('_', " ")).collect();
        let mut carried = vec![host.name];
        carried.extend(summary(host));
        assert_eq!(carried, words);
    }
}

/// The answers that are carried as they are, and what becomes of the others.
fn words(c: Carries) -> (Vec<&'static str>, Vec<String>) {
    let answers = [
        ("deny", c.deny),
        ("ask", c.ask),
        ("rewrite", c.rewrite),
        ("allow", c.allow),
        ("context", c.context),
        ("replace", c.replace),
        ("go on", c.keep_going),
    ];
    let (yes, others): (Vec<_>, Vec<_>) = answers
        .into_iter()
        .filter(|(_, carried)| *carried != Carried::Absent)
        .partition(|(_, carried)| *carried == Carried::Yes);
    let mut becomes: Vec<(&str, Vec<&str>)> = Vec::new();
    for (answer, carried) in others {
        match becomes.iter_mut().find(|(becomes, _)| *becomes == word(carried)) {
            Some((_, answers)) => answers.push(answer),
            None => becomes.push((word(carried), vec![answer])),
        }
    }
    let others = becomes.into_iter().map(|(word, answers)| format!("{word}: {}", answers.join(", "))).collect();
    (yes.into_iter().map(|(answer, _)| answer).collect(), others)
}

/// The table of one host: its events, which answers it carries there, and what becomes of others. Events of one kind that
/// carry the same share a row.
fn table(host: &Host) -> String {
    let mut text = format!("\n#### {} (`{}`)\n\nFacts: {}.\n\n", host.title, host.name, host.facts);
    text += "| Events | Kind | Carried | Otherwise |\n|---|---|---|---|\n";
    let mut rows: Vec<(String, String, Carries)> = Vec::new();
    for event in host.events() {
        let name = format!("`{}`", event.name);
        let kinds: Vec<String> = event.kinds().map(|kind| format!("`{}`", kind.name())).collect();
        let kinds = kinds.join(" ");
        match rows.iter_mut().find(|(_, kind, carries)| *kind == kinds && *carries == event.carries) {
            Some((names, ..)) => names.extend([" ", &name]),
            None => rows.push((name, kinds, event.carries)),
        }
    }
    for (names, kinds, c) in rows {
        let (yes, others) = words(c);
        let _ = writeln!(text, "| {names} | {kinds} | {} | {} |", yes.join(", "), others.join("; "));
    }
    let notices: Vec<String> = host.notices.split_whitespace().map(|name| format!("`{name}`")).collect();
    if !notices.is_empty() {
        let _ = write!(text, "\nNo kind fires at {}.\n", notices.join(", "));
    }
    text
}

fn tools() -> String {
    let mut text = String::from("\n| Tool of hooks | Its name at each host |\n|---|---|\n");
    let names = ["Bash", "Read", "Write", "Edit", "apply_patch", "Grep", "Glob", "WebFetch", "WebSearch", "Task"];
    for canonical in names {
        let of = |host: &&Host| {
            let tools = host.tools().filter(|tool| tool.canonical == canonical);
            let mut names: Vec<String> = Vec::new();
            for name in tools.map(|tool| format!("`{}`", tool.name)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            (!names.is_empty()).then(|| format!("{} {}", host.name, names.join(" ")))
        };
        let of_hosts: Vec<String> = all().iter().filter_map(of).collect();
        let _ = writeln!(text, "| `{canonical}` | {} |", of_hosts.join("; "));
    }
    text
}

/// What each host carries at the points that most guards use, one row per host.
fn overview() -> String {
    let points =
        [HookPoint::BeforeToolCall, HookPoint::AfterToolCallSuccess, HookPoint::UserPromptSubmit, HookPoint::Stop];
    let mut text =
        String::from("\n| Host | Before a call | After a call | At a prompt | At the end |\n|---|---|---|---|---|\n");
    for host in all() {
        let carried = points.map(|kind| first(host, kind).map_or_else(String::new, |c| words(c).0.join(", ")));
        let _ = writeln!(text, "| `{}` | {} |", host.name, carried.join(" | "));
    }
    text
}

/// The hosts by what they carry before a call.
fn before_a_call() -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for host in all() {
        let carried = first(host, HookPoint::BeforeToolCall).map(|c| words(c).0.join(", ")).unwrap_or_default();
        match groups.iter_mut().find(|(group, _)| *group == carried) {
            Some((_, titles)) => titles.push(host.title),
            None => groups.push((carried, vec![host.title])),
        }
    }
    groups.sort_by_key(|(carried, _)| std::cmp::Reverse(carried.len()));
    let row = |(carried, titles): &(String, Vec<&str>)| format!("| {} | {carried} |", titles.join(", "));
    let rows: Vec<String> = groups.iter().map(row).collect();
    format!("\n| Agent program | Carries |\n|---|---|\n{}\n", rows.join("\n"))
}

/// The page with its parts between the marks replaced.
fn replaced(page: &str, parts: &[(&str, String)]) -> String {
    let mut written = page.to_owned();
    for (name, text) in parts {
        let from = format!("<!-- written: {name} -->\n");
        let start = written.find(&from).unwrap_or_else(|| panic!("the page has no part `{name}`")) + from.len();
        let end = start + written[start..].find("<!-- to here -->").unwrap();
        written.replace_range(start..end, &format!("{text}\n"));
    }
    written
}

#[test]
fn the_pages_show_the_tables() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tables: String = all().iter().map(|host| table(host)).collect();
    let pages = [
        ("TABLES.md", vec![("hosts", tables), ("host tools", tools())]),
        ("../docs/hosts.md", vec![("hosts", overview())]),
        ("../README.md", vec![("hosts", before_a_call())]),
    ];
    for (name, parts) in pages {
        let path = folder.join(name);
        let page = fs::read_to_string(&path).unwrap();
        let written = replaced(&page, &parts);
        if std::env::var_os("UPDATE_BOOK").is_some() {
            fs::write(&path, &written).unwrap();
        } else {
            assert!(page == written, "{name} is not what the tables say; run the test with UPDATE_BOOK=1");
        }
    }
}
