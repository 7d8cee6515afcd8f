//! Large, deeply nested and random files, and what is shown of them.

use proptest::prelude::*;

use super::*;

#[test]
fn a_defect_shows_its_line_with_a_marker() {
    let text = "{\"hooks\": {\n  \"Stop\": [\n    {\"hooks\": [{\"type\": \"comand\"}]}\n  ]\n}}";
    let shown = read(text).defects[0].to_string();
    let expected = "\
error: there is no type `comand`
 --> hooks.json:3:25
  |
3 |     {\"hooks\": [{\"type\": \"comand\"}]}
  |                         ^^^^^^^^
  = help: write `command`, `http`, `prompt`, or `hook`";
    assert_eq!(shown, expected);
}

/// Excerpts of long lines are truncated, and only the first of many defects are shown.
#[test]
fn a_large_file_is_read_and_its_defects_are_bounded() {
    let group = r#"{"matcher": {"tool": "x"}, "hooks": [{"type": "command", "command": "x"}]},"#;
    let good = r#"{"hooks": [{"type": "command", "command": "x"}]}"#;
    let many = group.repeat(10 * 1024 * 1024 / group.len());
    let file = read(&format!("{{\"hooks\": {{\"PreToolUse\": [{many}{good}]}}}}"));
    assert_eq!((file.rules.len(), file.defects.len()), (1, 101));
    assert!(file.defects.iter().all(|defect| defect.to_string().len() < 1_000));
    assert!(file.defects[100].problem.contains("more defects are not shown"));
}

/// Content above the limits is reported and not parsed, so that neither time nor memory is unbounded.
#[test]
fn a_file_of_very_many_rules_is_bounded() {
    let good = r#"{"hooks": [{"type": "command", "command": "x"}]}"#;
    let many = vec![good; 10_002].join(",");
    let file = read(&format!(r#"{{"hooks": {{"PreToolUse": [{many}], "Stop": [{good}]}}}}"#));
    assert_eq!((file.rules.len(), file.defects.len()), (10_000, 1));
    assert!(errors(&file)[0].contains("at most 10000 rules"), "{:?}", file.defects);
    let place = format!(r#"{{"hooks": {{"PreToolUse": [{}"#, format!("{good},").repeat(10_000));
    assert_eq!(file.defects[0].column, place.chars().count() + 1);
}

/// It would be stored once for every rule of its group.
#[test]
fn a_huge_matcher_is_an_error() {
    for matcher in [json!("A|".repeat(6_000)), json!(vec!["A"; 20_000]), json!({"tool_name": "B".repeat(10_001)})] {
        let file = read(&around(&json!({"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]})));
        assert_eq!(file.rules.len(), 2);
        assert!(errors(&file)[0].contains("longer than 10000 bytes"), "{:?}", errors(&file));
    }
    let (matcher, command) = ("B".repeat(10_000), "x".repeat(100_000));
    let file = read(&around(&json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]})));
    assert_eq!((file.rules.len(), errors(&file)), (3, Vec::new()));
}

/// Quotes of the file in defects are truncated.
#[test]
fn the_message_of_a_defect_is_bounded() {
    let long = "x".repeat(100_000);
    for group in [
        json!({"hooks": [{"type": long}]}),
        json!({"hooks": [{"type": "command", "command": "x", "shell": long, "onFailure": long, "if": format!("{long} {long}")}]}),
        json!({"matcher": format!("{}(*)", "y".repeat(9_000)), "hooks": []}),
    ] {
        let file = read(&around(&group));
        assert!(
            !file.defects.is_empty() && file.defects.iter().all(|defect| defect.to_string().len() < 2_000),
            "{file:?}"
        );
    }
    let file = read(&json!({"hooks": {long: []}}).to_string());
    assert!(file.defects[0].to_string().len() < 2_000);
}

/// The severity of the note is that of the omitted defects.
#[test]
fn the_note_about_omitted_warnings_is_a_warning() {
    let file = read(&format!("{{\"hooks\": {{}}}}{}", "//\n".repeat(200)));
    assert_eq!(file.defects.len(), 101);
    assert_eq!(errors(&file), Vec::<String>::new());
}

#[test]
fn a_file_that_nests_too_deeply_is_an_error() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{{\"hooks\": {}1{}}}", open.repeat(100_000), close.repeat(100_000));
        let file = read(&deep);
        assert!(file.rules.is_empty() && errors(&file)[0].contains("nested more than 100 deep"));
    }
}

proptest! {
    /// Any content is parsed without a panic.
    #[test]
    fn parsing_any_file_never_panics(text in "[\\{\\}\\[\\]\":,/*a-z0-9 \n\\\\é]{0,60}") {
        let _ = read(&text);
        let _ = read(&format!("{{\"hooks\": {{\"Stop\": [{text}]}}}}"));
    }

    /// Positions are correct for long lines and wide characters.
    #[test]
    fn positions_are_counted_in_characters(before in "[aé漢🙂\\n]{0,3000}", mark in any::<bool>()) {
        let comment = before.replace('\n', "\n// ");
        let text = format!("{}// {comment}\n{{\"hooks\": [\"{}\"], é}}", if mark { "\u{feff}" } else { "" }, before.replace('\n', " "));
        let file = read(&text);
        let defect = file.defects.iter().find(|defect| defect.severity == Severity::Error).unwrap();
        let line = text.lines().nth(defect.line - 1).unwrap();
        prop_assert_eq!(line.chars().nth(defect.column - 1), Some('é'), "{}", defect);
        prop_assert!(line.ends_with("é}"), "{}", line);
    }

    /// A file that was truncated anywhere is reported once, with a position inside it.
    #[test]
    fn a_file_that_is_truncated_anywhere_is_reported(at in any::<prop::sample::Index>()) {
        let text = around(&json!({"matcher": "é|B", "hooks": [{"type": "command", "command": "x\n\\y"}]}));
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = *at.get(&starts);
        let file = read(&text[..at]);
        prop_assert_eq!((file.rules.len(), file.defects.len(), file.readable), (0, 1, false));
        prop_assert!(file.defects[0].column <= text.chars().count() + 1);
    }
}
