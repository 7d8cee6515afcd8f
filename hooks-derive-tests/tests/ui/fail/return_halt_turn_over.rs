//! At a kind after the end of a turn, there is no turn to halt.
use hook_sdk::prelude::*;

#[hook(id = "too_late", kind = turn_end)]
fn too_late() -> Halt {
//~              ^^^^
    Halt::new("no")
}

/// What says so may do so.
#[derive(HookKind)]
#[hook_kind(name = "app_turn_over", turn_over)]
pub struct AppTurnOver;

#[hook(id = "too_late_here", kind = AppTurnOver)]
fn too_late_here() -> Result<Halt, String> {
//~                   ^^^^^^^^^^^^^^^^^^^^
    Ok(Halt::new("no"))
}

fn main() {}
