//! Plugins in folders: discovered, loaded, disabled, broken, repaired, removed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hooks_rules::{PluginInfo, PluginStatus, PluginStep, RulesBuilder, Trust};

use super::support::*;

/// A folder of plugins that is installed in a registry.
struct Desk {
    folder: tempfile::TempDir,
    rules: Rules,
    registry: Registry,
    steps: Arc<Mutex<Vec<String>>>,
}

impl Desk {
    fn new(files: &[(&str, &str)], more: impl FnOnce(RulesBuilder) -> RulesBuilder) -> Self {
        Self::with(Registry::empty(), files, more)
    }

    fn with(registry: Registry, files: &[(&str, &str)], more: impl FnOnce(RulesBuilder) -> RulesBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            write(&folder.path().join("plugins").join(file), text);
        }
        let steps = Arc::<Mutex<Vec<String>>>::default();
        let reported = Arc::clone(&steps);
        let builder = Rules::builder()
            .plugins(folder.path().join("plugins"))
            .project_dir("/project")
            .on_plugin(move |change| reported.lock().unwrap().push(change.to_string()));
        let rules = more(builder).build();
        rules.apply(&registry).unwrap();
        Self { folder, rules, registry, steps }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join("plugins").join(file)
    }

    fn write(&self, file: &str, text: &str) {
        write(&self.path(file), text);
    }

    /// Reloads, and returns the changes.
    async fn refresh(&self) -> Vec<String> {
        let changes = self.rules.refresh(&self.registry, &HookContext::new()).await.unwrap();
        let reported = std::mem::take(&mut *self.steps.lock().unwrap());
        assert_eq!(reported, changes.iter().map(ToString::to_string).collect::<Vec<_>>());
        reported
    }

    fn set(&self) -> HookSet {
        self.registry.scope(&AgentDef::new("clerk"), None).unwrap()
    }

    /// The reason for which a call of the shell is denied. Empty if it is not.
    async fn refusal(&self) -> String {
        reason(&shell(&self.set(), "ls").await.verdict).to_owned()
    }

    fn names(&self) -> Vec<String> {
        self.rules.plugins().into_iter().map(|plugin| plugin.name).collect()
    }

    fn plugin(&self, name: &str) -> PluginInfo {
        self.rules.plugins().into_iter().find(|plugin| plugin.name == name).unwrap()
    }
}

fn refuses(why: &str) -> String {
    commands("PreToolUse", &[&format!("echo {why} >&2; exit 2")])
}

const RULES: &str = "guards/hooks/hooks.json";

