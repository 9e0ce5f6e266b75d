//! The end of a tag, (h mod p) + s mod 2^128, as text for a solver of bit vectors.
//!
//! It is no polynomial, so the library's code runs on bit vectors that write what is done with them (SMT-LIB 2). The text
//! asks for an input on which the code is wrong; a solver answers that there is none. `smt/results.csv` has the answers,
//! bound to the text by its digest. `smt/solve.py` asks again.

use keylane::arch::generic::radix26::limbs::tags;
use keylane::arch::generic::radix26::vectors::Vectors26;
#[cfg(target_arch = "x86_64")]
use keylane::arch::x86_64::messages44::{self, Tags44};
#[cfg(target_arch = "x86_64")]
use keylane::arch::x86_64::radix44::{self, Vectors44};
use keylane::job::limits::Method;
use std::cell::RefCell;
use std::fmt::Write;
use std::ops::{Add, BitOr, Mul, Shl, Shr};

/// What is written: the definitions so far, and conditions under which an integer overflows.
#[derive(Default)]
struct Script {
    lines: Vec<String>,
    overflows: Vec<String>,
}

thread_local! {
    static SCRIPT: RefCell<Script> = RefCell::default();
}

/// A bit vector: the number of its definition.
#[derive(Clone, Copy, Debug)]
pub struct Bits<const WIDTH: u32>(usize);

impl<const WIDTH: u32> Bits<WIDTH> {
    fn line(text: impl FnOnce(usize) -> String) -> Self {
        SCRIPT.with_borrow_mut(|script| {
            let line = text(script.lines.len());
            script.lines.push(line);
            Bits(script.lines.len() - 1)
        })
    }

    fn any() -> Self {
        Bits::line(|i| format!("(declare-const t{i} (_ BitVec {WIDTH}))"))
    }

    fn new(term: &str) -> Self {
        Bits::line(|i| format!("(define-fun t{i} () (_ BitVec {WIDTH}) {term})"))
    }

    fn constant(x: u64) -> Self {
        Bits::new(&format!("(_ bv{x} {WIDTH})"))
    }

    fn of(operation: &str, a: Self, b: Self) -> Self {
        Bits::new(&format!("({operation} {a} {b})"))
    }

    /// `+` and `*` of integers must not overflow: the text asks for that, too.
    fn exact(operation: &str, a: Self, b: Self) -> Self {
        let wide = |x: Self| format!("((_ zero_extend {WIDTH}) {x})");
        let result = Bits::of(operation, a, b);
        let overflows = format!("(distinct ({operation} {} {}) {})", wide(a), wide(b), wide(result));
        SCRIPT.with_borrow_mut(|script| script.overflows.push(overflows));
        result
    }

    fn overflowing_add(self, other: Self) -> (Self, Carry) {
        let sum = Bits::of("bvadd", self, other);
        (sum, Carry(Bits::new(&format!("(ite (bvult {sum} {self}) (_ bv1 64) (_ bv0 64))"))))
    }

    fn wrapping_add(self, other: Self) -> Self {
        Bits::of("bvadd", self, other)
    }
}

impl<const WIDTH: u32> std::fmt::Display for Bits<WIDTH> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "t{}", self.0)
    }
}

impl<const WIDTH: u32> Add for Bits<WIDTH> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Bits::exact("bvadd", self, other)
    }
}

impl<const WIDTH: u32> Add<u64> for Bits<WIDTH> {
    type Output = Self;
    fn add(self, other: u64) -> Self {
        self + Bits::constant(other)
    }
}

impl<const WIDTH: u32> Mul<Bits<WIDTH>> for u64 {
    type Output = Bits<WIDTH>;
    fn mul(self, other: Bits<WIDTH>) -> Bits<WIDTH> {
        Bits::exact("bvmul", Bits::constant(self), other)
    }
}

impl<const WIDTH: u32> BitOr for Bits<WIDTH> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Bits::of("bvor", self, other)
    }
}

impl<const WIDTH: u32> Shr<u32> for Bits<WIDTH> {
    type Output = Self;
    fn shr(self, bits: u32) -> Self {
        Bits::of("bvlshr", self, Bits::constant(bits.into()))
    }
}

