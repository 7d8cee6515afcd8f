//! What a guard carries between a client and a server.

use serde_json::{Value, json};

use crate::peer::{Peer, everything, guarded};

/// What hooks do, the call, and the result.
const CARRIED: &[(&str, &str, &str, &str)] = &[
    ("nothing", "echo", r#"{"text":"hi"}"#, r#"{"content":[{"type":"text","text":"hi"}],"isError":false}"#),
    (
        "deny",
        "delete",
        r#"{"text":"x"}"#,
        r#"{"content":[{"type":"text","text":"Denied: nothing is deleted here"}],"isError":true}"#,
    ),
    (
        "rewrite arguments",
        "add",
        r#"{"a":-2,"b":3}"#,
        r#"{"content":[{"type":"text","text":"{\"sum\":5}"}],"structuredContent":{"sum":5},"isError":false}"#,
    ),
    (
        "ask",
        "add",
        r#"{"a":9999,"b":3}"#,
        r#"{"content":[{"type":"text","text":"Denied: is the sum worth it?. There is nobody to ask"}],"isError":true}"#,
    ),
    ("answer", "add", r#"{"a":0,"b":0}"#, r#"{"content":[{"type":"text","text":"nothing, as always"}]}"#),
    (
        "refuse what it cannot read",
        "add",
        r#"{"a":"1","b":0}"#,
        r#"{"content":[{"type":"text","text":"Denied: a and b are whole numbers"}],"isError":true}"#,
    ),
    (
        "mask a text",
        "echo",
        r#"{"text":"a s3cret"}"#,
        r#"{"content":[{"type":"text","text":"a ***"}],"isError":false}"#,
    ),
    (
        "mask structured content",
        "structured",
        r#"{"text":"s3cret"}"#,
        r#"{"content":[{"type":"text","text":"see the structure"}],"structuredContent":{"key":"***","list":[1,2.5,null]},"isError":false}"#,
    ),
    (
        "mask an embedded text, and leave the picture",
        "embedded",
        r#"{"text":"s3cret"}"#,
        r#"{"content":[{"type":"image","data":"aGFsbG8=","mimeType":"image/png"},{"type":"resource","resource":{"uri":"file:///note","mimeType":"text/plain","text":"***"}}],"isError":false}"#,
    ),
    (
        "mask a failure",
        "fail",
        r#"{"text":"s3cret"}"#,
        r#"{"content":[{"type":"text","text":"failed: ***"}],"isError":true}"#,
    ),
    (
        "mask an error of the protocol",
        "refuse",
        r#"{"text":"s3cret"}"#,
        r#"{"content":[{"type":"text","text":"refused: *** ({\"at\":\"***\"})"}],"isError":true}"#,
    ),
    (
        "remove",
        "diary",
        r#"{"text":"dear diary"}"#,
        r#"{"content":[{"type":"text","text":"[result removed by private]"}],"isError":false}"#,
    ),
];

#[test]
fn every_outcome_of_hooks_reaches_the_client() {
    let mut peer = Peer::greeted(guarded(&everything()));
    for (hooks, tool, arguments, expected) in CARRIED {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let result = peer.call(tool, &arguments);
        assert_eq!(result, serde_json::from_str::<Value>(expected).unwrap(), "{hooks}");
    }
    assert!(peer.end().1.success());
}

#[test]
fn a_result_of_the_guard_says_its_type_to_clients_that_expect_it() {
    for (version, expected) in [("2026-07-28", json!("complete")), ("2025-11-25", Value::Null)] {
        let mut peer = Peer::greeted(guarded(&everything()));
        let meta = json!({"io.modelcontextprotocol/protocolVersion": version});
        let params = json!({"name": "delete", "arguments": {"text": "x"}, "_meta": meta});
        let denied = peer.request(&json!(1), "tools/call", &params)["result"].take();
        assert_eq!((&denied["isError"], &denied["resultType"]), (&json!(true), &expected), "{version}");
    }
}

/// Calls that no hook of the tests has an opinion about, and everything else of the protocol.
const TRAFFIC: &[&str] = &[
    r#"{"jsonrpc": "2.0", "id": "greeting",  "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {"sampling": {}}, "clientInfo": {"name": "test", "version": "1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    r#"{"id":2,"method":"tools\/list","jsonrpc":"2.0"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"ü\u00fc😀\ud83d\ude00"}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"arguments":{"a":1,"b":2},"name":"add","_meta":{"x":[1]}}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"fail","arguments":{"text":"no"}}}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"refuse"}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"unknown","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"embedded","arguments":{"text":"note"}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"structured","arguments":{"text":"note"}}}"#,
    r#"{"jsonrpc":"2.0","id":10,"method":"resources/list"}"#,
    r#"{"jsonrpc":"2.0","id":"11","method":"no/such/method","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"large","arguments":{"text":"x"}}}"#,
];

#[test]
fn what_no_hook_changes_passes_byte_for_byte() {
    let [mut bare, mut behind] = [everything(), guarded(&everything())].map(Peer::start);
    for line in TRAFFIC {
        for peer in [&mut bare, &mut behind] {
            peer.send(line.as_bytes());
        }
        if line.contains("\"id\"") {
            let (said, passed) = (bare.line().unwrap(), behind.line().unwrap());
            assert!(said == passed, "{line}\n{}\n{}", lossy(&said), lossy(&passed));
        }
    }
    let [bare, behind] = [bare, behind].map(Peer::end);
    assert_eq!(bare, behind);
}

fn lossy(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(2000)]).into_owned()
}

#[test]
fn progress_passes_before_its_result() {
    let mut peer = Peer::greeted(guarded(&everything()));
    let params = json!({"name": "progress", "arguments": {}, "_meta": {"progressToken": "t"}});
    peer.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string().as_bytes());
    let (progress, result) = (peer.next(), peer.next());
    assert_eq!(
        (&progress["method"], &progress["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("t"))
    );
    assert_eq!(result["result"]["content"][0]["text"], "done");
}

#[test]
fn a_cancelled_call_is_not_answered_and_others_go_on() {
    let mut peer = Peer::greeted(guarded(&everything()));
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}"#);
    peer.send(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert_eq!(peer.call("echo", &json!({"text": "on"}))["content"][0]["text"], "on");
    let (rest, status) = peer.end();
    assert_eq!((rest.len(), status.success()), (0, true));
}

#[test]
fn calls_that_are_being_judged_when_the_client_closes_its_side_are_answered() {
    let mut peer = Peer::greeted(guarded(&everything()));
    peer.send(
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"s3cret"}}}"#,
    );
    let (rest, _) = peer.end();
    // A server may end before it has answered; whatever it says is judged.
    assert!(rest.iter().all(|line| !lossy(line).contains("s3cret")), "{rest:?}");
}

#[test]
fn only_offered_tools_are_listed_and_run() {
    let mut command = guarded(&everything());
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    command = std::process::Command::new(command.get_program());
    command.args(["--tool", "echo", "--tool", "delete"]).args(arguments);
    let mut peer = Peer::greeted(command);
    let list = peer.request(&json!(1), "tools/list", &json!({}));
    let names: Vec<_> = list["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["delete", "echo"]);
    assert_eq!(peer.call("echo", &json!({"text": "hi"}))["content"][0]["text"], "hi");
    assert_eq!(
        peer.call("add", &json!({"a": 1, "b": 1}))["content"][0]["text"],
        "Denied: the tool `add` is not offered"
    );
}
