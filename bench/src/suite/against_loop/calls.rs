//! The contenders of a call, and the measurement of a cell.

use super::judge::Judged;
use crate::engine::Side;
use crate::suite::Plan;
use crate::turns;
use keylane_measure::record::Figure;
use keylane_measure::sample::{Contest, Measured};
use std::hint::black_box;
use std::ops::Range;

/// Who does the messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The call.
    Call,
    /// The caller's loop.
    Loop,
    /// The active row, whatever the number of messages.
    Row,
}

/// The messages of a table.
#[derive(Clone, Copy)]
pub(in crate::suite) struct Messages {
    /// How many there are.
    pub count: usize,
    /// About how many cycles one takes.
    pub cycles: usize,
    /// Whether they come from memory: no contender then reads what another has just read.
    pub from_memory: bool,
}

/// Makes the calls of a pass, from a message on, which it moves.
type Walk<'a, T> = dyn FnMut(&Pass, &mut usize, &mut [T]) + 'a;

/// The contenders of a shape of calls.
pub(in crate::suite) struct Calls<'a, T> {
    messages: Messages,
    /// How many messages make a whole group of the row.
    group: usize,
    call: Box<Walk<'a, T>>,
    looped: Box<Walk<'a, T>>,
    row: Box<Walk<'a, T>>,
    answers: Vec<T>,
}

/// A pass over some messages.
#[derive(Clone, Copy)]
struct Pass {
    /// How many calls.
    calls: usize,
    /// How many messages in each.
    n: usize,
    /// How many messages there are before they start again.
    messages: usize,
}

/// Makes some calls, from message `at` on. Not inlined: the compiler must not know the number of messages in a call.
#[inline(never)]
fn walk<T>(pass: &Pass, at: &mut usize, answers: &mut [T], does: &impl Fn(Range<usize>, &mut [T])) {
    for _ in 0..pass.calls {
        if *at + pass.n > pass.messages {
            *at = 0;
        }
        let of = *at..*at + pass.n;
        does(of.clone(), &mut answers[of]);
        *at += pass.n;
    }
    black_box(answers);
}

/// A contender of a cell.
struct Contender {
    by: By,
    n: usize,
    at: usize,
}

struct Race<'r, 'a, T> {
    of: &'r mut Calls<'a, T>,
    contenders: Vec<Contender>,
    calls: usize,
}

impl<T: Copy + Default> Contest for Race<'_, '_, T> {
    fn contenders(&self) -> usize {
        self.contenders.len()
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        let Contender { by, n, at } = &mut self.contenders[contender];
        let pass = Pass { calls: self.calls, n: *n, messages: self.of.messages.count };
        let (does, answers) = self.of.by(*by);
        Box::new(move || does(&pass, at, answers))
    }
}

/// A measured cell.
pub(in crate::suite) struct Cell {
    /// A figure for each of [`ENGINES`].
    pub figures: Vec<Option<Figure>>,
    /// What is judged of it.
    pub judged: Judged,
}

/// The contenders that a record has, in the order of a cell's figures.
pub(in crate::suite) const ENGINES: [(&str, Side); 4] = [
    ("keylane", Side::Ours),
    ("loop over the single call", Side::Peer),
    ("the row", Side::OurOther),
    ("the row, next whole group", Side::OurOther),
];

impl<'a, T: Copy + Default> Calls<'a, T> {
    /// The contenders. Each takes the indices of messages, and the places of their answers. `group` messages make a whole
    /// group of the row.
    pub fn new(
        messages: Messages,
        group: usize,
        call: impl Fn(Range<usize>, &mut [T]) + 'a,
        looped: impl Fn(Range<usize>, &mut [T]) + 'a,
        row: impl Fn(Range<usize>, &mut [T]) + 'a,
    ) -> Self {
        Calls {
            messages,
            group,
            call: Box::new(move |pass, at, answers| walk(pass, at, answers, &call)),
            looped: Box::new(move |pass, at, answers| walk(pass, at, answers, &looped)),
            row: Box::new(move |pass, at, answers| walk(pass, at, answers, &row)),
            answers: vec![T::default(); messages.count],
        }
    }

    fn by(&mut self, by: By) -> (&mut Walk<'a, T>, &mut [T]) {
        let does = match by {
            By::Call => &mut self.call,
            By::Loop => &mut self.looped,
            By::Row => &mut self.row,
        };
        (does.as_mut(), &mut self.answers)
    }

