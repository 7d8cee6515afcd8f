//! Attempts to get a call past a guard that is written as carelessly as guards are.

use hook_sdk::data::{ToolInput, ToolResult};
use hook_sdk::kinds::{AfterToolCallSuccess, BeforeToolCall};
use hook_sdk::verdict::Permission;
use hook_sdk::{Hook, Registry};
use hooks_hosts::{HostVerdict, Request, Responder, Stdout, find, written};
use serde_json::{Value, json};

use crate::contract::{Taken, taken};

/// Denies what removes, and what changes a file of secrets. What shows nothing to look at passes.
fn guards() -> Responder {
    let registry = Registry::empty();
    let shell = Hook::at::<BeforeToolCall>("no_rm").reader(|_, _, input: &ToolInput| {
        let removes = input["command"].as_str().is_some_and(|line| line.contains("rm -"));
        if removes { Permission::deny("nothing is removed here") } else { Permission::NoOpinion }
    });
    registry.register(shell.only("tool", "Bash")).unwrap();
    for (id, tool) in [("no_write", "Write"), ("no_edit", "Edit"), ("no_read", "Read")] {
        let file = Hook::at::<BeforeToolCall>(id).reader(|_, _, input: &ToolInput| {
            let secret = input["file_path"].as_str().is_some_and(|path| path.contains(".env"));
            let added = ["content", "new_string"]
                .iter()
                .any(|key| input[*key].as_str().is_some_and(|text| text.contains("EVIL")));
            if secret || added { Permission::deny("a file of secrets") } else { Permission::NoOpinion }
        });
        registry.register(file.only("tool", tool)).unwrap();
    }
    Responder::new(registry).unwrap()
}

#[track_caller]
fn assert_denied(host: &str, event: &str, payload: impl AsRef<[u8]>) {
    let stdin = payload.as_ref();
    let answer = guards().respond_blocking(&Request::new(find(host).unwrap(), stdin).event(event)).unwrap();
    let (verdict, _) = taken(host, event, &Value::Null, &answer);
    let shown = String::from_utf8_lossy(&stdin[..stdin.len().min(300)]).into_owned();
    assert_eq!(verdict, Taken::Denied, "{host}: {shown}\n{answer:?}");
}

fn claude(tool: &str, input: &Value) -> String {
    json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": tool, "tool_input": input }).to_string()
}

