//! A background or detached hook can contribute only audit notes and background jobs.
use hook_sdk::prelude::*;

#[hook(id = "contexts", kind = session_start, run = detached)]
fn contexts() -> Contexts {
//~              ^^^^^^^^
    ().into()
}

#[hook(id = "contribution_elsewhere", kind = session_start, run = detached)]
fn contribution_elsewhere() -> Contribution {
//~                            ^^^^^^^^^^^^
    Contribution::audit("seen")
}

#[hook(id = "text", kind = post_turn, run = detached)]
async fn text() -> Result<String, String> {
//~                ^^^^^^^^^^^^^^^^^^^^^^
    Ok("seen".to_owned())
}

fn main() {}
