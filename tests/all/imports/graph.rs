//! Import graph of the files of a crate, from their `use` declarations and paths.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, File, Ident, Item, ItemUse, UseTree};

/// Module path from the root of the crate.
type ModulePath = Vec<String>;

/// Import edges between files.
pub(super) type Edges = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// Module with its own file.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// Names of items that the file defines.
    items: BTreeSet<String>,
    /// Names that a `use` brings into scope, each with its path.
    aliases: BTreeMap<String, Vec<String>>,
    /// Modules of glob imports.
    globs: Vec<Vec<String>>,
    /// Paths that the code mentions.
    paths: BTreeSet<Vec<String>>,
}

/// Modules of a crate without its tests.
#[derive(Default)]
pub(super) struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

impl Crate {
    /// Reads the crate with this root file.
    pub(super) fn read(root: &Path) -> Self {
        let mut this = Self::default();
        this.add_module(root, root.parent().unwrap(), Vec::new());
        this
    }

    fn add_module(&mut self, file: &Path, folder: &Path, path: ModulePath) {
        let text = std::fs::read_to_string(file).unwrap();
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let syntax: File = syn::parse_str(&text).unwrap();
        for item in &syntax.items {
            if let Item::Mod(child) = item
                && child.content.is_none()
                && !is_test(&child.attrs)
            {
                let name = child.ident.to_string();
                let nested = folder.join(&name);
                let flat = nested.with_extension("rs");
                let file = if flat.exists() { flat } else { nested.join("mod.rs") };
                let path = path.iter().cloned().chain([name]).collect();
                self.add_module(&file, &nested, path);
            }
        }
        Reader { module: &mut module }.visit_file(&syntax);
        self.modules.insert(path, module);
    }

    /// Returns the files that each file imports.
    pub(super) fn import_edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (path, module) in &self.modules {
            let mentioned_paths = module.paths.iter().chain(module.aliases.values());
            let files = mentioned_paths.filter_map(|names| self.resolve_file(path, names, 0));
            let others = files.filter(|file| **file != module.file).cloned();
            edges.entry(module.file.clone()).or_default().extend(others);
        }
        edges
    }

    /// Returns the file that defines the path `names` in the module `from`. Returns `None` for a module and for an item
    /// of another crate.
    fn resolve_file(&self, from: &[String], names: &[String], depth: usize) -> Option<&PathBuf> {
        // Stops at cyclic aliases, which no valid program contains.
        if depth > 20 {
            return None;
        }
        let (mut module_path, mut remaining_names) = (from.to_vec(), names);
        while let [first, others @ ..] = remaining_names {
            match first.as_str() {
                "crate" => module_path.clear(),
                "super" => drop(module_path.pop()),
                "self" => {}
                _ => break,
            }
            remaining_names = others;
        }
        let [name, others @ ..] = remaining_names else { return None };
        let child: ModulePath = module_path.iter().cloned().chain([name.clone()]).collect();
        if self.modules.contains_key(&child) {
            return self.resolve_file(&child, others, depth + 1);
        }
        let module = self.modules.get(&module_path)?;
        if module.items.contains(name) {
            return Some(&module.file);
        }
        if let Some(alias) = module.aliases.get(name) {
            let full_path: Vec<_> = alias.iter().chain(others).cloned().collect();
            return self.resolve_file(&module_path, &full_path, depth + 1);
        }
        let resolve_glob = |glob: &Vec<String>| {
            let full_path: Vec<_> = glob.iter().chain(remaining_names).cloned().collect();
            self.resolve_file(&module_path, &full_path, depth + 1)
        };
        module.globs.iter().find_map(resolve_glob)
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<Ident>().is_ok_and(|word| word == "test")
    })
}

/// Collects the items that a file defines, imports and mentions.
struct Reader<'a> {
    module: &'a mut Module,
}

impl Reader<'_> {
    fn import(&mut self, tree: &UseTree, mut prefix: Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(&path.tree, prefix);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, prefix.clone());
                }
            }
            UseTree::Glob(_) => self.module.globs.push(prefix),
            UseTree::Name(name) => self.add_alias(&name.ident, &name.ident, prefix),
            UseTree::Rename(rename) => self.add_alias(&rename.ident, &rename.rename, prefix),
        }
    }

    fn add_alias(&mut self, name: &Ident, alias: &Ident, mut prefix: Vec<String>) {
        if name == "self" {
            if let Some(last) = prefix.last().cloned() {
                self.module.aliases.insert(last, prefix);
            }
        } else {
            prefix.push(name.to_string());
            self.module.aliases.insert(alias.to_string(), prefix);
        }
    }

    /// Collects the paths in the tokens of a macro call.
    fn mention_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.mention(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                }
                TokenTree::Group(group) => {
                    self.mention(std::mem::take(&mut path));
                    self.mention_tokens(group.stream());
                }
                _ => self.mention(std::mem::take(&mut path)),
            }
            colons = 0;
        }
        self.mention(path);
    }

    fn mention(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            self.module.paths.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Const(item) => (&item.attrs, &item.ident),
            Item::Enum(item) => (&item.attrs, &item.ident),
            Item::Fn(item) => (&item.attrs, &item.sig.ident),
            Item::Static(item) => (&item.attrs, &item.ident),
            Item::Struct(item) => (&item.attrs, &item.ident),
            Item::Trait(item) => (&item.attrs, &item.ident),
            Item::Type(item) => (&item.attrs, &item.ident),
            Item::Mod(item) if is_test(&item.attrs) => return,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            self.module.items.insert(name.to_string());
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.import(&item.tree, Vec::new());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.mention(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.mention_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}
