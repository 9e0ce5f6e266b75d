//! `siphash-batch`: many messages in one call.

use super::siphash_one::LENGTHS;
use super::{Plan, Show, Task, floors, table, tags};
use crate::engine::{
    Engine, Form, Rounds, Slot, double, double_peers, double_specification, keylane, peers, specification,
};
use crate::work::batch::Input;
use anyhow::{Result, ensure};
use keylane_measure::data::{Arrow, Bytes, Random, SHIFTS, Views, moved};
use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

const SUITE: &str = "siphash-batch";

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn siphash_batch(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    for rounds in Rounds::ALL {
        let mut engines = keylane(rounds, Slot::Many)?;
        engines.extend(peers(rounds)?);
        for shape in Shape::all(rounds) {
            let title = format!("{}, by messages in a call", shape.title());
            if !plan.has(&title) {
                continue;
            }
            // Small batches, and the largest that fits a cache, walk over the same messages. Then come data
            // beyond the cache, in one call.
            let Some((&few, many)) = plan.rows.split_first() else { continue };
            let data = Rc::new(Data::new(rounds, &shape, few));
            let cycles = plan.cycles / shape.cycles();
            let cached = plan.batches.iter().map(|&size| Cell::new(Rc::clone(&data), size, cycles));
            // A cell's data are made when it is measured, since they may be large.
            let large = many.iter().map(|&rows| Cell::new(Rc::new(Data::new(rounds, &shape, rows)), rows, 0));
            show(table(SUITE, Some(rounds), &title, &engines, plan, cached.chain(large))?)?;
        }
        let title = "u64 with 128-bit tags, by messages in a call";
        if plan.has(title) {
            let mut engines = double(rounds)?;
            engines.extend(double_peers(rounds));
            let cells = tags::Cell::all(plan, rounds, double_specification);
            show(table(SUITE, Some(rounds), title, &engines, plan, cells)?)?;
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
    Views(RangeInclusive<usize>),
}

/// The lengths of messages in views: all in their views, half of them, none.
const VIEWED: [RangeInclusive<usize>; 3] = [4..=12, 4..=20, 13..=23];

impl Shape {
    /// The shapes to measure. For 1-2, which no library has, only those of one width.
    fn all(rounds: Rounds) -> Vec<Shape> {
        let fixed = [Shape::U32s, Shape::U64s, Shape::U128s, Shape::Rows16];
        let ragged = LENGTHS.map(Shape::Offsets).into_iter().chain(VIEWED.map(Shape::Views));
        fixed.into_iter().chain(ragged.filter(|_| rounds != Rounds::R12)).collect()
    }

    /// Rough cycles per message: 3 to 60 for one width, depending on the engine.
    fn cycles(&self) -> usize {
        match self {
            Shape::Offsets(lengths) | Shape::Views(lengths) => 30 + lengths.end(),
            _ => 10,
        }
    }

    fn title(&self) -> String {
        match self {
            Shape::U32s => "u32".to_owned(),
            Shape::U64s => "u64".to_owned(),
            Shape::U128s => "u128".to_owned(),
            Shape::Rows16 => "rows of 16 bytes".to_owned(),
            Shape::Offsets(lengths) => format!("offsets, {}..{} bytes", lengths.start(), lengths.end()),
            Shape::Views(lengths) => format!("views, {}..{} bytes", lengths.start(), lengths.end()),
        }
    }
}

/// The right tags of some messages, for the last requested key and form.
type Right = Option<(([u8; 16], Form), Rc<Vec<u64>>)>;

/// The messages of a shape, and their right tags.
struct Data {
    rounds: Rounds,
    messages: Messages,
    right: RefCell<Right>,
}

impl Data {
    fn new(rounds: Rounds, shape: &Shape, rows: usize) -> Self {
        Data { rounds, messages: Messages::new(shape, rows), right: RefCell::new(None) }
    }

    /// The right tags of the messages at shift 0.
    fn right(&self, engine: &Engine) -> Rc<Vec<u64>> {
        let form = if engine.form == Form::Folded { Form::Folded } else { Form::Exact };
        let asked = (engine.key, form);
        let mut known = self.right.borrow_mut();
        match &*known {
            Some((of, right)) if *of == asked => Rc::clone(right),
            _ => {
                let input = self.messages.at(0);
                let mut right = vec![0; input.rows()];
                specification(self.rounds, engine.key, form).batch(&input, input.rows(), &mut right);
                let right = Rc::new(right);
                *known = Some((asked, Rc::clone(&right)));
                right
            }
        }
    }
}

/// The messages of a shape, and some more to allow shifts.
enum Messages {
    U32s(Vec<u32>),
    U64s(Vec<u64>),
    U128s(Vec<u128>),
    Rows16(Bytes),
    Offsets(Arrow),
    Views(Views),
}

impl Messages {
    fn new(shape: &Shape, rows: usize) -> Self {
        let mut random = Random::new(3);
        match shape {
            Shape::U32s => {
                Messages::U32s((0..rows + SHIFTS / 4).map(|_| (random.next_u64() >> 32) as u32).collect())
            }
            Shape::U64s => Messages::U64s((0..rows + SHIFTS / 8).map(|_| random.next_u64()).collect()),
            Shape::U128s => {
                let mut next = || u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
                Messages::U128s((0..rows + SHIFTS / 16).map(|_| next()).collect())
            }
            Shape::Rows16 => Messages::Rows16(Bytes::new(16 * rows, 3)),
            Shape::Offsets(lengths) => Messages::Offsets(Arrow::uniform(rows, lengths.clone(), 3)),
            Shape::Views(lengths) => Messages::Views(Views::uniform(rows, lengths.clone(), 3)),
        }
    }

    /// The messages, moved by `shift` bytes. Integers move by whole integers and stay aligned.
    fn at(&self, shift: usize) -> Input<'_> {
        match self {
            Messages::U32s(integers) => Input::U32s(moved(integers, shift)),
            Messages::U64s(integers) => Input::U64s(moved(integers, shift)),
            Messages::U128s(integers) => Input::U128s(moved(integers, shift)),
            Messages::Rows16(bytes) => Input::Rows16(bytes.at(shift).as_chunks().0),
            Messages::Offsets(arrow) => {
                Input::Offsets { bytes: arrow.bytes(shift), offsets: arrow.offsets() }
            }
            Messages::Views(data) => Input::Views { views: data.views(shift), buffer: data.buffer(shift) },
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
    /// `messages` is the approximate number that a sample hashes.
    fn new(data: Rc<Data>, size: usize, messages: usize) -> Self {
        let rows = data.messages.at(0).rows();
        let passes = (messages / rows.max(1)).max(1);
        Cell { data, size, shift: 0, passes, tags: vec![0; rows] }
    }
}

/// From this number of messages in a call on, the lanes of every kernel can be full.
const FULL: usize = 32;

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

    fn floor(&self) -> Option<f64> {
        let Data { rounds, messages, .. } = &*self.data;
        let floor = |len| floors::in_lanes(*rounds, len);
        match messages {
            _ if self.size < FULL => None,
            Messages::U32s(_) => floor(4),
            Messages::U64s(_) => floor(8),
            Messages::U128s(_) | Messages::Rows16(_) => floor(16),
            Messages::Offsets(arrow) => {
                floors::mean(arrow.offsets().windows(2).map(|pair| (pair[1] - pair[0]) as usize), floor)
            }
            // The first number of a view is its length.
            Messages::Views(data) => floors::mean(data.views(0).iter().map(|view| view[0].into()), floor),
        }
    }

    fn has_form(&self, form: Form) -> bool {
        match form {
            Form::Exact => true,
            Form::Folded => {
                matches!(self.data.messages, Messages::Rows16(_) | Messages::Offsets(_) | Messages::Views(_))
            }
            Form::Slices => matches!(self.data.messages, Messages::Offsets(_) | Messages::Views(_)),
        }
    }

    fn check(&mut self, engine: &Engine) -> Result<()> {
        self.shift = 0;
        let right = self.data.right(engine);
        // Inverted, so that a tag left from before cannot pass.
        self.tags.iter_mut().zip(&*right).for_each(|(tag, right)| *tag = !right);
        self.work(engine)();
        ensure!(self.tags == *right, "{}: wrong answers in batches of {}", engine.name, self.size);
        Ok(())
    }

    fn shift(&mut self, shift: usize) {
        self.shift = shift;
    }

    fn work<'a>(&'a mut self, engine: &'a Engine) -> Box<dyn FnMut() + 'a> {
        let Cell { data, size, shift, passes, tags } = self;
        let input = data.messages.at(*shift);
        let mut many = |input: &Input<'_>| (0..*passes).for_each(|_| engine.work.batch(input, *size, tags));
        match (engine.form, input) {
            (Form::Slices, Input::Offsets { bytes, offsets }) => {
                let slice = |pair: &[i32]| &bytes[pair[0] as usize..pair[1] as usize];
                let slices: Vec<&[u8]> = offsets.windows(2).map(slice).collect();
                Box::new(move || many(&Input::Slices(&slices)))
            }
            (Form::Slices, Input::Views { views, buffer }) => {
                Box::new(move || many(&Input::SlicesOfViews { views, buffer }))
            }
            _ => Box::new(move || many(&input)),
        }
    }
}
