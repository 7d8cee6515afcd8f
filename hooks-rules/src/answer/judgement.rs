use serde::Deserialize;

use super::{Answer, RuleDecision};
use crate::event::Event;

/// The answer format for a rule of the type `prompt`.
#[derive(Deserialize)]
struct Judgement {
    ok: bool,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    impossible: bool,
}

pub(crate) fn read(event: Event, text: &str, continue_on_block: bool) -> Answer {
    // Models often add a code fence or a sentence.
    let object = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let Some(Ok(judgement)) = object.map(serde_json::from_str::<Judgement>) else {
        let failure = "the model did not answer with `{\"ok\": true}` or `{\"ok\": false, \"reason\": …}`";
        return Answer { failure: Some(failure.to_owned()), ..Answer::default() };
    };
    let mut answer = Answer::default();
    if judgement.ok {
        return answer;
    }
    let reason = judgement.reason.unwrap_or_default();
    match event {
        Event::Stop | Event::SubagentStop if judgement.impossible => {}
        Event::PermissionRequest | Event::PermissionDenied => {}
        Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure | Event::PostToolBatch => {
            if !continue_on_block {
                answer.stop = Some(reason.clone());
            }
            if event == Event::PreToolUse {
                answer.decision = RuleDecision::Deny(reason);
            } else if continue_on_block {
                answer.decision = RuleDecision::Feedback(reason);
            }
        }
        _ => answer.exit2(event, &reason),
    }
    answer
}
