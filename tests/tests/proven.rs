//! The rules of `proven.csv`: how to judge a row that cannot run here.

use keylane_conformance::proven::{Proof, date, digest, kernel_digest, load, not_run};
use std::path::Path;

fn proof() -> Proof {
    Proof {
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
    let text = Proof::write(&[proof(), proof()]);
    assert!(
        text.starts_with("slot,kernel,target,digest,commit,cpu,date\nsiphash-xn,siphash_x4_avx2,"),
        "{text}"
    );
    let comma_gone = Proof { cpu: "Some CPU  3 GHz".into(), ..proof() };
    assert_eq!(Proof::parse(&text), [comma_gone.clone(), comma_gone]);
    assert_eq!(Proof::parse(&Proof::write(&[])), []);
}

#[test]
fn a_row_that_cannot_run_fails_only_if_its_file_has_changed() {
    let same = not_run(&[proof()], &digest(b"fn many() {}"));
    let last = "last proven 0123abc x86_64-unknown-linux-gnu Some CPU, 3 GHz 2026-09-01";
    assert_eq!(same, Ok(last.into()));
    let changed = not_run(&[proof()], &digest(b"fn many() { }"));
    assert_eq!(changed, Err(format!("{last}, but its file has changed since")));
    let gone = not_run(&[proof()], "");
    assert!(gone.is_err());
    assert_eq!(not_run(&[], &digest(b"")), Ok("never proven".into()));
    assert!(proof().is_of("siphash-xn", "siphash_x4_avx2"));
    assert!(!proof().is_of("siphash-xn", "siphash_x1"));
    assert!(!proof().is_of("halfsiphash-xn", "siphash_x4_avx2"));
}

/// One target is enough if the files were the same there.
#[test]
fn a_row_may_be_proven_on_any_target() {
    let now = digest(b"fn many() { }");
    let elsewhere = Proof { target: "i686-unknown-linux-gnu".into(), digest: now.clone(), ..proof() };
    let last = "last proven 0123abc i686-unknown-linux-gnu Some CPU, 3 GHz 2026-09-01";
    assert_eq!(not_run(&[proof(), elsewhere], &now), Ok(last.into()));
    assert!(not_run(&[proof(), proof()], &now).is_err());
}

/// A kernel's digest changes with its file, with a shared file beside it, and with a shared file above it.
#[test]
fn the_digest_of_a_kernel_covers_what_it_shares() {
    let root = tempfile::tempdir().expect("a folder");
    let arch = root.path().join("crates/core/src/arch");
    std::fs::create_dir_all(arch.join("isa")).expect("a folder");
    let row = |text: &str| format!("use shared;\n\nkernel! {{ {text} }}\n");
    let write = |path: &str, text: &str| std::fs::write(arch.join(path), text).expect("a file");
    let digest = || kernel_digest(root.path(), "a_x1").expect("a file of that name");
    write("isa/a_x1.rs", &row("1"));
    write("isa/b_x1.rs", &row("1"));
    write("isa/beside.rs", "1");
    write("above.rs", "1");
    let mut digests = vec![digest()];
    write("isa/b_x1.rs", &row("2"));
    assert_eq!(digest(), digests[0], "another kernel is not its own");
    for (path, text) in [("isa/a_x1.rs", row("2")), ("isa/beside.rs", "2".into()), ("above.rs", "2".into())] {
        write(path, &text);
        assert!(!digests.contains(&digest()), "{path}");
        digests.push(digest());
    }
    assert_eq!(kernel_digest(root.path(), "c_x1"), None);
}

/// The repository's file has one line for each row and target.
#[test]
fn rows_are_recorded_by_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let proofs = load(root);
    let key = |proof: &Proof| (proof.slot.clone(), proof.kernel.clone(), proof.target.clone());
    assert!(proofs.is_sorted_by(|one, next| key(one) < key(next)), "one line a row and target, in order");
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
