//! The rules of `tests/passed.csv`: what a row's digest covers, and when a row is stale.

use keylane_records::passed::{Pass, Sources, Standing, bochs, date, digest, load};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn pass() -> Pass {
    Pass {
        slot: "siphash-xn".into(),
        kernel: "siphash_x4_avx2".into(),
        target: "x86_64-unknown-linux-gnu".into(),
        digest: digest(b"fn many() {}"),
        commit: "0123abc".into(),
        cpu: "Some CPU, 3 GHz".into(),
        date: "2026-09-01".into(),
    }
}

#[test]
fn a_file_is_read_as_it_is_written() {
    let text = Pass::write(&[pass(), pass()]);
    assert!(
        text.starts_with("slot,kernel,target,digest,commit,cpu,date\nsiphash-xn,siphash_x4_avx2,"),
        "{text}"
    );
    let comma_gone = Pass { cpu: "Some CPU  3 GHz".into(), ..pass() };
    assert_eq!(Pass::parse(&text), [comma_gone.clone(), comma_gone]);
    assert_eq!(Pass::parse(&Pass::write(&[])), []);
}

#[test]
fn a_row_is_stale_if_its_files_have_changed() {
    let passes = [pass()];
    let last = "last passed 0123abc x86_64-unknown-linux-gnu Some CPU, 3 GHz 2026-09-01";
    let same = Standing::new(&passes, &digest(b"fn many() {}"));
    assert_eq!((same, same.to_string()), (Standing::Passed(&passes[0]), last.into()));
    for changed in [&digest(b"fn many() { }"), ""] {
        let stale = Standing::new(&passes, changed);
        assert_eq!(stale, Standing::Stale(&passes[0]));
        assert_eq!(stale.to_string(), format!("{last}, its files changed since"));
    }
    let none = Standing::new(&[], &digest(b""));
    assert_eq!((none, none.to_string()), (Standing::Never, "never passed".into()));
    assert!(pass().is_of("siphash-xn", "siphash_x4_avx2"));
    assert!(!pass().is_of("siphash-xn", "siphash_x1"));
    assert!(!pass().is_of("halfsiphash-xn", "siphash_x4_avx2"));
}

/// One target is enough if the files were the same there. A stale row names its newest pass.
#[test]
fn a_row_may_pass_on_any_target() {
    let now = digest(b"fn many() { }");
    let elsewhere = Pass { target: "i686-unknown-linux-gnu".into(), digest: now.clone(), ..pass() };
    let newer = Pass { date: "2026-10-01".into(), ..pass() };
    assert_eq!(Standing::new([&pass(), &elsewhere], &now), Standing::Passed(&elsewhere));
    assert_eq!(Standing::new([&newer, &pass()], &now), Standing::Stale(&newer));
}

#[test]
fn a_stale_row_says_how_to_run_it() {
    let emulated =
        Pass { cpu: "qemu-aarch64 max".into(), target: "aarch64-unknown-linux-gnu".into(), ..pass() };
    assert_eq!(emulated.renewal(), "run `cargo xtask cross --record --target aarch64-unknown-linux-gnu`");
    assert_eq!(pass().renewal(), "run `cargo xtask test-all` on a CPU like Some CPU, 3 GHz");
    let either = Pass { kernel: "siphash_x8_avx512".into(), ..pass() };
    let cross = "run `cargo xtask cross --record --target x86_64-unknown-linux-gnu-bochs`";
    assert_eq!(either.renewal(), format!("{cross}, or `cargo xtask test-all` on a CPU like Some CPU, 3 GHz"));
    let in_bochs =
        Pass { cpu: "bochs 3.0 patched corei7_icelake_u".into(), target: bochs::TARGET.into(), ..either };
    assert_eq!(in_bochs.renewal(), cross);
}

/// A repository of a few files: a kernel `a_x1`, what it shares, and what it does not.
struct Repository(TempDir);

impl Repository {
    const CORE: &str = "crates/keylane/src";
    const LAB: &str = "bench/lab/src";
    /// What `a_x1` of the core shares.
    const SHARED: [&str; 9] = [
        "arch/isa/beside.rs",
        "arch/isa/beside/below.rs",
        "arch/above.rs",
        "arch/generic/mod.rs",
        "arch/generic/deep/mod.rs",
        "arch/other/mod.rs",
        "arch/other/c_x1.rs",
        "job/mod.rs",
        "job/siphash/state.rs",
    ];
    /// What it does not.
    const APART: [&str; 10] = [
        "arch/isa/b_x1.rs",
        "arch/third/mod.rs",
        "arch/generic/tests.rs",
        "arch/isa/a_x1.toml",
        "job/limits.rs",
        "job/cpu/mod.rs",
        "job/kernel.rs",
        "job/notes.md",
        "dispatch/table.rs",
        "lib.rs",
    ];

    fn new() -> Self {
        let repository = Repository(tempfile::tempdir().expect("a folder"));
        for path in Self::SHARED.iter().chain(&Self::APART).filter(|path| !path.ends_with("_x1.rs")) {
            repository.write(Self::CORE, path, "fn f() {}\n");
        }
        for (path, imports) in [
            ("arch/isa/a_x1.rs", "use crate::arch::other::f;\nuse super::beside;\n"),
            ("arch/isa/b_x1.rs", ""),
            ("arch/other/c_x1.rs", ""),
            ("arch/third/d_x1.rs", ""),
        ] {
            repository.write(Self::CORE, path, &format!("{imports}\nkernel! {{ 1 }}\n"));
        }
        repository.write(Self::CORE, "arch/isa/beside.rs", "use crate::arch::other::c_x1::{\n    f,\n};\n");
        for path in ["arch/e_x1.rs", "arch/mod.rs", "jobs.rs", "table.rs", "lib.rs"] {
            let text = if path.contains("x1") { "kernel! { 1 }\n" } else { "fn f() {}\n" };
            repository.write(Self::LAB, path, text);
        }
        repository
    }

