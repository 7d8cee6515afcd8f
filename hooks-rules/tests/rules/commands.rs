//! A command: its input, its environment, and its end.

use std::time::Duration;

use hooks_rules::{PluginFolder, SessionInfo};

use super::support::*;

/// The output of a command at a prompt, which is context.
async fn said(rules: &Rules, cx: &HookContext) -> String {
    let event = UserPromptSubmit::new("hello", Messages::default());
    let fired = set(rules).fire(cx, &event, Messages::default()).await.unwrap();
    fired.verdict.contexts.join("\n")
}

fn one(line: &str) -> Rules {
    of_text(&commands("UserPromptSubmit", &[line]))
}

#[tokio::test]
async fn the_input_is_one_object_on_stdin() {
    let session = SessionInfo { transcript: Some("/t.jsonl".into()), permission_mode: Some("plan".into()) };
    let folder = tempfile::tempdir().unwrap();
    let cx = HookContext::builder().conversation("s-1").workspace(folder.path()).state(session).build();
    let text = said(&one("printf 'got '; cat"), &cx).await;
    let input: Value = serde_json::from_str(text.strip_prefix("got ").unwrap()).unwrap();
    let expected = json!({
        "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": folder.path().to_str().unwrap(),
        "hook_event_name": "UserPromptSubmit", "permission_mode": "plan", "prompt": "hello",
    });
    assert_eq!(input, expected);
}

#[tokio::test]
async fn unread_input_and_large_input_do_not_fail_a_command() {
    let long = "x".repeat(4 << 20);
    for (line, expected) in [("echo ignored", "ignored"), ("exec <&-; echo closed", "closed"), ("wc -c", "4194")] {
        let event = UserPromptSubmit::new(long.as_str(), Messages::default());
        let set = set(&one(line));
        let fired = set.fire(&HookContext::new(), &event, Messages::default()).await.unwrap();
        assert!(fired.verdict.contexts[0].trim().starts_with(expected), "{line}: {:?}", fired.verdict);
    }
}

#[tokio::test]
async fn the_shell_form_accepts_comments_and_scripts_without_a_shebang() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("plain");
    write(&script, "echo from a file");
    let mode = |mode| std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    mode(0o755);
    let cx = HookContext::new();
    assert_eq!(said(&one("# says hello\necho hello\necho again"), &cx).await, "hello\nagain");
    assert_eq!(said(&one(script.to_str().unwrap()), &cx).await, "from a file");
    mode(0o644);
    assert_eq!(said(&one(script.to_str().unwrap()), &cx).await, "");
}

#[tokio::test]
async fn the_exec_form_uses_no_shell() {
    let handler =
        json!({"type": "command", "command": "printf", "args": ["%s|", "$HOME", "a b", "${CLAUDE_PROJECT_DIR}"]});
    let text = json!({"hooks": {"UserPromptSubmit": [{"hooks": [handler]}]}});
    let rules = built(Rules::builder().text("hooks.json", text.to_string()).project_dir("/where it began"));
    assert_eq!(said(&rules, &HookContext::new()).await, "$HOME|a b|/where it began|");
}

#[tokio::test]
async fn commands_have_the_variables_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let line = "echo \"$CLAUDE_PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA|$CLAUDE_PLUGIN_OPTION_TEAM|$CLAUDE_PROJECT_DIR\"";
    write(&folder.path().join("hooks/hooks.json"), &commands("UserPromptSubmit", &[line]));
    let plugin = PluginFolder::new("desk", folder.path()).data("/data").option("TEAM", "blue");
    let rules = built(Rules::builder().plugin(plugin).project_dir("/project"));
    let root = folder.path().display();
    assert_eq!(said(&rules, &HookContext::new()).await, format!("{root}|/data|blue|/project"));
    // By default, the current folder, and one next to the folder of the plugin.
    let here = std::env::current_dir().unwrap();
    assert_eq!(said(&one("echo $CLAUDE_PROJECT_DIR"), &HookContext::new()).await, here.to_str().unwrap());
    let inner = folder.path().join("inner");
    write(&inner.join("hooks/hooks.json"), &commands("UserPromptSubmit", &["echo $CLAUDE_PLUGIN_DATA"]));
    let data = said(&built(Rules::builder().plugin(PluginFolder::new("desk", inner))), &HookContext::new()).await;
    let canonical = |path: &std::path::Path| std::fs::canonicalize(path).unwrap();
    assert_eq!(canonical(data.as_ref()), canonical(folder.path()).join("data/desk"));
}

