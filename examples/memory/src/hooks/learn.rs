use hooks_core::kinds::PostTurn;
use hooks_core::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::fact::turn_of;
use crate::policy::Policy;
use crate::tools::FORGET;

/// The job that [`learn`] contributes.
pub const EXTRACT: &str = "memory.extract";

/// The input of the job [`EXTRACT`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Extract {
    /// What the person said, as much as is read.
    pub said: String,
    /// The turn in which they said it.
    pub turn: String,
}

/// Characters of a prompt that are read for facts.
const READ: usize = 4_000;

/// Puts off learning from the turn until the person has the reply: the hook only says what is to be done.
///
/// Nothing is learnt where the policy says so, from a turn without an answer, which the person will say again, nor from
/// one in which something was forgotten: "forget that my dog is called Nori" tells what the dog is called.
#[hook(id = "learn", kind = post_turn)]
pub fn learn(cx: &HookContext, event: &PostTurn) -> Option<Contribution> {
    let forgot = event.calls.iter().any(|call| call.name == FORGET);
    let write = Policy::in_force(&event.contributions).write;
    (write && !forgot && !event.reply.is_empty()).then(|| {
        let said: String = event.prompt.chars().take(READ).collect();
        Contribution::background_job(EXTRACT, json!({ "said": said, "turn": turn_of(cx) }))
    })
}
