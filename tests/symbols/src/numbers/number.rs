//! Numbers for all inputs at once.
//!
//! A [`Number`] stands for an integer that a kernel computes from a key and a message. It has
//!
//! * a [`Value`]: a polynomial over F_p in the run's variables, at the run's random point;
//! * a range of integers;
//! * its terms, from which the range is computed: a sum of products of at most two *atoms*, so that the differences of
//!   Karatsuba's method cancel;
//! * its fields: the number as bits of other numbers, so that shifts and masks of the same number keep their relation.
//!
//! The variables are the words of the key and of the message, and for each number x whose bits are read, h(x, k) = x /
//! 2^k rounded down. Bits i to j of x are h(x, i) - 2^(j - i) h(x, j). Nothing else is known about h: it has a random
//! value of its own. So two polynomials that are equal are equal for every value of h, in particular for the true one.
//!
//! A lane of 64 bits holds its number modulo 2^64. A number may leave [0, 2^64) as long as no operation reads its bits:
//! a difference is negative until something is added. Each operation that reads bits checks the range first.

use super::field::{Fp, Value};
use super::points;
use ethnum::I256;
use std::cell::RefCell;
use std::collections::HashMap;

/// An integer of a range.
pub type Int = I256;

/// A product of two atoms, in order. Atom 0 is 1.
type Pair = [u32; 2];

/// A sum of products with coefficients, in the order of the products.
type Terms = Vec<(Pair, Int)>;

/// An integer that is not negative and has no structure.
struct Atom {
    min: Int,
    max: Int,
    value: Value,
    /// The factors, if it is the high half of a product ([`Number::halves`]).
    high_half_of: Option<Pair>,
}

/// Bits `from` to `to` of a number, at bit `at` of another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Field {
    at: u32,
    number: u32,
    from: u32,
    to: u32,
}

impl Field {
    fn end(self) -> u32 {
        self.at + self.to - self.from
    }

    /// The part between two bits of the number that the field is in.
    fn between(self, low: u32, high: u32) -> Option<Field> {
        let (start, end) = (self.at.max(low), self.end().min(high));
        let from = |bit: u32| self.from + bit - self.at;
        (start < end).then(|| Field { at: start, from: from(start), to: from(end), ..self })
    }
}

struct Node {
    terms: Terms,
    value: Value,
    min: Int,
    max: Int,
    fields: Option<Vec<Field>>,
}

/// The numbers of a run. Equal terms are one number.
#[derive(Default)]
struct Arena {
    atoms: Vec<Atom>,
    nodes: Vec<Node>,
    by_terms: HashMap<Terms, u32>,
    /// h(x, k).
    tops: HashMap<(u32, u32), Value>,
    fields: HashMap<(u32, u32, u32), u32>,
    halves: HashMap<Pair, Pair>,
    crosses: HashMap<[u32; 3], u32>,
    wholes: HashMap<u32, u32>,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
}

fn with<T>(f: impl FnOnce(&mut Arena) -> T) -> T {
    ARENA.with_borrow_mut(f)
}

/// Forgets all numbers and draws a new random point.
pub fn begin() {
    points::begin();
    let one = Atom { min: Int::ONE, max: Int::ONE, value: constant_value(Int::ONE), high_half_of: None };
    with(|arena| *arena = Arena { atoms: vec![one], ..Arena::default() });
}

/// The bounds of a range cannot overflow unnoticed.
fn add(a: Int, b: Int) -> Int {
    a.checked_add(b).expect("a sum below 2^255")
}

fn mul(a: Int, b: Int) -> Int {
    a.checked_mul(b).expect("a product below 2^255")
}

fn two(k: u32) -> Int {
    Int::ONE << k
}

/// An integer for a message of an assertion.
fn log2(x: Int) -> String {
    if x > Int::ZERO { format!("2^{:.2}", x.as_f64().log2()) } else { x.to_string() }
}

fn constant_value(x: Int) -> Value {
    let size = x.unsigned_abs();
    let (low, high) = (Fp::new(size.as_u128()), Fp::new((size >> 128u32).as_u128()));
    let size = Value::constant(if high == Fp::ZERO { low } else { low + high * Fp::power_of_two(128) });
    if x < Int::ZERO { Value::ZERO - size } else { size }
}

