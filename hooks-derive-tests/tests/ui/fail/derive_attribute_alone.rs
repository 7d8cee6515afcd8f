//! `#[hook_kind]` belongs to the derive.

mod kinds {
    #[hook_kind(name = "before_refund")]
//~   ^^^^^^^^^
    pub struct BeforeRefund;
}

fn main() {}
