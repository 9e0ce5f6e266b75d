//! The normal form of terms.
//!
//! A term is a free word, a free byte, a xor or a sum. A xor is a set of rotated terms, none of them a xor, and a
//! constant. A sum is a set of terms with factors, none of them a sum, and a constant. Equal terms have equal ids, so
//! words with equal ids are equal whatever the free words and bytes are.
//!
//! Nothing else is known of terms. It is enough: kernels differ from the specification in the order of xors and sums, in
//! where they rotate, in steps back from the initial state, and in how bytes get into their words.

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::cell::RefCell;
use std::fmt::Write;
use std::hash::BuildHasher;

/// A word: a number, or a term.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A term.
    Term(Id),
}

/// A term in the arena of this thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u32);

use Value::{Number, Term};

/// Rotated terms, in ascending order and each at most once.
type Rotated = Vec<(Id, u32)>;

/// Terms with factors, in ascending order and each at most once. No factor is 0.
type Factors = Vec<(Id, u64)>;

#[derive(PartialEq, Eq, Hash)]
enum Node {
    /// A free word.
    Word(u32),
    /// A free byte, as a word.
    Byte(u32),
    /// Exclusive or.
    Xor(Rotated, u64),
    /// Sum modulo 2^bits.
    Sum(Factors, u64),
}

/// All terms of a run. Words of 32 and of 64 bits may share it: a word's type has its width.
#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
    /// The place of each node.
    ids: HashTable<Id>,
    hasher: DefaultHashBuilder,
}

thread_local!(static ARENA: RefCell<Arena> = RefCell::default());

/// Forgets all terms of this thread, those that callers still have included.
pub fn forget() {
    ARENA.with_borrow_mut(|arena| *arena = Arena::default());
}

/// How many terms this thread has.
pub fn count() -> usize {
    ARENA.with_borrow(|arena| arena.nodes.len())
}

/// Free word `i`.
pub fn free_word(i: u32) -> Value {
    ARENA.with_borrow_mut(|arena| arena.intern(Node::Word(i)))
}

/// The word whose byte i is the free byte `names[i]`, or 0 where that is `None`.
pub fn word_of_bytes(names: &[Option<u32>]) -> Value {
    ARENA.with_borrow_mut(|arena| {
        let mut atoms = Vec::new();
        for (i, &name) in (0..).zip(names) {
            if let Some(name) = name {
                atoms.push((arena.id(Node::Byte(name)), 8 * i));
            }
        }
        arena.xor_of(atoms, 0)
    })
}

/// The names of a word's bytes, if each byte is free or the constant 0.
pub fn bytes_of_word(a: Value) -> [Option<u32>; 8] {
    ARENA.with_borrow(|arena| {
        let (bytes, constant) = arena.bytes(a);
        assert!(constant == 0, "a constant among free bytes: {}", arena.text(a, 1));
        bytes.map(|id| id.map(|id| arena.name_of_byte(id)))
    })
}

/// Exclusive or.
pub fn xor(a: Value, b: Value) -> Value {
    ARENA.with_borrow_mut(|arena| {
        let ((a, c), (b, d)) = (arena.rotated(a), arena.rotated(b));
        arena.xor_of([a, b].concat(), c ^ d)
    })
}

/// `a + factor b` modulo 2^bits.
pub fn add(bits: u32, a: Value, b: Value, factor: u64) -> Value {
    ARENA.with_borrow_mut(|arena| {
        let ((mut sum, c), (b, d)) = (arena.factors(a), arena.factors(b));
        sum.extend(b.into_iter().map(|(id, n)| (id, n.wrapping_mul(factor))));
        arena.sum_of(bits, sum, c.wrapping_add(d.wrapping_mul(factor)))
    })
}

/// Rotation to the left.
pub fn rotl(bits: u32, a: Value, by: u32) -> Value {
    let by = by % bits;
    ARENA.with_borrow_mut(|arena| {
        let (mut atoms, c) = arena.rotated(a);
        for (_, rotation) in &mut atoms {
            *rotation = (*rotation + by) % bits;
        }
        arena.xor_of(atoms, rotate(bits, c, by))
    })
}

