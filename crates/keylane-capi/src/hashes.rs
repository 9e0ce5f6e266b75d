//! SipHash and HalfSipHash with rounds known at run time: prepared keys, streams, batches.
//!
//! An object of C holds a prepared key for single or for double tags. Its mark tells which, so the two cannot
//! be confused. One macro makes all functions of one tag width; its callers spell out their names.

use crate::memory::{
    Fault, Handle, In, Kept, Message, Object, Out, Span, as_slices, export, function, no_fault, overlap, span,
};
use crate::status::Status;
use core::ffi::{c_int, c_uint};
use core::num::NonZeroU8;
use keylane::halfsiphash::{self, AnyHalfSipHash, AnyStream as AnyHalfSipStream};
use keylane::siphash::{self, AnySipHash, AnyStream as AnySipStream, BatchError};

/// The bodies of `keylane_siphash` and of the other objects.
pub type SiphashBody = [u64; 7];
pub type SiphashStreamBody = [u64; 11];
pub type HalfsiphashBody = [u64; 5];
pub type HalfsiphashStreamBody = [u64; 9];

pub type Siphash = Object<SiphashBody>;
pub type SiphashStream = Object<SiphashStreamBody>;
pub type Halfsiphash = Object<HalfsiphashBody>;
pub type HalfsiphashStream = Object<HalfsiphashStreamBody>;

/// `keylane_tag128`: 16 bytes with the alignment of a Rust `u128`, so kernels write tags directly into it.
pub type Tag128 = u128;

/// A tag as C sees it: an integer, or the 16 bytes that the reference implementation writes.
pub trait Tag: Copy {
    /// A tag to write.
    type Single: Copy;
    /// A tag to compare with.
    type Given;
    /// The tag as C sees it.
    fn single(self) -> Self::Single;
    /// What is wrong with the tag that C gives.
    fn fault(given: &Self::Given) -> Fault;
    /// The tag that C gives.
    fn given(given: Self::Given) -> Result<Self, Status>;
    /// Converts the tags of a batch, in place, into C's form.
    fn stored(tags: &mut [Self]);
}

macro_rules! integer {
    ($($int:ty),*) => {$(
        impl Tag for $int {
            type Single = $int;
            type Given = $int;

            #[inline(always)]
            fn single(self) -> $int {
                self
            }

            #[inline(always)]
            fn fault(_: &$int) -> Fault {
                None
            }

            #[inline(always)]
            fn given(given: $int) -> Result<$int, Status> {
                Ok(given)
            }

            #[inline(always)]
            fn stored(_: &mut [$int]) {}
        }
    )*};
}
integer!(u32, u64);

impl Tag for u128 {
    type Single = [u8; 16];
    type Given = In<[u8; 16]>;

    #[inline(always)]
    fn single(self) -> [u8; 16] {
        self.to_le_bytes()
    }

    #[inline(always)]
    fn fault(given: &In<[u8; 16]>) -> Fault {
        given.fault()
    }

    #[inline(always)]
    fn given(given: In<[u8; 16]>) -> Result<u128, Status> {
        Ok(u128::from_le_bytes(*given.get()?))
    }

    #[inline(always)]
    fn stored(tags: &mut [u128]) {
        tags.iter_mut().for_each(|tag| *tag = tag.to_le());
    }
}

/// The rounds that a call asks for.
fn rounds(c: c_uint, d: c_uint) -> Result<[NonZeroU8; 2], Status> {
    let rounds = |n: c_uint| u8::try_from(n).ok().and_then(NonZeroU8::new).ok_or(Status::Rounds);
    Ok([rounds(c)?, rounds(d)?])
}

