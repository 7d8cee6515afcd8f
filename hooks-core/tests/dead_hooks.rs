//! Promise 11: no dead hooks. The audit reports each way in which a hook can be dead that it can find without running
//! anything.
//!
//! A binary of its own, because `fires!` applies to a whole binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use hook_sdk::diagnostics::{FindingKind, HarnessFacts};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

hook_sdk::fires![BeforeToolCall, AfterCreateMessage, kinds::FileNote, MessageReceived [never sender]];
// A second harness of the same program may declare the same kinds.
hook_sdk::fires![BeforeToolCall,];

mod kinds {
    use hook_sdk::prelude::*;

    /// Before a note is filed.
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "file_note", subject = String)]
    pub(crate) struct FileNote {}

    /// Before a note is shredded. Nothing in this program fires it.
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
    reported: &'static [&'static str],
}

/// Replaces each position in this file, so that the table does not depend on line numbers.
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

const NONE: Case = Case { what: "", hooks: vec![], app: &[], agent: None, prompt: None, disabled: &[], reported: &[] };

fn cases() -> Vec<Case> {
    vec![
        Case { what: "all are alive", hooks: vec![gate("g"), files("f")], app: &["g"], agent: Some(&["f"]), ..NONE },
        Case {
            what: "a kind that is never fired",
            hooks: vec![shreds("s"), files("f")],
            agent: Some(&["s", "f"]),
            reported: &[
                "the hook `s` (HERE) runs at `shred_note`, which this program never fires; fire it and declare it with `hook_sdk::fires![dead_hooks::kinds::ShredNote]`, or move the hook to a kind that is fired: `after_create_message`, `before_tool_call`, `file_note`, `message_received`",
            ],
            ..NONE
        },
        Case {
            what: "a filter over a field that is never filled",
            hooks: vec![from("s", "sender"), from("c", "channel")],
            app: &["s", "c"],
            reported: &[
                "the hook `s` (HERE) runs at `message_received` only if `sender` is `ada`, but this program declares with `fires!` that it never fills `sender`; fill it, or remove the filter",
            ],
            ..NONE
        },
        Case {
            what: "no list names it",
            hooks: vec![files("f"), files("other")],
            agent: Some(&["f"]),
            reported: &["no list names the hook `other` (HERE), so it never runs"],
            ..NONE
        },
        Case {
            what: "both",
            hooks: vec![files("f"), shreds("s")],
            agent: Some(&["f"]),
            reported: &[
                "no list names the hook `s` (HERE), so it never runs",
                "the hook `s` (HERE) runs at `shred_note`",
            ],
            ..NONE
        },
        Case {
            what: "an empty list",
            agent: Some(&[]),
            reported: &["the list of agent `a` is empty, and so is the app's, so no hook runs"],
            ..NONE
        },
        Case {
            what: "an empty list of the prompt",
            hooks: vec![files("f")],
            agent: Some(&["f"]),
            prompt: Some(&[]),
            reported: &[
                "the list of prompt `p` is empty, and so is the app's, so no hook runs",
                "no list names the hook `f` (HERE), so it never runs",
            ],
            ..NONE
        },
        Case {
            what: "no list at all",
            reported: &[
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
            reported: &[
                "prompt `p` omits the gate `g` (HERE) of agent `a`, because its list replaces the agent's; add it to the prompt's list or to the app's",
                "no list names the hook `g` (HERE), so it never runs",
            ],
            ..NONE
        },
        Case {
            what: "disabled",
            hooks: vec![files("f")],
            agent: Some(&["f"]),
            disabled: &["f"],
            reported: &["agent `a` or the app names the hook `f` (HERE), which is disabled and skipped"],
            ..NONE
        },
    ]
}

#[test]
fn each_dead_hook_is_reported_with_its_fix() {
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
        let reported: Vec<String> =
            registry.audit([&set]).iter().map(|finding| hide_places(&finding.to_string())).collect();
        assert_eq!(reported.len(), case.reported.len(), "{}: {reported:#?}", case.what);
        for (reported, expected) in reported.iter().zip(case.reported) {
            assert!(reported.starts_with(expected), "{}: {reported}", case.what);
        }
    }
}

#[test]
fn a_hook_at_several_kinds_is_reported_with_those_that_are_never_fired() {
    #[hook(id = "at_both", kind = [kinds::FileNote, kinds::ShredNote])]
    fn at_both(_note: &mut String) {}

    let registry = Registry::empty().with(hooks![at_both]).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(hooks![at_both]), None).unwrap();
    let findings = registry.audit([&set]);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].kind(), findings[0].about()), (FindingKind::NeverFired, "at_both at shred_note"));
    assert!(findings[0].to_string().contains("also runs at `shred_note`"), "{}", findings[0]);
    // Who accepts the one says nothing about the other.
    let judged = |about: &str| {
        let facts = HarnessFacts::new().accept(FindingKind::NeverFired, about, "there are no notes to shred");
        facts.judge(registry.audit([&set]))
    };
    assert!(judged("at_both").is_err());
    assert!(judged("at_both at shred_note").is_ok());
    // Nor can anybody accept that an acceptance is out of date.
    let stale = HarnessFacts::new().accept(FindingKind::AcceptedNothing, "at_both", "no reason");
    let error = registry.check([&set], &stale).unwrap_err().to_string();
    assert!(error.contains("`accept(FindingKind::AcceptedNothing, \"at_both\", …)` accepts a finding that"), "{error}");
}
