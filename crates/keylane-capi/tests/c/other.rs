//! A library in Rust that allocates, starts a thread and catches a panic.

use std::collections::HashMap;
use std::panic::{catch_unwind, panic_any};
use std::thread;

/// The number of different numbers below `count`; 99 if it is 7.
#[unsafe(no_mangle)]
pub extern "C" fn other(count: u32) -> u32 {
    let counted = thread::spawn(move || {
        let work = || {
            if count == 7 {
                panic_any(());
            }
            (0..count).map(|i| (i, vec![i])).collect::<HashMap<_, _>>().len()
        };
        catch_unwind(work).unwrap_or(99)
    });
    counted.join().map_or(0, |counted| counted as u32)
}
