//! `fires!` takes types, not the words of an attribute.

mod harness {
    use hooks_core::kinds::TurnEnd;

    hooks_core::fires![before_tool_call, TurnEnd];
//~                    ^^^^^^^^^^^^^^^^
    hooks_core::fires!["before_tool_call", "PostToolUse", "lunch"];
//~                    ^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^  ^^^^^^^
    hooks_core::fires![TurnEnd::new(), 3];
//~                    ^^^^^^^^^^^^^^  ^
    hooks_core::fires![[TurnEnd, TurnEnd]];
//~                    ^^^^^^^^^^^^^^^^^^
}

fn main() {}
