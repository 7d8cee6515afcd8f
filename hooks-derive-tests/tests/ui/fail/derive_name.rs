//! The name of a kind is used in records and files.
//! The `match` option of a kind.
//! An event is one concrete type.
//! The flags and the failure policy of a kind.
//! The subject differs from the event type, and is `Clone`.
//! A union cannot be an event.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "before-refund")]
//~                ^^^^^^^^^^^^^^^
pub struct Kebab;

#[derive(HookKind)]
#[hook_kind(name = "")]
//~                ^^
pub struct Empty;

#[derive(HookKind)]
#[hook_kind(name)]
//~         ^^^^
pub struct Flag;

#[derive(HookKind)]
#[hook_kind(name = "first", name = "second")]
//~                         ^^^^
pub struct Twice;

#[derive(HookKind)]
#[hook_kind(name = NAME)]
//~                ^^^^
pub struct Constant;

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

#[derive(HookKind)]
#[hook_kind(name = "of_type")]
struct OfType<T> {
//~           ^
    value: T,
}

#[derive(HookKind)]
#[hook_kind(name = "of_lifetime")]
struct OfLifetime<'a> {
//~               ^^
    value: &'a str,
}

#[derive(HookKind)]
#[hook_kind(name = "of_const")]
struct OfConst<const N: usize>;
//~            ^^^^^^^^^^^^^^

#[derive(HookKind)]
#[hook_kind(name = "json_flag", json = true)]
//~                                    ^^^^
pub struct FlagPolicy {}

#[derive(HookKind)]
#[hook_kind(name = "policies", on_failure = remove)]
//~                                         ^^^^^^
pub struct Policies {}

#[derive(Clone, HookKind)]
#[hook_kind(name = "of_itself", subject = Self)]
//~                                       ^^^^
struct OfItself;

#[derive(Clone, HookKind)]
#[hook_kind(name = "of_its_name", subject = OfItsName)]
//~                                         ^^^^^^^^^
struct OfItsName;

mod kinds {
    use super::*;

    #[derive(HookKind)]
    #[hook_kind(name = "of_union")]
    union OfUnion {
//~ ^^^^^
        a: u8,
        b: u8,
    }
}

fn main() {}
