//! What managed settings and types of other programs forbid: nothing runs that they do not allow, and guards deny.

use std::sync::{Arc, Mutex};

use hook_sdk::hook::BoxFuture;
use hooks_rules::{Aliases, ClientResult, Dialect, Event, Occurrence, Post, PostRequest, RulesBuilder, SkipReason};

use super::support::*;

/// Says yes to every request, and keeps it.
#[derive(Clone, Default)]
struct Server(Arc<Mutex<Vec<PostRequest>>>);

impl Post for Server {
    fn post<'a>(&'a self, request: &'a PostRequest) -> BoxFuture<'a, ClientResult<(u16, String)>> {
        self.0.lock().unwrap().push(request.clone());
        Box::pin(async { Ok((200, String::new())) })
    }
}

fn request(url: &str, on_failure: &str) -> Value {
    json!({"type": "http", "url": url, "onFailure": on_failure, "headers": {"X": "$LANG|$PATH"}, "allowedEnvVars": ["LANG", "PATH"]})
}

/// A file with these handlers before each call, and more keys.
fn file(more: Value, handlers: &[Value]) -> String {
    let mut file = more;
    file["hooks"] = json!({"PreToolUse": [{"hooks": handlers}]});
    file.to_string()
}

fn deny(reason: &str) -> Value {
    json!({"type": "command", "command": format!("echo '{reason}' >&2; exit 2")})
}

/// The managed settings and those of the user.
fn both(managed: &str, user: &str) -> RulesBuilder {
    let managed = Rules::builder().managed_settings("/etc/m.json").content(managed);
    managed.settings("u.json").content(user).project_settings("p.json").content("{}").trusted(true)
}

fn why(rules: &Rules) -> Vec<Option<SkipReason>> {
    rules.list().into_iter().map(|rule| rule.why_not).collect()
}

#[tokio::test]
async fn nobody_else_switches_managed_rules_off() {
    let user = file(json!({"disableAllHooks": true}), &[deny("user")]);
    let rules = both(&file(json!({}), &[deny("managed")]), &user).build();
    assert_eq!(reason(&shell(&set(&rules), "ls").await.verdict), "managed");
    assert!(matches!(why(&rules)[..], [None, Some(SkipReason::SwitchedOff { .. })]), "{:?}", why(&rules));

    let off =
        both(&file(json!({"disableAllHooks": true}), &[deny("managed")]), &file(json!({}), &[deny("user")])).build();
    assert!(off.list().iter().all(|rule| !rule.enabled));
}

#[tokio::test]
async fn managed_settings_can_let_only_their_rules_run() {
    let managed = file(json!({"allowManagedHooksOnly": true}), &[]);
    let rules = both(&managed, &file(json!({}), &[deny("user")])).build();
    assert_eq!(why(&rules), [Some(SkipReason::NotManaged { by: std::path::Path::new("/etc/m.json").into() })]);
    assert_eq!(shell(&set(&rules), "ls").await.verdict, Permission::NoOpinion);
    // In other files the switch has no effect.
    let rules = both(&file(json!({}), &[]), &file(json!({"allowManagedHooksOnly": true}), &[deny("user")])).build();
    assert_eq!(reason(&shell(&set(&rules), "ls").await.verdict), "user");
    // A plugin that the administrator enables is managed.
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("hooks/hooks.json"), &file(json!({}), &[deny("plugin")]));
    for (is_managed, says) in [(false, ""), (true, "plugin")] {
        let plugin = hooks_rules::PluginFolder::new("guards", folder.path()).data(folder.path().join("data"));
        let plugin = if is_managed { plugin.managed() } else { plugin };
        // Only the administrator switches it off.
        for settings in [both(&managed, "{}"), both("{}", r#"{"disableAllHooks": true}"#)] {
            let rules = settings.plugin(plugin.clone()).build();
            assert_eq!(reason(&shell(&set(&rules), "ls").await.verdict), says);
        }
    }
}

