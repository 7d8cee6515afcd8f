use hook_sdk::kinds::PrePolicy;
use hook_sdk::prelude::*;

use crate::policy::Policy;

/// Determines whether notes may be read and written in this turn, from what the person says.
#[hook(id = "memory_policy", kind = pre_policy)]
pub fn memory_policy(event: &PrePolicy) -> Vec<Contribution> {
    Policy::wanted(&event.prompt).contributions()
}
