//! Crates for the oldest Rust: the compiler of the gate is newer, and takes what that one does not.

use syn::visit::{Visit, visit_expr_binary};
use syn::{BinOp, Expr, ExprBinary, spanned::Spanned};

use super::source::{Crate, Module};

/// The places of `if let … && …`, which needs Rust 1.88.
pub(crate) fn chains_of_let(krate: &Crate) -> Vec<String> {
    let of_module = |module| {
        let mut chains = Chains { module, found: Vec::new() };
        module.items.iter().for_each(|item| chains.visit_item(item));
        chains.found
    };
    krate.modules.iter().flat_map(of_module).collect()
}

struct Chains<'a> {
    module: &'a Module,
    found: Vec<String>,
}

impl<'ast> Visit<'ast> for Chains<'_> {
    fn visit_expr_binary(&mut self, both: &'ast ExprBinary) {
        let is_let = |side: &Expr| matches!(side, Expr::Let(_));
        if matches!(both.op, BinOp::And(_)) && (is_let(&both.left) || is_let(&both.right)) {
            self.found.push(self.module.place(both.span()));
        }
        visit_expr_binary(self, both);
    }
}
