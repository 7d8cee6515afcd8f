//! `setup!` works only in the crate root.

mod hooks {
    hooks_core::setup!();
//~ ^^^^^^^^^^^^^^^^^^^^

    pub mod guards {
        hooks_core::setup!();
//~     ^^^^^^^^^^^^^^^^^^^^
    }
}

fn main() {}
