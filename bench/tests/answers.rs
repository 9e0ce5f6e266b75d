//! Every engine gives the specification's answers in every timed form.

use keylane::kernels::list;
use keylane_bench::engine::{
    self, Engine, Form, Rounds, Side, Slot, absent, double, double_peers, double_specification, half,
    half_peers, half_specification, keylane, missing, peers, specification,
};
use keylane_bench::work::{U64Work, aead, batch, one, poly1305};
use keylane_measure::data::{Arrow, Bytes, Random, Views};
use std::collections::HashSet;

/// Every engine. Making the list checks single messages of every length.
fn engines(rounds: Rounds, slot: Slot) -> Vec<Engine> {
    let mut engines = keylane(rounds, slot).unwrap();
    engines.extend(peers(rounds).unwrap());
    engines
}

#[test]
fn one_by_one() {
    let bytes = Bytes::new(one::PLACES + 1000, 1);
    let arrow = Arrow::uniform(100, 1..=199, 1);
    let mut inputs = vec![
        one::Input::Integers { calls: 100 },
        one::Input::DependentIntegers { calls: 100 },
        one::Input::Rows { bytes: arrow.bytes(5), offsets: arrow.offsets() },
        one::Input::Chain { bytes: bytes.at(3), lengths: 4..=20, calls: 100 },
    ];
    for len in [0, 7, 300, 1000] {
        let messages = (0..10).map(|i| &bytes.at(1)[i * one::STRIDE..][..len]).collect();
        inputs.push(one::Input::Slices { messages, passes: 2 });
        inputs.push(one::Input::Dependent { message: &bytes.at(2)[..len], calls: 10 });
    }
    for &len in one::ARRAYS {
        inputs.push(one::Input::Array { bytes: bytes.at(4), len, passes: 2 });
    }
    for rounds in Rounds::ALL {
        for engine in engines(rounds, Slot::One) {
            engine.ready();
            for (i, input) in inputs.iter().enumerate() {
                if engine.form == Form::Folded && is_integers(input) {
                    continue;
                }
                let right = specification(rounds, engine.key, engine.form).one(input);
                assert_eq!(engine.work.one(input), right, "{} {rounds}, input {i}", engine.name);
            }
        }
    }
}

/// Whether messages are integers, whose case cannot be folded.
fn is_integers(input: &one::Input<'_>) -> bool {
    matches!(
        input,
        one::Input::Array { .. } | one::Input::Integers { .. } | one::Input::DependentIntegers { .. }
    )
}

/// Lengths must be unpredictable: chains of 1, 2, 3, ... calls end in tags that are all different.
#[test]
fn a_chain_does_not_run_in_a_circle() {
    let bytes = Bytes::new(one::PLACES + 20, 1);
    let tag = |calls| {
        let input = one::Input::Chain { bytes: bytes.at(0), lengths: 4..=20, calls };
        peers(Rounds::R24).unwrap()[0].work.one(&input)
    };
    let tags: HashSet<u64> = (1..200).map(tag).collect();
    assert_eq!(tags.len(), 199);
}

#[test]
fn batches() {
    let bytes = Bytes::new(16 * 100, 2);
    let bytes = bytes.at(9);
    let (words, wide) = (bytes.as_chunks().0, bytes.as_chunks().0);
    let halves: Vec<u32> = words.iter().map(|&word| u64::from_le_bytes(word) as u32).collect();
    let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
    let wide: Vec<u128> = wide.iter().map(|&word| u128::from_le_bytes(word)).collect();
    let arrow = Arrow::uniform(100, 0..=300, 2);
    let slice = |pair: &[i32]| &arrow.bytes(7)[pair[0] as usize..pair[1] as usize];
    let slices: Vec<&[u8]> = arrow.offsets().windows(2).map(slice).collect();
    let (mixed, inline) = (Views::uniform(100, 0..=200, 2), Views::uniform(100, 0..=12, 3));
    let (views, buffer) = (mixed.views(16), mixed.buffer(7));
    // The integers first: their case cannot be folded.
    const INTEGERS: usize = 3;
    let inputs = [
        batch::Input::U32s(&halves),
        batch::Input::U64s(&words),
        batch::Input::U128s(&wide),
        batch::Input::Rows16(bytes.as_chunks().0),
        batch::Input::Offsets { bytes: arrow.bytes(7), offsets: arrow.offsets() },
        batch::Input::Slices(&slices),
        batch::Input::Views { views, buffer },
        batch::Input::SlicesOfViews { views, buffer },
        batch::Input::Views { views: inline.views(0), buffer: &[] },
    ];
    for rounds in Rounds::ALL {
        for engine in engines(rounds, Slot::Many) {
            engine.ready();
            for (i, input) in inputs.iter().enumerate() {
                if engine.form == Form::Folded && i < INTEGERS {
                    continue;
                }
                let mut right = vec![0; input.rows()];
                specification(rounds, engine.key, engine.form).batch(input, 1, &mut right);
                for size in [1, 2, 3, 7, 64, 1000] {
                    let mut tags = vec![0; input.rows()];
                    engine.work.batch(input, size, &mut tags);
                    assert_eq!(tags, right, "{} {rounds}, input {i}, size {size}", engine.name);
                }
            }
        }
    }
}