/// The working directory of a session can differ from that of the program.
#[tokio::test]
async fn relative_folders_of_an_app_are_absolute_for_commands() {
    let here = std::env::current_dir().unwrap();
    let folder = tempfile::tempdir_in(&here).unwrap();
    let name = folder.path().file_name().unwrap();
    let line = "cat; echo \"$CLAUDE_PROJECT_DIR|$CLAUDE_PLUGIN_ROOT|$CLAUDE_PLUGIN_DATA\"; pwd";
    write(&folder.path().join("hooks/hooks.json"), &commands("UserPromptSubmit", &[line]));
    let plugin = PluginFolder::new("desk", name).data("data");
    let rules = built(Rules::builder().trust_all().plugin(plugin).project_dir("."));
    let (here, root) = (here.display(), folder.path().display());
    for (workspace, cwd) in [("/", "/".to_owned()), ("src", format!("{here}/src")), (".", here.to_string())] {
        let text = said(&rules, &HookContext::builder().workspace(workspace).build()).await;
        let lines: Vec<&str> = text.lines().collect();
        let input: Value = serde_json::from_str(lines[0]).unwrap();
        let expected = format!("{here}|{root}|{here}/data");
        assert_eq!((input["cwd"].as_str(), &lines[1..]), (Some(&*cwd), &[&*expected, &*cwd][..]), "{workspace}");
    }
}

/// A guard that cannot be started would let the call through. The test runs itself again in a process with few file
/// descriptors.
#[tokio::test]
async fn all_commands_run_even_if_there_are_few_file_descriptors() {
    const HERE: &str = "rules::commands::all_commands_run_even_if_there_are_few_file_descriptors";
    const MARK: &str = "DESK_FEW_FILES";
    if std::env::var_os(MARK).is_none() {
        let own = std::env::current_exe().unwrap();
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "ulimit -n 64 && exec \"$0\" --exact \"$1\""]).arg(own).arg(HERE).env(MARK, "1");
        let ran = shell.output().unwrap();
        let observed = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && observed.contains("1 passed"), "{observed}");
        return;
    }
    let lines: Vec<String> = (0..100).map(|number| format!("echo {number}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let observed = Observed::default();
    let text = commands("UserPromptSubmit", &lines);
    let said = said(&built(observed.listens(Rules::builder().text("hooks.json", text))), &HookContext::new()).await;
    assert_eq!(observed.failures(), [] as [String; 0]);
    assert_eq!(said.lines().count(), 100);
}

#[tokio::test]
async fn a_command_runs_even_if_its_folder_was_removed() {
    let folder = tempfile::tempdir().unwrap();
    let cx = HookContext::builder().workspace(folder.path().join("gone")).build();
    let rules = built(Rules::builder().text("h", commands("UserPromptSubmit", &["pwd"])).project_dir(folder.path()));
    let real = std::fs::canonicalize(folder.path()).unwrap();
    assert_eq!(std::fs::canonicalize(said(&rules, &cx).await).unwrap(), real);
}

#[tokio::test]
async fn output_that_is_not_utf_8_or_too_long_is_read() {
    assert_eq!(said(&one(r"printf 'a\377b'"), &HookContext::new()).await, "a\u{fffd}b");
    // A truncated answer is not valid, but truncated text is text.
    for (line, failures) in [
        ("printf '{'; head -c 64000000 /dev/zero; printf '}'", vec!["it printed more than 1 MiB to stdout"]),
        ("head -c 64000000 /dev/zero | tr '\\0' x", vec![]),
    ] {
        let observed = Observed::default();
        let rules = built(observed.listens(Rules::builder().text("hooks.json", commands("UserPromptSubmit", &[line]))));
        let said = said(&rules, &HookContext::new()).await;
        assert_eq!(
            (observed.failures(), said.starts_with("xxx")),
            (failures.iter().map(ToString::to_string).collect(), failures.is_empty())
        );
        let remarks = observed.runs.lock().unwrap()[0].remarks.concat();
        assert_eq!(remarks.contains("more than 1 MiB"), failures.is_empty(), "{remarks}");
    }
}

/// The deadline is that of the rule. Output before it is ignored.
#[tokio::test]
async fn at_its_deadline_a_command_is_killed_with_its_child_processes() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        "sleep 1000",
        "trap '' TERM; while true; do sleep 1; done",
        "sleep 1000 & sleep 1000 & wait",
        "(sleep 1000; echo) & sleep 1000",
        // Not on a machine without `setsid`.
        "command -v setsid > /dev/null || exec sleep 1000; setsid sleep 1000 & setsid sleep 1000",
        "echo '{\"decision\": \"block\"}'; exec sleep 1000",
    ];
    for line in lines {
        let mark = format!("{}/{}", folder.path().display(), line.len());
        let handler =
            json!({"type": "command", "command": format!("MARK={mark}; export MARK; {line}"), "timeout": 0.2});
        let text = json!({"hooks": {"UserPromptSubmit": [{"hooks": [handler]}]}});
        let observed = Observed::default();
        let rules = built(observed.listens(Rules::builder().text("hooks.json", text.to_string())));
        assert_eq!(said(&rules, &HookContext::new()).await, "", "{line}");
        assert_eq!(observed.failures(), ["it timed out"], "{line}");
        gone(&mark).await;
    }
}

