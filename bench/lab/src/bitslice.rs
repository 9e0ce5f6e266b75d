//! The additional jobs of bitsliced kernels. They also run jobs of [`Xn`](keylane::job::siphash::Xn).
//! * [`Group`]: the steps for one group of messages, so that computation and transposes can be timed
//!   separately.
//! * [`Transpose8x256`]: the transpose of 8 x 256 bits alone.

use keylane::dispatch::selftest::SelfTest;
use keylane::job::kernel::{NoRegisterEntry, Shape};
use keylane::job::siphash::{Counted, Rounds, State as Words};

/// 64 vectors: vector o holds bit o of a word of all lanes.
pub type Planes<P> = [P; 64];

/// The state of a group. `P` is a vector in memory, an array of words.
///
/// v0 is not stored: after a round it is v3 ^ rotl(t, 21), where t is v3 in the middle of that round. A bit
/// that the round writes while it still needs the old value is stored twice; the two copies alternate.
#[repr(C, align(64))]
pub struct State<P> {
    /// The first word of the messages XORed with v3. At the end, the tags or their low halves.
    pub x: Planes<P>,
    /// v1 before and after a round.
    pub v1: [Planes<P>; 2],
    /// The halves of v2, lower and upper or the reverse: each round exchanges them.
    pub v2: [[P; 32]; 2],
    /// v3.
    pub v3: Planes<P>,
    /// v3 in the middle of the previous round and of this round.
    pub t3: [Planes<P>; 2],
    /// The lower half of v0 in the middle of this round.
    pub s0: [P; 32],
    /// At the end, the high halves of double tags.
    pub high: Planes<P>,
}

impl<P: Copy + Default> Default for State<P> {
    fn default() -> Self {
        let zero = [P::default(); 64];
        State {
            x: zero,
            v1: [zero; 2],
            v2: [[P::default(); 32]; 2],
            v3: zero,
            t3: [zero; 2],
            s0: [P::default(); 32],
            high: zero,
        }
    }
}

/// Entry o is bit o of a word, repeated 64 times.
type Masks = [u64; 64];

fn masks(word: u64) -> Masks {
    core::array::from_fn(|bit| 0u64.wrapping_sub(word >> bit & 1))
}

/// A constant operand of an addition.
pub struct Addend {
    /// Its bits.
    pub bits: Masks,
    /// Each bit XORed with the bit below it.
    pub changes: Masks,
}

impl Addend {
    fn new(word: u64) -> Self {
        Addend { bits: masks(word), changes: masks(word ^ word << 1) }
    }
}

/// Precomputed values. They depend on the key, the rounds and the kind of messages, but not on the messages.
pub struct Plan {
    /// Rounds per word.
    pub c: usize,
    /// Rounds at the end.
    pub d: usize,
    /// Whether messages have 8 bytes. Then they have a second word, which holds only the length. Shorter
    /// messages have one word, which holds their length too.
    pub eight_bytes: bool,
    /// Whether tags have 128 bits.
    pub double: bool,
    /// The state before the first word.
    pub initial: [u64; 4],
    /// v3 before the first word. Words are XORed with it as they become planes.
    pub flip: u64,
    /// `flip` as masks.
    pub v3: Masks,
    /// v2 before the first word.
    pub v2: Addend,
    /// v1 in the middle of the first round. No message has reached it yet.
    pub v1: Addend,
    /// That v1 rotated by 17: its contribution to v1 after the first round.
    pub v1_rotated: Masks,
    /// v0 in the middle of the first round, rotated by 32.
    pub v0: Addend,
}

impl Plan {
    /// `initial` is the state before the first word, for tags of either width.
    pub fn new(initial: &Words<u64>, rounds: Counted, eight_bytes: bool, double: bool) -> Self {
        let [v0, v1, v2, v3] = initial.v;
        let sum = v0.wrapping_add(v1);
        let v1 = v1.rotate_left(13) ^ sum;
        Plan {
            c: rounds.c(),
            d: rounds.d(),
            eight_bytes,
            double,
            initial: initial.v,
            flip: v3,
            v3: masks(v3),
            v2: Addend::new(v2),
            v1: Addend::new(v1),
            v1_rotated: masks(v1.rotate_left(17)),
            v0: Addend::new(sum.rotate_left(32)),
        }
    }
}

