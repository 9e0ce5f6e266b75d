//! Parses the files of one crate into modules, and lists the paths that each module names.
//!
//! Paths are in `use` trees, expressions, types, patterns, and in the arguments and bodies of macros.
//! [`Crate::resolve`] follows a path through imports, renames, globs and re-exports, as the compiler does. It ends at
//! the file that defines the name.

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Ident, Item, UseTree};

/// Something that a check refuses.
#[derive(Debug)]
pub struct Fault {
    /// The file, as the check was given it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what the file wants instead.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// A parsed crate.
pub struct Crate {
    /// The names of the files, as they were given.
    pub files: Vec<String>,
    /// The modules. The first one is the root.
    pub modules: Vec<Module>,
}

/// A module: a file, or a `mod x { ... }` inside a file.
#[derive(Default)]
pub struct Module {
    /// Index in `Crate::files`.
    pub file: usize,
    /// The paths that it names.
    pub paths: Vec<Path>,
    parent: usize,
    /// The folder of its child files: empty, or with `/` at the end.
    folder: String,
    names: HashMap<String, Vec<Binding>>,
    globs: Vec<Vec<String>>,
    /// The relative paths in each of its macros. They are resolved where the macro is called.
    macros: HashMap<String, Vec<Vec<String>>>,
}

/// What a name stands for in a module.
enum Binding {
    /// Something that the module defines.
    Item,
    /// A child module.
    Module(usize),
    /// An import.
    Import(Vec<String>),
}

/// A path that a module names.
pub struct Path {
    /// The first segment may be `crate`, `self` or `super`. `$crate` is written as `crate`.
    pub segments: Vec<String>,
    /// The line, from 1.
    pub line: usize,
    /// What follows the segments.
    pub end: End,
}

/// What follows the segments of a path.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    /// Nothing: they are the whole path.
    Whole,
    /// `::*`.
    Glob,
    /// `::$name`, in the body of a macro.
    Metavariable,
}

/// Where a path leads. Several places, where `cfg` chooses one or a name stands for several things.
#[derive(Default)]
pub struct Target {
    /// The modules that the path leads through. The root counts only where it defines or imports the next name.
    pub through: BTreeSet<usize>,
    /// The modules that the path names.
    pub modules: BTreeSet<usize>,
    /// The files that define what the path names.
    pub files: BTreeSet<usize>,
    /// The macros that the path may name: module and name.
    macros: BTreeSet<(usize, String)>,
    /// The imports that are being followed: an import is not a way to itself.
    followed: BTreeSet<(usize, Vec<String>)>,
}

impl Crate {
    /// Parses the files that the root reaches by its `mod` lines, among files with a name and a text.
    pub fn parse(texts: &[(&str, &str)], root: &str, faults: &mut Vec<Fault>) -> Result<Crate> {
        let files = texts.iter().map(|(file, _)| String::from(*file)).collect();
        let mut parser = Parser {
            texts,
            known: Crate { files, modules: Vec::new() },
            loaded: HashMap::new(),
            at: 0,
            faults,
        };
        let index = texts.iter().position(|(file, _)| *file == root).with_context(|| format!("no {root}"))?;
        parser.load(index, 0, folder_of(root).into())?;
        Ok(parser.known)
    }

    /// Names the files that the root does not reach.
    pub fn check_unreached(&self, faults: &mut Vec<Fault>) {
        let reached: BTreeSet<usize> = self.modules.iter().map(|module| module.file).collect();
        for (_, file) in self.files.iter().enumerate().filter(|(index, _)| !reached.contains(index)) {
            let what = "no `mod` line leads to this file: add one, or remove the file".into();
            faults.push(Fault { file: file.clone(), line: 1, what });
        }
    }

    /// Follows a path from a module.
    pub fn resolve(&self, module: usize, segments: &[String]) -> Target {
        let mut target = Target::default();
        self.follow(module, segments, true, &mut target);
        target
    }

    /// The paths that the body of a macro brings into a module that names it.
    pub fn brought<'a>(&'a self, target: &'a Target) -> impl Iterator<Item = &'a Vec<String>> {
        target.macros.iter().filter_map(|(module, name)| self.modules[*module].macros.get(name)).flatten()
    }

