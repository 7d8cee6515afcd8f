//! Whether a host really asks the hooks: its entries, an answer from end to end, and when it has called last.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::edit;
use crate::host::Host;
use crate::hosts;
use crate::install::Installation;
use crate::install::entry::event_of;
use crate::journal::{self, Entry};
use crate::place::words;
use crate::respond::Responder;
use crate::table::{Carried, HookPoint, HostEventSpec};

/// What `doctor` found out about a host.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The host.
    pub host: &'static str,
    /// The commands of this program in the host's files.
    pub commands: Vec<String>,
    /// What has to be done.
    pub problems: Vec<String>,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

impl Diagnosis {
    fn of(host: &Host) -> Self {
        Self { host: host.name, commands: Vec::new(), problems: Vec::new(), notes: Vec::new() }
    }

    fn add(&mut self, (problems, notes): (Vec<String>, Vec<String>)) {
        self.problems.extend(problems);
        self.notes.extend(notes);
    }

    /// What is wrong with the entries and the switches of the host.
    fn entries(&mut self, host: &Host, installation: &Installation) {
        self.problems.extend(switched_off(host, installation));
        self.add(installation.standing(host).unwrap_or_default());
    }

    /// What is wrong with the hooks at the host.
    fn hooks(&mut self, host: &Host, responder: &Responder) {
        self.problems.extend(never_fired(host, responder));
        self.add(unselected(host, responder));
        self.add(responder.told_of(host));
        self.notes.extend(unheard(host, responder));
    }

    /// The diagnosis as text.
    pub fn text(&self) -> String {
        let state = match (self.commands.len(), self.problems.len()) {
            (0, 0) => "not installed".to_owned(),
            (1, 0) => "1 event, in order".to_owned(),
            (events, 0) => format!("{events} events, in order"),
            (_, problems) => format!("{problems} to do"),
        };
        let mut text = format!("{}: {state}\n", self.host);
        for problem in &self.problems {
            let _ = writeln!(text, "  to do: {problem}");
        }
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        text
    }
}

/// Looks at one host.
/// Each entry has `patience` to answer; `install` gives the host 20 seconds.
pub fn diagnose(host: &Host, installation: &Installation, hooks: Option<&Responder>, patience: Duration) -> Diagnosis {
    let mut found = Diagnosis::of(host);
    match installation.installed(host) {
        Ok(commands) => found.commands = commands,
        Err(error) => found.problems.push(error.to_string()),
    }
    if found.commands.is_empty() {
        return found;
    }
    if let Some(responder) = hooks {
        found.hooks(host, responder);
        let is_installed = |event: &HostEventSpec| found.commands.iter().any(|command| event_of(command) == event.name);
        let absent = asked(host, responder).filter(|event| host.place.names(event.name) && !is_installed(event));
        let absent: Vec<String> =
            absent.map(|event| format!("`{}` is not installed; run `install` again", event.name)).collect();
        found.problems.extend(absent);
        found.problems.extend(responder.warnings.iter().cloned());
        let is_served = |command: &String| {
            let mut words = words(command).unwrap_or_default().into_iter();
            words.any(|word| word == "--serve" || word == "--socket")
        };
        found.problems.extend(uncounted(responder).filter(|_| !found.commands.iter().all(is_served)));
    }
    for command in &found.commands {
        if let Err(problem) = probe(host, &installation.program, command, patience) {
            found.problems.push(format!("`{command}`: {problem}"));
        }
    }
    if cfg!(panic = "abort") {
        found.problems.push("the program is built with `panic = \"abort\"`: a hook that panics opens".to_owned());
    }
    found.entries(host, installation);
    last_seen(host, installation, &mut found);
    twice(host, installation, &mut found);
    found.notes.push(format!("facts about {}: {}", host.title, host.facts));
    found
}

/// What `install` tells of a host too, because one would not see it in the files until a guard does not answer.
pub(crate) fn remarks(host: &Host, installation: &Installation, responder: &Responder) -> Vec<String> {
    let mut found = Diagnosis::of(host);
    found.entries(host, installation);
    found.notes.clear();
    found.hooks(host, responder);
    [found.problems, found.notes].concat()
}