/// Asserts that the engines give the specification's tags of integers.
fn give<T: Copy + Default + PartialEq + std::fmt::Debug>(
    engines: Vec<Engine<dyn U64Work<T>>>,
    specification: Box<dyn U64Work<T>>,
) {
    let bytes = Bytes::new(8 * 100, 3);
    let integers: Vec<u64> = bytes.at(0).as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
    let mut right = vec![T::default(); integers.len()];
    specification.batch(&integers, integers.len(), &mut right);
    assert_eq!(engines.iter().filter(|engine| engine.side == Side::Ours).count(), 1);
    for engine in engines {
        engine.ready();
        for size in [1, 2, 3, 7, 64, 1000] {
            let mut tags = vec![T::default(); integers.len()];
            engine.work.batch(&integers, size, &mut tags);
            assert_eq!(tags, right, "{}, size {size}", engine.name);
        }
    }
}

#[test]
fn tags_of_other_widths() {
    for rounds in Rounds::ALL {
        let mut engines = double(rounds).unwrap();
        engines.extend(double_peers(rounds));
        let key = engines[0].key;
        give(engines, double_specification(rounds, key));
        let mut engines = half(rounds).unwrap();
        engines.extend(half_peers(rounds));
        give(engines, half_specification(rounds, key));
    }
}

/// The engines of Poly1305 give the specification's tags, one message after the other.
#[test]
fn poly1305_one_by_one() {
    let bytes = Bytes::new(64 * one::STRIDE + 5000, 6);
    let keys: [[u8; 32]; poly1305::KEYS] = std::array::from_fn(|i| [i as u8 ^ 0x5a; 32]);
    let mut engines = engine::poly1305::one().unwrap();
    engines.extend(engine::poly1305::lab().unwrap());
    engines.extend(engine::poly1305::table().unwrap());
    engines.extend(engine::poly1305::peers(false).unwrap());
    let specification = engine::poly1305::specification();
    for len in [0, 1, 16, 255, 256, 5000] {
        let messages = (0..70).map(|i| &bytes.at(1)[i % 64 * one::STRIDE..][..len]).collect();
        let independent = poly1305::One::Independent { keys: &keys, messages, passes: 2 };
        let dependent = poly1305::One::Dependent { keys: &keys, message: &bytes.at(2)[..len], calls: 70 };
        for input in [independent, dependent] {
            let right = specification.one(&input);
            for engine in &engines {
                engine.ready();
                assert_eq!(engine.work.one(&input), right, "{}, {len} bytes", engine.name);
            }
        }
    }
}

/// The same, with many messages in a call.
#[test]
fn poly1305_batches() {
    let arrow = Arrow::uniform(3 * poly1305::BATCH + 5, 0..=700, 7);
    let slice = |pair: &[i32]| &arrow.bytes(3)[pair[0] as usize..pair[1] as usize];
    let messages: Vec<&[u8]> = arrow.offsets().windows(2).map(slice).collect();
    let keys: Vec<[u8; 32]> = (0..messages.len()).map(|i| [i as u8 ^ 0xa5; 32]).collect();
    let input = poly1305::Many { keys: &keys, messages: &messages };
    let right = engine::poly1305::specification().macs(input);
    let mut engines = engine::poly1305::many().unwrap();
    engines.extend(engine::poly1305::peers(true).unwrap());
    for engine in engines {
        engine.ready();
        assert!(engine.work.macs(input) == right, "{}", engine.name);
    }
}

