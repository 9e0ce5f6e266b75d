//! Times `poly1305_p2_sse2` beside the portable kernels at many lengths, where the suites of `bench/` do not run: in
//! 32-bit code. Prints a record as CSV. `docs/research/RADIX.md` gives the command.
//!
//! Each call computes the tag of a whole message under its own key.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn main() -> std::io::Result<()> {
    lengths::print()
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn main() {
    println!("poly1305_p2_sse2 is a kernel of x86");
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod lengths {
    use keylane::dispatch::select::Runnable;
    use keylane::dispatch::table::POLY1305_PN;
    use keylane::job::poly1305::{Key, Message, Pn};
    use keylane::job::thresholds::Method;
    use keylane_measure::data::{Bytes, shift};
    use keylane_measure::record::{Figure, write};
    use keylane_measure::sample::{Contest, interleaved};
    use std::hint::black_box;
    use std::io;

    /// The cycles of a sample, about.
    const CYCLES: usize = 100_000;

    /// Pairs of samples.
    const PAIRS: usize = 15;

    /// The last lengths of the parts of the ladder, and the steps of each.
    const STEPS: [(usize, usize); 4] = [(512, 32), (2048, 128), (8192, 512), (16384, 4096)];

    /// The kernels, and the length from which `poly1305_p2_sse2` takes eight steps at a time.
    const SIDES: [(&str, &str, usize); 4] = [
        ("poly1305_x1_u32", "poly1305_x1_u32", usize::MAX),
        ("poly1305_x1_u64", "poly1305_x1_u64", usize::MAX),
        ("poly1305_p2_sse2 by 4", "poly1305_p2_sse2", usize::MAX),
        ("poly1305_p2_sse2 by 8", "poly1305_p2_sse2", 1),
    ];

    /// Every length is measured one byte beyond the step before, and at the step.
    fn ladder() -> Vec<usize> {
        let mut lengths = vec![16, 64, 128];
        let mut end = 128;
        for (last, step) in STEPS {
            while end < last {
                lengths.extend([end + 1, end + step]);
                end += step;
            }
        }
        lengths
    }

    /// The kernels at one length.
    struct AtLength {
        rows: Vec<(Runnable<Pn>, usize)>,
        bytes: Bytes,
        calls: usize,
        shift: usize,
    }

    impl Contest for AtLength {
        fn contenders(&self) -> usize {
            self.rows.len()
        }

        fn begin(&mut self, round: usize) {
            self.shift = shift(round);
        }

        fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
            let (row, by_8) = &self.rows[contender];
            Method::P2Sse2By8.assume(*by_8);
            let (message, calls) = (self.bytes.at(self.shift), self.calls);
            let work = move || {
                for i in 0..calls {
                    black_box(tag(row, i, black_box(message)));
                }
            };
            // The first call after another kernel finds a cold cache.
            work();
            Box::new(work)
        }
    }

    /// The tag of a message under a key of its own.
    fn tag(row: &Runnable<Pn>, i: usize, message: &[u8]) -> u128 {
        let mut tag = 0;
        let key = Key::from_bytes(&[i as u8 | 1; 32]);
        row.run(Message::Whole { key: &key, message, tag: &mut tag });
        tag
    }

    /// Measures every length and prints the record.
    pub fn print() -> io::Result<()> {
        let row = |id: &str| POLY1305_PN.runnable().find(|row| row.id() == id);
        let sides: Vec<_> = SIDES.into_iter().filter(|(_, id, _)| row(id).is_some()).collect();
        let mut lines = Vec::new();
        for length in ladder() {
            let rows: Vec<_> = sides.iter().filter_map(|(_, id, by_8)| Some((row(id)?, *by_8))).collect();
            let calls = CYCLES / (60 + 2 * length) + 1;
            let mut contest = AtLength { rows, bytes: Bytes::new(length, 1), calls, shift: 0 };
            let tags: Vec<u128> =
                contest.rows.iter().map(|(row, _)| tag(row, 7, contest.bytes.at(0))).collect();
            assert!(tags.iter().all(|tag| Some(tag) == tags.first()), "different tags: {tags:x?}");
            let samples = interleaved(&mut contest, PAIRS);
            for ((name, _, _), of) in sides.iter().zip(&samples) {
                if let Some(figure) = Figure::of(of, samples.first(), calls as f64) {
                    let cell = format!("{length} bytes");
                    let title = if size_of::<usize>() == 4 { "32-bit code" } else { "64-bit code" };
                    lines.push(figure.line(["poly1305-lengths", "", title, &cell, name, "kernel"]));
                }
            }
        }
        write(io::stdout(), lines).map_err(io::Error::other)
    }
}
