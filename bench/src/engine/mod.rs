//! The implementations of SipHash to time, ours and others'.
//!
//! An engine is a type that implements [`SipHash`] (or [`U64s`] for tags of another width), and an entry in
//! the list of its module. The loops of [`work`](crate::work) are compiled for each type, so calls are
//! inlined, or not, just as in a program that uses the engine.

mod hashers;
mod highwayhash;
mod keylane;
mod libsodium;
pub mod macs;
pub mod maps;
pub mod poly1305;
mod reference;
#[cfg(feature = "internals")]
pub mod rows;
mod siphasher;
mod specification;
mod standard;
pub mod streams;

pub use self::keylane::{Missing, Slot, double, half, keylane, missing, restore};
pub use self::specification::{double_specification, half_specification, specification};

use crate::work::batch::viewed;
use crate::work::{U64Work, Work};
#[cfg(feature = "internals")]
use ::keylane::job::limits::Method;
use ::keylane::kernels;
use anyhow::{Result, ensure};
use std::fmt;

/// The authors' example key. Every engine with a key uses it.
pub const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The key as the algorithm's two words.
pub const KEY_WORDS: [u64; 2] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];

/// The rounds per word and at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// SipHash-1-2.
    R12,
    /// SipHash-1-3.
    R13,
    /// SipHash-2-4.
    R24,
}

impl Rounds {
    /// Those to measure.
    pub const ALL: [Rounds; 3] = [Rounds::R12, Rounds::R13, Rounds::R24];

    /// Those that libraries have.
    pub const USUAL: [Rounds; 2] = [Rounds::R13, Rounds::R24];

    /// As two numbers.
    pub fn numbers(self) -> (u32, u32) {
        match self {
            Rounds::R12 => (1, 2),
            Rounds::R13 => (1, 3),
            Rounds::R24 => (2, 4),
        }
    }
}

impl fmt::Display for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rounds::R12 => "1-2",
            Rounds::R13 => "1-3",
            Rounds::R24 => "2-4",
        })
    }
}

/// SipHash with fixed rounds and a key: one message, and many.
///
/// By default an engine uses the loop over single calls that its user would write.
pub trait SipHash {
    /// The tag of a message.
    fn hash(&self, message: &[u8]) -> u64;

    /// The tag of a message whose length is known at compile time.
    #[inline(always)]
    fn hash_array<const N: usize>(&self, message: &[u8; N]) -> u64 {
        self.hash(message)
    }

    /// The tag of an integer's 4 bytes.
    #[inline(always)]
    fn hash_u32(&self, integer: u32) -> u64 {
        self.hash(&integer.to_le_bytes())
    }

    /// The tag of an integer's 8 bytes.
    #[inline(always)]
    fn hash_u64(&self, integer: u64) -> u64 {
        self.hash(&integer.to_le_bytes())
    }

    /// The tag of an integer's 16 bytes.
    #[inline(always)]
    fn hash_u128(&self, integer: u128) -> u64 {
        self.hash(&integer.to_le_bytes())
    }

    /// The tags of integers.
    #[inline(always)]
    fn u32s(&self, integers: &[u32], tags: &mut [u64]) {
        for (tag, &integer) in tags.iter_mut().zip(integers) {
            *tag = self.hash_u32(integer);
        }
    }

    /// The tags of integers.
    #[inline(always)]
    fn u64s(&self, integers: &[u64], tags: &mut [u64]) {
        for (tag, &integer) in tags.iter_mut().zip(integers) {
            *tag = self.hash_u64(integer);
        }
    }

    /// The tags of integers.
    #[inline(always)]
    fn u128s(&self, integers: &[u128], tags: &mut [u64]) {
        for (tag, &integer) in tags.iter_mut().zip(integers) {
            *tag = self.hash_u128(integer);
        }
    }

