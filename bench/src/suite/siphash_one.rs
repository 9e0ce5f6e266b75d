//! `siphash-one`: one message at a time.

use super::{Plan, Show, Task, floors, table};
use crate::engine::{Engine, Form, Rounds, Slot, keylane, peers, specification};
use crate::work::one::{ARRAYS, Input, MESSAGES, PLACES, STRIDE};
use anyhow::{Result, ensure};
use keylane_measure::data::Arrow;
use std::hint::black_box;
use std::ops::RangeInclusive;

const SUITE: &str = "siphash-one";

/// The length from which keylane's single messages use a slot.
const SLOT_FROM: usize = 512;

/// The least number of dependent calls of unpredictable lengths in a sample: no predictor learns that many.
const CHAIN: usize = 50_000;

/// Unpredictable lengths.
pub(super) const LENGTHS: [RangeInclusive<usize>; 3] = [4..=20, 8..=40, 1..=199];

/// A cell.
#[derive(Clone, Debug)]
enum Shape {
    Slices(usize),
    Dependent(usize),
    Array(usize),
    Integers,
    DependentIntegers,
    Rows(RangeInclusive<usize>, usize),
    Chain(RangeInclusive<usize>),
}

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn siphash_one(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    for rounds in Rounds::USUAL {
        let mut engines = keylane(rounds, Slot::One)?;
        engines.extend(peers(rounds)?);
        for (title, shapes) in tables(plan) {
            let cells = shapes.into_iter().map(|shape| Cell::new(rounds, shape, plan.cycles));
            show(table(SUITE, Some(rounds), &title, &engines, plan, cells)?)?;
        }
    }
    Ok(())
}

/// Titles and cells.
fn tables(plan: &Plan) -> Vec<(String, Vec<Shape>)> {
    let mut tables = vec![
        (
            "constant length, independent calls".to_owned(),
            plan.lengths.iter().copied().map(Shape::Slices).collect(),
        ),
        (
            "constant length, dependent calls".to_owned(),
            plan.lengths.iter().copied().map(Shape::Dependent).collect(),
        ),
        (
            "long messages, independent calls".to_owned(),
            plan.long.iter().copied().map(Shape::Slices).collect(),
        ),
        (
            "length known at compile time, independent calls".to_owned(),
            ARRAYS.iter().copied().map(Shape::Array).collect(),
        ),
        ("u64 in a register".to_owned(), vec![Shape::Integers, Shape::DependentIntegers]),
    ];
    for &rows in &plan.rows {
        let shapes = LENGTHS.map(|lengths| Shape::Rows(lengths, rows)).to_vec();
        tables.push((format!("unpredictable length, independent calls, {rows} rows"), shapes));
    }
    tables.push(("unpredictable length, dependent calls".to_owned(), LENGTHS.map(Shape::Chain).to_vec()));
    tables.retain(|(title, _)| plan.has(title));
    tables
}

/// The right answers for some keys and forms.
type Right = Vec<(([u8; 16], Form), u64)>;

/// A cell with its data.
struct Cell {
    rounds: Rounds,
    shape: Shape,
    data: Arrow,
    shift: usize,
    /// The number of messages of a constant length, and how often each is hashed.
    messages: usize,
    passes: usize,
    right: Right,
}

impl Cell {
    fn new(rounds: Rounds, shape: Shape, cycles: usize) -> Self {
        // Except for rows, the data are one message, as long as everything that a sample touches.
        let one = |bytes: usize| Arrow::uniform(1, bytes..=bytes, 1);
        let (data, len) = match &shape {
            Shape::Slices(len) | Shape::Array(len) => (one(MESSAGES * STRIDE + len), *len),
            Shape::Dependent(len) => (one(*len), *len),
            Shape::Integers | Shape::DependentIntegers => (one(0), 8),
            Shape::Rows(lengths, rows) => (Arrow::uniform(*rows, lengths.clone(), 1), 0),
            // Mispredicting every length costs about as much as the longest message.
            Shape::Chain(lengths) => (one(PLACES + lengths.end()), *lengths.end()),
        };
        // A call takes roughly 20 cycles, plus one for each byte.
        let least = if matches!(shape, Shape::Chain(_)) { CHAIN } else { 1 };
        let calls = (cycles / (20 + len)).max(least);
        let messages = calls.min(MESSAGES);
        Cell { rounds, shape, data, shift: 0, messages, passes: calls / messages, right: Vec::new() }
    }

