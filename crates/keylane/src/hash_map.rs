//! SipHash for hash maps: `Hasher`s that resist flooding by anyone who does not know the key.
//!
//! ```
//! use keylane::hash_map::RandomState;
//! use std::collections::HashMap;
//!
//! let mut ages: HashMap<&str, u32, RandomState> = HashMap::default();
//! ages.insert("Ada", 36);
//! assert_eq!(ages.get("Ada"), Some(&36));
//! ```
//!
//! * [`RandomState`]: SipHash-1-3 under a random key, like std's `RandomState`, and faster. Where std has no random keys,
//!   as on wasm32-unknown-unknown, it needs the feature `getrandom`.
//! * [`BuildSipHash13`], [`BuildSipHash24`]: SipHash under your key, with *portable* hashes.
//! * [`StdCompat`]: exactly the hashes of std's `DefaultHasher` and `SipHasher`.
//! * [`BuildSipHash128`]: fingerprints of 128 bits of anything that has `Hash`, portable too.
//!
//! # Portable hashes
//! A type's `Hash` decides what a `Hasher` sees, and some of that depends on the machine. The hashers of
//! [`BuildSipHash`] take
//!
//! | what | as |
//! | --- | --- |
//! | `u8` .. `u128`, `i8` .. `i128`, `bool`, `char` | little-endian bytes |
//! | `usize`, `isize`, length prefixes, discriminants of enums | 8 bytes, little-endian |
//! | `str`, `String` | their bytes, then 0xff |
//! | `[u8]`, `Vec<u8>`, `[u8; N]` | the length (8 bytes), then the bytes |
//! | tuples, structs, `Option`, `Box`, slices of such types | their parts one after the other |
//!
//! so the hash of such a value is the same on every platform. Some types hand std their bytes as they are in memory.
//! Their hashes cannot be portable:
//!
//! | what | why |
//! | --- | --- |
//! | slices, arrays and `Vec`s of `u16` .. `u128`, `usize` and their signed kin | native byte order (and size) |
//! | `*const T`, `*mut T`, `fn` pointers | an address |
//! | `OsStr`, `Path`, and what contains them | the platform's encoding |
//!
//! The author of a type may change its `Hash`: a hash is as stable as the `Hash` that feeds it.

// On the targets that are named here, std's keys are the same in every process, and so would be keylane's. There the
// feature `getrandom` brings a source, or there is no `RandomState`.
#[cfg(all(
    feature = "std",
    any(
        feature = "getrandom",
        not(any(
            all(target_family = "wasm", target_os = "unknown"),
            target_os = "xous",
            target_os = "vexos"
        ))
    )
))]
mod random;
#[cfg(all(
    feature = "std",
    any(
        feature = "getrandom",
        not(any(
            all(target_family = "wasm", target_os = "unknown"),
            target_os = "xous",
            target_os = "vexos"
        ))
    )
))]
pub use random::RandomState;

use crate::arch::portable::siphash_x1;
use crate::job::buffer::LeInt;
use crate::job::siphash::{Fixed, State, Tag, Word};
use crate::siphash::{Key, SipHash};
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;

/// How integers become bytes: see [`Portable`] and [`Native`].
pub trait Order: sealed::Sealed + Copy + fmt::Debug + 'static {
    /// Whether integers are taken in the machine's byte order.
    #[doc(hidden)]
    const NATIVE: bool;
}

/// Integers are little-endian and `usize` has 8 bytes, on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

/// Integers are taken in the machine's byte order, as std does.
#[derive(Clone, Copy, Debug)]
pub struct Native;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Portable {}
    impl Sealed for super::Native {}
}

impl Order for Portable {
    const NATIVE: bool = false;
}

impl Order for Native {
    const NATIVE: bool = true;
}

/// Builds [`Hasher`]s of SipHash-C-D under one key.
///
/// ```
/// use core::hash::BuildHasher;
/// use keylane::hash_map::BuildSipHash13;
/// use keylane::siphash::{Key, SipHash13};
///
/// let key = Key::from_bytes([7; 16]);
/// let build = BuildSipHash13::new(&key);
/// // A string is its bytes, then 0xff.
/// assert_eq!(build.hash_one("message"), SipHash13::new(&key).hash(b"message\xff"));
/// assert_eq!(build.hash_one(7u64), SipHash13::new(&key).hash_u64(7));
/// ```
#[derive(Clone, Debug)]
pub struct BuildSipHash<const C: usize, const D: usize, O: Order = Portable> {
    key: SipHash<C, D>,
    order: PhantomData<O>,
}

