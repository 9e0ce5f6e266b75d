//! SipHash of one message, scheduled by hand for Apple's CPUs. Each step of that work can be switched off.
//!
//! id        siphash_x1_steps        slot  siphash-x1-steps        requires  nothing
//! does      SipHash-1-3 and SipHash-2-4, with any of the 64 subsets of the steps that `steps.rs` lists
//! bounds    a round has a chain of 4 cycles, or of 6 where an instruction with a rotated operand takes two;
//!           `v3 ^= m` after the round adds 1 per word. Orders and constants change no chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [Apple-SipHash]; the injection within the round is that of siphash_x1_separate
//!
//! The compiler would give all these functions the same order of instructions. So the rounds are written in
//! instructions that it does not move. Each function has its own symbol, whose path names its steps, such as
//! `pairs::ldnp::separate::abreast::overlap::beside::siphash24`. So the schedules can be read and compared on
//! machines other than Apple's. On architectures other than AArch64 the functions are correct, but their
//! speed says nothing.

#![allow(unsafe_code)]

use crate::steps::{Whole, X1};
use keylane::job::siphash::Word;
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "siphash_x1_steps", lanes 1, requires [], |job: Whole<'_>| one(job)
}

fn one(job: Whole<'_>) {
    let Whole { steps, two_rounds, key, message, tag } = job;
    let [siphash13, siphash24] = functions(steps);
    *tag = if two_rounds { siphash24(key, message) } else { siphash13(key, message) };
}

type Hash = fn([u64; 2], &[u8]) -> u64;

/// Makes a module without the first step and one with it, in each of them two for the next step, and so on.
/// The innermost modules contain the functions.
macro_rules! modules {
    ([$($step:literal),*]) => {
        /// SipHash-1-3.
        #[inline(never)]
        fn siphash13(key: [u64; 2], message: &[u8]) -> u64 {
            $crate::arch::siphash_x1_steps::hash::<1, 3, $($step),*>(key, message)
        }

        /// SipHash-2-4.
        #[inline(never)]
        fn siphash24(key: [u64; 2], message: &[u8]) -> u64 {
            $crate::arch::siphash_x1_steps::hash::<2, 4, $($step),*>(key, message)
        }

        pub fn functions(_: usize) -> [$crate::arch::siphash_x1_steps::Hash; 2] {
            [siphash13, siphash24]
        }
    };
    ([$($step:literal),*] $without:ident $with:ident $($rest:ident)*) => {
        mod $without {
            modules!([$($step,)* false] $($rest)*);
        }

        mod $with {
            modules!([$($step,)* true] $($rest)*);
        }

        /// The two functions with these steps.
        pub fn functions(steps: usize) -> [$crate::arch::siphash_x1_steps::Hash; 2] {
            if steps & 1 == 0 { $without::functions(steps >> 1) } else { $with::functions(steps >> 1) }
        }
    };
}
modules!([] moves pairs ldp ldnp fused separate text abreast switch overlap behind beside);

#[inline(always)]
fn hash<
    const C: usize,
    const D: usize,
    const PAIRS: bool,
    const LDNP: bool,
    const SEPARATE: bool,
    const ABREAST: bool,
    const OVERLAP: bool,
    const BESIDE: bool,
>(
    [k0, k1]: [u64; 2],
    message: &[u8],
) -> u64 {
    let [c0, c1, c2, c3] = if PAIRS { pairs::<LDNP>(&u64::INITIAL) } else { u64::INITIAL };
    let mut v = [k0 ^ c0, k1 ^ c1, k0 ^ c2, k1 ^ c3];
    let (words, rest) = message.as_chunks::<8>();
    let last = if OVERLAP { overlap(rest) } else { switch(rest) } | u64::length(message.len());
    match words.split_first() {
        Some((&first, words)) if BESIDE => {
            // v3 already contains the current word.
            let mut word = u64::from_le_bytes(first);
            v[3] ^= word;
            for &next in words {
                let next = u64::from_le_bytes(next);
                v = beside::<C, SEPARATE, ABREAST>(v, word, next);
                word = next;
            }
            v = beside::<C, SEPARATE, ABREAST>(v, word, last);
            v = rounds::<C, SEPARATE, ABREAST>(v);
            v[0] ^= last;
        }
        _ => {
            for &word in words {
                v = behind::<C, SEPARATE, ABREAST>(v, u64::from_le_bytes(word));
            }
            v = behind::<C, SEPARATE, ABREAST>(v, last);
        }
    }
    v[2] ^= 0xff;
    let [v0, v1, v2, v3] = rounds::<D, SEPARATE, ABREAST>(v);
    v0 ^ v1 ^ v2 ^ v3
}

