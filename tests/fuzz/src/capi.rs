//! The C library as C calls it. There are objects, and one piece of memory where messages, offsets and tags
//! are anywhere and may overlap. A call that breaks no rule of `keylane.h` writes right tags; any other call
//! writes nothing.

#![allow(unsafe_code)]

use crate::batch::viewed;
use crate::hash;
use crate::input::{Text, coded};
use crate::mac::KeyOf;
use crate::steps::STEPS;
use core::ffi::{c_int, c_uint, c_void};
use keylane_conformance::variants::Variant;
use std::ops::Range;

/// Bytes of memory.
const MEMORY: usize = 1 << 12;

/// The most messages in a call.
const COUNT: usize = 100;

coded! {
    /// Calls.
    pub struct Case<'a> {
        /// The calls.
        pub calls: Vec<Call<'a>>,
    }
}

coded! {
    /// A call. Addresses in memory are modulo its size, and lengths end with it.
    pub enum Call<'a> {
        /// Fills memory.
        Fill {
            /// The start.
            at: u16,
            /// The contents.
            text: Text<'a>
        },
        /// Prepares a key.
        Init {
            /// For HalfSipHash.
            half: bool,
            /// Rounds.
            rounds: [u8; 2],
            /// For tags of two words.
            double: bool,
            /// The key's address.
            key: u16
        },
        /// Wipes a key.
        Wipe {
            /// HalfSipHash's.
            half: bool
        },
        /// The tag of one message.
        Hash {
            /// The parameters of the call.
            of: Asked,
            /// Its address and length.
            message: [u16; 2]
        },
        /// Begins a stream.
        Stream {
            /// Whether of HalfSipHash.
            half: bool
        },
        /// Continues a stream.
        Update {
            /// Whether of HalfSipHash.
            half: bool,
            /// The piece's address and length.
            piece: [u16; 2]
        },
        /// The tag of a stream.
        Finish {
            /// The parameters of the call.
            of: Asked
        },
        /// Integers, by their size: 4, 8 or 16 bytes.
        Integers {
            /// The parameters of the call.
            of: Asked,
            /// A number that selects the size.
            size: u8,
            /// Their position in memory.
            at: u16,
            /// How many.
            count: u8
        },
        /// Rows.
        Rows {
            /// The parameters of the call.
            of: Asked,
            /// Their position in memory.
            bytes: [u16; 2],
            /// The width.
            width: u8,
            /// How many.
            count: u8
        },
        /// Messages by offsets of 32 or 64 bits.
        Offsets {
            /// The parameters of the call.
            of: Asked,
            /// Whether they have 64 bits.
            wide: bool,
            /// The address and length of the bytes.
            bytes: [u16; 2],
            /// The address of the offsets.
            at: u16,
            /// Ends of messages, written there first.
            ends: Vec<u8>
        },
        /// Messages anywhere.
        Many {
            /// The parameters of the call.
            of: Asked,
            /// Their position in memory.
            messages: Vec<[u16; 2]>
        },
        /// Begins a message under Poly1305.
        MacInit {
            /// The key.
            key: KeyOf
        },
        /// Continues it.
        MacUpdate {
            /// The piece's address and length.
            piece: [u16; 2]
        },
        /// Ends it.
        MacFinish {
            /// The address of the tag.
            to: u16
        },
        /// Many messages under Poly1305.
        Macs {
            /// The address of the keys.
            keys: u16,
            /// The address and length of each message.
            messages: Vec<[u16; 2]>,
            /// The address of the tags.
            to: u16
        },
        /// Messages within views, or in buffers.
        Views {
            /// The parameters of the call.
            of: Asked,
            /// The address of the views.
            at: u16,
            /// Written there first: length, buffer and offset of each, and a byte that must not count.
            views: Vec<[u8; 4]>,
            /// The position of each buffer in memory.
            buffers: Vec<[u16; 2]>
        },
    }
}

