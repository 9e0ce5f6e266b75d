//! Poly1305 of one message in the radices that came before base 2^64, and beside it.
//!
//! * [`radix`]: from base 2^64 to limbs and back.
//! * [`integer`]: limbs that are integers, and the largest that they can be.

pub mod integer;
pub mod poly1305_x1_base26;
pub mod poly1305_x1_base44;
pub mod radix;
