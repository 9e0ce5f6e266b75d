//! Runs the inputs that fuzzing starts from, without a fuzzer: every seed, the corpus, and some random
//! inputs.

use keylane_conformance::input::Random;
use keylane_fuzz::{TARGETS, Target, corpus};
use std::fs;
use std::path::Path;

fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.name == name).expect("a target")
}

/// Runs the seeds and the corpus of a target, and 200 random inputs.
fn replay(name: &str) {
    let target = target(name);
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{name} has no seed");
    let kept = corpus::read(name).expect("a readable file");
    seeds.iter().chain(&kept).for_each(|input| (target.run)(input));
    let mut random = Random(40);
    for _ in 0..200 {
        let len = random.below(400);
        let input: Vec<u8> = (0..len).map(|_| random.word() as u8).collect();
        (target.run)(&input);
    }
}

/// The names of the files of one kind in a folder of `tests/fuzz-targets`, without extension.
fn stems(folder: &str, kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz-targets").join(folder);
    let paths = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let of_kind = paths.filter(|path| path.extension().is_some_and(|found| found == kind));
    let mut stems: Vec<String> =
        of_kind.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    stems.sort_unstable();
    stems
}

macro_rules! replay {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name));
        })*

        /// Every target is listed here, in `tests/fuzz-targets/fuzz_targets` and in the corpus.
        #[test]
        fn every_target_is_here() {
            let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(targets, [$(stringify!($name)),*]);
            let mut sorted = targets.clone();
            sorted.sort_unstable();
            assert_eq!(stems("fuzz_targets", "rs"), sorted);
            assert_eq!(stems("corpus", "hex"), sorted);
        }
    };
}

replay! {
    siphash_x1_long siphash_xn halfsiphash_xn poly1305_x1 poly1305_pn poly1305_xn siphash_batch poly1305_batch aead
    key_file checklist capi csv
}
