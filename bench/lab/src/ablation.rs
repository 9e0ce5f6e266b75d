//! SipHash of whole messages, one after the other, by kernels that each change one thing of a base kernel.
//! docs/research/ABLATIONS.md explains them.

use keylane::dispatch::selftest::SelfTest;
use keylane::job::kernel::{NoRegisterEntry, Shape};

/// The SipHash variants that the kernels compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// SipHash-1-2.
    R12,
    /// SipHash-1-3.
    R13,
    /// SipHash-2-4.
    R24,
}

impl Rounds {
    /// All of them.
    pub const ALL: [Rounds; 3] = [Rounds::R12, Rounds::R13, Rounds::R24];

    /// The rounds per word and at the end.
    pub fn numbers(self) -> (u8, u8) {
        match self {
            Rounds::R12 => (1, 2),
            Rounds::R13 => (1, 3),
            Rounds::R24 => (2, 4),
        }
    }
}

/// Messages, one after the other.
pub struct X1;

/// The input of a kernel of [`X1`]. There are as many tags as messages.
pub struct Wholes<'a> {
    /// The rounds.
    pub rounds: Rounds,
    /// The key.
    pub key: [u64; 2],
    /// The messages.
    pub messages: &'a [&'a [u8]],
    /// The tags to write.
    pub tags: &'a mut [u64],
}

impl Shape for X1 {
    const SLOT: &'static str = "siphash-x1-ablation";
    type Job<'a> = Wholes<'a>;
    type RegisterEntry = NoRegisterEntry;
}

impl SelfTest for X1 {
    /// Message bytes 0, 1, .. 14 under the key 0, 1, .. 15. The answer for 2-4 is from the paper.
    fn selftest(run: &dyn Fn(Wholes<'_>)) -> bool {
        let message: &[u8] = &core::array::from_fn::<u8, 15, _>(|i| i as u8);
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let answers = [0xec8f_61bc_1c89_66a6, 0xd320_d86d_2a51_9956, 0xa129_ca61_49be_45e5];
        Rounds::ALL.into_iter().zip(answers).all(|(rounds, answer)| {
            let mut tags = [0; 2];
            run(Wholes { rounds, key, messages: &[message; 2], tags: &mut tags });
            tags == [answer; 2]
        })
    }
}
