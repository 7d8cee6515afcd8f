//! Type names: unique within a crate, and unique among the exports of all crates.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;
use syn::visit::{self, Visit};
use syn::{Ident, Item, ItemEnum, ItemMod, ItemStruct, ItemTrait, ItemType, ItemUnion, Visibility};

use super::source::{Crate, Module, attributes, is_test, leaves, named};

/// The type names that more than one module of a crate defines.
pub(crate) fn defined_twice(krate: &Crate) -> Vec<String> {
    let mut types: BTreeMap<String, Vec<(&[String], String)>> = BTreeMap::new();
    for module in &krate.modules {
        let mut finder = Types { module, found: Vec::new() };
        module.items.iter().for_each(|item| finder.visit_item(item));
        for (name, place) in finder.found {
            types.entry(name).or_default().push((&module.path, place));
        }
    }
    let mut found = Vec::new();
    for (name, places) in types {
        // Two types with the same name in one module exclude each other by `cfg`.
        let modules: BTreeSet<_> = places.iter().map(|(path, _)| path).collect();
        if modules.len() > 1 {
            let places: Vec<_> = places.into_iter().map(|(_, place)| place).collect();
            found.push(format!("`{name}` is defined {} times: {}", places.len(), places.join(", ")));
        }
    }
    found
}

struct Types<'a> {
    module: &'a Module,
    found: Vec<(String, String)>,
}

impl Types<'_> {
    fn add(&mut self, name: &Ident) {
        self.found.push((name.to_string(), self.module.place(name.span())));
    }
}

impl<'ast> Visit<'ast> for Types<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        match item {
            Item::Macro(item) if item.ident.is_none() => {
                for (name, _) in types_of_macro(item) {
                    self.add(&name);
                }
            }
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.add(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.add(&item.ident);
    }

    fn visit_item_union(&mut self, item: &'ast ItemUnion) {
        self.add(&item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.add(&item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.add(&item.ident);
    }
}

/// The types that are written out in the tokens of a macro call, and whether they are public.
pub(crate) fn types_of_macro(item: &syn::ItemMacro) -> Vec<(Ident, bool)> {
    let (mut found, mut word, mut before) = (Vec::new(), String::new(), String::new());
    for tree in item.mac.tokens.clone() {
        match &tree {
            TokenTree::Ident(name) if matches!(word.as_str(), "struct" | "enum" | "union" | "trait") => {
                found.push((name.clone(), before == "pub"));
            }
            _ => {}
        }
        before = std::mem::replace(&mut word, tree.to_string());
    }
    found
}

/// The names that `use module::*` imports, each with its place. Re-exports from other crates are left out, because two
/// re-exports of one type are not ambiguous.
pub(crate) fn public_names(krate: &Crate, path: &[String]) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let Some(module) = krate.module(path) else { return names };
    for item in &module.items {
        match item {
            Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => {
                for leaf in leaves(&item.tree) {
                    let Some(target) = within(krate, module, &leaf.path) else { continue };
                    if leaf.name == "*" {
                        names.extend(public_names(krate, &target[..target.len() - 1]));
                    } else {
                        names.insert(leaf.name, module.place(leaf.span));
                    }
                }
            }
            Item::Macro(item) if item.ident.is_none() => {
                let types = types_of_macro(item).into_iter().filter(|(_, public)| *public);
                names.extend(types.map(|(name, _)| (name.to_string(), module.place(name.span()))));
            }
            item => {
                if let Some((name, Visibility::Public(public))) = named(item) {
                    names.insert(name, module.place(public.span));
                }
            }
        }
    }
    names
}

/// A path of a `use`, from the root of the crate. `None` if it leads to another crate.
fn within(krate: &Crate, module: &Module, path: &[String]) -> Option<Vec<String>> {
    let up = path.iter().take_while(|segment| *segment == "super").count();
    let (base, rest) = match path.first()?.as_str() {
        "crate" => (&[][..], &path[1..]),
        "self" => (&module.path[..], &path[1..]),
        "super" => (&module.path[..module.path.len() - up], &path[up..]),
        inner => {
            krate.module(&[&module.path[..], &[inner.to_owned()]].concat())?;
            (&module.path[..], path)
        }
    };
    Some([base, rest].concat())
}

/// The types that a user of the crate can name, in any of its public modules.
fn exported(krate: &Crate) -> BTreeMap<String, String> {
    let public = |path: &[String]| {
        (1..=path.len()).all(|length| krate.module(&path[..length]).is_some_and(|module| module.public))
    };
    let modules = krate.modules.iter().filter(|module| public(&module.path));
    let names = modules.flat_map(|module| public_names(krate, &module.path));
    names.filter(|(name, _)| name.starts_with(char::is_uppercase) && !is_constant(name)).collect()
}

fn is_constant(name: &str) -> bool {
    name.len() > 1 && !name.contains(char::is_lowercase)
}

/// The type names that two of these crates export, which are ambiguous for a user of both.
pub(crate) fn exported_twice(crates: &[&Crate]) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for krate in crates {
        for (name, place) in exported(krate) {
            places.entry(name).or_default().push(place);
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    twice
        .map(|(name, places)| format!("`{name}` is exported by {} crates: {}", places.len(), places.join(", ")))
        .collect()
}
