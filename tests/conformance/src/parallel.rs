//! Child processes beside each other.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{available_parallelism, scope};

/// How many of these are not good, judged on every CPU.
pub fn failures<T: Sync>(all: &[T], is_good: impl Fn(&T) -> bool + Sync) -> usize {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(one) = all.get(next.fetch_add(1, Relaxed)) {
            failed.fetch_add(usize::from(!is_good(one)), Relaxed);
        }
    };
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    failed.into_inner()
}