    /// Whether all contenders give the same answers for the first messages, in calls of n.
    pub fn agree(&mut self, n: usize, is: impl Fn(&T, &T) -> bool) -> bool {
        let calls = CHECKED.div_ceil(n).min(self.messages.count / n);
        let pass = Pass { calls, n, messages: self.messages.count };
        let mut answers = |by: By| {
            let (does, answers) = self.by(by);
            answers.fill(T::default());
            does(&pass, &mut 0, answers);
            answers[..calls * n].to_vec()
        };
        let right = answers(By::Loop);
        let others = if ROWS { &[By::Call, By::Row][..] } else { &[By::Call] };
        others.iter().all(|&by| answers(by).iter().zip(&right).all(|(answer, right)| is(answer, right)))
    }

    /// Measures calls of n messages. `None` if no sample was kept of a contender.
    pub fn measure(&mut self, plan: &Plan, n: usize) -> Option<Cell> {
        let whole = n.next_multiple_of(self.group);
        // A whole group is its own next one.
        let whole = (whole != n).then_some((By::Row, whole));
        let contenders = [(By::Call, n), (By::Loop, n), (By::Row, n)].into_iter().chain(whole);
        let contenders: Vec<_> = contenders.filter(|&(by, _)| ROWS || by != By::Row).collect();
        plan.look();
        let (measured, units) = self.race(plan, n, &contenders);
        let mut figures: Vec<_> = (0..contenders.len()).map(|i| Figure::of(&measured, i, units)).collect();
        let [ours, others @ ..] = &figures[..] else { return None };
        let ratio = |figure: &Option<Figure>| Some(figure.as_ref()?.ratio?.median);
        // By the medians of the ratios within rounds, not by the ratio of the medians.
        let ratios: Vec<f64> = others.iter().map(ratio).collect::<Option<_>>()?;
        let above = others.iter().map(|of| Some(-of.as_ref()?.above?.median * n as f64));
        let judged = Judged {
            n,
            cycles: ours.as_ref()?.cycles.median * n as f64,
            regret: ratios.iter().copied().reduce(f64::max)?,
            above: above.collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::max)?,
            beside_loop: *ratios.first()?,
            again: ratio(ours)?,
            monotony: 1.0,
        };
        figures.resize(ENGINES.len(), None);
        Some(Cell { figures, judged })
    }

    /// The loop, and the row beside it, in calls of n messages. `None` if they do not give the same answers.
    #[cfg(feature = "internals")]
    pub fn loop_and_row(
        &mut self,
        plan: &Plan,
        n: usize,
        is: impl Fn(&T, &T) -> bool,
    ) -> Option<[Option<Figure>; 2]> {
        if !self.agree(n, is) {
            return None;
        }
        let (measured, units) = self.race(plan, n, &[(By::Loop, n), (By::Row, n)]);
        Some([0, 1].map(|contender| Figure::of(&measured, contender, units)))
    }

    /// How many times as long as a call of `longer` messages a call of n takes, in interleaved samples.
    pub fn ratio(&mut self, plan: &Plan, n: usize, longer: usize) -> Option<f64> {
        let (measured, _) = self.race(plan, n, &[(By::Call, n), (By::Call, longer)]);
        let [n, longer] = &measured.samples[..] else { return None };
        Some(n.ratio(longer)?.median)
    }

    /// Measures the call for another process, which takes the samples of several in turns.
    pub fn serve(&mut self, plan: &Plan, n: usize) {
        self.race(plan, n, &[(By::Call, n)]);
    }

    /// The samples of contenders with the same number of calls, and the messages in a sample of calls of n.
    fn race(&mut self, plan: &Plan, n: usize, contenders: &[(By, usize)]) -> (Measured, f64) {
        let calls = (plan.cycles / (n * self.messages.cycles)).max(LEAST_CALLS);
        let distance = if self.messages.from_memory { self.messages.count / contenders.len() } else { 0 };
        let contenders = contenders.iter().enumerate();
        let contenders = contenders.map(|(i, &(by, n))| Contender { by, n, at: i * distance }).collect();
        let measured =
            turns::measure(&mut Race { of: self, contenders, calls }, plan.samples, &n.to_string());
        (measured, (calls * n) as f64)
    }
}

/// How many messages are compared with the loop's before a cell is measured.
const CHECKED: usize = 1000;

/// The least number of calls in a sample.
const LEAST_CALLS: usize = 16;

/// Whether this program can hand batches to rows.
const ROWS: bool = cfg!(feature = "internals");
