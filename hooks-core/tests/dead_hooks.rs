//! Promise 11: no dead hooks. Each way of making a hook dead that is seen without running anything, and what is told.
//!
//! A binary of its own: what it declares with `fires!` holds for all of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use hooks_core::diagnostics::FindingKind;
use hooks_core::kinds::*;
use hooks_core::prelude::*;

hooks_core::fires![BeforeToolCall, AfterCreateMessage, kinds::FileNote, MessageReceived [never sender]];
// A second harness of the same program may fire the same.
hooks_core::fires![BeforeToolCall,];

mod kinds {
    use hooks_core::prelude::*;

    /// Before a note is filed.
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "file_note", subject = String)]
    pub(crate) struct FileNote {}

    /// Before a note is shredded; nothing here does that.
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "shred_note", subject = String)]
    pub(crate) struct ShredNote {}
}

fn gate(id: &str) -> Hook {
    Hook::at::<BeforeToolCall>(id).reader(|_, _, _| Permission::NoOpinion)
}

fn files(id: &str) -> Hook {
    Hook::at::<kinds::FileNote>(id).writer(|_, _, _| ())
}

fn from(id: &str, field: &'static str) -> Hook {
    Hook::at::<MessageReceived>(id).reader(|_, _, _| ()).only(field, "ada")
}

fn shreds(id: &str) -> Hook {
    Hook::at::<kinds::ShredNote>(id).writer(|_, _, _| ())
}

struct Case {
    what: &'static str,
    hooks: Vec<Hook>,
    app: &'static [&'static str],
    agent: Option<&'static [&'static str]>,
    prompt: Option<&'static [&'static str]>,
    disabled: &'static [&'static str],
    told: &'static [&'static str],
}

/// Where a hook of this file is, in the table.
fn hide_places(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("(hooks-core/tests/dead_hooks.rs:") {
        shown.push_str(&rest[..at]);
        shown.push_str("(HERE)");
        rest = rest[at..].split_once(')').unwrap().1;
    }
    shown + rest
}

const NONE: Case = Case { what: "", hooks: vec![], app: &[], agent: None, prompt: None, disabled: &[], told: &[] };

fn cases() -> Vec<Case> {
    vec![
        Case { what: "all are alive", hooks: vec![gate("g"), files("f")], app: &["g"], agent: Some(&["f"]), ..NONE },
        Case {
            what: "a kind that is never fired",
            hooks: vec![shreds("s"), files("f")],
            agent: Some(&["s", "f"]),
            told: &[
                "the hook `s` (HERE) runs at `shred_note`, which this program never fires; fire it and declare it with `hooks_core::fires![dead_hooks::kinds::ShredNote]`, or move the hook to a kind that is fired: `after_create_message`, `before_tool_call`, `file_note`, `message_received`",
            ],
            ..NONE
        },
        Case {
            what: "a filter over a field that is never filled",
            hooks: vec![from("s", "sender"), from("c", "channel")],
            app: &["s", "c"],
            told: &[
                "the hook `s` (HERE) runs at `message_received` only if `sender` is `ada`, but this program declares with `fires!` that it never fills `sender`; fill it, or remove the filter",
            ],
            ..NONE
        },
        Case {
            what: "no list names it",
            hooks: vec![files("f"), files("other")],
            agent: Some(&["f"]),
            told: &["no list names the hook `other` (HERE), so it never runs"],
            ..NONE
        },
        Case {
            what: "both",
            hooks: vec![files("f"), shreds("s")],
            agent: Some(&["f"]),
            told: &["no list names the hook `s` (HERE), so it never runs", "the hook `s` (HERE) runs at `shred_note`"],
            ..NONE
        },
        Case {
            what: "an empty list",
            agent: Some(&[]),
            told: &["the list of agent `a` is empty, and so is the app's, so no hook runs"],
            ..NONE
        },
        Case {
            what: "an empty list of the prompt",
            hooks: vec![files("f")],
            agent: Some(&["f"]),
            prompt: Some(&[]),
            told: &[
                "the list of prompt `p` is empty, and so is the app's, so no hook runs",
                "no list names the hook `f` (HERE), so it never runs",
            ],
            ..NONE
        },
        Case {
            what: "no list at all",
            told: &[
                "neither agent `a` nor the app names a hook, so no hook runs; add a list, such as `\"hooks\": [\"an_id\"]`",
            ],
            ..NONE
        },
        Case { what: "no list, but the app's", hooks: vec![files("f")], app: &["f"], ..NONE },
        Case {
            what: "a gate that the prompt drops",
            hooks: vec![gate("g"), files("f")],
            agent: Some(&["g"]),
            prompt: Some(&["f"]),
            told: &[
                "prompt `p` omits the gate `g` (HERE) of agent `a`, because its list replaces the agent's; add the gate to the prompt's list or to the app's",
                "no list names the hook `g` (HERE), so it never runs",
            ],
            ..NONE
        },
        Case {
            what: "disabled",
            hooks: vec![files("f")],
            agent: Some(&["f"]),
            disabled: &["f"],
            told: &["agent `a` or the app names the hook `f` (HERE), which is disabled and skipped"],
            ..NONE
        },
    ]
}

#[test]
fn each_way_of_being_dead_is_told_with_what_to_write() {
    for case in cases() {
        let registry = Registry::empty();
        for hook in case.hooks {
            registry.register(hook).unwrap();
        }
        for id in case.disabled {
            registry.disable(id).unwrap();
        }
        registry.set_app(AppDef::new("desk").hooks(case.app.iter().copied()));
        let agent = AgentDef::new("a");
        let agent = case.agent.map_or(agent.clone(), |list| agent.hooks(list.iter().copied()));
        let prompt = case.prompt.map(|list| PromptDef::new("p").hooks(list.iter().copied()));
        let set = registry.scope(&agent, prompt.as_ref().map(|prompt| prompt as _)).unwrap();
        let told: Vec<String> =
            registry.audit([&set]).iter().map(|finding| hide_places(&finding.to_string())).collect();
        assert_eq!(told.len(), case.told.len(), "{}: {told:#?}", case.what);
        for (told, expected) in told.iter().zip(case.told) {
            assert!(told.starts_with(expected), "{}: {told}", case.what);
        }
    }
}

#[test]
fn a_hook_at_several_kinds_is_told_of_each_that_is_never_fired() {
    #[hook(id = "at_both", kind = [kinds::FileNote, kinds::ShredNote])]
    fn at_both(_note: &mut String) {}

    let registry = Registry::empty().with(hooks![at_both]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(hooks![at_both]), None).unwrap();
    let findings = registry.audit([&set]);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].kind(), findings[0].about()), (FindingKind::NeverFired, "at_both"));
    assert!(findings[0].to_string().contains("runs at `shred_note`"), "{}", findings[0]);
}