#[tokio::test]
async fn plugins_are_found_and_loaded_after_the_plugins_that_they_need() {
    let desk = Desk::new(
        &[
            (
                "a/plugin.json",
                r#"{"name": "last", "version": "1.2.0", "description": "Guards.", "needs": {"plugins": ["z"]}}"#,
            ),
            ("a/hooks/hooks.json", &refuses("last")),
            // In the layout of Claude Code.
            ("b/.claude-plugin/plugin.json", r#"{"name": "b", "author": {"name": "x"}, "hooks": "./more.json"}"#),
            ("b/more.json", &refuses("more")),
            ("b/hooks/hooks.json", &refuses("usual")),
            (
                "c/plugin.json",
                r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo here >&2; exit 2"}]}]}}"#,
            ),
            ("d/notes.txt", "no plugin"),
            ("z/hooks/hooks.json", &refuses("z")),
        ],
        |builder| builder,
    );
    assert_eq!(desk.rules.defects(), [] as [hooks_rules::Defect; 0]);
    assert_eq!(desk.names(), ["b", "c", "z", "last"]);
    let rules: Vec<_> = desk.rules.list().into_iter().map(|rule| (rule.plugin.unwrap(), rule.summary)).collect();
    let lines: Vec<_> = rules.iter().map(|(plugin, line)| (&**plugin, line.split(' ').nth(1).unwrap())).collect();
    assert_eq!(lines, [("b", "usual"), ("b", "more"), ("c", "here"), ("z", "z"), ("last", "last")]);
    let last = desk.plugin("last");
    assert_eq!((last.version.as_deref(), last.description.as_deref()), (Some("1.2.0"), Some("Guards.")));
    assert_eq!(desk.refusal().await, "usual");
}

#[tokio::test]
async fn commands_have_the_configuration_and_an_existing_data_folder() {
    let says = r#"echo "$CLAUDE_PLUGIN_OPTION_LIMIT $CLAUDE_PLUGIN_OPTION_NAME $CLAUDE_PLUGIN_OPTION_MAX_CENTS $CLAUDE_PLUGIN_OPTION_max_cents" >&2; test -d "$CLAUDE_PLUGIN_DATA" && exit 2"#;
    let files = [
        (RULES, commands("PreToolUse", &[says])),
        ("guards/config.json", r#"{"LIMIT": 5, "limit": 6, "NAME": "ada", "max_cents": 7, "more": {}}"#.to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (*file, text.as_str())).collect();
    let desk = Desk::new(&files, |builder| builder);
    assert_eq!(desk.refusal().await, "5 ada 7 7");
    assert_eq!(desk.plugin("guards").data.unwrap(), desk.path("data/guards"));
    let elsewhere = tempfile::tempdir().unwrap();
    let desk = Desk::new(&files, |builder| builder.plugin_data(elsewhere.path().join("x")));
    assert!(elsewhere.path().join("x/guards").is_dir());
    assert_eq!(desk.refusal().await, "5 ada 7 7");
}

#[tokio::test]
async fn a_plugin_can_be_edited_broken_repaired_disabled_and_removed() {
    let desk = Desk::new(&[(RULES, &refuses("one"))], |builder| builder);
    assert_eq!((desk.refresh().await, desk.refusal().await.as_str()), (vec![], "one"));
    let before = desk.set();

    desk.write(RULES, &refuses("two"));
    assert_eq!(desk.refresh().await, ["the plugin `guards` was loaded again"]);
    assert_eq!(desk.refusal().await, "two");
    assert_eq!(reason(&shell(&before, "ls").await.verdict), "one", "a set that is made goes on as it is");
    let revision = desk.registry.revision();
    assert_eq!((desk.refresh().await, desk.registry.revision()), (vec![], revision), "nothing changed");

    // With each of its files broken, the last valid version stays in use.
    for (file, name) in
        [(RULES, "hooks.json"), ("guards/plugin.json", "plugin.json"), ("guards/config.json", "config.json")]
    {
        desk.write(file, "{\"hooks\": ");
        let reported = desk.refresh().await;
        assert!(
            reported.len() == 1 && reported[0].starts_with(&format!("the plugin `guards` failed: {name}: ")),
            "{reported:?}"
        );
        assert!(matches!(desk.plugin("guards").status, PluginStatus::Failed(_)));
        assert_eq!(desk.rules.defects().len(), 1, "{name}");
        assert_eq!(desk.refusal().await, "two", "{name}");
        desk.write(file, if file == RULES { refuses("two") } else { "{}".to_owned() }.as_str());
        assert_eq!(desk.refresh().await, ["the plugin `guards` was loaded again"]);
    }

    assert!(desk.rules.disable_plugin("guards") && !desk.rules.disable_plugin("nobody"));
    assert_eq!(desk.refresh().await, ["the plugin `guards` is switched off"]);
    assert_eq!(desk.refusal().await, "");
    assert!(desk.rules.enable_plugin("guards"));
    desk.write("guards/.disabled", "");
    assert_eq!(desk.refresh().await, [""; 0], "the file still says so");
    std::fs::remove_file(desk.path("guards/.disabled")).unwrap();
    assert_eq!(desk.refresh().await, ["the plugin `guards` was loaded again"]);
    assert_eq!(desk.refusal().await, "two");

    std::fs::remove_dir_all(desk.path("guards")).unwrap();
    assert_eq!(desk.refresh().await, ["the plugin `guards` was removed"]);
    assert_eq!((desk.refusal().await.as_str(), desk.names().len()), ("", 0));
    desk.write(RULES, &refuses("three"));
    assert_eq!(desk.refresh().await, ["the plugin `guards` was loaded"]);
    assert_eq!(desk.refusal().await, "three");
}

#[tokio::test]
async fn a_plugin_without_its_dependency_is_disabled_and_its_guards_deny() {
    let two = json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 0"}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo context"}]}],
    }})
    .to_string();
    let needs = |what: &str| format!(r#"{{"needs": {what}}}"#);
    for (what, why) in [
        (r#"{"programs": ["no-such-program"]}"#, "it needs the program `no-such-program`, which does not exist"),
        (r#"{"variables": ["NO_SUCH_VARIABLE"]}"#, "it needs the variable `NO_SUCH_VARIABLE`, which is not set"),
        (r#"{"plugins": ["nobody"]}"#, "it needs the plugin `nobody`, which does not run"),
        (r#"{"plugins": ["guards"]}"#, "it needs the plugin `guards`, which does not run"),
    ] {
        let desk = Desk::new(&[(RULES, &two), ("guards/plugin.json", "{}")], |builder| builder);
        assert_eq!(desk.refusal().await, "");
        desk.write("guards/plugin.json", &needs(what));
        assert_eq!(desk.refresh().await, [format!("the plugin `guards` failed: {why}")]);
        let refusal = desk.refusal().await;
        assert!(refusal.contains(&format!("its plugin `guards` cannot run: {why}")), "{refusal}");
        let other = call("Read", json!({}));
        let fired = desk.set().fire(&HookContext::new(), &BeforeToolCall::new(other), json!({}).into()).await.unwrap();
        assert!(fired.verdict.denial().is_none(), "the plugin does not guard this call");
        let runs = desk.rules.list().iter().filter(|rule| rule.enabled).count();
        assert_eq!(runs, 1, "its other rules do not run");
        assert!(desk.rules.defects()[0].problem.contains(why), "{:?}", desk.rules.defects());
        desk.write("guards/plugin.json", r#"{"needs": {"programs": ["sh"], "variables": ["PATH"]}}"#);
        assert_eq!(desk.refresh().await, ["the plugin `guards` was loaded again"]);
        assert_eq!(desk.refusal().await, "");
    }
}

#[test]
fn mistakes_in_a_manifest_are_reported_with_what_to_write() {
    let table = [
        (r#"{"name": "a b"}"#, "`a b` is not a valid name of a plugin", "write letters"),
        (
            r#"{"hooks": "../elsewhere.json"}"#,
            "`../elsewhere.json` leads out of the plugin's folder",
            "within the folder",
        ),
        (r#"{"hooks": ["/etc/hooks.json"]}"#, "leads out of the plugin's folder", "within the folder"),
        (r#"{"hooks": 3}"#, "`hooks` is a path, a list of paths, or the rules themselves", "write `{"),
        (r#"{"needs": {"program": ["jq"]}}"#, "unknown field `program`", "write `{"),
        (r#"{"hooks": ["missing.json"]}"#, "the file was not found", "create it"),
    ];
    for (text, problem, help) in table {
        let desk = Desk::new(&[("guards/plugin.json", text)], |builder| builder);
        let defects = desk.rules.defects();
        let found = defects.iter().find(|defect| defect.problem.contains(problem));
        assert!(found.is_some_and(|defect| defect.help.contains(help)), "{text}: {defects:#?}");
    }
    let twice =
        Desk::new(&[("a/plugin.json", r#"{"name": "x"}"#), ("b/plugin.json", r#"{"name": "x"}"#)], |builder| builder);
    assert!(twice.rules.defects().iter().any(|defect| defect.problem.contains("also has the name `x`")));
}

#[tokio::test]
async fn plugins_of_the_project_need_trust() {
    let project = tempfile::tempdir().unwrap();
    let (trust, root) = (project.path().join("../trust-of-plugins.json"), project.path().join("plugins/guards"));
    let _ = std::fs::remove_file(&trust);
    let files = ["hooks/hooks.json", "plugin.json", "config.json"].map(|file| root.join(file));
    let [rules_file, manifest, config] = &files;
    write(rules_file, &refuses("closed"));
    write(manifest, "{}");
    write(config, "{}");
    let registry = Registry::empty();
    let rules =
        Rules::builder().project_dir(project.path()).trust(&trust).plugins(project.path().join("plugins")).build();
    rules.apply(&registry).unwrap();
    let status = || rules.plugins()[0].status.clone();
    for file in &files {
        let runs = rules.list().into_iter().filter(|rule| rule.enabled && rule.denies.is_none()).count();
        assert_eq!((status(), runs), (PluginStatus::Waiting, 0), "before {}", file.display());
        Trust::open(&trust).unwrap().trust(file).unwrap();
        rules.refresh(&registry, &HookContext::new()).await.unwrap();
    }
    assert_eq!((status(), rules.list().len()), (PluginStatus::On, 1));
    write(config, r#"{"LIMIT": 9}"#);
    let changes = rules.refresh(&registry, &HookContext::new()).await.unwrap();
    assert_eq!(changes[0].step, PluginStep::Waiting);
    std::fs::remove_file(&trust).unwrap();
}

/// The `init` events of a compiled plugin.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

/// A compiled plugin, like one in a crate of the program.
fn linked(log: &Log) -> Registry {
    let registry = Registry::empty();
    let (started, stopped) = (log.clone(), log.clone());
    let init = Hook::at::<Init>("limits_init").reader(move |_, event: &Init, ()| {
        let there = event.data_dir.as_ref().is_some_and(|data| data.is_dir());
        started.0.lock().unwrap().push(format!("starts with {}, data {there}, {}", event.config, event.version));
        if event.config["limit"].is_u64() { Ok(()) } else { Err("there is no limit") }
    });
    let shutdown = Hook::at::<Shutdown>("limits_shutdown").reader(move |_, event: &Shutdown, ()| {
        stopped.0.lock().unwrap().push(format!("stops: {}", event.reason));
    });
    let guard = Hook::at::<BeforeToolCall>("limits_guard").reader(|_, _, _| Permission::deny("over the limit"));
    for hook in [init, shutdown, guard] {
        registry.register(hook.plugin("limits")).unwrap();
    }
    registry
}

#[tokio::test]
async fn a_compiled_plugin_gets_its_configuration_and_is_shut_down_before_a_restart() {
    let log = Log::default();
    let files = [("limits/plugin.json", r#"{"version": "2.0"}"#), ("limits/config.json", r#"{"limit": 5}"#)];
    let desk = Desk::with(linked(&log), &files, |builder| builder);
    desk.registry.start_plugins(&HookContext::new()).await.unwrap();
    let reported = || std::mem::take(&mut *log.0.lock().unwrap());
    assert_eq!(reported(), [r#"starts with {"limit":5}, data true, 2.0"#]);
    assert_eq!(desk.refusal().await, "over the limit");

    desk.write("limits/config.json", r#"{"limit": 6}"#);
    assert_eq!(desk.refresh().await, ["the plugin `limits` was loaded again"]);
    assert_eq!(reported(), ["stops: reload", r#"starts with {"limit":6}, data true, 2.0"#]);

    // With an invalid configuration, it keeps the last valid one, and is not restarted.
    desk.write("limits/config.json", "{");
    let steps = desk.refresh().await;
    assert!(steps[0].starts_with("the plugin `limits` failed: config.json"), "{steps:?}");
    assert_eq!((reported(), desk.refusal().await.as_str()), (vec![], "over the limit"));

    // A failure to start is reported, and its guard denies.
    desk.write("limits/config.json", r#"{"limit": "none"}"#);
    let steps = desk.refresh().await;
    assert!(steps.len() == 1 && steps[0].contains("there is no limit"), "{steps:?}");
    assert_eq!(reported(), ["stops: reload", r#"starts with {"limit":"none"}, data true, 2.0"#]);
    let fired = shell(&desk.set(), "ls").await;
    let why = fired.report.failures.first().unwrap().to_string();
    assert!(fired.verdict.denial().is_some() && why.contains("failed to start"), "{why}");

    desk.write("limits/config.json", r#"{"limit": 7}"#);
    desk.refresh().await;
    assert_eq!((reported().len(), desk.refusal().await.as_str()), (1, "over the limit"));
    desk.rules.disable_plugin("limits");
    assert_eq!(desk.refresh().await, ["the plugin `limits` is switched off"]);
    assert_eq!((reported(), desk.refusal().await.as_str()), (vec!["stops: reload".to_owned()], ""));
    desk.rules.enable_plugin("limits");
    desk.refresh().await;
    assert_eq!((reported().len(), desk.refusal().await.as_str()), (1, "over the limit"));
    std::fs::remove_dir_all(desk.path("limits")).unwrap();
    assert_eq!(desk.refresh().await, ["the plugin `limits` was removed"]);
    assert_eq!((reported().len(), desk.refusal().await.as_str(), desk.registry.plugins().len()), (1, "", 0));
}

#[tokio::test]
async fn the_guards_of_a_compiled_plugin_deny_after_an_untrusted_edit_of_its_folder() {
    for folder in ["limits", "my-limits"] {
        let (project, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (trust, root) = (outside.path().join("trust.json"), project.path().join("plugins").join(folder));
        let (manifest, config) = (root.join("plugin.json"), root.join("config.json"));
        let started = async || {
            let registry = linked(&Log::default());
            let plugins = project.path().join("plugins");
            let rules = Rules::builder().project_dir(project.path()).trust(&trust).plugins(plugins).build();
            rules.apply(&registry).unwrap();
            let _ = registry.start_plugins(&HookContext::new()).await;
            (registry, rules)
        };
        let denial = async |registry: &Registry| {
            let fired = shell(&registry.scope(&AgentDef::new("clerk"), None).unwrap(), "ls").await;
            fired.verdict.denial().map(|denial| denial.reason.to_string()).unwrap_or_default()
        };
        write(&manifest, r#"{"name": "limits", "version": "1"}"#);
        write(&config, r#"{"limit": 5}"#);
        for file in [&manifest, &config] {
            Trust::open(&trust).unwrap().trust(file).unwrap();
        }
        let (registry, rules) = started().await;
        assert_eq!(denial(&registry).await, "over the limit", "{folder}");
        for edited in [r#"{"name": "limits", "version": "2"}"#, r#"{"name": "another"}"#, "{"] {
            write(&manifest, edited);
            rules.refresh(&registry, &HookContext::new()).await.unwrap();
            let reason = denial(&registry).await;
            assert!(reason.contains("this is not a policy decision"), "{folder}, {edited}: {reason:?}");
        }
        // A program that starts now knows only the name in the untrusted manifest.
        write(&manifest, r#"{"name": "limits", "version": "2"}"#);
        let reason = denial(&started().await.0).await;
        assert!(reason.contains("this is not a policy decision"), "{folder}: {reason:?}");
        // Removing a trusted file is a change, too.
        for lost in [&manifest, &config] {
            write(&manifest, r#"{"name": "limits", "version": "1"}"#);
            write(&config, r#"{"limit": 5}"#);
            let (registry, rules) = started().await;
            assert_eq!(denial(&registry).await, "over the limit", "{folder}");
            std::fs::remove_file(lost).unwrap();
            rules.refresh(&registry, &HookContext::new()).await.unwrap();
            let reason = denial(&registry).await;
            assert!(reason.contains("this is not a policy decision"), "{folder}, {}: {reason:?}", lost.display());
            assert!(rules.defects()[0].problem.contains("it is gone"), "{:?}", rules.defects());
        }
    }
}

#[tokio::test]
async fn a_plugin_that_the_app_installed_itself_is_left_alone() {
    let log = Log::default();
    let registry = linked(&log);
    registry.install(hook_sdk::plugin::Plugin::new("limits").config(json!({"limit": 1}))).unwrap();
    let desk = Desk::with(registry, &[("limits/config.json", r#"{"limit": 5}"#)], |builder| builder);
    desk.write("limits/config.json", r#"{"limit": 6}"#);
    desk.refresh().await;
    std::fs::remove_dir_all(desk.path("limits")).unwrap();
    desk.refresh().await;
    desk.registry.start_plugins(&HookContext::new()).await.unwrap();
    assert_eq!(log.0.lock().unwrap()[0], r#"starts with {"limit":1}, data false, "#);
    assert_eq!(desk.refusal().await, "over the limit");
}

#[test]
fn a_plugin_without_content_is_reported() {
    let desk = Desk::new(&[("limts/config.json", "{}")], |builder| builder);
    let problem = "the plugin `limts` has no rules, and no crate of this program has its name";
    assert_eq!(desk.rules.defects()[0].problem, problem);
}

#[tokio::test]
async fn the_list_of_the_app_keeps_its_order_and_its_own_entries() {
    let desk = Desk::new(&[(RULES, &refuses("one"))], |builder| builder);
    let list = || {
        let hooks = desk.registry.app().hooks.unwrap();
        hooks.iter().map(|entry| serde_json::to_value(entry).unwrap()).collect::<Vec<_>>()
    };
    let own = |id: &str| Hook::at::<Stop>(id).reader(|_, _, ()| ());
    desk.registry.register(own("first")).unwrap();
    desk.registry.register(own("last")).unwrap();
    let of_rules = list();
    let mut app = AppDef::new("desk").hooks(["first"]);
    app = app.hooks(desk.registry.app().hooks.unwrap()).hooks(["last"]);
    desk.registry.set_app(app);
    let stop = json!({"hooks": {"Stop": [{"hooks": [{"type": "hook", "id": "last"}]}]}}).to_string();
    desk.write("more/hooks/hooks.json", &stop);
    desk.refresh().await;
    let expected: Vec<Value> = [vec![json!("first")], of_rules, vec![json!("last")]].concat();
    assert_eq!(list(), expected, "`last` is where the app names it");
    std::fs::remove_dir_all(desk.path("guards")).unwrap();
    desk.refresh().await;
    assert_eq!(list(), [json!("first"), json!("last")]);
}

#[cfg(feature = "watch")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_on_the_disk_take_effect_automatically() {
    let (say, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let desk = Desk::new(&[(RULES, &refuses("one"))], |builder| {
        builder.on_plugin(move |change| drop(say.send(change.step.clone())))
    });
    let mut step =
        async || tokio::time::timeout(std::time::Duration::from_secs(30), heard.recv()).await.unwrap().unwrap();
    let watch = desk.rules.watch(&desk.registry, &HookContext::new()).unwrap();
    desk.write(RULES, &refuses("two"));
    assert_eq!(step().await, PluginStep::Reloaded);
    assert_eq!(desk.refusal().await, "two");
    desk.write("data/guards/kept.txt", "data");
    desk.write("more/hooks/hooks.json", &commands("Stop", &["true"]));
    assert_eq!(step().await, PluginStep::Loaded, "data of plugins concern nobody");
    std::fs::remove_dir_all(desk.path("guards")).unwrap();
    assert_eq!(step().await, PluginStep::Removed);
    assert_eq!(desk.refusal().await, "");
    watch.stop().await;
    desk.write(RULES, &refuses("three"));
    assert_eq!(desk.refusal().await, "", "nobody watches any more");

    let nowhere = Rules::builder().plugins("/is/not/there").build();
    let error = nowhere.watch(&desk.registry, &HookContext::new()).unwrap_err();
    assert!(error.to_string().starts_with("/is/not/there cannot be watched: "), "{error}");
}
