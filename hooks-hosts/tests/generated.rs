//! Payloads from a generator that knows what hosts send, and nothing of this crate: however odd they are, no gate opens.

mod odd;

use hook_sdk::data::ToolInput;
use hook_sdk::kinds::{BeforeCompaction, BeforeToolCall, PermissionRequest, UserPromptSubmit};
use hook_sdk::verdict::{Permission, PromptVerdict};
use hook_sdk::{Hook, Registry};
use hooks_hosts::{HostAnswer, Request, Responder, find};
use serde_json::Value;

use self::odd::{Dice, Doc, other_type, sent};
use crate::cases::{Case, cases};
use crate::contract::{Taken, taken};
use crate::process::{call, denies};
use crate::properties::refuses_otherwise;

/// `HOOKS_HOSTS_CASES=1000000 HOOKS_HOSTS_SEED=7` for more.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Where the payloads of hosts have the event and the tool.
const EVENTS: &[&str] = &["hook_event_name", "hookEventName", "event", "agent_action_name", "hookName"];
const TOOLS: &[&str] = &["tool_name", "toolName", "name", "mcp_tool_name"];
const LINES: &[&str] = &["command", "commands", "CommandLine", "command_line"];

struct Made {
    stdin: Vec<u8>,
    /// Whether the payload still names its event, and only that.
    same_event: bool,
    /// Whether it still calls the same tool.
    same_tool: bool,
}

/// A payload of the host with some oddities.
fn made(dice: &mut Dice, case: &Case, others: &[Case]) -> Made {
    let value: Value = serde_json::from_slice(&case.stdin).unwrap();
    let mut made = Made { stdin: Vec::new(), same_event: true, same_tool: true };
    let mut doc = Doc::from(&value);
    let before = texts(&doc, TOOLS);
    for _ in 0..dice.below(4) {
        match dice.below(8) {
            0 | 1 => twice(dice, &mut doc),
            2 | 3 => {
                let place = doc.any(dice);
                // A text without the command is a call that may pass.
                *place = other_type(dice, place);
            }
            4 => {
                let other = &others[dice.below(others.len())];
                made.same_event &= !foreign(dice, &mut doc, other);
            }
            5 => made.same_event &= !renamed(dice, &mut doc, EVENTS, event_name),
            6 => made.same_tool &= !renamed(dice, &mut doc, TOOLS, tool_name),
            _ => {
                let place = doc.any(dice);
                longer(dice, place);
            }
        }
    }
    let mut text = String::new();
    doc.write(dice, &mut text);
    made.stdin = sent(dice, &text);
    let doc = serde_json::from_slice(&made.stdin).map_or(doc, |read: Value| Doc::from(&read));
    // Another name is that of another tool.
    let (after, lines) = (texts(&doc, TOOLS), texts(&doc, LINES));
    made.same_tool &= after.iter().all(|name| before.contains(name));
    // Another line may pass, and none may not.
    made.same_tool &= lines.is_empty() || lines.iter().any(|line| line.contains("rm -"));
    made
}

/// The texts under these keys, wherever they stand.
fn texts(doc: &Doc, keys: &[&str]) -> Vec<String> {
    match doc {
        Doc::Map(members) => {
            let of = |(key, value): &(String, Doc)| match value {
                Doc::Text(text) if keys.contains(&key.as_str()) => vec![text.clone()],
                other => texts(other, keys),
            };
            members.iter().flat_map(of).collect()
        }
        Doc::List(list) => list.iter().flat_map(|value| texts(value, keys)).collect(),
        _ => Vec::new(),
    }
}

/// One member twice, with the same value or another, near or far.
fn twice(dice: &mut Dice, doc: &mut Doc) {
    if let Doc::Map(members) = doc.any(dice)
        && !members.is_empty()
    {
        let (key, value) = members[dice.below(members.len())].clone();
        let value = if dice.below(2) == 0 { value } else { other_type(dice, &value) };
        let at = dice.below(members.len() + 1);
        members.insert(at, (key, value));
    }
}