impl Arena {
    /// The number with these terms.
    fn number(&mut self, terms: Terms, value: Value) -> u32 {
        if let Some(&id) = self.by_terms.get(&terms) {
            return id;
        }
        let (mut min, mut max) = (Int::ZERO, Int::ZERO);
        for &([i, j], factor) in &terms {
            let (x, y) = (&self.atoms[i as usize], &self.atoms[j as usize]);
            let (a, b) = (mul(factor, mul(x.min, y.min)), mul(factor, mul(x.max, y.max)));
            (min, max) = (add(min, a.min(b)), add(max, a.max(b)));
        }
        let id = self.nodes.len() as u32;
        self.by_terms.insert(terms.clone(), id);
        self.nodes.push(Node { terms, value, min, max, fields: None });
        id
    }

    fn constant(&mut self, x: Int) -> u32 {
        let terms = if x == Int::ZERO { Terms::new() } else { vec![([0, 0], x)] };
        self.number(terms, constant_value(x))
    }

    fn atom(&mut self, min: Int, max: Int, value: Value, high_half_of: Option<Pair>) -> u32 {
        assert!(Int::ZERO <= min && min <= max, "an atom of {min}..={max}");
        self.atoms.push(Atom { min, max, value, high_half_of });
        self.number(vec![([0, self.atoms.len() as u32 - 1], Int::ONE)], value)
    }

    /// The sum of these numbers, times their factors.
    fn sum(&mut self, parts: &[(u32, Int)]) -> u32 {
        let (mut terms, mut value) = (Terms::new(), Value::ZERO);
        for &(id, factor) in parts {
            let node = &self.nodes[id as usize];
            let part = if factor == Int::ONE { node.value } else { constant_value(factor) * node.value };
            value = value + part;
            terms = merged(&terms, &node.terms, factor);
        }
        self.number(terms, value)
    }

    fn product(&mut self, x: u32, y: u32) -> u32 {
        let (x, y) = (self.linear(x), self.linear(y));
        let value = self.nodes[x as usize].value * self.nodes[y as usize].value;
        let mut terms = Terms::new();
        for &([_, i], factor) in &self.nodes[x as usize].terms {
            let row = self.nodes[y as usize].terms.iter().map(|&([_, j], c)| ([i.min(j), i.max(j)], c));
            let mut row: Terms = row.collect();
            row.sort_unstable_by_key(|term| term.0);
            terms = merged(&terms, &row, factor);
        }
        self.number(terms, value)
    }

    /// A number without products of atoms: x itself, or an atom of the same range and value.
    fn linear(&mut self, x: u32) -> u32 {
        let Node { terms, value, min, max, .. } = &self.nodes[x as usize];
        if terms.iter().all(|&([first, _], _)| first == 0) {
            return x;
        }
        let (value, min, max) = (*value, *min, *max);
        if let Some(&whole) = self.wholes.get(&x) {
            return whole;
        }
        let whole = self.atom(min, max, value, None);
        self.wholes.insert(x, whole);
        whole
    }

    fn range(&self, x: u32) -> (Int, Int) {
        let node = &self.nodes[x as usize];
        (node.min, node.max)
    }

    /// The largest value of a number whose bits an operation reads.
    fn seen(&self, x: u32, width: u32) -> Int {
        let (min, max) = self.range(x);
        assert!(min >= Int::ZERO, "bits of a number that may be negative: {min}");
        assert!(max < two(width), "bits of a number that may reach 2^{width}: {}", log2(max));
        max
    }

    fn as_constant(&self, x: u32) -> Option<Int> {
        match *self.nodes[x as usize].terms {
            [] => Some(Int::ZERO),
            [([0, 0], c)] => Some(c),
            _ => None,
        }
    }

    /// h(x, k). A range may say that it is one number.
    fn top(&mut self, x: u32, k: u32) -> Value {
        let (min, max) = self.range(x);
        if k == 0 {
            self.nodes[x as usize].value
        } else if min >> k == max >> k {
            constant_value(max >> k)
        } else {
            *self.tops.entry((x, k)).or_insert_with(Value::variable)
        }
    }

