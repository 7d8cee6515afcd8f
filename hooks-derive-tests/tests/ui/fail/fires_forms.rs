//! `fires!` takes types and names of kinds, not strings, values or lists.

mod harness {
    use hooks_core::kinds::TurnEnd;

    hooks_core::fires![TurnEnd, "before_tool_call", "PostToolUse", "lunch"];
//~                             ^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^  ^^^^^^^
    hooks_core::fires![TurnEnd::new(), 3];
//~                    ^^^^^^^^^^^^^^  ^
    hooks_core::fires![[TurnEnd, TurnEnd]];
//~                    ^^^^^^^^^^^^^^^^^^
}

fn main() {}
