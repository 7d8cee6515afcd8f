//! Guards cannot be disabled by a file, a path or a terminal.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hook_sdk::record::Status;
use hooks_rules::{PluginFolder, Trust};

use super::support::*;

/// Runs a test again in another process, because variables and terminals cannot be changed within a running one.
fn alone(mut command: std::process::Command) {
    let ran = command.output().unwrap();
    let observed = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && observed.contains("1 passed"), "{observed}");
}

/// A weaker duplicate does not replace a guard, in either order.
#[tokio::test]
async fn a_weaker_copy_does_not_replace_a_guard() {
    let guard = json!({"type": "command", "command": "exit 1", "onFailure": "block"});
    let copies = [
        json!({"type": "command", "command": "exit 1", "async": true}),
        json!({"type": "command", "command": "exit 1"}),
        json!({"type": "command", "command": "exit 1", "onFailure": "block", "if": "Bash(git *)"}),
        json!({"type": "command", "command": "exit 1", "timeout": 0.001}),
    ];
    for copy in copies {
        for pair in [[&copy, &guard], [&guard, &copy]] {
            let file = |handler: &Value| json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string();
            let rules = built(Rules::builder().text("one.json", file(pair[0])).text("two.json", file(pair[1])));
            assert!(shell(&set(&rules), "rm x").await.verdict.denial().is_some(), "{copy}");
        }
    }
}

/// Output that a guard printed before it failed does not count, unless it denies.
#[tokio::test]
async fn a_guard_that_fails_after_it_printed_an_allow_does_not_allow() {
    let allow = prints(&output("PreToolUse", json!({"permissionDecision": "allow"})));
    let lines = [
        "echo '{\"level\": \"info\", \"msg\": \"checking\"}'; exit 1".to_owned(),
        "echo '{}'; kill -9 $$".to_owned(),
        "echo '{}'; exit 137".to_owned(),
        format!("{allow}\nexit 1"),
        format!("{allow}\nkill -11 $$"),
        "echo checking; exit 1".to_owned(),
        "echo '{\"async\": true}'; exit 2".to_owned(),
        "echo '{\"async\": true}'; sleep 1; exit 2".to_owned(),
        "echo '{\"async\": true}'".to_owned(),
        "exec 0<&- 1>&- 2>&-; exit 1".to_owned(),
        "head -c 50000000 /dev/zero; exit 1".to_owned(),
    ];
    for line in lines {
        let guard = json!({"type": "command", "command": line, "onFailure": "block"});
        for (dialect, text) in [
            ("claude", json!({"hooks": {"PreToolUse": [{"hooks": [guard]}]}})),
            ("agentao", json!({"hooks": {"PreToolUse": [guard]}})),
        ] {
            let fired = shell(&set(&of_any(&text.to_string())), "rm x").await;
            // The flat form has no first line that counts.
            if dialect == "agentao" && line.contains("async") {
                continue;
            }
            assert!(fired.verdict.denial().is_some(), "{dialect} {line}: {:?}", fired.verdict);
        }
    }
}

