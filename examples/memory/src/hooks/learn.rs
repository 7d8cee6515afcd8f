use hook_sdk::kinds::PostTurn;
use hook_sdk::prelude::*;
use hooks_prebuilt::MaskSecrets;
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
    /// The part of the prompt that is searched for facts.
    pub said: String,
    /// The turn of the prompt.
    pub turn: String,
}

/// The number of characters of a prompt that are searched for facts.
const READ: usize = 4_000;

/// Contributes a job that extracts facts after the reply. The hook itself does not do any work.
///
/// Nothing is learnt if the policy forbids it, from a turn without an answer, which the person will repeat, and from a
/// turn in which something was forgotten: "forget that my dog is called Nori" contains the name of the dog.
#[hook(id = "learn", kind = post_turn)]
pub fn learn(cx: &HookContext, event: &PostTurn) -> Option<Contribution> {
    let forgot = event.calls.iter().any(|call| call.name == FORGET);
    let write = Policy::in_force(&event.contributions).write;
    (write && !forgot && !event.reply.is_empty()).then(|| {
        // A secret is nothing to remember. It is masked before the cut, which could leave a part of one that is not recognised.
        let masked = MaskSecrets::default().mask(&event.prompt);
        let said: String = masked.as_deref().unwrap_or(&event.prompt).chars().take(READ).collect();
        Contribution::background_job(EXTRACT, json!({ "said": said, "turn": turn_of(cx) }))
    })
}