/// The rest of a message as the low bytes of a word, by a `switch` as in the reference.
#[inline(always)]
fn switch(rest: &[u8]) -> u64 {
    let bytes = match *rest {
        [a] => [a, 0, 0, 0, 0, 0, 0, 0],
        [a, b] => [a, b, 0, 0, 0, 0, 0, 0],
        [a, b, c] => [a, b, c, 0, 0, 0, 0, 0],
        [a, b, c, d] => [a, b, c, d, 0, 0, 0, 0],
        [a, b, c, d, e] => [a, b, c, d, e, 0, 0, 0],
        [a, b, c, d, e, f] => [a, b, c, d, e, f, 0, 0],
        [a, b, c, d, e, f, g] => [a, b, c, d, e, f, g, 0],
        _ => [0; 8],
    };
    u64::from_le_bytes(bytes)
}

/// The same by two loads, of the first and last 4 bytes or the first and last 2, or by a load of one byte.
#[inline(always)]
fn overlap(rest: &[u8]) -> u64 {
    let bits = 8 * rest.len();
    if let (Some(&low), Some(&high)) = (rest.first_chunk(), rest.last_chunk()) {
        u64::from(u32::from_le_bytes(low)) | u64::from(u32::from_le_bytes(high)) << (bits - 32)
    } else if let (Some(&low), Some(&high)) = (rest.first_chunk(), rest.last_chunk()) {
        u64::from(u16::from_le_bytes(low)) | u64::from(u16::from_le_bytes(high)) << (bits - 16)
    } else {
        rest.first().map_or(0, |&byte| byte.into())
    }
}

/// `v3 ^= word; c rounds; v0 ^= word`.
#[inline(always)]
fn behind<const C: usize, const SEPARATE: bool, const ABREAST: bool>(mut v: [u64; 4], word: u64) -> [u64; 4] {
    v[3] = eor(v[3], word);
    v = rounds::<C, SEPARATE, ABREAST>(v);
    v[0] = eor(v[0], word);
    v
}

/// `c rounds; v0 ^= word; v3 ^= next`. The last step happens within the last round.
#[inline(always)]
fn beside<const C: usize, const SEPARATE: bool, const ABREAST: bool>(
    mut v: [u64; 4],
    word: u64,
    next: u64,
) -> [u64; 4] {
    if C > 1 {
        v = round::<SEPARATE, ABREAST>(v, None);
    }
    v = round::<SEPARATE, ABREAST>(v, Some(next));
    v[0] = eor(v[0], word);
    v
}

/// N rounds.
#[inline(always)]
fn rounds<const N: usize, const SEPARATE: bool, const ABREAST: bool>(mut v: [u64; 4]) -> [u64; 4] {
    for _ in 0..N {
        v = round::<SEPARATE, ABREAST>(v, None);
    }
    v
}

