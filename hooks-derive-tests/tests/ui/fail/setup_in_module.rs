//! `setup!` works only in the crate root.

mod hooks {
    hook_sdk::setup!();
//~ ^^^^^^^^^^^^^^^^^^

    pub mod guards {
        hook_sdk::setup!();
//~     ^^^^^^^^^^^^^^^^^^
    }
}

fn main() {}
