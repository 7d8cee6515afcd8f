//! `#[hook_kind]` needs `#[derive(HookKind)]`.

mod kinds {
    #[hook_kind(name = "before_refund")]
//~   ^^^^^^^^^
    pub struct BeforeRefund;
}

fn main() {}