/// The dispatch does not wait for a command that has exited while its child processes hold its pipes.
#[tokio::test]
async fn a_child_process_that_holds_the_pipes_does_not_delay_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("{}/held", folder.path().display());
    let rules = one(&format!("MARK={mark} sleep 1000 & echo done"));
    let said = tokio::time::timeout(Duration::from_secs(20), said(&rules, &HookContext::new())).await.unwrap();
    assert_eq!(said, "done");
    gone(&mark).await;
}

/// One that has a session of its own, and released the pipes before its command ended.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_survives_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().display().to_string();
    let daemon = "setsid sh -c 'touch \"$MARK/ready\"; exec sleep 1000' < /dev/null > /dev/null 2>&1 &";
    let waits = "while [ ! -e \"$MARK/ready\" ]; do sleep 0.01; done; echo done";
    assert_eq!(said(&one(&format!("export MARK={mark}; {daemon} {waits}")), &HookContext::new()).await, "done");
    let [daemon] = marked(&mark)[..] else { panic!("{:?}", marked(&mark)) };
    rustix::process::kill_process(rustix::process::Pid::from_raw(daemon).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    gone(&mark).await;
}

/// Dropping the dispatch kills the command before anybody waits for it.
#[tokio::test]
async fn a_cancelled_turn_kills_its_commands() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("{}/cancelled", folder.path().display());
    let begun = folder.path().join("begun");
    let line = format!("MARK={mark}; export MARK; touch {}; sleep 1000 & sleep 1000", begun.display());
    let set = set(&one(&line));
    let token = hook_sdk::CancellationToken::new();
    let cx = HookContext::builder().cancellation(token.clone()).build();
    let event = UserPromptSubmit::new("hello", Messages::default());
    let cancel = async {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        token.cancel();
    };
    let (fired, ()) = tokio::join!(set.fire(&cx, &event, Messages::default()), cancel);
    assert!(fired.is_err());
    gone(&mark).await;
}

#[tokio::test]
async fn a_detached_rule_runs_at_every_dispatch_and_decides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("echo ran >> {}/ran; exit 2", folder.path().display());
    let handler = json!({"type": "command", "command": line, "async": true});
    let observed = Observed::default();
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text.to_string())));
    let set = set(&rules);
    for _ in 0..2 {
        assert_eq!(shell(&set, "ls").await.verdict, Permission::NoOpinion);
    }
    assert_eq!(rules.shutdown(Duration::from_secs(20)).await, 0);
    assert_eq!(std::fs::read_to_string(folder.path().join("ran")).unwrap(), "ran\nran\n");
    // The start and the end of each are reported.
    assert_eq!(observed.outcomes().iter().filter(|outcome| **outcome == RunOutcome::Detached).count(), 2);
    assert_eq!(observed.outcomes().len(), 4);
    assert!(
        observed.runs.lock().unwrap().iter().all(|run| run.decision.is_none()),
        "an end that nobody waits for decides nothing"
    );
}

#[tokio::test]
async fn a_command_can_move_to_the_background_with_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let (go, done) = (folder.path().join("go"), folder.path().join("done"));
    let line = format!(
        "echo '{{\"async\": true}}'; while [ ! -e {} ]; do sleep 0.01; done; touch {}",
        go.display(),
        done.display()
    );
    let rules = of_text(&commands("PreToolUse", &[&line]));
    assert_eq!(shell(&set(&rules), "ls").await.verdict, Permission::NoOpinion);
    assert!(!done.exists());
    write(&go, "");
    assert_eq!(rules.shutdown(Duration::from_secs(20)).await, 0);
    assert!(done.exists());
}

