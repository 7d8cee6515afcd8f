//! A hook that is detached runs on whatever thread is free.
use hooks_core::prelude::*;
use std::rc::Rc;

#[hook(id = "counts", kind = after_create_message, run = detached)]
async fn counts() {
//~      ^^^^^^
    let count = Rc::new(1);
    std::future::ready(()).await;
    drop(count);
}

fn main() {}
