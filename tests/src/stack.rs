//! What a call leaves on the stack, and how much of it it uses.

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;

/// How many bytes of stack are looked at.
pub const DEPTH: usize = 1 << 17;

/// What stands there before the call.
const PAINT: u8 = 0xa5;

/// The [`DEPTH`] bytes of stack right below the place from which `run` is called, when it has run. The operating system
/// is asked what stands there, since reading it as Rust memory would not be defined.
///
/// # Panics
/// The operating system does not tell.
pub fn left_by(run: &mut dyn FnMut()) -> Vec<u8> {
    // Opened before the call, and everything else that might use much stack.
    let memory = File::open("/proc/self/mem").expect("/proc/self/mem");
    let mut bytes = vec![0; DEPTH];
    paint();
    let top = call(run);
    memory.read_exact_at(&mut bytes, (top - DEPTH) as u64).expect("this thread's own stack");
    bytes
}

/// How many bytes of it the call has written to or gone past.
pub fn used(left: &[u8]) -> usize {
    left.len() - left.iter().position(|&byte| byte != PAINT).unwrap_or(left.len())
}

/// Paints the stack as far down as it will be looked at.
#[inline(never)]
fn paint() {
    black_box(&black_box([PAINT; 3 * DEPTH]));
}

/// Calls `run` from so far down that what it leaves is not overwritten by what comes after: where that is.
#[inline(never)]
fn call(run: &mut dyn FnMut()) -> usize {
    let room = black_box([PAINT; DEPTH]);
    run();
    black_box(&room).as_ptr().expose_provenance()
}
