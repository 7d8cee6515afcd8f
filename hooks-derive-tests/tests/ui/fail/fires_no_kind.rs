//! `fires!` takes the types of kinds.

struct NoKind;

mod harness {
    use super::NoKind;

    hooks_core::fires![NoKind];
//~                    ^^^^^^
}

fn main() {}
