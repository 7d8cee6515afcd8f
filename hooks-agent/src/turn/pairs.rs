//! Repairs tool calls and results that were separated.

use hook_sdk::data::{Block, Message, Messages, Role, ToolCall, ToolResult};

/// Only a model makes calls, and only a call has a result: those that others put into what they say become text.
pub(super) fn without_calls(content: Vec<Block>) -> Vec<Block> {
    let is_other = |block: &Block| !matches!(block, Block::ToolUse(_) | Block::ToolResult(_));
    if content.iter().all(is_other) {
        return content;
    }
    let text = |mut block: Block| match &mut block {
        Block::ToolUse(call) => vec![Block::from(format!("{}({})", call.name, call.input.text()))],
        Block::ToolResult(result) => without_calls(std::mem::take(&mut result.content)),
        _ => vec![block],
    };
    content.into_iter().flat_map(text).collect()
}

/// A message that a person or another program says.
pub(super) fn said(mut message: Message) -> Message {
    if message.content.iter().any(|block| matches!(block, Block::ToolUse(_) | Block::ToolResult(_))) {
        message.content = without_calls(std::mem::take(&mut message.content));
    }
    message
}

/// Replaces a result that was never stored.
pub(super) const LOST: &str =
    "No result is stored: the call may have run, but its turn ended before the result was stored";

/// Returns `messages` as providers require them: each message with calls is followed by its results, one per call, and
/// there are no other results.
///
/// Turns always store calls and results this way. But a program can be killed between the two, the store can fail, or
/// another program can store a message in between, and a provider would then reject every later turn. The stored rows are
/// not changed, because another program may be about to store the result. Some providers repeat the ids of calls in later
/// replies, so a result belongs to the latest call that has none yet.
pub(super) fn paired(messages: Messages) -> Messages {
    let (callers, unanswered) = callers(&messages);
    if unanswered.is_empty() && is_paired(&messages, &callers) {
        return messages;
    }
    // The results of each message, and the messages without results.
    let mut results: Vec<Vec<Message>> = vec![Vec::new(); messages.len()];
    let mut others: Vec<Option<Message>> = Vec::with_capacity(messages.len());
    for (message, callers) in messages.iter().zip(callers) {
        let mut callers_of_all: Vec<usize> = callers.iter().copied().flatten().collect();
        callers_of_all.dedup();
        match callers_of_all.as_slice() {
            [caller] if callers.iter().all(Option::is_some) => {
                results[*caller].push(message.clone());
                others.push(None);
            }
            _ => others.push(split(message, &callers, &mut results)),
        }
    }
    for (at, call) in unanswered {
        results[at].push(lost(call));
    }
    let paired = others.into_iter().zip(results).flat_map(|(other, results)| other.into_iter().chain(results));
    paired.collect::<Vec<_>>().into()
}

/// For each result of each message, the index of the message with its call.
type Callers = Vec<Vec<Option<usize>>>;

/// The message with the call of each result, and the calls without a result.
fn callers(messages: &Messages) -> (Callers, Vec<(usize, &ToolCall)>) {
    let mut open: Vec<(usize, &ToolCall)> = Vec::new();
    let mut callers = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        let mut caller = |id: &str| {
            let latest = open.iter().rposition(|(_, call)| call.id == id)?;
            Some(open.remove(latest).0)
        };
        callers.push(message.content.iter().filter_map(result_of).map(&mut caller).collect());
        open.extend(message.tool_calls().map(|call| (at, call)));
    }
    (callers, open)
}

/// Whether each result follows the message with its call, with only other results in between.
fn is_paired(messages: &Messages, callers: &[Vec<Option<usize>>]) -> bool {
    let mut last = None;
    (0..messages.len()).all(|at| {
        if callers[at].is_empty() {
            last = Some(at);
        }
        callers[at].iter().all(|caller| caller.is_some() && *caller == last)
    })
}

/// Moves each result in `message` to its call, and drops results without a call. Returns the rest of the message.
fn split(message: &Message, callers: &[Option<usize>], results: &mut [Vec<Message>]) -> Option<Message> {
    let mut callers = callers.iter();
    let mut rest = message.clone();
    rest.content.retain(|block| {
        let is_other = result_of(block).is_none();
        if !is_other && let Some(Some(caller)) = callers.next() {
            results[*caller].push(Message::of(message.role, vec![block.clone()]));
        }
        is_other
    });
    (!rest.content.is_empty() || message.content.is_empty()).then_some(rest)
}

/// The id of the call to which the block is a result.
fn result_of(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult(result) => Some(&result.call_id),
        _ => None,
    }
}