coded! {
    /// The parameters of a call that computes tags.
    pub struct Asked {
        /// Whether of HalfSipHash.
        pub half: bool,
        /// Whether tags have two words.
        pub double: bool,
        /// Whether ASCII capitals are folded.
        pub fold: bool,
        /// The address of the tags.
        pub to: u16,
    }
}

type Place = *mut c_void;
type Init = unsafe extern "C" fn(Place, c_uint, c_uint, c_uint, Place) -> c_int;
type Wipe = unsafe extern "C" fn(Place);
type Two = unsafe extern "C" fn(Place, Place) -> c_int;
type Update = unsafe extern "C" fn(Place, Place, usize) -> c_int;
type Hash = unsafe extern "C" fn(Place, Place, usize, Place) -> c_int;
type Rows = unsafe extern "C" fn(Place, Place, usize, usize, c_int, usize, Place) -> c_int;
type Offsets = unsafe extern "C" fn(Place, Place, usize, Place, c_int, usize, Place) -> c_int;
type Views = unsafe extern "C" fn(Place, Place, Place, usize, c_int, usize, Place) -> c_int;
type Many = unsafe extern "C" fn(Place, Place, c_int, usize, Place) -> c_int;

/// `keylane_message`.
#[repr(C)]
struct Message {
    bytes: Place,
    length: usize,
}

/// The functions of a family.
struct Family {
    init: Init,
    wipe: Wipe,
    stream: Two,
    update: Update,
    stream_wipe: Wipe,
    single: Width,
    double: Width,
}

/// The functions of a tag width.
struct Width {
    hash: [Hash; 2],
    finish: Two,
    integers: [Hash; 3],
    rows: Rows,
    offsets: [Offsets; 2],
    views: Views,
    many: Many,
}

/// Declares the functions of `keylane.h` with these types, and tables of them.
macro_rules! families {
    ($(
        $table:ident { $init:ident $wipe:ident $stream:ident $update:ident $stream_wipe:ident;
        $($width:ident: $hash:ident $nocase:ident $finish:ident $u32s:ident $u64s:ident $u128s:ident $rows:ident
            $offsets32:ident $offsets64:ident $views:ident $many:ident;)*
        }
    )*) => {
        // SAFETY: these are the prototypes of `keylane.h`. Every pointer there points to memory of any kind,
        // and a status is an int.
        unsafe extern "C" {
            $(
                fn $init(h: Place, c: c_uint, d: c_uint, bits: c_uint, key: Place) -> c_int;
                fn $wipe(h: Place);
                fn $stream(s: Place, h: Place) -> c_int;
                fn $update(s: Place, piece: Place, length: usize) -> c_int;
                fn $stream_wipe(s: Place);
                $(
                    fn $hash(h: Place, message: Place, length: usize, tag: Place) -> c_int;
                    fn $nocase(h: Place, message: Place, length: usize, tag: Place) -> c_int;
                    fn $finish(s: Place, tag: Place) -> c_int;
                    fn $u32s(h: Place, integers: Place, count: usize, tags: Place) -> c_int;
                    fn $u64s(h: Place, integers: Place, count: usize, tags: Place) -> c_int;
                    fn $u128s(h: Place, integers: Place, count: usize, tags: Place) -> c_int;
                    fn $rows(h: Place, bytes: Place, length: usize, width: usize, nocase: c_int, count: usize,
                        tags: Place) -> c_int;
                    fn $offsets32(h: Place, bytes: Place, length: usize, offsets: Place, nocase: c_int, count: usize,
                        tags: Place) -> c_int;
                    fn $offsets64(h: Place, bytes: Place, length: usize, offsets: Place, nocase: c_int, count: usize,
                        tags: Place) -> c_int;
                    fn $views(h: Place, views: Place, buffers: Place, buffer_count: usize, nocase: c_int, count: usize,
                        tags: Place) -> c_int;
                    fn $many(h: Place, messages: Place, nocase: c_int, count: usize, tags: Place) -> c_int;
                )*
            )*
        }

        $(
            static $table: Family = Family {
                init: $init,
                wipe: $wipe,
                stream: $stream,
                update: $update,
                stream_wipe: $stream_wipe,
                $($width: Width {
                    hash: [$hash, $nocase],
                    finish: $finish,
                    integers: [$u32s, $u64s, $u128s],
                    rows: $rows,
                    offsets: [$offsets32, $offsets64],
                    views: $views,
                    many: $many,
                },)*
            };
        )*
    };
}

