//! The suites: which engines are compared over which data.
//!
//! A suite is a list of tables, and a table a list of cells. In a cell all engines do the same work, in
//! interleaved samples. Before they are timed, their answers in this cell are compared with the
//! specification's.

#[cfg(feature = "internals")]
mod ablation_siphash;
#[cfg(feature = "aead")]
mod aead;
mod against_loop;
mod against_macs;
#[cfg(feature = "internals")]
mod bitslice;
#[cfg(feature = "internals")]
mod chacha20;
mod contenders;
mod figures;
mod floors;
mod halfsiphash_batch;
mod maps;
mod measure;
mod poly1305_batch;
mod poly1305_one;
#[cfg(feature = "internals")]
mod poly1305_radix;
mod siphash_batch;
mod siphash_one;
mod streams;
mod tags;
#[cfg(feature = "internals")]
mod tune;

#[cfg(feature = "internals")]
use ablation_siphash::ablation_siphash;
#[cfg(feature = "aead")]
use aead::{aead_many, aead_one};
use against_loop::against_loop;
use against_macs::against_macs;
#[cfg(feature = "internals")]
use bitslice::bitslice;
#[cfg(feature = "internals")]
use chacha20::chacha20;
use halfsiphash_batch::halfsiphash_batch;
use maps::maps;
use poly1305_batch::poly1305_batch;
use poly1305_one::poly1305_one;
#[cfg(feature = "internals")]
use poly1305_radix::poly1305_radix;
use siphash_batch::siphash_batch;
use siphash_one::siphash_one;
use streams::{poly1305_stream, siphash_stream};
#[cfg(feature = "internals")]
pub use tune::tune;

pub use figures::{Cell, Table};
pub use measure::{Plan, Show};

use anyhow::Result;
use measure::{Task, is_filed, table};

/// A suite.
pub struct Suite {
    /// Its name: a subcommand, and the stem of its records' file names.
    pub name: &'static str,
    /// What it measures.
    pub about: &'static str,
    /// Measures it, and shows each table when it is complete.
    pub run: fn(&Plan, &mut Show<'_>) -> Result<()>,
}

/// Every suite.
pub const SUITES: &[Suite] = &[
    Suite { name: "siphash-one", about: "SipHash, one message at a time", run: siphash_one },
    Suite { name: "siphash-batch", about: "SipHash, many messages in one call", run: siphash_batch },
    Suite { name: "siphash-stream", about: "SipHash of messages in pieces", run: siphash_stream },
    Suite {
        name: "halfsiphash-batch",
        about: "HalfSipHash, many messages in one call",
        run: halfsiphash_batch,
    },
    #[cfg(feature = "internals")]
    Suite {
        name: "ablation-siphash",
        about: "SipHash, one message at a time with one thing changed",
        run: ablation_siphash,
    },
    #[cfg(feature = "internals")]
    Suite {
        name: "bitslice",
        about: "Bitsliced SipHash, computation and transposes timed separately",
        run: bitslice,
    },
    Suite { name: "poly1305-one", about: "Poly1305, one message at a time", run: poly1305_one },
    Suite { name: "poly1305-stream", about: "Poly1305 of messages in pieces", run: poly1305_stream },
    Suite { name: "poly1305-batch", about: "Poly1305, many messages in one call", run: poly1305_batch },
    #[cfg(feature = "internals")]
    Suite {
        name: "poly1305-radix",
        about: "Poly1305, every kernel for one message by its base and its instructions",
        run: poly1305_radix,
    },
    #[cfg(feature = "internals")]
    Suite { name: "chacha20", about: "The key stream of ChaCha20, one message and many", run: chacha20 },
    #[cfg(feature = "aead")]
    Suite { name: "aead-one", about: "ChaCha20-Poly1305, one packet at a time", run: aead_one },
    #[cfg(feature = "aead")]
    Suite { name: "aead-many", about: "ChaCha20-Poly1305, many packets in one call", run: aead_many },
    Suite {
        name: "maps",
        about: "std's HashMap with keylane's hashers, std's and others, and keylane-map",
        run: maps,
    },
    Suite {
        name: "against-macs",
        about: "SipHash and Poly1305 compared with alternatives",
        run: against_macs,
    },
    Suite {
        name: "against-loop",
        about: "Every batch call compared with a loop over the single call, and with the kernel",
        run: against_loop,
    },
];