#[tokio::test]
async fn requests_go_only_where_every_list_allows() {
    let lists = |urls: Value| json!({"allowedHttpHookUrls": urls});
    let goes = async |managed: Value, user: Value, url: &str| {
        let server = Server::default();
        let rules = both(&file(managed, &[]), &file(user, &[request(url, "continue")])).post(server.clone()).build();
        let verdict = shell(&set(&rules), "ls").await.verdict;
        assert_eq!(verdict, Permission::NoOpinion);
        let is_off =
            matches!(&why(&rules)[0], Some(SkipReason::CannotRun { reason }) if reason.contains("allowedHttpHookUrls"));
        let went = server.0.lock().unwrap().len() == 1;
        assert_eq!(went, !is_off, "{url}");
        went
    };
    let local = "http://localhost:8080/hook";
    assert!(goes(json!({}), json!({}), local).await);
    for (list, allows) in [
        (json!([]), false),
        (json!([local]), true),
        (json!(["http://localhost:8080/*"]), true),
        (json!(["http://*/hook"]), true),
        (json!(["*"]), true),
        (json!(["http://localhost:80/*", "*/other"]), false),
        (json!(["http://localhost:8080"]), false),
        (json!(["*8080*localhost*"]), false),
        (json!("http://localhost:8080/*"), false),
        (json!([1]), false),
    ] {
        assert_eq!(goes(lists(list.clone()), json!({}), local).await, allows, "{list}");
        assert_eq!(goes(json!({}), lists(list.clone()), local).await, allows, "{list}");
        assert!(!goes(lists(list.clone()), lists(json!([])), local).await, "{list}");
    }
    // A project restricts its own requests, not those of the user.
    let server = Server::default();
    let project = file(lists(json!([])), &[request("http://localhost/p", "continue")]);
    let user = file(json!({}), &[request("http://localhost/u", "continue")]);
    let rules = Rules::builder().settings("u").content(user).project_settings("p").content(project).trusted(true);
    let _ = shell(&set(&rules.post(server.clone()).build()), "ls").await;
    let went: Vec<_> = server.0.lock().unwrap().iter().map(|request| request.url.clone()).collect();
    assert_eq!(went, ["http://localhost/u"]);
}

/// A guard whose request is forbidden has failed.
#[tokio::test]
async fn a_forbidden_guard_denies() {
    let managed = file(json!({"allowedHttpHookUrls": []}), &[]);
    let rules =
        both(&managed, &file(json!({}), &[request("http://localhost/", "block")])).post(Server::default()).build();
    let verdict = shell(&set(&rules), "ls").await.verdict;
    assert!(reason(&verdict).contains("does not allow http://localhost/"), "{verdict:?}");
}

#[tokio::test]
async fn headers_have_the_variables_that_every_list_allows() {
    for (list, header) in [
        (json!({}), "en|/bin"),
        (json!({"httpHookAllowedEnvVars": ["LANG"]}), "en|"),
        (json!({"httpHookAllowedEnvVars": 1}), "|"),
    ] {
        let server = Server::default();
        let rules = both(&file(list, &[]), &file(json!({}), &[request("http://localhost/", "continue")]));
        let _ = shell(&set(&rules.post(server.clone()).build()), "ls").await;
        let value = |name| std::env::var(name).unwrap_or_default();
        let header = header.replace("en", &value("LANG")).replace("/bin", &value("PATH"));
        assert_eq!(server.0.lock().unwrap()[0].headers["X"], header);
    }
}

/// What they forbid is unknown then.
#[tokio::test]
async fn managed_settings_that_cannot_be_read_let_nothing_run() {
    let folder = tempfile::tempdir().unwrap();
    let ran = folder.path().join("ran");
    let touch = json!({"type": "command", "command": format!("touch '{}'", ran.display())});
    let stop = json!({"hooks": {"PostToolUse": [{"hooks": [touch]}], "PreToolUse": [{"hooks": [touch]}]}}).to_string();
    for managed in ["", "{", "[]", "{\"hooks\": {}"] {
        let rules = both(managed, &stop).build();
        assert!(reason(&shell(&set(&rules), "ls").await.verdict).contains("/etc/m.json cannot be read"), "{managed}");
        assert!(matches!(why(&rules)[..], [Some(SkipReason::CannotRun { .. }), None]), "{managed}: {:?}", why(&rules));
        assert!(!ran.exists());
    }
    // A folder is no file. One that is missing forbids nothing.
    let of_path = |path: &std::path::Path| Rules::builder().managed_settings(path).text("u.json", stop.clone()).build();
    assert!(shell(&set(&of_path(folder.path())), "ls").await.verdict.denial().is_some());
    assert!(shell(&set(&of_path(&folder.path().join("no"))), "ls").await.verdict.denial().is_none() && ran.exists());
}

