//! A chain of dependent additions, which takes one cycle a step on every CPU of today, and a veil
//! over values that a compiler must not see through.

#![allow(unsafe_code)]

/// Additions in one turn of the chain's loop. The loop's own counting runs beside them.
const TURN: u64 = 64;

/// Whether a step of [`adds`] takes one cycle here. Elsewhere `adds` is plain Rust, whose steps take
/// some fixed number of cycles, and figures are in units of a step.
pub const IN_CYCLES: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Performs `steps` additions, rounded down to a multiple of 64, each of which waits for the one
/// before.
#[inline(never)]
pub fn adds(steps: u64) {
    let turns = steps / TURN;
    if turns > 0 {
        turn(turns);
    }
}

/// `turns` is above 0.
#[cfg(target_arch = "x86_64")]
fn turn(turns: u64) {
    // SAFETY: the code touches its two registers and the flags, no memory and no stack, and it ends
    // since the caller passes at least one turn.
    unsafe {
        core::arch::asm!(
            "2:",
            ".rept 64",
            "add {x}, {x}",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            x = inout(reg) 1u64 => _,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

/// `turns` is above 0.
#[cfg(target_arch = "aarch64")]
fn turn(turns: u64) {
    // SAFETY: the code touches its two registers and the flags, no memory and no stack, and it ends
    // since the caller passes at least one turn.
    unsafe {
        core::arch::asm!(
            "2:",
            ".rept 64",
            "add {x}, {x}, {x}",
            ".endr",
            "subs {turns}, {turns}, #1",
            "b.ne 2b",
            x = inout(reg) 1u64 => _,
            turns = inout(reg) turns => _,
            options(nomem, nostack),
        );
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn turn(turns: u64) {
    let mut x = 1u64;
    for _ in 0..turns * TURN {
        x = std::hint::black_box(x.wrapping_add(x));
    }
}

/// `x`, of which the compiler no longer knows anything. It stays in its register, so that the veil
/// costs nothing; elsewhere it goes through memory.
#[inline(always)]
pub fn veil(x: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut x = x;
        // SAFETY: there is no instruction, only a comment with the register's name.
        unsafe {
            core::arch::asm!("/* {x} */", x = inout(reg) x, options(nomem, nostack, preserves_flags));
        }
        x
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::hint::black_box(x)
}