/// The events at which hooks run.
pub(crate) fn asked(host: &Host, responder: &Responder) -> impl Iterator<Item = HostEventSpec> {
    host.events().filter(|event| event.kinds().any(|kind| responder.is_concerned(kind)))
}

/// What keeps the host from calling this program, and the file that says so.
fn switched_off(host: &Host, installation: &Installation) -> Option<String> {
    let (place, own, home) = (host.place, installation.file(&host.place, ""), std::env::home_dir());
    // The host takes the word of the first that has one.
    let local = (host.name == "claude" && !installation.user).then(|| own.with_file_name("settings.local.json"));
    let user = home.iter().map(|home| place.of_person(home, place.user)).filter(|file| *file != own);
    let machine = Some(PathBuf::from(place.machine)).filter(|_| !place.machine.is_empty());
    let files: Vec<PathBuf> = local.into_iter().chain([own.clone()]).chain(user).chain(machine).collect();
    let of_person = |file: &str| home.iter().map(|home| place.of_person(home, file)).collect::<Vec<_>>();
    let below = |file: &str| [installation.below(&place, file)].into_iter().chain(of_person(file)).collect();
    let others = place.switches.iter().map(|(file, pointer, off)| (below(file), *pointer, *off));
    for (files, pointer, off) in place.off.map(|(pointer, off)| (files.clone(), pointer, off)).into_iter().chain(others)
    {
        let word = files.into_iter().find_map(|file| Some((word(&file, pointer)?, file)));
        if let Some((_, file)) = word.filter(|(word, _)| *word == off) {
            let path = pointer[1..].replace('/', ".");
            return Some(format!("`{path}: {off}` in {} switches all hooks off", file.display()));
        }
    }
    let (name, commands) = (installation.name(), installation.installed(host).unwrap_or_default());
    let is_ours = |named: &&str| *named == name || commands.iter().any(|command| command == named);
    // The lists of all files are joined.
    files.iter().filter(|_| place.off.is_some_and(|(pointer, _)| pointer.starts_with("/hooksConfig"))).find_map(
        |file| {
            let root = edit::parse(&fs::read_to_string(file).ok()?).ok()?;
            let named =
                root.pointer("/hooksConfig/disabled")?.as_array()?.iter().filter_map(Value::as_str).find(is_ours)?;
            Some(format!("`hooksConfig.disabled` in {} names `{named}`", file.display()))
        },
    )
}

/// The word at a place of a JSON or a TOML file.
fn word(file: &Path, pointer: &str) -> Option<bool> {
    let text = fs::read_to_string(file).ok()?;
    let value: Value = if file.extension().is_some_and(|extension| extension == "toml") {
        toml::from_str(&text).ok()?
    } else {
        edit::parse(&text).ok()?
    };
    value.pointer(pointer)?.as_bool()
}

/// Kinds that no event of the host stands for, with hooks that run at no other kind there.
pub(crate) fn never_fired(host: &Host, responder: &Responder) -> Vec<String> {
    let hooks = responder.hooks();
    let fired: Vec<HookPoint> = host.events().flat_map(|event| event.kinds()).collect();
    let is_fired = |kind: &&str| fired.iter().any(|point| point.runs(kind));
    let (fired, never): (Vec<&str>, Vec<&str>) = hooks.kinds().partition(is_fired);
    let run: Vec<_> = fired.into_iter().flat_map(|kind| hooks.plan(kind)).map(|hook| hook.hook()).collect();
    let never = never.into_iter().filter(|kind| hooks.plan(kind).into_iter().any(|hook| !run.contains(&hook.hook())));
    never.map(|kind| format!("hooks at `{kind}` never run: {} has no such event", host.title)).collect()
}

/// The hook that counts calls, where every call is the first one of a program.
pub(crate) fn uncounted(responder: &Responder) -> Option<String> {
    let hooks = responder.hooks();
    let counts = hooks.kinds().flat_map(|kind| hooks.plan(kind)).any(|hook| hook.hook().as_str() == "limit_calls");
    let why = "`limit_calls` denies every call that it limits, because a program that ends after each call counts nothing; install with `--serve`, and start `serve`";
    counts.then(|| why.to_owned())
}

