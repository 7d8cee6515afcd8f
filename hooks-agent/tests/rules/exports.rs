//! The variables that scripts get, and those that they export for shell tools.

use std::process::Command;

use hook_sdk::prelude::*;
use hooks_agent::model::Line;
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::{Harness, SubAgent};
use hooks_rules::{Event, PluginFolder};
use serde_json::json;

use super::desk::{Desk, bash};

/// A shell that runs commands as the chapter on rules describes.
fn shell(desk: &Desk) -> Harness {
    let rules = desk.rules.clone();
    let run = FnTool::new(ToolSpec::new("run_shell_command"), move |cx, input| {
        let line = rules.shell_line(cx, input["command"].as_str().unwrap_or_default());
        let ran = Command::new("sh").arg("-c").arg(line).output().unwrap();
        Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    });
    let helper = SubAgent::new(AgentDef::new("helper"), "Helps.");
    desk.harness().tool(run).agent(helper).build().unwrap()
}

const EXPORTS: &str = "echo 'export LEVEL=3' >> \"$CLAUDE_ENV_FILE\"\necho \"export HOME_OF='$CLAUDE_PROJECT_DIR/it'\" >> \"$CLAUDE_ENV_FILE\"";

#[tokio::test]
async fn the_shell_of_a_session_has_the_variables_that_its_scripts_exported() {
    let help = Line::call("call_9", "helper", json!({"prompt": "the level?"}));
    let asks = || bash("echo \"$LEVEL at $HOME_OF\"");
    let done = || Line::text("ok");
    let desk = Desk::new(
        &[("SessionStart", "startup", EXPORTS), ("PreToolUse", "", "env > before.txt")],
        [asks(), done(), help, asks(), done(), done(), asks(), done(), asks(), done()],
    );
    let harness = shell(&desk);
    let session = |name: &str| harness.session(name, AgentDef::new("clerk"));
    let found = format!("tool: <- 3 at {}/it", desk.folder.path().display());
    let one = session("c-1").open().await.unwrap();
    one.turn(None, "hi").await;
    assert_eq!(desk.sent().last(), Some(&found));
    // The same is true for a sub-agent.
    one.turn(None, "ask the helper").await;
    let reported = |i: usize| super::desk::line(desk.model.heard()[i].messages.last().unwrap());
    assert_eq!(reported(4), found);
    // Only for commands of the model, not for other scripts.
    assert!(!desk.read("before.txt").contains("LEVEL=") && !desk.read("before.txt").contains("CLAUDE_ENV_FILE"));

    // A continued session keeps them, and another session has its own.
    session("c-1").open().await.unwrap().turn(None, "again").await;
    assert_eq!(desk.sent().last(), Some(&found));
    let rules = desk.rules.list();
    let start = rules.iter().find(|rule| rule.event == Event::SessionStart).unwrap();
    desk.rules.disable(start.id.as_str());
    desk.rules.install(&desk.registry).unwrap();
    session("c-2").open().await.unwrap().turn(None, "hi").await;
    assert_eq!(desk.sent().last().unwrap(), "tool: <- at");
}

/// A new session does not get what an earlier one with the same name exported.
#[tokio::test]
async fn exports_end_with_their_conversation() {
    let desk = Desk::new(
        &[("SessionStart", "", "[ -e again ] || { : > again; echo 'export LEVEL=3' >> \"$CLAUDE_ENV_FILE\"; }")],
        [],
    );
    for expected in [". '", "echo"] {
        let session = shell(&desk).session("c-1", AgentDef::new("clerk")).open().await.unwrap();
        let cx = HookContext::builder().conversation(session.conversation()).build();
        assert!(desk.rules.shell_line(&cx, "echo").starts_with(expected), "{}", desk.rules.shell_line(&cx, "echo"));
    }
}

#[tokio::test]
async fn commands_have_the_variables_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("plugin");
    std::fs::create_dir_all(plugin.join("hooks")).unwrap();
    let start = json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "env > plugin.txt"}]}]}});
    std::fs::write(plugin.join("hooks/hooks.json"), start.to_string()).unwrap();
    let own = json!({"hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": "env > start.txt"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "env > stop.txt"}]}],
    }});
    let desk = Desk::of_file(folder, &own, [Line::text("ok")], |rules| {
        let plugin = PluginFolder::new("guards", &plugin).data("/var/guards").option("LEVEL", "3");
        rules.trust_all().plugin(plugin).variable("CLAUDE_EFFORT", "high")
    });
    desk.turn().await;
    let variables = |name: &str| -> Vec<String> {
        let text = desk.read(name);
        let mut names: Vec<_> =
            text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name.to_owned()).collect();
        names.retain(|name| name.starts_with("CLAUDE_"));
        names.sort();
        names
    };
    assert_eq!(variables("stop.txt"), ["CLAUDE_EFFORT", "CLAUDE_PROJECT_DIR"]);
    assert_eq!(variables("start.txt"), ["CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR"]);
    assert_eq!(
        variables("plugin.txt"),
        [
            "CLAUDE_EFFORT",
            "CLAUDE_ENV_FILE",
            "CLAUDE_PLUGIN_DATA",
            "CLAUDE_PLUGIN_OPTION_LEVEL",
            "CLAUDE_PLUGIN_ROOT",
            "CLAUDE_PROJECT_DIR"
        ]
    );
    let project = format!("CLAUDE_PROJECT_DIR={}", desk.folder.path().display());
    assert!(desk.read("stop.txt").lines().any(|line| line == project));
}
