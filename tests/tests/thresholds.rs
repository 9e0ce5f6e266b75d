//! Poly1305 on both sides of every length from which on another way of computing pays, on every class of CPUs:
//! whole messages, and streams cut near such a length.
//!
//! Thresholds and the active kernel belong to the whole process: this is a program of its own, and its tests wait
//! for each other.

use keylane::dispatch::table::{POLY1305_PN, POLY1305_X1};
use keylane::job::cpu::Uarch;
use keylane::job::thresholds::Method;
use keylane::kernels;
use keylane::poly1305::{OneTimeKey, Poly1305, mac};
use keylane_conformance::input::Random;
use keylane_conformance::modp::{self, Residue};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The kernels of `poly1305-pn` that run here.
fn kernels_of_pn() -> Vec<&'static str> {
    POLY1305_PN.runnable().map(|kernel| kernel.id()).collect()
}

/// Makes a kernel the active one, with the thresholds as they are now.
fn force(id: &str) {
    kernels::force("poly1305-pn", id).expect("a kernel that runs here");
}

/// Every class of CPUs that has thresholds of its own, with the thresholds.
fn classes() -> Vec<Vec<(Method, usize)>> {
    let unknown = Uarch::default();
    let classes = [unknown, Uarch { six_alus: true, ..unknown }];
    classes.map(|uarch| Method::all().map(|way| (way, way.of(uarch))).collect()).to_vec()
}

/// Takes this CPU for one of that class.
fn assume(class: &[(Method, usize)]) {
    class.iter().for_each(|(way, from)| way.assume(*from));
}

/// The thresholds of a class.
fn lengths(class: &[(Method, usize)]) -> Vec<usize> {
    let mut lengths: Vec<usize> =
        class.iter().map(|(_, from)| *from).filter(|&from| from != usize::MAX).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// A key and the tags of all beginnings of a message.
struct Subject {
    key: [u8; 32],
    message: Vec<u8>,
    /// The accumulators behind each number of whole blocks.
    behind: Vec<Residue>,
}

impl Subject {
    fn new(key: [u8; 32], message: Vec<u8>) -> Self {
        let (r, _) = modp::key(&key);
        let mut behind = vec![Residue::ZERO];
        for (i, block) in message.as_chunks::<16>().0.iter().enumerate() {
            behind.push(modp::absorb(behind[i], r, block));
        }
        Subject { key, message, behind }
    }

    /// All bits of r and of the message; and random ones.
    fn all(len: usize) -> [Subject; 2] {
        let mut random = Random(70);
        let message = (0..len).map(|_| random.word() as u8).collect();
        [Subject::new([0xff; 32], vec![0xff; len]), Subject::new(random.bytes(), message)]
    }

    fn expected(&self, len: usize) -> [u8; 16] {
        let (r, s) = modp::key(&self.key);
        let h = modp::absorb(self.behind[len / 16], r, &self.message[len / 16 * 16..len]);
        h.low().wrapping_add(s).to_le_bytes()
    }

    fn whole(&self, len: usize, case: &str) {
        let tag = mac(OneTimeKey::from_bytes(self.key), &self.message[..len]).to_bytes();
        assert_eq!(tag, self.expected(len), "{len} bytes, {case}");
    }

    /// A stream of pieces of these sizes; `before` is called in front of each.
    fn stream(&self, sizes: &[usize], case: &str, mut before: impl FnMut(usize)) {
        let mut stream = Poly1305::new(OneTimeKey::from_bytes(self.key));
        let mut start = 0;
        for (i, size) in sizes.iter().enumerate() {
            before(i);
            stream.update(&self.message[start..start + size]);
            start += size;
        }
        assert_eq!(stream.finish().to_bytes(), self.expected(start), "pieces of {sizes:?}, {case}");
    }
}

/// The longest message here: past the highest threshold.
const LONGEST: usize = 60_000;

/// Takes this CPU for what it is.
fn as_on_this_cpu() {
    Method::all().for_each(Method::forget);
}

/// Whole messages from a block before each threshold to a block behind it.
#[test]
fn whole_messages() {
    let _alone = alone();
    let subjects = Subject::all(LONGEST);
    for class in classes() {
        assume(&class);
        for id in kernels_of_pn() {
            force(id);
            for from in lengths(&class) {
                for len in from.saturating_sub(33)..=from + 33 {
                    subjects.iter().for_each(|subject| subject.whole(len, id));
                }
            }
        }
    }
    as_on_this_cpu();
}

/// Streams whose first piece, or a piece behind a short, a waiting or a long one, ends at every place near a
/// threshold, or near the half of one, which is enough for a message that has turned out long; then a short
/// piece and a long one.
#[test]
fn streams() {
    let _alone = alone();
    let subjects = Subject::all(LONGEST);
    for class in classes() {
        assume(&class);
        for id in kernels_of_pn() {
            force(id);
            for from in lengths(&class) {
                for around in [from, from.div_ceil(2)] {
                    for size in around.saturating_sub(17)..=around + 17 {
                        for first in [0, 1, 16, 112, 263, from] {
                            let subject = &subjects[size % 2];
                            subject.stream(&[first, size, 40, 130], id, |_| {});
                        }
                    }
                }
            }
        }
    }
    as_on_this_cpu();
}

/// Streams whose kernel is another from piece to piece, and back: each finds the accumulator, and the powers of
/// the one before.
#[test]
fn kernels_that_change_in_mid_message() {
    let _alone = alone();
    let subjects = Subject::all(LONGEST);
    let (blocks, kernels) = (POLY1305_X1.runnable().map(|kernel| kernel.id()), kernels_of_pn());
    let blocks: Vec<&str> = blocks.collect();
    for later in [usize::MAX, 600] {
        for way in Method::all() {
            way.assume(if way.is_later_loop() { later } else { 105 });
        }
        for first in &kernels {
            for second in &kernels {
                for sizes in [
                    [105, 112, 240, 105],
                    [128, 129, 127, 128],
                    [1000, 300, 1000, 2000],
                    [64, 700, 33, 5000],
                    [3000, 16, 111, 113],
                    [4096, 4097, 4095, 1],
                ] {
                    for (subject, block) in subjects.iter().zip(blocks.iter().cycle()) {
                        kernels::force("poly1305-x1", block).expect("a kernel that runs here");
                        subject.stream(&sizes, &format!("{first} and {second}"), |i| {
                            force(if i % 2 == 0 { first } else { second });
                        });
                    }
                }
            }
        }
    }
    as_on_this_cpu();
}