impl<const WIDTH: u32> Shl<u32> for Bits<WIDTH> {
    type Output = Self;
    fn shl(self, bits: u32) -> Self {
        Bits::of("bvshl", self, Bits::constant(bits.into()))
    }
}

impl From<Bits<64>> for Bits<128> {
    fn from(x: Bits<64>) -> Self {
        Bits::new(&format!("((_ zero_extend 64) {x})"))
    }
}

/// The carry of an addition.
struct Carry(Bits<64>);

impl From<Carry> for Bits<64> {
    fn from(carry: Carry) -> Self {
        carry.0
    }
}

#[allow(non_camel_case_types, dead_code, unused_imports, clippy::all, reason = "the library's text")]
mod text {
    type u64 = super::Bits<64>;
    type u128 = super::Bits<128>;
    include!(concat!(env!("OUT_DIR"), "/tag.rs"));
}

/// Lanes of bit vectors, for `limbs::tags`. Lanes wrap, so nothing here must not overflow.
#[derive(Clone, Copy)]
struct Lanes;

impl Vectors26<2> for Lanes {
    type Vector = Bits<64>;
    const BY_8: Method = Method::P2Sse2By8;

    fn splat(self, x: u64) -> Bits<64> {
        Bits::constant(x)
    }

    fn load(self, _: &[u64; 2]) -> Bits<64> {
        unreachable!("a tag loads nothing")
    }

    fn store(self, _: Bits<64>) -> [u64; 2] {
        unreachable!("a tag stores nothing")
    }

    fn words(self, _: &[[u8; 16]; 2]) -> [Bits<64>; 2] {
        unreachable!("a tag has no blocks")
    }

    fn add(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        Bits::of("bvadd", a, b)
    }

    fn sub(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        Bits::of("bvsub", a, b)
    }

    fn and(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        Bits::of("bvand", a, b)
    }

    fn or(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        a | b
    }

    fn mul(self, _: Bits<64>, _: Bits<64>) -> Bits<64> {
        unreachable!("a tag has no products")
    }

    fn shl(self, a: Bits<64>, bits: u32) -> Bits<64> {
        a << bits
    }

    fn shr(self, a: Bits<64>, bits: u32) -> Bits<64> {
        a >> bits
    }

    fn sum(self, _: Bits<64>) -> u64 {
        unreachable!("a tag has no sums over lanes")
    }

    fn in_memory<T>(self, x: &T) -> &T {
        x
    }

    fn wipe<const M: usize>(self, _: &mut [Bits<64>; M]) {}
}

#[cfg(target_arch = "x86_64")]
impl Vectors44 for Lanes {
    type V = Bits<64>;

    fn splat(self, x: u64) -> Bits<64> {
        Bits::constant(x)
    }

    fn add(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        Bits::of("bvadd", a, b)
    }

    fn sub(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        Bits::of("bvsub", a, b)
    }

    fn and(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        Bits::of("bvand", a, b)
    }

    fn shl(self, a: Bits<64>, bits: u32) -> Bits<64> {
        a << bits
    }

    fn shr(self, a: Bits<64>, bits: u32) -> Bits<64> {
        a >> bits
    }

    fn shr_both(self, _: Bits<64>, _: Bits<64>, _: u32) -> Bits<64> {
        unreachable!("a tag has no blocks")
    }

    /// The low 52 bits of a product are those of the product of the low 52 bits.
    fn low(self, sum: Bits<64>, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        let product: Bits<64> = Bits::of("bvmul", a, b);
        Bits::of("bvadd", sum, Bits::new(&format!("((_ zero_extend 12) ((_ extract 51 0) {product}))")))
    }

    fn high(self, _: Bits<64>, _: Bits<64>, _: Bits<64>) -> Bits<64> {
        unreachable!("a tag has no high halves")
    }
}

#[cfg(target_arch = "x86_64")]
impl Tags44 for Lanes {
    fn or(self, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        a | b
    }

    fn plus_below(self, x: Bits<64>, a: Bits<64>, b: Bits<64>) -> Bits<64> {
        Bits::new(&format!("(ite (bvult {a} {b}) (bvadd {x} (_ bv1 64)) {x})"))
    }
}

