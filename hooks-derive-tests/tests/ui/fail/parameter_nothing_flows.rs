//! A kind without a subject has nothing to rewrite.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "lent", kind = after_create_message)]
fn lent(_event: &AfterCreateMessage, _row: &mut Message) {}
//~                                             ^^^^^^^

#[hook(id = "owned", kind = session_end)]
async fn owned(_session: String) -> String {
//~                      ^^^^^^     ^^^^^^
    String::new()
}

#[hook(id = "read", kind = turn_end)]
fn read(_messages: &Messages) {}
//~                 ^^^^^^^^

#[derive(HookKind)]
#[hook_kind(name = "shop_opens")]
pub struct ShopOpens;

#[hook(id = "own_kind", kind = ShopOpens)]
fn own_kind(_event: &mut ShopOpens) {}
//~                      ^^^^^^^^^

fn main() {}
