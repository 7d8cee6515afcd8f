//! The sentences of the test: what a hook does, and what must follow from it.

mod model;
mod stored;
mod tool;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hook_sdk::data::{Block, Message, Role, ToolCall, ToolInput, ToolResult};
use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::{
    AfterCreateMessage, AfterToolCall, AfterToolCallFailure, AfterToolCallSuccess, BeforeCreateMessage, BeforeToolCall,
    PermissionRequest, PreModelCall, Stop, UserPromptSubmit,
};
use hook_sdk::manifest::KindManifest;
use hook_sdk::verdict::{Halt, Permission, Retry, StopVerdict};
use hook_sdk::{Hook, HookContext, HookKind};
use serde_json::json;

use crate::expect::Expect::{self, Asks, Calls, NeverSends, NeverShows, NeverStores, Runs, Sends};
use crate::world::{ANSWER, Act, Acts, ERROR, OUTPUT, PROMPT, Person, Scenario};

/// The text of all that hooks add.
const PROBED: &str = "conformance probe";
/// The message with which hooks continue a turn.
const FOLLOW_UP: &str = "carry on";

/// One sentence: when hooks do this in that scenario, this must follow.
pub(crate) struct Case {
    /// The kind of the hook that acts. The case is left out if the program does not fire the kinds of all its hooks.
    pub(crate) kind: &'static str,
    /// What the hook does.
    pub(crate) when: &'static str,
    pub(crate) scenario: Scenario,
    pub(crate) person: Person,
    pub(crate) hooks: fn(&Acts) -> Vec<Hook>,
    pub(crate) expect: &'static [Expect],
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "when a hook at `{}` {}", self.kind, self.when)
    }
}

impl Case {
    pub(crate) fn needs_a_person(&self) -> bool {
        !matches!(self.person, Yes | No) || self.expect.iter().any(|expect| matches!(expect, Asks(1..)))
    }
}

/// A hook that reads and answers.
fn says<K: HookKind>(answer: impl Fn() -> K::Verdict + Send + Sync + 'static) -> Vec<Hook> {
    vec![Hook::at::<K>("probe").reader(move |_, _, _| answer())]
}

fn halts<K: HookKind>(_: &Acts) -> Vec<Hook> {
    vec![Hook::at::<K>("probe").reader(|_, _, _| Err::<(), _>(Halt::new(PROBED)))]
}

/// A hook that is required and fails.
fn fails<K: HookKind>(_: &Acts) -> Vec<Hook> {
    vec![Hook::at::<K>("probe").reader(|_, _, _| Err::<(), _>(PROBED)).on_failure(OnFailure::Required)]
}

/// A hook that has no opinion the first time, and halts from then on.
fn halts_later<K: HookKind>(_: &Acts) -> Vec<Hook> {
    let times = AtomicUsize::new(0);
    let is_later = move || times.fetch_add(1, Ordering::Relaxed) > 0;
    vec![Hook::at::<K>("probe").reader(move |_, _, _| if is_later() { Err(Halt::new(PROBED)) } else { Ok(()) })]
}

/// A required hook that fails from the second time on.
fn fails_later<K: HookKind>(_: &Acts) -> Vec<Hook> {
    let times = AtomicUsize::new(0);
    let is_later = move || times.fetch_add(1, Ordering::Relaxed) > 0;
    let fails = move |_: &_, _: &K, _: &K::Subject| if is_later() { Err(PROBED) } else { Ok(()) };
    vec![Hook::at::<K>("probe").reader(fails).on_failure(OnFailure::Required)]
}

/// A hook that halts at the rows that this selects.
fn halts_at(is_it: fn(&Message) -> bool) -> Vec<Hook> {
    let halts =
        move |_: &_, _: &BeforeCreateMessage, row: &Message| if is_it(row) { Err(Halt::new(PROBED)) } else { Ok(()) };
    vec![Hook::at::<BeforeCreateMessage>("probe").reader(halts)]
}

/// A required hook that fails at the rows that this selects.
fn fails_at(is_it: fn(&Message) -> bool) -> Vec<Hook> {
    let fails = move |_: &_, _: &BeforeCreateMessage, row: &Message| if is_it(row) { Err(PROBED) } else { Ok(()) };
    vec![Hook::at::<BeforeCreateMessage>("probe").reader(fails).on_failure(OnFailure::Required)]
}

