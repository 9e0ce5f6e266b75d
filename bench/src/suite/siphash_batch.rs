//! `siphash-batch`: many messages in one call.

use super::siphash_one::LENGTHS;
use super::{Plan, Show, Task, table};
use crate::data::{Arrow, Bytes, Random, SHIFTS};
use crate::engine::{Engine, Rounds, Slot, keylane, peers, specification};
use crate::work::batch::Input;
use anyhow::{Result, ensure};
use std::ops::RangeInclusive;
use std::rc::Rc;

const SUITE: &str = "siphash-batch";

/// Measures the suite and gives each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn siphash_batch(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    for rounds in Rounds::ALL {
        let mut engines = keylane(rounds, Slot::Many)?;
        engines.extend(peers(rounds)?);
        for shape in Shape::all() {
            let title = format!("{}, by messages in a call", shape.title());
            if plan.only.as_ref().is_some_and(|only| !title.contains(only)) {
                continue;
            }
            // Small batches and the largest that fits a cache walk the same messages; after them come
            // data out of the cache, in one call.
            let Some((&few, many)) = plan.rows.split_first() else { continue };
            let data = Rc::new(Data::new(&shape, few));
            let cached = plan.batches.iter().map(|&size| Cell::new(Rc::clone(&data), size, plan.cycles));
            // A set of data is made when its cell's turn comes, since it may be large.
            let large = many.iter().map(|&rows| Cell::new(Rc::new(Data::new(&shape, rows)), rows, 0));
            show(table(SUITE, rounds, &title, &engines, plan, cached.chain(large))?)?;
        }
    }
    Ok(())
}

/// A layout of messages.
enum Shape {
    U32s,
    U64s,
    U128s,
    Rows16,
    Offsets(RangeInclusive<usize>),
}

impl Shape {
    fn all() -> Vec<Shape> {
        let fixed = [Shape::U32s, Shape::U64s, Shape::U128s, Shape::Rows16];
        fixed.into_iter().chain(LENGTHS.map(Shape::Offsets)).collect()
    }

    fn title(&self) -> String {
        match self {
            Shape::U32s => "u32".to_owned(),
            Shape::U64s => "u64".to_owned(),
            Shape::U128s => "u128".to_owned(),
            Shape::Rows16 => "rows of 16 bytes".to_owned(),
            Shape::Offsets(lengths) => format!("offsets, {}..{} bytes", lengths.start(), lengths.end()),
        }
    }
}

/// The messages of a shape, and some more so that they can be moved.
enum Data {
    U32s(Vec<u32>),
    U64s(Vec<u64>),
    U128s(Vec<u128>),
    Rows16(Bytes),
    Offsets(Arrow),
}

impl Data {
    fn new(shape: &Shape, rows: usize) -> Self {
        let mut random = Random::new(3);
        match shape {
            Shape::U32s => {
                Data::U32s((0..rows + SHIFTS / 4).map(|_| (random.next_u64() >> 32) as u32).collect())
            }
            Shape::U64s => Data::U64s((0..rows + SHIFTS / 8).map(|_| random.next_u64()).collect()),
            Shape::U128s => {
                let mut next = || u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
                Data::U128s((0..rows + SHIFTS / 16).map(|_| next()).collect())
            }
            Shape::Rows16 => Data::Rows16(Bytes::new(16 * rows, 3)),
            Shape::Offsets(lengths) => Data::Offsets(Arrow::uniform(rows, lengths.clone(), 3)),
        }
    }

    /// The messages, moved by as many bytes or, if they are integers, by as many as keep them aligned.
    fn at(&self, shift: usize) -> Input<'_> {
        fn moved<T>(integers: &[T], shift: usize) -> &[T] {
            let spare = SHIFTS / size_of::<T>();
            let first = shift / size_of::<T>();
            &integers[first..integers.len() - spare + first]
        }
        match self {
            Data::U32s(integers) => Input::U32s(moved(integers, shift)),
            Data::U64s(integers) => Input::U64s(moved(integers, shift)),
            Data::U128s(integers) => Input::U128s(moved(integers, shift)),
            Data::Rows16(bytes) => Input::Rows16(bytes.at(shift).as_chunks().0),
            Data::Offsets(arrow) => Input::Offsets { bytes: arrow.bytes(shift), offsets: arrow.offsets() },
        }
    }
}

/// A number of messages in a call.
struct Cell {
    data: Rc<Data>,
    size: usize,
    shift: usize,
    passes: usize,
    tags: Vec<u64>,
}

impl Cell {
    fn new(data: Rc<Data>, size: usize, cycles: usize) -> Self {
        let rows = data.at(0).rows();
        // A message takes something like 10 cycles: one, or a hundred, by the engine.
        let passes = (cycles / 10 / rows.max(1)).max(1);
        Cell { data, size, shift: 0, passes, tags: vec![0; rows] }
    }
}

impl Task for Cell {
    fn label(&self) -> String {
        self.size.to_string()
    }

    fn messages(&self) -> usize {
        self.passes * self.tags.len()
    }

    fn has_slot(&self) -> bool {
        true
    }

    fn check(&mut self, engine: &Engine, rounds: Rounds) -> Result<()> {
        let input = self.data.at(self.shift);
        let mut right = vec![0; self.tags.len()];
        specification(rounds, engine.key).batch(&input, self.size, &mut right);
        // Not even a tag that is left from before may pass.
        self.tags.iter_mut().zip(&right).for_each(|(tag, right)| *tag = !right);
        engine.work.batch(&input, self.size, &mut self.tags);
        ensure!(self.tags == right, "{}: wrong answers in batches of {}", engine.name, self.size);
        Ok(())
    }

    fn shift(&mut self, shift: usize) {
        self.shift = shift;
    }

    fn run(&mut self, engine: &Engine) {
        let input = self.data.at(self.shift);
        for _ in 0..self.passes {
            engine.work.batch(&input, self.size, &mut self.tags);
        }
    }
}
