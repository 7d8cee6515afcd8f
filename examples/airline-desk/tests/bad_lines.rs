//! Lines that are not conversations: each is reported with its number, and the rest of the file is read.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use std::io::{BufReader, Read};

use crate::support;
use airline_desk::desk::Desk;
use airline_desk::glimpse::Glimpses;
use airline_desk::run::replay_lines;

const GOOD: &[u8] = br#"{"id": "good", "messages": [{"role": "user", "content": "hello"}]}"#;

const BAD: &[(&[u8], &str)] = &[
    (b"not json", "column 2: is not JSON: expected ident"),
    (br#"{"id": "cut off", "messages": [{"role""#, "column 38: is not JSON: EOF while parsing an object"),
    (b"[1, 2]", "expected an object with `id` and `messages`, found a list"),
    (b"null", "expected an object with `id` and `messages`, found null"),
    (br#"{"id": "no messages"}"#, "the field `messages` is missing; write `\"messages\": [{"),
    (br#"{"messages": "hello"}"#, "expected `messages` to be a list, found a string"),
    (br#"{"messages": [{"role": "user", "content": "a"}, 7]}"#, "messages[1]: message: expected an object"),
    (br#"{"messages": [{"content": "a"}]}"#, "messages[0]: role: expected a message's `role`"),
    (br#"{"messages": [{"role": "pilot"}]}"#, "messages[0]: role: expected `system`, `developer`, `user`"),
    (br#"{"messages": [{"role": "user", "content": 5}]}"#, "messages[0]: content: expected a string, null or a list"),
    (br#"{"messages": [{"role": "tool", "content": "a"}]}"#, "messages[0]: tool_call_id: "),
    (b"{\"id\": \"\xff\"}", "is not UTF-8 from byte 9 on; save the file as UTF-8"),
];

fn desk() -> Desk {
    Desk::open(&support::desk_file("agent.json"), None).unwrap()
}

#[test]
fn each_bad_line_is_reported_with_its_number() {
    let mut file = Vec::new();
    for (line, _) in BAD {
        file.extend_from_slice(line);
        file.push(b'\n');
        file.extend_from_slice(GOOD);
        file.extend_from_slice(b"\r\n");
    }
    let (transcripts, summary) = support::replay(&desk(), &file);
    assert_eq!((transcripts.len(), summary.skipped.len()), (BAD.len(), BAD.len()));
    for (i, (skipped, (_, problem))) in summary.skipped.iter().zip(BAD).enumerate() {
        assert_eq!(skipped.line, 2 * i as u64 + 1);
        assert!(skipped.problem.starts_with(problem), "{}\n{problem}", skipped.problem);
    }
}

#[test]
fn a_line_of_100_megabytes_is_reported_and_skipped() {
    let huge = std::io::repeat(b'x').take(100 << 20).chain(&b"\n"[..]).chain(GOOD);
    let summary = replay_lines(&desk(), BufReader::new(huge), None, &mut Glimpses::default(), |_| (), |_| ()).unwrap();
    assert_eq!(summary.totals.conversations, 1);
    assert_eq!(summary.skipped.len(), 1);
    assert_eq!(summary.skipped[0].line, 1);
    assert!(summary.skipped[0].problem.starts_with("is longer than 67108864 bytes"));
}

#[test]
fn unusual_conversations_are_replayed() {
    let odd: &[&[u8]] = &[
        br#"{"messages": []}"#,
        br#"{"id": 7, "messages": [{"role": "developer", "content": null}]}"#,
        // A result without a call, a call without a result, two calls in one message.
        br#"{"messages": [{"role": "tool", "tool_call_id": "x", "content": "{\"id\": \"gift_card_1\"}"}]}"#,
        br#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "x", "function": {"name": "think", "arguments": "not json"}}]}]}"#,
        br#"{"messages": [{"role": "assistant", "content": "a", "tool_calls": [{"id": "x", "type": "function", "function": {"name": "a", "arguments": "{}"}}, {"id": "y", "type": "function", "function": {"name": "b", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "y", "content": "1"}, {"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "2"}]}]}"#,
    ];
    let file = odd.join(&b'\n');
    let (transcripts, summary) = support::replay(&desk(), &file);
    assert_eq!(summary.skipped, []);
    assert_eq!(summary.totals.messages_in, summary.totals.messages_out);
    assert_eq!(transcripts[2]["messages"][0]["content"], r#"{"id": "[gift card]"}"#);
    // The loop adds a result to a call without one, but the transcript has none, because none was recorded.
    assert_eq!(transcripts[3]["messages"].as_array().unwrap().len(), 1);
    // Content that no hook changes is unchanged, including lists of parts.
    assert_eq!(transcripts[4], support::parse(odd[4])[0]);
}