/// Hooks whose filters select no tool of the host: those whose names no host has, and those whose tools only this one has not.
/// A pattern may select a tool that no table has.
pub(crate) fn unselected(host: &Host, responder: &Responder) -> (Vec<String>, Vec<String>) {
    let tools = |host: &Host| host.tools().flat_map(|tool| tool.judged_as()).collect::<Vec<_>>();
    let (here, everywhere) = (tools(host), hosts::all().iter().flat_map(|host| tools(host)).collect::<Vec<_>>());
    let (mut mistaken, mut absent) = (Vec::new(), Vec::new());
    for hook in responder.hooks().kinds().flat_map(|kind| responder.hooks().plan(kind)) {
        let kept_out = |tools: &[&str]| -> Option<String> {
            let by: Option<Vec<String>> = tools.iter().map(|tool| hook.kept_out_by("tool", tool)).collect();
            by?.pop().filter(|filter| !filter.contains(['*', '?']) && !filter.contains("__"))
        };
        let Some(filter) = kept_out(&here) else { continue };
        let (id, title) = (hook.hook(), host.title);
        if kept_out(&everywhere).is_none() {
            absent.push(format!("the hook `{id}` never runs: {title} has no such tool as in `{filter}`"));
        } else {
            let help = "a tool has one name at all hosts, such as `Bash`; for one that this program does not know, end its name with `*`";
            mistaken.push(format!("the hook `{id}` never runs: no tool of {title} is called as in `{filter}`; {help}"));
        }
    }
    (mistaken, absent)
}

/// Why a program has nothing to answer with.
pub(crate) fn hookless(responder: &Responder) -> Option<String> {
    let has_hooks = responder.hooks().kinds().next().is_some();
    let why = match responder.warnings.as_slice() {
        [] => {
            "the program has no hooks; name the module in which they are in `main.rs`, such as `mod guards;`".to_owned()
        }
        warnings => warnings.join("\n"),
    };
    (!has_hooks).then_some(why)
}

/// Events with hooks whose refusal the host does not hear.
fn unheard(host: &Host, responder: &Responder) -> Vec<String> {
    let refusable = |event: &HostEventSpec| event.kind.is_gate() && responder.is_concerned(event.kind);
    let goes_on = host.events().filter(refusable).filter(|event| event.carries.deny == Carried::Impossible);
    goes_on.map(|event| format!("{} goes on at `{}`, whatever a hook refuses", host.title, event.name)).collect()
}

/// Runs this program as the host does, with an event that no hook minds. What else a host's file names is not run: it may be
/// that of a project which nobody has reviewed.
fn probe(host: &Host, program: &Path, command: &str, patience: Duration) -> Result<(), String> {
    let words = words(command).unwrap_or_default();
    let Some((named, args)) = words.split_first() else { return Err("it is no command".to_owned()) };
    let file = |path: &Path| fs::canonicalize(path).ok();
    // A name alone is looked for where a shell would.
    let folders = std::env::var_os("PATH").filter(|_| !named.contains('/')).unwrap_or_default();
    let found = std::env::split_paths(&folders).find_map(|folder| file(&folder.join(named)));
    match found.or_else(|| file(Path::new(named))) {
        None => return Err("there is no such program; run `install` again".to_owned()),
        found if found == file(program) => {}
        Some(_) => return Err("it is another program, which was not run; run `install` again".to_owned()),
    }
    let state = std::env::temp_dir().join(format!("hooks-doctor-{}", std::process::id()));
    let mut shell = Command::new(program);
    // It is no traffic either, so that nothing records it.
    shell.args(args).env("HOOKS_STATE_DIR", &state).env("HOOKS_PROBE", "1");
    // The log of the probe is apart, and the server that it asks is not.
    #[cfg(unix)]
    shell.envs(crate::serve::folder().map(|folder| ("XDG_RUNTIME_DIR", folder)));
    let shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = shell.map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(sample(host, event_of(command)).to_string().as_bytes());
    }
    let output = ended(child, patience);
    let failure = journal::entries(&state).pop().and_then(|entry| entry.failure);
    let _ = fs::remove_dir_all(&state);
    let output = output?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_json = text.trim().is_empty() || serde_json::from_str::<Value>(&text).is_ok();
    match output.status.code() {
        Some(0) if is_json => Ok(()),
        // A refusal is an answer too: a hook may mind the call.
        Some(2) if !output.stderr.is_empty() => Ok(()),
        _ => Err(format!("{}, {}", output.status, String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// What a command has left. One that does not end is ended, as a host does.
fn ended(mut child: Child, patience: Duration) -> Result<Output, String> {
    let mut pipes = (child.stdout.take(), child.stderr.take());
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let read = |pipe: Option<&mut dyn Read>, into| pipe.map(|pipe| pipe.read_to_end(into));
        read(pipes.0.as_mut().map(|pipe| pipe as _), &mut stdout);
        read(pipes.1.as_mut().map(|pipe| pipe as _), &mut stderr);
        let _ = sender.send((stdout, stderr));
    });
    let Ok((stdout, stderr)) = receiver.recv_timeout(patience) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("it did not answer within {} seconds, and the host would go on", patience.as_secs_f64()));
    };
    let status = child.wait().map_err(|error| error.to_string())?;
    Ok(Output { status, stdout, stderr })
}

