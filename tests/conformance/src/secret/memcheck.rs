//! Requests from a program to valgrind's memcheck, which runs it: to treat bytes as undefined or defined, and to tell
//! which bytes it treats as undefined. Elsewhere the requests have no effect.
//!
//! A request is a sequence of instructions that changes nothing. It rotates a register four times, by 128 bits in all,
//! and exchanges a register with itself. Memcheck recognises it, executes the request in six words of memory, and
//! returns its answer in a register (valgrind.h).

#![allow(unsafe_code)]

/// Whether memcheck runs this program.
pub fn is_running() -> bool {
    const RUNNING_ON_VALGRIND: usize = 0x1001;
    request(&[RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0]) != 0
}

/// Marks these bytes as undefined. From now on a branch on them, or an address computed from them, is an
/// error.
pub fn hide(bytes: &mut [u8]) {
    const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
    request(&[MAKE_MEM_UNDEFINED, bytes.as_mut_ptr().expose_provenance(), bytes.len(), 0, 0, 0]);
}

/// Returns the verdict, marked as defined: from now on everybody may know it.
pub fn reveal(mut verdict: bool) -> bool {
    const MAKE_MEM_DEFINED: usize = 0x4d43_0002;
    let place = (&raw mut verdict).expose_provenance();
    request(&[MAKE_MEM_DEFINED, place, size_of::<bool>(), 0, 0, 0]);
    verdict
}

/// Whether at least one bit of the value is undefined.
pub fn is_hidden<T: Copy>(value: &T) -> bool {
    const GET_VBITS: usize = 0x4d43_0008;
    // A 1 means an undefined bit.
    let mut bits = [0u8; 64];
    let size = size_of::<T>();
    assert!(size <= bits.len(), "no room for {size} bytes");
    let places = [(&raw const *value).expose_provenance(), bits.as_mut_ptr().expose_provenance()];
    request(&[GET_VBITS, places[0], places[1], size, 0, 0]);
    std::hint::black_box(bits) != [0; 64]
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn request(words: &[usize; 6]) -> usize {
    let mut answer = 0;
    // SAFETY: the rotations add up to 128 bits, so every register except the flags is unchanged. Only
    // memcheck accesses memory, at places that the callers have exposed and own. It reads the memory that
    // `hide` and `is_hidden` point to, and writes `bits`, which is borrowed mutably there.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") words,
            inout("rdx") answer,
        );
    }
    answer
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn request(_: &[usize; 6]) -> usize {
    0
}
