//! The lab's rows. No slot of keylane contains them, so none is ever selected there.

use crate::ablation;
use crate::arch::ablation::*;
use crate::arch::bitslice::*;
use crate::arch::poly1305::*;
use crate::arch::siphash_x1_steps;
use crate::bitslice::{Group, Plan, State, Step, Transpose8x256};
use crate::steps;
use keylane::dispatch::select::{Runnable, Slot};
use keylane::job::kernel::Kernel;
use keylane::job::poly1305;
use keylane::job::siphash::Xn;

/// SipHash, many messages.
pub static SIPHASH_XN: Slot<Xn<u64>> = Slot::new(&[
    #[cfg(target_arch = "x86_64")]
    &siphash_x512_avx512_bitslice::MANY,
    #[cfg(target_arch = "x86_64")]
    &siphash_x256_gfni_bitslice::MANY,
    #[cfg(target_arch = "x86_64")]
    &siphash_x256_avx2_bitslice::MANY,
    #[cfg(target_arch = "x86_64")]
    &siphash_x256_naive_bitslice::MANY,
    &siphash_x64_bitslice::MANY,
]);

/// The transpose of 8 x 256 bits.
pub static TRANSPOSE_8X256: Slot<Transpose8x256> = Slot::new(&[
    #[cfg(target_arch = "x86_64")]
    &siphash_x512_avx512_bitslice::TRANSPOSE,
    #[cfg(target_arch = "x86_64")]
    &siphash_x256_gfni_bitslice::TRANSPOSE,
    #[cfg(target_arch = "x86_64")]
    &siphash_x256_avx2_bitslice::TRANSPOSE,
    #[cfg(target_arch = "x86_64")]
    &siphash_x256_naive_bitslice::TRANSPOSE,
    &siphash_x64_bitslice::TRANSPOSE,
]);

/// SipHash, one whole message, with any set of the optimisation steps.
pub static SIPHASH_X1_STEPS: Slot<steps::X1> = Slot::new(&[&siphash_x1_steps::ONE]);

/// SipHash, one whole message after the other. Each row changes one thing of the base, which comes last.
pub static SIPHASH_X1_ABLATION: Slot<ablation::X1> = Slot::new(&[
    #[cfg(target_arch = "x86_64")]
    &siphash_x1_avx512_halves::MANY,
    #[cfg(target_arch = "x86_64")]
    &siphash_x1_sse2_halves::MANY,
    #[cfg(target_arch = "aarch64")]
    &siphash_x1_sha3_halves::MANY,
    #[cfg(target_arch = "aarch64")]
    &siphash_x1_neon_halves::MANY,
    &siphash_x1_beside::MANY,
    &siphash_x1_crossed::MANY,
    &siphash_x1_abreast::MANY,
    &siphash_x1_paper::MANY,
    &siphash_x1_byte_loop::MANY,
    &siphash_x1_switch::MANY,
    &siphash_x1_branch_table::MANY,
    &siphash_x1_overlap::MANY,
    &siphash_x1_shifts::MANY,
    &siphash_x1_bytes_hidden::MANY,
    &siphash_x1_bytes::MANY,
    &siphash_x1_base::MANY,
]);

/// Poly1305, one message, in radices of historical implementations, and in few bytes of code.
pub static POLY1305_X1: Slot<poly1305::X1> = Slot::new(&[
    &poly1305_x1_u64_small::ONE,
    #[cfg(target_arch = "x86_64")]
    &poly1305_p8_fma::ONE,
    &poly1305_x1_base44::ONE,
    &poly1305_x1_base26::ONE,
    #[cfg(any(not(target_arch = "x86"), target_feature = "sse2"))]
    &poly1305_x1_f64_mixed::ONE,
    #[cfg(any(not(target_arch = "x86"), target_feature = "sse2"))]
    &poly1305_x1_f64::ONE,
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    &poly1305_x1_x87::ONE,
]);

/// The single steps of the bitsliced rows, for those rows of [`SIPHASH_XN`] that run here, in its order.
pub fn groups() -> Vec<Box<dyn Steps>> {
    let rows = [
        #[cfg(target_arch = "x86_64")]
        steps(&siphash_x512_avx512_bitslice::GROUP),
        #[cfg(target_arch = "x86_64")]
        steps(&siphash_x256_gfni_bitslice::GROUP),
        #[cfg(target_arch = "x86_64")]
        steps(&siphash_x256_avx2_bitslice::GROUP),
        #[cfg(target_arch = "x86_64")]
        steps(&siphash_x256_naive_bitslice::GROUP),
        steps(&siphash_x64_bitslice::GROUP),
    ];
    rows.into_iter().flatten().collect()
}

/// A group of messages, and the row that processes it.
pub trait Steps {
    /// The row's name.
    fn id(&self) -> &'static str;
    /// The number of messages in a group.
    fn lanes(&self) -> usize;
    /// Whether the transposes undo each other.
    fn passes(&self) -> bool;
    /// Transposes words, one per lane, into planes.
    fn planes(&mut self, plan: &Plan, words: &[u64]);
    /// Computes the planes of the tags from those of the words.
    fn compute(&mut self, plan: &Plan);
    /// Transposes planes into tags, or into the high halves of tags, one per lane.
    fn words(&mut self, high: bool, words: &mut [u64]);
}

struct Lanes<P: Copy + Default + 'static> {
    kernel: Runnable<Group<P>>,
    lanes: usize,
    state: Box<State<P>>,
}

fn steps<P: Copy + Default + 'static>(kernel: &'static Kernel<Group<P>>) -> Option<Box<dyn Steps>> {
    let lanes = kernel.lanes;
    let kernel = Runnable::new(kernel)?;
    Some(Box::new(Lanes { kernel, lanes, state: Box::default() }))
}

impl<P: Copy + Default + 'static> Steps for Lanes<P> {
    fn id(&self) -> &'static str {
        self.kernel.id()
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn passes(&self) -> bool {
        self.kernel.passes()
    }

    fn planes(&mut self, plan: &Plan, words: &[u64]) {
        self.kernel.run(Step::Planes { words, flip: plan.flip, state: &mut self.state });
    }

    fn compute(&mut self, plan: &Plan) {
        self.kernel.run(Step::Compute { plan, state: &mut self.state });
    }

    fn words(&mut self, high: bool, words: &mut [u64]) {
        self.kernel.run(Step::Words { high, state: &mut self.state, words });
    }
}
