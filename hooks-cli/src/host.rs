//! `hooks host`: rule files and the compiled hooks of an app answer agent programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hooks_hosts::{HookProgram, Host, convert, find, scaffold};
use hooks_replay::Recorder;

use crate::args::FilesArgs;
use crate::exit::Exit;
use crate::output::{Output, json};
use crate::program::Program;
use crate::rules_of_host;
use crate::style::{BAD, DOUBTFUL, line, styled};

const ABOUT: &str = "\
Answers an agent program, such as Claude Code, which calls this at each tool call, and installs that call.

usage: hooks host COMMAND --rules FILE
";

const OWN_COMMANDS: &str = "
  new FOLDER [--sdk FOLDER]    writes a crate with three guards and their tests
  convert HOST HOST FILE       prints the rules of one host as those of another, and what is lost;
                               exits with 3 if anything is

--rules FILE (repeatable)      the rules that answer; `hooks trust FILE` first
--project-dir FOLDER           `CLAUDE_PROJECT_DIR` of their commands [default: the current folder]
--record FOLDER                records the events that have hooks, for `hooks replay`";

/// Does what the words behind `host` say. `before` are those between the program and `host`.
pub(crate) fn host(program: &Program, before: &[OsString], words: &[OsString]) -> Output {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let spoken: Vec<&str> = words.iter().map(String::as_str).collect();
    match spoken.as_slice() {
        words if !matches!(words, [host, ..] if find(host).is_some()) && asks_for_help(words) => {
            Output::new(format!("{ABOUT}{}{OWN_COMMANDS}\n", hooks_hosts::USAGE), Exit::SUCCESS)
        }
        ["new", folder] => new(Path::new(folder), None),
        ["new", folder, "--sdk", sdk] => new(Path::new(folder), Some(Path::new(sdk))),
        ["convert", from, to, file] => converted(from, to, Path::new(file)),
        ["new", ..] => trouble("write `new FOLDER` or `new FOLDER --sdk FOLDER`, and nothing else"),
        ["convert", ..] => trouble("write `convert HOST HOST FILE`, and nothing else"),
        _ => answer(program, before, &words),
    }
}

fn asks_for_help(words: &[&str]) -> bool {
    words.first() == Some(&"help") || words.iter().any(|word| ["-h", "--help"].contains(word))
}

/// Answers a host, or installs the call. The program writes by itself.
fn answer(program: &Program, before: &[OsString], words: &[String]) -> Output {
    let (files, record, rest) = own_options(words);
    let rules = files.files.iter().map(|file| ("--rules", file));
    let mut project = files.project_dir.clone();
    // Antigravity runs hooks in the folder of its file, and a server answers entries that name a project only for that one.
    if words.iter().any(|word| word == "install" || word == "serve") && !words.iter().any(|word| word == "--user") {
        project = project.or_else(|| std::env::current_dir().ok());
    }
    let folders = [("--project-dir", &project), ("--record", &record)];
    let folders = folders.into_iter().filter_map(|(option, folder)| Some((option, folder.as_ref()?)));
    let options: Vec<String> =
        rules.chain(folders).flat_map(|(option, path)| [option.to_owned(), absolute(path)]).collect();
    let program = program.clone();
    let library = program.library.clone();
    let name = std::env::args_os().next().unwrap_or_else(|| "hooks".into());
    let args = [name, "host".into()].into_iter().chain(rest.iter().map(OsString::from));
    let (watched, lingering) = (files.clone(), files.clone());
    let (named, compiled) = (library.clone(), program.registry.clone());
    // A server loads its rules again when they have changed, each time beside the compiled hooks alone.
    let serves = rest.first().is_some_and(|word| word == "serve");
    let registry = move || if serves { program.registry.fork() } else { program.registry.clone() };
    // A call does not look for what makes a later one fail.
    let inspects = rest.first().is_some_and(|word| word == "install" || word == "doctor");
    let recorder: Arc<OnceLock<Recorder>> = Arc::default();
    let slot = Arc::clone(&recorder);
    // An installation records nothing itself.
    let record = record.filter(|_| rest.first().is_some_and(|word| word == "serve" || find(word).is_some()));
    let load = move || {
        let record = record.as_deref().map(|folder| (folder, &*slot));
        rules_of_host::load(registry(), &library, &files, record, inspects)
    };
    let hooks = HookProgram::new(load)
        .sources(move || rules_of_host::sources(&watched))
        .lingers(move || rules_of_host::lingers(&lingering))
        .of_options(move |options| {
            rules_of_host::load(compiled.fork(), &named, &own_options(options).0, None, inspects)
        });
    let before = before.iter().map(|word| word.to_string_lossy().into_owned());
    let exit = Exit::of(hooks.arguments(before).options(options).status(args));
    let lost = recorder.get().and_then(|recorder| {
        recorder.flush();
        recorder.failure()
    });
    // Beside another status, a host may read it as the reason.
    match lost.filter(|_| exit == Exit::SUCCESS) {
        Some(why) => Output::new("", exit).and_err(&format!("the call was not recorded: {}\n", line(why))),
        None => Output::new("", exit),
    }
}

