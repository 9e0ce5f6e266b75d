//! SipHash of one whole message as it was scheduled by hand for Apple's CPUs, each step of that work by itself.

use keylane::dispatch::selftest::SelfTest;
use keylane::job::kernel::Shape;

/// The steps, as they are without and with: in this order they are the bits of [`Whole::steps`], the lowest
/// first, and the modules in which the functions of `siphash_x1_steps` stand.
///
/// 1. The four constants of the initial state: put together from 16 pieces, or loaded in two pairs.
/// 2. A rotation whose result goes into a xor: one instruction with it, or one of its own.
/// 3. The steps of a round: in the order of the paper's text, or each half round with its two sides abreast.
/// 4. The last 0 to 7 bytes: a way of their own for each number of bytes, or two loads that overlap.
/// 5. The next word, and this step is keylane's: injected into v3 behind the round, or beside it.
pub const STEPS: [[&str; 2]; 5] = [
    ["moves", "pairs"],
    ["fused", "separate"],
    ["text", "abreast"],
    ["switch", "overlap"],
    ["behind", "beside"],
];

/// One whole message, by some of the steps.
pub struct X1;

/// What a kernel of [`X1`] is given.
pub struct Whole<'a> {
    /// Bit i: with step i.
    pub steps: usize,
    /// SipHash-2-4, else SipHash-1-3.
    pub two_rounds: bool,
    /// The key.
    pub key: [u64; 2],
    /// The message.
    pub message: &'a [u8],
    /// Where the tag goes.
    pub tag: &'a mut u64,
}

impl Shape for X1 {
    const SLOT: &'static str = "siphash-x1-steps";
    type Job<'a> = Whole<'a>;
}

impl SelfTest for X1 {
    /// Bytes 0, 1, .. 14 under the key 0, 1, .. 15; the answer for 2-4 is the paper's.
    fn selftest(run: &dyn Fn(Whole<'_>)) -> bool {
        let message: [u8; 15] = core::array::from_fn(|i| i as u8);
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let answers = [(false, 0xd320_d86d_2a51_9956), (true, 0xa129_ca61_49be_45e5)];
        (0..1 << STEPS.len()).all(|steps| {
            answers.into_iter().all(|(two_rounds, answer)| {
                let mut tag = 0;
                run(Whole { steps, two_rounds, key, message: &message, tag: &mut tag });
                tag == answer
            })
        })
    }
}
