use hook_sdk::kinds::AfterToolCallSuccess;
use hook_sdk::prelude::*;
use hook_sdk::testing::Trial;
use hooks_prebuilt::{CapResults, cap_results};
use serde_json::{Value, json};

fn cap(with: Value) -> CapResults {
    serde_json::from_value(with).unwrap()
}

#[test]
fn a_result_has_at_most_so_many_characters_and_keeps_both_ends() {
    for count in [0, 199, 200, 201, 500, 5_000] {
        for head in [0.0, 0.3, 1.0] {
            let text: String = "aäあ🙂".chars().cycle().take(count).collect();
            let capped = cap(json!({ "most": 200, "head": head })).cap("x", "n", &text);
            assert_eq!(capped.is_some(), count > 200, "{count}");
            let Some(capped) = capped else { continue };
            assert!(capped.chars().count() <= 200 && capped.contains("characters left out"), "{capped}");
            let (before, rest) = capped.split_once("\n[…").unwrap();
            let (marker, after) = rest.rsplit_once("…]\n").unwrap();
            assert!(text.starts_with(before) && text.ends_with(after));
            let left_out: usize = marker.split_whitespace().next().unwrap().parse().unwrap();
            assert_eq!(before.chars().count() + after.chars().count() + left_out, count);
        }
    }
    let by_tool = cap(json!({ "most": 1_000, "tools": { "read_*": 300, "read_log": 500 } }));
    let length = |tool| by_tool.cap(tool, "n", &"x".repeat(5_000)).unwrap().chars().count();
    assert!(length("read_file") <= 300 && length("read_log") <= 500 && length("x") > 900);
}

#[test]
fn the_whole_is_kept_in_a_file_that_nobody_else_reads() {
    let folder = tempfile::tempdir().unwrap();
    let spill = folder.path().join("whole");
    let text = "x".repeat(1_000);
    let hook = cap(json!({ "most": 300, "spill": spill }));
    let first = hook.cap("x", "../../call/1", &text).unwrap();
    let second = hook.cap("x", "../../call/1", &text).unwrap();
    assert_ne!(first, second, "no file is replaced");
    assert_eq!(std::fs::read_to_string(spill.join("______call_1.txt")).unwrap(), text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = spill.join("______call_1.txt").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    std::fs::write(folder.path().join("file"), "").unwrap();
    let lost = cap(json!({ "most": 300, "spill": folder.path().join("file/x") })).cap("x", "n", &text).unwrap();
    assert!(lost.contains("the whole was not kept") && lost.chars().count() <= 400, "{lost}");
}

#[test]
fn texts_become_one_and_other_blocks_stay() {
    let blocks = json!([{ "type": "text", "text": "a".repeat(300) }, { "type": "image", "source": {} }, { "type": "text", "text": "b".repeat(300) }]);
    let mut result = ToolResult::new("");
    result.content = serde_json::from_value(blocks).unwrap();
    let call = ToolCall::new("call_1", "x", json!({}));
    let trial = Trial::of(hooks![cap_results]).with("cap_results", json!({ "most": 250 }));
    let ran = trial.run_blocking(&AfterToolCallSuccess::new(call.clone(), call.input), result).unwrap();
    let result = ran.subject.unwrap();
    assert_eq!(result.content.len(), 2);
    assert!(result.text().starts_with("aaa") && result.text().ends_with("bbb"));
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "most": 3, "head": 2.0, "spil": "x" });
    let error = serde_json::from_value::<CapResults>(wrong).unwrap_err().to_string();
    for part in ["at least 200", "`head` is 2", "did you mean `spill`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    for spill in ["~/results", ""] {
        serde_json::from_value::<CapResults>(json!({ "spill": spill })).unwrap_err();
    }
}
