//! `plugin!` needs a name.

mod nothing {
    hook_sdk::plugin!();
//~ ^^^^^^^^^^^^^^^^^^^
}

mod comma {
    hook_sdk::plugin!(,);
//~                   ^
}

fn main() {}
