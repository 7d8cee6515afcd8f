//! Attempts to get a call past the guard. The server is `tee`: what reached it is in its file, and it sends every line back.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::peer::{Peer, guarded};

/// Lines in which some reader could find a call of `delete`.
const PAST_THE_GATE: &[(&str, &[u8])] = &[
    ("a plain call", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#),
    ("escapes", br#"{"jsonrpc":"2.0","id":1,"method":"\u0074ools\/c\u0061ll","params":{"name":"d\u0065lete"}}"#),
    ("an escaped key", br#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"tools/call","params":{"n\u0061me":"delete"}}"#),
    ("two methods", br#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"delete"}}"#),
    ("two methods, turned", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"delete"}}"#),
    ("two names", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"delete"}}"#),
    ("two names, turned", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete","name":"echo"}}"#),
    ("two params", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"params":{"name":"delete"}}"#),
    ("one escaped", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","nam\u0065":"delete"}}"#),
    ("another spelling of the key", br#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"delete"}}"#),
    ("another spelling of params", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"PARAMS":{"name":"delete"}}"#),
    ("params with a long s", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"},\"param\u{17f}\":{\"name\":\"delete\"}}".as_bytes()),
    ("another spelling of the name", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Name":"delete"}}"#),
    ("the other spelling alone", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"delete"}}"#),
    ("arguments in two spellings", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"A":9000,"b":1}}}"#),
    ("arguments twice", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":1},"Arguments":{"a":9000}}}"#),
    ("an argument twice", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":9000,"a":1,"b":1}}}"#),
    ("another spelling of the method", br#"{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"delete"}}"#),
    ("white space around the method", br#"{"jsonrpc":"2.0","id":1,"method":" tools/call\n","params":{"name":"delete"}}"#),
    ("a batch", br#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}]"#),
    ("a batch behind others", br#"[{"jsonrpc":"2.0","id":2,"method":"ping"},[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}]]"#),
    ("two messages in a line", br#"{"jsonrpc":"2.0","id":2,"method":"ping"}{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#),
    ("a carriage return between messages", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\r{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}"),
    ("a carriage return inside one message", b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":\r{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}\r}"),
    ("a separator of lines", "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\u{2028}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}".as_bytes()),
    ("no id", br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete"}}"#),
    ("no id, another spelling", br#"{"jsonrpc":"2.0","method":"TOOLS/CALL","params":{"name":"delete"}}"#),
    ("an id that is null", br#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"delete"}}"#),
    ("an id that is a list", br#"{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"delete"}}"#),
    ("an id that is an object", br#"{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"delete"}}"#),
    ("an id that is true", br#"{"jsonrpc":"2.0","id":true,"method":"tools/call","params":{"name":"delete"}}"#),
    ("an id with a fraction", br#"{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"delete"}}"#),
    ("an id beyond all numbers", br#"{"jsonrpc":"2.0","id":1e999,"method":"tools/call","params":{"name":"delete"}}"#),
    ("two ids", br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"delete"}}"#),
    ("a request that is an answer too", br#"{"jsonrpc":"2.0","id":1,"result":{},"method":"tools/call","params":{"name":"delete"}}"#),
    ("the same with an error", br#"{"jsonrpc":"2.0","id":1,"error":{},"method":"tools/call","params":{"name":"delete"}}"#),
    ("a method that is no text", br#"{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{"name":"delete"}}"#),
    ("a name that is no text", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["delete"]}}"#),
    ("params that are a list", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["delete"]}"#),
    ("arguments that are text", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete","arguments":"{}"}}"#),
    ("a task", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","task":{"ttl":1},"arguments":{"text":"delete"}}}"#),
    ("bytes that are not UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"delete\",\"x\":\"\xff\"}}"),
    ("a key that is not UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"metho\xc1\xa4\":\"tools/call\",\"params\":{\"name\":\"delete\"}}"),
    ("half a surrogate", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call\ud800","params":{"name":"delete"}}"#),
    ("a mark of byte order", b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}"),
    ("UTF-16", b"{\0\"\0m\0e\0t\0h\0o\0d\0\"\0:\0\"\0t\0o\0o\0l\0s\0/\0c\0a\0l\0l\0\"\0}\0"),
    ("a zero byte", b"\0{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}"),
    ("comments", br#"{"jsonrpc":"2.0","id":1,/*"method":"ping",*/"method":"tools/call","params":{"name":"delete"}}"#),
    ("single quotes", br"{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'delete'}}"),
    ("not a number", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete","arguments":{"x":NaN}}}"#),
    ("a comma too many", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete",},}"#),
    ("a method that ends at a zero byte", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call\u0000","params":{"name":"delete"}}"#),
    ("a method with a mark of byte order", br#"{"jsonrpc":"2.0","id":1,"method":"\ufefftools/call","params":{"name":"delete"}}"#),
    ("a method with a separator", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call\u001f","params":{"name":"delete"}}"#),
    ("a key that ends at a zero byte", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name\u0000":"delete","name":"echo"}}"#),
    ("a key of no width", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"na\u200bme":"delete","name":"echo"}}"#),
    ("an argument that ends at a zero byte", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a\u0000":9000,"a":1,"b":1}}}"#),
    ("a name that ends at a zero byte", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete\u0000"}}"#),
    ("a name with white space", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":" delete"}}"#),
    ("a name with what has no width", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"del\u200bete"}}"#),
    ("a number that is rounded", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"account":123456789012345678901}}}"#),
    ("a fraction that is rounded", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"most":1000.00000000000000000001}}}"#),
    ("a number that vanishes", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":[1e-400]}}}"#),
    ("a whole number with a point that is rounded", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":9007199254740993.0}}}"#),
    ("an envelope with null beside it", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":null,"params":{"name":"delete"}}"#),
    ("a key of another protocol", br#"{"jsonrpc":"2.0","id":1,"method":"ping","calls":[{"method":"tools/call","params":{"name":"delete"}}]}"#),
];

fn tee(file: &std::path::Path) -> Command {
    let mut tee = Command::new("tee");
    tee.arg(file);
    guarded(&tee)
}

#[test]
fn no_spelling_of_a_denied_call_reaches_the_server() {
    let folder = tempfile::tempdir().unwrap();
    for (attempt, line) in PAST_THE_GATE {
        let file = folder.path().join("received");
        let mut peer = Peer::start(tee(&file));
        peer.send(line);
        peer.send(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
        let (_, status) = peer.end();
        let received = fs::read_to_string(&file).unwrap();
        assert_eq!(received, "{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n", "{attempt}");
        assert!(status.success(), "{attempt}");
    }
}

/// Ids of 64 bits, and what writers of floating-point numbers print. A reader may round the ids; a guard that has to know
/// compares them as it does.
#[test]
fn numbers_that_are_usual_pass() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = "[9007199254740993,18446744073709551615,-9223372036854775808,0,-0.0,0e9,0.1,1.50,100.00,0.10000000000000001,\
        0.3000000000000000,6.022e23,1E+308,1.7976931348623157e308,5e-324,123456789.12345678]";
    let text = r#""\"1e-400,\\\\""#;
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"x":{numbers},"y":{text}}}}}}}"#
    );
    let file = folder.path().join("received");
    let mut peer = Peer::start(tee(&file));
    peer.send(line.as_bytes());
    peer.end();
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{line}\n"));
}

/// What is refused is named, with its place in the line.
#[test]
fn a_refusal_says_what_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let mut peer = Peer::start(tee(&folder.path().join("received")));
    for (arguments, reason) in [
        (r#"{"a":1,"a":2}"#, "the key \"a\" stands there twice at column "),
        (r#"{"a":1,"A":2}"#, "the keys \"a\" and \"A\" are one for some readers at column "),
        (r#"{"a":18446744073709551616}"#, "the number 18446744073709551616 at column 88 is one that readers round"),
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        );
        peer.send(line.as_bytes());
        let answer = peer.next();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
    }
    peer.send(b"[1]");
    let message = peer.next()["error"]["message"].take();
    assert_eq!(message, "Refused by the guard: invalid type: sequence, expected one message, an object");
}

#[test]
fn every_prefix_of_a_denied_call_is_refused_and_pieces_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("received");
    let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#;
    let mut peer = Peer::start(tee(&file));
    for end in 1..line.len() {
        peer.send(&line[..end]);
    }
    // The last line has no end.
    peer.write(line);
    peer.end();
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
}

#[test]
fn a_line_beyond_all_measure_ends_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let mut peer = Peer::start(tee(&folder.path().join("received")));
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..64 {
        peer.write(&blanks);
    }
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#);
    let (_, status) = peer.end();
    assert!(!status.success());
    assert_eq!(fs::read_to_string(folder.path().join("received")).unwrap(), "");
}

/// A server that reads two lines and then says these.
fn saying(lines: &[&str]) -> Command {
    let mut sh = Command::new("sh");
    let script = "read a; read b; for line in \"$@\"; do printf '%s\\n' \"$line\"; done; cat >/dev/null";
    sh.args(["-c", script, "sh"]).args(lines);
    guarded(&sh)
}

/// What a server says to get a text past the hooks that mask it. The client has called `echo` as 1 and pinged as 2.
const PAST_THE_MASK: &[(&str, &[&str])] = &[
    ("the result", &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}]}}"#]),
    ("escaped", &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\u0073\u0033cret"}]}}"#]),
    ("a batch", &[r#"[{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}]}}]"#]),
    ("the id as text", &[r#"{"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"s3cret"}]}}"#]),
    (
        "the id with a fraction",
        &[r#"{"jsonrpc":"2.0","id":1.0,"result":{"content":[{"type":"text","text":"s3cret"}]}}"#],
    ),
    (
        "twice",
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}]}}"#,
        ],
    ),
    (
        "an answer that looks like a request",
        &[r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{"content":[{"type":"text","text":"s3cret"}]}}"#],
    ),
    (
        "two results",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"result":{"content":[{"type":"text","text":"s3cret"}]}}"#],
    ),
    (
        "two contents",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}],"content":[]}}"#],
    ),
    (
        "a result and an error",
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}]},"error":{"code":1,"message":"no"}}"#,
        ],
    ),
    (
        "the data of an error",
        &[r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no","data":{"text":"s3cret"}}}"#],
    ),
    ("an error that is text", &[r#"{"jsonrpc":"2.0","id":1,"error":"s3cret"}"#]),
    ("a task", &[r#"{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"s3cret"}}}"#]),
    ("content that is text", &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":"s3cret"}}"#]),
    ("a result that is text", &[r#"{"jsonrpc":"2.0","id":1,"result":"s3cret"}"#]),
    (
        "content of calls",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"tool_use","id":"x","name":"s3cret","input":{}}]}}"#],
    ),
    (
        "structured content",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":{"b":["s3cret"]}}}}"#],
    ),
    ("the old form of a result", &[r#"{"jsonrpc":"2.0","id":1,"result":{"toolResult":"s3cret"}}"#]),
    (
        "data beside a masked text",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}],"_meta":{"x":"s3cret"}}}"#],
    ),
    (
        "data beside nothing",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"x":"s3cret"},"more":["s3cret"]}}"#],
    ),
    (
        "another spelling of content",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"Content":[{"type":"text","text":"s3cret"}]}}"#],
    ),
    (
        "another spelling of structured content",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"StructuredContent":{"a":"s3cret"}}}"#],
    ),
    (
        "another spelling of a text",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x","Text":"s3cret"}]}}"#],
    ),
    (
        "another spelling of a type",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image","Type":"text","text":"s3cret"}]}}"#],
    ),
    (
        "another spelling of an embedded text",
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource","resource":{"uri":"a:b","TEXT":"s3cret"}}]}}"#,
        ],
    ),
    ("no JSON", &["s3cret"]),
    (
        "two texts in a block",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret","text":"ok"}]}}"#],
    ),
    (
        "a request for input beside content",
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","content":[{"type":"text","text":"s3cret"}]}}"#,
        ],
    ),
    ("the old form beside the new one", &[r#"{"jsonrpc":"2.0","id":1,"result":{"toolResult":"s3cret","content":[]}}"#]),
    (
        "a text that looks like an embedded one",
        &[
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret","resource":{"text":"ok"}}]}}"#,
        ],
    ),
    (
        "a type of result that is none, beside a masked text",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"s3cret","content":[{"type":"text","text":"s3cret"}]}}"#],
    ),
    (
        "a request for input beside the old form",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","toolResult":"s3cret"}}"#],
    ),
    ("an error with more in it", &[r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no","detail":"s3cret"}}"#]),
    ("a key of another protocol", &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"Extra":"s3cret"}"#]),
    (
        "another spelling beside it",
        &[r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]},"Result":{"content":"s3cret"}}"#],
    ),
];

/// The output of this program is nobody else's: a server could write its results there, unread by hooks.
#[cfg(target_os = "linux")]
#[test]
fn no_process_that_the_guard_starts_can_write_to_its_output() {
    let mut bash = Command::new("bash");
    let script = "read line; for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -gt 2 ] && echo s3cret >&$fd; done 2>/dev/null; exit 0";
    bash.args(["-c", script]);
    let mut peer = Peer::start(guarded(&bash));
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#);
    let (said, _) = peer.end();
    assert!(!String::from_utf8(said.concat()).unwrap().contains("s3cret"));
}

/// Answers to the ping 2 that a strict reader does not take, and what the client gets. The reason is an error with the id.
const UNREADABLE: &[(&str, &str)] = &[
    ("{\"jsonrpc\":\"2.0\",\"id\":2,\r\"result\":{}}", "line break"),
    ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}", "cannot be read"),
    (r#"{"jsonrpc":"2.0","id":2,"result":{},"result":{}}"#, "twice"),
    (r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"no"}}"#, "neither"),
];

#[test]
fn a_client_does_not_wait_for_ever_for_an_answer_that_cannot_be_read() {
    for (answer, reason) in UNREADABLE {
        let mut peer = Peer::start(saying(&[answer]));
        peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        peer.send(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
        let got = peer.next();
        let message = got["error"]["message"].as_str().unwrap_or_default();
        assert!(got["id"] == 2 && message.contains(reason), "{answer}: {got}");
    }
}

/// What is odd and says one thing passes as it is.
#[test]
fn odd_answers_that_every_reader_understands_pass() {
    for answer in [
        r#"{"jsonrpc":"2.0","id":2,"result":null,"error":{"code":1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{},"error":null}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{},"took":7}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":null}"#,
    ] {
        // Lines of a log are no answers, whatever they contain.
        let log = [r#"{"level":"info","id":2,"msg":"x"}"#, r#"{"level":"info","id":2,"error":"tmp"}"#];
        let mut peer = Peer::start(saying(&[log[0], log[1], answer]));
        peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        peer.send(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
        assert_eq!(peer.line().unwrap(), format!("{answer}\n").as_bytes());
    }
}

#[test]
fn a_line_that_the_server_repeats_for_ever_does_not_stop_the_guard() {
    let mut sh = Command::new("sh");
    let answer = r#"{"jsonrpc":"2.0","id":2,"result":{}}"#;
    sh.args([
        "-c",
        "read a; i=0; while [ $i -lt 20000 ]; do echo started; i=$((i+1)); done; echo \"$1\"; cat >/dev/null",
        "sh",
        answer,
    ]);
    // Nobody reads what the guard reports.
    let mut command = guarded(&sh);
    let (unread, stderr) = std::io::pipe().unwrap();
    let mut peer = Peer::start_with(&mut command, stderr.into());
    for _ in 0..3000 {
        peer.send(
            br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"a name\nof two lines, and long"}}"#,
        );
    }
    for _ in 0..3000 {
        assert_eq!(peer.next()["id"], 9);
    }
    peer.send(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(peer.line().unwrap(), format!("{answer}\n").as_bytes());
    drop(unread);
}

#[test]
fn nothing_of_a_result_passes_the_hooks_that_mask_it() {
    for (attempt, lines) in PAST_THE_MASK {
        let mut peer = Peer::start(saying(lines));
        peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#);
        peer.send(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
        let (said, _) = peer.end();
        let said = String::from_utf8(said.concat()).unwrap();
        assert!(!said.contains("s3cret"), "{attempt}: {said}");
        assert!(!said.contains("\\u0073"), "{attempt}: {said}");
    }
}

/// Answers that hooks cannot read as every client does, and why: without anything of the answer, which is not masked.
const WITHHELD: &[(&str, &str)] = &[
    (
        r#""result":{"content":[],"structuredContent":{"acct":9876543210987654321098}}"#,
        "a number at column 76 is one that readers round",
    ),
    (r#""result":{"content":[],"structuredContent":{"x":0.12345678901234567890123}}"#, "a number at column "),
    (r#""result":{"content":[{"type":"text","text":"cut \ud83d"}]}"#, "at column "),
    (r#""result":{"content":[],"s3cret":1,"s3cret":2}"#, "a key stands there twice at column "),
    (r#""result":{"content":[],"x":1e400}"#, "number out of range at column "),
    (r#""result":{"content":[],"x":{"Content":1}},"traceId":"s3cret""#, "a key beside `result`"),
    (r#""result":{"content":[],"Content":[]}"#, "in a spelling"),
    (r#""result":{"content":"s3cret"}"#, "its content is no list"),
    (r#""result":{"content":[{"type":"text","text":"a"},{"type":"text","text":98765}]}"#, "block 2 of its content"),
    (r#""result":{"content":[],"task":{"taskId":"s3cret"}}"#, "as a task"),
];

#[test]
fn an_answer_that_is_withheld_says_why_to_the_client_and_on_stderr() {
    let folder = tempfile::tempdir().unwrap();
    for (answer, reason) in WITHHELD {
        let told = folder.path().join("told");
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,{answer}}}"#);
        let mut peer = Peer::start_with(&mut saying(&[&answer]), fs::File::create(&told).unwrap().into());
        peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#);
        peer.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let message = peer.next()["error"]["message"].take();
        peer.end();
        for said in [message.as_str().unwrap(), &fs::read_to_string(&told).unwrap()] {
            assert!(said.contains(reason) && !said.contains("s3cret") && !said.contains("98765"), "{answer}: {said}");
        }
    }
}

/// What a tool says, `echo` or `diary` (of which nobody may read a result), and what the client gets.
const REWRITTEN: &[(&str, &str, &str)] = &[
    (
        "echo",
        r#"{"content":[{"type":"text","text":"s3cret","annotations":{"a":1}}],"_meta":{"a":[1]},"next":"b","isError":false,"resultType":"complete"}"#,
        r#"{"content":[{"type":"text","text":"***","annotations":{"a":1}}],"_meta":{"a":[1]},"next":"b","isError":false,"resultType":"complete"}"#,
    ),
    (
        "echo",
        r#"{"content":[{"type":"text","text":"s3cret"}],"structuredContent":{"a":["s3cret",1.5],"b":null}}"#,
        r#"{"content":[{"type":"text","text":"***"}],"structuredContent":{"a":["***",1.5],"b":null}}"#,
    ),
    // A mask that changes the shape, here in a key.
    (
        "echo",
        r#"{"content":[],"structuredContent":{"s3cret":1}}"#,
        r#"{"content":[{"type":"text","text":"{\"***\":1}"}],"isError":true}"#,
    ),
    (
        "diary",
        r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1},"_meta":{"a":"x"}}"#,
        r#"{"content":[{"type":"text","text":"[result removed by private]"}],"isError":true}"#,
    ),
    (
        "diary",
        r#"{"content":[{"type":"text","text":"x"}],"_meta":{"a":"x"}}"#,
        r#"{"content":[{"type":"text","text":"[result removed by private]"}]}"#,
    ),
];

#[test]
fn a_rewritten_result_is_otherwise_as_it_was_and_fits_its_schema_or_is_an_error() {
    for (tool, result, expected) in REWRITTEN {
        let mut peer = Peer::start(saying(&[&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#)]));
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
        peer.send(call.as_bytes());
        peer.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(peer.next()["result"], serde_json::from_str::<Value>(expected).unwrap(), "{result}");
    }
}

#[test]
fn a_list_of_tools_in_which_some_readers_find_others_is_withheld() {
    for (list, reason) in [
        (r#"{"tools":[{"name":"echo"}],"Tools":[{"name":"delete"}]}"#, "in a spelling"),
        (r#"{"tools":[{"name":"echo","Name":"delete"}]}"#, "in a spelling"),
        (r#"{"tools":[{"name":"echo","inputSchema":{"b":123456789012345678901234567890}}]}"#, "readers round"),
    ] {
        let guard = saying(&[&format!(r#"{{"jsonrpc":"2.0","id":2,"result":{list}}}"#)]);
        let mut command = Command::new(guard.get_program());
        command.args(["--tool", "echo"]).args(guard.get_args());
        let mut peer = Peer::start(command);
        peer.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        peer.send(br#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        let message = peer.next()["error"]["message"].take();
        assert!(message.as_str().unwrap().contains(reason), "{list}: {message}");
    }
}

/// Whatever hooks add to the cancelled call: `noted` gets a note after its end.
#[test]
fn an_id_cannot_be_used_again_while_a_late_result_may_come() {
    let late = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}]}}"#;
    // It has the call before that is cancelled.
    let started = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
    let script = "read call; echo \"$2\"; read cancelled; read last; echo \"$1\"; cat >/dev/null";
    let mut sh = Command::new("sh");
    sh.args(["-c", script, "sh", late, started]);
    for tool in ["echo", "noted"].repeat(5) {
        let mut peer = Peer::start(guarded(&sh));
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
        peer.send(call.as_bytes());
        assert_eq!(peer.next()["method"], "notifications/message");
        peer.send(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
        // Meanwhile the cancelled call comes to its end.
        for _ in 0..100 {
            peer.send(b"no JSON");
            assert_eq!(peer.next()["id"], Value::Null);
        }
        // Answers of requests that are not calls pass unread.
        peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        let refused = peer.next();
        assert_eq!(refused["error"]["message"], "Refused by the guard: its id is that of another request");
        peer.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let (said, _) = peer.end();
        assert_eq!(said, [b""; 0], "{tool}");
    }
}

/// However much the client is still saying.
#[test]
fn a_server_that_ends_while_calls_are_read_ends_the_program() {
    for _ in 0..5 {
        let mut sh = Command::new("sh");
        sh.args(["-c", "read line; exit 3"]);
        let mut peer = Peer::start(guarded(&sh));
        let text = "x".repeat(1 << 20);
        for id in 0..8 {
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}}}}}"#
            );
            peer.send(call.as_bytes());
        }
        let (_, status) = peer.end_without_closing();
        assert_eq!(status.code(), Some(3));
    }
}

/// What the guard reports is worth less than what it carries.
#[test]
fn a_client_that_does_not_read_reports_is_served() {
    let mut command = guarded(&saying(&[r#"{"jsonrpc":"2.0","id":2,"result":{}}"#]));
    let (unread, stderr) = std::io::pipe().unwrap();
    drop(unread);
    let mut peer = Peer::start_with(&mut command, stderr.into());
    peer.send(b"no JSON");
    assert_eq!(peer.next()["error"]["code"], -32600);
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    peer.send(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(peer.next()["id"], 2);
}

#[test]
fn an_id_is_free_again_when_the_late_result_has_come() {
    let late = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"s3cret"}]}}"#;
    let other = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
    let mut peer = Peer::start(saying(&[late, other]));
    peer.send(br#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#);
    peer.send(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    // The late result comes before this.
    assert_eq!(peer.next()["id"], 3);
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#);
    let answer = peer.next();
    assert!(answer["id"] == 1 && answer["result"]["isError"] == true, "{answer}");
}

#[test]
fn requests_of_the_server_pass_and_so_do_their_answers() {
    let sampling = r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[]}}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("received");
    let mut sh = Command::new("sh");
    sh.args(["-c", "printf '%s\\n' \"$1\"; cat > \"$2\"", "sh", sampling]).arg(&file);
    let mut peer = Peer::start(guarded(&sh));
    assert_eq!(peer.next()["method"], "sampling/createMessage");
    // A call of the client with the same id is another request.
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}"#);
    assert_eq!(peer.next()["result"]["isError"], true);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}"#;
    peer.send(answer.as_bytes());
    peer.end();
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{answer}\n"));
}

#[test]
fn a_server_that_ends_ends_the_program_with_its_status_and_open_calls_with_an_error() {
    let mut sh = Command::new("sh");
    sh.args(["-c", "read line; exit 7"]);
    let mut peer = Peer::start(guarded(&sh));
    peer.send(br#"{"jsonrpc":"2.0","id":"open","method":"tools/call","params":{"name":"echo"}}"#);
    let answer: Value = peer.next();
    assert_eq!((&answer["id"], &answer["error"]["message"]), (&"open".into(), &"The server has ended".into()));
    assert_eq!(peer.end().1.code(), Some(7));
}
