//! What the examples share: rows that look random, times, and the number of rows.

#![allow(dead_code, reason = "each example uses a part")]

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Numbers that look random (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// The next number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }
}

/// The number that is the first argument of the program, or 10^7.
pub fn rows() -> usize {
    let argument = std::env::args().nth(1);
    argument.map_or(10_000_000, |rows| rows.parse().expect("the argument is a number of rows"))
}

/// The result of a function, and how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = black_box(work());
    (result, start.elapsed())
}

/// What is timed: a name, and a function whose result all must share.
pub type Contender<'a, T> = (&'static str, &'a dyn Fn() -> T);

/// How often each contender runs. They take turns, and the best time counts, since other programs share the machine.
const ROUNDS: usize = 2;

/// Runs the contenders and prints their times.
///
/// # Panics
/// Two results differ.
pub fn compare<T: PartialEq>(what: &str, rows: usize, contenders: &[Contender<'_, T>]) {
    let mut best = vec![Duration::MAX; contenders.len()];
    let mut right = None;
    for _ in 0..ROUNDS {
        for (best, (name, work)) in best.iter_mut().zip(contenders) {
            let (result, time) = timed(work);
            *best = time.min(*best);
            match &right {
                Some(right) => assert!(result == *right, "{name} has another result"),
                None => right = Some(result),
            }
        }
    }
    println!("{what}, {rows} rows");
    for (time, (name, _)) in best.iter().zip(contenders) {
        let ratio = best[0].as_secs_f64() / time.as_secs_f64();
        println!("  {name:26} {:6.3} s {ratio:6.2} times as fast as {}", time.as_secs_f64(), contenders[0].0);
    }
}
