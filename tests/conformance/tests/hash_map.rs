//! The hashers for maps: portable hashes follow their documented table, and std's hashes are matched bit for
//! bit.
//!
//! With `--cfg keylane_nightly` on a nightly compiler, core's own `SipHasher13` is matched too, under any
//! key.

#![cfg_attr(keylane_nightly, feature(hashmap_internals))]

use keylane::hash_map::{BuildSipHash13, BuildSipHash24, RandomState, StdCompat};
use keylane::siphash::Key;
use keylane_ref as spec;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};

const KEY: [u8; 16] = *b"0123456789abcdef";

/// The portable hash of a value is SipHash of these bytes, with 1-3 and with 2-4.
fn portable(value: impl Hash + Copy, bytes: &[u8]) {
    let key = Key::from_bytes(KEY);
    assert_eq!(BuildSipHash13::new(&key).hash_one(value), spec::siphash64(1, 3, &KEY, bytes), "{bytes:x?}");
    assert_eq!(BuildSipHash24::new(&key).hash_one(value), spec::siphash64(2, 4, &KEY, bytes), "{bytes:x?}");
}

/// The first table of `hash_map`'s documentation.
#[test]
fn portable_types() {
    portable(0x12u8, &[0x12]);
    portable(0x1234u16, &[0x34, 0x12]);
    portable(0x12345678u32, &[0x78, 0x56, 0x34, 0x12]);
    portable(0x123456789abcdef0u64, &0x123456789abcdef0u64.to_le_bytes());
    portable(0x123456789abcdef0_0fedcba987654321u128, &0x123456789abcdef0_0fedcba987654321u128.to_le_bytes());
    portable(-2i8, &[0xfe]);
    portable(-2i16, &[0xfe, 0xff]);
    portable(-2i32, &(-2i32).to_le_bytes());
    portable(-2i64, &(-2i64).to_le_bytes());
    portable(-2i128, &(-2i128).to_le_bytes());
    portable(7usize, &7u64.to_le_bytes());
    portable(-2isize, &(-2i64).to_le_bytes());
    portable(true, &[1]);
    portable('\u{1f511}', &0x1f511u32.to_le_bytes());
    portable("message", b"message\xff");
    portable("", b"\xff");
    portable(&b"bytes"[..], b"\x05\0\0\0\0\0\0\0bytes");
    portable(*b"bytes", b"\x05\0\0\0\0\0\0\0bytes");
    portable((1u8, 2u16, "x"), b"\x01\x02\0x\xff");
    portable(Some(3u32), b"\x01\0\0\0\0\0\0\0\x03\0\0\0");
    portable(None::<u32>, &[0; 8]);
    portable([(1u8, "a"), (2, "b")], b"\x02\0\0\0\0\0\0\0\x01a\xff\x02b\xff");
}

/// The second table: values that std passes as native memory, after a portable length.
#[test]
fn exceptions() {
    let native = |bytes: &[&[u8]]| [&2u64.to_le_bytes()[..], &bytes.concat()].concat();
    portable([1u16, 2], &native(&[&1u16.to_ne_bytes(), &2u16.to_ne_bytes()]));
    portable([1u32, 2], &native(&[&1u32.to_ne_bytes(), &2u32.to_ne_bytes()]));
    portable([1u64, 2], &native(&[&1u64.to_ne_bytes(), &2u64.to_ne_bytes()]));
    portable([1i128, 2], &native(&[&1i128.to_ne_bytes(), &2i128.to_ne_bytes()]));
    portable([1usize, 2], &native(&[&1usize.to_ne_bytes(), &2usize.to_ne_bytes()]));
    let place = &KEY as *const [u8; 16] as *const u8;
    portable(place, &(place as usize as u64).to_le_bytes());
    #[cfg(unix)]
    portable(OsStr::new("name"), b"\x04\0\0\0\0\0\0\0name");
    let both: &[u8] = &native(&[&[1, 0], &[2, 0]]);
    let key = Key::from_bytes(KEY);
    let differs = BuildSipHash13::new(&key).hash_one([1u16, 2]) != spec::siphash64(1, 3, &KEY, both);
    assert_eq!(differs, cfg!(target_endian = "big"), "the exception is one on big-endian machines only");
}

/// One call of a `Hasher`.
#[derive(Clone, Debug)]
enum Write {
    Bytes(Vec<u8>),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    Usize(usize),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    Isize(isize),
    Str(String),
}

impl Hash for Write {
    fn hash<H: Hasher>(&self, h: &mut H) {
        match self {
            Write::Bytes(bytes) => h.write(bytes),
            Write::U8(x) => h.write_u8(*x),
            Write::U16(x) => h.write_u16(*x),
            Write::U32(x) => h.write_u32(*x),
            Write::U64(x) => h.write_u64(*x),
            Write::U128(x) => h.write_u128(*x),
            Write::Usize(x) => h.write_usize(*x),
            Write::I8(x) => h.write_i8(*x),
            Write::I16(x) => h.write_i16(*x),
            Write::I32(x) => h.write_i32(*x),
            Write::I64(x) => h.write_i64(*x),
            Write::I128(x) => h.write_i128(*x),
            Write::Isize(x) => h.write_isize(*x),
            Write::Str(text) => text.hash(h),
        }
    }
}

