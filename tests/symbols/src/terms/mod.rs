//! SipHash, HalfSipHash and ChaCha20 on terms.
