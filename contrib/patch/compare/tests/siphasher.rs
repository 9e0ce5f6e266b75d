//! Every hasher takes the same random writes as the one that it replaces.

use compare::Random;
use std::hash::Hasher;

/// One random write into both hashers.
fn write(random: &mut Random, ours: &mut impl Hasher, theirs: &mut impl Hasher) {
    let x = u128::from(random.number()) | u128::from(random.number()) << 64;
    macro_rules! both {
        ($name:ident, $x:expr) => {{
            ours.$name($x);
            theirs.$name($x);
        }};
    }
    match random.below(15) {
        0 => both!(write_u8, x as u8),
        1 => both!(write_u16, x as u16),
        2 => both!(write_u32, x as u32),
        3 => both!(write_u64, x as u64),
        4 => both!(write_u128, x),
        5 => both!(write_usize, x as usize),
        6 => both!(write_i8, x as i8),
        7 => both!(write_i16, x as i16),
        8 => both!(write_i32, x as i32),
        9 => both!(write_i64, x as i64),
        10 => both!(write_i128, x as i128),
        11 => both!(write_isize, x as isize),
        _ => {
            let bytes = random.message();
            both!(write, &bytes);
        }
    }
}

macro_rules! hasher {
    ($test:ident, $module:ident::$name:ident) => {
        #[test]
        fn $test() {
            let mut random = Random(1);
            for round in 0..3000 {
                let key: [u8; 16] = random.bytes(16).try_into().unwrap();
                let (mut ours, mut theirs) = match round {
                    0 => (siphasher::$module::$name::default(), their_siphasher::$module::$name::default()),
                    1 => (siphasher::$module::$name::new(), their_siphasher::$module::$name::new()),
                    _ => (
                        siphasher::$module::$name::new_with_key(&key),
                        their_siphasher::$module::$name::new_with_key(&key),
                    ),
                };
                assert_eq!(ours.key(), theirs.key());
                assert_eq!(ours.keys(), theirs.keys());
                let (k0, k1) = theirs.keys();
                assert_eq!(siphasher::$module::$name::new_with_keys(k0, k1).keys(), (k0, k1));
                for _ in 0..random.below(12) {
                    write(&mut random, &mut ours, &mut theirs);
                    assert_eq!(ours.finish(), theirs.finish());
                }
                let message = random.message();
                let before = ours.finish();
                assert_eq!(u128::from(ours.hash(&message)), u128::from(theirs.hash(&message)));
                assert_eq!(ours.finish(), before);

                // Each reads what the other has stored.
                let stored = serde_json::to_string(&ours).unwrap();
                assert_eq!(stored, serde_json::to_string(&theirs).unwrap());
                let mut ours: siphasher::$module::$name = serde_json::from_str(&stored).unwrap();
                let mut theirs: their_siphasher::$module::$name = serde_json::from_str(&stored).unwrap();
                write(&mut random, &mut ours, &mut theirs);
                assert_eq!(ours.finish(), theirs.finish());
            }
        }
    };
}
hasher!(sip_13, sip::SipHasher13);
hasher!(sip_24, sip::SipHasher24);
hasher!(sip, sip::SipHasher);
hasher!(sip128_13, sip128::SipHasher13);
hasher!(sip128_24, sip128::SipHasher24);
hasher!(sip128, sip128::SipHasher);

#[test]
fn tags_of_128_bits() {
    use siphasher::sip128::{Hash128, Hasher128};
    use their_siphasher::sip128::{Hash128 as TheirHash128, Hasher128 as _};

    let mut ours = siphasher::sip128::SipHasher::new_with_keys(1, 2);
    let mut theirs = their_siphasher::sip128::SipHasher::new_with_keys(1, 2);
    ours.write(b"message");
    theirs.write(b"message");
    let (tag, their_tag): (Hash128, TheirHash128) = (ours.finish128(), theirs.finish128());
    assert_eq!((tag.h1, tag.h2), (their_tag.h1, their_tag.h2));
    assert_eq!(tag.as_bytes(), their_tag.as_bytes());
    assert_eq!((tag.as_u128(), tag.as_u64()), (their_tag.as_u128(), their_tag.as_u64()));
    assert_eq!(Hash128::from(u128::from(tag)), tag);
    assert_ne!(Hash128::default(), tag);
    assert_ne!(Hash128 { h1: tag.h1, h2: tag.h2 ^ 1 }, tag);
    assert_eq!(serde_json::to_string(&tag).unwrap(), serde_json::to_string(&their_tag).unwrap());
    assert_eq!(format!("{tag:?}"), format!("{their_tag:?}"));
}

#[test]
fn debug_shows_no_key() {
    let hasher = siphasher::sip::SipHasher13::new_with_keys(0x1234_5678, 0x8765_4321);
    assert_eq!(format!("{hasher:?}"), "SipHasher13(..)");
}

#[test]
fn impossible_states_are_refused() {
    let mut hasher = siphasher::sip::SipHasher24::new();
    hasher.write(b"abc");
    let stored = serde_json::to_string(&hasher).unwrap();
    for (was, becomes) in
        [("\"ntail\":3", "\"ntail\":8"), ("\"ntail\":3", "\"ntail\":2"), ("\"ntail\":3", "\"ntail\":99")]
    {
        let changed = stored.replace(was, becomes);
        assert_ne!(changed, stored);
        assert!(serde_json::from_str::<siphasher::sip::SipHasher24>(&changed).is_err());
    }
}