/// SipHash-1-3 for maps, with portable hashes.
pub type BuildSipHash13 = BuildSipHash<1, 3>;
/// SipHash-2-4 for maps, with portable hashes.
pub type BuildSipHash24 = BuildSipHash<2, 4>;

/// Exactly the hashes of std. `StdCompat` is `DefaultHasher`: SipHash-1-3, with the key 0 if made by `new`.
/// `StdCompat<2, 4>` is the deprecated `std::hash::SipHasher`. As in std, hashes depend on the machine's byte order and
/// word size.
///
/// ```
/// use core::hash::{BuildHasher, BuildHasherDefault};
/// use keylane::{hash_map::StdCompat, siphash::Key};
/// use std::hash::DefaultHasher;
///
/// let ours = <StdCompat>::new(&Key::from_bytes([0; 16]));
/// let std = BuildHasherDefault::<DefaultHasher>::default();
/// let value = ("message", 7usize, [1u16, 2, 3]);
/// assert_eq!(ours.hash_one(value), std.hash_one(value));
/// ```
pub type StdCompat<const C: usize = 1, const D: usize = 3> = BuildSipHash<C, D, Native>;

impl<const C: usize, const D: usize, O: Order> BuildSipHash<C, D, O> {
    /// Makes a builder whose hashers use this key.
    pub fn new(key: &Key) -> Self {
        BuildSipHash { key: SipHash::new(key), order: PhantomData }
    }
}

impl<const C: usize, const D: usize, O: Order> BuildHasher for BuildSipHash<C, D, O> {
    type Hasher = Hasher<C, D, O>;

    #[inline(always)]
    fn build_hasher(&self) -> Hasher<C, D, O> {
        Hasher { state: self.key.initial(), waiting: 0, filled: 0, len: 0, order: PhantomData }
    }
}

/// Hashes one value. A map makes one for each look-up; to be fast, it is not wiped.
///
/// A look-up is fast if all of this is inlined into it and the state stays in registers. Compilers do not inline a type
/// with many callers unasked, so each method asks for it, and each is small. A full word waits for the next write or
/// the end, and long keys use no slot.
#[derive(Clone)]
pub struct Hasher<const C: usize, const D: usize, O: Order = Portable> {
    state: State<u64>,
    /// The bytes that wait; bytes above `filled` are zero.
    waiting: u64,
    /// How many bytes wait: 0 to 8.
    filled: usize,
    /// Only `len % 256` reaches the hash, so it may wrap.
    len: usize,
    order: PhantomData<O>,
}

impl<const C: usize, const D: usize, O: Order> Hasher<C, D, O> {
    const ROUNDS: Fixed<C, D> = Fixed::NEW;

    /// Takes the `size` <= 8 low bytes of `x`, whose other bytes are zero.
    #[inline(always)]
    fn write_short(&mut self, x: u64, size: usize) {
        self.len = self.len.wrapping_add(size);
        let room = 8 - self.filled;
        if size <= room {
            self.waiting |= x << (8 * self.filled);
            self.filled += size;
        } else {
            // `room` may be 0. The shift is made in two steps, since a shift by 64 is not defined.
            let full = self.waiting | x << 1 << (63 - 8 * room);
            self.state.absorb(Self::ROUNDS, full);
            self.waiting = x >> (8 * room);
            self.filled = size - room;
        }
    }

    /// Takes bytes when no byte waits.
    #[inline(always)]
    fn write_first(&mut self, bytes: &[u8]) {
        let (words, rest) = u64::split(bytes);
        siphash_x1::absorb::<u64, _, false>(&mut self.state, Self::ROUNDS, words);
        self.waiting = u64::tail(bytes);
        self.filled = rest.len();
    }

