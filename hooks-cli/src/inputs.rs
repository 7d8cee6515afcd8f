//! Reads the files that the command line names.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use hook_sdk::hook::BoxFuture;
use hooks_rules::{
    Aliases, Judge, JudgeQuestion, PluginContents, PluginFolder, RuleFile, RuleInfo, Rules, RulesBuilder, SkipReason,
    Trust,
};
use serde::Serialize;

use crate::args::FilesArgs;
use crate::confidence::Confidence;
use crate::diagnostics::Diagnostic;
use crate::discover::{self, Origin};
use crate::exit::Exit;
use crate::output::Output;
use crate::paths::{is_a_pipe, lies_in};
use crate::program::Program;
use crate::style::{BAD, styled};

/// The size limit of rule files. An endless device file must not exhaust the memory.
const LIMIT: u64 = 16 << 20;

/// The rule files of a command line.
pub(crate) struct RuleInputs {
    read: Vec<InputFile>,
    /// Problems: files that cannot be read, or were named twice.
    pub(crate) troubles: Vec<Diagnostic>,
    aliases: Aliases,
    /// The folder of the session.
    pub(crate) project: PathBuf,
    args: FilesArgs,
}

struct InputFile {
    path: PathBuf,
    text: String,
    origin: Origin,
    part: InputKind,
    /// The folder of its plugin.
    plugin: Option<PathBuf>,
}

impl InputFile {
    /// Whether it only switches its plugin off.
    fn is_switch(&self) -> bool {
        matches!(self.part, InputKind::PluginSettings) && self.path.ends_with(".disabled")
    }
}

/// What holds for a rule here, whichever command says it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Standing {
    pub(crate) origin: &'static str,
    pub(crate) trusted: bool,
    /// The file whose `disableAllHooks` switches it off.
    pub(crate) switched_off_by: Option<PathBuf>,
    /// Whether a kind carries its event.
    pub(crate) fires: bool,
    /// What keeps it from running, in words. `None` if it runs.
    pub(crate) why_not: Option<String>,
}

/// The kind of a file.
#[derive(Clone)]
enum InputKind {
    /// A rule file outside of plugins.
    Rules,
    /// A rule file of a plugin.
    PluginRules(PluginFolder),
    /// The manifest or the configuration of a plugin, which both affect its rules.
    PluginSettings,
}

impl RuleInputs {
    /// Reads the named files or, if there are none, those that are in force here.
    ///
    /// # Errors
    /// The error message for an invalid command line.
    pub(crate) fn read(args: &FilesArgs, trust: &Confidence) -> Result<Self, Output> {
        let project = project(args)?;
        if args.files.is_empty() {
            let files = discover::files(&project, trust);
            let mut inputs = Self::of(args, project, &files)?;
            inputs.tell_what_changed(&files, trust);
            return Ok(inputs);
        }
        Self::of(args, project, &named(args))
    }

    /// Reads only the named files.
    ///
    /// # Errors
    /// The error message for an invalid command line.
    pub(crate) fn named(args: &FilesArgs) -> Result<Self, Output> {
        Self::of(args, project(args)?, &named(args))
    }

    fn of(args: &FilesArgs, project: PathBuf, files: &[(PathBuf, Origin)]) -> Result<Self, Output> {
        let aliases = aliases(&args.alias)?;
        let mut inputs = Self { read: Vec::new(), troubles: Vec::new(), aliases, project, args: args.clone() };
        let mut seen = HashSet::new();
        for (path, origin) in files {
            // Detect that two paths are the same file.
            if path.as_os_str() != "-" && !std::fs::canonicalize(path).map_or(true, |full| seen.insert(full)) {
                let help = "name it once: duplicate rules in settings files run only once";
                inputs.troubles.push(
                    Diagnostic::of_file(path, "this file was named before; this time it is ignored", help).warning(),
                );
                continue;
            }
            if *origin == Origin::Managed {
                // One that cannot be read restricts the rules of all others, so it is not left out.
                let text = text_of(path).map(|(_, text)| text).unwrap_or_default();
                let (path, part) = (path.clone(), InputKind::Rules);
                inputs.read.push(InputFile { path, text, origin: *origin, part, plugin: None });
                continue;
            }
            if path.is_dir() {
                inputs.read_plugin(path, *origin);
                continue;
            }
            match text_of(path) {
                // From here on the path is only used in messages and JSON, so it has to be text.
                Ok((path, text)) => {
                    let path = path.to_string_lossy().into_owned().into();
                    inputs.read.push(InputFile { path, text, origin: *origin, part: InputKind::Rules, plugin: None });
                }
                Err(diagnostic) => inputs.troubles.push(diagnostic),
            }
        }
        Ok(inputs)
    }