    fn follow(&self, at: usize, segments: &[String], first: bool, target: &mut Target) {
        let Some((name, rest)) = segments.split_first() else {
            target.modules.insert(at);
            return;
        };
        match name.as_str() {
            "crate" => self.follow(0, rest, false, target),
            "self" => self.follow(at, rest, false, target),
            "super" => {
                let parent = self.modules[at].parent;
                target.through.insert(parent);
                self.follow(parent, rest, false, target);
            }
            _ => {
                // A module, a type or a macro of this file; or, as the first segment, another crate or a local name.
                if !self.follow_name(at, name, rest, target) && !first {
                    target.through.insert(at);
                    target.files.insert(self.modules[at].file);
                }
            }
        }
    }

    /// Follows a path whose first segment is a name of the module; false if the module has no such name.
    fn follow_name(&self, at: usize, name: &str, rest: &[String], target: &mut Target) -> bool {
        let module = &self.modules[at];
        if let Some(bindings) = module.names.get(name) {
            // Behind the name of a module, `::` leads into it, even if a function is called the same.
            let into = !rest.is_empty() && bindings.iter().any(|it| matches!(it, Binding::Module(_)));
            for binding in bindings {
                match binding {
                    Binding::Item if into => {}
                    Binding::Item => {
                        target.through.insert(at);
                        target.files.insert(module.file);
                        target.macros.insert((at, name.into()));
                    }
                    Binding::Module(child) => {
                        if at != 0 {
                            target.through.insert(at);
                        }
                        target.through.insert(*child);
                        self.follow(*child, rest, false, target);
                    }
                    Binding::Import(path) => {
                        target.through.insert(at);
                        let key = (at, path.clone());
                        if target.followed.insert(key.clone()) {
                            self.follow(at, &[path, rest].concat(), true, target);
                            target.followed.remove(&key);
                        }
                    }
                }
            }
            return true;
        }
        let mut found = false;
        for glob in &module.globs {
            let key = (at, [&glob[..], &["*".into(), name.into()]].concat());
            if !target.followed.insert(key.clone()) {
                continue;
            }
            // The glob itself may begin with a name that another glob brings.
            let mut inner = Target { followed: std::mem::take(&mut target.followed), ..Target::default() };
            self.follow(at, glob, true, &mut inner);
            target.followed = inner.followed;
            for source in inner.modules {
                found |= self.follow_name(source, name, rest, target);
            }
            target.followed.remove(&key);
        }
        found
    }
}

/// Fills a crate, module by module.
struct Parser<'a> {
    texts: &'a [(&'a str, &'a str)],
    known: Crate,
    /// The module of each file that was parsed.
    loaded: HashMap<usize, usize>,
    /// The module that is being parsed.
    at: usize,
    faults: &'a mut Vec<Fault>,
}