/// The result does not depend on timing when a command moves to the background. In a flat file, its first line has no
/// meaning.
#[tokio::test]
async fn a_command_that_moves_to_the_background_decides_nothing() {
    let line = r#"printf '{"async": true}'; echo no >&2; exit 2"#;
    let rules = of_text(&commands("PreToolUse", &[line]));
    let fired = shell(&set(&rules), "ls").await;
    assert!(fired.verdict.denial().is_none(), "{:?}", fired.verdict);
    let flat =
        json!({"hooks": {"Stop": [{"type": "command", "command": "echo '{\"async\": true}'; echo no >&2; exit 2"}]}});
    let rules = of_text(&flat.to_string());
    let fired = set(&rules).fire(&HookContext::new(), &Stop::new("final_response"), ()).await.unwrap();
    assert!(matches!(fired.verdict.decision, StopDecision::Continue(_)), "{:?}", fired.verdict);
}

#[tokio::test]
async fn shutdown_kills_commands_at_its_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("{}/late", folder.path().display());
    let handler = json!({"type": "command", "command": format!("MARK={mark} sleep 1000"), "async": true});
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
    let observed = Observed::default();
    let rules = built(observed.listens(Rules::builder().text("hooks.json", text.to_string())));
    let set = set(&rules);
    let _ = shell(&set, "ls").await;
    assert_eq!(rules.shutdown(Duration::from_millis(50)).await, 1);
    gone(&mark).await;
    let _ = shell(&set, "ls").await;
    assert_eq!(observed.outcomes(), [RunOutcome::Detached, RunOutcome::Dropped]);
}

#[tokio::test]
async fn a_failure_blocks_if_the_rule_says_so() {
    let cases: &[(Value, bool)] = &[
        (json!({"command": "exit 1"}), true),
        (json!({"command": "./is-not-there"}), true),
        (json!({"command": "is-not-there", "args": []}), true),
        (json!({"command": "kill -9 $$"}), true),
        (json!({"command": "echo '{broken}'"}), true),
        (json!({"command": "sleep 1000", "timeout": 0.05}), true),
        (json!({"command": "echo plain text"}), false),
        (json!({"command": "true"}), false),
    ];
    for (handler, fails) in cases {
        for (policy, denies) in [("block", *fails), ("continue", false)] {
            let mut handler = handler.clone();
            handler["type"] = "command".into();
            handler["onFailure"] = policy.into();
            let text = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string();
            let observed = Observed::default();
            let rules = built(observed.listens(Rules::builder().text("hooks.json", text)));
            let fired = shell(&set(&rules), "ls").await;
            assert_eq!(fired.verdict.denial().is_some(), denies, "{handler}");
            assert_eq!(observed.failures().len(), usize::from(*fails), "{handler}");
        }
    }
}

/// Only rules of skills can use `once`, and a failure does not count.
#[tokio::test]
async fn a_rule_with_once_runs_until_its_first_success() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    let line = "echo ran >> ran; [ $(wc -l < ran) -gt 1 ]";
    let handler = json!({"type": "command", "command": line, "once": true});
    write(&file, &json!({"hooks": {"UserPromptSubmit": [{"hooks": [handler]}]}}).to_string());
    for (rules, expected) in [(Rules::builder().skill("s", &file), 2), (Rules::builder().settings(&file), 4)] {
        let rules = built(rules);
        let here = tempfile::tempdir().unwrap();
        let cx = HookContext::builder().workspace(here.path()).build();
        let event = UserPromptSubmit::new("hello", Messages::default());
        for _ in 0..4 {
            let _ = set(&rules).fire(&cx, &event, Messages::default()).await.unwrap();
            // Reloading the file does not reset it.
            rules.reload();
        }
        assert_eq!(std::fs::read_to_string(here.path().join("ran")).unwrap().lines().count(), expected);
    }
}

/// Promise 15: outside a runtime, a command fails without a panic.
#[test]
fn outside_a_runtime_a_command_fails_without_a_panic() {
    let observed = Observed::default();
    let rules = built(observed.listens(Rules::builder().text("hooks.json", commands("PreToolUse", &["exit 2"]))));
    let set = set(&rules);
    let fired = std::pin::pin!(shell(&set, "ls"));
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(fired) = fired.poll(&mut task) else { panic!("there is nothing to wait for") };
    assert_eq!(fired.verdict, Permission::NoOpinion);
    assert_eq!(observed.failures(), ["there is no Tokio runtime; fire within one"]);
}
