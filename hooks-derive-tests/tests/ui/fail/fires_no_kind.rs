//! `fires!` takes the types of kinds and the names of built-in kinds.

struct NoKind;

mod harness {
    use hooks_core::kinds::BeforeToolCall;

    use super::NoKind;

    hooks_core::fires![BeforeToolCall, NoKind, turn_end, super::NoKind, Vec<u8>, Missing];
//~                                    ^^^^^^                   ^^^^^^  ^^^      ^^^^^^^
}

mod words {
    hooks_core::fires![before_tool_cal, PreToolUse, "turn_end", lunch];
//~                    ^^^^^^^^^^^^^^^  ^^^^^^^^^^  ^^^^^^^^^^  ^^^^^
}

fn main() {}
