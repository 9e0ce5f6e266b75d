//! Whether time differs between two kinds of secrets: Welch's t-test, as in "dude, is my code constant time?".
//!
//! With n samples of mean m and variance v of each kind,
//!
//! ```text
//! t = (m0 - m1) / sqrt(v0 / n0 + v1 / n1)
//! ```
//!
//! is about a normal variable of variance 1 if both kinds take the same time, however noisy it is. A larger |t| is
//! evidence of a difference; a small one is none that there is no difference, only that so many samples do not show it.

use super::{Secrets, Work};
use crate::input::Random;
use keylane_measure::clock::time;

/// t for jobs whose secrets are zeros against the same jobs with random ones, in as many samples of CPU time, in random
/// order. Of each kind the slowest tenth is left out: interrupts fall into it.
pub fn t_value(jobs: &mut dyn FnMut(&mut Secrets), samples: usize) -> f64 {
    let mut kinds = [Vec::new(), Vec::new()];
    let mut random = Random(20);
    // The first ones meet cold caches.
    for sample in 0..samples + 4 {
        let kind = random.below(2);
        // Numbers from 2 on stand for random secrets.
        let number = if kind == 0 { 0 } else { random.word() | 2 };
        let mut secrets = Secrets::new(number, Work::Little);
        let taken = time(|| jobs(&mut secrets));
        if sample >= 4 {
            kinds[kind].push(taken);
        }
    }
    let [zeros, others] = kinds.map(|kind| moments(fastest(kind)));
    (zeros.mean - others.mean) / (zeros.variance / zeros.count + others.variance / others.count).sqrt()
}

fn fastest(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times.truncate(times.len() - times.len() / 10);
    times
}

struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

fn moments(times: Vec<f64>) -> Moments {
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Moments { count, mean, variance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_few_numbers() {
        let Moments { count, mean, variance } = moments(vec![1.0, 2.0, 3.0, 6.0]);
        assert_eq!((count, mean), (4.0, 3.0));
        assert!((variance - 14.0 / 3.0).abs() < 1e-12);
        assert_eq!(fastest((0..20).map(f64::from).rev().collect()).len(), 18);
    }
}
