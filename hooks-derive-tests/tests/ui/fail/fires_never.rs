//! The fields that a declaration marks as never filled.

mod fields {
    use hooks_core::kinds::*;

    hooks_core::fires![Stop [never last_mesage]];
//~                                ^^^^^^^^^^^
}

mod words {
    use hooks_core::kinds::*;

    hooks_core::fires![Stop [last_message], TurnEnd [never "error"]];
//~                         ^^^^^^^^^^^^^^
//~                                                 ^^^^^^^^^^^^^^^
}

fn main() {}
