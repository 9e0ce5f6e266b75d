//! Chains of dependent additions, at one cycle per step on every CPU of today, and a barrier that hides
//! values from the compiler.

#![allow(unsafe_code)]

/// Additions per iteration of the chain's loop. The loop counter runs in parallel.
const TURN: u64 = 64;

/// Whether a step of [`adds`] takes one cycle here. On other CPUs `adds` is plain Rust, at some fixed number
/// of cycles per step. Figures are then in steps.
pub const IN_CYCLES: bool = cfg!(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"));

/// Chains that [`crowd`] runs side by side. They are as many as the additions that a core can start in a cycle: every x86
/// core since 2013 has four units for them, every AArch64 core has two.
pub const CHAINS: u64 = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { 4 } else { 2 };

/// Performs `steps` additions, rounded down to a multiple of 64. Each waits for its predecessor.
#[inline(never)]
pub fn adds(steps: u64) {
    let turns = steps / TURN;
    if turns > 0 {
        turn(turns);
    }
}

/// Performs `steps` additions, rounded down to a multiple of 64, in each of [`CHAINS`] chains side by side. On a core
/// of its own this takes as many cycles as [`adds`]. It fills the units for additions, so whoever else uses them slows
/// it.
#[inline(never)]
pub fn crowd(steps: u64) {
    let turns = steps / TURN;
    if turns > 0 {
        crowded_turn(turns);
    }
}

/// A function that runs a loop: 64 times some instructions, then those that count down.
#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! turns {
    ($name:ident: $($step:literal)*; $($end:literal)*; $($x:ident)*) => {
        /// `turns` must be above 0.
        fn $name(turns: u64) {
            // SAFETY: the code uses registers that are operands and the flags, no memory and no stack. It ends: the
            // caller passes at least one turn.
            unsafe {
                core::arch::asm!(
                    "2:",
                    ".rept 64",
                    $($step,)*
                    ".endr",
                    $($end,)*
                    $($x = inout(reg) 1usize => _,)*
                    turns = inout(reg) turns as usize => _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
turns!(turn: "add {x}, {x}"; "dec {turns}" "jnz 2b"; x);
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
turns!(
    crowded_turn: "add {x}, {x}" "add {y}, {y}" "add {z}, {z}" "add {w}, {w}";
    "dec {turns}" "jnz 2b"; x y z w
);

#[cfg(target_arch = "aarch64")]
turns!(turn: "add {x}, {x}, {x}"; "subs {turns}, {turns}, #1" "b.ne 2b"; x);
#[cfg(target_arch = "aarch64")]
turns!(
    crowded_turn: "add {x}, {x}, {x}" "add {y}, {y}, {y}";
    "subs {turns}, {turns}, #1" "b.ne 2b"; x y
);

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn turn(turns: u64) {
    let mut x = 1u64;
    for _ in 0..turns * TURN {
        x = std::hint::black_box(x.wrapping_add(x));
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn crowded_turn(turns: u64) {
    let (mut x, mut y) = (1u64, 1u64);
    for _ in 0..turns * TURN {
        (x, y) = std::hint::black_box((x.wrapping_add(x), y.wrapping_add(y)));
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