    /// Takes bytes when others wait. Not inlined, and by value: a hasher that never comes here stays in registers.
    #[inline(never)]
    fn write_behind(mut self, bytes: &[u8]) -> Self {
        match bytes.split_at_checked(8 - self.filled) {
            Some((head, rest)) => {
                let word = u64::from_short(head) << 1 << (8 * self.filled - 1) | self.waiting;
                self.state.absorb(Self::ROUNDS, word);
                self.write_first(rest);
            }
            None => {
                self.waiting |= u64::from_short(bytes) << (8 * self.filled);
                self.filled += bytes.len();
            }
        }
        self
    }

    /// The hash so far. The state is one for tags of this width.
    #[inline(always)]
    fn end<T: Tag<u64>>(&self) -> T {
        let (mut state, mut last) = (self.state, self.waiting);
        if self.filled == 8 {
            state.absorb(Self::ROUNDS, last);
            last = 0;
        }
        siphash_x1::finish::<_, _, _, false>(Self::ROUNDS, state, last | u64::length(self.len))
    }

    /// Takes a `usize`, or an `isize` sign-extended to 64 bits.
    #[inline(always)]
    fn word(&mut self, x: u64) {
        match size_of::<usize>() {
            4 if O::NATIVE => self.write_short(u64::from((x as u32).to_le()), 4),
            2 if O::NATIVE => self.write_short(u64::from((x as u16).to_le()), 2),
            _ => core::hash::Hasher::write_u64(self, x),
        }
    }
}

impl<const C: usize, const D: usize, O: Order> core::hash::Hasher for Hasher<C, D, O> {
    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) {
        // Usually this is a value's first write, or the bytes after a length. After inlining the compiler knows that.
        if self.filled == 8 {
            self.state.absorb(Self::ROUNDS, self.waiting);
            self.filled = 0;
        }
        if self.filled == 0 {
            self.write_first(bytes);
        } else {
            *self = self.clone().write_behind(bytes);
        }
        self.len = self.len.wrapping_add(bytes.len());
    }

    #[inline(always)]
    fn write_u8(&mut self, x: u8) {
        self.write_short(u64::from(x), 1);
    }

    #[inline(always)]
    fn write_u16(&mut self, x: u16) {
        self.write_short(u64::from(if O::NATIVE { x.to_le() } else { x }), 2);
    }

    #[inline(always)]
    fn write_u32(&mut self, x: u32) {
        self.write_short(u64::from(if O::NATIVE { x.to_le() } else { x }), 4);
    }

    #[inline(always)]
    fn write_u64(&mut self, x: u64) {
        self.write_short(if O::NATIVE { x.to_le() } else { x }, 8);
    }

    #[inline(always)]
    fn write_u128(&mut self, x: u128) {
        let x = if O::NATIVE { x.to_le() } else { x };
        self.write_short(x as u64, 8);
        self.write_short((x >> 64) as u64, 8);
    }

    #[inline(always)]
    fn write_usize(&mut self, x: usize) {
        self.word(x as u64);
    }

    #[inline(always)]
    fn write_isize(&mut self, x: isize) {
        self.word(x as i64 as u64);
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        self.end()
    }
}

impl<const C: usize, const D: usize, O: Order> fmt::Debug for Hasher<C, D, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher({C}-{D}, ..)")
    }
}

/// Builds [`Hasher128`]s of SipHash-C-D with 128 bits under one key.
///
/// A map needs 64 bits. A cache that tells values apart by their fingerprints alone needs 128: with 64, two of 2^32 values
/// share one with a probability of 39 %. The key must stay secret if others choose the values.
///
/// ```
/// use keylane::hash_map::BuildSipHash128;
/// use keylane::siphash::{Key, SipHashX13};
///
/// let key = Key::from_bytes([7; 16]);
/// let build = BuildSipHash128::<1, 3>::new(&key);
/// // A string is its bytes, then 0xff.
/// assert_eq!(build.fingerprint("message"), SipHashX13::new(&key).hash(b"message\xff"));
/// ```
#[derive(Clone, Debug)]
pub struct BuildSipHash128<const C: usize, const D: usize, O: Order = Portable> {
    key: SipHash<C, D, u128>,
    order: PhantomData<O>,
}

