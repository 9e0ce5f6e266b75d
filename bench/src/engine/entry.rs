//! An entry in the list of engines: its name, its key, what it forces before it runs, and its work.

use crate::work::Work;
use anyhow::{Result, ensure};
#[cfg(feature = "internals")]
use keylane::job::limits::Method;
use keylane::kernels;
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
    pub(super) kernels: Vec<(&'static str, &'static str)>,
    /// The lengths from which methods are used, where they differ from the table.
    #[cfg(feature = "internals")]
    pub(super) methods: Vec<(Method, usize)>,
    /// The form of its messages.
    pub form: Form,
    /// Its work.
    pub work: Box<W>,
}

impl<W: ?Sized> Engine<W> {
    /// An engine with the key [`KEY`].
    pub(super) fn new(name: &str, side: Side, work: Box<W>) -> Self {
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
    pub(super) fn peer(name: &str, work: impl Work + 'static) -> Self {
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