    /// Bits `from` to `to` of a number that is not negative.
    fn field(&mut self, x: u32, from: u32, to: u32) -> u32 {
        if let Some(c) = self.as_constant(x) {
            return self.constant((c >> from) & (two(to - from) - Int::ONE));
        }
        let (min, max) = self.range(x);
        if from == 0 && max < two(to) {
            return x;
        }
        if let Some(&id) = self.fields.get(&(x, from, to)) {
            return id;
        }
        let value = self.top(x, from) - self.top(x, to).shifted(to - from);
        let (low, high) = if min >> to == max >> to {
            let above = (max >> to) << to;
            ((min - above) >> from, (max - above) >> from)
        } else {
            (Int::ZERO, two(to - from) - Int::ONE)
        };
        let id = if low == high { self.constant(low) } else { self.atom(low, high, value, None) };
        self.fields.insert((x, from, to), id);
        id
    }

    fn fields_of(&self, x: u32, width: u32) -> Vec<Field> {
        self.seen(x, width);
        let whole = || vec![Field { at: 0, number: x, from: 0, to: width }];
        self.nodes[x as usize].fields.clone().unwrap_or_else(whole)
    }

    /// The number of these fields, which must not overlap.
    fn of_fields(&mut self, mut fields: Vec<Field>) -> u32 {
        fields.sort_by_key(|field| field.at);
        let mut joined: Vec<Field> = Vec::new();
        for field in fields {
            match joined.last_mut() {
                Some(last) if last.end() > field.at => panic!("fields overlap: {last:?}, {field:?}"),
                Some(last)
                    if last.number == field.number && last.to == field.from && last.end() == field.at =>
                {
                    last.to = field.to;
                }
                _ => joined.push(field),
            }
        }
        let (mut parts, mut kept) = (Vec::new(), Vec::new());
        for field in joined {
            let id = self.field(field.number, field.from, field.to);
            if self.range(id).1 != Int::ZERO {
                parts.push((id, two(field.at)));
                kept.push(field);
            }
        }
        let id = self.sum(&parts);
        let node = &mut self.nodes[id as usize];
        if node.fields.is_none() && !matches!(*kept, [field] if field.number == id) {
            node.fields = Some(kept);
        }
        id
    }
}

/// a + factor b.
fn merged(a: &Terms, b: &Terms, factor: Int) -> Terms {
    let mut all = Terms::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        let (pair, sum) = match (a.peek(), b.peek()) {
            (None, None) => return all,
            (Some(&(x, c)), Some(&(y, d))) if x == y => {
                a.next();
                b.next();
                (x, add(c, mul(factor, d)))
            }
            (Some(&(x, c)), other) if other.is_none_or(|&(y, _)| x < y) => {
                a.next();
                (x, c)
            }
            (_, Some(&(y, d))) => {
                b.next();
                (y, mul(factor, d))
            }
            (Some(_), None) => unreachable!(),
        };
        if sum != Int::ZERO {
            all.push((pair, sum));
        }
    }
}

/// A number of the current run. It has no value, so it cannot be compared.
#[derive(Clone, Copy, Debug)]
pub struct Number(u32);

impl Number {
    /// A constant.
    #[inline(never)]
    pub fn constant(x: impl Into<u128>) -> Number {
        let x = Int::from(x.into());
        with(|arena| Number(arena.constant(x)))
    }

    /// Any integer up to `max`: a new variable.
    #[inline(never)]
    pub fn any(max: u128) -> Number {
        Number::known(max, Value::variable())
    }

    /// An integer up to `max` that is congruent to this polynomial modulo p.
    #[inline(never)]
    pub fn known(max: u128, value: Value) -> Number {
        with(|arena| Number(arena.atom(Int::ZERO, Int::from(max), value, None)))
    }

    /// The polynomial.
    #[inline(never)]
    pub fn value(self) -> Value {
        with(|arena| arena.nodes[self.0 as usize].value)
    }

    /// Fails unless the number is at least 0 and at most `max`.
    #[track_caller]
    #[inline(never)]
    pub fn at_most(self, max: u128) -> Number {
        let (low, high) = with(|arena| arena.range(self.0));
        assert!(low >= Int::ZERO, "may be negative: {low}");
        assert!(high <= Int::from(max), "up to {} instead of {}", log2(high), log2(Int::from(max)));
        self
    }

    /// Its value, if it is a constant that is not negative.
    #[inline(never)]
    pub fn as_constant(self) -> Option<u128> {
        with(|arena| arena.as_constant(self.0)).filter(|&c| c >= Int::ZERO).map(|c| c.as_u128())
    }

    /// Whether both are the same number in every run of the code.
    #[inline(never)]
    pub fn is(self, other: Number) -> bool {
        self.0 == other.0
    }

