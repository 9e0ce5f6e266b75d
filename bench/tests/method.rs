//! Tests the method of measurement on work of known cost.
//!
//! These tests measure time, so they demand little. If the machine keeps no sample at all, they say so and
//! pass. The bounds are only as tight as needed to detect a mistake in the method.

use keylane_measure::chain::adds;
use keylane_measure::sample::{Contest, Samples, interleaved};

/// Contenders: chains of additions.
struct Chains<'a> {
    steps: &'a [u64],
    /// The contenders in the order they ran.
    ran: Vec<usize>,
}

impl Contest for Chains<'_> {
    fn contenders(&self) -> usize {
        self.steps.len()
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        self.ran.push(contender);
        Box::new(move || adds(self.steps[contender]))
    }
}

/// Asserts the median cycles per step, if there are any samples.
fn cycles_a_step(samples: &Samples, steps: u64, expected: f64) {
    let Some(cycles) = samples.cycles() else { return println!("no sample was kept") };
    let cycles = cycles.median / steps as f64;
    assert!((0.8 * expected..1.25 * expected).contains(&cycles), "{cycles} cycles a step");
}

#[test]
fn a_chain_of_additions_takes_a_cycle_a_step() {
    let steps = [256_000, 1_024_000];
    let samples = interleaved(&mut Chains { steps: &steps, ran: vec![] }, 31).samples;
    for (samples, steps) in samples.iter().zip(steps) {
        cycles_a_step(samples, steps, 1.0);
    }
    if let Some(ratio) = samples[0].ratio(&samples[1]) {
        assert!((0.2..0.3).contains(&ratio.median), "{ratio:?}");
        assert!(ratio.lower <= ratio.median && ratio.median <= ratio.upper);
    }
}

/// An instruction that the calibration does not use: three cycles on every x86-64 since 2008.
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
#[test]
fn a_chain_of_multiplications_takes_three_cycles_a_step() {
    struct Multiplications;

    impl Contest for Multiplications {
        fn contenders(&self) -> usize {
            1
        }

        fn work(&mut self, _contender: usize) -> Box<dyn FnMut() + '_> {
            Box::new(|| {
                let mut x = 3u64;
                for _ in 0..100_000 {
                    x = keylane_measure::chain::veil(x.wrapping_mul(x));
                }
                std::hint::black_box(x);
            })
        }
    }

    let samples = interleaved(&mut Multiplications, 31).samples;
    cycles_a_step(&samples[0], 100_000, 3.0);
}

#[test]
fn rounds_go_forwards_and_backwards() {
    let mut contest = Chains { steps: &[64, 64, 64], ran: vec![] };
    interleaved(&mut contest, 2);
    // The first contender is measured a second time, at the other end.
    assert_eq!(contest.ran[..8], [0, 1, 2, 0, 0, 2, 1, 0]);
}

/// A contender with a long time between preparation and call, and with slow freeing.
#[cfg(not(debug_assertions))]
#[test]
fn only_the_call_is_timed() {
    struct Slow;

    impl Drop for Slow {
        fn drop(&mut self) {
            adds(4_000_000);
        }
    }

    struct Lists;

    impl Contest for Lists {
        fn contenders(&self) -> usize {
            1
        }

        fn work(&mut self, _contender: usize) -> Box<dyn FnMut() + '_> {
            adds(4_000_000);
            let slow = Slow;
            Box::new(move || {
                let _kept = &slow;
                adds(100_000);
            })
        }
    }

    let samples = interleaved(&mut Lists, 7).samples;
    let cycles = samples[0].cycles().map_or(0.0, |cycles| cycles.median);
    assert!(cycles < 1_000_000.0, "{cycles} cycles");
}