    /// Tells that a plugin no longer has a file that somebody trusted as its own: a guard in it would be missed.
    fn tell_what_changed(&mut self, files: &[(PathBuf, Origin)], trust: &Confidence) {
        let Some(trust) = trust.file() else { return };
        let read =
            |path: &Path| self.read.iter().any(|one| std::fs::canonicalize(&one.path).is_ok_and(|one| one == path));
        let lost = files.iter().filter(|(path, _)| path.is_dir()).flat_map(|(root, _)| trust.files_within(root));
        let lost = lost.filter(|path| !path.ends_with(".disabled") && !read(path)).map(|path| {
            let problem = "somebody trusted this file of a plugin, which no longer names it, so its rules do not run";
            let help = "name it in the manifest again, or end its trust with `hooks trust --remove`";
            Diagnostic::of_file(path, problem, help).warning()
        });
        let lost: Vec<Diagnostic> = lost.collect();
        self.troubles.extend(lost);
    }

    /// Reads the files of the plugin in `root`.
    fn read_plugin(&mut self, root: &Path, origin: Origin) {
        if root.to_str().is_none() {
            let help = "give it a name that is";
            self.troubles.push(Diagnostic::of_file(root, "the folder's name is not UTF-8", help));
            return;
        }
        let Some(plugin) = PluginContents::read(root) else {
            let help = "name a file, or the folder of a plugin, which has rules in `hooks/hooks.json` or a manifest `plugin.json`";
            self.troubles.push(Diagnostic::of_file(
                root,
                "this is a folder without `hooks/hooks.json` and without a manifest",
                help,
            ));
            return;
        };
        self.troubles.extend(plugin.defects.into_iter().map(Diagnostic::from));
        for path in &plugin.rules {
            // A manifest that contains rules has already been read.
            let read = plugin.settings.iter().find(|(settings, _)| settings == path).map(|(_, text)| text.clone());
            match read.map_or_else(|| text_of(path).map(|(_, text)| text), Ok) {
                Ok(text) => {
                    let folder = plugin.folder.clone();
                    let is_managed = origin == Origin::ManagedPlugin;
                    let part = InputKind::PluginRules(if is_managed { folder.managed() } else { folder });
                    let plugin = Some(root.to_owned());
                    self.read.push(InputFile { path: path.clone(), text, origin, part, plugin });
                }
                Err(diagnostic) => self.troubles.push(diagnostic),
            }
        }
        // A plugin that is named runs. One that a project wants to switch off is off once this file is trusted.
        let off = root.join(".disabled");
        let is_found = matches!(origin, Origin::Plugin | Origin::ManagedPlugin);
        let off = Some(off).filter(|_| plugin.disabled && is_found);
        let off = off.and_then(|path| Some((path.clone(), text_of(&path).ok()?.1)));
        for (path, text) in plugin.settings.into_iter().chain(off) {
            if !plugin.rules.contains(&path) {
                let plugin = Some(root.to_owned());
                self.read.push(InputFile { path, text, origin, part: InputKind::PluginSettings, plugin });
            }
        }
    }

    /// Everything that was read, to tell one state of the files from another.
    pub(crate) fn shown(&self) -> String {
        let read = self.read.iter().map(|file| (&file.path, &file.text));
        format!("{:?} {:?}", read.collect::<Vec<_>>(), self.troubles)
    }

    /// A builder with these files, all of which count as trusted.
    pub(crate) fn builder(&self) -> RulesBuilder {
        self.builder_of(|_| true)
    }

    /// A builder with these files. What they may say depends on whose they are: only the settings of the user switch off
    /// rules of other files.
    fn builder_of(&self, is_trusted: impl Fn(&InputFile) -> bool) -> RulesBuilder {
        let start = Rules::builder().project_dir(&self.project).aliases(self.aliases.clone());
        self.read.iter().fold(start, |builder, one| {
            let builder = match &one.part {
                InputKind::PluginRules(plugin) => builder.plugin_file(plugin.clone(), &one.path),
                // The library reads these itself, and knows what to do if it cannot.
                InputKind::Rules if one.origin == Origin::Managed => return builder.managed_settings(&one.path),
                InputKind::Rules if one.origin == Origin::User => builder.settings(&one.path),
                InputKind::Rules => builder.project_settings(&one.path),
                InputKind::PluginSettings => return builder,
            };
            // Runs the content that was read and checked for trust.
            let builder = builder.content(one.text.as_str()).trusted(is_trusted(one));
            match self.args.dialect {
                Some(form) => builder.dialect(form.into()),
                None => builder,
            }
        })
    }

    /// The rules for inspection only, all of them trusted. Clients that only a running program has count as provided.
    pub(crate) fn rules(&self) -> Rules {
        Self::inspected(self.builder())
    }

