//! At a prompt: rejected, or with a context.

use hooks_agent::Outcome;
use hooks_agent::model::Line;
use serde_json::json;

use super::desk::{Desk, output, prints};

#[tokio::test]
async fn a_rejected_prompt_is_neither_stored_nor_sent_and_the_user_is_informed() {
    for script in [
        "echo 'no card numbers' >&2; exit 2".to_owned(),
        prints(&json!({"decision": "block", "reason": "no card numbers"})),
    ] {
        let desk = Desk::new(&[("UserPromptSubmit", "", &script)], [Line::text("never")]);
        let reply = desk.turn().await;
        assert!(
            matches!(&reply.outcome, Outcome::PromptBlocked { reason, .. } if reason.as_str() == "no card numbers")
        );
        assert_eq!(reply.to_string(), "[Blocked by hook] no card numbers");
        assert!(desk.model.heard().is_empty() && desk.stored().await.is_empty());
    }
}

/// Plain text, and the member of an answer, in the order of the files, before the prompt.
#[tokio::test]
async fn contexts_of_rules_precede_the_prompt_and_are_not_stored() {
    let member = prints(&output("UserPromptSubmit", json!({"additionalContext": "closed on Sundays"})));
    let scripts = [("UserPromptSubmit", "", "sleep 0; echo 'it is Monday'"), ("UserPromptSubmit", "", member.as_str())];
    let desk = Desk::new(&scripts, [Line::text("hello")]);
    desk.turn().await;
    let context = |text: &str| format!("user: <user-prompt-submit-hook>\n{text}\n</user-prompt-submit-hook>");
    assert_eq!(desk.sent(), [context("it is Monday"), context("closed on Sundays"), "user: hi".to_owned()]);
    assert_eq!(desk.stored().await, ["user: hi", "assistant: hello"]);
}

/// The other parts of an answer go to the listener.
#[tokio::test]
async fn titles_and_messages_are_reported_separately() {
    let mut answer = output("UserPromptSubmit", json!({"sessionTitle": "A greeting"}));
    answer["systemMessage"] = "be kind".into();
    let desk = Desk::new(&[("UserPromptSubmit", "", &prints(&answer))], [Line::text("hello")]);
    desk.turn().await;
    let notices = desk.notices.lock().unwrap();
    let notice = &notices[0];
    assert_eq!((notice.session.as_str(), notice.messages.as_slice()), ("c-1", &["be kind".to_owned()][..]));
    assert_eq!(notice.members["sessionTitle"], "A greeting");
}