families! {
    SIPHASH { keylane_siphash_init keylane_siphash_wipe keylane_siphash_stream_init keylane_siphash_stream_update
        keylane_siphash_stream_wipe;
    single: keylane_siphash_hash64 keylane_siphash_hash64_nocase keylane_siphash_stream_finish64
        keylane_siphash_hash64_u32s keylane_siphash_hash64_u64s keylane_siphash_hash64_u128s
        keylane_siphash_hash64_rows keylane_siphash_hash64_offsets32 keylane_siphash_hash64_offsets64
        keylane_siphash_hash64_views keylane_siphash_hash64_many;
    double: keylane_siphash_hash128 keylane_siphash_hash128_nocase keylane_siphash_stream_finish128
        keylane_siphash_hash128_u32s keylane_siphash_hash128_u64s keylane_siphash_hash128_u128s
        keylane_siphash_hash128_rows keylane_siphash_hash128_offsets32 keylane_siphash_hash128_offsets64
        keylane_siphash_hash128_views keylane_siphash_hash128_many;
    }
    HALFSIPHASH { keylane_halfsiphash_init keylane_halfsiphash_wipe keylane_halfsiphash_stream_init
        keylane_halfsiphash_stream_update keylane_halfsiphash_stream_wipe;
    single: keylane_halfsiphash_hash32 keylane_halfsiphash_hash32_nocase keylane_halfsiphash_stream_finish32
        keylane_halfsiphash_hash32_u32s keylane_halfsiphash_hash32_u64s keylane_halfsiphash_hash32_u128s
        keylane_halfsiphash_hash32_rows keylane_halfsiphash_hash32_offsets32 keylane_halfsiphash_hash32_offsets64
        keylane_halfsiphash_hash32_views keylane_halfsiphash_hash32_many;
    double: keylane_halfsiphash_hash64 keylane_halfsiphash_hash64_nocase keylane_halfsiphash_stream_finish64
        keylane_halfsiphash_hash64_u32s keylane_halfsiphash_hash64_u64s keylane_halfsiphash_hash64_u128s
        keylane_halfsiphash_hash64_rows keylane_halfsiphash_hash64_offsets32 keylane_halfsiphash_hash64_offsets64
        keylane_halfsiphash_hash64_views keylane_halfsiphash_hash64_many;
    }
}

// SAFETY: as above.
unsafe extern "C" {
    fn keylane_poly1305_init(p: Place, key: Place) -> c_int;
    fn keylane_poly1305_update(p: Place, piece: Place, length: usize) -> c_int;
    fn keylane_poly1305_finish(p: Place, tag: Place) -> c_int;
    fn keylane_poly1305_wipe(p: Place);
    fn keylane_poly1305_macs(keys: Place, messages: Place, count: usize, tags: Place) -> c_int;
}

impl Family {
    fn of(half: bool) -> &'static Family {
        // This reference makes the program link the library.
        assert!(!keylane_capi::LAYOUT.is_empty());
        if half { &HALFSIPHASH } else { &SIPHASH }
    }

    fn width(&self, double: bool) -> &Width {
        if double { &self.double } else { &self.single }
    }
}

/// An object of C, as large as the largest, in a separate allocation.
struct Object(*mut [u128; 113]);

impl Object {
    fn new() -> Self {
        Object(Box::into_raw(Box::new([0; 113])))
    }