    /// The tags of rows.
    #[inline(always)]
    fn rows16(&self, rows: &[[u8; 16]], tags: &mut [u64]) {
        for (tag, row) in tags.iter_mut().zip(rows) {
            *tag = self.hash_array(row);
        }
    }

    /// The tags of messages in Arrow's layout. There is one more offset than tags.
    #[inline(always)]
    fn offsets(&self, bytes: &[u8], offsets: &[i32], tags: &mut [u64]) {
        for (tag, pair) in tags.iter_mut().zip(offsets.windows(2)) {
            *tag = self.hash(&bytes[pair[0] as usize..pair[1] as usize]);
        }
    }

    /// The tags of messages in views or in buffers.
    #[inline(always)]
    fn views(&self, views: &[[u8; 16]], buffers: &[&[u8]], tags: &mut [u64]) {
        for (tag, view) in tags.iter_mut().zip(views) {
            *tag = self.hash(viewed(view, buffers));
        }
    }

    /// The tags of messages anywhere.
    #[inline(always)]
    fn slices(&self, messages: &[&[u8]], tags: &mut [u64]) {
        for (tag, message) in tags.iter_mut().zip(messages) {
            *tag = self.hash(message);
        }
    }
}

/// A hash of many integers with a key, and tags of any width.
pub trait U64s<T> {
    /// The tags of integers.
    fn u64s(&self, integers: &[u64], tags: &mut [T]);
}

/// The relation of an engine to keylane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// keylane as its users get it. This figure is compared with the peers'.
    Ours,
    /// A kernel of keylane chosen by name. It is only of interest where its slot is used.
    OurKernel,
    /// A form of keylane that its users could choose.
    OurOther,
    /// Less work than any engine must do.
    Floor,
    /// An implementation by others.
    Peer,
    /// An implementation by others that is not compared with keylane: it promises less, or its users do not
    /// get it this way.
    Other,
}

impl Side {
    /// The word in records.
    pub fn word(self) -> &'static str {
        match self {
            Side::Ours => "ours",
            Side::OurKernel => "our kernel",
            Side::OurOther => "our other",
            Side::Floor => "floor",
            Side::Peer => "peer",
            Side::Other => "other",
        }
    }
}

/// The form of the messages that an engine hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The message as it is.
    Exact,
    /// The message with its ASCII capitals folded. Only for messages of bytes.
    Folded,
    /// Messages with offsets or in views, passed as slices. Only for those.
    Slices,
}

/// An engine in the list. By default its work is single messages and batches with 64-bit tags.
pub struct Engine<W: ?Sized = dyn Work> {
    /// Its label in tables and records.
    pub name: String,
    /// Its relation to keylane.
    pub side: Side,
    /// Its key.
    pub key: [u8; 16],
    /// The slots and kernels to force before it runs.
    kernels: Vec<(&'static str, &'static str)>,
    /// The lengths from which methods are used, where they differ from the table.
    #[cfg(feature = "internals")]
    methods: Vec<(Method, usize)>,
    /// The form of its messages.
    pub form: Form,
    /// Its work.
    pub work: Box<W>,
}

impl<W: ?Sized> Engine<W> {
    /// An engine with the key [`KEY`].
    fn new(name: &str, side: Side, work: Box<W>) -> Self {
        Engine {
            name: name.to_owned(),
            side,
            key: KEY,
            kernels: Vec::new(),
            #[cfg(feature = "internals")]
            methods: Vec::new(),
            form: Form::Exact,
            work,
        }
    }

    /// keylane's slots and kernels that it forces.
    pub fn kernels(&self) -> &[(&'static str, &'static str)] {
        &self.kernels
    }

    /// Activates its kernels; they then read their thresholds. Must come before its work.
    pub fn ready(&self) {
        #[cfg(feature = "internals")]
        for (method, from) in &self.methods {
            method.assume(*from);
        }
        for (slot, kernel) in &self.kernels {
            kernels::force(slot, kernel).expect("the kernel could be forced when it was listed");
        }
    }
}