    /// The rules for inspection only, as far as they are trusted.
    pub(crate) fn rules_under(&self, trust: &Confidence) -> Rules {
        Self::inspected(self.builder_of(|one| self.may_run(one, trust)))
    }

    fn inspected(builder: RulesBuilder) -> Rules {
        builder.judge(Nobody).post(hooks_rules::PlainHttp).build()
    }

    /// Whether the rules of a file may run: the file is allowed, and so are the settings of its plugin.
    fn may_run(&self, one: &InputFile, trust: &Confidence) -> bool {
        let Confidence::By(trust) = trust else { return true };
        let trust = trust.as_ref();
        let of_plugin = self.read.iter().filter(|other| one.plugin.is_some() && other.plugin == one.plugin);
        // One that nobody trusts does not switch its plugin off, so it does not stop its rules either.
        let settings = of_plugin.filter(|other| matches!(other.part, InputKind::PluginSettings) && !other.is_switch());
        self.allows(one, trust) && settings.into_iter().all(|other| self.allows(other, trust))
    }

    /// Each rule of the files, and what holds for it.
    pub(crate) fn standings(&self, trust: &Confidence) -> Vec<(RuleInfo, Standing)> {
        let standing = |rule: RuleInfo| {
            let one = self.read.iter().find(|one| one.path == *rule.file);
            let switched_off_by = match &rule.why_not {
                Some(SkipReason::SwitchedOff { by }) => Some(by.to_path_buf()),
                _ => None,
            };
            let standing = Standing {
                origin: one.map_or(Origin::Named, |one| one.origin).words(),
                trusted: one.is_some_and(|one| self.may_run(one, trust)),
                switched_off_by,
                fires: rule.event.spec().kind.is_some(),
                why_not: rule.why_not.as_ref().map(ToString::to_string),
            };
            (rule, standing)
        };
        self.rules_under(trust).list().into_iter().map(standing).collect()
    }

    /// All problems of the files, also those that only the compiled hooks show.
    pub(crate) fn diagnostics(&self, program: &Program, rules: &Rules) -> Vec<Diagnostic> {
        let installed = program.everything().map(|registry| rules.install(&registry));
        let unfit = installed.and_then(Result::err).map(|error| {
            let file = self.rule_files().next().map_or(Path::new("-"), |one| &one.path);
            Diagnostic::of_file(file, error.to_string(), "rename that hook")
        });
        let defects = rules.defects().into_iter().map(Diagnostic::from);
        self.troubles.iter().cloned().chain(defects).chain(unfit).collect()
    }

    /// The files that set `disableAllHooks`, and whether that switches off the rules of other files too. A file that is
    /// not trusted switches nothing off.
    pub(crate) fn switched_off(&self, trust: &Confidence) -> Vec<(&Path, bool)> {
        let form = self.args.dialect.map(Into::into);
        let off = |one: &&InputFile| self.may_run(one, trust) && RuleFile::read_as(&one.path, &one.text, form).disabled;
        self.rule_files()
            .filter(off)
            .map(|one| (one.path.as_path(), matches!(one.origin, Origin::User | Origin::Managed)))
            .collect()
    }

    /// The files whose current content has to be trusted and is not. A file that neither has rules nor enables plugins
    /// runs nothing. A trusted manifest or configuration that is gone has changed what runs.
    pub(crate) fn untrusted<'a>(&'a self, trust: Option<&'a Trust>) -> Vec<&'a Path> {
        let waits = |one: &&InputFile| !self.allows(one, trust) && self.runs_something(one);
        let roots: BTreeSet<&Path> = self.read.iter().filter_map(|one| one.plugin.as_deref()).collect();
        let trusted = trust.into_iter().flat_map(|trust| roots.iter().flat_map(|root| trust.files_within(root)));
        let is_lost = |path: &&Path| (path.ends_with("plugin.json") || path.ends_with("config.json")) && !path.exists();
        self.read.iter().filter(waits).map(|one| one.path.as_path()).chain(trusted.filter(is_lost)).collect()
    }

    /// The same without files that only switch something off, which wait without an effect.
    pub(crate) fn untrusted_rules<'a>(&'a self, trust: Option<&'a Trust>) -> Vec<&'a Path> {
        let mut waiting = self.untrusted(trust);
        waiting.retain(|path| !self.read.iter().any(|one| one.path == *path && one.is_switch()));
        waiting
    }

    fn runs_something(&self, one: &InputFile) -> bool {
        let file = || RuleFile::read_as(&one.path, &one.text, self.args.dialect.map(Into::into));
        let is_empty = |file: RuleFile| file.readable && file.rules.is_empty();
        let is_settings = matches!(one.part, InputKind::Rules) && one.origin != Origin::Named;
        !(is_settings && is_empty(file()) && !one.text.contains("enabledPlugins"))
    }

