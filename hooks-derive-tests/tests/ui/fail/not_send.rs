//! The future of a hook has to be `Send`.
//! A detached hook can run on any thread, so its future has to be `Send`.
use std::rc::Rc;
use hook_sdk::prelude::*;

async fn wait() {}

#[hook(id = "keeps_rc", kind = before_tool_call)]
async fn keeps_rc(_input: &ToolInput) {
//~      ^^^^^^^^
    let count = Rc::new(1);
    wait().await;
    drop(count);
}

#[hook(id = "keeps_rc_and_writes", kind = before_tool_call)]
async fn keeps_rc_and_writes(_input: &mut ToolInput) {
//~      ^^^^^^^^^^^^^^^^^^^
    let count = Rc::new(1);
    wait().await;
    drop(count);
}

#[hook(id = "counts", kind = after_create_message, run = detached)]
async fn counts() {
//~      ^^^^^^
    let count = Rc::new(1);
    std::future::ready(()).await;
    drop(count);
}

fn main() {}