impl<const C: usize, const D: usize, O: Order> BuildSipHash128<C, D, O> {
    /// Makes a builder whose hashers use this key.
    pub fn new(key: &Key) -> Self {
        BuildSipHash128 { key: SipHash::new(key), order: PhantomData }
    }

    /// The hash of a value, with 128 bits.
    #[inline]
    pub fn fingerprint<T: Hash + ?Sized>(&self, value: &T) -> u128 {
        let mut hasher = self.build_hasher();
        value.hash(&mut hasher);
        hasher.finish128()
    }
}

impl<const C: usize, const D: usize, O: Order> BuildHasher for BuildSipHash128<C, D, O> {
    type Hasher = Hasher128<C, D, O>;

    #[inline(always)]
    fn build_hasher(&self) -> Hasher128<C, D, O> {
        let state = self.key.initial();
        Hasher128(Hasher { state, waiting: 0, filled: 0, len: 0, order: PhantomData })
    }
}

/// A [`Hasher`] whose hash has 128 bits: [`finish128`](Self::finish128). `finish` gives the lower 64 of them, which are not
/// the hash of a [`Hasher`].
///
/// ```
/// use core::hash::{BuildHasher, Hash, Hasher};
/// use keylane::hash_map::BuildSipHash128;
/// use keylane::siphash::Key;
///
/// let build = BuildSipHash128::<2, 4>::new(&Key::from_bytes([7; 16]));
/// let mut hasher = build.build_hasher();
/// (1, "two").hash(&mut hasher);
/// assert_eq!(hasher.finish128(), build.fingerprint(&(1, "two")));
/// assert_eq!(hasher.finish(), hasher.finish128() as u64);
/// ```
#[derive(Clone)]
pub struct Hasher128<const C: usize, const D: usize, O: Order = Portable>(Hasher<C, D, O>);

impl<const C: usize, const D: usize, O: Order> Hasher128<C, D, O> {
    /// The hash of what was written so far.
    #[inline(always)]
    pub fn finish128(&self) -> u128 {
        self.0.end()
    }
}

/// Methods that pass their argument on.
macro_rules! pass_on {
    ($($name:ident: $type:ty),*) => {$(
        #[inline(always)]
        fn $name(&mut self, x: $type) {
            self.0.$name(x);
        }
    )*};
}

impl<const C: usize, const D: usize, O: Order> core::hash::Hasher for Hasher128<C, D, O> {
    pass_on! {
        write: &[u8], write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128,
        write_usize: usize, write_isize: isize
    }

    #[inline(always)]
    fn finish(&self) -> u64 {
        self.finish128() as u64
    }
}

impl<const C: usize, const D: usize, O: Order> fmt::Debug for Hasher128<C, D, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher128({C}-{D}, ..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hash::Hasher as _;

    /// Bytes in any two writes, and integers, have the tag of the same bytes in one message.
    #[test]
    fn fingerprints_are_double_tags() {
        let key = Key::from_bytes([7; 16]);
        let (build, hash) = (BuildSipHash128::<2, 4>::new(&key), SipHash::<2, 4, u128>::new(&key));
        let bytes: [u8; 40] = core::array::from_fn(|i| 3 * i as u8);
        for len in 0..bytes.len() {
            for cut in 0..=len {
                let mut hasher = build.build_hasher();
                hasher.write(&bytes[..cut]);
                hasher.write(&bytes[cut..len]);
                assert_eq!(hasher.finish128(), hash.hash(&bytes[..len]), "{cut} of {len}");
            }
        }
        let mut hasher = build.build_hasher();
        hasher.write_u8(1);
        hasher.write_u16(0x302);
        hasher.write_u32(0x706_0504);
        hasher.write_u64(0xf0e_0d0c_0b0a_0908);
        hasher.write_u128(16);
        hasher.write_usize(17);
        hasher.write_isize(-1);
        let integers = [16u128.to_le_bytes().as_slice(), &17u64.to_le_bytes(), &[0xff; 8]].concat();
        let bytes = [core::array::from_fn::<u8, 15, _>(|i| 1 + i as u8).as_slice(), &integers].concat();
        assert_eq!(hasher.finish128(), hash.hash(&bytes));
        assert_eq!(hasher.finish(), hash.hash(&bytes) as u64);
    }
}