    /// Whether a file may run: it belongs to the user, or its content is trusted.
    fn allows(&self, one: &InputFile, trust: Option<&Trust>) -> bool {
        let is_of_project = || lies_in(&one.path, &self.project);
        let is_plugin = matches!(one.origin, Origin::Plugin | Origin::ManagedPlugin);
        let is_of_person = matches!(one.origin, Origin::User | Origin::Managed) || (is_plugin && !is_of_project());
        is_of_person || trust.is_some_and(|trust| trust.allows(&one.path, one.text.as_bytes()))
    }

    /// The files, their origins, and whether each may run.
    pub(crate) fn origins(&self, trust: &Confidence) -> Vec<(&Path, Origin, bool)> {
        self.read.iter().map(|one| (one.path.as_path(), one.origin, self.may_run(one, trust))).collect()
    }

    /// The files with their texts, parsed as rules. `None` for the manifest or the configuration of a plugin.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, &str, Option<RuleFile>)> {
        let form = self.args.dialect.map(Into::into);
        self.read.iter().map(move |one| {
            let is_rules = !matches!(one.part, InputKind::PluginSettings);
            let rules = is_rules.then(|| RuleFile::read_as(&one.path, &one.text, form));
            (one.path.as_path(), one.text.as_str(), rules)
        })
    }

    fn rule_files(&self) -> impl Iterator<Item = &InputFile> {
        self.read.iter().filter(|one| !matches!(one.part, InputKind::PluginSettings))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.troubles.is_empty()
    }

    /// The number of rule files.
    pub(crate) fn count(&self) -> usize {
        self.rule_files().count()
    }
}

/// The folder of the session.
fn project(args: &FilesArgs) -> Result<PathBuf, Output> {
    match &args.project_dir {
        Some(folder) if !folder.is_dir() => {
            Err(usage_error(&format!("--project-dir {}: there is no such folder", folder.display())))
        }
        Some(folder) => Ok(std::path::absolute(folder).unwrap_or_else(|_| folder.clone())),
        None => Ok(std::env::current_dir().unwrap_or_default()),
    }
}

/// The files that the command line names.
fn named(args: &FilesArgs) -> Vec<(PathBuf, Origin)> {
    args.files.iter().map(|path| (path.clone(), Origin::Named)).collect()
}

/// The error message for an invalid command line.
pub(crate) fn usage_error(problem: &str) -> Output {
    Output::trouble(format!("{}: {problem}", styled(BAD, "error")), Exit::USAGE)
}

fn aliases(inputs: &[String]) -> Result<Aliases, Output> {
    let mut aliases = Aliases::default();
    for alias in inputs {
        match alias.split_once('=') {
            Some((own, wire)) if !own.is_empty() && !wire.is_empty() => aliases.add(own, wire),
            _ => return Err(usage_error(&format!("--alias {alias}: write it as in `--alias shell.exec=Bash`"))),
        }
    }
    Ok(aliases)
}

/// The text of a file, and its name for messages.
fn text_of(path: &Path) -> Result<(PathBuf, String), Diagnostic> {
    if path.as_os_str() == "-" {
        let name = PathBuf::from("<stdin>");
        let text = text(&name, std::io::stdin().lock())?;
        return Ok((name, text));
    }
    if is_a_pipe(path) {
        let help = "write its content to a file, or give it to standard input, as in `hooks check - < FILE`";
        return Err(Diagnostic::of_file(path, "this is a pipe, not a file", help));
    }
    let opened = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok((path.to_owned(), text(path, opened)?))
}

fn text(path: &Path, from: impl Read) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    from.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > LIMIT {
        let problem = format!("this is larger than {} MiB, too much for a file of rules", LIMIT >> 20);
        return Err(Diagnostic::of_file(path, problem, "name a file of rules"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let problem = if utf_16 { "the file is UTF-16, not UTF-8" } else { "the file is not UTF-8" };
        Diagnostic::of_file(path, problem, "save it as UTF-8")
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    match error.kind() {
        ErrorKind::NotFound => {
            let here = std::env::current_dir().unwrap_or_default();
            let help = format!("paths begin at the current folder, {}", here.display());
            Diagnostic::of_file(path, "there is no such file", help)
        }
        ErrorKind::PermissionDenied => {
            let help = "make it readable for you, as in `chmod u+r`, or ask its owner";
            Diagnostic::of_file(path, "the file cannot be read: permission denied", help)
        }
        _ => Diagnostic::of_file(path, format!("the file cannot be read: {error}"), "name a file that can be read"),
    }
}

/// Replaces the model of a running program.
struct Nobody;

impl Judge for Nobody {
    fn judge<'a>(&'a self, _: &'a JudgeQuestion) -> BoxFuture<'a, hooks_rules::ClientResult<String>> {
        Box::pin(async { Err("there is no model".into()) })
    }
}
