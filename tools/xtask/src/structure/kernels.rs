//! Every kernel file has a header, an id, a `mod` line, and a row in the table for each of its kernels.

use super::syntax::{Crate, Fault};
use proc_macro2::TokenTree;
use syn::Item;

/// What the header of a kernel file must say (docs/ADDING_A_KERNEL.md).
const HEADER: [&str; 6] = ["id", "slot", "does", "bounds", "timing", "origin"];

/// What the stem of a kernel file starts with.
const PRIMITIVES: [&str; 4] = ["siphash_", "halfsiphash_", "poly1305_", "chacha20_"];

/// A `kernel!` of a file.
struct Row {
    name: String,
    id: String,
    line: usize,
}

/// Checks the kernel files of a crate, and returns how many there are. `table` is the file that lists the rows.
pub fn check(known: &Crate, texts: &[(&str, &str)], table: &str, faults: &mut Vec<Fault>) -> usize {
    let of_table = known.modules.iter().filter(|module| known.files[module.file] == table);
    let rows: Vec<&[String]> =
        of_table.flat_map(|module| &module.paths).map(|path| &path.segments[..]).collect();
    let mut kernels = 0;
    for (file, text) in texts.iter().filter(|(file, _)| file.starts_with("arch/")) {
        let stem = file.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
        let declared = declared(text);
        if declared.is_empty() && !PRIMITIVES.iter().any(|primitive| stem.starts_with(primitive)) {
            continue;
        }
        kernels += 1;
        let mut fault = |line, what: String| faults.push(Fault { file: (*file).into(), line, what });
        if declared.is_empty() {
            fault(1, "a kernel file declares a kernel with `kernel!`".into());
        }
        let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        for key in HEADER {
            let says = |word: &str| word == key || word.strip_suffix('s') == Some(key);
            if !header.iter().any(|line| line.split_whitespace().any(says)) {
                fault(1, format!("the header wants a line `{key}` (docs/ADDING_A_KERNEL.md)"));
            }
        }
        if !header.iter().any(|line| line.split_whitespace().skip(1).take(2).eq(["id", stem])) {
            fault(1, format!("the header wants the line `id  {stem}`: the id is the stem of the file"));
        }
        for row in declared {
            if row.id != stem {
                fault(row.line, format!("the id \"{}\" is not the stem of the file, \"{stem}\"", row.id));
            }
            if !rows.iter().any(|path| path.ends_with(&[stem.into(), row.name.clone()])) {
                fault(row.line, format!("{table} wants the row `{stem}::{}`", row.name));
            }
        }
    }
    kernels
}

/// The kernels that a file declares.
fn declared(text: &str) -> Vec<Row> {
    let items = syn::parse_file(text).map(|file| file.items).unwrap_or_default();
    let mut rows = Vec::new();
    for item in items {
        let Item::Macro(item) = item else { continue };
        if item.mac.path.segments.last().is_none_or(|name| name.ident != "kernel") {
            continue;
        }
        let tokens: Vec<TokenTree> = item.mac.tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let (TokenTree::Ident(word), Some(TokenTree::Ident(name))) = (token, tokens.get(at + 1)) else {
                continue;
            };
            if word == "pub" {
                let id = tokens[at..].iter().find_map(|token| match token {
                    TokenTree::Literal(literal) => Some(literal.to_string().trim_matches('"').to_string()),
                    _ => None,
                });
                let line = name.span().start().line;
                rows.push(Row { name: name.to_string(), id: id.unwrap_or_default(), line });
            }
        }
    }
    rows
}
