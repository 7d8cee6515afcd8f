//! `fires!` takes types and names of kinds, not strings, values or lists.

mod harness {
    use hook_sdk::kinds::TurnEnd;

    hook_sdk::fires![TurnEnd, "before_tool_call", "PostToolUse", "lunch"];
//~                           ^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^  ^^^^^^^
    hook_sdk::fires![TurnEnd::new(), 3];
//~                  ^^^^^^^^^^^^^^  ^
    hook_sdk::fires![[TurnEnd, TurnEnd]];
//~                  ^^^^^^^^^^^^^^^^^^
}

fn main() {}