/// And. One of the words must be a number that takes whole bytes or none of them.
pub fn and(a: Value, b: Value) -> Value {
    let (a, mask) = match (a, b) {
        (Number(a), Number(b)) => return Number(a & b),
        (a, Number(mask)) | (Number(mask), a) => (a, mask),
        _ => panic!("an and of two terms"),
    };
    ARENA.with_borrow_mut(|arena| {
        let (bytes, c) = arena.bytes(a);
        let mut kept = Vec::new();
        for (i, id) in (0..).zip(bytes) {
            let part = mask >> (8 * i) & 0xff;
            assert!(id.is_none() || part == 0 || part == 0xff, "a part of a byte: mask {mask:#x}");
            kept.extend(id.filter(|_| part != 0).map(|id| (id, 8 * i)));
        }
        arena.xor_of(kept, c & mask)
    })
}

/// Or. Where one word has a free byte, the other must have the constant 0.
pub fn or(a: Value, b: Value) -> Value {
    if let (Number(a), Number(b)) = (a, b) {
        return Number(a | b);
    }
    ARENA.with_borrow_mut(|arena| {
        let ((a, c), (b, d)) = (arena.bytes(a), arena.bytes(b));
        let mut atoms = Vec::new();
        for (i, (a, b)) in (0..).zip(a.into_iter().zip(b)) {
            let (c, d) = (c >> (8 * i) & 0xff, d >> (8 * i) & 0xff);
            assert!(a.is_none() || (b.is_none() && d == 0), "an or with a free byte");
            assert!(b.is_none() || c == 0, "an or with a free byte");
            atoms.extend(a.or(b).map(|id| (id, 8 * i)));
        }
        arena.xor_of(atoms, c | d)
    })
}

/// Shift to the left by whole bytes, or of a number.
pub fn shl(bits: u32, a: Value, by: u32) -> Value {
    shift(bits, a, by.into(), |c| c << by & ones(bits))
}

/// Shift to the right by whole bytes, or of a number.
pub fn shr(bits: u32, a: Value, by: u32) -> Value {
    shift(bits, a, -i64::from(by), |c| c >> by)
}

fn shift(bits: u32, a: Value, by: i64, shifted: impl Fn(u64) -> u64) -> Value {
    if by.unsigned_abs() >= bits.into() {
        return Number(0);
    }
    let a = match a {
        Number(c) => return Number(shifted(c)),
        a if by == 0 => return a,
        a => a,
    };
    assert!(by % 8 == 0, "a shift of a free word by {by} bits");
    ARENA.with_borrow_mut(|arena| {
        let (bytes, c) = arena.bytes(a);
        let mut atoms = Vec::new();
        for (i, id) in (0..).zip(bytes) {
            let place = 8 * i + by;
            if let (Some(id), Ok(place)) = (id, u32::try_from(place))
                && place < bits
            {
                atoms.push((id, place));
            }
        }
        arena.xor_of(atoms, shifted(c))
    })
}

/// Another name for each free byte, and another value for each constant byte.
pub fn map_bytes(a: Value, name: impl Fn(u32) -> u32, byte: impl Fn(u8) -> u8) -> Value {
    ARENA.with_borrow_mut(|arena| {
        let (bytes, c) = arena.bytes(a);
        let mut atoms = Vec::new();
        for (i, id) in (0..).zip(bytes) {
            if let Some(id) = id {
                let name = name(arena.name_of_byte(id));
                atoms.push((arena.id(Node::Byte(name)), 8 * i));
            }
        }
        let mut constant = c.to_le_bytes();
        for (place, id) in constant.iter_mut().zip(bytes) {
            *place = if id.is_some() { 0 } else { byte(*place) };
        }
        arena.xor_of(atoms, u64::from_le_bytes(constant))
    })
}

/// A term as text, down to some depth.
pub fn text(a: Value, depth: u32) -> String {
    ARENA.with_borrow(|arena| arena.text(a, depth))
}

