//! Chats with the desk through a pipe. The output is that of a terminal, without colours.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use std::io::Write;
use std::process::{Command, Stdio};

/// The output of the desk for `lines`, from the first prompt on.
fn talk(arguments: &[&str], lines: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_airline-desk"))
        .arg("--chat")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let run = child.wait_with_output().unwrap();
    assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""));
    let said = String::from_utf8(run.stdout).unwrap();
    let from = said.find("\nyou> ").unwrap();
    said[from..].to_owned()
}

#[test]
fn a_chat_shows_the_effects_of_masks_and_gates() {
    let said = talk(
        &[],
        "I am runa.vik@puffin.example, born April 12, 1988. Who am I?\nlook up PUF001\nrefund PUF002\n\
         cancel PUF002\nn\ncancel PUF002\ny\nrefund PUF002\nbook 2 seats\nbook 7 seats\n",
    );
    assert_eq!(
        said,
        "
you> I am runa.vik@puffin.example, born April 12, 1988. Who am I?
  · stored as: I am [email], born [birth date]. Who am I?
  · get_user_details ran
desk> You are Runa Vik, [email], born [birth date], a silver member.

you> look up PUF001
  · get_reservation_details ran
desk> PUF001 is booked: Oslo to Bergen on 2031-03-20, for [email] (born [birth date]), paid with [gift card] \
(90 dollars) and [credit card] (150 dollars).

you> refund PUF002
  · get_reservation_details ran
  · refund_reservation ran
desk> That did not work: it is not cancelled, so [certificate] is not paid back.

you> cancel PUF002
  · get_reservation_details ran
  ? Cancelling reservation PUF002 cannot be undone. Do it? [y/n] n
  · cancel_reservation did not run
desk> I may not do that: cancelling reservation PUF002 cannot be undone. The customer said no.

you> cancel PUF002
  · get_reservation_details ran
  ? Cancelling reservation PUF002 cannot be undone. Do it? [y/n] y
  · cancel_reservation ran
desk> PUF002 is cancelled. Say `refund PUF002` to be paid back.

you> refund PUF002
  · get_reservation_details ran
  · refund_reservation ran
desk> Paid back: [certificate] (240 dollars).

you> book 2 seats
  · book_reservation ran
desk> Booked: PUF003, paid with [credit card] (480 dollars).

you> book 7 seats
  · book_reservation did not run
desk> I may not do that: a reservation holds at most 5 passengers, this one has 7; book in two parts.

you> 
"
    );
}

#[test]
fn the_answer_is_no_if_the_input_ends_at_a_question() {
    let said = talk(&[], "cancel PUF001");
    assert!(said.ends_with("cannot be undone. Nobody answered.\n\nyou> \n"), "{said}");
}

#[test]
fn an_unattended_desk_denies_instead_of_asking() {
    let said = talk(&["--unattended"], "cancel PUF001\n");
    assert!(!said.contains("Do it?") && said.contains("nobody is there to confirm it"), "{said}");
}

#[test]
fn without_hooks_nothing_is_masked_and_nobody_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("agent.json");
    std::fs::write(&agent, r#"{"name": "bare", "hooks": []}"#).unwrap();
    let said = talk(&["--hooks", agent.to_str().unwrap()], "look up PUF001\ncancel PUF001\nbook 7 seats\n");
    for part in ["for runa.vik@puffin.example", "gift_card_5550001", "PUF001 is cancelled", "Booked: PUF003"] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(!said.contains("Do it?"), "{said}");
}

/// A script denies a call that no compiled hook denies, and the clerk gets the reason.
#[cfg(all(unix, feature = "rules"))]
#[test]
fn a_script_in_a_rule_file_denies_a_call() {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/desk/rules/hooks.json");
    let lines = "cancel PUF002\ny\nrefund PUF002\n";
    let said = talk(&["--rules", rules, "--trust"], lines);
    let reason = "a supervisor pays refunds; note that PUF002 is to be paid back";
    assert!(said.contains("· refund_reservation did not run") && said.contains(reason), "{said}");
    assert!(said.contains("PUF002 is cancelled"), "the script denies only refunds: {said}");
    assert!(talk(&[], lines).contains("Paid back"), "without the script, refunds are paid");
    assert!(talk(&["--rules", rules, "--trust", "--trace"], lines).contains("rules_pre_tool_use"));
}

#[cfg(all(unix, feature = "rules"))]
#[test]
fn a_plugin_denies_only_the_reservations_in_its_configuration() {
    let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/desk/plugins");
    let said = talk(&["--plugins", plugins, "--trust"], "cancel PUF002\n");
    let reason = "the claims team holds PUF002";
    assert!(said.contains("· cancel_reservation did not run") && said.contains(reason), "{said}");
    assert!(
        !talk(&["--plugins", plugins, "--trust"], "cancel ZZZ001\n").contains(reason),
        "another reservation is not denied"
    );
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/desk/rules/hooks.json");
    assert!(talk(&["--rules", rules, "--plugins", plugins, "--trust"], "cancel PUF002\n").contains(reason));
}
