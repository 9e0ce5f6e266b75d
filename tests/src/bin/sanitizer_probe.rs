//! Two planted faults, to show that a sanitizer sees them: the child of `cargo xtask sanitize`.
//!
//! * `overrun` reads the byte behind a message.
//! * `race` has two threads write to one place.
//!
//! Without a sanitizer both end in order.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::env;
use std::hint::black_box;
use std::thread;

/// A place that threads share without order.
struct Shared(UnsafeCell<u64>);

// SAFETY: none, for two threads write to it at once: this is the defect.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(0));

fn write(times: u64) {
    for number in 0..times {
        // SAFETY: none, for another thread writes at the same time: this is the defect.
        unsafe { SHARED.0.get().write_volatile(black_box(number)) };
    }
}

fn main() {
    match env::args().nth(1).as_deref() {
        Some("overrun") => {
            let message = black_box(vec![7u8; 100]);
            let behind = message.as_ptr_range().end;
            // SAFETY: none, for the byte lies behind the message: this is the defect.
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