impl Write {
    /// The bytes that a portable hasher must take.
    fn portable(&self) -> Vec<u8> {
        match self {
            Write::Bytes(bytes) => bytes.clone(),
            Write::U8(x) => x.to_le_bytes().into(),
            Write::U16(x) => x.to_le_bytes().into(),
            Write::U32(x) => x.to_le_bytes().into(),
            Write::U64(x) => x.to_le_bytes().into(),
            Write::U128(x) => x.to_le_bytes().into(),
            Write::Usize(x) => (*x as u64).to_le_bytes().into(),
            Write::I8(x) => x.to_le_bytes().into(),
            Write::I16(x) => x.to_le_bytes().into(),
            Write::I32(x) => x.to_le_bytes().into(),
            Write::I64(x) => x.to_le_bytes().into(),
            Write::I128(x) => x.to_le_bytes().into(),
            Write::Isize(x) => (*x as i64).to_le_bytes().into(),
            Write::Str(text) => [text.as_bytes(), b"\xff"].concat(),
        }
    }
}

/// Any call. Bytes are long enough for several words, and sometimes for hundreds.
fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        vec(any::<u8>(), 0..40).prop_map(Write::Bytes),
        vec(any::<u8>(), 250..300).prop_map(Write::Bytes),
        any::<u8>().prop_map(Write::U8),
        any::<u16>().prop_map(Write::U16),
        any::<u32>().prop_map(Write::U32),
        any::<u64>().prop_map(Write::U64),
        any::<u128>().prop_map(Write::U128),
        any::<usize>().prop_map(Write::Usize),
        any::<i8>().prop_map(Write::I8),
        any::<i16>().prop_map(Write::I16),
        any::<i32>().prop_map(Write::I32),
        any::<i64>().prop_map(Write::I64),
        any::<i128>().prop_map(Write::I128),
        any::<isize>().prop_map(Write::Isize),
        "[a-z]{0,20}".prop_map(Write::Str),
    ]
}

/// `finish` after each of the writes.
fn every_finish(mut h: impl Hasher, writes: &[Write]) -> Vec<u64> {
    let each = |write: &Write| {
        write.hash(&mut h);
        h.finish()
    };
    writes.iter().map(each).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn portable_is_siphash_of_the_bytes(key: [u8; 16], writes in vec(write(), 0..12)) {
        let bytes: Vec<u8> = writes.iter().flat_map(Write::portable).collect();
        let key_ = Key::from_bytes(key);
        let last = |tags: Vec<u64>, empty: u64| tags.last().copied().unwrap_or(empty);
        let ours13 = BuildSipHash13::new(&key_).build_hasher();
        let ours24 = BuildSipHash24::new(&key_).build_hasher();
        let (empty13, empty24) = (ours13.finish(), ours24.finish());
        prop_assert_eq!(last(every_finish(ours13, &writes), empty13), spec::siphash64(1, 3, &key, &bytes));
        prop_assert_eq!(last(every_finish(ours24, &writes), empty24), spec::siphash64(2, 4, &key, &bytes));
    }

    #[test]
    fn default_hasher(writes in vec(write(), 0..12)) {
        let ours = <StdCompat>::new(&Key::from_bytes([0; 16])).build_hasher();
        prop_assert_eq!(every_finish(ours, &writes), every_finish(DefaultHasher::new(), &writes));
    }

    #[test]
    #[allow(deprecated)]
    fn deprecated_sip_hasher(k0: u64, k1: u64, writes in vec(write(), 0..12)) {
        let key = Key::from_bytes((u128::from(k0) | u128::from(k1) << 64).to_le_bytes());
        let ours = StdCompat::<2, 4>::new(&key).build_hasher();
        prop_assert_eq!(every_finish(ours, &writes), every_finish(std::hash::SipHasher::new_with_keys(k0, k1), &writes));
    }

    #[cfg(keylane_nightly)]
    #[test]
    #[allow(deprecated)]
    fn core_sip_hasher_13(k0: u64, k1: u64, writes in vec(write(), 0..12)) {
        let key = Key::from_bytes((u128::from(k0) | u128::from(k1) << 64).to_le_bytes());
        let ours = <StdCompat>::new(&key).build_hasher();
        prop_assert_eq!(every_finish(ours, &writes), every_finish(core::hash::SipHasher13::new_with_keys(k0, k1), &writes));
    }
}

/// A map behaves like any map, and two maps have two keys.
#[test]
fn random_state() {
    let mut map: HashMap<String, usize, RandomState> = HashMap::default();
    let mut model = BTreeMap::new();
    for i in 0..10_000 {
        let key = format!("{:x}", i * 7919 % 5000);
        assert_eq!(map.insert(key.clone(), i), model.insert(key, i));
    }
    assert_eq!(map.into_iter().collect::<BTreeMap<_, _>>(), model);

    let (one, two) = (RandomState::new(), RandomState::new());
    assert_eq!(one.hash_one("same"), one.clone().hash_one("same"));
    assert_ne!(one.hash_one("same"), two.hash_one("same"));
    let elsewhere = std::thread::spawn(|| RandomState::new().hash_one("same")).join().unwrap();
    assert_ne!(one.hash_one("same"), elsewhere);
}