/// The code common to both tag widths of a family: functions and types.
macro_rules! family {
    (
        $hash:ident, $stream:ident, $key:ty, [$single:ty, $double:ty], $body:ty, $stream_body:ty,
        marks $mark:literal;
        init $init:ident, wipe $wipe:ident,
        stream_init $stream_init:ident, stream_update $stream_update:ident, stream_wipe $stream_wipe:ident
    ) => {
        impl Kept<$body> for $hash<$single> {
            const MARK: u64 = $mark;
        }
        impl Kept<$body> for $hash<$double> {
            const MARK: u64 = $mark + 1;
        }
        impl Kept<$stream_body> for $stream<$single> {
            const MARK: u64 = $mark + 2;
        }
        impl Kept<$stream_body> for $stream<$double> {
            const MARK: u64 = $mark + 3;
        }

        export! {
            fn $init(h: Handle<$body>, c: c_uint, d: c_uint, bits: c_uint, key: In<[u8; size_of::<$key>()]>) {
                no_fault!(h.fault(), key.fault())?;
                let mut h = h;
                let key = <$key>::from_bytes(*key.get()?);
                let [c, d] = rounds(c, d)?;
                if bits == <$single>::BITS {
                    h.put(|| $hash::<$single>::new(&key, c, d))
                } else if bits == <$double>::BITS {
                    h.put(|| $hash::<$double>::new(&key, c, d))
                } else {
                    Err(Status::Bits)
                }
            }

            fn $stream_init(s: Handle<$stream_body>, h: Handle<$body>) {
                no_fault!(s.fault(), h.fault())?;
                let mut s = s;
                if h.holds::<$hash<$single>>() {
                    let h = h.get::<$hash<$single>>()?;
                    s.put(|| h.stream())
                } else {
                    let h = h.get::<$hash<$double>>()?;
                    s.put(|| h.stream())
                }
            }

            fn $stream_update(s: Handle<$stream_body>, piece: In<u8>, length: usize) {
                no_fault!(s.fault(), piece.fault_of_bytes(length))?;
                let mut s = s;
                if s.holds::<$stream<$single>>() {
                    s.get_mut::<$stream<$single>>()?.update(piece.slice(length)?);
                } else {
                    s.get_mut::<$stream<$double>>()?.update(piece.slice(length)?);
                }
                Ok(())
            }
        }

        function! {
            fn $wipe(h: Handle<$body>) {
                let mut h = h;
                h.wipe::<$hash<$single>>();
                h.wipe::<$hash<$double>>();
            }

            fn $stream_wipe(s: Handle<$stream_body>) {
                let mut s = s;
                s.wipe::<$stream<$single>>();
                s.wipe::<$stream<$double>>();
            }
        }
    };
}

family! {
    AnySipHash, AnySipStream, siphash::Key, [u64, u128], SiphashBody, SiphashStreamBody,
    marks 0x7a5c_91e4_0b6d_f380;
    init keylane_siphash_init, wipe keylane_siphash_wipe,
    stream_init keylane_siphash_stream_init, stream_update keylane_siphash_stream_update,
    stream_wipe keylane_siphash_stream_wipe
}
family! {
    AnyHalfSipHash, AnyHalfSipStream, halfsiphash::Key, [u32, u64], HalfsiphashBody, HalfsiphashStreamBody,
    marks 0x3e18_c7a9_5d42_b690;
    init keylane_halfsiphash_init, wipe keylane_halfsiphash_wipe,
    stream_init keylane_halfsiphash_stream_init, stream_update keylane_halfsiphash_stream_update,
    stream_wipe keylane_halfsiphash_stream_wipe
}