/// A payload with the least that an event needs.
fn sample(host: &Host, event: &str) -> Value {
    let keys = &host.keys;
    let mut payload = json!({});
    // What is missing on the way to a place becomes an object.
    let mut put = |pointer: &str, value: Value| {
        *pointer.split('/').skip(1).fold(&mut payload, |place, key| &mut place[key]) = value;
    };
    let values = [(keys.event, json!(event)), (keys.session, json!("doctor")), (keys.prompt, json!("doctor"))];
    for (pointers, value) in values.into_iter().chain([(keys.input, json!({}))]) {
        pointers.iter().take(1).for_each(|pointer| put(pointer, value.clone()));
    }
    keys.tool.iter().for_each(|pointer| put(pointer, json!("doctor_probe")));
    payload
}

fn last_seen(host: &Host, installation: &Installation, found: &mut Diagnosis) {
    let mut entries = journal::folder().map(|folder| journal::entries(&folder)).unwrap_or_default();
    entries.retain(|entry| entry.host == host.name);
    let root = fs::canonicalize(&installation.root).unwrap_or_else(|_| installation.root.clone());
    let is_here = |entry: &&Entry| installation.user || entry.folder.starts_with(&root);
    let here = entries.iter().rfind(is_here);
    let called = if here.is_none() {
        format!("never called by {} in {}", host.title, root.display())
    } else {
        format!("called by {} or by hand, which this cannot tell apart", host.title)
    };
    found.notes.push(format!("{called}: {}", host.place.then));
    let Some(last) = here.or(entries.last()) else { return };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let minutes = now.saturating_sub(last.at) / 60;
    let version = last.version.as_ref().map(|version| format!(", version {version}")).unwrap_or_default();
    let (program, folder) = (last.program.display(), last.folder.display());
    let event = match last.event.as_str() {
        "" => "with a payload that names no event".to_owned(),
        event => format!("`{event}`"),
    };
    found.notes.push(format!(
        "last called {minutes} minutes ago, {event} in {} ms{version}: {program} in {folder}",
        last.millis
    ));
    if let Some(entry) = entries.iter().filter(is_here).rfind(|entry| !entry.warnings.is_empty()) {
        found.notes.push(format!("last warning, at `{}`: {}", entry.event, entry.warnings.join("; ")));
    }
}

/// Hosts that read the same files.
fn twice(host: &Host, installation: &Installation, found: &mut Diagnosis) {
    let pairs: &[(&str, &str, &str)] = &[
        ("claude", "cursor", "Cursor reads the settings of Claude Code too; this program has no opinion there"),
        ("copilot", "vscode", "both read the same folder, so each judges the calls of the other once more"),
    ];
    for (first, second, why) in pairs {
        let other = match host.name {
            name if name == *first => second,
            name if name == *second => first,
            _ => continue,
        };
        let installed = hosts::find(other).and_then(|other| installation.installed(other).ok()).unwrap_or_default();
        if !installed.is_empty() {
            found.notes.push(format!("installed for {other} too: {why}"));
        }
    }
}

/// Whether a folder is one of a host, by the folder of its files.
pub(crate) fn is_used(host: &Host, installation: &Installation) -> bool {
    let (file, root) = (installation.file(&host.place, ""), &installation.root);
    let mut above = file.ancestors().skip(1).take_while(|folder| folder != root);
    above.any(Path::exists)
}
