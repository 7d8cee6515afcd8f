//! Of what contribute kinds offer, only contributions have notes and jobs in them.
use hooks_core::prelude::*;

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
