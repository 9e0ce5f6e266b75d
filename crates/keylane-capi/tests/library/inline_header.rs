//! The example of docs/INLINE_HEADER.md compiles as it stands, with `keylane_inline.h` and nothing else.

use crate::library::{CRATE, LANGUAGES, WARNINGS, run, there};
use keylane_ref::siphash64;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The longest connection ID of QUIC.
const LONGEST: usize = 20;

#[test]
fn the_example_finds_the_buckets_of_the_specification() {
    let page = fs::read_to_string(Path::new(CRATE).join("../../docs/INLINE_HEADER.md")).expect("the page");
    let (_, example) = page.split_once("```c\n").expect("an example");
    let (example, _) = example.split_once("```").expect("its end");
    let key = std::array::from_fn(|i| i as u8);
    let id: [u8; LONGEST] = std::array::from_fn(|i| (31 * i + 7) as u8);
    let buckets: Vec<String> =
        (0..=LONGEST).map(|length| format!("{}u", siphash64(1, 3, &key, &id[..length]) & 0xffff)).collect();
    let program = format!(
        "#include <stddef.h>
#include <stdint.h>
static int fails;
static int random_bytes(uint8_t *key, size_t length) {{
    for (size_t i = 0; i < length; i++) key[i] = (uint8_t)i;
    return !fails;
}}
{example}
int main(void) {{
    static const unsigned int buckets[{LONGEST} + 1] = {{{}}};
    uint8_t id[{LONGEST}];
    id_table table;
    if (!id_table_init(&table, 0x10000)) return 1;
    for (size_t i = 0; i < {LONGEST}; i++) id[i] = (uint8_t)(31 * i + 7);
    for (size_t i = 0; i <= {LONGEST}; i++)
        if (id_bucket(&table, id, i) != buckets[i]) return 2;
    fails = 1;
    return id_table_init(&table, 0x10000);
}}
",
        buckets.join(", ")
    );
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("example.c");
    fs::write(&source, program).expect("the program");
    for language in LANGUAGES.into_iter().filter(|language| there(language.compiler)) {
        let path = folder.path().join(language.compiler);
        let mut compiler = Command::new(language.compiler);
        compiler.args(language.arguments).args(WARNINGS).args(["-O2", "-I"]);
        run(compiler.arg(Path::new(CRATE).join("include")).arg(&source).arg("-o").arg(&path));
        run(&mut Command::new(&path));
    }
}