    fn place(&self) -> Place {
        self.0.cast()
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: `new` has made this pointer from a box.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// The memory. C holds its address, so Rust holds a pointer too, not a reference.
struct Memory(*mut [u128; MEMORY / 16]);

impl Memory {
    fn new() -> Self {
        Memory(Box::into_raw(Box::new([0; MEMORY / 16])))
    }

    /// An address in it.
    fn place(&self, at: usize) -> Place {
        self.0.cast::<u8>().wrapping_add(at).cast()
    }

    /// Its contents.
    fn read(&self) -> Vec<u8> {
        // SAFETY: `MEMORY` initialised bytes in the box that `new` has made. There is no reference to it.
        unsafe { std::slice::from_raw_parts(self.0.cast::<u8>(), MEMORY) }.to_vec()
    }

    /// Writes as many of the bytes as fit.
    fn write(&self, at: usize, bytes: &[u8]) {
        let len = bytes.len().min(MEMORY - at);
        // SAFETY: `len` bytes from `at` on are inside the box that `new` has made. There is no reference to
        // it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.place(at).cast(), len) };
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `new` has made this pointer from a box.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// The expected contents of an object.
#[derive(Clone)]
struct Held {
    variant: Variant,
    key: Vec<u8>,
    message: Vec<u8>,
}

impl Held {
    fn tag(&self, message: &[u8], fold: bool) -> Vec<u8> {
        let tag = hash::expected(self.variant, &self.key, message, fold);
        tag.to_le_bytes()[..self.variant.tag_size()].to_vec()
    }
}

/// All objects, with their expected contents.
struct World {
    memory: Memory,
    keys: [Object; 2],
    streams: [Object; 2],
    mac: Object,
    held: [Option<Held>; 2],
    streaming: [Option<Held>; 2],
    in_mac: Option<(KeyOf, Vec<u8>)>,
}

impl Case<'_> {
    /// Panics if a call does not do what it should.
    pub fn run(&self) {
        let mut world = World {
            memory: Memory::new(),
            keys: [Object::new(), Object::new()],
            streams: [Object::new(), Object::new()],
            mac: Object::new(),
            held: [None, None],
            streaming: [None, None],
            in_mac: None,
        };
        self.calls.iter().take(STEPS).for_each(|call| world.call(call));
        for half in [false, true] {
            let family = Family::of(half);
            // SAFETY: objects that are zero or initialised.
            unsafe { (family.wipe)(world.keys[usize::from(half)].place()) };
            // SAFETY: the same.
            unsafe { (family.stream_wipe)(world.streams[usize::from(half)].place()) };
        }
        // SAFETY: the same.
        unsafe { keylane_poly1305_wipe(world.mac.place()) };
    }

    /// Calls `keep` with some calls of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        for (half, double) in [(false, false), (false, true), (true, false), (true, true)] {
            let to = |to| Asked { half, double, fold: to % 32 == 0, to };
            keep(&Case {
                calls: vec![
                    Call::Fill { at: 0, text: Text::Counting { len: 2000 } },
                    Call::Init { half, rounds: [2, 4], double, key: 5 },
                    Call::Hash { of: to(3000), message: [1, 700] },
                    Call::Stream { half },
                    Call::Update { half, piece: [10, 9] },
                    Call::Update { half, piece: [30, 600] },
                    Call::Finish { of: to(2001) },
                    Call::Integers { of: to(3200), size: 1, at: 64, count: 40 },
                    Call::Rows { of: to(3200), bytes: [3, 180], width: 9, count: 20 },
                    Call::Offsets {
                        of: to(3216),
                        wide: double,
                        bytes: [70, 300],
                        at: 2048,
                        ends: vec![9; 30],
                    },
                    Call::Many { of: to(3200), messages: (0..40).map(|i| [i, 3 * i]).collect() },
                    Call::Many { of: to(32), messages: vec![[40, 20]; 4] },
                    Call::Views {
                        of: to(3200),
                        at: 2049,
                        views: (0..40).map(|i| [i, i % 3, 2 * i, 0xaa]).collect(),
                        buffers: vec![[100, 200], [900, 300], [50, 150]],
                    },
                    Call::Wipe { half },
                    Call::Hash { of: to(3000), message: [1, 7] },
                ],
            });
        }
        keep(&Case {
            calls: vec![
                Call::Fill { at: 0, text: Text::Random { seed: 1, len: 4096 } },
                Call::MacInit { key: KeyOf::Large { s: 0xff } },
                Call::MacUpdate { piece: [0, 1500] },
                Call::MacUpdate { piece: [7, 5] },
                Call::MacFinish { to: 4001 },
                Call::Macs { keys: 1, messages: (0..20).map(|i| [i, 9 * i]).collect(), to: 3000 },
                Call::Macs { keys: 0, messages: vec![[900, 64]; 4], to: 910 },
            ],
        });
    }
}

/// A range of memory. Both numbers may be too large.
fn range([at, len]: [u16; 2]) -> Range<usize> {
    let at = usize::from(at) % MEMORY;
    at..at + usize::from(len).min(MEMORY - at)
}

/// Whether two pieces of memory share no byte. An empty one shares none.
fn are_disjoint(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.is_empty() || b.is_empty() || a.end <= b.start || b.end <= a.start
}

/// A view with this length, buffer and offset. All other bytes are equal.
fn view_of([length, buffer, offset, rest]: [u8; 4]) -> [u8; 16] {
    let mut view = [rest; 16];
    let length = if length == 255 { -13 } else { i32::from(length % 40) };
    view[..4].copy_from_slice(&length.to_le_bytes());
    if !(0..=12).contains(&length) {
        view[8..12].copy_from_slice(&u32::from(buffer).to_le_bytes());
        view[12..].copy_from_slice(&u32::from(offset).to_le_bytes());
    }
    view
}

impl World {
    fn call(&mut self, call: &Call<'_>) {
        match call {
            Call::Fill { at, text } => self.memory.write(usize::from(*at) % MEMORY, &text.bytes()),
            Call::Init { half, rounds: [c, d], double, key } => {
                let (family, i) = (Family::of(*half), usize::from(*half));
                let [c, d] = [c % 20, d % 20];
                let variant = Variant { half: *half, c, d, double: *double };
                let at = usize::from(*key) % (MEMORY - 16);
                let bits = 8 * variant.tag_size() as c_uint;
                let (object, key) = (self.keys[i].place(), self.memory.place(at));
                // SAFETY: an object, and 16 bytes of memory.
                let status = unsafe { (family.init)(object, c.into(), d.into(), bits, key) };
                assert_eq!(status == 0, c > 0 && d > 0, "init {c} {d}: {status}");
                if status == 0 {
                    let key = self.memory.read()[at..][..variant.key_size()].to_vec();
                    self.held[i] = Some(Held { variant, key, message: Vec::new() });
                }
            }
            Call::Wipe { half } => {
                let i = usize::from(*half);
                // SAFETY: an object that is zero or initialised.
                unsafe { (Family::of(*half).wipe)(self.keys[i].place()) };
                self.held[i] = None;
            }
            Call::Hash { of, message } => {
                let message = range(*message);
                let held = self.held(of);
                let function = Family::of(of.half).width(of.double).hash[usize::from(of.fold)];
                let expected = held.map(|held| held.tag(&self.memory.read()[message.clone()], of.fold));
                self.single(of, expected, |h, memory, tag| {
                    let (start, len) = (memory.place(message.start), message.len());
                    // SAFETY: an object, a message inside the memory, and room for a tag there.
                    unsafe { function(h, start, len, tag) }
                });
            }
            Call::Stream { half } => {
                let i = usize::from(*half);
                let (stream, key) = (self.streams[i].place(), self.keys[i].place());
                // SAFETY: two objects.
                let status = unsafe { (Family::of(*half).stream)(stream, key) };
                assert_eq!(status == 0, self.held[i].is_some(), "stream: {status}");
                if status == 0 {
                    self.streaming[i] = self.held[i].clone();
                }
            }
            Call::Update { half, piece } => {
                let (i, piece) = (usize::from(*half), range(*piece));
                let (stream, start) = (self.streams[i].place(), self.memory.place(piece.start));
                // SAFETY: an object, and bytes inside the memory.
                let status = unsafe { (Family::of(*half).update)(stream, start, piece.len()) };
                assert_eq!(status == 0, self.streaming[i].is_some(), "update: {status}");
                if let Some(held) = &mut self.streaming[i] {
                    held.message.extend(&self.memory.read()[piece]);
                }
            }
            Call::Finish { of } => {
                let held = self.streaming[usize::from(of.half)].as_ref();
                let held = held.filter(|held| held.variant.double == of.double);
                let expected = held.map(|held| held.tag(&held.message, false));
                let function = Family::of(of.half).width(of.double).finish;
                let stream = self.streams[usize::from(of.half)].place();
                // SAFETY: an object, and room for a tag.
                self.single(of, expected, |_, _, tag| unsafe { function(stream, tag) });
            }
            Call::Integers { of, size, at, count } => {
                let (size, count) = ([4, 8, 16][usize::from(*size) % 3], usize::from(*count) % COUNT);
                let input = self.input(*at, size * count);
                let count = input.len() / size;
                let aligned = size == 16 || input.start.is_multiple_of(size);
                let bytes = self.memory.read();
                let messages = bytes[input.start..][..size * count].chunks(size);
                let function =
                    Family::of(of.half).width(of.double).integers[size.trailing_zeros() as usize - 2];
                let input = input.start..input.start + size * count;
                let messages = (count == 0 || aligned).then(|| messages.map(<[u8]>::to_vec).collect());
                self.batch(
                    &Asked { fold: false, ..of.clone() },
                    count,
                    std::slice::from_ref(&input),
                    messages,
                    |h, memory, tags| {
                        // SAFETY: an object, `count` integers inside the memory, and room for tags there.
                        unsafe { function(h, memory.place(input.start), count, tags) }
                    },
                );
            }
            Call::Rows { of, bytes, width, count } => {
                let (input, width, count) = (range(*bytes), usize::from(*width), usize::from(*count) % COUNT);
                let bytes = self.memory.read()[input.clone()].to_vec();
                let row = |i| bytes[i * width..][..width].to_vec();
                let messages = (width * count == bytes.len()).then(|| (0..count).map(row).collect());
                let function = Family::of(of.half).width(of.double).rows;
                self.batch(of, count, std::slice::from_ref(&input), messages, |h, memory, tags| {
                    let (start, len) = (memory.place(input.start), input.len());
                    // SAFETY: an object, bytes inside the memory, and room for tags there.
                    unsafe { function(h, start, len, width, of.fold.into(), count, tags) }
                });
            }
            Call::Offsets { of, wide, bytes, at, ends } => {
                let (input, size) = (range(*bytes), if *wide { 8 } else { 4 });
                let mut end = 0i64;
                let offset = |by: &u8| {
                    // Mostly ascending.
                    end += if *by == 255 { -9 } else { i64::from(*by % 50) };
                    end.to_le_bytes()[..size].to_vec()
                };
                let written: Vec<u8> = ends.iter().take(COUNT).flat_map(offset).collect();
                let fences = self.input(*at, written.len());
                let count = (fences.len() / size).saturating_sub(1);
                let fences = fences.start..fences.start + size * if count > 0 { count + 1 } else { 0 };
                self.memory.write(fences.start, &written[..fences.len()]);
                let memory = self.memory.read();
                let number = |bytes: &[u8]| match *wide {
                    true => i64::from_le_bytes(bytes.try_into().expect("8 bytes")),
                    false => i32::from_le_bytes(bytes.try_into().expect("4 bytes")).into(),
                };
                let offsets: Vec<i64> = memory[fences.clone()].chunks(size).map(number).collect();
                let piece = |pair: &[i64]| {
                    let range = usize::try_from(pair[0]).ok()?..usize::try_from(pair[1]).ok()?;
                    memory[input.clone()].get(range).map(<[u8]>::to_vec)
                };
                let messages: Option<Vec<Vec<u8>>> = offsets.windows(2).map(piece).collect();
                let messages = messages.filter(|_| count == 0 || fences.start % size == 0);
                let function = Family::of(of.half).width(of.double).offsets[usize::from(*wide)];
                self.batch(of, count, &[input.clone(), fences.clone()], messages, |h, memory, tags| {
                    let (start, len, offsets) =
                        (memory.place(input.start), input.len(), memory.place(fences.start));
                    // SAFETY: an object, bytes and offsets inside the memory, and room for tags there.
                    unsafe { function(h, start, len, offsets, of.fold.into(), count, tags) }
                });
            }
            Call::Many { of, messages } => {
                let inputs: Vec<Range<usize>> =
                    messages.iter().take(COUNT).map(|message| range(*message)).collect();
                let (list, memory) = (self.list(&inputs), self.memory.read());
                let texts = inputs.iter().map(|input| memory[input.clone()].to_vec()).collect();
                let function = Family::of(of.half).width(of.double).many;
                self.batch(of, inputs.len(), &inputs, Some(texts), |h, _, tags| {
                    let messages = list.as_ptr().cast_mut().cast();
                    // SAFETY: an object, messages inside the memory, and room for tags there.
                    unsafe { function(h, messages, of.fold.into(), list.len(), tags) }
                });
            }
            Call::Views { of, at, views, buffers } => {
                let written: Vec<u8> = views.iter().take(COUNT).flat_map(|view| view_of(*view)).collect();
                let place = self.input(*at, written.len());
                let count = place.len() / 16;
                let place = place.start..place.start + 16 * count;
                self.memory.write(place.start, &written[..place.len()]);
                let memory = self.memory.read();
                let ranges: Vec<Range<usize>> =
                    buffers.iter().take(COUNT).map(|buffer| range(*buffer)).collect();
                let contents: Vec<Box<[u8]>> =
                    ranges.iter().map(|range| memory[range.clone()].into()).collect();
                let views = memory[place.clone()].as_chunks().0.iter();
                let messages = views.map(|view| viewed(view, &contents)).collect();
                let list = self.list(&ranges);
                let inputs = [&ranges[..], std::slice::from_ref(&place)].concat();
                let function = Family::of(of.half).width(of.double).views;
                self.batch(of, count, &inputs, messages, |h, memory, tags| {
                    let (views, buffers) = (memory.place(place.start), list.as_ptr().cast_mut().cast());
                    // SAFETY: an object, views and buffers inside the memory, and room for tags there.
                    unsafe { function(h, views, buffers, list.len(), of.fold.into(), count, tags) }
                });
            }
            Call::MacInit { key } => {
                let mut bytes = key.bytes();
                // SAFETY: an object, and 32 bytes.
                let status = unsafe { keylane_poly1305_init(self.mac.place(), bytes.as_mut_ptr().cast()) };
                assert_eq!(status, 0, "init");
                self.in_mac = Some((key.clone(), Vec::new()));
            }
            Call::MacUpdate { piece } => {
                let piece = range(*piece);
                let (object, start) = (self.mac.place(), self.memory.place(piece.start));
                // SAFETY: an object, and bytes inside the memory.
                let status = unsafe { keylane_poly1305_update(object, start, piece.len()) };
                assert_eq!(status == 0, self.in_mac.is_some(), "update: {status}");
                if let Some((_, message)) = &mut self.in_mac {
                    message.extend(&self.memory.read()[piece]);
                }
            }
            Call::MacFinish { to } => {
                let to = usize::from(*to) % (MEMORY - 16);
                let expected =
                    self.in_mac.take().map(|(key, message)| keylane_ref::poly1305(&key.bytes(), &message));
                let mut memory = self.memory.read();
                // SAFETY: an object, and room for a tag inside the memory.
                let status = unsafe { keylane_poly1305_finish(self.mac.place(), self.memory.place(to)) };
                assert_eq!(status == 0, expected.is_some(), "finish: {status}");
                if let Some(tag) = expected {
                    memory[to..][..16].copy_from_slice(&tag);
                }
                assert!(self.memory.read() == memory, "finish");
            }
            Call::Macs { keys, messages, to } => {
                let keys = self.input(*keys, 32 * messages.len().min(COUNT));
                let to = self.input(*to, 16 * (keys.len() / 32));
                let count = to.len() / 16;
                let (keys, to) = (keys.start..keys.start + 32 * count, to.start..to.start + 16 * count);
                let inputs: Vec<Range<usize>> =
                    messages.iter().take(count).map(|message| range(*message)).collect();
                let right = inputs.iter().chain([&keys]).all(|input| are_disjoint(input, &to));
                let (list, mut memory) = (self.list(&inputs), self.memory.read());
                let (start, tags) = (self.memory.place(keys.start), self.memory.place(to.start));
                let messages = list.as_ptr().cast_mut().cast();
                // SAFETY: keys and messages inside the memory, and room for tags there.
                let status = unsafe { keylane_poly1305_macs(start, messages, count, tags) };
                assert_eq!(status == 0, right, "macs: {status}");
                if right {
                    let keys = memory[keys].as_chunks().0.iter();
                    let tag = |(key, input): (&[u8; 32], &Range<usize>)| {
                        keylane_ref::poly1305(key, &memory[input.clone()])
                    };
                    let tags: Vec<u8> = keys.zip(&inputs).flat_map(tag).collect();
                    memory[to].copy_from_slice(&tags);
                }
                assert!(self.memory.read() == memory, "macs of {count}: {status}");
            }
        }
    }