/// What another host says beside; whether an event is among it.
fn foreign(dice: &mut Dice, doc: &mut Doc, other: &Case) -> bool {
    let Doc::Map(mut theirs) = Doc::from(&serde_json::from_slice::<Value>(&other.stdin).unwrap()) else { return false };
    // By this key Cursor says that it asks, and it judges the call itself.
    theirs.retain(|(key, _)| key != "cursor_version");
    let mut names_event = false;
    if let Doc::Map(members) = doc {
        for _ in 0..=dice.below(3) {
            let at = dice.below(members.len() + 1);
            let member = theirs[dice.below(theirs.len())].clone();
            names_event |= EVENTS.contains(&member.0.as_str());
            members.insert(at, member);
        }
    }
    names_event
}

fn longer(dice: &mut Dice, doc: &mut Doc) {
    if let Doc::Text(text) = doc {
        let more = ["\u{0}", "\u{202e}", "\u{feff}", "\n", "\\", "\"", " ", "\u{e000}", "$(x)", "x"];
        let times = [1, 1, 1, 40, 70_000][dice.below(5)];
        let more = more[dice.below(more.len())].repeat(times);
        *text = if dice.below(2) == 0 { more + text } else { format!("{text}{more}") };
    }
}

/// Writes the name otherwise wherever it stands; whether there was one.
fn renamed(dice: &mut Dice, doc: &mut Doc, keys: &[&str], how: fn(&mut Dice, &str) -> String) -> bool {
    let mut any = false;
    match doc {
        Doc::Map(members) => {
            for (key, value) in members {
                match value {
                    Doc::Text(name) if keys.contains(&key.as_str()) => {
                        *name = how(dice, name);
                        any = true;
                    }
                    other => any |= renamed(dice, other, keys, how),
                }
            }
        }
        Doc::List(list) => list.iter_mut().for_each(|value| any |= renamed(dice, value, keys, how)),
        _ => {}
    }
    any
}

fn event_name(dice: &mut Dice, name: &str) -> String {
    match dice.below(6) {
        0 => name.to_uppercase(),
        1 => name.to_lowercase(),
        2 => format!(" {name}"),
        3 => String::new(),
        4 => format!("{name}\u{0}"),
        _ => "BeforeEverything".to_owned(),
    }
}

