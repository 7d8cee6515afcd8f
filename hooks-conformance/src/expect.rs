//! What must and must not be in the account of a turn.

use std::collections::BTreeMap;

use hook_sdk::context::Ids;
use hook_sdk::data::{Block, Message, Messages, Role, ToolResultBlock};
use hook_sdk::protocol::ToolQuestion;
use serde::Serialize;
use serde_json::{Value, json};

use crate::world::{Act, ERROR, OUTPUT};

/// One expectation. Texts are searched for in what was sent, shown and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expect {
    /// The tools ran so often.
    Runs(usize),
    /// If a tool ran, the person was asked before.
    RunsIfAsked,
    /// A tool ran with an input that contains this text.
    RunsWith(&'static str),
    /// Each call ran with its own input, in which a hook wrote its id.
    RunsEachAsItself,
    /// No tool ran with an input that contains this text.
    NeverRunsWith(&'static str),
    /// The person was asked so often, and before the tool ran.
    Asks(usize),
    /// The person was asked about this text: in a question, or in the input that the tool would get.
    AsksAbout(&'static str),
    /// This call has no result yet, so that the person can still answer.
    StaysOpen(&'static str),
    /// The model was called so often.
    Calls(usize),
    /// The model read this text.
    Sends(&'static str),
    /// The model read this text each time.
    AlwaysSends(&'static str),
    /// Once the model had read this text, it read it each time.
    KeepsSending(&'static str),
    /// The model read this text each time, next to or in the message with the other text.
    SendsNextTo(&'static str, &'static str),
    /// The model read this text, and always as something that the person said.
    SendsAsThePerson(&'static str),
    /// Each request had this system prompt.
    SystemPrompt(&'static str),
    /// Each request offered these tools.
    Offers(&'static [&'static str]),
    /// The model never read this text.
    NeverSends(&'static str),
    /// The person saw this text.
    Shows(&'static str),
    /// The person never saw this text.
    NeverShows(&'static str),
    /// A row contains this text.
    Stores(&'static str),
    /// A row contains the first text, and a later one the second.
    StoresBefore(&'static str, &'static str),
    /// No row contains this text.
    NeverStores(&'static str),
    /// No row was stored.
    StoresNothing,
    /// Each row was announced once, after it was stored.
    Announces,
    /// `turn_end` came once, after everything else.
    EndsOnce,
    /// This kind came so often.
    Comes(&'static str, usize),
    /// This kind came once or more.
    ComesAtAll(&'static str),
    /// This kind came once for each stored row.
    ComesPerRow(&'static str),
    /// This kind came with the ids of the turn: those of the first kind that came.
    ComesInTheTurn(&'static str),
    /// The tool ran once more for each time that a hook asked for it.
    Retries,
}

impl Expect {
    /// What is wrong with this account.
    pub(crate) fn violation(self, acts: &[Act]) -> Option<String> {
        let runs = || acts.iter().filter(|act| matches!(act, Act::ToolRan { .. })).count();
        let calls = || acts.iter().filter(|act| matches!(act, Act::ModelCalled { .. })).count();
        let retried = || asked_to_run(acts) + acts.iter().filter(|act| matches!(act, Act::Retried)).count();
        let asks = || questions(acts).count();
        let times = |times: usize| if times == 1 { "once".to_owned() } else { format!("{times} times") };
        let wrong = |what: String| Some(what);
        match self {
            Self::Runs(expected) if runs() != expected => {
                wrong(format!("the tool must run {}, and ran {}", times(expected), times(runs())))
            }
            Self::RunsIfAsked if runs() > 0 && (asks() == 0 || asked_late(acts)) => {
                wrong("the tool ran, and the person was not asked before".to_owned())
            }
            Self::RunsWith(text) if !ran_with(acts, text) => {
                wrong(format!("the tool must run with `{text}` in its input, and did not"))
            }
            Self::RunsEachAsItself => ran_as_another(acts),
            Self::NeverRunsWith(text) if ran_with(acts, text) => {
                wrong(format!("the tool must not run with `{text}` in its input, and did"))
            }
            Self::Asks(expected) if asks() != expected => {
                wrong(format!("the person must be asked {}, and was asked {}", times(expected), times(asks())))
            }
            Self::Asks(_) if asked_late(acts) => {
                wrong("the person must be asked before the tool runs, and was asked afterwards".to_owned())
            }
            Self::AsksAbout(text) if !asked_about(acts, text) => {
                wrong(format!("the person must be asked about `{text}`, and was not"))
            }
            Self::StaysOpen(id)
                if !rows(acts).cloned().collect::<Messages>().open_calls().any(|call| call.id == id) =>
            {
                wrong(format!("the call `{id}` must stay open for its answer, and does not"))
            }
            Self::Calls(expected) if calls() != expected => {
                wrong(format!("the model must be called {}, and was called {}", times(expected), times(calls())))
            }
            Self::Sends(text) if !sent(acts, text) => wrong(format!("the model must read `{text}`, and did not")),
            Self::AlwaysSends(text) if !always_sent(acts, text) => {
                wrong(format!("the model must read `{text}` each time, and did not"))
            }
            Self::KeepsSending(text) if !keeps_sending(acts, text) => {
                wrong(format!("the model must read `{text}` and go on reading it, and did not"))
            }
            Self::SendsNextTo(text, other) if !sent_next_to(acts, text, other) => {
                wrong(format!("the model must read `{text}` next to `{other}` each time, and did not"))
            }
            Self::SendsAsThePerson(text) if !sent_as_the_person(acts, text) => {
                wrong(format!("the model must read `{text}` as said by the person, and did not"))
            }
            Self::SystemPrompt(text) => requests(acts, &["request", "system_prompt"], &json!(text)),
            Self::Offers(tools) => requests(acts, &["request", "tools"], &json!(tools)),
            Self::NeverSends(text) if sent(acts, text) => wrong(format!("the model must not read `{text}`, and did")),
            Self::Shows(text) if !shown(acts, text) => wrong(format!("the person must see `{text}`, and did not")),
            Self::NeverShows(text) if shown(acts, text) => wrong(format!("the person must not see `{text}`, and did")),
            Self::Stores(text) if !stored(acts, text) => wrong(format!("a row must contain `{text}`, and none does")),
            Self::StoresBefore(first, then) if !stored_before(acts, first, then) => {
                wrong(format!("a row with `{then}` must follow one with `{first}`, and none does"))
            }
            Self::NeverStores(text) if stored(acts, text) => {
                wrong(format!("no row must contain `{text}`, and one does"))
            }
            Self::StoresNothing if rows(acts).next().is_some() => {
                wrong("nothing must be stored, and a row was".to_owned())
            }
            Self::Announces => unannounced(acts),
            Self::EndsOnce => badly_ended(acts),
            Self::Comes(kind, expected) if came(acts, kind) != expected => {
                wrong(format!("`{kind}` must come {}, and came {}", times(expected), times(came(acts, kind))))
            }
            Self::ComesAtAll(kind) if came(acts, kind) == 0 => wrong(format!("`{kind}` must come, and never came")),
            Self::ComesPerRow(kind) if came(acts, kind) != rows(acts).count() => wrong(format!(
                "`{kind}` must come once for each stored row, and came {} for {}",
                times(came(acts, kind)),
                rows(acts).count()
            )),
            Self::ComesInTheTurn(kind) if came_elsewhere(acts, kind) => {
                wrong(format!("`{kind}` must come with the ids of the turn, and came with others"))
            }
            Self::Retries if runs() != retried() => {
                wrong(format!("the tool must run {}, and ran {}", times(retried()), times(runs())))
            }
            _ => None,
        }
    }
}

/// How many calls the model made: one, or those whose results came back to it.
fn asked_to_run(acts: &[Act]) -> usize {
    let calls = sent_messages(acts).map(|messages| messages.iter().flat_map(Message::tool_calls).count());
    calls.fold(1, usize::max)
}

/// How often a kind came.
fn came(acts: &[Act], name: &str) -> usize {
    acts.iter().filter(|act| matches!(act, Act::Came { kind, .. } if *kind == name)).count()
}

fn came_elsewhere(acts: &[Act], name: &str) -> bool {
    let place = |ids: &Ids| (ids.agent.clone(), ids.conversation.clone(), ids.turn);
    let came = |act: &Act| if let Act::Came { kind, ids } = act { Some((*kind, place(ids))) } else { None };
    let mut all = acts.iter().filter_map(came);
    let first = all.next();
    all.any(|(kind, place)| kind == name && first.as_ref().is_some_and(|(_, first)| *first != place))
}

fn questions(acts: &[Act]) -> impl Iterator<Item = &ToolQuestion> {
    acts.iter().filter_map(|act| if let Act::Asked(question) = act { Some(&**question) } else { None })
}

fn asked_about(acts: &[Act], text: &str) -> bool {
    questions(acts).any(|asked| asked.question.reason.as_str().contains(text) || asked.input.to_string().contains(text))
}

fn rows(acts: &[Act]) -> impl Iterator<Item = &Message> {
    acts.iter().filter_map(|act| if let Act::Stored { row } = act { Some(row) } else { None })
}

fn ran_with(acts: &[Act], text: &str) -> bool {
    acts.iter().any(|act| matches!(act, Act::ToolRan { input, .. } if input.to_string().contains(text)))
}

/// A call that ran with the input of another call.
fn ran_as_another(acts: &[Act]) -> Option<String> {
    acts.iter().find_map(|act| match act {
        Act::ToolRan { call, input } if !call.is_empty() && !input.to_string().contains(call.as_str()) => {
            Some(format!("the call `{call}` must run with its own input, and ran with {input}"))
        }
        _ => None,
    })
}

fn sent(acts: &[Act], text: &str) -> bool {
    acts.iter().any(|act| matches!(act, Act::ModelCalled { sent, .. } if sent.to_string().contains(text)))
}

fn always_sent(acts: &[Act], text: &str) -> bool {
    acts.iter().all(|act| !matches!(act, Act::ModelCalled { sent, .. } if !sent.to_string().contains(text)))
}

fn sent_messages(acts: &[Act]) -> impl Iterator<Item = &Messages> {
    acts.iter().filter_map(|act| if let Act::ModelCalled { messages, .. } = act { Some(messages) } else { None })
}

fn contains(message: &Message, text: &str) -> bool {
    serde_json::to_string(message).is_ok_and(|message| message.contains(text))
}

fn sent_next_to(acts: &[Act], text: &str, other: &str) -> bool {
    sent_messages(acts).all(|messages| {
        let places = |text: &str| {
            let found = messages.iter().enumerate().filter(|(_, message)| contains(message, text));
            found.map(|(at, _)| at).collect::<Vec<_>>()
        };
        let others = places(other);
        places(text).iter().any(|at| others.iter().any(|other| at.abs_diff(*other) <= 1))
    })
}

fn sent_as_the_person(acts: &[Act], text: &str) -> bool {
    let all = || sent_messages(acts).flat_map(|messages| messages.iter()).filter(|message| contains(message, text));
    all().next().is_some() && all().all(|message| message.role == Role::User)
}

fn keeps_sending(acts: &[Act], text: &str) -> bool {
    let reads = sent_messages(acts).map(|messages| messages.iter().any(|message| contains(message, text)));
    let mut from_the_first = reads.skip_while(|reads| !reads).peekable();
    from_the_first.peek().is_some() && from_the_first.all(|reads| reads)
}

fn stored_before(acts: &[Act], first: &str, then: &str) -> bool {
    rows(acts).skip_while(|row| !contains(row, first)).skip(1).any(|row| contains(row, then))
}

/// A request with another value at this path.
fn requests(acts: &[Act], path: &[&str], expected: &Value) -> Option<String> {
    let sent = acts.iter().filter_map(|act| if let Act::ModelCalled { sent, .. } = act { Some(sent) } else { None });
    let mut values = sent.map(|sent| path.iter().fold(sent, |value, name| &value[*name]));
    let other = values.find(|value| *value != expected)?;
    Some(format!("the {} of each request must be {expected}, and one was {other}", path.last()?.replace('_', " ")))
}

fn shown(acts: &[Act], text: &str) -> bool {
    // An answer may be shown in pieces.
    let pieces = acts.iter().filter_map(|act| if let Act::Shown { text } = act { Some(text.as_str()) } else { None });
    pieces.collect::<String>().contains(text)
}

fn stored(acts: &[Act], text: &str) -> bool {
    rows(acts).any(|row| contains(row, text))
}

/// Whether a tool ran before the first question.
fn asked_late(acts: &[Act]) -> bool {
    let first = |is: fn(&Act) -> bool| acts.iter().position(is);
    let (asked, ran) = (first(|act| matches!(act, Act::Asked(_))), first(|act| matches!(act, Act::ToolRan { .. })));
    matches!((asked, ran), (Some(asked), Some(ran)) if ran < asked)
}

/// An end that is missing, comes twice, or comes before a model, a tool or the store.
fn badly_ended(acts: &[Act]) -> Option<String> {
    let ends = came(acts, "turn_end");
    let last = acts.iter().rev().find(|act| !matches!(act, Act::Shown { .. } | Act::Announced { .. }));
    match (ends, last) {
        (1, Some(Act::Came { kind: "turn_end", .. })) => None,
        (1, _) => Some("`turn_end` must come last, and something followed".to_owned()),
        (ends, _) => Some(format!("`turn_end` must come once, and came {ends} times")),
    }
}

/// Rows that were announced before they were stored, or not once each.
fn unannounced(acts: &[Act]) -> Option<String> {
    let mut open: Vec<&Message> = Vec::new();
    for act in acts {
        match act {
            Act::Stored { row } => open.push(row),
            Act::Announced { row } => {
                let Some(at) = open.iter().position(|stored| *stored == row) else {
                    return Some(format!(
                        "`after_create_message` must follow the stored row, and came without it: `{}`",
                        row.text()
                    ));
                };
                open.remove(at);
            }
            _ => {}
        }
    }
    let never = open.first()?;
    Some(format!("`after_create_message` must follow each stored row, and did not follow `{}`", never.text()))
}

/// What is wrong with a turn whatever its hooks did: stored and sent conversations in which a call has no result, two
/// of them, the result of another call, or a result without its call.
pub(crate) fn malformed(acts: &[Act], waits: bool) -> Option<String> {
    if let Some(wrong) = sent_messages(acts).find_map(unpaired) {
        return Some(format!("in what the model reads, {wrong}"));
    }
    let stored: Messages = rows(acts).cloned().collect();
    unpaired(&stored).filter(|_| !waits).map(|wrong| format!("in the stored conversation, {wrong}"))
}

fn unpaired(messages: &Messages) -> Option<String> {
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    for block in messages.iter().flat_map(|message| &message.content) {
        match block {
            Block::ToolUse(call) if results.contains_key(call.id.as_str()) => {
                return Some(format!("two calls have the id `{}`", call.id));
            }
            Block::ToolUse(call) => drop(results.insert(&call.id, 0)),
            Block::ToolResult(result) => match results.get_mut(result.call_id.as_str()) {
                Some(_) if is_of_another(result) => {
                    return Some(format!("the result of `{}` is that of another call", result.call_id));
                }
                Some(times) => *times += 1,
                None => return Some(format!("the result of `{}` has no call before it", result.call_id)),
            },
            _ => {}
        }
    }
    let (id, times) = results.into_iter().find(|(_, times)| *times != 1)?;
    Some(format!("the call `{id}` has {times} results, and needs one"))
}

/// Whether a tool ran for another call to give this result.
fn is_of_another(result: &ToolResultBlock) -> bool {
    let mut texts = result.content.iter().filter_map(Block::as_text);
    let of_another = |said: &str, text: &str| {
        let id =
            text.split_once(&format!("{said} of ")).map(|(_, rest)| rest.split_whitespace().next().unwrap_or(rest));
        id.is_some_and(|id| id != result.call_id)
    };
    texts.any(|text| [OUTPUT, ERROR].iter().any(|said| of_another(said, text)))
}
