//! The fields that a declaration marks as never filled.

mod fields {
    use hook_sdk::kinds::*;

    hook_sdk::fires![Stop [never last_mesage]];
//~                              ^^^^^^^^^^^
}

mod words {
    use hook_sdk::kinds::*;

    hook_sdk::fires![Stop [last_message], TurnEnd [never "error"]];
//~                       ^^^^^^^^^^^^^^
//~                                               ^^^^^^^^^^^^^^^
}

fn main() {}