/// The rule files and the folder for recordings that the words name, and the other words.
fn own_options(words: &[String]) -> (FilesArgs, Option<PathBuf>, Vec<String>) {
    let (mut files, mut record, mut rest) = (FilesArgs::default(), None, Vec::new());
    let mut words = words.iter().cloned();
    while let Some(word) = words.next() {
        let is_own = ["--rules", "--project-dir", "--record"].contains(&word.as_str());
        // One without a value stays, and is no option of anything.
        match is_own.then(|| words.next()).flatten().map(PathBuf::from) {
            Some(path) if word == "--rules" => files.files.push(path),
            Some(path) if word == "--record" => record = Some(path),
            Some(path) => files.project_dir = Some(path),
            None => rest.push(word),
        }
    }
    (files, record, rest)
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

fn new(folder: &Path, sdk: Option<&Path>) -> Output {
    let sdk = sdk.map(|sdk| PathBuf::from(absolute(sdk))).or_else(checkout);
    match scaffold(folder, sdk.as_deref()) {
        Ok(()) => {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let next =
                format!("`cargo test` and `cargo install --path .`; then, in a project, `{name} install claude`");
            let shown = line(&folder.to_string_lossy());
            Output::new(format!("{shown} is a crate with three guards. In it, run {next}\n"), Exit::SUCCESS)
        }
        Err(error) => trouble(&format!("{}: {error}", folder.display())),
    }
}

/// The checkout that this program was built from, if it is still there. One from a registry has no crates beside it.
fn checkout() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    ["hooks-core", "hooks-hosts"].iter().all(|name| folder.join(name).is_dir()).then(|| folder.to_owned())
}

fn converted(from: &str, to: &str, file: &Path) -> Output {
    let known = |name: &str| -> Result<&'static Host, Output> {
        find(name).ok_or_else(|| trouble(&format!("there is no host `{name}`")))
    };
    let convert = || -> Result<Output, Output> {
        let (from, to) = (known(from)?, known(to)?);
        let named = |problem: String| trouble(&format!("{}: {problem}", file.display()));
        let text = std::fs::read_to_string(file).map_err(|error| named(error.to_string()))?;
        let conversion = convert(from, to, &text).map_err(named)?;
        let lost = conversion.lost.iter().map(|lost| format!("{}: {}\n", styled(DOUBTFUL, "lost"), line(lost)));
        let (note, to) = (styled(DOUBTFUL, "note"), to.title);
        let note = format!(
            "{note}: {to} sends other payloads, and reads other answers and exit statuses: adapt the scripts\n"
        );
        let exit = if conversion.lost.is_empty() { Exit::SUCCESS } else { Exit::UNDECIDED };
        Ok(Output::new(json(conversion.file), exit).and_err(&(lost.collect::<String>() + &note)))
    };
    convert().unwrap_or_else(|output| output)
}

fn trouble(problem: &str) -> Output {
    Output::trouble(format!("{}: {}", styled(BAD, "error"), line(problem)), Exit::FAILURE)
}
