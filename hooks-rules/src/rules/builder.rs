use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::Rules;
use super::plugins::{PluginChange, PluginFolders, PluginListener};
use super::source::Source;
use crate::alias::Aliases;
use crate::answer::Answer;
use crate::dialect::Dialect;
use crate::files::absolute;
use crate::firing::{
    AnswerObserver, FiredListener, NoticeListener, Notices, Owner, PluginFolder, Printed, RuleRun, RulesFired,
    RunObserver, SessionFiles, Shared, Wake, WakeListener,
};
use crate::run::{Clients, Environment, Judge, Post};

/// Says where rules come from and how they run. Files are read in the order in which they are named.
#[derive(Default)]
#[must_use = "call `build` to get the rules"]
pub struct RulesBuilder {
    pub(super) sources: Vec<Source>,
    pub(super) trust: Option<PathBuf>,
    pub(super) trust_all: bool,
    pub(super) priority: i32,
    pub(super) disabled: Vec<String>,
    pub(super) plugins: PluginFolders,
    pub(super) plugin_listeners: Vec<PluginListener>,
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
    fired_listeners: Vec<FiredListener>,
}

impl RulesBuilder {
    fn source(mut self, path: impl Into<PathBuf>, owner: Owner) -> Self {
        self.sources.push(Source { path: path.into(), owner, dialect: None, text: None });
        self
    }

    /// A settings file of the person or the operator. That it is not there is no defect.
    pub fn settings(self, path: impl Into<PathBuf>) -> Self {
        self.source(path, Owner::User)
    }

    /// A settings file of the project: its rules wait until the file is trusted, see [`trust`](Self::trust). That it is
    /// not there is no defect.
    pub fn project_settings(self, path: impl Into<PathBuf>) -> Self {
        self.source(path, Owner::Project)
    }

    /// The rules of a plugin. One whose folder is within that of the project came with it, and waits until its file is
    /// trusted, see [`trust`](Self::trust).
    pub fn plugin(self, plugin: PluginFolder) -> Self {
        // Messages name the file as the app does, commands find full paths.
        let path = plugin.root.join("hooks").join("hooks.json");
        self.plugin_file(plugin, path)
    }

    /// A rule file of a plugin other than its `hooks/hooks.json`. Trust is needed as for [`plugin`](Self::plugin).
    pub fn plugin_file(self, mut plugin: PluginFolder, path: impl Into<PathBuf>) -> Self {
        plugin.root = absolute(plugin.root);
        plugin.data =
            Some(absolute(plugin.data.unwrap_or_else(|| plugin.root.join("..").join("data").join(&plugin.name))));
        self.source(path, Owner::Plugin(Arc::new(plugin)))
    }

    /// The plugins in `folder`: each folder in it that has a manifest (`plugin.json`, or `.claude-plugin/plugin.json`), rules in
    /// `hooks/hooks.json`, or a `config.json`. They are loaded each after those that it needs, else by name; files named one by one
    /// come first. [`Rules::plugins`] lists them, [`Rules::refresh`] reads them again, and with the feature `watch`
    /// `Rules::watch` does so when they change. One within the folder of the project waits until its files are trusted.
    ///
    /// A crate of this program that is a plugin of that name finds its configuration and its folder for data there too, and is
    /// installed with them.
    pub fn plugins(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plugins.parents.push(absolute(folder.into()));
        self
    }