/// The greatest word.
fn ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn rotate(bits: u32, c: u64, by: u32) -> u64 {
    if by == 0 { c } else { (c << by | c >> (bits - by)) & ones(bits) }
}

impl Arena {
    fn id(&mut self, node: Node) -> Id {
        let Arena { nodes, ids, hasher } = self;
        let hash = |node: &Node| hasher.hash_one(node);
        let known = |&Id(id): &Id| &nodes[id as usize];
        match ids.entry(hash(&node), |id| *known(id) == node, |id| hash(known(id))) {
            Entry::Occupied(id) => *id.get(),
            Entry::Vacant(place) => {
                let id = Id(u32::try_from(nodes.len()).expect("fewer than 2^32 terms"));
                place.insert(id);
                nodes.push(node);
                id
            }
        }
    }

    fn intern(&mut self, node: Node) -> Value {
        Term(self.id(node))
    }

    fn node(&self, Id(id): Id) -> &Node {
        &self.nodes[id as usize]
    }

    /// A word as a xor.
    fn rotated(&self, a: Value) -> (Rotated, u64) {
        match a {
            Number(c) => (Vec::new(), c),
            Term(id) => match self.node(id) {
                Node::Xor(atoms, c) => (atoms.clone(), *c),
                _ => (vec![(id, 0)], 0),
            },
        }
    }

    /// A word as a sum.
    fn factors(&self, a: Value) -> (Factors, u64) {
        match a {
            Number(c) => (Vec::new(), c),
            Term(id) => match self.node(id) {
                Node::Sum(atoms, c) => (atoms.clone(), *c),
                _ => (vec![(id, 1)], 0),
            },
        }
    }

    /// A word whose bytes are free or constant: the free ones, and a constant with zeros in their places.
    fn bytes(&self, a: Value) -> ([Option<Id>; 8], u64) {
        let (atoms, c) = self.rotated(a);
        let mut bytes = [None; 8];
        for (id, rotation) in atoms {
            let is_byte = matches!(self.node(id), Node::Byte(_)) && rotation % 8 == 0;
            assert!(is_byte, "bits of a computed word are read: {}", self.text(a, 1));
            assert!(c >> rotation & 0xff == 0, "a free byte that was changed: {}", self.text(a, 1));
            let place = &mut bytes[rotation as usize / 8];
            assert!(place.is_none(), "bits of a xor of bytes are read: {}", self.text(a, 1));
            *place = Some(id);
        }
        (bytes, c)
    }

    fn name_of_byte(&self, id: Id) -> u32 {
        match self.node(id) {
            Node::Byte(name) => *name,
            _ => panic!("not a byte: {}", self.text(Term(id), 1)),
        }
    }

    /// The normal form of a xor of terms that are no xors. Equal terms cancel.
    fn xor_of(&mut self, mut atoms: Rotated, c: u64) -> Value {
        atoms.sort_unstable();
        let mut rest: Rotated = Vec::with_capacity(atoms.len());
        for atom in atoms {
            if rest.last() == Some(&atom) {
                rest.pop();
            } else {
                rest.push(atom);
            }
        }
        match (&rest[..], c) {
            ([], c) => Number(c),
            (&[(id, 0)], 0) => Term(id),
            _ => self.intern(Node::Xor(rest, c)),
        }
    }

    /// The normal form of a sum of terms that are no sums. Factors of equal terms are added.
    fn sum_of(&mut self, bits: u32, mut atoms: Factors, c: u64) -> Value {
        atoms.sort_unstable_by_key(|&(id, _)| id);
        let mut sum: Factors = Vec::with_capacity(atoms.len());
        for (id, n) in atoms {
            match sum.last_mut() {
                Some((last, m)) if *last == id => *m = m.wrapping_add(n) & ones(bits),
                _ => sum.push((id, n & ones(bits))),
            }
        }
        sum.retain(|&(_, n)| n != 0);
        match (&sum[..], c & ones(bits)) {
            ([], c) => Number(c),
            (&[(id, 1)], 0) => Term(id),
            (_, c) => self.intern(Node::Sum(sum, c)),
        }
    }