/// The functions of one width of tag.
macro_rules! tagged {
    (
        $hash:ty, $stream:ty, $tag:ty, $body:ty, $stream_body:ty;
        hash $one:ident, nocase $nocase:ident, u32 $u32:ident, u64 $u64:ident, u128 $u128:ident,
        verify $verify:ident,
        finish $finish:ident, stream_verify $stream_verify:ident,
        u32s $u32s:ident, u64s $u64s:ident, u128s $u128s:ident,
        rows $rows:ident, $(offsets $offset:ty, $offsets:ident,)* views $views:ident,
        many $many:ident
    ) => {
        export! {
            fn $one(h: Handle<$body>, message: In<u8>, length: usize, tag: Out<<$tag as Tag>::Single>) {
                no_fault!(h.fault(), message.fault_of_bytes(length), tag.fault())?;
                tag.put(h.get::<$hash>()?.hash(message.slice(length)?).single())
            }

            fn $nocase(h: Handle<$body>, message: In<u8>, length: usize, tag: Out<<$tag as Tag>::Single>) {
                no_fault!(h.fault(), message.fault_of_bytes(length), tag.fault())?;
                tag.put(h.get::<$hash>()?.hash_nocase(message.slice(length)?).single())
            }

            fn $u32(h: Handle<$body>, integer: u32, tag: Out<<$tag as Tag>::Single>) {
                no_fault!(h.fault(), tag.fault())?;
                tag.put(h.get::<$hash>()?.hash_u32(integer).single())
            }

            fn $u64(h: Handle<$body>, integer: u64, tag: Out<<$tag as Tag>::Single>) {
                no_fault!(h.fault(), tag.fault())?;
                tag.put(h.get::<$hash>()?.hash_u64(integer).single())
            }

            fn $u128(h: Handle<$body>, integer: In<[u8; 16]>, tag: Out<<$tag as Tag>::Single>) {
                no_fault!(h.fault(), integer.fault(), tag.fault())?;
                tag.put(h.get::<$hash>()?.hash_array(integer.get()?).single())
            }

            fn $verify(h: Handle<$body>, message: In<u8>, length: usize, tag: <$tag as Tag>::Given) {
                no_fault!(h.fault(), message.fault_of_bytes(length), <$tag>::fault(&tag))?;
                Ok(h.get::<$hash>()?.verify(message.slice(length)?, <$tag>::given(tag)?)?)
            }

            fn $finish(s: Handle<$stream_body>, tag: Out<<$tag as Tag>::Single>) {
                no_fault!(s.fault(), tag.fault())?;
                tag.put(s.get::<$stream>()?.finish().single())
            }

            fn $stream_verify(s: Handle<$stream_body>, tag: <$tag as Tag>::Given) {
                no_fault!(s.fault(), <$tag>::fault(&tag))?;
                Ok(s.get::<$stream>()?.verify(<$tag>::given(tag)?)?)
            }

            fn $u32s(h: Handle<$body>, integers: In<u32>, count: usize, tags: Out<$tag>) {
                no_fault!(h.fault(), integers.fault_of(count), tags.fault_of(count))?;
                let integers = integers.slice(count)?;
                batch(h, &[span(integers)], tags, count, |h: &$hash, tags| h.hash_u32s(integers, tags))
            }

            fn $u64s(h: Handle<$body>, integers: In<u64>, count: usize, tags: Out<$tag>) {
                no_fault!(h.fault(), integers.fault_of(count), tags.fault_of(count))?;
                let integers = integers.slice(count)?;
                batch(h, &[span(integers)], tags, count, |h: &$hash, tags| h.hash_u64s(integers, tags))
            }

            fn $u128s(h: Handle<$body>, integers: In<[u8; 16]>, count: usize, tags: Out<$tag>) {
                no_fault!(h.fault(), integers.fault_of(count), tags.fault_of(count))?;
                let bytes = integers.slice(count)?.as_flattened();
                batch(h, &[span(bytes)], tags, count, |h: &$hash, tags| h.hash_rows(bytes, 16, tags))
            }

            fn $rows(
                h: Handle<$body>,
                bytes: In<u8>,
                length: usize,
                width: usize,
                nocase: c_int,
                count: usize,
                tags: Out<$tag>,
            ) {
                no_fault!(h.fault(), bytes.fault_of_bytes(length), tags.fault_of(count))?;
                let bytes = bytes.slice(length)?;
                batch(h, &[span(bytes)], tags, count, |h: &$hash, tags| match nocase {
                    0 => h.hash_rows(bytes, width, tags),
                    _ => h.hash_rows_nocase(bytes, width, tags),
                })
            }

            $(fn $offsets(
                h: Handle<$body>,
                bytes: In<u8>,
                length: usize,
                offsets: In<$offset>,
                nocase: c_int,
                count: usize,
                tags: Out<$tag>,
            ) {
                let ends = offset_count(count);
                no_fault!(
                    h.fault(),
                    bytes.fault_of_bytes(length),
                    offsets.fault_of(ends),
                    tags.fault_of(count),
                )?;
                let (bytes, offsets) = (bytes.slice(length)?, offsets.slice(ends)?);
                batch(h, &[span(bytes), span(offsets)], tags, count, |h: &$hash, tags| match nocase {
                    0 => h.hash_offsets(bytes, offsets, tags),
                    _ => h.hash_offsets_nocase(bytes, offsets, tags),
                })
            })*

            fn $views(
                h: Handle<$body>,
                views: In<[u8; 16]>,
                buffers: In<Message>,
                buffer_count: usize,
                nocase: c_int,
                count: usize,
                tags: Out<$tag>,
            ) {
                no_fault!(
                    h.fault(),
                    views.fault_of(count),
                    buffers.fault_of(buffer_count),
                    tags.fault_of(count),
                )?;
                let views = views.slice(count)?;
                let buffers = buffers.checked(buffer_count, tags.span(count))?;
                let inputs = [span(views), span(buffers)];
                batch(h, &inputs, tags, count, |h: &$hash, tags| match (as_slices(buffers), nocase) {
                    (Some(buffers), 0) => h.hash_views(views, buffers, tags),
                    (Some(buffers), _) => h.hash_views_nocase(views, buffers, tags),
                    (None, 0) => h.hash_views(views, buffers, tags),
                    (None, _) => h.hash_views_nocase(views, buffers, tags),
                })
            }

            fn $many(
                h: Handle<$body>,
                messages: In<Message>,
                nocase: c_int,
                count: usize,
                tags: Out<$tag>,
            ) {
                no_fault!(h.fault(), messages.fault_of(count), tags.fault_of(count))?;
                let messages = messages.checked(count, tags.span(count))?;
                batch(h, &[span(messages)], tags, count, |h: &$hash, tags| match (as_slices(messages), nocase) {
                    (Some(slices), 0) => h.hash_many(slices, tags),
                    (Some(slices), _) => h.hash_many_nocase(slices, tags),
                    (None, 0) => h.hash_many(messages, tags),
                    (None, _) => h.hash_many_nocase(messages, tags),
                })
            }
        }
    };
}