    /// A range of `len` bytes, or as many as there are.
    fn input(&self, at: u16, len: usize) -> Range<usize> {
        let at = usize::from(at) % MEMORY;
        at..at + len.min(MEMORY - at)
    }

    /// The expected contents of the key object for such a tag.
    fn held(&self, of: &Asked) -> Option<&Held> {
        self.held[usize::from(of.half)].as_ref().filter(|held| held.variant.double == of.double)
    }

    fn list(&self, inputs: &[Range<usize>]) -> Vec<Message> {
        inputs
            .iter()
            .map(|input| Message { bytes: self.memory.place(input.start), length: input.len() })
            .collect()
    }

    /// A call that writes one tag, at any address, or nothing.
    fn single(
        &self,
        of: &Asked,
        expected: Option<Vec<u8>>,
        call: impl FnOnce(Place, &Memory, Place) -> c_int,
    ) {
        let to = usize::from(of.to) % (MEMORY - 16);
        let mut memory = self.memory.read();
        let status = call(self.keys[usize::from(of.half)].place(), &self.memory, self.memory.place(to));
        assert_eq!(status == 0, expected.is_some(), "{of:?}: {status}");
        if let Some(tag) = expected {
            memory[to..][..tag.len()].copy_from_slice(&tag);
        }
        assert!(self.memory.read() == memory, "{of:?}: {status}");
    }

