//! Measures what a call leaves on the stack, and how much stack it uses.

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;

/// The number of stack bytes to examine.
pub const DEPTH: usize = 1 << 17;

/// The contents of these bytes before the call.
const PAINT: u8 = 0xa5;

/// The [`DEPTH`] bytes of stack directly below the frame that calls `run`, after the call. They are read
/// through the operating system: reading them as Rust memory would be undefined behaviour.
///
/// The operating system does not provide them.
pub fn left_by(run: &mut dyn FnMut()) -> Vec<u8> {
    // Everything that might use much stack is done before the call, such as opening this file.
    let memory = File::open("/proc/self/mem").expect("/proc/self/mem");
    let mut bytes = vec![0; DEPTH];
    paint();
    let top = call(run);
    memory.read_exact_at(&mut bytes, (top - DEPTH) as u64).expect("this thread's own stack");
    bytes
}

/// The number of bytes that the call has written to or gone past.
pub fn used(left: &[u8]) -> usize {
    left.len() - left.iter().position(|&byte| byte != PAINT).unwrap_or(left.len())
}

/// Paints the stack to the depth that will be examined.
#[inline(never)]
fn paint() {
    black_box(&black_box([PAINT; 3 * DEPTH]));
}

/// Calls `run` from deep enough in the stack that later calls do not overwrite its remains. Returns the
/// address.
#[inline(never)]
fn call(run: &mut dyn FnMut()) -> usize {
    let room = black_box([PAINT; DEPTH]);
    run();
    black_box(&room).as_ptr().expose_provenance()
}
