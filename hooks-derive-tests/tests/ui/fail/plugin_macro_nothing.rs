//! `plugin!` needs a name.

mod nothing {
    hooks_core::plugin!();
//~ ^^^^^^^^^^^^^^^^^^^^^
}

mod comma {
    hooks_core::plugin!(,);
//~                     ^
}

fn main() {}