/// A hook that halts once these rows are stored.
fn halts_after(is_it: fn(&Message) -> bool) -> Hook {
    Hook::at::<AfterCreateMessage>("probe").reader(
        move |_, event: &AfterCreateMessage, ()| {
            if is_it(&event.message) { Err(Halt::new(PROBED)) } else { Ok(()) }
        },
    )
}

/// A required hook that fails once these rows are stored.
fn fails_after(is_it: fn(&Message) -> bool) -> Hook {
    let fails =
        move |_: &_, event: &AfterCreateMessage, (): &()| if is_it(&event.message) { Err(PROBED) } else { Ok(()) };
    Hook::at::<AfterCreateMessage>("probe").reader(fails).on_failure(OnFailure::Required)
}

/// Attributes each result to a person.
fn attributes() -> Hook {
    Hook::at::<AfterToolCallSuccess>("attributes")
        .writer(|_, _, result: &mut ToolResult| result.said_by = Some(Role::User))
}

/// Masks every row.
fn masks_rows() -> Hook {
    Hook::at::<BeforeCreateMessage>("masks").writer(|_, _, row: &mut Message| {
        row.rewrite_text(|_| Some(PROBED.to_owned()));
    })
}

/// Notes each row that is announced.
fn watches(acts: &Acts) -> Hook {
    let acts = acts.clone();
    Hook::at::<AfterCreateMessage>("watches")
        .reader(move |_, event: &AfterCreateMessage, ()| acts.note(Act::Announced { row: event.message.clone() }))
}

/// Notes that its kind came, and where.
fn comes<K: HookKind>(acts: &Acts) -> Hook {
    let acts = acts.clone();
    Hook::at::<K>(K::NAME).reader(move |cx: &HookContext, _: &K, _: &K::Subject| {
        acts.note(Act::Came { kind: K::NAME, ids: Arc::clone(cx.ids()) });
    })
}

/// Notes that this kind of a turn came, besides the prompt of the turn.
fn watched<K: HookKind>(acts: &Acts) -> Vec<Hook> {
    vec![comes::<UserPromptSubmit>(acts), comes::<K>(acts)]
}

/// Asks to run the tool again once, if the loop says that it may.
fn retries_once(acts: &Acts) -> Hook {
    retries_once_of(acts, |_| true)
}

/// Asks to run the tool of the calls that this selects again once, if the loop says that it may.
fn retries_once_of(acts: &Acts, is_it: fn(&ToolCall) -> bool) -> Hook {
    let (acts, times) = (acts.clone(), AtomicUsize::new(0));
    Hook::at::<AfterToolCallFailure>("retries").reader(move |_, event: &AfterToolCallFailure, _| {
        if !event.may_retry || !is_it(&event.call) || times.fetch_add(1, Ordering::Relaxed) > 0 {
            return Retry::default();
        }
        acts.note(Act::Retried);
        Retry::After(std::time::Duration::ZERO)
    })
}

/// Sets the input of each call to a word and the call's id.
fn sets_inputs(word: fn(&ToolCall) -> String) -> Vec<Hook> {
    vec![Hook::at::<BeforeToolCall>("sets").writer(move |_, event: &BeforeToolCall, input: &mut ToolInput| {
        **input = json!({ "word": word(&event.call) });
    })]
}

/// A hook that continues the turn once.
fn continues_once(text: &'static str) -> Hook {
    Hook::at::<Stop>("continues").reader(move |_, event: &Stop, ()| {
        if event.stop_hook_active { StopVerdict::default() } else { StopVerdict::continue_with(text) }
    })
}

fn calls_a_tool(row: &Message) -> bool {
    row.tool_calls().next().is_some()
}

fn is_of_a_tool(row: &Message) -> bool {
    row.content.iter().any(|block| matches!(block, Block::ToolResult(_)))
}

fn is_of_the_answer(row: &Message) -> bool {
    row.text().starts_with(ANSWER)
}

fn is_of_the_follow_up(row: &Message) -> bool {
    row.text().contains(FOLLOW_UP)
}

fn probed(result: &mut ToolResult) {
    result.rewrite_text(|_| Some(PROBED.to_owned()));
}

fn gate(answer: fn() -> Permission) -> Vec<Hook> {
    says::<BeforeToolCall>(answer)
}

