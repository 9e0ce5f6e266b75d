//! The steps of a round in the orders of three implementations. A barrier after each step keeps the compiler from
//! reordering them. The operations and the chain are the same in each.

#![allow(unsafe_code)]

/// Returns `x`. The compiler keeps the order of these calls, so also that of the steps that make their arguments.
#[inline(always)]
fn step(x: u64) -> u64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` leaves the register unchanged.
        unsafe { core::arch::asm!("/* {0} */", inout(reg) x, options(nomem, nostack, preserves_flags)) };
        x
    };
    x
}

/// One half after the other, as the paper's macro lists them: v1 through to its xor, then v3.
#[inline(always)]
pub fn paper([mut v0, mut v1, mut v2, mut v3]: [u64; 4]) -> [u64; 4] {
    v0 = step(v0.wrapping_add(v1));
    v1 = step(v1.rotate_left(13));
    v1 = step(v1 ^ v0);
    v0 = step(v0.rotate_left(32));
    v2 = step(v2.wrapping_add(v3));
    v3 = step(v3.rotate_left(16));
    v3 = step(v3 ^ v2);
    v0 = step(v0.wrapping_add(v3));
    v3 = step(v3.rotate_left(21));
    v3 = step(v3 ^ v0);
    v2 = step(v2.wrapping_add(v1));
    v1 = step(v1.rotate_left(17));
    v1 = step(v1 ^ v2);
    v2 = step(v2.rotate_left(32));
    [v0, v1, v2, v3]
}

/// Both halves abreast: each pair of additions, rotations and xors side by side, v1's first.
#[inline(always)]
pub fn abreast([mut v0, mut v1, mut v2, mut v3]: [u64; 4]) -> [u64; 4] {
    v0 = step(v0.wrapping_add(v1));
    v2 = step(v2.wrapping_add(v3));
    v1 = step(v1.rotate_left(13));
    v3 = step(v3.rotate_left(16));
    v1 = step(v1 ^ v0);
    v3 = step(v3 ^ v2);
    v0 = step(v0.rotate_left(32));
    v2 = step(v2.wrapping_add(v1));
    v0 = step(v0.wrapping_add(v3));
    v1 = step(v1.rotate_left(17));
    v3 = step(v3.rotate_left(21));
    v1 = step(v1 ^ v2);
    v3 = step(v3 ^ v0);
    v2 = step(v2.rotate_left(32));
    [v0, v1, v2, v3]
}

/// The same, but in the second half v3's steps stand before v1's.
#[inline(always)]
pub fn crossed([mut v0, mut v1, mut v2, mut v3]: [u64; 4]) -> [u64; 4] {
    v0 = step(v0.wrapping_add(v1));
    v2 = step(v2.wrapping_add(v3));
    v1 = step(v1.rotate_left(13));
    v3 = step(v3.rotate_left(16));
    v1 = step(v1 ^ v0);
    v3 = step(v3 ^ v2);
    v0 = step(v0.rotate_left(32));
    v0 = step(v0.wrapping_add(v3));
    v2 = step(v2.wrapping_add(v1));
    v3 = step(v3.rotate_left(21));
    v1 = step(v1.rotate_left(17));
    v3 = step(v3 ^ v0);
    v1 = step(v1 ^ v2);
    v2 = step(v2.rotate_left(32));
    [v0, v1, v2, v3]
}
