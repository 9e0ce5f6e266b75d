//! What an engine does: the calls that the loops of this folder make.

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

/// Poly1305: one message, and many.
///
/// By default an engine uses the loop over single calls that its user would write.
pub trait Poly1305 {
    /// A tag as the engine gives it: 16 bytes.
    type Tag: Copy + Default + AsRef<[u8]>;

    /// The tag of a message.
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> Self::Tag;

    /// The tags of messages, each under its own key. The numbers of all three are equal.
    #[inline(always)]
    fn macs(&self, keys: &[[u8; 32]], messages: &[&[u8]], tags: &mut [Self::Tag]) {
        for (tag, (key, message)) in tags.iter_mut().zip(keys.iter().zip(messages)) {
            *tag = self.mac(key, message);
        }
    }
}

/// The message of a view, as a user would write it.
#[inline(always)]
pub fn viewed<'a>(view: &'a [u8; 16], buffers: &[&'a [u8]]) -> &'a [u8] {
    let [a, b, c, d, _, _, _, _, i, j, k, l, o, p, q, r] = *view;
    let len = u32::from_le_bytes([a, b, c, d]) as usize;
    if len <= 12 {
        return &view[4..4 + len];
    }
    let start = u32::from_le_bytes([o, p, q, r]) as usize;
    &buffers[u32::from_le_bytes([i, j, k, l]) as usize][start..start + len]
}