fn asks_and(requested: Hook) -> Vec<Hook> {
    let asks = Hook::at::<BeforeToolCall>("asks").reader(|_, _, _| Permission::ask(PROBED));
    vec![asks, requested]
}

use Person::{No, Yes};
use Scenario::{Answer, Failure, Tool};

/// All sentences about the kinds of a turn.
fn of_turns() -> impl Iterator<Item = &'static Case> {
    [model::CASES, tool::CASES, stored::CASES].into_iter().flatten()
}

/// Sentences about hooks that read a field of the event, left out if the program declares that it never fills the field.
#[rustfmt::skip]
const READING: &[(&str, Case)] = &[
    ("messages", Case { kind: "pre_model_call", when: "reads what is sent, and halts", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<PreModelCall>("probe").reader(|_, event: &PreModelCall, _| {
               let said = |text: &str| serde_json::to_string(&event.messages).is_ok_and(|sent| sent.contains(text));
               if said(PROMPT) { Err(Halt::new(PROBED)) } else { Ok(()) }
           })],
           expect: &[Calls(0)] }),
    ("reason", Case { kind: "permission_request", when: "reads the call, the question and the input, and denies", scenario: Tool, person: Yes,
           hooks: |_| asks_and(Hook::at::<PermissionRequest>("probe").reader(|_, event: &PermissionRequest, input: &ToolInput| {
               let is_it = event.call.name == "find" && event.reason == PROBED && input["word"] == "blue";
               if is_it { Permission::deny("no") } else { Permission::NoOpinion }
           })),
           expect: &[Asks(0), Runs(0)] }),
    ("deferred", Case { kind: "permission_request", when: "reads that a gate defers, and denies", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<BeforeToolCall>("defers").reader(|_, _, _| Permission::defer(PROBED)),
               Hook::at::<PermissionRequest>("probe").reader(|_, event: &PermissionRequest, _| {
                   if event.deferred { Permission::deny("no") } else { Permission::NoOpinion }
               }),
           ],
           expect: &[Asks(0), Runs(0)] }),
    ("history", Case { kind: "after_tool_call_success", when: "reads the conversation, and rewrites", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallSuccess>("probe").writer(|_, event: &AfterToolCallSuccess, result: &mut ToolResult| {
               if event.history.iter().any(|message| message.text() == PROMPT) { probed(result); }
           })],
           expect: &[Sends(PROBED), NeverSends(OUTPUT)] }),
    ("history", Case { kind: "after_tool_call_failure", when: "reads the conversation, and rewrites", scenario: Failure, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCallFailure>("probe").writer(|_, event: &AfterToolCallFailure, result: &mut ToolResult| {
               if event.history.iter().any(|message| message.text() == PROMPT) { probed(result); }
           })],
           expect: &[Sends(PROBED), NeverSends(ERROR)] }),
    ("result", Case { kind: "after_tool_call", when: "reads the result, and halts", scenario: Tool, person: Yes,
           hooks: |_| vec![Hook::at::<AfterToolCall>("probe").reader(|_, event: &AfterToolCall, ()| {
               let is_it = event.result.as_ref().is_some_and(|result| result.text().starts_with(OUTPUT));
               if is_it { Err(Halt::new(PROBED)) } else { Ok(()) }
           })],
           expect: &[Calls(1)] }),
    ("result", Case { kind: "after_tool_call", when: "reads the result that another hook rewrote, and halts", scenario: Tool, person: Yes,
           hooks: |_| vec![
               Hook::at::<AfterToolCallSuccess>("rewrites").writer(|_, _, result: &mut ToolResult| probed(result)),
               Hook::at::<AfterToolCall>("probe").reader(|_, event: &AfterToolCall, ()| {
                   let is_it = event.result.as_ref().is_some_and(|result| result.text() == PROBED);
                   if is_it { Err(Halt::new(PROBED)) } else { Ok(()) }
               }),
           ],
           expect: &[Calls(1)] }),
    ("last_message", Case { kind: "stop", when: "reads the answer, and blocks it", scenario: Answer, person: Yes,
           hooks: |_| vec![Hook::at::<Stop>("probe").reader(|_, event: &Stop, ()| {
               let is_it = event.last_message.as_ref().is_some_and(|message| message.text().starts_with(ANSWER));
               if is_it { StopVerdict::block(PROBED) } else { StopVerdict::default() }
           })],
           expect: &[NeverShows(ANSWER), NeverStores(ANSWER)] }),
];

