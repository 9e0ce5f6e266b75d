//! Poly1305 on both sides of every threshold, the length where a method beats the previous one, for every
//! class of CPUs. Tests whole messages, and streams cut near a threshold.
//!
//! Thresholds and the active kernel concern the whole process. So this is a separate program, and its tests
//! run one at a time.

use keylane::dispatch::table::{POLY1305_PN, POLY1305_X1};
use keylane::job::limits::{Class, FROM_BYTES, Method};
use keylane::kernels;
use keylane::poly1305::{OneTimeKey, Poly1305, mac};
use keylane_conformance::input::Random;
use keylane_conformance::modp::{self, Residue};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lets one test run at a time.
fn lock() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The kernels of `poly1305-pn` that run here.
fn kernels_of_pn() -> Vec<&'static str> {
    POLY1305_PN.runnable().map(|kernel| kernel.id()).collect()
}

/// Activates a kernel, with the current thresholds.
fn force(id: &str) {
    kernels::force("poly1305-pn", id).expect("a kernel that runs here");
}

/// The thresholds of every class of CPUs.
fn classes() -> Vec<Vec<(Method, usize)>> {
    Class::ALL.map(|class| Method::all().map(|method| (method, method.of(class))).collect()).to_vec()
}

/// Treats this CPU as one of that class.
fn assume(class: &[(Method, usize)]) {
    class.iter().for_each(|(method, from)| method.assume(*from));
}

/// The thresholds of a class.
fn lengths(class: &[(Method, usize)]) -> Vec<usize> {
    let mut lengths: Vec<usize> =
        class.iter().map(|(_, from)| *from).filter(|&from| from != usize::MAX).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// A key, and the tags of all prefixes of a message.
struct Subject {
    key: [u8; 32],
    message: Vec<u8>,
    /// The accumulator after each number of whole blocks.
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

    /// One with all bits of r and of the message set, one random.
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

    /// A stream of pieces of these sizes. Calls `before` before each.
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

/// The longest message: beyond the highest threshold.
const LONGEST: usize = 60_000;

/// Treats this CPU as itself again.
fn as_on_this_cpu() {
    Method::all().for_each(Method::forget);
}

/// Calls `check` with every threshold and kernel, for every class of CPUs.
fn at_every_threshold(check: impl Fn(usize, &str)) {
    let _lock = lock();
    for class in classes() {
        assume(&class);
        for id in kernels_of_pn() {
            force(id);
            lengths(&class).into_iter().for_each(|from| check(from, id));
        }
    }
    as_on_this_cpu();
}

/// Whole messages from a block before each threshold to a block after it.
#[test]
fn whole_messages() {
    let subjects = Subject::all(LONGEST);
    at_every_threshold(|from, id| {
        for len in from.saturating_sub(33)..=from + 33 {
            subjects.iter().for_each(|subject| subject.whole(len, id));
        }
    });
}

/// Streams. The first piece, or a piece after a short, a buffered or a long one, ends at every place near a threshold
/// or half of one. Half is enough for a message that has turned out long. A short piece and a long one follow.
#[test]
fn streams() {
    let subjects = Subject::all(LONGEST);
    at_every_threshold(|from, id| {
        for around in [from, from.div_ceil(2)] {
            for size in around.saturating_sub(17)..=around + 17 {
                for first in [0, 1, 16, 112, 263, from] {
                    subjects[size % 2].stream(&[first, size, 40, FROM_BYTES + 31], id, |_| {});
                }
            }
        }
    });
}

/// Streams whose kernel changes from piece to piece and back. Each kernel finds the accumulator and the
/// powers of its predecessor.
#[test]
fn kernels_that_change_in_mid_message() {
    let _lock = lock();
    let subjects = Subject::all(LONGEST);
    let (blocks, kernels) = (POLY1305_X1.runnable().map(|kernel| kernel.id()), kernels_of_pn());
    let blocks: Vec<&str> = blocks.collect();
    for later in [usize::MAX, 600] {
        for method in Method::all() {
            method.assume(if method.is_later_loop() { later } else { FROM_BYTES });
        }
        for first in &kernels {
            for second in &kernels {
                for sizes in [
                    [FROM_BYTES, FROM_BYTES + 7, 240, FROM_BYTES],
                    [FROM_BYTES - 1, FROM_BYTES, FROM_BYTES - 2, FROM_BYTES - 1],
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
