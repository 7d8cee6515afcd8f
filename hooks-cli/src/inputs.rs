//! Reads the files that the command line names.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use hook_sdk::hook::BoxFuture;
use hooks_rules::{Aliases, Judge, JudgeQuestion, PluginContents, PluginFolder, RuleFile, Rules, RulesBuilder, Trust};

use crate::args::FilesArgs;
use crate::diagnostics::Diagnostic;
use crate::discover::{self, Origin};
use crate::exit::Exit;
use crate::output::Output;
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
    pub(crate) fn read(args: &FilesArgs) -> Result<Self, Output> {
        Self::of(args, args.files.is_empty())
    }

    /// Reads only the named files.
    ///
    /// # Errors
    /// The error message for an invalid command line.
    pub(crate) fn named(args: &FilesArgs) -> Result<Self, Output> {
        Self::of(args, false)
    }

    fn of(args: &FilesArgs, discovers: bool) -> Result<Self, Output> {
        let aliases = aliases(&args.alias)?;
        let project = match &args.project_dir {
            Some(folder) if !folder.is_dir() => {
                return Err(usage_error(&format!("--project-dir {}: there is no such folder", folder.display())));
            }
            Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
            None => std::env::current_dir().unwrap_or_default(),
        };
        let mut inputs = Self { read: Vec::new(), troubles: Vec::new(), aliases, project, args: args.clone() };
        let mut seen = HashSet::new();
        let named = args.files.iter().map(|path| (path.clone(), Origin::Named));
        let files: Vec<_> = if discovers { discover::files(&inputs.project) } else { named.collect() };
        for (path, origin) in &files {
            // Detect that two paths are the same file.
            if path.as_os_str() != "-" && !std::fs::canonicalize(path).map_or(true, |full| seen.insert(full)) {
                let help = "name it once: duplicate rules in settings files run only once";
                inputs.troubles.push(
                    Diagnostic::of_file(path, "this file was named before; this time it is ignored", help).warning(),
                );
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
                    inputs.read.push(InputFile { path, text, origin: *origin, part: InputKind::Rules });
                }
                Err(diagnostic) => inputs.troubles.push(diagnostic),
            }
        }
        Ok(inputs)
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
                    let part = InputKind::PluginRules(plugin.folder.clone());
                    self.read.push(InputFile { path: path.clone(), text, origin, part });
                }
                Err(diagnostic) => self.troubles.push(diagnostic),
            }
        }
        for (path, text) in plugin.settings {
            if !plugin.rules.contains(&path) {
                self.read.push(InputFile { path, text, origin, part: InputKind::PluginSettings });
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
        let start = Rules::builder().trust_all().project_dir(&self.project).aliases(self.aliases.clone());
        self.read.iter().fold(start, |builder, one| {
            let builder = match &one.part {
                // Runs the content that was read and checked for trust.
                InputKind::PluginRules(plugin) => {
                    builder.plugin_file(plugin.clone(), &one.path).content(one.text.as_str())
                }
                InputKind::Rules => builder.text(&one.path, one.text.as_str()),
                InputKind::PluginSettings => return builder,
            };
            match self.args.dialect {
                Some(form) => builder.dialect(form.into()),
                None => builder,
            }
        })
    }

    /// The rules for inspection only. Clients that only a running program has count as provided.
    pub(crate) fn rules(&self) -> Rules {
        self.builder().judge(Nobody).post(hooks_rules::PlainHttp).build()
    }

    /// All problems of the files.
    pub(crate) fn diagnostics(&self, rules: &Rules) -> Vec<Diagnostic> {
        self.troubles.iter().cloned().chain(rules.defects().into_iter().map(Diagnostic::from)).collect()
    }

    /// The files that set `disableAllHooks`.
    pub(crate) fn switched_off(&self) -> Vec<&Path> {
        let form = self.args.dialect.map(Into::into);
        let off = |one: &&InputFile| RuleFile::read_as(&one.path, &one.text, form).disabled;
        self.rule_files().filter(off).map(|one| one.path.as_path()).collect()
    }

    /// The files whose current content is not trusted.
    pub(crate) fn untrusted(&self, trust: Option<&Trust>) -> Vec<&Path> {
        self.read.iter().filter(|one| !self.allows(one, trust)).map(|one| one.path.as_path()).collect()
    }

    /// Whether a file may run: it belongs to the user, or its content is trusted.
    fn allows(&self, one: &InputFile, trust: Option<&Trust>) -> bool {
        // Either path can contain symbolic links.
        let real = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_default();
        let is_of_project = || {
            let written = std::path::absolute(&one.path).is_ok_and(|path| path.starts_with(&self.project));
            written || real(&one.path).starts_with(real(&self.project))
        };
        let is_of_person = one.origin == Origin::User || (one.origin == Origin::Plugin && !is_of_project());
        is_of_person || trust.is_some_and(|trust| trust.allows(&one.path, one.text.as_bytes()))
    }

    /// The files, their origins, and whether each may run.
    pub(crate) fn origins(&self, trust: Option<&Trust>) -> Vec<(&Path, Origin, bool)> {
        self.read.iter().map(|one| (one.path.as_path(), one.origin, self.allows(one, trust))).collect()
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
