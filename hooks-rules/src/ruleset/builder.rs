use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_sdk::Hook;

use super::plugins::PluginChange;
use super::rules::{Rules, Setup};
use super::source::Source;
use crate::aliases::Aliases;
use crate::answer::Answer;
use crate::clients::{Clients, Judge, Post};
use crate::dialect::Dialect;
use crate::paths::absolute;
use crate::process::Environment;
use crate::runner::{
    AnswerObserver, CommandOutput, EventSummary, NoticeListener, Notices, Owner, PluginFolder, RuleRun, RunObserver,
    SessionFiles, Shared, SummaryListener, Wake, WakeListener,
};
use crate::syntax::Defect;

/// Configures the sources of rules and how they run. Files are read in the order in which they are added.
#[derive(Default)]
#[must_use = "call `build` to get the rules"]
pub struct RulesBuilder {
    setup: Setup,
    /// Whether a folder of plugins was added after the last file.
    ends_with_plugins: bool,
    aliases: Aliases,
    clients: Clients,
    project: Option<PathBuf>,
    withhold_credentials: bool,
    withhold: Vec<String>,
    keep: Vec<String>,
    variables: Vec<(String, String)>,
    files: Option<PathBuf>,
    run_observers: Vec<RunObserver>,
    answer_observers: Vec<AnswerObserver>,
    notice_listeners: Vec<NoticeListener>,
    wake_listeners: Vec<WakeListener>,
    summary_listeners: Vec<SummaryListener>,
}

impl Rules {
    /// Returns a builder without any files.
    pub fn builder() -> RulesBuilder {
        RulesBuilder::default()
    }
}

impl RulesBuilder {
    fn source(mut self, path: impl Into<PathBuf>, owner: Owner) -> Self {
        self.setup.sources.push(Source { path: path.into(), owner, dialect: None, text: None, trusted: None });
        self.ends_with_plugins = false;
        self
    }

    /// Adds a settings file of the user or the operator. The file does not have to exist.
    pub fn settings(self, path: impl Into<PathBuf>) -> Self {
        self.source(path, Owner::User)
    }

    /// Adds managed settings: those of the administrator of the machine. `disableAllHooks` elsewhere does not switch
    /// their rules off, and their `allowManagedHooksOnly`, `allowedHttpHookUrls` and `httpHookAllowedEnvVars` apply to
    /// all rules. If they cannot be read, no other rule runs, and the guards deny. The file does not have to exist.
    pub fn managed_settings(self, path: impl Into<PathBuf>) -> Self {
        self.source(path, Owner::Managed)
    }

    /// Adds a settings file of the project. Its rules do not run until the file is trusted, see [`trust`](Self::trust).
    /// The file does not have to exist.
    pub fn project_settings(self, path: impl Into<PathBuf>) -> Self {
        self.source(path, Owner::Project)
    }

    /// Adds the rules of a plugin. If its folder is inside that of the project, its rules do not run until its file is
    /// trusted, see [`trust`](Self::trust).
    pub fn plugin(self, plugin: PluginFolder) -> Self {
        // Messages show the path as the app wrote it, but commands get absolute paths.
        let path = plugin.root.join("hooks").join("hooks.json");
        self.plugin_file(plugin, path)
    }

    /// Adds a rule file of a plugin other than its `hooks/hooks.json`. Like [`plugin`](Self::plugin), it may have to be
    /// trusted first.
    pub fn plugin_file(self, mut plugin: PluginFolder, path: impl Into<PathBuf>) -> Self {
        plugin.root = absolute(plugin.root);
        plugin.data =
            Some(absolute(plugin.data.unwrap_or_else(|| plugin.root.join("..").join("data").join(&plugin.name))));
        self.source(path, Owner::Plugin(Arc::new(plugin)))
    }

    /// Adds the plugins in `folder`: each of its subfolders with a manifest (`plugin.json` or
    /// `.claude-plugin/plugin.json`), with rules in `hooks/hooks.json`, or with a `config.json`. They are loaded in the
    /// order of their dependencies, then by name, after all files that are added individually. [`Rules::plugins`] lists
    /// them, and [`Rules::refresh`] reloads them. With the feature `watch`, `Rules::watch` reloads them when they
    /// change. Plugins inside the folder of the project do not run until their files are trusted.
    ///
    /// If a crate of this program is a plugin with the same name, it gets its configuration and its data folder from
    /// there, and is installed together with the rules.
    pub fn plugins(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setup.plugins.parents.push(absolute(folder.into()));
        self.ends_with_plugins = true;
        self
    }

