//! Many messages under SipHash or HalfSipHash: rows of `siphash-xn` or `halfsiphash-xn`, and the public API.

use crate::batch::{Batch, Lengths};
use crate::hash;
use crate::input::{Bytes, Text, coded};
use crate::steps::{Forced, STEPS};
use keylane::dispatch::select::Runnable;
use keylane::job::kernel::Shape;
use keylane::job::siphash::{Batch as Job, State, Tags, Xn};
use keylane_conformance::public::hashes;
use keylane_conformance::variants::{Family, Variant};

/// Extra tags before and after those of a batch. No kernel may write them.
const GUARD: usize = 3;

coded! {
    /// A key, a variant, and steps.
    pub struct Case<'a> {
        /// The key. HalfSipHash takes its first half.
        pub key: [u8; 16],
        /// A number that selects the rounds.
        pub rounds: u8,
        /// Whether tags have two words.
        pub double: bool,
        /// The steps.
        pub steps: Vec<Step<'a>>,
    }
}

coded! {
    /// A step. Row numbers are modulo the number of rows.
    pub enum Step<'a> {
        /// Hashes a batch, by the row and by the public API.
        Hash {
            /// Whether ASCII capitals are folded.
            fold: bool,
            /// The messages.
            batch: Batch<'a>
        },
        /// Switches to another row.
        Switch {
            /// Which.
            row: u8
        },
        /// Forces the public API to use another row.
        Force {
            /// Which.
            row: u8
        },
    }
}

impl Case<'_> {
    /// Panics if an answer for SipHash is wrong.
    pub fn run_siphash(&self) {
        self.run::<u64>();
    }

    /// Panics if an answer for HalfSipHash is wrong.
    pub fn run_halfsiphash(&self) {
        self.run::<u32>();
    }

    fn run<W: Family>(&self) {
        let variant = hash::variant(W::HALF, self.rounds, self.double);
        let key = &self.key[..variant.key_size()];
        let names = hashes(variant, key);
        let rows: Vec<Runnable<Xn<W>>> = W::xn().runnable().collect();
        let mut forced = Forced::new(Xn::<W>::SLOT);
        let mut row = &rows[0];
        for step in self.steps.iter().take(STEPS) {
            match step {
                Step::Switch { row: number } => row = &rows[usize::from(*number) % rows.len()],
                Step::Force { row } => forced.force(*row),
                Step::Hash { fold, batch } => {
                    let placed = batch.place();
                    let messages = placed.messages();
                    let tags = |fold| -> Vec<u128> {
                        messages.iter().map(|message| hash::expected(variant, key, message, fold)).collect()
                    };
                    let expected = [Some(tags(false)), placed.can_fold().then(|| tags(true))];
                    let fold = *fold && placed.can_fold();
                    let mut actual = Vec::new();
                    placed.with(|messages| {
                        let initial = State::new(W::key(key), variant.double);
                        let count = expected[0].as_ref().map_or(0, Vec::len);
                        actual = tags_of(row, variant, &initial, fold, messages, count);
                    });
                    assert_eq!(Some(actual), expected[usize::from(fold)], "{}", row.id());
                    for name in &names {
                        for (tags, expected) in
                            placed.public(name.as_ref(), messages.len()).into_iter().zip(&expected)
                        {
                            assert_eq!(tags.result, Ok(()));
                            assert_eq!(Some(&tags.tags), expected.as_ref(), "the public API");
                        }
                    }
                }
            }
        }
    }

    /// Calls `keep` with cases of SipHash's published answers.
    pub fn seeds_siphash(keep: &mut dyn FnMut(&Case<'_>)) {
        seeds(false, keep);
    }

    /// Calls `keep` with cases of HalfSipHash's published answers.
    pub fn seeds_halfsiphash(keep: &mut dyn FnMut(&Case<'_>)) {
        seeds(true, keep);
    }
}

/// The tags of a batch by a row, as numbers.
fn tags_of<W: Family>(
    row: &Runnable<Xn<W>>,
    variant: Variant,
    initial: &State<W>,
    fold: bool,
    messages: keylane::job::siphash::Messages<'_>,
    count: usize,
) -> Vec<u128> {
    let here = GUARD..GUARD + count;
    let rounds = variant.rounds();
    macro_rules! run {
        ($width:ident, $unwritten:expr, $number:expr) => {{
            let mut places = vec![$unwritten; count + 2 * GUARD];
            let tags = Tags::$width(&mut places[here.clone()]);
            row.run(Job { initial, rounds, fold, messages, tags });
            let number = |tag| -> u128 { $number(tag) };
            let mut around = places[..GUARD].iter().chain(&places[here.end..]);
            assert!(
                around.all(|&tag| number(tag) == number($unwritten)),
                "{}: the tags around the batch",
                row.id()
            );
            places[here].iter().copied().map(number).collect()
        }};
    }
    if variant.double {
        run!(Double, W::UNWRITTEN_DOUBLE, W::number)
    } else {
        run!(Single, W::UNWRITTEN, W::into)
    }
}

fn seeds(half: bool, keep: &mut dyn FnMut(&Case<'_>)) {
    let place = |case: &keylane_conformance::vectors::HashCase| {
        let mut key = [0; 16];
        key[..case.key.len()].copy_from_slice(&case.key);
        key
    };
    // A batch with as many messages as a vector has lanes, all of them the published message.
    for (case, rounds) in
        hash::published(half).iter().filter(|(case, _)| (1..=255).contains(&case.message.len()))
    {
        let bytes = case.message.repeat(17);
        let batch =
            Batch::Rows { width: case.message.len() as u8, text: Text::Given { bytes: Bytes(&bytes) } };
        let steps = vec![Step::Hash { fold: case.tag_nocase.is_some(), batch }];
        keep(&Case { key: place(case), rounds: *rounds, double: case.variant.double, steps });
    }
    let lengths = [
        Lengths::Given { bytes: Bytes(b"a ragged batch, by the numbers of these very letters") },
        Lengths::Equal { len: 8, count: 33 },
        Lengths::Random { seed: 1, below: 80, count: 67 },
        Lengths::Odd { len: 3, odd: 210, at: 5, count: 600 },
    ];
    for (rounds, lengths) in (0..).zip(lengths) {
        let offsets =
            |wide| Batch::Offsets { wide, before: 3, behind: 70, lengths: lengths.clone(), seed: 2 };
        let steps = vec![
            Step::Hash { fold: false, batch: offsets(false) },
            Step::Switch { row: 1 },
            Step::Force { row: 1 },
            Step::Hash { fold: true, batch: offsets(true) },
            Step::Switch { row: 2 },
            Step::Hash {
                fold: true,
                batch: Batch::Slices { starts: [0, 1, 7], lengths: lengths.clone(), seed: 3 },
            },
        ];
        keep(&Case { key: [7; 16], rounds, double: rounds % 2 == 1, steps });
    }
    for size in 0..3 {
        let batch = Batch::Integers { size, text: Text::Random { seed: 4, len: 1024 } };
        keep(&Case {
            key: [8; 16],
            rounds: 2,
            double: false,
            steps: vec![Step::Hash { fold: false, batch }],
        });
    }
}
