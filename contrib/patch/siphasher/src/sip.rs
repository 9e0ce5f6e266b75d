//! SipHash with tags of 64 bits.

use crate::hasher::hashers;

hashers!(false, u64);
