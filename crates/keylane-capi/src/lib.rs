//! The C library of keylane. `include/keylane.h` is its documentation; docs/C.md is an overview.
//!
//! Every function of C is an [`export!`](memory) of a few lines. It turns C's arguments into slices and
//! references, calls the crate keylane, and returns a [`Status`](status::Status). Only `memory.rs` has
//! `unsafe`. All pointers from C arrive as types of that file. Only C can make values of these types, and
//! their methods check before they access memory.
//!
//! Nothing here allocates, panics, or sets `errno`.

mod aead;
mod hashes;
mod kernels;
mod memory;
mod one_shot;
mod poly1305;
mod status;
mod unpadded;

/// Each struct of the header: its name in C, its size and its alignment. A test compares them with the
/// header.
pub const LAYOUT: [(&str, usize, usize); 11] = [
    layout::<hashes::Siphash>("keylane_siphash"),
    layout::<hashes::SiphashStream>("keylane_siphash_stream"),
    layout::<hashes::Halfsiphash>("keylane_halfsiphash"),
    layout::<hashes::HalfsiphashStream>("keylane_halfsiphash_stream"),
    layout::<unpadded::Siphash13Uj>("keylane_siphash13uj"),
    layout::<poly1305::Poly1305Stream>("keylane_poly1305"),
    layout::<hashes::Tag128>("keylane_tag128"),
    layout::<memory::Message>("keylane_message"),
    layout::<aead::Cipher>("keylane_chacha20poly1305"),
    layout::<memory::Packet>("keylane_packet"),
    layout::<Kernel>("keylane_kernel"),
];

/// What C gets of a kernel. A test compares it with the kernel.
pub use kernels::Kernel;

/// Each status: its name in C and its number.
pub use status::NAMES as STATUS;

const fn layout<T>(name: &'static str) -> (&'static str, usize, usize) {
    (name, size_of::<T>(), align_of::<T>())
}
