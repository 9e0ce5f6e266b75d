//! Two planted faults, to prove that a sanitizer detects them. `cargo xtask sanitize` starts it as a child.
//!
//! * `overrun` reads the byte after a message.
//! * `race` makes two threads write to one place.
//!
//! Without a sanitizer both end normally.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::env;
use std::hint::black_box;
use std::thread;

/// A value that threads share without synchronisation.
struct Shared(UnsafeCell<u64>);

// SAFETY: none. Two threads write to it at once: this is the defect.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(0));

fn write(times: u64) {
    for number in 0..times {
        // SAFETY: none. Another thread writes at the same time: this is the defect.
        unsafe { SHARED.0.get().write_volatile(black_box(number)) };
    }
}

fn main() {
    match env::args().nth(1).as_deref() {
        Some("overrun") => {
            let message = black_box(vec![7u8; 100]);
            let behind = message.as_ptr_range().end;
            // SAFETY: none. The byte lies after the message: this is the defect.
            black_box(unsafe { behind.read_volatile() });
        }
        Some("race") => thread::scope(|scope| {
            scope.spawn(|| write(1000));
            scope.spawn(|| write(1000));
        }),
        _ => panic!("sanitizer_probe overrun | race"),
    }
    println!("ended in order");
}
