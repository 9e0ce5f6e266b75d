//! The state v0..v3 and the round.

use super::rounds::Rounds;
use super::word::Word;
use crate::job::wipe::wipe;

/// A method of computing a rotation whose result goes into a xor.
pub trait Rotation: Copy + 'static {
    /// Rotation to the left.
    fn rotl<W: Word>(word: W, bits: u32) -> W;
}

/// Fused with the xor, if the CPU has an instruction for both: the compiler does that by itself.
#[derive(Clone, Copy)]
pub struct Fused;

impl Rotation for Fused {
    #[inline(always)]
    fn rotl<W: Word>(word: W, bits: u32) -> W {
        word.rotl(bits)
    }
}

/// Separate from the xor, for CPUs where one instruction for both takes longer than two.
#[derive(Clone, Copy)]
pub struct Separate;

impl Rotation for Separate {
    #[inline(always)]
    fn rotl<W: Word>(word: W, bits: u32) -> W {
        word.rotl(bits).opaque()
    }
}

/// The canonical state: the four words v0..v3, which every kernel takes and leaves.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct State<W> {
    /// v0, v1, v2, v3.
    pub v: [W; 4],
}

impl<W: Word> State<W> {
    /// The state before the first word, for single or double tags.
    #[inline(always)]
    pub fn new([k0, k1]: [W; 2], double: bool) -> Self {
        let [c0, c1, c2, c3] = W::INITIAL;
        let v1 = if double { k1 ^ c1 ^ W::DOUBLE_MARK } else { k1 ^ c1 };
        State { v: [k0 ^ c0, v1, k0 ^ c2, k1 ^ c3] }
    }

    /// One round, by the method that is fast on most CPUs of the target.
    #[inline(always)]
    pub fn round(&mut self) {
        if cfg!(all(target_arch = "aarch64", target_vendor = "apple")) {
            self.round_by::<Separate>();
        } else {
            self.round_by::<Fused>();
        }
    }

    /// One round. The two halves of the paper's listing are independent until half way, so 160 orders of its ten steps
    /// are equivalent. A core with few ALUs picks the oldest step that is ready, and this order keeps the longest chain
    /// ahead.
    ///
    /// It was the best of all orders on Zen 4, over short, long, dependent and independent messages in 1-3 and 2-4. The
    /// listing's order costs 10 to 15 %.
    #[inline(always)]
    pub fn round_by<R: Rotation>(&mut self) {
        let [mut v0, mut v1, mut v2, mut v3] = self.v;
        let [r1, r2, r3, r4, half] = W::ROTATIONS;
        v0 = v0.add(v1);
        v2 = v2.add(v3);
        v1 = R::rotl(v1, r1) ^ v0;
        v3 = R::rotl(v3, r2) ^ v2;
        v0 = v0.rotl(half);
        v2 = v2.add(v1);
        v1 = R::rotl(v1, r4) ^ v2;
        v0 = v0.add(v3);
        v3 = R::rotl(v3, r3) ^ v0;
        v2 = v2.rotl(half);
        self.v = [v0, v1, v2, v3];
    }

    /// Does what no word changes in the first half of a round.
    #[inline(always)]
    pub fn begin(self) -> Self {
        let [r1, _, _, _, half] = W::ROTATIONS;
        let [v0, v1, v2, v3] = self.v;
        let v0 = v0.add(v1);
        State { v: [v0.rotl(half), v1.rotl(r1) ^ v0, v2, v3] }
    }

    /// Goes c rounds back: to the state from which one zero word leads to this one.
    #[inline]
    pub fn retreat(&mut self, rounds: impl Rounds) {
        let [r1, r2, r3, r4, half] = W::ROTATIONS;
        let rotr = |word: W, bits| word.rotl(8 * W::SIZE as u32 - bits);
        let [mut v0, mut v1, mut v2, mut v3] = self.v;
        for _ in 0..rounds.c() {
            v2 = rotr(v2, half);
            v1 = rotr(v1 ^ v2, r4);
            v3 = rotr(v3 ^ v0, r3);
            v2 = v2.sub(v1);
            v0 = rotr(v0.sub(v3), half);
            v1 = rotr(v1 ^ v0, r1);
            v3 = rotr(v3 ^ v2, r2);
            v0 = v0.sub(v1);
            v2 = v2.sub(v3);
        }
        self.v = [v0, v1, v2, v3];
    }

    /// `v3 ^= word; c rounds; v0 ^= word`.
    #[inline(always)]
    pub fn absorb(&mut self, rounds: impl Rounds, word: W) {
        self.v[3] = self.v[3] ^ word;
        for _ in 0..rounds.c() {
            self.round();
        }
        self.v[0] = self.v[0] ^ word;
    }

    /// Ends a message with a single tag; SOON as in [`Word::extract`].
    #[inline(always)]
    pub fn single_tag<const SOON: bool>(mut self, rounds: impl Rounds) -> W {
        self.v[2] = self.v[2] ^ W::END_MARK;
        for _ in 0..rounds.d() {
            self.round();
        }
        W::extract::<SOON>(self.v)
    }

    /// Ends a message with a double tag; SOON as in [`Word::extract`].
    #[inline(always)]
    pub fn double_tag<const SOON: bool>(mut self, rounds: impl Rounds) -> W::Double {
        self.v[2] = self.v[2] ^ W::DOUBLE_MARK;
        for _ in 0..rounds.d() {
            self.round();
        }
        let low = W::extract::<false>(self.v);
        self.v[1] = self.v[1] ^ W::SECOND_MARK;
        for _ in 0..rounds.d() {
            self.round();
        }
        W::double(low, W::extract::<SOON>(self.v))
    }

    /// Overwrites the state with zeros.
    #[inline]
    pub fn wipe(&mut self) {
        wipe(&mut self.v);
    }
}