    /// Sets the folder with the data of plugins, each in a subfolder with its name. Default: `data` next to the
    /// plugins.
    pub fn plugin_data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.setup.plugins.data = Some(absolute(folder.into()));
        self
    }

    /// Sets a listener for changes of plugins when they are reloaded.
    pub fn on_plugin(mut self, listener: impl Fn(&PluginChange) + Send + Sync + 'static) -> Self {
        self.setup.plugin_listeners.push(Arc::new(listener));
        self
    }

    /// Adds the rule file of a skill. Its rules can use `once`. If the file is inside the folder of the project, its
    /// rules do not run until it is trusted, see [`trust`](Self::trust).
    pub fn skill(self, name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.source(path, Owner::Skill(name.into()))
    }

    /// Adds rules from a text. `name` identifies it in messages.
    pub fn text(self, name: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Self {
        self.source(name, Owner::User).content(text)
    }

    /// Sets the content of the file that was added last. The file is then never read, not even by [`Rules::reload`].
    pub fn content(mut self, text: impl Into<Arc<str>>) -> Self {
        self.of_the_last("content", |source| source.text = Some(text.into()));
        self
    }

    /// Changes the file that was added last. There is none before the first one, nor behind a folder of plugins.
    fn of_the_last(&mut self, method: &str, change: impl FnOnce(&mut Source)) {
        match self.setup.sources.last_mut().filter(|_| !self.ends_with_plugins) {
            Some(source) => change(source),
            None => {
                let folder = self
                    .setup
                    .plugins
                    .parents
                    .last()
                    .map_or_else(|| Path::new("").into(), |path| path.as_path().into());
                let problem =
                    format!("`{method}` belongs to the file that was added last, and there is none in front of it");
                let help = "call it behind the call that adds its file, such as `settings`";
                self.setup.misuses.push(Defect::of_file(&folder, problem, help));
            }
        }
    }

    /// Sets whether the file that was added last is trusted, instead of looking it up, for a program that looks it up
    /// itself. Rules of a file that is not are listed, and do not run.
    pub fn trusted(mut self, trusted: bool) -> Self {
        self.of_the_last("trusted", |source| source.trusted = Some(trusted));
        self
    }

    /// Sets the dialect of the file that was added last, instead of detecting it. Behind a folder of plugins, which are
    /// files of their own, it is a defect.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.of_the_last("dialect", |source| source.dialect = Some(dialect));
        self
    }

    /// Sets the file that records which files of projects are trusted. Without it, none is trusted.
    pub fn trust(mut self, path: impl Into<PathBuf>) -> Self {
        self.setup.trust = Some(path.into());
        self
    }

    /// Trusts every file, for a program whose user has just confirmed that.
    pub fn trust_all(mut self) -> Self {
        self.setup.trust_all = true;
        self
    }

    /// Sets the folder of the project, `CLAUDE_PROJECT_DIR`, which commands get as an absolute path. Default: the
    /// working directory.
    pub fn project_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.project = Some(absolute(folder.into()));
        self
    }

    /// Sets the names of tools in rule files.
    pub fn aliases(mut self, aliases: Aliases) -> Self {
        self.aliases = aliases;
        self
    }

    /// Sets the priority of the hooks of rules. Default: 0.
    pub fn priority(mut self, priority: i32) -> Self {
        self.setup.priority = priority;
        self
    }

    /// Adds compiled hooks that rules may name although the registry does not have them. One that a rule names is registered.
    pub fn library(mut self, hooks: impl IntoIterator<Item = Arc<Hook>>) -> Self {
        self.setup.library.extend(hooks);
        self
    }

    /// Disables the rule with this id. An unknown id is not an error, because its file may be added later.
    pub fn disable(mut self, id: impl Into<String>) -> Self {
        self.setup.disabled.push(id.into());
        self
    }

    /// Sets the model for `prompt` rules of nested files.
    pub fn judge(mut self, judge: impl Judge) -> Self {
        self.clients.judge = Some(Arc::new(judge));
        self
    }

    /// Sets the client for `http` rules.
    pub fn post(mut self, client: impl Post) -> Self {
        self.clients.post = Some(Arc::new(client));
        self
    }

    /// Removes variables that look like credentials by their name, such as `OPENAI_API_KEY`, from the environment of
    /// commands. Each [`RuleRun`] lists the removed variables.
    ///
    /// This is not a security boundary: a command runs as the same user and can read what this user can read. A guard
    /// that needs such a variable fails unless you [keep](Self::keep_variable) the variable.
    pub fn withhold_credentials(mut self) -> Self {
        self.withhold_credentials = true;
        self
    }

    /// Removes this variable from the environment of commands.
    pub fn withhold_variable(mut self, name: impl Into<String>) -> Self {
        self.withhold.push(name.into());
        self
    }

    /// Keeps this variable in the environment of commands, whatever its name looks like.
    pub fn keep_variable(mut self, name: impl Into<String>) -> Self {
        self.keep.push(name.into());
        self
    }

    /// Sets an environment variable for all commands, such as `CLAUDE_EFFORT`.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Writes two files per session to this folder, readable by the current user only. The transcript contains the
    /// stored messages, one per line, and at `Stop` also the answer. It is written unless the harness has its own
    /// transcript ([`SessionInfo::transcript`](crate::SessionInfo::transcript)). To the other file, `CLAUDE_ENV_FILE`,
    /// commands at `SessionStart` export variables for shell tools: [`Rules::shell_line`].
    ///
    /// The files are never removed. Remove them together with their conversations.
    pub fn session_files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files = Some(folder.into());
        self
    }

    /// Sets an observer that is called after every run of a rule.
    pub fn observe(mut self, observer: impl Fn(&RuleRun) + Send + Sync + 'static) -> Self {
        self.run_observers.push(Arc::new(observer));
        self
    }

    /// Sets an observer that is called after every run, with the answer of the rule and the output of its command, for
    /// people who try rules out. Both contain text of the conversation, so for logs use [`observe`](Self::observe).
    pub fn observe_answers(
        mut self,
        observer: impl Fn(&RuleRun, &Answer, &CommandOutput) + Send + Sync + 'static,
    ) -> Self {
        self.answer_observers.push(Arc::new(observer));
        self
    }

    /// Sets a listener for messages of rules to the person, and for everything else that a kind cannot carry.
    pub fn on_notices(mut self, listener: impl Fn(&Notices) + Send + Sync + 'static) -> Self {
        self.notice_listeners.push(Arc::new(listener));
        self
    }

    /// Sets a listener that is called once for each event for which rules ran, with the combined result.
    pub fn on_summary(mut self, listener: impl Fn(&EventSummary) + Send + Sync + 'static) -> Self {
        self.summary_listeners.push(Arc::new(listener));
        self
    }

    /// Sets a listener that is called when a background command wakes the model (`asyncRewake`, exit code 2). It can
    /// start a turn with the text. Without a listener, the model gets the text with the next result, prompt or end of a
    /// turn.
    pub fn on_wake(mut self, listener: impl Fn(&Wake) + Send + Sync + 'static) -> Self {
        self.wake_listeners.push(Arc::new(listener));
        self
    }

    /// Reads the files. Their defects are in [`Rules::defects`].
    pub fn build(self) -> Rules {
        let project = self.project.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let set = self.variables.iter().cloned().collect();
        let environment = Environment {
            withhold_credentials: self.withhold_credentials,
            withhold: self.withhold.clone(),
            keep: self.keep.clone(),
            project,
            set,
        };
        let mut shared = Shared::new(self.aliases.clone(), environment, self.clients.clone());
        shared.run_observers.clone_from(&self.run_observers);
        shared.answer_observers.clone_from(&self.answer_observers);
        shared.notice_listeners.clone_from(&self.notice_listeners);
        shared.wake_listeners.clone_from(&self.wake_listeners);
        shared.summary_listeners.clone_from(&self.summary_listeners);
        shared.files = self.files.clone().map(SessionFiles::new);
        Rules::new(self.setup, shared)
    }
}

impl fmt::Debug for RulesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.setup.sources.iter().map(|source| &source.path).collect();
        f.debug_struct("RulesBuilder").field("files", &files).finish_non_exhaustive()
    }
}