impl Parser<'_> {
    fn module(&mut self) -> &mut Module {
        &mut self.known.modules[self.at]
    }

    fn fault(&mut self, span: Span, what: String) {
        let file = self.known.files[self.known.modules[self.at].file].clone();
        self.faults.push(Fault { file, line: span.start().line, what });
    }

    /// Parses a file as a module.
    fn load(&mut self, file: usize, parent: usize, folder: String) -> Result<usize> {
        let index = self.known.modules.len();
        self.loaded.insert(file, index);
        self.known.modules.push(Module { file, parent, folder, ..Module::default() });
        let (name, text) = self.texts[file];
        let parsed = syn::parse_file(text).with_context(|| format!("{name} cannot be parsed"))?;
        self.items(index, &parsed.items)?;
        Ok(index)
    }

    /// Takes up the items of a module.
    fn items(&mut self, index: usize, items: &[Item]) -> Result<()> {
        let outer = std::mem::replace(&mut self.at, index);
        for item in items {
            match item {
                Item::Const(item) => self.define(&item.ident),
                Item::Enum(item) => self.define(&item.ident),
                Item::Fn(item) => self.define(&item.sig.ident),
                Item::Macro(item) => item.ident.iter().for_each(|name| self.define(name)),
                Item::Static(item) => self.define(&item.ident),
                Item::Struct(item) => self.define(&item.ident),
                Item::Trait(item) => self.define(&item.ident),
                Item::TraitAlias(item) => self.define(&item.ident),
                Item::Type(item) => self.define(&item.ident),
                Item::Union(item) => self.define(&item.ident),
                Item::Mod(item) => self.child(item)?,
                _ => {}
            }
            if !matches!(item, Item::Mod(_)) {
                self.visit_item(item);
            }
        }
        self.at = outer;
        Ok(())
    }

    fn define(&mut self, name: &Ident) {
        self.bind(name, Binding::Item);
    }

    fn bind(&mut self, name: &Ident, binding: Binding) {
        self.module().names.entry(name.unraw().to_string()).or_default().push(binding);
    }

    /// A child module: inline, or in a file beside this one or below it.
    fn child(&mut self, item: &syn::ItemMod) -> Result<()> {
        let (parent, parent_file) = (self.at, self.module().file);
        let elsewhere = item.attrs.iter().find_map(path_attribute);
        if elsewhere.is_some() {
            self.fault(item.ident.span(), "#[path] hides where a module stands: move the file".into());
        }
        let base = format!("{}{}", self.module().folder, item.ident.unraw());
        let folder = format!("{base}/");
        let child = if let Some((_, items)) = &item.content {
            let index = self.known.modules.len();
            self.known.modules.push(Module { file: parent_file, parent, folder, ..Module::default() });
            self.items(index, items)?;
            index
        } else {
            let paths = match elsewhere {
                // From the folder of the file, not of its children.
                Some(path) => {
                    let path = joined(folder_of(self.texts[parent_file].0), &path);
                    [path.clone(), path]
                }
                None => [format!("{base}.rs"), format!("{base}/mod.rs")],
            };
            let Some(file) = self.texts.iter().position(|(file, _)| paths.iter().any(|path| path == file))
            else {
                self.fault(item.ident.span(), format!("`mod {}` has no file: add {}", item.ident, paths[0]));
                return Ok(());
            };
            match self.loaded.get(&file) {
                // `cfg` chooses one of two `mod` lines.
                Some(&index) => index,
                None if paths[0] == paths[1] => self.load(file, parent, folder_of(&paths[0]).into())?,
                None => self.load(file, parent, folder)?,
            }
        };
        self.bind(&item.ident, Binding::Module(child));
        Ok(())
    }

    fn name(&mut self, segments: Vec<String>, line: usize, end: End) {
        self.module().paths.push(Path { segments, line, end });
    }

    fn use_tree(&mut self, prefix: &[String], tree: &UseTree) {
        let extended = |name: &Ident| [prefix, &[name.unraw().to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.use_tree(&extended(&path.ident), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(prefix, tree)),
            UseTree::Name(leaf) if leaf.ident == "self" => {
                let Some(last) = prefix.last() else { return };
                let last = Ident::new(last, leaf.ident.span());
                self.import(prefix.to_vec(), &last, &last);
            }
            UseTree::Name(leaf) => self.import(extended(&leaf.ident), &leaf.ident, &leaf.ident),
            UseTree::Rename(leaf) if leaf.ident == "self" => {
                self.import(prefix.to_vec(), &leaf.ident, &leaf.rename);
            }
            UseTree::Rename(leaf) => self.import(extended(&leaf.ident), &leaf.ident, &leaf.rename),
            UseTree::Glob(glob) => {
                self.name(prefix.to_vec(), glob.star_token.spans[0].start().line, End::Glob);
                self.module().globs.push(prefix.to_vec());
            }
        }
    }

    fn import(&mut self, path: Vec<String>, leaf: &Ident, name: &Ident) {
        self.name(path.clone(), leaf.span().start().line, End::Whole);
        if name != "_" {
            self.bind(name, Binding::Import(path));
        }
    }

    /// Lists the paths in tokens.
    fn tokens(&mut self, tokens: TokenStream) {
        for (segments, span, end) in paths_in(tokens) {
            self.name(segments, span.start().line, end);
        }
    }
}

