//! A detached hook can run on any thread, so its future has to be `Send`.
use hook_sdk::prelude::*;
use std::rc::Rc;

#[hook(id = "counts", kind = after_create_message, run = detached)]
async fn counts() {
//~      ^^^^^^
    let count = Rc::new(1);
    std::future::ready(()).await;
    drop(count);
}

fn main() {}