    /// The sum of some numbers.
    #[inline(never)]
    pub fn total(numbers: &[Number]) -> Number {
        with(|arena| {
            let parts: Vec<_> = numbers.iter().map(|number| (number.0, Int::ONE)).collect();
            Number(arena.sum(&parts))
        })
    }

    /// a + b.
    #[inline(never)]
    pub fn plus(self, b: Number) -> Number {
        Number::total(&[self, b])
    }

    /// a - b.
    #[inline(never)]
    pub fn minus(self, b: Number) -> Number {
        with(|arena| Number(arena.sum(&[(self.0, Int::ONE), (b.0, -Int::ONE)])))
    }

    /// a b, where an operation reads `width` bits of each: both must be below 2^width.
    #[inline(never)]
    pub fn times(self, b: Number, width: u32) -> Number {
        with(|arena| {
            arena.seen(self.0, width);
            arena.seen(b.0, width);
            Number(arena.product(self.0, b.0))
        })
    }

    /// a / 2^bits, rounded down.
    #[inline(never)]
    pub fn right(self, bits: u32, width: u32) -> Number {
        with(|arena| {
            let fields = arena.fields_of(self.0, width).into_iter();
            let moved = fields.filter_map(|field| field.between(bits, width));
            let moved = moved.map(|field| Field { at: field.at - bits, ..field }).collect();
            Number(arena.of_fields(moved))
        })
    }

    /// a 2^bits in a register of `width` bits. A number that may be negative stays exact, and so does a small multiple
    /// that may exceed the register: differences may bring it back. Else bits leave at the top.
    #[inline(never)]
    pub fn left(self, bits: u32, width: u32) -> Number {
        with(|arena| {
            let (min, max) = arena.range(self.0);
            if min < Int::ZERO || (bits <= 4 && mul(max, two(bits)) >= two(width)) {
                return Number(arena.sum(&[(self.0, two(bits))]));
            }
            let fields = arena.fields_of(self.0, width).into_iter();
            let moved = fields.map(|field| Field { at: field.at + bits, ..field });
            let moved = moved.filter_map(|field| field.between(0, width)).collect();
            Number(arena.of_fields(moved))
        })
    }

    /// The bits of a number that a constant mask keeps.
    #[inline(never)]
    pub fn and(self, b: Number, width: u32) -> Number {
        with(|arena| {
            let (x, mask) = match (arena.as_constant(self.0), arena.as_constant(b.0)) {
                (_, Some(mask)) => (self.0, mask),
                (Some(mask), None) => (b.0, mask),
                (None, None) => panic!("and of two variables"),
            };
            let (fields, mut kept) = (arena.fields_of(x, width), Vec::new());
            for (from, to) in runs(mask, width) {
                kept.extend(fields.iter().filter_map(|&field| field.between(from, to)));
            }
            Number(arena.of_fields(kept))
        })
    }

    /// The bits of two numbers that never have the same bit.
    #[inline(never)]
    pub fn or(self, b: Number, width: u32) -> Number {
        with(|arena| {
            let mut live = Vec::new();
            for field in [arena.fields_of(self.0, width), arena.fields_of(b.0, width)].concat() {
                // Only bits that are not always zero count.
                let possible = match arena.as_constant(field.number) {
                    Some(bits) => runs(bits, field.to),
                    None => vec![(0, bit_length(arena.range(field.number).1))],
                };
                let at = |bit: u32| field.at + bit - field.from;
                let parts = possible.into_iter().filter(|&(from, to)| to > field.from && from < field.to);
                live.extend(parts.filter_map(|(from, to)| field.between(at(from.max(field.from)), at(to))));
            }
            Number(arena.of_fields(live))
        })
    }

    /// a modulo 2^width, and the carry. a is below 2^(width + 1).
    #[inline(never)]
    pub fn wrapped(self, width: u32) -> [Number; 2] {
        let mask = with(|arena| Number(arena.constant(two(width) - Int::ONE)));
        [self.and(mask, width + 1), self.right(width, width + 1)]
    }