/// The number of offsets for `count` messages. Without messages no offset is required. More than memory has if `count`
/// is.
fn offset_count(count: usize) -> usize {
    if count == 0 { 0 } else { count.saturating_add(1) }
}

/// Runs a batch that writes `count` tags. They must not overlap the object or any of `inputs`.
#[inline(always)]
fn batch<B, H: Kept<B>, T: Tag>(
    h: Handle<B>,
    inputs: &[Span],
    tags: Out<T>,
    count: usize,
    run: impl FnOnce(&H, &mut [T]) -> Result<(), BatchError>,
) -> Result<(), Status> {
    let mut tags = tags;
    if overlap(&h.span(), &tags.span(count)) {
        return Err(Status::Overlap);
    }
    let tags = tags.slice(count, inputs)?;
    run(h.get()?, tags)?;
    T::stored(tags);
    Ok(())
}

tagged! {
    AnySipHash<u64>, AnySipStream<u64>, u64, SiphashBody, SiphashStreamBody;
    hash keylane_siphash_hash64, nocase keylane_siphash_hash64_nocase,
    u32 keylane_siphash_hash64_u32,
    u64 keylane_siphash_hash64_u64,
    u128 keylane_siphash_hash64_u128,
    verify keylane_siphash_verify64,
    finish keylane_siphash_stream_finish64, stream_verify keylane_siphash_stream_verify64,
    u32s keylane_siphash_hash64_u32s,
    u64s keylane_siphash_hash64_u64s,
    u128s keylane_siphash_hash64_u128s,
    rows keylane_siphash_hash64_rows,
    offsets i32, keylane_siphash_hash64_offsets32,
    offsets i64, keylane_siphash_hash64_offsets64,
    views keylane_siphash_hash64_views,
    many keylane_siphash_hash64_many
}
tagged! {
    AnySipHash<u128>, AnySipStream<u128>, u128, SiphashBody, SiphashStreamBody;
    hash keylane_siphash_hash128, nocase keylane_siphash_hash128_nocase,
    u32 keylane_siphash_hash128_u32,
    u64 keylane_siphash_hash128_u64,
    u128 keylane_siphash_hash128_u128,
    verify keylane_siphash_verify128,
    finish keylane_siphash_stream_finish128, stream_verify keylane_siphash_stream_verify128,
    u32s keylane_siphash_hash128_u32s,
    u64s keylane_siphash_hash128_u64s,
    u128s keylane_siphash_hash128_u128s,
    rows keylane_siphash_hash128_rows,
    offsets i32, keylane_siphash_hash128_offsets32,
    offsets i64, keylane_siphash_hash128_offsets64,
    views keylane_siphash_hash128_views,
    many keylane_siphash_hash128_many
}
tagged! {
    AnyHalfSipHash<u32>, AnyHalfSipStream<u32>, u32, HalfsiphashBody, HalfsiphashStreamBody;
    hash keylane_halfsiphash_hash32, nocase keylane_halfsiphash_hash32_nocase,
    u32 keylane_halfsiphash_hash32_u32,
    u64 keylane_halfsiphash_hash32_u64,
    u128 keylane_halfsiphash_hash32_u128,
    verify keylane_halfsiphash_verify32,
    finish keylane_halfsiphash_stream_finish32, stream_verify keylane_halfsiphash_stream_verify32,
    u32s keylane_halfsiphash_hash32_u32s,
    u64s keylane_halfsiphash_hash32_u64s,
    u128s keylane_halfsiphash_hash32_u128s,
    rows keylane_halfsiphash_hash32_rows,
    offsets i32, keylane_halfsiphash_hash32_offsets32,
    offsets i64, keylane_halfsiphash_hash32_offsets64,
    views keylane_halfsiphash_hash32_views,
    many keylane_halfsiphash_hash32_many
}
tagged! {
    AnyHalfSipHash<u64>, AnyHalfSipStream<u64>, u64, HalfsiphashBody, HalfsiphashStreamBody;
    hash keylane_halfsiphash_hash64, nocase keylane_halfsiphash_hash64_nocase,
    u32 keylane_halfsiphash_hash64_u32,
    u64 keylane_halfsiphash_hash64_u64,
    u128 keylane_halfsiphash_hash64_u128,
    verify keylane_halfsiphash_verify64,
    finish keylane_halfsiphash_stream_finish64, stream_verify keylane_halfsiphash_stream_verify64,
    u32s keylane_halfsiphash_hash64_u32s,
    u64s keylane_halfsiphash_hash64_u64s,
    u128s keylane_halfsiphash_hash64_u128s,
    rows keylane_halfsiphash_hash64_rows,
    offsets i32, keylane_halfsiphash_hash64_offsets32,
    offsets i64, keylane_halfsiphash_hash64_offsets64,
    views keylane_halfsiphash_hash64_views,
    many keylane_halfsiphash_hash64_many
}
