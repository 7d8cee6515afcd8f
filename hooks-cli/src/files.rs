//! Reading what the command line names, whatever it turns out to be.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use hooks_core::hook::BoxFuture;
use hooks_rules::{Aliases, Judge, JudgeQuestion, PluginContents, PluginFolder, RuleFile, Rules, RulesBuilder, Trust};

use crate::args::FilesArgs;
use crate::diagnostics::Diagnostic;
use crate::discover::{self, Origin};
use crate::exit::Exit;
use crate::output::Output;
use crate::paint::{BAD, styled};

/// Above this nothing is a file of rules. A device that never ends must not fill the memory.
const LIMIT: u64 = 16 << 20;

/// The files of a command line, read.
pub(crate) struct Given {
    read: Vec<One>,
    /// Those that cannot be read, or were named before.
    pub(crate) troubles: Vec<Diagnostic>,
    aliases: Aliases,
    /// Where the session began.
    pub(crate) project: PathBuf,
    args: FilesArgs,
}

struct One {
    path: PathBuf,
    text: String,
    origin: Origin,
    part: Part,
}

/// What a file is.
#[derive(Clone)]
enum Part {
    /// A rule file of its own.
    Rules,
    /// A rule file of a plugin.
    PluginRules(PluginFolder),
    /// The manifest or the configuration of a plugin: both decide what its rules do.
    PluginSettings,
}

impl Given {
    /// Reads the files that are named, or those that are in force here where none is.
    ///
    /// # Errors
    /// The output to a command line that makes no sense.
    pub(crate) fn read(args: &FilesArgs) -> Result<Self, Output> {
        Self::of(args, args.files.is_empty())
    }

    /// Reads the files that are named, and no others.
    ///
    /// # Errors
    /// The output to a command line that makes no sense.
    pub(crate) fn named(args: &FilesArgs) -> Result<Self, Output> {
        Self::of(args, false)
    }