/// A question: its name, and the function that writes it.
pub type Question = (&'static str, fn() -> String);

/// All questions.
pub const QUESTIONS: &[Question] = &[
    ("tag", tag),
    ("tags_in_base_26", tags_in_base_26),
    #[cfg(target_arch = "x86_64")]
    ("tags_in_base_44", tags_in_base_44),
];

/// `job::poly1305::tag`, for every h with a highest word below 2^60, and every s.
pub fn tag() -> String {
    SCRIPT.take();
    let (h, s) = ([Bits::any(), Bits::any(), Bits::any()], [Bits::any(), Bits::any()]);
    let result = text::tag::tag(h, s);
    let [h0, h1, h2] = h;
    let below = format!("(bvult {h2} (_ bv{} 64))", 1u64 << 60);
    question(&[below], &format!("((_ zero_extend 64) (concat {h2} {h1} {h0}))"), s, result)
}

/// `radix26::limbs::tags`, for all limbs of at most 2^26 + 2^13: poly1305_x4_avx2 and poly1305_x4_neon.
pub fn tags_in_base_26() -> String {
    SCRIPT.take();
    let (h, s) = ([(); 5].map(|()| Bits::any()), [Bits::any(), Bits::any()]);
    let tag = tags(Lanes, h, s);
    question_of_limbs(&h, 26, super::radix26::CARRIED, s, tag)
}

/// `messages44::tags`, for all carried limbs: poly1305_x8_avx512ifma.
#[cfg(target_arch = "x86_64")]
pub fn tags_in_base_44() -> String {
    SCRIPT.take();
    let (h, s) = ([(); 3].map(|()| Bits::any()), [Bits::any(), Bits::any()]);
    let tag = messages44::tags(Lanes, h, s);
    question_of_limbs(&h, 44, radix44::CARRIED.into(), s, tag)
}

/// The question of a tag in lanes, for limbs of at most `most` that stand `bits` bits apart.
fn question_of_limbs(
    h: &[Bits<64>],
    bits: usize,
    most: u128,
    s: [Bits<64>; 2],
    [low, high]: [Bits<64>; 2],
) -> String {
    let carried: Vec<_> = h.iter().map(|limb| format!("(bvule {limb} (_ bv{most} 64))")).collect();
    let limbs = h.iter().enumerate();
    let sum = limbs.fold(String::from("(_ bv0 256)"), |sum, (i, limb)| {
        format!("(bvadd {sum} (bvshl ((_ zero_extend 192) {limb}) (_ bv{} 256)))", bits * i)
    });
    question(&carried, &sum, s, Bits::new(&format!("(concat {high} {low})")))
}

/// Asks for an input for which the result is not (h mod p) + s mod 2^128, or an integer overflows. h mod p is h - q p, where
/// q is h / 2^130 or 1 more. That it is not negative and below p is part of the question.
fn question(given: &[String], h: &str, [s0, s1]: [Bits<64>; 2], result: Bits<128>) -> String {
    let Script { lines, overflows } = SCRIPT.take();
    let mut text = String::from("(set-logic QF_BV)\n");
    for line in lines {
        text += &(line + "\n");
    }
    for line in given {
        writeln!(text, "(assert {line})").expect("a String");
    }
    let wrong = [overflows, vec!["false".into()]].concat().join("\n            ");
    write!(
        text,
        "(define-fun h () (_ BitVec 256) {h})
(define-fun p () (_ BitVec 256) (bvsub (bvshl (_ bv1 256) (_ bv130 256)) (_ bv5 256)))
(define-fun times_p ((x (_ BitVec 256))) (_ BitVec 256)
  (bvsub (bvshl x (_ bv130 256)) (bvadd x (bvshl x (_ bv2 256)))))
(define-fun e () (_ BitVec 256) (bvlshr h (_ bv130 256)))
(define-fun q () (_ BitVec 256) (ite (bvuge (bvsub h (times_p e)) p) (bvadd e (_ bv1 256)) e))
(define-fun rest () (_ BitVec 256) (bvsub h (times_p q)))
(define-fun expected () (_ BitVec 128) (bvadd ((_ extract 127 0) rest) (concat {s1} {s0})))
(assert (or (bvugt (times_p q) h) (bvuge rest p) (distinct expected {result})
            {wrong}))
(check-sat)
"
    )
    .expect("a String");
    text
}