/// What a computation does with vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Loads from planes.
    pub loads: usize,
    /// Stores to planes.
    pub stores: usize,
    /// `a ^ b`.
    pub xors: usize,
    /// `a ^ b ^ c`.
    pub xors_of_three: usize,
    /// Full adders.
    pub adders: usize,
    /// Full adders with an operand that is the same in all lanes.
    pub adders_of_constants: usize,
}

impl Operations {
    /// Instructions without loads and stores: xor, and, or.
    #[must_use]
    pub fn plain(self) -> usize {
        self.xors + 2 * self.xors_of_three + 5 * self.adders + 4 * self.adders_of_constants
    }

    /// The same where one instruction computes any function of three bits.
    #[must_use]
    pub fn ternary(self) -> usize {
        self.xors + self.xors_of_three + 2 * (self.adders + self.adders_of_constants)
    }
}

/// One group of messages, as many as `P` has bits, step by step.
pub struct Group<P>(core::marker::PhantomData<fn() -> P>);

/// The input of a kernel of [`Group`].
pub enum Step<'a, P> {
    /// Transposes the words, XORed with `flip`, into planes. Fills `x`.
    Planes {
        /// One word per lane.
        words: &'a [u64],
        /// [`Plan::flip`].
        flip: u64,
        /// The state.
        state: &'a mut State<P>,
    },
    /// Computes the planes of the tags from `x`. They go to `x` and, for double tags, also to `high`.
    Compute {
        /// The plan.
        plan: &'a Plan,
        /// The state.
        state: &'a mut State<P>,
    },
    /// Transposes planes into words.
    Words {
        /// Takes the planes from `high` instead of `x`.
        high: bool,
        /// The state.
        state: &'a mut State<P>,
        /// One word per lane.
        words: &'a mut [u64],
    },
}

impl<P: Copy + Default + 'static> Shape for Group<P> {
    const SLOT: &'static str = "siphash-xn-group";
    type Job<'a> = Step<'a, P>;
    type RegisterEntry = NoRegisterEntry;
}

impl<P: Copy + Default + 'static> SelfTest for Group<P> {
    /// Tests that the transposes undo each other; the order of the lanes in between does not matter. The slot
    /// `siphash-xn` tests the rounds, with known answers.
    fn selftest(run: &dyn Fn(Step<'_, P>)) -> bool {
        let (mut state, flip) = (State::default(), 0x0123_4567_89ab_cdef);
        let lanes = size_of::<P>() * 8;
        let words: Vec<u64> = (1..=lanes as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut back = vec![0; lanes];
        run(Step::Planes { words: &words, flip, state: &mut state });
        run(Step::Words { high: false, state: &mut state, words: &mut back });
        words.iter().zip(back).all(|(word, back)| word ^ flip == back)
    }
}

/// The transpose of 8 x 256 bits alone: bit b of byte i becomes bit i of plane b.
pub struct Transpose8x256;

/// The input of a kernel of [`Transpose8x256`].
pub struct Bytes256<'a> {
    /// The bytes.
    pub bytes: &'a [u8; 256],
    /// The planes; bit i is bit `i % 64` of word `i / 64`.
    pub planes: &'a mut [[u64; 4]; 8],
}

impl Shape for Transpose8x256 {
    const SLOT: &'static str = "transpose-8x256";
    type Job<'a> = Bytes256<'a>;
    type RegisterEntry = NoRegisterEntry;
}

impl SelfTest for Transpose8x256 {
    fn selftest(run: &dyn Fn(Bytes256<'_>)) -> bool {
        let bytes: [u8; 256] = core::array::from_fn(|i| (i * i + 3 * i + (i >> 3)) as u8);
        let mut planes = [[0; 4]; 8];
        run(Bytes256 { bytes: &bytes, planes: &mut planes });
        let bit = |b: usize, i: usize| planes[b][i / 64] >> (i % 64) & 1;
        (0..8).all(|b| (0..256).all(|i| bit(b, i) == u64::from(bytes[i] >> b & 1)))
    }
}
