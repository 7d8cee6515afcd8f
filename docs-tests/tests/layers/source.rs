//! The modules of a crate, as its sources declare them. Code under `#[cfg(test)]` is not read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proc_macro2::Span;
use syn::{Attribute, ImplItem, Item, Meta, Token, UseTree, Visibility, punctuated::Punctuated};

/// The sources of a crate, by their paths under `src`.
pub(crate) type Files = BTreeMap<String, String>;

/// A crate: its modules, the root first. Each module is followed by its inner modules.
pub(crate) struct Crate {
    /// The folder, which has the name of the package.
    pub(crate) name: String,
    pub(crate) modules: Vec<Module>,
}

/// A module, without its inner modules.
pub(crate) struct Module {
    /// The names of the outer modules and its own name. Empty for the root.
    pub(crate) path: Vec<String>,
    /// The path from the root of the workspace.
    pub(crate) file: String,
    pub(crate) items: Vec<Item>,
    /// Whether its `mod` line is `pub` and not hidden from the documentation.
    pub(crate) public: bool,
}

impl Crate {
    /// Reads the crate in `folder` under `root`.
    pub(crate) fn read(root: &Path, folder: &str) -> Self {
        let src = root.join(folder).join("src");
        let mut files = Files::new();
        collect(&src, &src, &mut files);
        Self::parse(folder, &files)
    }

    /// Parses a crate from these files.
    pub(crate) fn parse(name: &str, files: &Files) -> Self {
        let mut made = Self { name: name.to_owned(), modules: Vec::new() };
        made.add(files, &[], "lib.rs", true);
        made
    }

    /// The top-level modules, in the order of `lib.rs`.
    pub(crate) fn layers(&self) -> Vec<&str> {
        self.modules.iter().filter(|module| module.path.len() == 1).filter_map(Module::layer).collect()
    }

    /// The name of the library.
    pub(crate) fn library(&self) -> String {
        // The one whose folder is not called as its package.
        let name = self.name.rsplit('/').next().unwrap_or_default();
        if name == "hooks-core" { "hook_sdk".to_owned() } else { name.replace('-', "_") }
    }

    pub(crate) fn root(&self) -> &Module {
        &self.modules[0]
    }

    pub(crate) fn module(&self, path: &[String]) -> Option<&Module> {
        self.modules.iter().find(|module| module.path == path)
    }

    fn add(&mut self, files: &Files, path: &[String], file: &str, public: bool) {
        let text = files.get(file).unwrap_or_else(|| panic!("{}: no file {file}", self.name));
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {file}: {error}", self.name));
        self.add_items(files, path, file, parsed.items, public);
    }

    fn add_items(&mut self, files: &Files, path: &[String], file: &str, items: Vec<Item>, public: bool) {
        let kept = items.into_iter().filter(|item| !is_test(attributes(item)));
        let (inner, items): (Vec<Item>, _) = kept.partition(|item| matches!(item, Item::Mod(_)));
        self.modules.push(Module { path: path.to_owned(), file: format!("{}/src/{file}", self.name), items, public });
        for item in inner {
            let Item::Mod(module) = item else { continue };
            let path = &[path, &[module.ident.to_string()]].concat();
            let public = matches!(module.vis, Visibility::Public(_)) && !is_hidden(&module.attrs);
            match module.content {
                _ if module.ident == "tests" => {}
                Some((_, items)) => self.add_items(files, path, file, items, public),
                None => {
                    let stem = path.join("/");
                    let flat = format!("{stem}.rs");
                    let file = if files.contains_key(&flat) { flat } else { format!("{stem}/mod.rs") };
                    self.add(files, path, &file, public);
                }
            }
        }
    }
}

impl Module {
    /// The top-level module that this one is, or is part of.
    pub(crate) fn layer(&self) -> Option<&str> {
        self.path.first().map(String::as_str)
    }

    /// `file:line`.
    pub(crate) fn place(&self, span: Span) -> String {
        format!("{}:{}", self.file, span.start().line)
    }
}

fn collect(src: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(src, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let beneath = path.strip_prefix(src).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(beneath, fs::read_to_string(&path).unwrap());
        }
    }
}

/// Whether the item is compiled for tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .any(|attribute| attribute.parse_args::<Meta>().is_ok_and(|condition| needs_test(&condition)))
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    let mut docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    docs.any(|doc| doc.parse_args::<Meta>().is_ok_and(|meta| meta.path().is_ident("hidden")))
}

fn needs_test(condition: &Meta) -> bool {
    let parts = |list: &syn::MetaList| {
        list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).map(Vec::from_iter).unwrap_or_default()
    };
    match condition {
        Meta::Path(path) => path.is_ident("test") || path.is_ident("doctest"),
        Meta::List(list) if list.path.is_ident("all") => parts(list).iter().any(needs_test),
        Meta::List(list) if list.path.is_ident("any") => parts(list).iter().all(needs_test),
        _ => false,
    }
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

pub(crate) fn attributes_of_member(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        _ => &[],
    }
}

/// The name that an item adds to its module, and its visibility.
pub(crate) fn named(item: &Item) -> Option<(String, &Visibility)> {
    let (name, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.vis),
        Item::Enum(item) => (&item.ident, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.vis),
        Item::Static(item) => (&item.ident, &item.vis),
        Item::Struct(item) => (&item.ident, &item.vis),
        Item::Trait(item) => (&item.ident, &item.vis),
        Item::Type(item) => (&item.ident, &item.vis),
        Item::Union(item) => (&item.ident, &item.vis),
        _ => return None,
    };
    Some((name.to_string(), visibility))
}

/// One name of a `use`.
pub(crate) struct Leaf {
    /// All segments. The last one can be `*`.
    pub(crate) path: Vec<String>,
    /// Its name in the module that imports it.
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// The names that a `use` imports.
pub(crate) fn leaves(tree: &UseTree) -> Vec<Leaf> {
    let mut found = Vec::new();
    walk(tree, &mut Vec::new(), &mut found);
    found
}

fn walk(tree: &UseTree, prefix: &mut Vec<String>, found: &mut Vec<Leaf>) {
    let mut leaf = |segment: String, name: &str, span| {
        let path = prefix.iter().cloned().chain((segment != "self" || prefix.is_empty()).then_some(segment)).collect();
        found.push(Leaf { path, name: name.to_owned(), span });
    };
    match tree {
        UseTree::Path(tree) => {
            prefix.push(tree.ident.to_string());
            walk(&tree.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(tree) if tree.ident == "self" => {
            let name = prefix.last().cloned().unwrap_or_default();
            leaf("self".to_owned(), &name, tree.ident.span());
        }
        UseTree::Name(tree) => leaf(tree.ident.to_string(), &tree.ident.to_string(), tree.ident.span()),
        UseTree::Rename(tree) => leaf(tree.ident.to_string(), &tree.rename.to_string(), tree.ident.span()),
        UseTree::Glob(tree) => leaf("*".to_owned(), "*", tree.star_token.spans[0]),
        UseTree::Group(tree) => tree.items.iter().for_each(|tree| walk(tree, prefix, found)),
    }
}
