//! Tests whether the clock sees a difference between zeros and random secrets: "dude, is my code constant
//! time?".
//!
//! Welch's t-test over the times of both kinds, in random order, as dudect-bencher does it. The test runs
//! over all samples and over those below each of a hundred percentiles; the largest |t| is reported. A large
//! |t| is evidence of a difference. A small one does not prove that there is none, only that this number of
//! samples does not show it.

use super::{Secrets, Work};
use dudect_bencher::ctbench::{BenchMetadata, BenchName, BenchOpts, Class, run_benches_console};
use dudect_bencher::rand::RngExt;
use dudect_bencher::{BenchRng, CtRunner};
use std::cell::RefCell;
use std::io;

/// The work of a row.
pub type Jobs = Box<dyn FnMut(&mut Secrets)>;

thread_local! {
    /// The work to time, and the number of samples. The bench can only call a function without state.
    static WORK: RefCell<Option<(Jobs, usize)>> = const { RefCell::new(None) };
}

/// Times the jobs in `samples` samples, and prints dudect-bencher's report.
pub fn time(jobs: Jobs, samples: usize) -> io::Result<()> {
    WORK.set(Some((jobs, samples)));
    let options = BenchOpts { continuous: false, filter: None, file_out: None };
    run_benches_console(
        options,
        vec![BenchMetadata { name: BenchName("row"), seed: Some(20), benchfn: bench }],
    )
}

fn bench(runner: &mut CtRunner, random: &mut BenchRng) {
    let Some((jobs, samples)) = WORK.take() else { return };
    let jobs = RefCell::new(jobs);
    for sample in 0..samples + 4 {
        let (class, number) = match random.random::<u64>() {
            // Numbers from 2 on mean random secrets.
            number if number % 2 == 0 => (Class::Left, 0),
            number => (Class::Right, number | 2),
        };
        let secrets = RefCell::new(Secrets::new(number, Work::Little));
        let work = || jobs.borrow_mut()(&mut secrets.borrow_mut());
        // The first calls have cold caches.
        if sample < 4 {
            work();
        } else {
            runner.run_one(class, work);
        }
    }
}