    fn write(&self, src: &str, path: &str, text: &str) {
        let path = self.0.path().join(src).join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn read(&self, src: &str, path: &str) -> String {
        fs::read_to_string(self.0.path().join(src).join(path)).expect("a file")
    }

    fn digest(&self, kernel: &str) -> String {
        Sources::read(self.0.path()).digest(kernel).expect("a file of that name")
    }

    /// Whether a kernel's digest changes with a line of code at the end of a file.
    fn covers(&self, kernel: &str, src: &str, path: &str) -> bool {
        let (digest, text) = (self.digest(kernel), self.read(src, path));
        self.write(src, path, &format!("{text}fn more() {{}}\n"));
        let changed = self.digest(kernel) != digest;
        self.write(src, path, &text);
        assert_eq!(self.digest(kernel), digest);
        changed
    }
}

#[test]
fn a_digest_covers_the_kernel_and_what_it_shares() {
    let repository = Repository::new();
    assert!(repository.covers("a_x1", Repository::CORE, "arch/isa/a_x1.rs"));
    for path in Repository::SHARED {
        assert!(repository.covers("a_x1", Repository::CORE, path), "{path}");
    }
    for path in Repository::APART {
        assert!(!repository.covers("a_x1", Repository::CORE, path), "{path}");
    }
    // This one names no other folder.
    assert!(!repository.covers("d_x1", Repository::CORE, "arch/other/mod.rs"));
    let sources = Sources::read(repository.0.path());
    assert_eq!(sources.digest("f_x1"), None);
    assert_eq!(sources.kernels(), ["a_x1", "b_x1", "c_x1", "d_x1", "e_x1"]);
}

#[test]
fn a_kernel_of_another_crate_shares_the_jobs_and_the_generic_code() {
    let repository = Repository::new();
    for path in ["arch/e_x1.rs", "arch/mod.rs", "jobs.rs"] {
        assert!(repository.covers("e_x1", Repository::LAB, path), "{path}");
    }
    for path in ["table.rs", "lib.rs"] {
        assert!(!repository.covers("e_x1", Repository::LAB, path), "{path}");
    }
    for path in ["arch/generic/mod.rs", "arch/generic/deep/mod.rs", "job/mod.rs", "job/siphash/state.rs"] {
        assert!(repository.covers("e_x1", Repository::CORE, path), "{path}");
    }
    for path in ["arch/above.rs", "arch/isa/beside.rs", "job/kernel.rs"] {
        assert!(!repository.covers("e_x1", Repository::CORE, path), "{path}");
    }
    assert!(!repository.covers("a_x1", Repository::LAB, "arch/mod.rs"));
}

#[test]
fn prose_is_not_in_a_digest() {
    let repository = Repository::new();
    let digest = repository.digest("a_x1");
    for path in ["arch/isa/a_x1.rs", "arch/isa/beside.rs", "arch/generic/mod.rs", "job/mod.rs"] {
        let text = repository.read(Repository::CORE, path);
        let prose = "//! What it is.\n\n// Why.\n    /// A function.\n";
        repository.write(Repository::CORE, path, &format!("{prose}{text}\n\n"));
    }
    assert_eq!(repository.digest("a_x1"), digest);
    let text = repository.read(Repository::CORE, "job/mod.rs");
    repository.write(Repository::CORE, "job/mod.rs", &text.replace("f()", "g()"));
    assert_ne!(repository.digest("a_x1"), digest);
}

/// A kernel that is added beside others must not make them stale.
#[test]
fn the_declaration_of_a_module_is_not_in_a_digest() {
    let repository = Repository::new();
    let digest = repository.digest("a_x1");
    let text = repository.read(Repository::CORE, "job/mod.rs");
    let with = |line: &str| repository.write(Repository::CORE, "job/mod.rs", &format!("{line}\n{text}"));
    for line in ["mod a_x2;", "pub mod a_x2;", "    pub(crate) mod a_x2;"] {
        with(line);
        assert_eq!(repository.digest("a_x1"), digest, "{line}");
    }
    for line in
        ["#[path = \"b.rs\"]", "mod a_x2 { fn f() {} }", "mod a; fn f() {}", "a_mod b;", "pub use a; mod b;"]
    {
        with(line);
        assert_ne!(repository.digest("a_x1"), digest, "{line}");
    }
}

/// The repository's file has one line for each row and target.
#[test]
fn rows_are_recorded_by_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    let passes = load(root);
    let key = |pass: &Pass| (pass.slot.clone(), pass.kernel.clone(), pass.target.clone());
    assert!(passes.is_sorted_by(|one, next| key(one) < key(next)), "one line a row and target, in order");
}

/// Bochs runs every kernel that needs AVX-512 or GFNI.
#[test]
fn bochs_knows_every_row_with_avx512_or_gfni() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    let sources = Sources::read(root);
    let needs = |kernel: &&str| kernel.contains("avx512") || kernel.contains("gfni");
    let mut needed: Vec<&str> = sources.kernels().into_iter().filter(needs).collect();
    needed.sort_unstable();
    assert_eq!(bochs::KERNELS[..], needed);
}

#[test]
fn days() {
    for (seconds, day) in [
        (0, "1970-01-01"),
        (86_399, "1970-01-01"),
        (86_400, "1970-01-02"),
        (951_782_400, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_735_603_200, "2024-12-31"),
        (1_735_689_600, "2025-01-01"),
        (4_107_542_400, "2100-03-01"),
    ] {
        assert_eq!(date(seconds), day);
    }
}