    fn input(&self) -> Input<'_> {
        let (bytes, offsets, passes) = (self.data.bytes(self.shift), self.data.offsets(), self.passes);
        let calls = self.messages * passes;
        match &self.shape {
            Shape::Slices(len) => {
                let messages = (0..self.messages).map(|i| &bytes[i * STRIDE..][..*len]).collect();
                Input::Slices { messages, passes }
            }
            Shape::Dependent(_) => Input::Dependent { message: bytes, calls },
            Shape::Array(len) => Input::Array { bytes, len: *len, passes },
            Shape::Integers => Input::Integers { calls },
            Shape::DependentIntegers => Input::DependentIntegers { calls },
            Shape::Rows(..) => Input::Rows { bytes, offsets },
            Shape::Chain(lengths) => Input::Chain { bytes, lengths: lengths.clone(), calls },
        }
    }

    /// The right answer at shift 0.
    fn right(&mut self, engine: &Engine) -> u64 {
        let asked = (engine.key, engine.form);
        if let Some((_, right)) = self.right.iter().find(|(of, _)| *of == asked) {
            return *right;
        }
        let right = specification(self.rounds, engine.key, engine.form).one(&self.input());
        self.right.push((asked, right));
        right
    }
}

impl Task for Cell {
    fn label(&self) -> String {
        match &self.shape {
            Shape::Slices(len) | Shape::Dependent(len) | Shape::Array(len) => len.to_string(),
            Shape::Integers => "independent".to_owned(),
            Shape::DependentIntegers => "dependent".to_owned(),
            Shape::Rows(lengths, _) | Shape::Chain(lengths) => {
                format!("{}..{}", lengths.start(), lengths.end())
            }
        }
    }

    fn messages(&self) -> usize {
        self.input().calls()
    }

    fn has_slot(&self) -> bool {
        matches!(self.shape, Shape::Slices(len) | Shape::Dependent(len) if len >= SLOT_FROM)
    }

    fn floor(&self) -> Option<f64> {
        let independent = |len| floors::operations(self.rounds, len);
        let dependent = |len| Some(floors::chain(self.rounds, len));
        match &self.shape {
            Shape::Slices(len) | Shape::Array(len) => independent(*len),
            Shape::Dependent(len) => dependent(*len),
            Shape::Integers => independent(8),
            Shape::DependentIntegers => dependent(8),
            Shape::Rows(lengths, _) => floors::mean(lengths.clone(), independent),
            Shape::Chain(lengths) => floors::mean(lengths.clone(), dependent),
        }
    }

    fn has_form(&self, form: Form) -> bool {
        match form {
            Form::Exact => true,
            Form::Folded => {
                !matches!(self.shape, Shape::Array(_) | Shape::Integers | Shape::DependentIntegers)
            }
            Form::Slices => false,
        }
    }

    fn check(&mut self, engine: &Engine) -> Result<()> {
        self.shift = 0;
        let right = self.right(engine);
        let answer = engine.work.one(&self.input());
        ensure!(answer == right, "{}: wrong answers for {:?}", engine.name, self.shape);
        Ok(())
    }

    fn shift(&mut self, shift: usize) {
        self.shift = shift;
    }

    fn work<'a>(&'a mut self, engine: &'a Engine) -> Box<dyn FnMut() + 'a> {
        let input = self.input();
        Box::new(move || {
            black_box(engine.work.one(&input));
        })
    }
}