impl<'a> Visit<'a> for Parser<'_> {
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}

    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.use_tree(&[], &item.tree);
        }
    }

    fn visit_item_extern_crate(&mut self, item: &'a syn::ItemExternCrate) {
        if let (true, Some((_, name))) = (item.ident == "self", &item.rename) {
            self.bind(name, Binding::Import(vec!["crate".into()]));
        }
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        self.fault(item.ident.span(), "a module inside a function: move it out".into());
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        let Some(name) = &item.ident else { return self.visit_macro(&item.mac) };
        let relative = |segments: &Vec<String>| !["crate", "self", "super"].contains(&segments[0].as_str());
        let paths = paths_in(item.mac.tokens.clone()).into_iter().map(|(segments, ..)| segments);
        let relative = paths.filter(relative).collect();
        self.module().macros.insert(name.unraw().to_string(), relative);
        self.tokens(item.mac.tokens.clone());
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
            self.name(segments, path.segments[0].ident.span().start().line, End::Whole);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        if call.path.is_ident("include") {
            self.fault(call.path.segments[0].ident.span(), "include! hides code: make it a module".into());
        }
        visit::visit_macro(self, call);
    }

    fn visit_token_stream(&mut self, tokens: &'a TokenStream) {
        self.tokens(tokens.clone());
    }
}

/// The folder of a file: empty, or with `/` at the end.
fn folder_of(file: &str) -> &str {
    file.rfind('/').map_or("", |at| &file[..=at])
}

/// A path from a folder, without `..`.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split_terminator('/').collect();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The file that an attribute `#[path = "..."]` names.
fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(meta) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) = &meta.value else { return None };
    meta.path.is_ident("path").then(|| path.value())
}

/// The paths of two or more segments in tokens, and the names of macros that are called. A metavariable is `$`.
fn paths_in(tokens: TokenStream) -> Vec<(Vec<String>, Span, End)> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => {
                paths.extend(paths_in(group.stream()));
                at += 1;
            }
            // `::name` is a path into another crate.
            _ if colons(&tokens, at) => {
                at += 2;
                while let Some((_, next)) = segment(&tokens, at) {
                    at = next;
                    if !colons(&tokens, at) {
                        break;
                    }
                    at += 2;
                }
            }
            _ => match segment(&tokens, at) {
                Some(_) => at = path(&tokens, at, &[], &mut paths),
                None => at += 1,
            },
        }
    }
    paths
}

/// Whether `::` stands at a place.
fn colons(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    colon(at) && colon(at + 1)
}

/// The segment of a path at a place, and the place behind it: an identifier, `$crate`, or a metavariable.
fn segment(tokens: &[TokenTree], at: usize) -> Option<(String, usize)> {
    match (tokens.get(at)?, tokens.get(at + 1)) {
        (TokenTree::Ident(name), _) => Some((name.unraw().to_string(), at + 1)),
        (TokenTree::Punct(punct), Some(TokenTree::Ident(name))) if punct.as_char() == '$' => {
            let name = if name == "crate" { "crate" } else { "$" };
            Some((name.into(), at + 2))
        }
        _ => None,
    }
}

/// Reads the path that begins at a place, with its groups, and returns the place behind it.
fn path(
    tokens: &[TokenTree],
    mut at: usize,
    prefix: &[String],
    paths: &mut Vec<(Vec<String>, Span, End)>,
) -> usize {
    let span = tokens[at].span();
    let mut segments = prefix.to_vec();
    while let Some((name, next)) = segment(tokens, at) {
        segments.push(name);
        at = next;
        if !colons(tokens, at) {
            break;
        }
        at += 2;
        match tokens.get(at) {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                paths.push((segments, span, End::Glob));
                return at + 1;
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut from = 0;
                while from < inner.len() {
                    from = match segment(&inner, from) {
                        Some(_) => path(&inner, from, &segments, paths),
                        None => from + 1,
                    };
                }
                return at + 1;
            }
            _ => {}
        }
    }
    let called = matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == '!');
    // Only what comes before a metavariable is known. A path that begins with one is judged where the macro is called.
    let whole = segments.len();
    let known: Vec<String> = segments.into_iter().take_while(|segment| segment != "$").collect();
    if known.len() < whole && !known.is_empty() {
        paths.push((known, span, End::Metavariable));
    } else if known.len() > 1 || (called && !known.is_empty()) {
        paths.push((known, span, End::Whole));
    }
    at
}