    fn text(&self, a: Value, depth: u32) -> String {
        let mut text = String::new();
        let id = match a {
            Number(c) => return format!("{c:#x}"),
            Term(id) => id,
        };
        match self.node(id) {
            Node::Word(i) => text = format!("word{i}"),
            Node::Byte(i) => text = format!("byte{i}"),
            _ if depth == 0 => text = format!("term{}", id.0),
            Node::Xor(atoms, c) => {
                for &(id, rotation) in atoms {
                    let _ = write!(text, "({} <<< {rotation}) ^ ", self.text(Term(id), depth - 1));
                }
                let _ = write!(text, "{c:#x}");
            }
            Node::Sum(atoms, c) => {
                for &(id, n) in atoms {
                    let _ = write!(text, "{n:#x} * ({}) + ", self.text(Term(id), depth - 1));
                }
                let _ = write!(text, "{c:#x}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(a: Value, b: Value) -> bool {
        match (a, b) {
            (Number(a), Number(b)) => a == b,
            (Term(a), Term(b)) => a == b,
            _ => false,
        }
    }

    #[test]
    fn equal_words_have_equal_ids() {
        let (a, b, c) = (free_word(0), free_word(1), free_word(2));
        let sum = add(64, a, b, 1);
        assert!(is(add(64, add(64, sum, c, 1), a, u64::MAX), add(64, c, b, 1)));
        assert!(is(xor(rotl(64, xor(a, b), 13), rotl(64, b, 13)), rotl(64, a, 13)));
        assert!(is(rotl(32, rotl(32, sum, 5), 27), sum));
        assert!(is(xor(sum, sum), Number(0)));
        assert!(is(add(32, a, a, 0xffff_ffff), Number(0)));
        assert!(is(rotl(32, xor(a, Number(0x8000_0001)), 1), xor(rotl(32, a, 1), Number(3))));
    }

    #[test]
    fn other_words_have_other_ids() {
        let (a, b) = (free_word(0), free_word(1));
        assert!(!is(add(64, a, b, 1), xor(a, b)));
        assert!(!is(rotl(64, add(64, a, b, 1), 13), add(64, rotl(64, a, 13), rotl(64, b, 13), 1)));
        assert!(!is(rotl(64, a, 1), a));
        assert!(!is(add(64, a, a, 1), Number(0)));
    }

    #[test]
    fn bytes_move() {
        let word = word_of_bytes(&[Some(1), Some(2), None, Some(4)]);
        assert!(is(shl(32, word, 8), word_of_bytes(&[None, Some(1), Some(2)])));
        assert!(is(shr(32, word, 8), word_of_bytes(&[Some(2), None, Some(4)])));
        assert!(is(and(word, Number(0xffff)), word_of_bytes(&[Some(1), Some(2)])));
        let with_length = or(and(word, Number(0xffff)), Number(2 << 24));
        assert!(is(xor(with_length, Number(2 << 24)), word_of_bytes(&[Some(1), Some(2)])));
        assert_eq!(bytes_of_word(word)[3], Some(4));
    }

    /// What would be false for some words panics instead.
    #[test]
    fn bits_of_terms_are_not_read() {
        let panics = |f: fn() -> Value| std::panic::catch_unwind(f).is_err();
        assert!(panics(|| and(free_word(0), Number(0xff))));
        assert!(panics(|| and(word_of_bytes(&[Some(1)]), Number(0x7f))));
        assert!(panics(|| or(word_of_bytes(&[Some(1)]), Number(1))));
        assert!(panics(|| or(word_of_bytes(&[Some(1)]), word_of_bytes(&[Some(2)]))));
        assert!(panics(|| shl(64, word_of_bytes(&[Some(1)]), 3)));
        assert!(panics(|| shr(64, add(64, free_word(0), free_word(1), 1), 8)));
        assert!(panics(|| and(xor(word_of_bytes(&[Some(1)]), Number(1)), Number(0xff))));
        assert!(panics(|| and(xor(word_of_bytes(&[Some(1)]), word_of_bytes(&[Some(2)])), Number(0xff))));
    }
}
