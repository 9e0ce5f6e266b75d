//! Every engine gives the specification's answers in every form in which it is timed.

use keylane_bench::data::{Arrow, Bytes};
use keylane_bench::engine::{Engine, Rounds, Side, Slot, absent, keylane, peers, specification};
use keylane_bench::work::{batch, one};

/// Every engine. Making the list has checked single messages of every length.
fn engines(rounds: Rounds, slot: Slot) -> Vec<Engine> {
    let mut engines = keylane(rounds, slot).unwrap();
    engines.extend(peers(rounds).unwrap());
    engines
}

#[test]
fn one_by_one() {
    let bytes = Bytes::new(one::MESSAGES * one::STRIDE + 1000, 1);
    let arrow = Arrow::uniform(100, 1..=199, 1);
    let mut inputs = vec![
        one::Input::Integers { calls: 100 },
        one::Input::DependentIntegers { calls: 100 },
        one::Input::Rows { bytes: arrow.bytes(5), offsets: arrow.offsets() },
        one::Input::Chain { bytes: bytes.at(3), lengths: 4..=20, calls: 100 },
    ];
    for len in [0, 7, 300, 1000] {
        let messages = Box::new(std::array::from_fn(|i| &bytes.at(1)[i * one::STRIDE..][..len]));
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
                let right = specification(rounds, engine.key).one(input);
                assert_eq!(engine.work.one(input), right, "{} {rounds}, input {i}", engine.name);
            }
        }
    }
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
    let inputs = [
        batch::Input::U32s(&halves),
        batch::Input::U64s(&words),
        batch::Input::U128s(&wide),
        batch::Input::Rows16(bytes.as_chunks().0),
        batch::Input::Offsets { bytes: arrow.bytes(7), offsets: arrow.offsets() },
    ];
    for rounds in Rounds::ALL {
        for engine in engines(rounds, Slot::Many) {
            engine.ready();
            for (i, input) in inputs.iter().enumerate() {
                let mut right = vec![0; input.rows()];
                specification(rounds, engine.key).batch(input, 1, &mut right);
                for size in [1, 2, 3, 7, 64, 1000] {
                    let mut tags = vec![0; input.rows()];
                    engine.work.batch(input, size, &mut tags);
                    assert_eq!(tags, right, "{} {rounds}, input {i}, size {size}", engine.name);
                }
            }
        }
    }
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
        assert_eq!((again.side, again.kernel()), (Side::Ours, first.kernel()));
    }
}