/// What one engine of ChaCha20-Poly1305 has sealed, another opens: random lengths, also of the AAD, and every size of a
/// call that has its own code. (Making the lists compares each engine with the specification.)
#[test]
fn round_trips_of_chacha20_poly1305() {
    let mut engines = engine::aead::one().unwrap();
    engines.extend(engine::aead::many().unwrap());
    engines.extend(engine::aead::peers().unwrap());
    let mut random = Random::new(12);
    for (round, size) in [1, 3, 8, 16, 64].into_iter().cycle().take(20).enumerate() {
        let nonces: Vec<[u8; 12]> = random.bytes(12 * 130).as_chunks().0.to_vec();
        let aad_len = random.within(0..=100);
        let aad = random.bytes(aad_len);
        let lens: Vec<usize> = nonces.iter().map(|_| random.within(0..=700 * (round % 3) + 300)).collect();
        let texts: Vec<Vec<u8>> = lens.iter().map(|&len| random.bytes(len)).collect();
        let seal = |engine: &engine::aead::Engine| {
            engine.ready();
            let (mut data, mut tags) = (texts.clone(), vec![[0; 16]; texts.len()]);
            let mut slices: Vec<&mut [u8]> = data.iter_mut().map(Vec::as_mut_slice).collect();
            let packets = aead::Packets { nonces: &nonces, aad: &aad, data: &mut slices, tags: &mut tags };
            engine.work.seal(packets, size, 1);
            (data, tags)
        };
        let open = |engine: &engine::aead::Engine, mut data: Vec<Vec<u8>>, mut tags: Vec<[u8; 16]>| {
            engine.ready();
            let mut slices: Vec<&mut [u8]> = data.iter_mut().map(Vec::as_mut_slice).collect();
            let packets = aead::Packets { nonces: &nonces, aad: &aad, data: &mut slices, tags: &mut tags };
            (engine.work.open(packets, &mut [], size, 1), data)
        };
        for (sealer, opener) in engines.iter().zip(engines.iter().cycle().skip(1 + round)) {
            let (data, tags) = seal(sealer);
            let (sealed_by, opened_by) = (&sealer.name, &opener.name);
            let (is_good, opened) = open(opener, data.clone(), tags.clone());
            assert!(is_good && opened == texts, "{sealed_by}, then {opened_by}, {size} in a call");
            // One forged packet among them.
            let mut forged = tags;
            forged[round][5] ^= 4;
            assert!(!open(opener, data, forged).0, "{opened_by} opens a forged packet, {size} in a call");
        }
    }
}

#[test]
fn every_engine_of_chacha20_poly1305_is_listed_or_absent() {
    let known = ["ipsec-mb", "OpenSSL newest", "libsodium", "AWS-LC", "ring", "RustCrypto", "graviola"];
    let listed = engine::aead::peers().unwrap();
    for name in known {
        let listed = listed.iter().any(|engine| engine.name == name);
        let absent = absent().iter().any(|absent| absent.name == name);
        let elsewhere = ["ipsec-mb", "graviola"].contains(&name) && cfg!(not(target_arch = "x86_64"));
        assert!(listed != absent || elsewhere, "{name}");
    }
}

#[test]
fn every_engine_of_poly1305_is_listed_or_absent() {
    let known = [
        "ipsec-mb",
        "OpenSSL EVP_MAC",
        "OpenSSL newest",
        "libsodium",
        "AWS-LC",
        "RustCrypto",
        "RustCrypto native",
    ];
    let listed = engine::poly1305::peers(false).unwrap();
    for name in known {
        let listed = listed.iter().any(|engine| engine.name.starts_with(name));
        let absent = absent().iter().any(|absent| absent.name == name);
        assert!(listed || absent || (name == "ipsec-mb" && cfg!(not(target_arch = "x86_64"))), "{name}");
        assert!(!(listed && absent), "{name}");
    }
}

#[test]
fn every_kernel_of_the_slot_is_listed_or_missing() {
    let kernels = list().filter(|kernel| kernel.slot() == "siphash-xn").count();
    let listed = keylane(Rounds::R13, Slot::Many).unwrap();
    let forced = listed.iter().filter(|engine| engine.side == Side::OurKernel).count();
    assert_eq!(forced + missing("siphash-xn").len(), kernels);
}

#[test]
fn every_engine_is_listed_or_absent() {
    let known = ["siphasher", "std", "C gcc", "C clang", "libsodium", "highwayhash"];
    let listed = engines(Rounds::R24, Slot::Many);
    for name in known {
        let listed = listed.iter().any(|engine| engine.name.starts_with(name));
        let absent = absent().iter().any(|absent| absent.name == name);
        assert!(listed != absent, "{name}");
    }
    assert_eq!(listed.iter().filter(|engine| engine.side == Side::Ours).count(), 1);
}

#[test]
fn keylane_stays_its_own_choice_when_kernels_are_forced() {
    let ours = |rounds| keylane(rounds, Slot::Many).unwrap().swap_remove(0);
    let first = ours(Rounds::R13);
    for engine in keylane(Rounds::R13, Slot::Many).unwrap() {
        engine.ready();
        let again = ours(Rounds::R24);
        assert_eq!((again.side, again.kernels()), (Side::Ours, first.kernels()));
    }
}
