//! The rules of `proven.csv`: how a row is judged that cannot run here.

use keylane_conformance::proven::{Proof, date, digest, not_run};

fn proof() -> Proof {
    Proof {
        slot: "siphash-xn".into(),
        kernel: "siphash_x4_avx2".into(),
        digest: digest(b"fn many() {}"),
        commit: "0123abc".into(),
        cpu: "Some CPU, 3 GHz".into(),
        date: "2026-09-01".into(),
    }
}

#[test]
fn a_file_is_read_as_it_is_written() {
    let text = Proof::write(&[proof(), proof()]);
    assert!(text.starts_with("slot,kernel,digest,commit,cpu,date\nsiphash-xn,siphash_x4_avx2,"), "{text}");
    let comma_gone = Proof { cpu: "Some CPU  3 GHz".into(), ..proof() };
    assert_eq!(Proof::parse(&text), [comma_gone.clone(), comma_gone]);
    assert_eq!(Proof::parse(&Proof::write(&[])), []);
}

#[test]
fn a_row_that_cannot_run_fails_only_if_its_file_has_changed() {
    let same = not_run(Some(&proof()), &digest(b"fn many() {}"));
    assert_eq!(same, Ok("last proven 0123abc Some CPU, 3 GHz 2026-09-01".into()));
    let changed = not_run(Some(&proof()), &digest(b"fn many() { }"));
    assert!(changed.is_err_and(|why| why.contains("its file has changed since")));
    let gone = not_run(Some(&proof()), "");
    assert!(gone.is_err());
    assert_eq!(not_run(None, &digest(b"")), Ok("never proven".into()));
    assert!(proof().is_of("siphash-xn", "siphash_x4_avx2"));
    assert!(!proof().is_of("siphash-xn", "siphash_x1"));
    assert!(!proof().is_of("halfsiphash-xn", "siphash_x4_avx2"));
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
