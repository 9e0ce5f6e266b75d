//! The API names no architecture, no CPU feature and no instruction set: which row takes a call is the question of
//! `dispatch`, and every measured number is in `job/limits.rs`.

use super::syntax::Fault;
use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The layers below the API.
const BELOW: [&str; 3] = ["job/", "arch/", "dispatch/"];

/// Conditions on the machine.
const CONDITIONS: [&str; 2] = ["target_arch", "target_feature"];

/// How the names of instruction sets begin.
const SETS: [&str; 10] = ["avx", "sse", "ssse", "neon", "asimd", "sve", "ifma", "bmi", "gfni", "simd128"];

/// Checks one file of the core.
pub fn check(file: &str, text: &str, faults: &mut Vec<Fault>) -> Result<()> {
    if BELOW.iter().any(|layer| file.starts_with(layer)) {
        return Ok(());
    }
    let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{file}: {error}"))?;
    let mut found = Vec::new();
    find(tokens, &mut found);
    faults.extend(found.into_iter().map(|(line, name)| Fault {
        file: file.into(),
        line,
        what: format!("`{name}` is for dispatch/, arch/ and job/: the API asks `dispatch::plan`"),
    }));
    Ok(())
}

/// The lines that name a machine. Comments and documentation may.
fn find(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) if names_machine(&name.to_string()) => {
                found.push((name.span().start().line, name.to_string()));
            }
            TokenTree::Literal(literal) if names_machine(&literal.to_string()) => {
                found.push((literal.span().start().line, literal.to_string()));
            }
            TokenTree::Group(group) if !is_documentation(&group) => find(group.stream(), found),
            _ => {}
        }
    }
}

fn is_documentation(group: &proc_macro2::Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket && matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
}

fn names_machine(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    CONDITIONS.contains(&name.as_str()) || words.any(|word| SETS.iter().any(|set| word.starts_with(set)))
}