    /// A call that writes a tag for each message. It writes nothing if the messages are invalid, if the tags overlap
    /// the input or are misaligned, or if the key is for other tags.
    fn batch(
        &self,
        of: &Asked,
        count: usize,
        inputs: &[Range<usize>],
        messages: Option<Vec<Vec<u8>>>,
        call: impl FnOnce(Place, &Memory, Place) -> c_int,
    ) {
        let size = Variant { half: of.half, c: 1, d: 1, double: of.double }.tag_size();
        let to = self.input(of.to, size * count);
        if to.len() < size * count {
            return;
        }
        let placed = count == 0
            || to.start.is_multiple_of(size) && inputs.iter().all(|input| are_disjoint(input, &to));
        let messages = messages.filter(|_| placed);
        let held = self.held(of);
        let mut memory = self.memory.read();
        let status = call(self.keys[usize::from(of.half)].place(), &self.memory, self.memory.place(to.start));
        assert_eq!(status == 0, held.is_some() && messages.is_some(), "{of:?}, {count}: {status}");
        if let (Some(held), Some(messages)) = (held, messages) {
            let tags: Vec<u8> = messages.iter().flat_map(|message| held.tag(message, of.fold)).collect();
            memory[to].copy_from_slice(&tags);
        }
        assert!(self.memory.read() == memory, "{of:?}, {count}: {status}");
    }
}
