//! `fires!` takes the types of kinds and the names of built-in kinds.

struct NoKind;

mod harness {
    use hook_sdk::kinds::BeforeToolCall;

    use super::NoKind;

    hook_sdk::fires![BeforeToolCall, NoKind, turn_end, super::NoKind, Missing];
//~                                  ^^^^^^                   ^^^^^^  ^^^^^^^
}

mod words {
    hook_sdk::fires![before_tool_cal, PreToolUse, "turn_end", lunch, Vec<u8>];
//~                  ^^^^^^^^^^^^^^^  ^^^^^^^^^^  ^^^^^^^^^^  ^^^^^  ^^^^^^^
}

fn main() {}