/// The sentences about kinds that this program fires, with the fields that it fills.
pub(crate) fn declared(kinds: &[KindManifest]) -> impl Iterator<Item = &'static Case> {
    let find = |name: &str| kinds.iter().find(|kind| kind.fired_at.is_some() && kind.kind.name == name);
    let fires = move |case: &Case, field: &str| {
        let hooks = (case.hooks)(&Acts::default());
        let acts = hooks.iter().flat_map(Hook::kinds).all(|name| find(name).is_some());
        acts && find(case.kind).is_some_and(|kind| !kind.never_filled.contains(&field))
    };
    let all = of_turns().map(|case| ("", case)).chain(READING.iter().map(|(field, case)| (*field, case)));
    all.filter(move |(field, case)| fires(case, field)).map(|(_, case)| case)
}

/// All sentences.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    of_turns().chain(READING.iter().map(|(_, case)| case))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hook_sdk::{Hook, Registry};

    use super::{all, declared, of_turns};
    use crate::world::Acts;

    /// So that a loop can fire the kinds of one step only.
    #[test]
    fn a_case_is_tried_if_the_kinds_of_all_its_hooks_are_fired() {
        let mut kinds = Registry::empty().manifest().kinds;
        kinds.retain(|kind| kind.kind.name.contains("tool_call") || kind.kind.name == "permission_request");
        for kind in &mut kinds {
            kind.fired_at = Some(kind.kind.origin);
        }
        let tried: Vec<_> = declared(&kinds).collect();
        let of_calls = all().filter(|case| kinds.iter().any(|kind| kind.kind.name == case.kind)).count();
        assert!(tried.len() > 50 && of_calls > tried.len(), "{} of {of_calls}", tried.len());
        for case in tried {
            for name in (case.hooks)(&Acts::default()).iter().flat_map(Hook::kinds) {
                assert!(kinds.iter().any(|kind| kind.kind.name == name), "{case}: {name}");
            }
        }
    }

    /// What every kind of a turn lets its hooks do, and what gates and requests for a permission let them answer.
    #[test]
    fn each_kind_of_a_turn_has_a_sentence_for_each_answer() {
        // Nothing in a turn changes a stored row.
        let without = ["before_update_message", "after_update_message"];
        let of =
            |kind: &str| of_turns().filter(|case| case.kind == kind).map(|case| case.when).collect::<BTreeSet<_>>();
        let mut missing = Vec::new();
        for kind in hook_sdk::kinds::all().iter().filter(|kind| !kind.outside_turn && !without.contains(&kind.name)) {
            let whens = of(kind.name);
            let wanted: &[&str] = match kind.name {
                "before_tool_call" => {
                    &["halts", "is required and fails", "fails", "denies", "asks", "defers", "answers"]
                }
                "permission_request" => {
                    &["halts", "is required and fails", "fails", "allows", "denies", "asks", "defers", "answers"]
                }
                "stream_delta" => &["halts", "is required and fails", "fails", "denies", "asks", "defers", "rewrites"],
                "user_prompt_submit" => &["halts", "is required and fails", "blocks", "stops", "adds", "rewrites"],
                "stop" => &["halts", "is required and fails", "blocks", "continues", "ends", "has", "adds", "hides"],
                // Nothing can follow the end of a turn, and a loop may compact at any time.
                "before_compaction" => &["denies"],
                "post_compact" => &["rewrites"],
                "post_turn" | "turn_end" => &[],
                _ => &["halts", "is required and fails"],
            };
            let has = |wanted: &str| {
                whens.iter().any(|when| {
                    *when == wanted
                        || when.starts_with(&format!("{wanted} "))
                        || when.starts_with(&format!("{wanted},"))
                })
            };
            missing.extend(
                ["watches"]
                    .iter()
                    .chain(wanted)
                    .filter(|wanted| !has(wanted))
                    .map(|wanted| format!("{}: {wanted}", kind.name)),
            );
        }
        assert!(missing.is_empty(), "no case in `hooks-conformance/src/cases/` for a loop whose hook: {missing:#?}");
    }
}
