//! SipHash of one whole message, after an implementation scheduled by hand for Apple's CPUs. Each step of
//! that work can be switched on or off.

use keylane::dispatch::selftest::SelfTest;
use keylane::job::kernel::{NoRegisterEntry, Shape};

/// The names of each step when it is off and on. Step i is bit i of [`Whole::steps`]. The functions of
/// `siphash_x1_steps` are in modules of these names.
///
/// 1. Initial constants: assembled from 16 immediates ("moves"), or loaded in two pairs.
/// 2. The loads of these pairs: `ldp`, or `ldnp`, which asks the caches not to keep the data. Without step 1 there is no
///    such load, and this step changes nothing.
/// 3. A rotation whose result goes into a XOR: "fused" with it into one instruction, or a "separate" one.
/// 4. The order within a round: that of the paper's text, or both sides of each half round "abreast".
/// 5. The last 0 to 7 bytes: a "switch" with a case per length, or two loads that "overlap".
/// 6. XOR of the next word into v3: "behind" the round, or "beside" (within) it. This step is keylane's.
pub const STEPS: [[&str; 2]; 6] = [
    ["moves", "pairs"],
    ["ldp", "ldnp"],
    ["fused", "separate"],
    ["text", "abreast"],
    ["switch", "overlap"],
    ["behind", "beside"],
];

/// One whole message, with some of the steps.
pub struct X1;

/// The input of a kernel of [`X1`].
pub struct Whole<'a> {
    /// Bit i switches step i on.
    pub steps: usize,
    /// True for SipHash-2-4, false for SipHash-1-3.
    pub two_rounds: bool,
    /// The key.
    pub key: [u64; 2],
    /// The message.
    pub message: &'a [u8],
    /// The tag to write.
    pub tag: &'a mut u64,
}

impl Shape for X1 {
    const SLOT: &'static str = "siphash-x1-steps";
    type Job<'a> = Whole<'a>;
    type RegisterEntry = NoRegisterEntry;
}

impl SelfTest for X1 {
    /// Message bytes 0, 1, .. 14 under the key 0, 1, .. 15. The answer for 2-4 is from the paper.
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