fn lost(call: &ToolCall) -> Message {
    Message::of(Role::Tool, vec![ToolResult::error(LOST).into_block(call)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn call(id: &str) -> Block {
        Block::ToolUse(ToolCall::new(id, "find", json!({})))
    }

    fn result(id: &str) -> Block {
        let call = ToolCall::new(id, "find", json!({}));
        ToolResult::new(format!("of {id}")).into_block(&call)
    }

    /// Parses a conversation: `c1+c2` is a message with two calls, `=c1` a result, and anything else text.
    fn messages(words: &str) -> Messages {
        let message = |word: &str| {
            let blocks: Vec<Block> = word
                .split('+')
                .map(|part| match part.strip_prefix('=') {
                    Some(id) => result(id),
                    None if part.starts_with('c') => call(part),
                    None => Block::from(part),
                })
                .collect();
            let role = match &blocks[0] {
                Block::ToolUse(_) => Role::Assistant,
                Block::ToolResult(_) => Role::Tool,
                _ => Role::User,
            };
            Message::of(role, blocks)
        };
        words.split_whitespace().map(message).collect::<Vec<_>>().into()
    }

    fn words(messages: &Messages) -> String {
        let part = |block: &Block| match block {
            Block::Text(text) => text.text.clone(),
            Block::ToolUse(call) => call.id.clone(),
            Block::ToolResult(result) => format!("{}{}", if result.is_error { "!" } else { "=" }, result.call_id),
            _ => String::new(),
        };
        let message = |message: &Message| message.content.iter().map(part).collect::<Vec<_>>().join("+");
        messages.iter().map(message).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_result_is_behind_its_call() {
        for (what, stored, read) in [
            ("nothing is missing", "a c1+c2 =c1 =c2 b", "a c1+c2 =c1 =c2 b"),
            ("a result is missing", "a c1 b", "a c1 !c1 b"),
            ("one of two is missing", "c1+c2 =c2 b", "c1+c2 =c2 !c1 b"),
            ("a message stands between", "c1 a =c1 b", "c1 =c1 a b"),
            ("a result has no call", "a =c1 b", "a b"),
            ("a result is there twice", "c1 =c1 =c1 b", "c1 =c1 b"),
            ("an id is repeated", "c1 =c1 a c1 =c1 b", "c1 =c1 a c1 =c1 b"),
            ("an id is repeated, and the second result is missing", "c1 =c1 a c1 b d", "c1 =c1 a c1 !c1 b d"),
            ("an id is repeated, and the first result is missing", "c1 a c1 =c1 b", "c1 !c1 a c1 =c1 b"),
            ("one message has the results of two", "c1 c2 =c1+=c2 b", "c1 =c1 c2 =c2 b"),
            ("one message has results and text", "c1 =c1+a b", "c1 =c1+a b"),
        ] {
            assert_eq!(words(&paired(messages(stored))), read, "{what}");
        }
    }

    proptest! {
        /// Whatever was stored in whatever order, with ids that repeat.
        #[test]
        fn no_text_and_no_call_is_lost_and_each_call_has_one_result(
            stored in prop::collection::vec(
                prop_oneof![
                    "[abd]{3}".prop_map(String::from),
                    prop::collection::vec("c[1-3]", 1..3).prop_map(|calls| calls.join("+")),
                    prop::collection::vec("=c[1-3]", 1..3).prop_map(|results| results.join("+")),
                    "=c[1-3]\\+[abd]{2}".prop_map(String::from),
                ],
                0..12,
            ),
        ) {
            let stored = messages(&stored.join(" "));
            let read = paired(stored.clone());
            let others = |messages: &Messages| {
                let blocks = messages.iter().flat_map(|message| message.content.clone());
                let mut others: Vec<_> = blocks.filter(|block| result_of(block).is_none()).map(|b| format!("{b:?}")).collect();
                others.sort();
                others
            };
            prop_assert_eq!(others(&stored), others(&read));
            prop_assert_eq!(&paired(read.clone()), &read);
            let mut open: Vec<String> = Vec::new();
            for message in &*read {
                let results: Vec<_> = message.content.iter().filter_map(result_of).collect();
                prop_assert!(!results.is_empty() || open.is_empty(), "{} before {}", words(&read), open.join(" "));
                for id in results {
                    let at = open.iter().position(|call| call == id);
                    prop_assert!(at.is_some(), "{}: a result without a call", words(&read));
                    open.remove(at.unwrap());
                }
                open.extend(message.tool_calls().map(|call| call.id.clone()));
            }
            prop_assert!(open.is_empty(), "{}: {} has no result", words(&read), open.join(" "));
        }
    }
}