    /// Where the plugins of folders keep their data, each in a folder of its name; in `data` beside them where nothing is said.
    pub fn plugin_data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.plugins.data = Some(absolute(folder.into()));
        self
    }

    /// Calls `listener` with what happens to the plugins of folders when they are read again.
    pub fn on_plugin(mut self, listener: impl Fn(&PluginChange) + Send + Sync + 'static) -> Self {
        self.plugin_listeners.push(Arc::new(listener));
        self
    }

    /// A file of rules that a skill brings along; they may say `once`. One within the folder of the project waits until it is
    /// trusted, see [`trust`](Self::trust).
    pub fn skill(self, name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.source(path, Owner::Skill(name.into()))
    }

    /// Rules as text, called `name` in messages.
    pub fn text(mut self, name: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Self {
        let text = Some(text.into());
        self.sources.push(Source { path: name.into(), owner: Owner::User, dialect: None, text });
        self
    }

    /// The content of the file named last, where it was read already: it is not read again, also by [`Rules::reload`].
    pub fn content(mut self, text: impl Into<Arc<str>>) -> Self {
        if let Some(source) = self.sources.last_mut() {
            source.text = Some(text.into());
        }
        self
    }

    /// Says which form the file named last has, where it is not to be found by its content.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        if let Some(source) = self.sources.last_mut() {
            source.dialect = Some(dialect);
        }
        self
    }

    /// The file that says which files of projects are trusted. Without it none is.
    pub fn trust(mut self, path: impl Into<PathBuf>) -> Self {
        self.trust = Some(path.into());
        self
    }

    /// Every file counts as trusted: for a program whose person has just said so.
    pub fn trust_all(mut self) -> Self {
        self.trust_all = true;
        self
    }

    /// The folder in which the session began: `CLAUDE_PROJECT_DIR`, which commands find as a full path. The current one where
    /// nothing is said.
    pub fn project_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.project = Some(absolute(folder.into()));
        self
    }

    /// What tools are called on the wire.
    pub fn aliases(mut self, aliases: Aliases) -> Self {
        self.aliases = aliases;
        self
    }

    /// Where the hooks of the rules are among others; 0 where nothing is said.
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Leaves the rule with this id out. An id that no rule has is no error: its file may come later.
    pub fn disable(mut self, id: impl Into<String>) -> Self {
        self.disabled.push(id.into());
        self
    }

    /// The model that `prompt` rules of nested files ask.
    pub fn judge(mut self, judge: impl Judge) -> Self {
        self.clients.judge = Some(Arc::new(judge));
        self
    }

    /// The client for `http` rules.
    pub fn post(mut self, client: impl Post) -> Self {
        self.clients.post = Some(Arc::new(client));
        self
    }

    /// Keeps variables whose names look like those of credentials, such as `OPENAI_API_KEY`, out of the environment of
    /// commands; which ones is in each [`RuleRun`].
    ///
    /// That is hygiene and no boundary: a command runs as the same user, and finds what this user can read. And a guard
    /// that needs such a variable fails, so say which ones to [keep](Self::keep_variable).
    pub fn withhold_credentials(mut self) -> Self {
        self.withhold_credentials = true;
        self
    }

    /// Keeps this variable out of the environment of commands.
    pub fn withhold_variable(mut self, name: impl Into<String>) -> Self {
        self.withhold.push(name.into());
        self
    }

    /// Leaves commands this variable, whatever its name looks like.
    pub fn keep_variable(mut self, name: impl Into<String>) -> Self {
        self.keep.push(name.into());
        self
    }

    /// A variable that all commands find, such as `CLAUDE_EFFORT`.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Keeps two files for each session in this folder, which nobody else may read. The transcript has what was stored, one
    /// message per line, and the answer before `Stop`, where the harness has no transcript of its own
    /// ([`SessionInfo::transcript`](crate::SessionInfo::transcript)). Into the other, `CLAUDE_ENV_FILE`, commands at `SessionStart`
    /// export variables for shell tools: [`Rules::shell_line`].
    ///
    /// The files stay; remove them with the conversations that they are of.
    pub fn session_files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files = Some(folder.into());
        self
    }

    /// Calls `observer` after every run of a rule.
    pub fn observe(mut self, observer: impl Fn(&RuleRun) + Send + Sync + 'static) -> Self {
        self.run_observers.push(Arc::new(observer));
        self
    }

    /// Calls `observer` after every run, with what the rule said and what its command printed: for a person who tries rules
    /// out. Both hold texts of the conversation; a log is better served by [`observe`](Self::observe).
    pub fn observe_answers(mut self, observer: impl Fn(&RuleRun, &Answer, &Printed) + Send + Sync + 'static) -> Self {
        self.answer_observers.push(Arc::new(observer));
        self
    }

    /// Calls `listener` with what rules say to the person, and what else a kind cannot carry.
    pub fn on_notices(mut self, listener: impl Fn(&Notices) + Send + Sync + 'static) -> Self {
        self.notice_listeners.push(Arc::new(listener));
        self
    }

    /// Calls `listener` once for each event for which rules ran, with what they came to together.
    pub fn on_fired(mut self, listener: impl Fn(&RulesFired) + Send + Sync + 'static) -> Self {
        self.fired_listeners.push(Arc::new(listener));
        self
    }

    /// Calls `listener` where a command that nobody waited for wakes the model (`asyncRewake`, exit code 2): it may begin a turn
    /// with the text. Without a listener the model reads it at the next result, prompt or end of a turn.
    pub fn on_wake(mut self, listener: impl Fn(&Wake) + Send + Sync + 'static) -> Self {
        self.wake_listeners.push(Arc::new(listener));
        self
    }

    /// Reads the files. What is wrong with them is in [`Rules::defects`].
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
        shared.fired_listeners.clone_from(&self.fired_listeners);
        shared.files = self.files.clone().map(SessionFiles::new);
        Rules::new(self, shared)
    }
}

impl fmt::Debug for RulesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.sources.iter().map(|source| &source.path).collect();
        f.debug_struct("RulesBuilder").field("files", &files).finish_non_exhaustive()
    }
}
