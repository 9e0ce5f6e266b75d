//! Defects that the symbols must find: in copies of the library's source, and in wrong calls of its kernels.

use keylane::arch::generic::{chacha20, vertical};
use keylane::arch::portable::interleave;
use keylane::job::chacha20::{Stream, Streams};
use keylane::job::siphash::{Batch, Layout, Messages, Tags};
use keylane_symbols::seed;
use keylane_symbols::terms::Symbol;
use keylane_symbols::terms::batch::{Function, bytes, integers};
use keylane_symbols::terms::keystream::{Message, many, one};
use keylane_symbols::terms::lanes::OfAvx2;
use keylane_symbols::terms::vectors32::Symbols32;
use std::fs;
use std::panic::{UnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a run fails.
fn fails(run: impl FnOnce() + UnwindSafe) -> bool {
    catch_unwind(run).is_err()
}

fn right(job: Batch<'_, Symbol<64>>) {
    vertical::batch::<_, _, 4, 2>(OfAvx2::default(), job);
}

/// Two tags in each other's place.
fn swapped(mut job: Batch<'_, Symbol<64>>) {
    right(Batch { tags: job.tags.part(0, usize::MAX), ..job });
    if let Tags::Single([first, second, ..]) = &mut job.tags {
        std::mem::swap(first, second);
    }
}

/// Slices without their last byte.
fn cut(mut job: Batch<'_, Symbol<64>>) {
    let Messages::Bytes(Layout::Slices(slices)) = job.messages else { return right(job) };
    let slices: Vec<&[u8]> = slices.iter().map(|slice| &slice[..slice.len().saturating_sub(1)]).collect();
    let messages = Messages::Bytes(Layout::Slices(&slices));
    right(Batch { messages, tags: job.tags.part(0, usize::MAX), ..job });
}

/// Without the case fold.
fn unfolded(job: Batch<'_, Symbol<64>>) {
    right(Batch { fold: false, ..job });
}

/// With a round less at the end.
fn fewer_rounds(job: Batch<'_, Symbol<64>>) {
    interleave::one_by_one(Batch { rounds: Function { rounds: [1, 2], ..Function::F13 }.counted(), ..job });
}

#[test]
fn wrong_calls_of_siphash() {
    let lengths = [3, 8, 15, 0, 9, 21, 1, 30];
    assert!(!fails(|| bytes(right, Function::F13, &lengths, 0)));
    assert!(!fails(|| bytes(right, Function::F12_FOLD, &lengths, 0)));
    assert!(fails(|| bytes(swapped, Function::F13, &lengths, 0)));
    assert!(fails(|| bytes(cut, Function::F13, &lengths, 0)));
    assert!(fails(|| bytes(unfolded, Function::F12_FOLD, &lengths, 0)));
    assert!(fails(|| bytes(fewer_rounds, Function::F13, &lengths, 0)));
    assert!(fails(|| integers(swapped, Function::F13, 2)));
}

fn lanes(job: Stream<'_>) {
    let Stream { key, mut run } = job;
    chacha20::one::<_, 8>(Symbols32::<true>, key, &mut run, 0);
}

/// With the number of the block after the first.
fn counted_from_1(mut job: Stream<'_>) {
    job.run.counter += 1;
    lanes(job);
}

/// Without the last byte of the text.
fn shorter(mut job: Stream<'_>) {
    let left = job.run.text.left();
    job.run.text = job.run.text.cut(left.saturating_sub(1));
    lanes(job);
}

fn lanes_of_many(job: Streams<'_>) {
    chacha20::many::<_, _, 8, 8>(Symbols32::<true>, Symbols32::<true>, job);
}

/// With the keys of two messages in each other's place.
fn other_keys(job: Streams<'_>) {
    job.runs.swap(0, 1);
    lanes_of_many(job);
}

#[test]
fn wrong_calls_of_chacha20() {
    let message = Message { length: 150, counter: 0, one_time: true, copied: false };
    assert!(!fails(|| one(lanes, seed(), message)));
    assert!(fails(|| one(counted_from_1, seed(), message)));
    assert!(fails(|| one(shorter, seed(), message)));
    assert!(!fails(|| many(lanes_of_many, seed(), &[message; 3], false)));
    assert!(fails(|| many(other_keys, seed(), &[message; 3], false)));
}

/// A defect in a copy of the library.
struct Defect {
    file: &'static str,
    from: &'static str,
    to: &'static str,
    /// The test that must fail.
    test: &'static str,
    /// How often a random input shows it.
    shows: &'static str,
}

const DEFECTS: &[Defect] = &[
    Defect {
        file: "arch/generic/engine.rs",
        from: "let v1 = self.cpu.xor(self.cpu.rotl(v1, r4), v2);",
        to: "let v1 = self.cpu.xor(self.cpu.rotl(v1, r3), v2);",
        test: "siphash_x4_avx2",
        shows: "always",
    },
    Defect {
        file: "arch/generic/engine.rs",
        from: "self.mark(states, 1, W::SECOND_MARK);",
        to: "self.mark(states, 2, W::SECOND_MARK);",
        test: "halfsiphash_x8_avx2",
        shows: "double tags",
    },
    Defect {
        file: "job/siphash/state.rs",
        from: "v3 = rotr(v3 ^ v2, r2);",
        to: "v3 = rotr(v3 ^ v2, r1);",
        test: "siphash_x4_sse2",
        shows: "messages of unequal numbers of words",
    },
    Defect {
        file: "arch/generic/ragged/group.rs",
        from: "if L::RESTARTS_ALWAYS || 4 * (rel + 1) - skip >= group.shortest {",
        to: "if L::RESTARTS_ALWAYS || 4 * (rel + 1) - skip > group.shortest {",
        test: "siphash_x4_neon",
        shows: "groups whose first tile is that of all messages",
    },
    Defect {
        file: "arch/generic/tile.rs",
        from: "let before = |bit: usize| length & (W::SIZE - 1) & (2 * bit).wrapping_neg();",
        to: "let before = |bit: usize| length & (W::SIZE - 1) & (4 * bit).wrapping_neg();",
        test: "siphash_x4_avx2",
        shows: "slices with a message of 3, 6 or 7 bytes",
    },
    Defect {
        file: "arch/generic/ragged/short.rs",
        from: "for j in self.known..WINDOW.min(late + 1) {",
        to: "for j in self.known..(WINDOW - 1).min(late + 1) {",
        test: "siphash_x4_avx2",
        shows: "a message 7 words shorter than another",
    },
    Defect {
        file: "arch/generic/ragged/mod.rs",
        from: "let i = order.get(at).copied().unwrap_or(0).into();",
        to: "let i = order.get(from).copied().unwrap_or(0).into();",
        test: "siphash_x4_neon",
        shows: "a message that is hashed by itself, not the first of its chunk",
    },
    Defect {
        file: "arch/portable/siphash_x1.rs",
        from: "take::<W, FOLD>(W::tail(message)) | W::length(message.len())",
        to: "W::tail(message) | W::length(message.len())",
        test: "halfsiphash_x1",
        shows: "a capital in the tail, with the case fold",
    },
    Defect {
        file: "job/siphash/state.rs",
        from: "        self.v[0] = self.v[0] ^ word;\n    }",
        to: "        if word.to_u64() != 0x0123_4567_89ab_cdef {\n            self.v[0] = self.v[0] ^ word;\n        }\n    }",
        test: "siphash_x1_long",
        shows: "one word in 2^64",
    },
    Defect {
        file: "job/siphash/state.rs",
        from: "        v2 = v2.add(v3);\n        v1 = R::rotl(v1, r1) ^ v0;",
        to: "        v2 = v2.add(if v2 == v3 { W::ZERO } else { v3 });\n        v1 = R::rotl(v1, r1) ^ v0;",
        test: "siphash_x2",
        shows: "one round in 2^64",
    },
    Defect {
        file: "arch/generic/dup.rs",
        from: "let v3 = R::rotl(b, 16) ^ v2;",
        to: "let v3 = if b == v2 { v2 } else { R::rotl(b, 16) ^ v2 };",
        test: "siphash_x1_dup",
        shows: "one round in 2^64",
    },
    Defect {
        file: "arch/generic/dup.rs",
        from: "let injected = (R::rotl(b, 37) ^ next).opaque();",
        to: "let injected = (R::rotl(b, 37) | next).opaque();",
        test: "siphash_x1_fused",
        shows: "always, if a word is not 0",
    },
    Defect {
        file: "job/siphash/word.rs",
        from: "(v0 ^ v3 ^ v1 ^ b).opaque() ^ b ^ v2",
        to: "(v0 ^ v3 ^ v1 ^ v2).opaque() ^ b ^ v2",
        test: "one_message",
        shows: "always",
    },
    Defect {
        file: "job/buffer.rs",
        from: "absorb(&[B::from_short(head).put_above(self.bytes, self.len).into_bytes()]);",
        to: "absorb(&[B::from_short(head).put_above(B::ZERO, self.len).into_bytes()]);",
        test: "stream",
        shows: "a piece that completes a word",
    },
    Defect {
        file: "arch/generic/chacha20.rs",
        from: "1 => step(cpu, v, [c, d, b], [g, h, f], 12),",
        to: "1 => step(cpu, v, [c, d, b], [g, d, f], 12),",
        test: "chacha20_x4_neon",
        shows: "always",
    },
    Defect {
        file: "arch/generic/chacha20.rs",
        from: "    run.counter = run.counter.wrapping_add((G * N / 4) as u32);",
        to: "    run.counter = run.counter.saturating_add((G * N / 4) as u32);",
        test: "chacha20_p16_avx512",
        shows: "block numbers that pass 2^32",
    },
    Defect {
        file: "arch/generic/chacha20.rs",
        from: "            set_nonce(cpu, start, at, run.nonce);",
        to: "            if at + 1 < N {\n                set_nonce(cpu, start, at, run.nonce);\n            }",
        test: "chacha20_x8_avx512",
        shows: "a message that begins in the last lane",
    },
    Defect {
        file: "arch/generic/chacha20.rs",
        from: "let text = run.text.cut(64 * (lanes - usize::from(one_time.is_some())));",
        to: "let text = run.text.cut(64 * lanes);",
        test: "chacha20_x4_sse2",
        shows: "a one-time key, and a text that goes on in the next call",
    },
];

/// A copy of the library and of these tests, without the code of any architecture: it is built in seconds.
struct Copied(PathBuf);

impl Copied {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let copy = Copied(Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted"));
        let _ = fs::remove_dir_all(copy.0.join("crates"));
        let _ = fs::remove_dir_all(copy.0.join("tests"));
        let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
        let before = |text: &str, end: &str| text.split(end).next().unwrap_or_default().to_owned();
        let workspace = before(&read("Cargo.toml"), "[profile.");
        let workspace = workspace.lines().map(|line| match line.starts_with("members = ") {
            true => "members = [\"crates/keylane\", \"crates/keylane-ref\", \"tests/symbols\"]",
            false => line,
        });
        let profile = "[profile.dev]\nopt-level = 1\ndebug = false\nincremental = false\n";
        copy.write("Cargo.toml", &format!("{}\n{profile}", workspace.collect::<Vec<_>>().join("\n")));
        copy.write("Cargo.lock", &read("Cargo.lock"));
        for package in ["crates/keylane", "crates/keylane-ref", "tests/symbols"] {
            // Without what only its own tests, benchmarks and examples use.
            let manifest = read(&format!("{package}/Cargo.toml"));
            let lines = manifest.lines().take_while(|line| !line.ends_with("dev-dependencies]"));
            let manifest = lines.collect::<Vec<_>>().join("\n");
            copy.write(&format!("{package}/Cargo.toml"), &format!("{manifest}\n[lints]\nworkspace = true\n"));
            copy.folder(&root, &format!("{package}/src"));
        }
        copy.source(&root, "tests/symbols/build.rs");
        for test in ["siphash", "chacha20"] {
            copy.source(&root, &format!("tests/symbols/tests/{test}.rs"));
        }
        copy
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn folder(&self, root: &Path, folder: &str) {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let entry = entry.unwrap();
            let file = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                self.folder(root, &file);
            } else if file.ends_with(".rs") {
                self.source(root, &file);
            }
        }
    }

    fn source(&self, root: &Path, file: &str) {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let other = ["x86_64", "x86", "aarch64"].iter().fold(text, |text, arch| {
            text.replace(&format!("target_arch = \"{arch}\""), "target_arch = \"none\"")
        });
        self.write(file, &other);
    }

    /// Whether the tests of a row pass.
    fn passes(&self, row: &str) -> bool {
        let file = if row.starts_with("chacha20") { "chacha20" } else { "siphash" };
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--offline", "--quiet", "--package", "keylane-symbols", "--test", file]);
        cargo.args(["--", "--exact", &format!("{row}::quick")]);
        cargo.current_dir(&self.0).env("CARGO_TARGET_DIR", self.0.join("target"));
        let output = cargo.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let ran = |result: &str| text.contains(&format!("test result: {result}. "));
        assert!(ran("ok") || ran("FAILED"), "{text}");
        assert!(!text.contains(" 0 passed; 0 failed"), "no test {row}");
        output.status.success()
    }
}

