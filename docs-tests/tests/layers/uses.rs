//! The uses of other top-level modules: each path in the code of a module that leads to one of them.
//!
//! Only paths count. A call of a method on a value whose type comes from another module is not found.

use std::collections::BTreeMap;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, Macro, Path};

use super::names::public_names;
use super::source::{Crate, Module, attributes, attributes_of_member, is_test, leaves, named};

/// The definitions in the root of the crate, which is below all modules.
pub(crate) const ROOT: &str = "lib.rs";

/// One use of a top-level module by another one.
pub(crate) struct Use {
    pub(crate) from: String,
    pub(crate) to: String,
    /// The path, as in the source.
    pub(crate) path: String,
    /// `file:line`.
    pub(crate) place: String,
}

/// Every use in the crate, in the order of its files.
pub(crate) fn uses(krate: &Crate) -> Vec<Use> {
    let names = root_names(krate);
    let mut found = Vec::new();
    for module in krate.modules.iter().filter(|module| module.layer().is_some()) {
        for path in paths(module) {
            let Some(name) = after_root(krate, module, &path.segments) else { continue };
            let (Some(from), Some(to)) = (module.layer(), names.get(name)) else { continue };
            if from != to {
                let (from, to, place) = (from.to_owned(), to.clone(), module.place(path.span));
                found.push(Use { from, to, path: path.segments.join("::"), place });
            }
        }
    }
    found
}

/// A path in the code of a module.
pub(crate) struct Named {
    pub(crate) segments: Vec<String>,
    pub(crate) span: Span,
}

/// Every path in the code of this module, without its inner modules.
pub(crate) fn paths(module: &Module) -> Vec<Named> {
    let mut finder = Finder { found: Vec::new() };
    module.items.iter().for_each(|item| finder.visit_item(item));
    finder.found
}

/// The segment after those that lead to the root of the crate.
fn after_root<'p>(krate: &Crate, module: &Module, segments: &'p [String]) -> Option<&'p str> {
    let rest = &segments[usize::from(segments.first()? == "self")..];
    let up = rest.iter().take_while(|segment| *segment == "super").count();
    let at = match rest.first()?.as_str() {
        "super" if up == module.path.len() => up,
        // The crate's own name is what generated code uses.
        first if first == "crate" || first == krate.library() => 1,
        _ => return None,
    };
    rest.get(at).map(String::as_str)
}

/// The names at the root, each with the top-level module that it comes from.
fn root_names(krate: &Crate) -> BTreeMap<String, String> {
    let layers = krate.layers();
    let mut names = BTreeMap::new();
    for item in &krate.root().items {
        if let Item::Use(item) = item {
            for leaf in leaves(&item.tree) {
                let skipped = usize::from(matches!(leaf.path[0].as_str(), "crate" | "self"));
                let path = &leaf.path[skipped..];
                let Some(from) = path.first().filter(|from| layers.contains(&from.as_str())) else { continue };
                if leaf.name == "*" {
                    let all = public_names(krate, &path[..path.len() - 1]);
                    names.extend(all.into_keys().map(|name| (name, from.clone())));
                } else {
                    names.insert(leaf.name, from.clone());
                }
            }
        } else if let Some((name, _)) = named(item) {
            names.insert(name, ROOT.to_owned());
        }
    }
    // A module takes precedence over a function or a macro with the same name.
    names.extend(layers.iter().map(|layer| (String::from(*layer), String::from(*layer))));
    names.insert("*".to_owned(), ROOT.to_owned());
    names
}

struct Finder {
    found: Vec<Named>,
}

impl Finder {
    fn path(&mut self, segments: &[String], span: Span) {
        if !segments.is_empty() {
            self.found.push(Named { segments: segments.to_vec(), span });
        }
    }

    /// Finds paths in tokens that are not parsed: the arguments of a macro, the body of `macro_rules!`.
    fn tokens(&mut self, tokens: TokenStream) {
        let trees: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            if let TokenTree::Group(group) = &trees[at] {
                self.tokens(group.stream());
            }
            let (segments, length) = path_at(&trees[at..]);
            // `$crate::__private…` is expanded in the user's crate, so it is not a use in this one.
            let of_users =
                at > 0 && is(&trees[at - 1], '$') && segments.get(1).is_some_and(|name| name.starts_with("__private"));
            if !of_users {
                self.path(&segments, trees[at].span());
            }
            at += length.max(1);
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !is_test(attributes_of_member(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    // `uses` visits each module separately.
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for leaf in leaves(&item.tree) {
            self.path(&leaf.path, leaf.span);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.path(&segments, first.ident.span());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.visit_path(&called.path);
        let name = called.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        // Quoted code belongs to the user's crate.
        if !name.contains("quote") {
            self.tokens(called.tokens.clone());
        }
    }

    // `#[serde(with = "crate::…")]` is a use. A link in the documentation is not.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let syn::Meta::List(list) = &attribute.meta else { return };
        for tree in list.tokens.clone() {
            let TokenTree::Literal(literal) = tree else { continue };
            let text = literal.to_string();
            let segments: Vec<_> = text.trim_matches('"').split("::").map(str::to_owned).collect();
            self.path(&segments, literal.span());
        }
        self.tokens(list.tokens.clone());
    }
}

/// The path at the beginning of these tokens, and the number of its tokens.
pub(crate) fn path_at(trees: &[TokenTree]) -> (Vec<String>, usize) {
    let mut segments = Vec::new();
    let mut at = 0;
    while let Some(TokenTree::Ident(name)) = trees.get(at) {
        segments.push(name.to_string());
        at += 1;
        if !trees[at..].iter().take(2).all(|tree| is(tree, ':')) || trees.len() < at + 3 {
            break;
        }
        at += 2;
    }
    (segments, at)
}

fn is(tree: &TokenTree, wanted: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == wanted)
}
