//! What a macro emits: a module that uses the macro also uses what the emitted code names, which has to be above it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Meta};

use super::resolve::definer;
use super::source::{Crate, Module, attributes};
use super::uses::path_at;

/// The attribute or derives that modules of the core can use, and the modules of the macros that expand them.
const MACROS: [(&str, &str); 3] = [("hook", "hook"), ("HookKind", "derive"), ("Verdict", "verdict")];

/// The modules that expand macros for users alone.
const FOR_USERS: [&str; 3] = ["fires", "list", "plugin"];

/// The names of `core` that a macro emits and that are below a module of `core` that uses the macro.
pub(crate) fn below(core: &Crate, macros: &Crate) -> Vec<String> {
    let layers = core.layers();
    let mut found = Vec::new();
    for (name, expands) in MACROS {
        // The highest layer that uses the macro decides.
        let users = core.modules.iter().filter(|module| {
            module.items.iter().flat_map(|item| macros_on(attributes(item))).any(|found| found == name)
        });
        let Some(user) = users.filter_map(|module| position(&layers, module)).min() else { continue };
        for (emitted, place) in names(macros, expands) {
            let Some(layer) = layer(core, &emitted).filter(|layer| *layer > user) else { continue };
            let (user, layer) = (layers[user], layers[layer]);
            let emitted = emitted[1..].join("::");
            found.push(format!(
                "`{name}` emits `{emitted}` of `{layer}` in {place}, and `{user}`, which is above `{layer}`, uses `{name}`"
            ));
        }
    }
    found
}

fn position(layers: &[&str], module: &Module) -> Option<usize> {
    layers.iter().position(|layer| Some(*layer) == module.layer())
}

/// The layer that defines what an emitted path names.
fn layer(core: &Crate, emitted: &[String]) -> Option<usize> {
    let private =
        core.modules.iter().find(|module| module.layer().is_some_and(|layer| layer.starts_with("__private")))?;
    let within = if emitted[0] == "core" { &[][..] } else { &private.path[..] };
    let path = [&["crate".to_owned()], within, &emitted[1..]].concat();
    position(&core.layers(), definer(core, core.root(), &path)?)
}

/// The paths that a macro emits, each with the first place that does. What several macros share belongs to all of them.
fn names(macros: &Crate, expands: &str) -> BTreeMap<Vec<String>, String> {
    let all = MACROS.iter().map(|(_, expands)| *expands).chain(FOR_USERS);
    let others: BTreeSet<&str> = all.filter(|other| *other != expands).collect();
    let mut found = BTreeMap::new();
    for module in macros.modules.iter().filter(|module| module.layer().is_none_or(|layer| !others.contains(layer))) {
        module.items.iter().for_each(|item| collect(module, item.to_token_stream(), &mut found));
    }
    found
}

/// The paths behind `__hook_sdk`, `#private` and `#core` in quoted code.
fn collect(module: &Module, tokens: TokenStream, found: &mut BTreeMap<Vec<String>, String>) {
    let trees: Vec<_> = tokens.into_iter().collect();
    for (number, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => collect(module, group.stream(), found),
            TokenTree::Ident(name) if name == "__hook_sdk" || name == "private" || name == "core" => {
                let before = number.checked_sub(1).map(|before| &trees[before]);
                let quoted = matches!(before, Some(TokenTree::Punct(sign)) if sign.as_char() == '#');
                let (segments, _) = path_at(&trees[number..]);
                if segments.len() > 1 && (quoted || name == "__hook_sdk") {
                    found.entry(segments).or_insert_with(|| module.place(name.span()));
                }
            }
            _ => {}
        }
    }
}

/// The names of the attributes and derives of an item.
fn macros_on(attributes: &[Attribute]) -> Vec<String> {
    let mut names = Vec::new();
    for attribute in attributes {
        match &attribute.meta {
            Meta::List(list) if list.path.is_ident("derive") => {
                names.extend(list.tokens.clone().into_iter().map(|tree| tree.to_string()));
            }
            meta => names.extend(meta.path().segments.last().map(|segment| segment.ident.to_string())),
        }
    }
    names
}
