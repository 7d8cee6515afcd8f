//! The program from outside: its output, and its notes in a second process and after a kill.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_memory"))
}

fn say(db: &Path, prompt: &str) -> Output {
    program().arg("--db").arg(db).arg(prompt).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_demo_shows_the_contributions_of_each_phase() {
    let run = program().output().unwrap();
    let out = text(&run.stdout);
    assert_eq!((run.status.code(), text(&run.stderr)), (Some(0), ""));
    let expected = "\
you    What could we cook for dinner?
  pre_policy                     policy memory.read = true
                                 policy memory.write = true
  pre_prompt_context             nothing
  post_preflight_prompt_context  note for the audit: looked under food
                                 context - [allergic_to_peanuts] The person is allergic to peanuts. (s1:1)
  pre_tool_materialization       tools remember, forget
  pre_prompt_compile             section Notes at 10
                                 section What is kept at 20
agent  The person is allergic to peanuts.
  post_turn                      job memory.extract
  after the reply                nothing to keep
";
    assert!(out.contains(expected), "{out}");
    for (prompt, answer) in [
        ("What is my dog called?", "The person's dog is called Nori."),
        ("Without your notes: what is my dog called?", "That I do not know."),
        ("What is my locker code?", "That I do not know."),
        ("Please forget my dog.", "Dropped `dog`."),
    ] {
        let after = out.split_once(&format!("you    {prompt}\n")).unwrap().1;
        let agent = after.lines().find(|line| line.starts_with("agent")).unwrap();
        assert_eq!(agent, format!("agent  {answer}"));
    }
    assert!(
        out.trim_end().ends_with("nothing to keep")
            && out.contains("agent  Dropped `dog`.\n  post_turn                      nothing\n")
    );
}

#[test]
fn a_second_process_recalls_the_notes_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("notes.redb");
    let first = say(&db, "My dog is called Nori.");
    assert!(text(&first.stdout).contains("after the reply                kept dog\n"), "{}", text(&first.stdout));
    let second = say(&db, "What is my dog called?");
    assert!(text(&second.stdout).contains("agent  The person's dog is called Nori.\n"), "{}", text(&second.stdout));
    // There are no other files.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn notes_survive_a_kill_and_only_one_program_can_open_them() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("notes.redb");
    let mut child =
        program().arg("--db").arg(&db).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "I live in Ghent.").unwrap();
    // Read to the end, because a program whose output is not read would exit.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.ends_with("kept home")));

    let other = say(&db, "Where is my home?");
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("these notes are open in another program"), "{}", text(&other.stderr));

    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    drop(lines);
    let after = say(&db, "Where is my home?");
    assert!(text(&after.stdout).contains("agent  The person lives in Ghent.\n"), "{}", text(&after.stdout));
}

#[test]
fn a_path_where_notes_cannot_be_stored_is_reported() {
    let run = say(Path::new("/nowhere/at/all.redb"), "hello");
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).starts_with("error: /nowhere/at/all.redb: the notes cannot be opened: "));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = program().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let run = child.wait_with_output().unwrap();
    assert_eq!((run.status.code(), text(&run.stderr)), (Some(0), ""));
}