/// One round. If there is a next word, the round includes `v3 ^= next`: `arch/generic/dup.rs` of keylane
/// explains how.
#[inline(always)]
fn round<const SEPARATE: bool, const ABREAST: bool>(
    [mut v0, mut v1, mut v2, mut v3]: [u64; 4],
    next: Option<u64>,
) -> [u64; 4] {
    let b = v3;
    let inject = |next, x| {
        let t = xor::<SEPARATE, 37>(next, turn::<SEPARATE, 37>(b));
        xor::<SEPARATE, 21>(t, turn::<SEPARATE, 21>(x))
    };
    if ABREAST {
        v0 = add(v0, v1);
        v2 = add(v2, v3);
        let injected = next.map(|next| inject(next, v2));
        v1 = turn::<SEPARATE, 13>(v1);
        v3 = turn::<SEPARATE, 16>(v3);
        v1 = xor::<SEPARATE, 13>(v0, v1);
        v3 = xor::<SEPARATE, 16>(v2, v3);
        v0 = rotl::<32>(v0);
        v2 = add(v2, v1);
        v0 = add(v0, v3);
        v1 = turn::<SEPARATE, 17>(v1);
        v3 = injected.unwrap_or_else(|| turn::<SEPARATE, 21>(v3));
        v1 = xor::<SEPARATE, 17>(v2, v1);
        v3 = if injected.is_some() { eor(v0, v3) } else { xor::<SEPARATE, 21>(v0, v3) };
        v2 = rotl::<32>(v2);
    } else {
        v0 = add(v0, v1);
        v1 = xor::<SEPARATE, 13>(v0, turn::<SEPARATE, 13>(v1));
        v0 = rotl::<32>(v0);
        v2 = add(v2, v3);
        let injected = next.map(|next| inject(next, v2));
        v3 = xor::<SEPARATE, 16>(v2, turn::<SEPARATE, 16>(v3));
        v0 = add(v0, v3);
        v3 = match injected {
            Some(injected) => eor(v0, injected),
            None => xor::<SEPARATE, 21>(v0, turn::<SEPARATE, 21>(v3)),
        };
        v2 = add(v2, v1);
        v1 = xor::<SEPARATE, 17>(v2, turn::<SEPARATE, 17>(v1));
        v2 = rotl::<32>(v2);
    }
    [v0, v1, v2, v3]
}

/// The first part of `x ^ rotl(y, BITS)`: the rotation, if it is a separate instruction.
#[inline(always)]
fn turn<const SEPARATE: bool, const BITS: u32>(y: u64) -> u64 {
    if SEPARATE { rotl::<BITS>(y) } else { y }
}

/// The second part: the XOR, with the rotation if that is not separate.
#[inline(always)]
fn xor<const SEPARATE: bool, const BITS: u32>(x: u64, turned: u64) -> u64 {
    if SEPARATE { eor(x, turned) } else { eor_rotl::<BITS>(x, turned) }
}

/// Declares a function of one instruction. The compiler does not move it among the others.
macro_rules! instruction {
    ($name:ident $(<$bits:ident>)?, $text:literal, |$($x:ident),*| $plain:expr) => {
        #[inline(always)]
        fn $name$(<const $bits: u32>)?($($x: u64),*) -> u64 {
            #[cfg(all(target_arch = "aarch64", not(miri)))]
            let z = {
                let z: u64;
                // SAFETY: one instruction. It reads and writes these registers and nothing else.
                unsafe {
                    core::arch::asm!($text, z = lateout(reg) z, $($x = in(reg) $x,)* $(n = const 64 - $bits,)?
                        options(nomem, nostack, preserves_flags));
                }
                z
            };
            #[cfg(not(all(target_arch = "aarch64", not(miri))))]
            let z = $plain;
            z
        }
    };
}
instruction!(add, "add {z}, {x}, {y}", |x, y| x.wrapping_add(y));
instruction!(eor, "eor {z}, {x}, {y}", |x, y| x ^ y);
instruction!(rotl<BITS>, "ror {z}, {x}, {n}", |x| x.rotate_left(BITS));
instruction!(eor_rotl<BITS>, "eor {z}, {x}, {y}, ror {n}", |x, y| x ^ y.rotate_left(BITS));

/// Four words of memory, whose contents the compiler does not know, by two loads of a pair.
#[inline(always)]
fn pairs<const LDNP: bool>(words: &[u64; 4]) -> [u64; 4] {
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    let loaded = {
        let [mut a, mut b, mut c, mut d] = [0; 4];
        macro_rules! load {
            ($name:literal) => {
                // SAFETY: two loads from `words`, 32 borrowed bytes. They write these registers and nothing else; the
                // last one may overwrite the address.
                unsafe {
                    core::arch::asm!(concat!($name, " {a}, {b}, [{words}]"), concat!($name, " {c}, {d}, [{words}, 16]"),
                        words = in(reg) words, a = out(reg) a, b = out(reg) b, c = lateout(reg) c, d = lateout(reg) d,
                        options(pure, readonly, nostack, preserves_flags));
                }
            };
        }
        if LDNP {
            load!("ldnp");
        } else {
            load!("ldp");
        }
        [a, b, c, d]
    };
    #[cfg(not(all(target_arch = "aarch64", not(miri))))]
    let loaded = *words;
    loaded
}
