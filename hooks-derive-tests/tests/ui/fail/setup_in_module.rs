//! `setup!` does its work in the root of a crate alone.

mod hooks {
    hooks_core::setup!();
//~ ^^^^^^^^^^^^^^^^^^^^

    pub mod guards {
        hooks_core::setup!();
//~     ^^^^^^^^^^^^^^^^^^^^
    }
}

fn main() {}