/// While the administrator edits the file, the last version that could be read holds.
#[test]
fn managed_settings_that_break_keep_what_they_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("managed-settings.json");
    write(&path, &file(json!({"allowManagedHooksOnly": true}), &[deny("managed")]));
    let rules = Rules::builder().managed_settings(&path).text("u.json", file(json!({}), &[deny("user")])).build();
    let before = why(&rules);
    write(&path, "{");
    for _ in 0..3 {
        rules.reload();
        assert_eq!(why(&rules), before);
    }
}

/// Types that only another program has are listed as what they are. They do not run, and as guards they deny.
#[tokio::test]
async fn handlers_of_other_types_are_listed_and_fail() {
    for (handler, text) in [
        (json!({"type": "agent", "prompt": "Check $ARGUMENTS"}), "agent: Check $ARGUMENTS"),
        (json!({"type": "mcp_tool", "server": "scan", "tool": "check"}), "mcp_tool: scan check"),
    ] {
        let rules = of_any(&file(json!({}), std::slice::from_ref(&handler)));
        let [rule] = &rules.list()[..] else { panic!("{:?}", rules.list()) };
        assert_eq!((rule.text.as_str(), rule.enabled), (text, false));
        assert!(rule.why_not.as_ref().unwrap().to_string().contains("are not supported here"));
        assert_eq!(shell(&set(&rules), "ls").await.verdict, Permission::NoOpinion);
        let mut guard = handler.clone();
        guard["onFailure"] = "block".into();
        let rules = of_any(&file(json!({}), &[guard]));
        assert!(rules.list()[0].enabled);
        assert!(reason(&shell(&set(&rules), "ls").await.verdict).contains("are not supported here"));
    }
}

/// The app decides what its terminal gets.
#[tokio::test]
async fn a_sequence_for_the_terminal_is_given_to_the_app() {
    let observed = Observed::default();
    let prints = prints(&json!({"terminalSequence": "\u{7}"}));
    let text = commands("Stop", &[&prints]);
    let set = set(&built(observed.listens(Rules::builder().text("hooks.json", text))));
    let _ = set.fire(&HookContext::new(), &Stop::new("final_response"), ()).await.unwrap();
    assert_eq!(observed.notices.lock().unwrap()[0].members["terminalSequence"], "\u{7}");
}

/// Scripts read the limit of steps from standard input, as the report has it.
#[tokio::test]
async fn a_flat_rule_reads_whether_the_limit_of_steps_was_reached() {
    for (event, says) in [
        (Stop::new("max_iterations"), true),
        (Stop::new("final_response").at_iteration_cap(true), true),
        (Stop::new("doom_loop"), false),
    ] {
        let grep = format!("grep -q '\"at_max_iter\":{says}' || exit 1; echo '{{\"additionalContext\": \"seen\"}}'");
        let text = json!({"hooks": {"Stop": [{"type": "command", "command": grep}]}}).to_string();
        let rules = built(Rules::builder().text("hooks.json", text).dialect(Dialect::Agentao));
        let fired = set(&rules).fire(&HookContext::new(), &event, ()).await.unwrap();
        assert!(!fired.verdict.contexts.is_empty(), "{says}");
    }
}

/// The tool was called `Task` before.
#[test]
fn a_matcher_may_use_the_old_name_of_a_tool() {
    for matcher in ["Task", "Agent", "Task|Bash", "^Agent$"] {
        let text = json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [deny("no")]}]}}).to_string();
        let rules = of_text(&text);
        for tool in ["Task", "Agent"] {
            let mut call = Occurrence::new(Event::PreToolUse);
            call.set("tool_name", tool);
            assert_eq!(rules.select(&call).len(), 1, "{matcher} {tool}");
        }
    }
    assert_eq!(Aliases::default().on_the_wire("Task"), "Agent");
}