/// A plugin behind a symbolic link in the project's folder of plugins belongs to the project too.
#[tokio::test]
async fn a_plugin_behind_a_symbolic_link_of_the_project_needs_trust() {
    let folder = tempfile::tempdir().unwrap();
    let (project, far) = (folder.path().join("project"), folder.path().join("far"));
    write(&far.join("hooks/hooks.json"), &commands("PreToolUse", &["exit 2"]));
    write(&far.join("plugin.json"), r#"{"name": "far"}"#);
    std::fs::create_dir_all(project.join("plugins")).unwrap();
    symlink(&far, project.join("plugins/far")).unwrap();
    for named in [false, true] {
        let builder = Rules::builder().project_dir(&project);
        let builder = if named {
            builder.plugin(PluginFolder::new("far", project.join("plugins/far")))
        } else {
            builder.plugins(project.join("plugins"))
        };
        let rules = builder.build();
        assert!(rules.list().iter().all(|rule| !rule.enabled), "named {named}: {:?}", rules.list());
    }
}

/// A plugin of the project cannot replace a guard by using the name of the guard's plugin.
#[tokio::test]
async fn a_plugin_with_the_name_of_a_guard_leaves_the_guard() {
    for is_trusted in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let (project, own) = (folder.path().join("project/plugins"), folder.path().join("own"));
        write(&project.join("guards/plugin.json"), r#"{"name": "guards"}"#);
        write(&project.join("guards/hooks/hooks.json"), &commands("PreToolUse", &["true"]));
        write(&own.join("guards/plugin.json"), r#"{"name": "guards"}"#);
        let guard = json!({"type": "command", "command": "exit 2", "onFailure": "block"});
        write(
            &own.join("guards/hooks/hooks.json"),
            &json!({"hooks": {"PreToolUse": [{"hooks": [guard]}]}}).to_string(),
        );
        let builder = Rules::builder().project_dir(folder.path().join("project")).plugins(&project).plugins(&own);
        let rules = if is_trusted { builder.trust_all().build() } else { builder.build() };
        let fired = shell(&set(&rules), "rm x").await;
        assert!(fired.verdict.denial().is_some(), "trusted {is_trusted}: {:?} {:?}", fired.verdict, rules.plugins());
    }
}

/// A pattern may name a folder by a symbolic link, while the model names the folder directly.
#[test]
fn a_pattern_with_a_symbolic_link_guards_the_folder_under_its_real_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    std::fs::create_dir_all(root.join("repo/releases/42")).unwrap();
    std::fs::create_dir_all(root.join("far")).unwrap();
    symlink("releases/42", root.join("repo/current")).unwrap();
    symlink(root.join("far"), root.join("near")).unwrap();
    let selects = |rule: &str, file: &str| {
        let (filter, project) = (hooks_rules::Filter::read(rule).unwrap(), root.join("repo"));
        let folders = hooks_rules::Folders { current: &project, roots: &[&project] };
        filter.selects(&hooks_rules::Aliases::default(), "Edit", &json!({"file_path": file}), Some(folders))
    };
    for (rule, file, selected) in [
        ("Edit(current/**)".to_owned(), "releases/42/a".to_owned(), true),
        ("Edit(/current/*.rs)".to_owned(), "releases/42/a.rs".to_owned(), true),
        ("Edit(current/**)".to_owned(), "releases/41/a".to_owned(), false),
        (format!("Edit(/{}/near/**)", root.display()), format!("{}/far/a", root.display()), true),
        (format!("Edit(/{}/near/**)", root.display()), format!("{}/further/a", root.display()), false),
    ] {
        assert_eq!(selects(&rule, &file), selected, "{rule} {file}");
    }
}

/// A guard that cannot be started fails its hook. The cause names the guard, and the user gets a message.
#[tokio::test]
async fn a_guard_that_cannot_run_has_failed_and_is_reported() {
    for line in ["./is-not-there.sh", "exit 1", "kill -9 $$", "echo '{broken}'"] {
        let observed = Observed::default();
        let rules = built(observed.listens(Rules::builder().text("hooks.json", commands("PreToolUse", &[line]))));
        let cx = HookContext::builder().keep_records(true).build();
        let fired = shell_in(&set(&rules), &cx, "ls").await;
        assert_eq!(fired.verdict, Permission::NoOpinion, "the contract: it goes on");
        let failure = &fired.report.failures[0];
        let rule = rules.list()[0].id.clone();
        assert!(failure.cause.starts_with(&format!("{rule} (hooks.json:1): ")), "{failure}");
        let record = fired.report.record.clone().unwrap();
        assert_eq!(record.runs[0].status, Status::Failed);
        let notices = observed.notices.lock().unwrap();
        assert!(notices[0].messages[0].starts_with("PreToolUse hook error: "), "{notices:?}");
    }
}

/// Keeps the log lines of rules.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::field::Visit for Log {
    fn record_debug(&mut self, _: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0.lock().unwrap(), "{value:?}").unwrap();
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        if event.metadata().target() == "hooks_rules" {
            write!(self.0.lock().unwrap(), "{} ", event.metadata().level()).unwrap();
            event.record(&mut self.clone());
        }
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// Of what a script said, a failure is told with the first line of stderr.
#[tokio::test]
async fn records_and_log_lines_name_the_rule_and_not_what_it_got_or_said() {
    const HERE: &str = "rules::guards::records_and_log_lines_name_the_rule_and_not_what_it_got_or_said";
    // Other tests log too, and whether anybody listens is a fact of the process.
    if std::env::var_os("ALONE").is_none() {
        let mut own = std::process::Command::new(std::env::current_exe().unwrap());
        own.args(["--exact", HERE]).env("ALONE", "1");
        return alone(own);
    }
    for (end, level) in [("exit 1", "WARN"), ("exit 2", "DEBUG"), ("exit 0", "DEBUG")] {
        let line = format!("echo hush-out; echo first words >&2; echo hush-second >&2; {end} # hush-command");
        let rules = of_text(&commands("PreToolUse", &[&line]));
        let set = set(&rules);
        let cx = HookContext::builder().keep_records(true).build();
        let log = Log::default();
        let listens = tracing::subscriber::set_default(log.clone());
        let fired = shell_in(&set, &cx, "echo hush-input").await;
        drop(listens);
        let (log, record) = (log.0.lock().unwrap(), format!("{:?}", fired.report.record));
        for told in [&*log, &record] {
            assert!(!told.contains("hush"), "{end}: {told}");
            assert_eq!(told.contains("first words"), end == "exit 1", "{end}: {told}");
        }
        assert!(log.starts_with(&format!("{level} {} at PreToolUse (hooks.json:1)", rules.list()[0].id)), "{log}");
        assert_eq!(record.contains("hooks.json"), end != "exit 0", "a rule that decided or failed: {record}");
    }
}

/// If another rule decided, its answer counts, and the user is informed of the failure.
#[tokio::test]
async fn the_failure_of_one_rule_does_not_change_the_answer_of_another() {
    let observed = Observed::default();
    let text = commands("PreToolUse", &["exit 1", "echo no >&2; exit 2"]);
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text)));
    assert_eq!(reason(&shell(&set(&rules), "ls").await.verdict), "no");
    assert_eq!(observed.notices.lock().unwrap()[0].messages.len(), 1);
}

