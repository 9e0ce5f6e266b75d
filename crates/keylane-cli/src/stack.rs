//! Overwrites the stack that handled a key. A move leaves a copy of what was moved, where no `drop` finds it. What is
//! moved later can carry such copies along, in its padding, even to the heap.

use std::hint::black_box;

/// More bytes of stack than reading and preparing a key takes.
const DEPTH: usize = 32 * 1024;

/// Calls `work`, and then overwrites the stack that it used. What it returns must not contain the key itself: keys
/// that stay are in boxes.
pub fn overwritten<T>(work: impl FnOnce() -> T) -> T {
    let result = below(work);
    overwrite();
    result
}

/// Has the frame that [`overwrite`] then takes.
#[inline(never)]
fn below<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[inline(never)]
fn overwrite() {
    black_box(&mut [0u8; DEPTH]);
}