    fn of(args: &FilesArgs, discovers: bool) -> Result<Self, Output> {
        let aliases = aliases(&args.alias)?;
        let project = match &args.project_dir {
            Some(folder) if !folder.is_dir() => {
                return Err(not_understood(&format!("--project-dir {}: there is no such folder", folder.display())));
            }
            Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
            None => std::env::current_dir().unwrap_or_default(),
        };
        let mut given = Self { read: Vec::new(), troubles: Vec::new(), aliases, project, args: args.clone() };
        let mut seen = HashSet::new();
        let named = args.files.iter().map(|path| (path.clone(), Origin::Named));
        let files: Vec<_> = if discovers { discover::files(&given.project) } else { named.collect() };
        for (path, origin) in &files {
            // By another name it is the same file too.
            if path.as_os_str() != "-" && !std::fs::canonicalize(path).map_or(true, |full| seen.insert(full)) {
                let help = "name it once: the same rules in two settings files run once";
                given.troubles.push(
                    Diagnostic::of_file(path, "this file was named before; this time it is left out", help).warning(),
                );
                continue;
            }
            if path.is_dir() {
                given.read_plugin(path, *origin);
                continue;
            }
            match text_of(path) {
                // The name is for messages from here on, and JSON has no place for one that is not UTF-8.
                Ok((path, text)) => {
                    let path = path.to_string_lossy().into_owned().into();
                    given.read.push(One { path, text, origin: *origin, part: Part::Rules });
                }
                Err(diagnostic) => given.troubles.push(diagnostic),
            }
        }
        Ok(given)
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
            // A manifest with rules in it was read just now.
            let read = plugin.settings.iter().find(|(settings, _)| settings == path).map(|(_, text)| text.clone());
            match read.map_or_else(|| text_of(path).map(|(_, text)| text), Ok) {
                Ok(text) => {
                    let part = Part::PluginRules(plugin.folder.clone());
                    self.read.push(One { path: path.clone(), text, origin, part });
                }
                Err(diagnostic) => self.troubles.push(diagnostic),
            }
        }
        for (path, text) in plugin.settings {
            if !plugin.rules.contains(&path) {
                self.read.push(One { path, text, origin, part: Part::PluginSettings });
            }
        }
    }

    /// Where the rules come from. They count as trusted.
    pub(crate) fn builder(&self) -> RulesBuilder {
        let start = Rules::builder().trust_all().project_dir(&self.project).aliases(self.aliases.clone());
        self.read.iter().fold(start, |builder, one| {
            let builder = match &one.part {
                // What runs is what was read, and looked at for trust.
                Part::PluginRules(plugin) => builder.plugin_file(plugin.clone(), &one.path).content(one.text.as_str()),
                Part::Rules => builder.text(&one.path, one.text.as_str()),
                Part::PluginSettings => return builder,
            };
            match self.args.dialect {
                Some(form) => builder.dialect(form.into()),
                None => builder,
            }
        })
    }

    /// The rules, to look at and not to run: what only a running program gives counts as given.
    pub(crate) fn rules(&self) -> Rules {
        self.builder().judge(Nobody).post(hooks_rules::PlainHttp).build()
    }

    /// What is wrong with the files.
    pub(crate) fn diagnostics(&self, rules: &Rules) -> Vec<Diagnostic> {
        self.troubles.iter().cloned().chain(rules.defects().into_iter().map(Diagnostic::from)).collect()
    }

    /// The files that say `disableAllHooks`.
    pub(crate) fn switched_off(&self) -> Vec<&Path> {
        let form = self.args.dialect.map(Into::into);
        let off = |one: &&One| RuleFile::read_as(&one.path, &one.text, form).disabled;
        self.rule_files().filter(off).map(|one| one.path.as_path()).collect()
    }

    /// The files that a trust file does not vouch for as they are.
    pub(crate) fn untrusted(&self, trust: Option<&Trust>) -> Vec<&Path> {
        self.read.iter().filter(|one| !self.allows(one, trust)).map(|one| one.path.as_path()).collect()
    }

    /// Whether a file may run: the person's own, and what the trust file vouches for.
    fn allows(&self, one: &One, trust: Option<&Trust>) -> bool {
        // Either may be written by way of a link.
        let real = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_default();
        let is_of_project = || {
            let written = std::path::absolute(&one.path).is_ok_and(|path| path.starts_with(&self.project));
            written || real(&one.path).starts_with(real(&self.project))
        };
        let is_of_person = one.origin == Origin::User || (one.origin == Origin::Plugin && !is_of_project());
        is_of_person || trust.is_some_and(|trust| trust.allows(&one.path, one.text.as_bytes()))
    }

    /// The files that were read, whose each is, and whether it may run.
    pub(crate) fn origins(&self, trust: Option<&Trust>) -> Vec<(&Path, Origin, bool)> {
        self.read.iter().map(|one| (one.path.as_path(), one.origin, self.allows(one, trust))).collect()
    }

    /// The files with their texts, read as rules; `None` for the manifest or the configuration of a plugin.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, &str, Option<RuleFile>)> {
        let form = self.args.dialect.map(Into::into);
        self.read.iter().map(move |one| {
            let is_rules = !matches!(one.part, Part::PluginSettings);
            let rules = is_rules.then(|| RuleFile::read_as(&one.path, &one.text, form));
            (one.path.as_path(), one.text.as_str(), rules)
        })
    }

    fn rule_files(&self) -> impl Iterator<Item = &One> {
        self.read.iter().filter(|one| !matches!(one.part, Part::PluginSettings))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.troubles.is_empty()
    }

    /// How many rule files were read.
    pub(crate) fn count(&self) -> usize {
        self.rule_files().count()
    }
}

/// The words for a command line that cannot be understood.
pub(crate) fn not_understood(problem: &str) -> Output {
    Output::trouble(format!("{}: {problem}", styled(BAD, "error")), Exit::NOT_UNDERSTOOD)
}

fn aliases(given: &[String]) -> Result<Aliases, Output> {
    let mut aliases = Aliases::default();
    for alias in given {
        match alias.split_once('=') {
            Some((own, wire)) if !own.is_empty() && !wire.is_empty() => aliases.add(own, wire),
            _ => return Err(not_understood(&format!("--alias {alias}: write it as in `--alias shell.exec=Bash`"))),
        }
    }
    Ok(aliases)
}

/// The text of a file, and its name in messages.
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

/// Stands where a running program has a model.
struct Nobody;

impl Judge for Nobody {
    fn judge<'a>(&'a self, _: &'a JudgeQuestion) -> BoxFuture<'a, hooks_rules::ClientResult<String>> {
        Box::pin(async { Err("there is no model here".into()) })
    }
}