/// According to the contract, only `OTEL_*` is removed, and a guard gets the variables that it needs.
#[tokio::test]
async fn commands_inherit_the_environment_and_the_report_names_withheld_variables() {
    const HERE: &str = "rules::guards::commands_inherit_the_environment_and_the_report_names_withheld_variables";
    if std::env::var_os("CLAUDE_TOKEN_BUDGET").is_none() {
        let mut own = std::process::Command::new(std::env::current_exe().unwrap());
        let variables = [("CLAUDE_TOKEN_BUDGET", "t"), ("KEPT_TOKEN", "k"), ("OTEL_DESK", "o"), ("DATABASE_URL", "d")];
        own.args(["--exact", HERE]).envs(variables);
        return alone(own);
    }
    let line = "echo \"[$CLAUDE_TOKEN_BUDGET$KEPT_TOKEN$OTEL_DESK$DATABASE_URL]\" >&2; exit 2";
    let said = async |builder: hooks_rules::RulesBuilder| {
        let observed = Observed::default();
        let rules = built(observed.listens(builder.text("hooks.json", commands("PreToolUse", &[line]))));
        let fired = shell(&set(&rules), "ls").await;
        let withheld = observed.runs.lock().unwrap()[0].withheld.clone();
        (
            reason(&fired.verdict).to_owned(),
            withheld.into_iter().filter(|name| !name.starts_with("CARGO")).collect::<Vec<_>>(),
        )
    };
    assert_eq!(said(Rules::builder()).await, ("[tkd]".into(), vec![]));
    let (text, withheld) = said(Rules::builder().withhold_credentials().keep_variable("KEPT_TOKEN")).await;
    assert_eq!(text, "[kd]");
    assert!(withheld.contains(&"CLAUDE_TOKEN_BUDGET".to_owned()), "{withheld:?}");
    let (text, withheld) = said(Rules::builder().withhold_variable("DATABASE_URL")).await;
    assert_eq!((text.as_str(), withheld), ("[tk]", vec!["DATABASE_URL".to_owned()]));
}

/// A command has its own session without a terminal.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_command_runs_in_its_own_process_session() {
    let text = commands("UserPromptSubmit", &["echo $$ $(cut -d' ' -f6 /proc/$$/stat)"]);
    let event = UserPromptSubmit::new("hello", Messages::default());
    let fired = set(&of_text(&text)).fire(&HookContext::new(), &event, Messages::default()).await.unwrap();
    let (own, session) = fired.verdict.contexts[0].split_once(' ').unwrap();
    assert_eq!(own, session.trim());
}

/// Runs itself on a terminal, which `script` provides: a guard that reads from it must not wait until its deadline.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_guard_that_reads_from_the_terminal_fails_at_once() {
    const HERE: &str = "rules::guards::a_guard_that_reads_from_the_terminal_fails_at_once";
    const MARK: &str = "DESK_ON_A_TERMINAL";
    if std::env::var_os(MARK).is_none() {
        let mut script = std::process::Command::new("script");
        let own = std::env::current_exe().unwrap();
        script.args(["-qec", &format!("'{}' --exact {HERE}", own.display()), "/dev/null"]).env(MARK, "1");
        // Not on a machine without it.
        match script.output() {
            Ok(ran) => assert!(String::from_utf8_lossy(&ran.stdout).contains("1 passed"), "{ran:?}"),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
        }
        return;
    }
    assert!(std::fs::File::open("/dev/tty").is_ok(), "there is a terminal here");
    let handler = json!({"type": "command", "command": "read x < /dev/tty", "timeout": 600, "onFailure": "block"});
    let rules = of_text(&json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string());
    let fired = tokio::time::timeout(std::time::Duration::from_secs(60), shell(&set(&rules), "ls")).await.unwrap();
    assert!(reason(&fired.verdict).contains("/dev/tty"), "{:?}", fired.verdict);
}