impl Engine {
    /// A peer with the key [`KEY`].
    fn peer(name: &str, work: impl Work + 'static) -> Self {
        Engine::new(name, Side::Peer, Box::new(work))
    }

    /// Checks known answers: the published one, and those of the specification for every length up to 300.
    /// That is far into every kernel's long form.
    ///
    /// An answer is wrong. The error names the engine and the length.
    pub fn check(&self, rounds: Rounds) -> Result<()> {
        self.ready();
        let (c, d) = rounds.numbers();
        let message: Vec<u8> = (0..=255).cycle().take(300).collect();
        let published = match rounds {
            Rounds::R12 => None,
            Rounds::R13 => Some(0xd320_d86d_2a51_9956),
            Rounds::R24 => Some(0xa129_ca61_49be_45e5),
        };
        if let Some(published) = published.filter(|_| self.key == KEY) {
            ensure!(self.work.hash(&message[..15]) == published, "{}: not the published answer", self.name);
        }
        for len in 0..=message.len() {
            let message = &message[..len];
            let right = match self.form {
                Form::Folded => keylane_ref::siphash64(c, d, &self.key, &keylane_ref::fold(message)),
                Form::Exact | Form::Slices => keylane_ref::siphash64(c, d, &self.key, message),
            };
            ensure!(self.work.hash(message) == right, "{}: wrong answer for {len} bytes", self.name);
        }
        Ok(())
    }
}

/// Every peer in this program, with its answers checked.
///
/// # Errors
/// A peer gives a wrong answer.
pub fn peers(rounds: Rounds) -> Result<Vec<Engine>> {
    let lists =
        [siphasher::engines, standard::engines, reference::engines, libsodium::engines, highwayhash::engines];
    let peers: Vec<Engine> = lists.iter().flat_map(|list| list(rounds)).collect();
    peers.iter().try_for_each(|peer| peer.check(rounds))?;
    Ok(peers)
}

/// Every peer with 128-bit tags. Their answers are checked in each cell.
pub fn double_peers(rounds: Rounds) -> Vec<Engine<dyn U64Work<u128>>> {
    let lists = [siphasher::double, reference::double, libsodium::double];
    lists.iter().flat_map(|list| list(rounds)).collect()
}

/// Every peer with HalfSipHash. Their answers are checked in each cell.
pub fn half_peers(rounds: Rounds) -> Vec<Engine<dyn U64Work<u32>>> {
    reference::half(rounds)
}

/// An engine that is not in this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its name.
    pub name: &'static str,
    /// The Debian packages it needs.
    pub packages: &'static [&'static str],
}

/// The engines that are not in this program: their packages were not installed when it was built.
pub fn absent() -> Vec<Absent> {
    let known = [
        (cfg!(engine = "gcc"), Absent { name: "C gcc", packages: &["gcc"] }),
        (cfg!(engine = "clang"), Absent { name: "C clang", packages: &["clang"] }),
        (
            cfg!(engine = "libsodium"),
            Absent { name: "libsodium", packages: &["libsodium-dev", "pkg-config"] },
        ),
        (cfg!(engine = "highwayhash"), Absent { name: "highwayhash", packages: &["libhighwayhash-dev"] }),
        (
            cfg!(engine = "openssl"),
            Absent { name: "OpenSSL EVP_MAC", packages: &["libssl-dev", "pkg-config"] },
        ),
        (cfg!(engine = "openssl-newest"), Absent { name: "OpenSSL newest", packages: &["perl", "make"] }),
        // Debian has it only for x86-64.
        (
            cfg!(any(engine = "ipsec-mb", not(target_arch = "x86_64"))),
            Absent { name: "ipsec-mb", packages: &["libipsec-mb-dev"] },
        ),
    ];
    known.into_iter().filter_map(|(here, absent)| (!here).then_some(absent)).collect()
}