#[test]
fn claude_code() {
    let denied = |payload: &str| assert_denied("claude", "PreToolUse", payload);
    denied(r#"{"tool_name": "Bash", "tool_input": {"command": "ls", "command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"command": "rm -rf /", "command": "ls"}}"#);
    denied(r#"{"tool_name": "Read", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"com\u006dand": "ls", "command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": "\u0042ash", "tool_input": {"command": "\u0072m -rf /"}}"#);
    denied(r#"{"tool_name": "bash", "tool_input": {"command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": " Bash ", "tool_input": {"command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash\u0000", "tool_input": {"command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": ["Bash"], "tool_input": {"command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": {"name": "Bash"}, "tool_input": {"command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"command": ["rm", "-rf", "/"]}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": ["rm -rf /"]}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": "{\"command\": \"rm -rf /\"}"}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"Command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"command": null}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": null}"#);
    denied(r#"{"tool_name": "Bash"}"#);
    denied(r#"{"tool_input": {"command": "rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"command": "ls\u0000; rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"command": "\ud800 rm -rf /"}}"#);
    denied(r#"{"tool_name": "Bash", "tool_input": {"command": "ls"}} {"tool_name": "Bash"}"#);
    denied(r#"[{"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}]"#);
    denied(&claude("PowerShell", &json!({ "command": "rm -r x" })));
    denied(&claude("BashOfTheFuture", &json!({ "command": "rm -rf /" })));
    denied(&claude("NotebookEdit", &json!({ "notebook_path": "/a/.env", "new_source": "x" })));
    denied(&claude("MultiEdit", &json!({ "file_path": "/a", "edits": [{ "old_string": "", "new_string": "EVIL" }] })));
    denied(&claude("MultiEdit", &json!({ "file_path": "/a/.env", "edits": [] })));
    denied(&claude("MultiEdit", &json!({ "file_path": "/a/.env", "edits": [{ "file_path": "/b" }] })));
    denied(&claude("Edit", &json!({ "file_path": "/a/.env", "edits": [{ "file_path": "/b" }], "files": ["/c"] })));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    denied(&format!(r#"{{"tool_name": "Bash", "tool_input": {{"command": "rm -rf /", "x": {deep}}}}}"#));
    denied(&claude("Bash", &json!({ "command": format!("{} rm -rf /", "x".repeat(8 << 20)) })));
    assert_denied("claude", "PreToolUse", b"\xff{}");
}

/// A payload of another host silences nothing but what that host judges itself.
#[test]
fn the_environment_silences_no_guard() {
    let payload = claude("Bash", &json!({ "command": "rm -rf /" }));
    let everywhere = |_: &str| true;
    let request = Request::new(find("claude").unwrap(), payload.as_bytes()).env(&everywhere);
    let answer = guards().respond_blocking(&request).unwrap();
    assert_eq!(taken("claude", "PreToolUse", &Value::Null, &answer).0, Taken::Denied);
}

#[test]
fn codex() {
    let patch = |patch: &str| json!({ "tool_name": "apply_patch", "tool_input": { "command": patch } }).to_string();
    let denied = |payload: &str| assert_denied("codex", "PreToolUse", payload);
    denied(&patch("*** Begin Patch\n*** Add File: a/.env\n+x\n*** End Patch"));
    denied(&patch("*** Begin Patch\n*** Update File: a\n@@\n-x\n+EVIL\n*** End Patch\n"));
    denied(&patch("*** Begin Patch\n*** Update File: a\n*** Move to: .env\n@@\n-x\n+y\n*** End Patch\n"));
    denied(&patch("*** Begin Patch\n*** Delete File: .env\n*** End Patch\n"));
    denied(&patch("*** Begin Patch\n  *** Update File: .env\n-x\n*** End Patch\n"));
    denied(&patch("*** Begin Patch\n*** Update  File: .env\n-x\n*** End Patch\n"));
    denied(&patch(
        "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n*** Begin Patch\n*** Add File: .env\n*** End Patch",
    ));
    denied(&patch("<<'EOF'\n*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch\nEOF"));
    denied(&patch("*** Begin Patch\r\n*** Add File: .env\r\n+x\r\n*** End Patch\r\n"));
    denied(&patch("no patch at all"));
    denied(r#"{"tool_name": "apply_patch", "tool_input": {"patch": "*** Begin Patch"}}"#);
    let line = "apply_patch <<'E'\n*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch\nE";
    denied(&json!({ "tool_name": "Bash", "tool_input": { "command": line } }).to_string());
    let whole = claude("Bash", &json!({ "command": "rm -rf /" }));
    denied(&format!(r#"{{"tool_name": "Shell", "command": {whole}}}"#));
}

#[test]
fn cursor() {
    let denied = |payload: &Value| assert_denied("cursor", "preToolUse", payload.to_string());
    denied(&json!({ "tool_name": "Shell", "tool_input": "{\"command\": \"ls\", \"command\": \"rm -rf /\"}" }));
    denied(&json!({ "tool_name": "Write", "tool_input": { "path": ".env", "file_path": "ok" } }));
    denied(&json!({ "tool_name": "Write", "tool_input": { "target_file": ".env" } }));
    denied(&json!({ "tool_name": "Shell", "tool_input": "rm -rf /" }));
    assert_denied("cursor", "beforeShellExecution", r#"{"command": ["rm -rf /"]}"#);
    assert_denied("cursor", "beforeShellExecution", r#"{"tool_input": {"command": "ls"}}"#);
    assert_denied("cursor", "beforeShellExecution", r#"{"command": "rm -rf /", "tool_name": "Read"}"#);
    assert_denied("cursor", "beforeReadFile", r#"{"file_path": "/a/.env", "content": ""}"#);
    let shell = json!({ "command": "rm -rf /", "mcp_server_name": "desk", "tool_input": "{}" });
    assert_denied("cursor", "beforeShellExecution", shell.to_string());
}

#[test]
fn copilot() {
    let denied = |payload: &str| assert_denied("copilot", "preToolUse", payload);
    denied(r#"{"toolName": "bash", "toolArgs": "{\"command\": \"rm -rf /\"}"}"#);
    denied(r#"{"toolName": "bash", "toolArgs": "{\"command\": \"ls\"} {\"command\": \"rm -rf /\"}"}"#);
    denied(r#"{"toolName": "bash", "toolArgs": "rm -rf /"}"#);
    denied(r#"{"toolName": "powershell", "toolArgs": {"command": "rm -r /"}}"#);
    denied(r#"{"toolName": "edit", "toolArgs": {"path": ".env", "file_path": "ok"}}"#);
    denied(r#"{"toolName": "apply_patch", "toolArgs": "*** Begin Patch\n*** Add File: .env\n+x\n*** End Patch"}"#);
    denied(r#"{"toolName": "apply_patch", "toolArgs": {"patch": "?"}}"#);
}

#[test]
fn cline() {
    let call = |tool: &str, parameters: Value| {
        json!({ "hookName": "PreToolUse", "preToolUse": { "toolName": tool, "parameters": parameters } }).to_string()
    };
    let denied = |tool: &str, parameters: Value| assert_denied("cline", "PreToolUse", call(tool, parameters));
    denied("run_commands", json!({ "commands": "[\"ls\", \"rm -rf /\"]" }));
    denied("run_commands", json!({ "commands": "[\"ls\", {\"command\": [\"rm\", \"-rf\"]}]" }));
    denied("run_commands", json!({ "commands": "[\"ls\", {\"command\": \"rm\", \"args\": [\"-rf\", \"/\"]}]" }));
    denied("run_commands", json!({ "commands": "[\"ls\"", "command": "rm -rf /" }));
    denied("run_commands", json!({ "commands": "[\"ls\"]", "command": "rm -rf /" }));
    denied("run_commands", json!({ "commands": "[]" }));
    denied("run_commands", json!({ "cmd": "rm -rf /" }));
    denied("run_commands", json!({}));
    denied("read_files", json!({ "files": "[{\"path\": \"/a/.env\"}]", "commands": "[\"ls\"]" }));
    denied("read_files", json!({ "files": "[{\"path\": \"/a\"}]", "path": "/a/.env" }));
    denied("editor", json!({ "path": "/a/.env", "new_text": "x", "insert_line": "1" }));
    // The arguments that run are gone, those for show are there.
    let beside = json!({ "hookName": "tool_call", "tool_call": { "name": "new_shell" },
        "preToolUse": { "toolName": "new_shell", "parameters": { "command": "rm -rf /" } } });
    assert_denied("cline", "tool_call", beside.to_string());
    let gone = json!({ "hookName": "tool_call", "tool_call": { "name": "run_commands" },
        "preToolUse": { "toolName": "run_commands", "parameters": "" } });
    assert_denied("cline", "tool_call", gone.to_string());
    let sdk =
        |input: Value| json!({ "hookName": "tool_call", "tool_call": { "name": "run_commands", "input": input } });
    for input in [
        json!("rm -rf /"),
        json!(["ls", "rm -rf /"]),
        json!({ "cmd": "rm -rf /" }),
        json!({ "command": "rm", "args": ["-rf", "/"] }),
        json!({ "command": "rm", "args": "-rf /" }),
        json!({ "commands": ["rm -rf /"], "command": "ls", "args": ["-l"] }),
        json!({ "commands": "rm -rf /" }),
        json!({ "commands": "[\"\\u0072m -rf /\"]" }),
        json!({ "commands": { "command": "rm -rf /" } }),
        json!(7),
        Value::Null,
    ] {
        assert_denied("cline", "tool_call", sdk(input).to_string());
    }
}

#[test]
fn vscode_gemini_antigravity_kiro_goose_and_droid() {
    let edits = json!({ "tool_name": "multi_replace_string_in_file", "tool_input": { "replacements": [
        { "filePath": "/a", "oldString": "", "newString": "" }, { "filePath": "/a/.env", "oldString": "", "newString": "" } ] } });
    assert_denied("vscode", "PreToolUse", edits.to_string());
    let both = json!({ "tool_name": "create_file", "tool_input": { "filePath": "/a/.env", "file_path": "/a" } });
    assert_denied("vscode", "PreToolUse", both.to_string());
    let server =
        json!({ "tool_name": "run_shell_command", "tool_input": { "command": "rm -rf /" }, "mcp_context": {} });
    assert_denied("gemini", "BeforeTool", server.to_string());
    let call = |args: Value| json!({ "toolCall": { "name": "run_command", "args": args } }).to_string();
    assert_denied("antigravity", "PreToolUse", call(json!({ "CommandLine": "rm -rf /", "command": "ls" })));
    assert_denied("antigravity", "PreToolUse", call(json!({})));
    assert_denied("antigravity", "PreToolUse", r#"{"toolCall": {}}"#);
    let operations =
        json!({ "tool_name": "fs_read", "tool_input": { "operations": [{ "path": "/a" }, { "path": ".env" }] } });
    assert_denied("kiro", "preToolUse", operations.to_string());
    let write =
        json!({ "tool_name": "fs_write", "tool_input": { "command": "append", "path": ".env", "new_str": "x" } });
    assert_denied("kiro", "preToolUse", write.to_string());
    let old = json!({ "tool_name": "developer__shell", "tool_input": { "command": "rm -rf /" } });
    assert_denied("goose", "PreToolUse", old.to_string());
    let patch = json!({ "tool_name": "ApplyPatch", "tool_input": { "input": "*** Begin Patch\n*** Delete File: .env\n*** End Patch" } });
    assert_denied("droid", "PreToolUse", patch.to_string());
}

#[test]
fn tools_by_other_names_and_shapes() {
    let denied = |host: &str, event: &str, payload: Value| assert_denied(host, event, payload.to_string());
    let call = |tool: &str, input: Value| json!({ "tool_name": tool, "tool_input": input });
    // What is typed into a shell that runs.
    denied("copilot", "preToolUse", json!({ "toolName": "write_bash", "toolArgs": { "input": "rm -rf /" } }));
    let typed = json!({ "toolCall": { "name": "send_command_input", "args": { "Input": "rm -rf /" } } });
    denied("antigravity", "PreToolUse", typed);
    // Tools that the tables do not know.
    let task = json!({ "task": { "type": "shell", "command": "rm", "args": ["-rf", "/"] } });
    denied("vscode", "PreToolUse", call("create_and_run_task", task));
    denied("claude", "PreToolUse", call("Shell2", json!({ "command": ["rm", "-rf", "/"] })));
    denied("codex", "PreToolUse", call("exec_command", json!({ "cmd": "rm -rf /" })));
    denied("gemini", "BeforeTool", call("pwsh", json!({ "script": "rm -rf /" })));
    denied("claude", "PreToolUse", call("FileWrite2", json!({ "path": "/a/.env", "content": "x" })));
    denied("vscode", "PreToolUse", call("edit_notebook_file", json!({ "filePath": "/a", "newCode": "EVIL" })));
    denied("cursor", "preToolUse", call("edit_file", json!({ "target_file": "/a", "code_edit": "EVIL" })));
    let notebook = json!({ "target_notebook": "/a/.env", "old_string": "", "new_string": "x" });
    denied("cursor", "preToolUse", call("EditNotebook", notebook));
    denied("kiro", "PreToolUse", call("strReplace", json!({ "path": "/a/.env", "oldStr": "x", "newStr": "y" })));
    denied("copilot", "PreToolUse", call("Write", json!({ "path": "/a", "file_text": "EVIL" })));
    let view = json!({ "event": "PreToolUse", "tool_name": "developer__text_editor",
        "tool_input": { "command": "view", "path": "/a/.env" } });
    assert_denied_by("Read", "goose", "PreToolUse", &view);
    // Several files at once.
    for (host, event) in [("gemini", "BeforeTool"), ("qwen", "PreToolUse")] {
        for field in ["paths", "include"] {
            denied(host, event, call("read_many_files", json!({ field: ["/a", "/b/.env"] })));
        }
        denied(host, event, call("read_many_files", json!({})));
    }
    // An edit of Cursor under the name of a write, a new file of Windsurf under that of an edit.
    assert_denied_by("Edit", "cursor", "preToolUse", &call("Write", json!({ "path": "/a/.env", "contents": "x" })));
    // A deletion is the edit that it is in a patch, and so is a text at the end of a file.
    assert_denied_by("Edit", "cursor", "preToolUse", &call("Delete", json!({ "path": "/a/.env" })));
    let append = call("fs_write", json!({ "command": "append", "path": "/a", "new_str": "EVIL" }));
    assert_denied_by("Edit", "kiro", "preToolUse", &append);
    denied("kiro", "preToolUse", append);
    let folders = call("Read", json!({ "target_directories": ["/a", "/b/.env"] }));
    assert_denied_by("Read", "cursor", "preToolUse", &folders);
    let write = json!({ "agent_action_name": "pre_write_code", "tool_info": {
        "file_path": "/a", "edits": [{ "old_string": "", "new_string": "EVIL" }] } });
    assert_denied_by("Write", "windsurf", "pre_write_code", &write);
}

/// With a guard of this tool alone.
#[track_caller]
fn assert_denied_by(tool: &str, host: &str, event: &str, payload: &Value) {
    let registry = Registry::empty();
    let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, _, input: &ToolInput| {
        let text = input.to_string();
        let evil = text.contains("EVIL") || text.contains(".env") || text.contains("evil.example");
        if evil { Permission::deny("evil") } else { Permission::NoOpinion }
    });
    registry.register(guard.only("tool", tool)).unwrap();
    let stdin = payload.to_string();
    let request = Request::new(find(host).unwrap(), stdin.as_bytes()).event(event);
    let answer = Responder::new(registry).unwrap().respond_blocking(&request).unwrap();
    assert_eq!(taken(host, event, &Value::Null, &answer).0, Taken::Denied, "{host}: {stdin}\n{answer:?}");
}

#[test]
fn addresses_in_lists_and_texts_are_judged() {
    let registry = || {
        let registry = Registry::empty();
        let guard =
            Hook::at::<BeforeToolCall>("no_evil").reader(|_, _, input: &ToolInput| match input["url"].as_str() {
                Some(url) if !url.contains("evil.example") => Permission::NoOpinion,
                _ => Permission::deny("not there"),
            });
        registry.register(guard.only("tool", "WebFetch")).unwrap();
        Responder::new(registry).unwrap()
    };
    let taken = |host: &str, event: &str, tool: &str, input: Value| {
        let stdin = json!({ "tool_name": tool, "tool_input": input }).to_string();
        let request = Request::new(find(host).unwrap(), stdin.as_bytes()).event(event);
        taken(host, event, &Value::Null, &registry().respond_blocking(&request).unwrap()).0
    };
    let vscode = |urls: Value| taken("vscode", "PreToolUse", "fetch_webpage", json!({ "urls": urls }));
    assert_eq!(vscode(json!(["https://a.example", "https://evil.example/x"])), Taken::Denied);
    assert_eq!(vscode(json!(["https://a.example"])), Taken::Unheard);
    assert_eq!(vscode(json!([])), Taken::Denied);
    let gemini = |prompt: &str| taken("gemini", "BeforeTool", "web_fetch", json!({ "prompt": prompt }));
    assert_eq!(gemini("compare https://a.example and (https://evil.example/x)."), Taken::Denied);
    assert_eq!(gemini("read https://a.example."), Taken::Unheard);
}

/// What stands first counts, also if it is not a text.
#[test]
fn a_field_of_another_type_does_not_give_its_place_to_the_next() {
    let prompt = json!({ "submitted_prompt": { "text": "EVIL" }, "prompt": "hello" }).to_string();
    let request = Request::new(find("qwen").unwrap(), prompt.as_bytes()).event("UserPromptSubmit");
    assert!(request.read().is_err_and(|error| error.reason.contains("shows no prompt")));
    let both = r#"{"toolName": ["bash"], "tool_name": "Read", "toolArgs": {"command": "rm -rf /"}}"#;
    assert_denied("copilot", "preToolUse", both);
    for (arguments, input) in [("ls", "rm -rf /"), ("rm -rf /", "ls")] {
        let both = json!({
            "hook_event_name": "PreToolUse", "toolName": "bash",
            "toolArgs": { "command": arguments }, "tool_input": { "command": input },
        });
        assert_denied("copilot", "preToolUse", both.to_string());
    }
    let both = r#"{"toolName": "view", "tool_name": "bash", "toolArgs": {"command": "rm -rf /"}}"#;
    assert_denied("copilot", "preToolUse", both);
}

/// The host waits for the answer at the event whose command it runs, whatever the payload says.
#[test]
fn a_call_does_not_pass_as_another_event() {
    for (host, event, own) in [
        ("copilot", "preToolUse", "toolName"),
        ("claude", "PreToolUse", "tool_name"),
        ("gemini", "BeforeTool", "tool_name"),
    ] {
        for shown in
            ["Stop", "SessionStart", "PostToolUse", "UserPromptSubmit", "AfterAgent", "AfterTool", "BeforeAgent"]
        {
            let input = if host == "copilot" { "toolArgs" } else { "tool_input" };
            let payload = json!({ "hook_event_name": shown, own: "bash", input: { "command": "rm -rf /" } });
            assert_denied(host, event, payload.to_string());
        }
    }
    // What looks like a payload of VS Code is none at an entry, or with an event, that VS Code does not have.
    assert_denied("copilot", "permissionRequest", json!({ "hook_event_name": "Stop" }).to_string());
    let payload = json!({ "hook_event_name": "AfterTool", "timestamp": "2026-10-26" }).to_string();
    let request = Request::new(find("claude").unwrap(), payload.as_bytes()).event("PreCompact");
    assert_eq!(request.read().unwrap().0.name, "claude");
}

/// Some hosts take the address of a file for its path, and patterns for names.
#[test]
fn a_file_by_another_name_is_the_same_file() {
    for file in ["file:///a/.env", "FILE:/a/.env", "file://localhost/a/%2Eenv", "file:///a/.env?x#y"] {
        let input = json!({ "filePath": file, "content": "x" });
        let call = json!({ "hook_event_name": "PreToolUse", "tool_name": "create_file", "tool_input": input });
        assert_denied("vscode", "PreToolUse", call.to_string());
        let patch = format!("*** Begin Patch\n*** Update File: {file}\n-x\n+y\n*** End Patch");
        let call =
            json!({ "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": { "input": patch } });
        assert_denied("vscode", "PreToolUse", call.to_string());
    }
}

/// What nobody guards is not refused for being odd.
#[test]
fn an_odd_call_of_another_tool_passes() {
    let registry = Registry::empty();
    let shell = Hook::at::<BeforeToolCall>("no_rm").reader(|_, _, _: &ToolInput| Permission::deny("no shell"));
    registry.register(shell.only("tool", "Bash")).unwrap();
    let guards = Responder::new(registry).unwrap();
    let stdin = br#"{"tool_name": "Read", "tool_input": {"path": 7}}"#;
    let request = Request::new(find("claude").unwrap(), stdin).event("PreToolUse");
    assert_eq!(guards.respond_blocking(&request).unwrap().stdout, Stdout::Json(json!({})));
    // The command of a server is none that the call runs.
    let stdin =
        br#"{"hook_event_name": "beforeMCPExecution", "tool_name": "list", "tool_input": "{}", "command": "npx desk"}"#;
    let answer = guards.respond_blocking(&Request::new(find("cursor").unwrap(), stdin)).unwrap();
    let (verdict, _) = taken("cursor", "beforeMCPExecution", &Value::Null, &answer);
    assert_ne!(verdict, Taken::Denied, "{answer:?}");
}

/// A mask sees a result whatever its form; in the place that the table names there may be nothing.
#[test]
fn results_of_another_form_are_masked() {
    let registry = Registry::empty();
    let mask = Hook::at::<AfterToolCallSuccess>("mask").writer(|_, _, result: &mut ToolResult| {
        result.rewrite_text(|text| text.contains("ada@example.com").then(|| "[masked]".to_owned()));
    });
    registry.register(mask).unwrap();
    let responder = Responder::new(registry).unwrap();
    let results =
        ["ada@example.com".into(), json!({ "text": "ada@example.com" }), json!([{ "output": ["ada@example.com"] }])];
    for (host, event, tool, key) in [
        ("claude", "PostToolUse", "tool_name", "tool_response"),
        ("codex", "PostToolUse", "tool_name", "tool_response"),
        ("qwen", "PostToolUse", "tool_name", "tool_response"),
        ("gemini", "AfterTool", "tool_name", "tool_response"),
        ("copilot", "postToolUse", "toolName", "toolResult"),
        ("copilot", "postToolUse", "tool_name", "tool_result"),
    ] {
        for result in &results {
            let mut payload = json!({ "session_id": "s", "sessionId": "s", "cwd": "/tmp", "tool_input": {} });
            payload[tool] = "shell".into();
            payload[key] = result.clone();
            let stdin = payload.to_string();
            let answer =
                responder.respond_blocking(&Request::new(find(host).unwrap(), stdin.as_bytes()).event(event)).unwrap();
            let said = format!("{answer:?}");
            assert!(said.contains("[masked]") && !said.contains("ada@"), "{host} {result}: {said}");
        }
    }
}

/// JavaScript writes half a character when it has cut a text. The rest is judged, and nothing else is refused for it.
#[test]
fn half_a_character_hides_nothing_and_refuses_nothing() {
    let answer = |text: &str| {
        let stdin = format!(r#"{{"tool_name": "Bash", "tool_input": {{"command": "{text}"}}}}"#);
        let request = Request::new(find("claude").unwrap(), stdin.as_bytes()).event("PreToolUse");
        let answer = guards().respond_blocking(&request).unwrap();
        taken("claude", "PreToolUse", &Value::Null, &answer).0
    };
    for (text, is_denied) in [
        (r"echo \ud83d", false),
        (r"echo \ud83d\ude00 \udc00", false),
        (r"rm -r x \ud83d", true),
        (r"\ud83d\ud83d\u0072m -r x", true),
        (r"\\\ud83d\u0072m -r x", true),
        (r"\x", true),
        (r"\ud8", true),
    ] {
        assert_eq!(answer(text) == Taken::Denied, is_denied, "{text}");
    }
}

/// These hosts keep what a rewrite leaves out, or run the call as it was.
#[test]
fn a_rewrite_without_an_argument_of_the_call_is_a_denial() {
    let only_a_line = || {
        let registry = Registry::empty();
        let rewrite = Hook::at::<BeforeToolCall>("rewrite").writer(|_, _, input: &mut ToolInput| {
            *input = ToolInput::from(json!({ "command": "ls" }));
            Permission::NoOpinion
        });
        registry.register(rewrite).unwrap();
        Responder::new(registry).unwrap()
    };
    let vscode = json!({ "tool_name": "run_in_terminal", "tool_input": { "command": "x", "explanation": "e" } });
    let antigravity = json!({ "toolCall": { "name": "run_command", "args": { "CommandLine": "x", "Cwd": "/" } } });
    for (host, payload, input, rewritten) in [
        ("vscode", vscode, "/tool_input", json!({ "command": "ls", "explanation": "e" })),
        ("antigravity", antigravity, "/toolCall/args", json!({ "CommandLine": "ls", "Cwd": "/" })),
    ] {
        let taken = |payload: &Value| {
            let stdin = payload.to_string();
            let request = Request::new(find(host).unwrap(), stdin.as_bytes()).event("PreToolUse");
            let answer = only_a_line().respond_blocking(&request).unwrap();
            (taken(host, "PreToolUse", payload.pointer(input).unwrap(), &answer), format!("{answer:?}"))
        };
        // What only describes the call stays.
        assert_eq!(taken(&payload).0, (Taken::Unheard, Some(rewritten)));
        let mut more = payload.clone();
        more.pointer_mut(input).unwrap()["sandbox"] = false.into();
        let ((verdict, _), said) = taken(&more);
        assert_eq!(verdict, Taken::Denied, "{said}");
        assert!(said.contains("a call without its `sandbox`"), "{said}");
    }
}

/// In the bytes of a picture, a text would be no picture and no text.
#[test]
fn a_picture_that_is_replaced_becomes_a_text() {
    let picture = || json!({ "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" });
    let source = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBO" } });
    let said = json!({ "type": "text", "text": "withheld" });
    let file = |fields: Value| json!({ "type": "text", "file": fields });
    let read = |path: &str| {
        file(json!({ "filePath": path, "content": "withheld", "numLines": 1, "startLine": 1, "totalLines": 1 }))
    };
    let shell =
        |text: &str, image: bool| json!({ "stdout": text, "stderr": "", "interrupted": false, "isImage": image });
    for (result, replaced) in [
        (json!([picture()]), json!([said])),
        (json!([picture(), picture()]), json!([said])),
        (json!([source]), json!([said])),
        (json!([picture(), { "type": "text", "text": "old" }]), json!([said])),
        (json!({ "content": [picture()] }), json!({ "content": [said] })),
        (json!({ "type": "image", "file": { "base64": "iVBO", "type": "image/png" } }), read("")),
        (json!({ "type": "pdf", "file": { "filePath": "/x.pdf", "base64": "JVBERi0=" } }), read("/x.pdf")),
        (shell("iVBO", true), shell("withheld", false)),
    ] {
        let payload =
            json!({ "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}, "tool_response": result });
        let (stdin, claude) = (payload.to_string(), find("claude").unwrap());
        let (_, event) = Request::new(claude, stdin.as_bytes()).read().unwrap();
        let answer = written(claude, &event, HostVerdict::default().with_result("withheld".into(), None));
        let Stdout::Json(answer) = answer.stdout else { panic!("{answer:?}") };
        assert_eq!(answer["hookSpecificOutput"]["updatedToolOutput"], replaced, "{result}");
    }
    // A guard that puts its own words there.
    let registry = Registry::empty();
    let guard = Hook::at::<AfterToolCallSuccess>("guard")
        .writer(|_, _, result: &mut ToolResult| *result = ToolResult::error("not for you"));
    registry.register(guard).unwrap();
    let guard = Responder::new(registry).unwrap();
    for (result, place) in [
        (json!({ "type": "image", "file": { "base64": "iVBO" } }), "/file/content"),
        (shell("iVBO", true), "/stdout"),
        (json!([{ "type": "image", "data": "iVBO" }]), "/0/text"),
    ] {
        let payload =
            json!({ "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}, "tool_response": result });
        let stdin = payload.to_string();
        let answer = guard.respond_blocking(&Request::new(find("claude").unwrap(), stdin.as_bytes())).unwrap();
        let Stdout::Json(answer) = answer.stdout else { panic!("{answer:?}") };
        let replaced = &answer["hookSpecificOutput"]["updatedToolOutput"];
        assert_eq!(replaced.pointer(place), Some(&json!("not for you")), "{replaced}");
        assert!(replaced["isImage"] != true && replaced["type"] != "image", "{replaced}");
    }
    // A mask that finds something in the bytes.
    let registry = Registry::empty();
    let mask = Hook::at::<AfterToolCallSuccess>("mask").writer(|_, _, result: &mut ToolResult| {
        result.rewrite_text(|text| text.contains("KGgo").then(|| text.replace("KGgo", "[masked]")));
    });
    registry.register(mask).unwrap();
    let payload = json!({ "hook_event_name": "PostToolUse", "tool_name": "mcp__a__b", "tool_input": {},
        "tool_response": [picture(), { "type": "text", "text": "old" }] });
    let stdin = payload.to_string();
    let request = Request::new(find("claude").unwrap(), stdin.as_bytes());
    let answer = Responder::new(registry).unwrap().respond_blocking(&request).unwrap();
    let Stdout::Json(answer) = answer.stdout else { panic!("{answer:?}") };
    let result = &answer["hookSpecificOutput"]["updatedToolOutput"];
    assert_eq!((&result[0]["type"], &result[1]["text"]), (&json!("text"), &json!("old")), "{result}");
    assert!(!result.to_string().contains("iVBO"), "{result}");
}