    /// a b modulo 2^52 and a b / 2^52, rounded down. Both factors are below 2^52.
    #[inline(never)]
    pub fn halves(self, b: Number) -> [Number; 2] {
        with(|arena| {
            let (x, y) = (self.0, b.0);
            let max = mul(arena.seen(x, 52), arena.seen(y, 52));
            if max < two(52) {
                return [Number(arena.product(x, y)), Number(arena.constant(Int::ZERO))];
            }
            let is_constant = arena.as_constant(x).or(arena.as_constant(y)).is_some();
            assert!(!is_constant, "a multiple that may reach 2^52: {}", log2(max));
            let factors = [x.min(y), x.max(y)];
            let [low, high] = match arena.halves.get(&factors) {
                Some(&known) => known,
                None => {
                    let min = mul(arena.range(x).0, arena.range(y).0);
                    let value = arena.nodes[x as usize].value * arena.nodes[y as usize].value;
                    let top = Value::variable();
                    let high = arena.atom(min >> 52, max >> 52, top, Some(factors));
                    let low = arena.atom(Int::ZERO, two(52) - Int::ONE, value - top.shifted(52), None);
                    arena.halves.insert(factors, [low, high]);
                    [low, high]
                }
            };
            [Number(low), Number(high)]
        })
    }

    /// e - d - f. If e is a sum of high halves of products (a + b)(x + y), and d and f are sums of those of a x and b y,
    /// the difference is not negative: each (a + b)(x + y) / 2^52, rounded down, is at least the sum of the two others.
    #[inline(never)]
    pub fn cross(self, d: Number, f: Number) -> Number {
        let difference = self.minus(d.plus(f));
        with(|arena| {
            let [Some(e), Some(mut d), Some(mut f)] = [self, d, f].map(|x| arena.high_halves(x.0)) else {
                return difference;
            };
            if e.is_empty() {
                return difference;
            }
            let mut parts = Vec::new();
            for e in e {
                let (i, j) = arena.matching(e, &d, &f).expect("high halves that belong together");
                let (x, y) = (d.swap_remove(i), f.swap_remove(j));
                let id = arena.crosses.get(&[e, x, y]).copied().unwrap_or_else(|| {
                    let [e_half, x_half, y_half] = [e, x, y].map(|i| &arena.atoms[i as usize]);
                    let max = e_half.max - x_half.min - y_half.min;
                    let value = e_half.value - x_half.value - y_half.value;
                    arena.atom(Int::ZERO, max, value, None)
                });
                arena.crosses.insert([e, x, y], id);
                parts.push((id, Int::ONE));
            }
            assert!(d.is_empty() && f.is_empty(), "high halves that belong together");
            Number(arena.sum(&parts))
        })
    }
}

impl Arena {
    /// The atoms of a sum of high halves, or `None` if it is another number.
    fn high_halves(&self, x: u32) -> Option<Vec<u32>> {
        let half = |&([one, atom], factor): &(Pair, Int)| {
            let is_half = one == 0 && factor == Int::ONE && self.atoms[atom as usize].high_half_of.is_some();
            is_half.then_some(atom)
        };
        self.nodes[x as usize].terms.iter().map(half).collect()
    }

    /// Which high halves of `d` and `f` have the factors that, added, are those of `e`.
    fn matching(&mut self, e: u32, d: &[u32], f: &[u32]) -> Option<(usize, usize)> {
        let factors = |arena: &Arena, atom: u32| arena.atoms[atom as usize].high_half_of;
        let wanted = factors(self, e)?;
        for (i, &x) in d.iter().enumerate() {
            for (j, &y) in f.iter().enumerate() {
                let ([x0, x1], [y0, y1]) = (factors(self, x)?, factors(self, y)?);
                for [y0, y1] in [[y0, y1], [y1, y0]] {
                    let sums = [[x0, y0], [x1, y1]].map(|sum| self.sum(&sum.map(|x| (x, Int::ONE))));
                    if sums == wanted || [sums[1], sums[0]] == wanted {
                        return Some((i, j));
                    }
                }
            }
        }
        None
    }
}

/// The number of bits of an integer that is not negative.
fn bit_length(x: Int) -> u32 {
    256 - x.leading_zeros()
}

/// The runs of ones in the low `width` bits: from where, to where.
fn runs(mask: Int, width: u32) -> Vec<(u32, u32)> {
    let is_set = |bit: u32| bit < width && (mask >> bit) & Int::ONE == Int::ONE;
    let starts = (0..width).filter(|&bit| is_set(bit) && (bit == 0 || !is_set(bit - 1)));
    starts.map(|from| (from, (from..=width).find(|&bit| !is_set(bit)).unwrap_or(width))).collect()
}
