//! The method on work whose cost is known.

use keylane_bench::chain::adds;
use keylane_bench::sample::{Contest, interleaved};

/// Contenders that are chains of additions.
struct Chains<'a> {
    steps: &'a [u64],
    /// Which contender ran, in order.
    ran: Vec<usize>,
}

impl Contest for Chains<'_> {
    fn contenders(&self) -> usize {
        self.steps.len()
    }

    fn run(&mut self, contender: usize) {
        self.ran.push(contender);
        adds(self.steps[contender]);
    }
}

#[test]
fn a_chain_of_additions_takes_a_cycle_a_step() {
    let steps = [256_000, 1_024_000];
    let samples = interleaved(&mut Chains { steps: &steps, ran: vec![] }, 31);
    for (samples, steps) in samples.iter().zip(steps) {
        assert!(samples.kept() >= 31);
        let cycles = samples.cycles().unwrap().median / steps as f64;
        assert!((0.97..1.03).contains(&cycles), "{cycles} cycles a step");
    }
    let ratio = samples[0].ratio(&samples[1]).unwrap();
    assert!((0.245..0.255).contains(&ratio.median), "{ratio:?}");
    assert!(ratio.lower <= ratio.median && ratio.median <= ratio.upper);
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

        fn run(&mut self, _contender: usize) {
            let mut x = 3u64;
            for _ in 0..100_000 {
                x = keylane_bench::chain::veil(x.wrapping_mul(x));
            }
            std::hint::black_box(x);
        }
    }

    let samples = interleaved(&mut Multiplications, 31);
    let cycles = samples[0].cycles().unwrap().median / 100_000.0;
    assert!((2.9..3.1).contains(&cycles), "{cycles} cycles a step");
}

#[test]
fn rounds_go_forwards_and_backwards() {
    let mut contest = Chains { steps: &[64, 64, 64], ran: vec![] };
    interleaved(&mut contest, 2);
    assert_eq!(contest.ran[..6], [0, 1, 2, 2, 1, 0]);
}
