//! A function that uses `.await` has to be `async`.
use hook_sdk::prelude::*;

async fn ask() -> Permission {
    Permission::Allow
}

#[hook(id = "waits", kind = before_tool_call)]
fn waits() -> Permission {
    ask().await
//~       ^^^^^
}

fn main() {}
