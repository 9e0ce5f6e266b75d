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

/// Clears the upper halves of vectors, which some code leaves as they are: SSE instructions of whoever
/// comes next would wait for them.
pub fn clear_vectors() {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        // SAFETY: the CPU has AVX. No value of the compiler's lives in an upper half across this line, as
        // it is told.
        unsafe {
            core::arch::asm!(
                "vzeroupper",
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _,
                out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _,
                out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
                options(nomem, nostack, preserves_flags),
            );
        }
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
