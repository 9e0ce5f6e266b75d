//! Takes the scalar functions of Poly1305 out of the library's source, for `src/numbers/scalar.rs` and `smt.rs`.
//!
//! They are functions of `u64` and `u128`, so they cannot run on symbols as they are compiled. Their text can, where
//! these names stand for other types. One thing changes: `x as u64` becomes `x.low_64()`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A file of the library, and its items for one module: constants, structures, functions and methods, by their heads.
struct Module {
    name: &'static str,
    path: &'static str,
    items: &'static [&'static str],
    /// Methods of `Multiplier`.
    methods: &'static [&'static str],
}

const ARITHMETIC: &[Module] = &[
    Module { name: "key", path: "job/poly1305/key.rs", items: &["fn clamped("], methods: &[] },
    Module {
        name: "x1_u64",
        path: "arch/portable/poly1305_x1_u64.rs",
        items: &["struct Multiplier {"],
        methods: &["fn in_registers(", "fn absorb(&self"],
    },
    Module {
        name: "x1_u32",
        path: "arch/portable/poly1305_x1_u32.rs",
        items: &["struct Multiplier {", "fn low(", "fn limbs(", "fn words("],
        methods: &["fn new(", "fn absorb_limbs(&self"],
    },
    Module {
        name: "limbs26",
        path: "arch/generic/radix26/limbs.rs",
        items: &["const MASK: u64", "fn from_base_64(", "fn join_columns(", "fn gather("],
        methods: &[],
    },
    Module {
        name: "limbs44",
        path: "arch/x86_64/radix44.rs",
        items: &["const LIMB: u64", "fn to_base_64(", "fn from_base_64("],
        methods: &[],
    },
    Module { name: "blocks44", path: "arch/x86_64/blocks44.rs", items: &["fn reduce("], methods: &[] },
];

const TAG: Module = Module { name: "tag", path: "job/poly1305/mod.rs", items: &["fn tag([h0"], methods: &[] };

fn main() {
    let source = Path::new("../../crates/keylane/src");
    let target = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let arithmetic: String = ARITHMETIC.iter().map(|module| text(module, source)).collect();
    fs::write(target.join("scalar.rs"), arithmetic).expect("a file in OUT_DIR");
    fs::write(target.join("tag.rs"), text(&TAG, source)).expect("a file in OUT_DIR");
}

fn text(module: &Module, source: &Path) -> String {
    let path = source.join(module.path);
    println!("cargo::rerun-if-changed={}", path.display());
    let file = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let take = |head: &&str| item(&file, head).unwrap_or_else(|| panic!("{}: no {head}", path.display()));
    let mut text = format!("/// From {}.\npub mod {} {{\nuse super::*;\n", module.path, module.name);
    if module.methods.contains(&"fn new(") {
        text += "pub struct Key { pub r: [u64; 2] }\n";
    }
    for item in module.items.iter().map(take) {
        writeln!(
            text,
            "{}pub {item}",
            if item.starts_with("struct") { "#[derive(Clone, Copy)]\n" } else { "" }
        )
        .expect("a String");
    }
    if !module.methods.is_empty() {
        let methods = module.methods.iter().map(take).map(|method| format!("pub {method}\n"));
        writeln!(text, "impl Multiplier {{\n{}}}", methods.collect::<String>()).expect("a String");
    }
    text + "}\n"
}

/// The item with this head: to the end of its line, if it is a constant, or to the brace that closes its body.
fn item(file: &str, head: &str) -> Option<String> {
    let start = file.find(head)?;
    let rest = &file[start..];
    if head.starts_with("const") {
        // Constants stay numbers.
        return Some(rest.get(..=rest.find(';')?)?.replacen("u64", "core::primitive::u64", 1));
    }
    let mut depth = 0;
    let end = rest.char_indices().find(|&(_, char)| {
        depth += i32::from(char == '{') - i32::from(char == '}');
        char == '}' && depth == 0
    })?;
    Some(rest.get(..=end.0)?.replace(" as u64", ".low_64()"))
}
