//! The `match` option of a kind.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "options", match(priority, of_id = id, id, tool, tool))]
//~                                 ^^^^^^^^              ^^        ^^^^
struct Options {
    id: String,
    priority: String,
    tool: String,
}

#[derive(HookKind)]
#[hook_kind(name = "form", match = tool)]
//~                                ^^^^
struct Form {
    tool: String,
}

#[derive(HookKind)]
#[hook_kind(name = "list", match("tool"))]
//~                              ^^^^^^
struct List {
    tool: String,
}

fn main() {}
