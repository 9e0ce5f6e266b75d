//! The header and the recorded symbols, as text.

use crate::library::CRATE;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A function that the header declares.
pub struct Prototype {
    /// The type that it returns.
    pub returns: String,
    /// Its name.
    pub name: String,
    /// The type and the name of each argument. An array's type is `const uint8_t [16]`.
    pub arguments: Vec<(String, String)>,
}

/// A file of this crate.
pub fn text(name: &str) -> String {
    fs::read_to_string(Path::new(CRATE).join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The header without comments and preprocessor lines.
pub fn code() -> String {
    let text = text("include/keylane.h");
    let mut code = String::new();
    for (i, part) in text.split("/*").enumerate() {
        let behind = if i == 0 { part } else { part.split_once("*/").expect("an end of the comment").1 };
        code.push_str(behind);
    }
    code.lines().filter(|line| !line.trim_start().starts_with('#')).map(|line| format!("{line}\n")).collect()
}

/// The type and the name of `const uint8_t key[16]`, and of the like.
fn split(declaration: &str) -> (String, String) {
    let (declaration, length) = match declaration.split_once('[') {
        Some((declaration, length)) => (declaration, format!(" [{length}")),
        None => (declaration, String::new()),
    };
    let at = declaration.rfind([' ', '*']).expect("a type and a name") + 1;
    (format!("{}{length}", declaration[..at].trim_end()), declaration[at..].to_owned())
}

/// The functions that the header declares: the declarations with a parenthesis at the top level.
pub fn prototypes() -> Vec<Prototype> {
    let code = code();
    let declarations = code.split(';').filter(|text| !text.contains('{') && !text.contains("KEYLANE_ASSERT"));
    let prototype = |text: &str| {
        let (head, arguments) = text.split_once('(')?;
        let (returns, name) = split(&head.split_whitespace().collect::<Vec<_>>().join(" "));
        let arguments = arguments.strip_suffix(')').expect("the end of the arguments");
        let arguments = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
        let arguments = arguments.split(", ").filter(|&argument| argument != "void").map(split).collect();
        name.starts_with("keylane_").then_some(Prototype { returns, name, arguments })
    };
    declarations.filter_map(prototype).collect()
}

/// The names of the structs that the header defines.
pub fn structs() -> BTreeSet<String> {
    let code = code();
    let name = |text: &str| Some(text.split_once('{')?.0.split_whitespace().last()?.to_owned());
    code.split("typedef struct ").skip(1).filter_map(name).collect()
}

/// The recorded symbols.
pub fn symbols() -> BTreeSet<String> {
    text("symbols.txt").lines().map(str::to_owned).collect()
}