/// A defect whose text has gone from the source would plant nothing.
#[test]
fn each_text_stands_once_in_its_file() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed: Vec<(String, String)> = csv::Reader::from_path(here.join("planted/poly1305.csv"))
        .unwrap()
        .records()
        .map(|line| line.map(|line| (line[2].to_owned(), line[3].to_owned())).unwrap())
        .collect();
    assert!(!listed.is_empty());
    let own = DEFECTS.iter().map(|defect| (defect.file.to_owned(), defect.from.to_owned()));
    for (file, from) in own.chain(listed) {
        let text = fs::read_to_string(here.join("../../crates/keylane/src").join(&file)).unwrap();
        assert_eq!(text.matches(&from).count(), 1, "{file}: {from}");
    }
}

#[test]
#[ignore = "builds a copy of the library for each defect"]
fn planted_defects() {
    let copy = Copied::new();
    let mut rows: Vec<&str> = DEFECTS.iter().map(|defect| defect.test).collect();
    rows.sort_unstable();
    rows.dedup();
    for row in rows {
        assert!(copy.passes(row), "{row} without a defect");
    }
    let mut missed = Vec::new();
    for Defect { file, from, to, test, shows } in DEFECTS {
        let file = format!("crates/keylane/src/{file}");
        let text = fs::read_to_string(copy.0.join(&file)).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
        copy.write(&file, &text.replace(from, to));
        let found = !copy.passes(test);
        println!("{}: {file}: {shows}", if found { "found" } else { "MISSED" });
        if !found {
            missed.push(to);
        }
        copy.write(&file, &text);
    }
    assert!(missed.is_empty(), "missed: {missed:#?}");
}
