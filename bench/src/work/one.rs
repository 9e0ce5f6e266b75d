//! One message after the other.
//!
//! Throughput is measured by *independent* calls: the CPU works on several of them at once. Latency is measured by
//! *dependent* calls: the previous tag selects the next message, so no part of a call can begin before the previous
//! call ends.

use super::hash::SipHash;
use keylane_measure::chain::veil;
use std::ops::RangeInclusive;

/// Distance between the messages of a constant length, and their number: 4 KiB, which stay in the first-level
/// cache.
pub const STRIDE: usize = 64;
/// See [`STRIDE`].
pub const MESSAGES: usize = 64;

/// The number of positions where messages of [`Input::Chain`] may begin: a power of two.
pub const PLACES: usize = 4096;

/// The messages, and how to hash them.
pub enum Input<'a> {
    /// Independent calls with slices.
    Slices {
        /// The messages.
        messages: Vec<&'a [u8]>,
        /// How often each is hashed.
        passes: usize,
    },
    /// Dependent calls with a slice. Its beginning and its length depend on the previous tag, but are always
    /// the same.
    Dependent {
        /// The message.
        message: &'a [u8],
        /// The number of calls.
        calls: usize,
    },
    /// Independent calls with arrays of a length that the compiler knows.
    Array {
        /// [`MESSAGES`] messages that begin [`STRIDE`] bytes apart.
        bytes: &'a [u8],
        /// Their length, one of [`ARRAYS`].
        len: usize,
        /// How often each is hashed.
        passes: usize,
    },
    /// Independent calls with an integer in a register.
    Integers {
        /// The number of calls.
        calls: usize,
    },
    /// Dependent calls with an integer in a register: the previous tag.
    DependentIntegers {
        /// The number of calls.
        calls: usize,
    },
    /// Independent calls, one for each message in Arrow's layout.
    Rows {
        /// The bytes of all messages.
        bytes: &'a [u8],
        /// The offsets where they begin, and the end of the last one.
        offsets: &'a [i32],
    },
    /// Dependent calls of unpredictable lengths: each tag selects the next length and position.
    Chain {
        /// The longest message plus [`PLACES`] bytes.
        bytes: &'a [u8],
        /// The lengths.
        lengths: RangeInclusive<usize>,
        /// The number of calls.
        calls: usize,
    },
}

impl Input<'_> {
    /// The number of calls.
    pub fn calls(&self) -> usize {
        match self {
            Input::Slices { messages, passes } => messages.len() * passes,
            Input::Array { passes, .. } => MESSAGES * passes,
            Input::Rows { offsets, .. } => offsets.len() - 1,
            Input::Dependent { calls, .. }
            | Input::Integers { calls }
            | Input::DependentIntegers { calls }
            | Input::Chain { calls, .. } => *calls,
        }
    }
}

/// Does the work. Returns the sum of the tags if the calls are independent, else the last tag.
pub fn run<E: SipHash>(engine: &E, input: &Input<'_>) -> u64 {
    match *input {
        Input::Slices { ref messages, passes } => slices(engine, messages, passes),
        Input::Dependent { message, calls } => dependent(engine, message, calls),
        Input::Array { bytes, len, passes } => arrays(engine, bytes, len, passes),
        Input::Integers { calls } => integers(engine, calls),
        Input::DependentIntegers { calls } => dependent_integers(engine, calls),
        Input::Rows { bytes, offsets } => rows(engine, bytes, offsets),
        Input::Chain { bytes, ref lengths, calls } => chain(engine, bytes, lengths, calls),
    }
}

#[inline(never)]
fn slices<E: SipHash>(engine: &E, messages: &[&[u8]], passes: usize) -> u64 {
    let mut sum = 0u64;
    for _ in 0..passes {
        for message in messages {
            sum = sum.wrapping_add(veil(engine.hash(message)));
        }
    }
    sum
}

#[inline(never)]
fn dependent<E: SipHash>(engine: &E, message: &[u8], calls: usize) -> u64 {
    let nothing = veil(0);
    let mut tag = 0;
    for _ in 0..calls {
        // Always the whole message, but only someone who knows that `nothing` is 0 could tell.
        let start = (tag & nothing) as usize;
        tag = engine.hash(&message[start..message.len() - start]);
    }
    tag
}

#[inline(never)]
fn array<E: SipHash, const N: usize>(engine: &E, bytes: &[u8], passes: usize) -> u64 {
    let mut sum = 0u64;
    for _ in 0..passes {
        for message in bytes.chunks_exact(STRIDE).take(MESSAGES) {
            let message = message.first_chunk::<N>().expect("no array is longer than the stride");
            sum = sum.wrapping_add(veil(engine.hash_array(message)));
        }
    }
    sum
}

/// The lengths of [`Input::Array`], none above [`STRIDE`].
macro_rules! arrays {
    ($($n:literal),*) => {
        /// The lengths known at compile time in [`Input::Array`].
        pub const ARRAYS: &[usize] = &[$($n),*];

        fn arrays<E: SipHash>(engine: &E, bytes: &[u8], len: usize, passes: usize) -> u64 {
            match len {
                $($n => array::<E, $n>(engine, bytes, passes),)*
                _ => panic!("{len} is not among the lengths of arrays"),
            }
        }
    };
}
// Not 0: hashing nothing repeatedly is no work, and compilers recognise that.
arrays!(1, 4, 7, 8, 12, 16, 20, 24, 32, 64);

#[inline(never)]
fn integers<E: SipHash>(engine: &E, calls: usize) -> u64 {
    let mut sum = 0u64;
    for integer in 0..calls as u64 {
        sum = sum.wrapping_add(veil(engine.hash_u64(veil(integer))));
    }
    sum
}

#[inline(never)]
fn dependent_integers<E: SipHash>(engine: &E, calls: usize) -> u64 {
    let mut tag = 0;
    for _ in 0..calls {
        tag = engine.hash_u64(tag);
    }
    tag
}

#[inline(never)]
fn rows<E: SipHash>(engine: &E, bytes: &[u8], offsets: &[i32]) -> u64 {
    let mut sum = 0u64;
    for pair in offsets.windows(2) {
        sum = sum.wrapping_add(veil(engine.hash(&bytes[pair[0] as usize..pair[1] as usize])));
    }
    sum
}

#[inline(never)]
fn chain<E: SipHash>(engine: &E, bytes: &[u8], lengths: &RangeInclusive<usize>, calls: usize) -> u64 {
    let (least, span) = (*lengths.start(), (lengths.end() - lengths.start() + 1) as u64);
    let mut tag = 0u64;
    let mut step = 0u64;
    for _ in 0..calls {
        // If the tag alone made the choice, a choice would recur after some hundred calls, and so would all later ones.
        // A branch predictor learns such a cycle.
        let choice = tag.wrapping_add(step);
        step = step.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let start = choice as usize % PLACES;
        let len = least + (((choice >> 32) * span) >> 32) as usize;
        tag = engine.hash(&bytes[start..start + len]);
    }
    tag
}