fn tool_name(dice: &mut Dice, name: &str) -> String {
    match dice.below(11) {
        0 => String::new(),
        1 => name.to_uppercase(),
        2 => name.to_lowercase(),
        3 => format!("mcp__{name}__{name}"),
        4 => format!("mcp__x__{name}"),
        5 => format!("functions.{name}"),
        6 => format!("{name}(rm:*)"),
        7 => format!("{name}\u{200b}"),
        8 => format!("{name}\n"),
        9 => format!("@x/{name}"),
        _ => format!("{name}__"),
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn denies_everything() -> Responder {
    let registry = Registry::empty();
    let no = || Permission::deny("no");
    let hooks = [
        Hook::at::<BeforeToolCall>("calls").reader(move |_, _, _| no()),
        Hook::at::<PermissionRequest>("requests").reader(move |_, _, _| no()),
        Hook::at::<BeforeCompaction>("compactions").reader(move |_, _, ()| no()),
        Hook::at::<UserPromptSubmit>("prompts").reader(|_, _, _| PromptVerdict::block("no")),
    ];
    for hook in hooks {
        registry.register(hook).unwrap();
    }
    Responder::new(registry).unwrap()
}

/// A guard of the shell that is written as carelessly as guards are.
fn careless() -> Responder {
    let registry = Registry::empty();
    let guard = Hook::at::<BeforeToolCall>("no_rm").reader(|_, _, input: &ToolInput| {
        let removes = input["command"].as_str().is_some_and(|line| line.contains("rm -"));
        if removes { Permission::deny("nothing is removed here") } else { Permission::NoOpinion }
    });
    registry.register(guard.only("tool", "Bash")).unwrap();
    Responder::new(registry).unwrap()
}

fn event(case: &Case) -> &str {
    case.read["host_event"].as_str().unwrap()
}

fn is_call(case: &Case) -> bool {
    case.read["kind"] == "before_tool_call" || case.read["kind"] == "permission_request"
}

fn refused(case: &Case, answer: &HostAnswer) -> bool {
    let (by_contract, _) = taken(case.host, event(case), &Value::Null, answer);
    by_contract == Taken::Denied || !is_call(case) && refuses_otherwise(answer)
}

/// The gates whose denial the host hears.
fn gates(all: &[Case]) -> Vec<&Case> {
    let hears = |case: &&Case| {
        let gates = ["before_tool_call", "permission_request", "user_prompt_submit", "before_compaction"];
        gates.iter().any(|kind| case.read["kind"] == *kind) && case.answers["deny"]["carried"] == "yes"
    };
    all.iter().filter(hears).collect()
}

fn shells(all: &[Case]) -> Vec<&Case> {
    let removes = |case: &&Case| case.stdin.windows(7).any(|text| text == b"rm -rf ");
    let is_shell = |case: &&Case| case.read["kind"] == "before_tool_call" && case.read["tool"]["canonical"] == "Bash";
    all.iter().filter(removes).filter(is_shell).collect()
}

#[test]
fn whatever_is_sent_is_denied_by_who_denies_everything() {
    let (all, denies, runtime) = (cases(), denies_everything(), runtime());
    let (gates, seed) = (gates(&all), setting("HOOKS_HOSTS_SEED", 1));
    for round in 0..setting("HOOKS_HOSTS_CASES", 2_000) {
        let mut dice = Dice((seed << 40) + round + 1);
        dice.below(1);
        let case = gates[dice.below(gates.len())];
        let made = made(&mut dice, case, &all);
        let named = case.event.is_some() || !made.same_event || dice.below(2) == 0;
        let mut request = Request::new(find(case.host).unwrap(), &made.stdin);
        request.event = named.then_some(event(case));
        let answer = runtime.block_on(denies.respond(&request));
        let shown = String::from_utf8_lossy(&made.stdin[..made.stdin.len().min(2_000)]);
        assert!(refused(case, &answer), "{round}, named: {named}, {}/{}: {shown}\n{answer:?}", case.host, case.name);
        if !made.same_event {
            // Another event may be one that only tells, and is then not refused; but nothing allows.
            request.event = None;
            let answer = runtime.block_on(denies.respond(&request));
            let (by_contract, _) = taken(case.host, event(case), &Value::Null, &answer);
            assert!(by_contract != Taken::Allowed, "{round}, {}/{}: {shown}\n{answer:?}", case.host, case.name);
        }
    }
}

#[test]
fn no_odd_payload_takes_a_command_past_a_guard_of_the_shell() {
    let (all, careless, runtime) = (cases(), careless(), runtime());
    let (shells, seed) = (shells(&all), setting("HOOKS_HOSTS_SEED", 1));
    for round in 0..setting("HOOKS_HOSTS_CASES", 2_000) {
        let mut dice = Dice((seed << 40) + round + 1);
        dice.below(1);
        let case = shells[dice.below(shells.len())];
        let made = made(&mut dice, case, &all);
        if !made.same_tool {
            continue;
        }
        let mut request = Request::new(find(case.host).unwrap(), &made.stdin);
        request.event = Some(event(case));
        let answer = runtime.block_on(careless.respond(&request));
        let shown = String::from_utf8_lossy(&made.stdin[..made.stdin.len().min(2_000)]);
        assert!(refused(case, &answer), "{round}, {}/{}: {shown}\n{answer:?}", case.host, case.name);
    }
}

#[test]
fn the_program_refuses_odd_payloads_too() {
    let all = cases();
    let (shells, seed) = (shells(&all), setting("HOOKS_HOSTS_SEED", 1));
    for round in 0..setting("HOOKS_HOSTS_CALLS", 60) {
        let mut dice = Dice((seed << 41) + round + 1);
        dice.below(1);
        let case = shells[usize::try_from(round).unwrap() % shells.len()];
        let made = made(&mut dice, case, &all);
        if made.same_tool {
            let output = call(&["host", case.host, "--event", event(case)], &made.stdin);
            let shown = String::from_utf8_lossy(&made.stdin[..made.stdin.len().min(2_000)]);
            assert!(denies(case.host, &output), "{round}, {}/{}: {shown}\n{output:?}", case.host, case.name);
        }
    }
}
