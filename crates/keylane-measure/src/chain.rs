//! A chain of dependent additions, at one cycle per step on every CPU of today, and a barrier that hides
//! values from the compiler.

#![allow(unsafe_code)]

/// Additions per iteration of the chain's loop. The loop counter runs in parallel.
const TURN: u64 = 64;

/// Whether a step of [`adds`] takes one cycle here. On other CPUs `adds` is plain Rust, at some fixed number
/// of cycles per step. Figures are then in steps.
pub const IN_CYCLES: bool = cfg!(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"));

/// Performs `steps` additions, rounded down to a multiple of 64. Each waits for its predecessor.
#[inline(never)]
pub fn adds(steps: u64) {
    let turns = steps / TURN;
    if turns > 0 {
        turn(turns);
    }
}

/// `turns` must be above 0.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn turn(turns: u64) {
    // SAFETY: the code uses two registers and the flags, no memory and no stack. It ends: the caller passes
    // at least one turn.
    unsafe {
        core::arch::asm!(
            "2:",
            ".rept 64",
            "add {x}, {x}",
            ".endr",
            "dec {turns}",
            "jnz 2b",
            x = inout(reg) 1usize => _,
            turns = inout(reg) turns as usize => _,
            options(nomem, nostack),
        );
    }
}

/// `turns` must be above 0.
#[cfg(target_arch = "aarch64")]
fn turn(turns: u64) {
    // SAFETY: the code uses two registers and the flags, no memory and no stack. It ends: the caller passes
    // at least one turn.
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

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn turn(turns: u64) {
    let mut x = 1u64;
    for _ in 0..turns * TURN {
        x = std::hint::black_box(x.wrapping_add(x));
    }
}

/// Clears the upper halves of the vector registers. If some code leaves them set, later SSE instructions are
/// slow.
pub fn clear_vectors() {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        // SAFETY: the CPU has AVX. The operands declare all 16 registers as overwritten, so the compiler
        // keeps no value in an upper half here.
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

/// Returns `x`, but the compiler no longer knows its value. `x` stays in its register, so this costs nothing;
/// on other CPUs it goes through memory.
#[inline(always)]
pub fn veil(x: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut x = x;
        // SAFETY: there is no instruction, only a comment that names the register.
        unsafe {
            core::arch::asm!("/* {x} */", x = inout(reg) x, options(nomem, nostack, preserves_flags));
        }
        x
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::hint::black_box(x)
}
