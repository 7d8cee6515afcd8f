//! The options of `#[hook_kind]`.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "near", subjet = String)]
//~                        ^^^^^^
struct Near;

#[derive(HookKind)]
#[hook_kind(name = "far", colour = blue)]
//~                       ^^^^^^
struct Far;

#[derive(HookKind)]
#[hook_kind(name = "twice", subject = String, subject = String)]
//~                                           ^^^^^^^
struct Twice;

#[derive(HookKind)]
#[hook_kind(name = "flag", subject = String, removable = true)]
//~                                                      ^^^^
struct Flag;

#[derive(HookKind)]
#[hook_kind(name = "nothing_to_remove", removable)]
//~                                     ^^^^^^^^^
struct NothingToRemove;

#[derive(HookKind)]
#[hook_kind(name = "types", subject = "String", verdict = 3)]
//~                                   ^^^^^^^^            ^
struct Types;

#[derive(HookKind)]
#[hook_kind(name = "checks", subject = String, check = "no_check")]
//~                                                    ^^^^^^^^^^
struct Checks;

#[derive(HookKind)]
#[hook_kind(name = "makes", new(regoin, region, region, 3))]
//~                             ^^^^^^          ^^^^^^  ^
struct Makes {
    region: String,
}

#[derive(HookKind)]
#[hook_kind(name = "makes_no_tuple", new)]
//~                                  ^^^
struct MakesNoTuple(String);

#[derive(HookKind)]
#[hook_kind(name = "has_no_default", new)]
struct HasNoDefault {
    region: Region,
//~         ^^^^^^
}

struct Region;

fn main() {}