/// Fires for a file tool. Returns what the rules saw and what the tool gets.
async fn written(cwd: &Path, path: &str) -> (String, String) {
    let keeps = format!("cat > '{}'", cwd.join("seen").display());
    let rules = of_text(&commands("PreToolUse", &[&keeps]));
    let cx = HookContext::builder().workspace(cwd).build();
    let call = call("write_file", json!({"file_path": path, "content": "x"}));
    let input = call.input.clone();
    let fired = set(&rules).fire(&cx, &BeforeToolCall::new(call), input).await.unwrap();
    let seen: Value = serde_json::from_str(&std::fs::read_to_string(cwd.join("seen")).unwrap()).unwrap();
    let text = |value: &Value| value["file_path"].as_str().unwrap().to_owned();
    (text(&seen["tool_input"]), text(&fired.subject))
}

/// A script judges the path that the tool opens, also through a symbolic link.
#[tokio::test]
async fn a_rule_judges_the_path_that_the_tool_gets() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    for inner in ["repo/src", "far/inner"] {
        std::fs::create_dir_all(root.join(inner)).unwrap();
    }
    let repo = root.join("repo");
    symlink(root.join("far/inner"), repo.join("link")).unwrap();
    for path in ["src/a", "./src/../src/a", "link/../secret", "~/secret", "/etc/../etc/passwd", "link/a", "../far/x"] {
        let (judged, given) = written(&repo, path).await;
        assert_eq!(judged, given, "{path}");
        assert!(Path::new(&judged).is_absolute() && !judged.contains(".."), "{path}: {judged}");
        // The system opens the same file by both names.
        let at_home = path.replace('~', &std::env::var("HOME").unwrap());
        let folder_of = |path: &Path| std::fs::canonicalize(path.parent().unwrap()).unwrap();
        assert_eq!(folder_of(Path::new(&judged)), folder_of(&repo.join(&at_home)), "{path}");
    }
}

/// A file pattern is also tested against the resolved path: a link must not bypass it.
#[tokio::test]
async fn a_symbolic_link_does_not_bypass_a_file_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("secrets")).unwrap();
    std::fs::create_dir_all(root.join("notes")).unwrap();
    symlink(root.join("secrets"), root.join("notes/drafts")).unwrap();
    let handler = json!({"type": "command", "command": "exit 2", "if": "Edit(secrets/**)"});
    let rules = of_text(&json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string());
    let set = set(&rules);
    let cx = HookContext::builder().workspace(root).build();
    for (path, refused) in [
        ("secrets/a", true),
        ("notes/../secrets/a", true),
        ("notes/drafts/a", true),
        ("notes/drafts/new/a", true),
        ("notes/a", false),
        ("secrets.txt", false),
    ] {
        let call = call("Edit", json!({"file_path": path}));
        let input = call.input.clone();
        let fired = set.fire(&cx, &BeforeToolCall::new(call), input).await.unwrap();
        assert_eq!(fired.verdict.denial().is_some(), refused, "{path}");
    }
}

/// A plugin or a skill inside the project belongs to the project, one elsewhere to the user.
#[tokio::test]
async fn a_plugin_inside_the_project_needs_trust() {
    let folder = tempfile::tempdir().unwrap();
    let (project, trust) = (folder.path().join("shop"), folder.path().join("trust.json"));
    let file = project.join("plugins/guards/hooks/hooks.json");
    write(&file, &commands("PreToolUse", &["exit 2"]));
    let rules = |root: &Path| {
        Rules::builder().project_dir(&project).trust(&trust).plugin(PluginFolder::new("guards", root)).build()
    };
    let inside = rules(&project.join("plugins/guards"));
    assert!(!inside.list()[0].enabled);
    assert!(inside.defects()[0].problem.contains("waits until somebody trusts"), "{:?}", inside.defects());
    // By another name it is the same folder.
    symlink(project.join("plugins/guards"), folder.path().join("link")).unwrap();
    assert!(!rules(&folder.path().join("link")).list()[0].enabled);
    Trust::open(&trust).unwrap().trust(&file).unwrap();
    assert!(rules(&project.join("plugins/guards")).list()[0].enabled);
    write(&folder.path().join("own/hooks/hooks.json"), &commands("PreToolUse", &["exit 2"]));
    assert!(rules(&folder.path().join("own")).list()[0].enabled);
    for (place, is_enabled) in [("shop/skills/review.json", false), ("skills/review.json", true)] {
        let file = folder.path().join(place);
        write(&file, &commands("PreToolUse", &["exit 2"]));
        let rules = Rules::builder().project_dir(&project).trust(&trust).skill("review", file).build();
        assert_eq!(rules.list()[0].enabled, is_enabled, "{place}");
    }
}
