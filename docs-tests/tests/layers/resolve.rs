//! Which module defines what a path names, through re-exports and imports.

use syn::{Item, Visibility};

use super::names::types_of_macro;
use super::source::{Crate, Leaf, Module, leaves, named};

/// How many re-exports a path may go through. A longer way is a circle of `pub use *`.
const STEPS: usize = 16;

/// The module that defines what `path` names where it stands in `module`. `None` if that is outside the crate, or a module.
pub(crate) fn definer<'c>(krate: &'c Crate, module: &'c Module, path: &[String]) -> Option<&'c Module> {
    find(krate, module, path, STEPS)
}

fn find<'c>(krate: &'c Crate, module: &'c Module, path: &[String], steps: usize) -> Option<&'c Module> {
    let steps = steps.checked_sub(1)?;
    let up = path.iter().take_while(|segment| *segment == "super").count();
    let first = path.first()?.as_str();
    let (base, rest) = match first {
        "crate" => (&[][..], &path[1..]),
        _ if first == krate.library() => (&[][..], &path[1..]),
        "self" => (&module.path[..], &path[1..]),
        "super" => (module.path.get(..module.path.len().checked_sub(up)?)?, &path[up..]),
        _ if inner(krate, module, first).is_some() => (&module.path[..], path),
        _ => {
            let imported = imports(module).find(|leaf| leaf.name == first)?;
            // `use first;` imports a crate.
            let longer = imported.path.len() > 1 || inner(krate, module, &imported.path[0]).is_some();
            let whole = [&imported.path[..], &path[1..]].concat();
            return if longer { find(krate, module, &whole, steps) } else { None };
        }
    };
    let mut at = krate.module(base)?;
    for (number, segment) in rest.iter().enumerate() {
        match inner(krate, at, segment) {
            Some(inner) => at = inner,
            None if segment == "*" => return Some(at),
            None => return item(krate, at, &rest[number..], steps),
        }
    }
    None
}

/// The module that defines the item `path[0]` of `module`, which may import it.
fn item<'c>(krate: &'c Crate, module: &'c Module, path: &[String], steps: usize) -> Option<&'c Module> {
    if defines(module, &path[0]) {
        return Some(module);
    }
    if let Some(leaf) = imports(module).find(|leaf| leaf.name == path[0]) {
        let whole = [&leaf.path[..], &path[1..]].concat();
        return find(krate, module, &whole, steps);
    }
    let globs = imports(module).filter(|leaf| leaf.name == "*");
    let mut from_globs = globs.filter_map(|leaf| {
        let whole = [&leaf.path[..leaf.path.len() - 1], path].concat();
        find(krate, module, &whole, steps)
    });
    from_globs.next()
}

fn inner<'c>(krate: &'c Crate, module: &Module, name: &str) -> Option<&'c Module> {
    krate.module(&[&module.path[..], &[name.to_owned()]].concat())
}

fn imports(module: &Module) -> impl Iterator<Item = Leaf> {
    let uses = module.items.iter().filter_map(|item| match item {
        Item::Use(item) => Some(leaves(&item.tree)),
        _ => None,
    });
    uses.flatten()
}

fn defines(module: &Module, name: &str) -> bool {
    module.items.iter().any(|item| match item {
        Item::Macro(item) => match &item.ident {
            Some(ident) => ident == name,
            None => types_of_macro(item).iter().any(|(ident, _)| ident == name),
        },
        item => named(item).is_some_and(|(ident, _): (String, &Visibility)| ident == name),
    })
}
