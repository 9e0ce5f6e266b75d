//! What an object leaves in memory after it is dropped.
//!
//! Each object is moved into a separate allocation and dropped there. Then the operating system is asked for
//! the contents, through /proc/self/mem. Reading them as Rust memory would be undefined behaviour: an object
//! has padding, and a dropped one is no longer an object.
//!
//! Only for 64-bit addresses: user-mode emulators keep the memory of 32-bit programs elsewhere, where this
//! file does not find it.
//!
//! This proves that `drop` overwrites the object. It does not prove that there is no other copy: moves leave
//! copies on the stack, and registers are spilled (SECURITY.md).

#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![allow(unsafe_code)]

use keylane::aead::{
    self, AeadError, ChaCha20Poly1305, Cipher, Numbering, Packet, Receiver, Sender, XChaCha20Poly1305,
};
use keylane::dispatch::table;
use keylane::halfsiphash::{self, HalfSipHash24};
use keylane::job::limits::Method;
use keylane::job::poly1305::{self, Blocks, Key, Message, Powers, State as MacState};
use keylane::job::siphash::State;
use keylane::kernels::{self, KernelInfo, Status};
use keylane::poly1305::aes::one_time_key;
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch, verify_batch};
use keylane::siphash::unpadded::SipHash13Uj;
use keylane::siphash::{self, AnySipHash, SipHash24, SipHashX24};
use keylane_conformance::input::Random;
use keylane_conformance::packets::inner;
use keylane_conformance::stack::left_by;
use keylane_conformance::variants::{Family, Variant};
use std::fs::File;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::num::NonZeroU8;
use std::os::unix::fs::FileExt;
use std::ptr::drop_in_place;

/// The contents of this place, by the operating system.
fn seen<T>(place: &MaybeUninit<T>) -> Vec<u8> {
    let mut bytes = vec![0; size_of::<T>()];
    let memory = File::open("/proc/self/mem").expect("/proc/self/mem");
    let address = place.as_ptr().expose_provenance() as u64;
    memory.read_exact_at(&mut bytes, address).expect("this process' own memory");
    bytes
}

/// The contents of the object's place before and after it is dropped.
fn dropped<T>(object: T) -> (Vec<u8>, Vec<u8>) {
    let mut place = Box::new(MaybeUninit::new(object));
    let before = seen(&place);
    // SAFETY: the object was moved into `place` above. The box is of a `MaybeUninit`, which does not drop its
    // contents, so this is the object's only drop.
    unsafe { drop_in_place(place.as_mut_ptr()) };
    (before, seen(&place))
}

/// Asserts that the object contains each of the secrets, and none of them after it is dropped. `whose` names
/// the object, and `fields` is the number of bytes in its fields.
///
/// The rest is padding. A move through the stack can carry old stack bytes into it. So in an object with
/// padding a secret may have a second copy there, which `drop` cannot reach; it is left out here.
fn leaves_nothing<T>(whose: &str, object: T, fields: usize, secrets: &[&[u8]]) {
    let (before, after) = dropped(object);
    for secret in secrets {
        let copies = |bytes: &[u8]| bytes.windows(secret.len()).filter(|window| window == secret).count();
        let (had, has) = (copies(&before), copies(&after));
        assert_ne!(had, 0, "{whose}: the test looks for {secret:02x?}, which is not there: {before:02x?}");
        let in_padding = if size_of::<T>() > fields { had - 1 } else { 0 };
        assert!(has <= in_padding, "{whose} leaves {secret:02x?}: {after:02x?}");
    }
}

/// The words of a secret, in this machine's byte order.
fn words<const N: usize>(words: [u64; N]) -> Vec<[u8; 8]> {
    words.map(u64::to_ne_bytes).to_vec()
}

fn stands(bytes: &[u8], secret: &[u8]) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret)
}

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn slices<const N: usize>(words: &[[u8; N]]) -> Vec<&[u8]> {
    words.iter().map(|word| word.as_slice()).collect()
}

/// A key without small or repeated numbers.
fn key<const N: usize>() -> [u8; N] {
    Random(60).bytes()
}

/// The state before the first word.
fn started(double: bool) -> State<u64> {
    State::new(u64::key(&key::<16>()), double)
}

/// Bytes in a length.
const WORD: usize = size_of::<usize>();

#[test]
fn siphash_keys() {
    let k = siphash::Key::from_bytes(key());
    leaves_nothing("siphash::Key", k, 16, &slices(&words(u64::key(&key::<16>()))));
    let k = halfsiphash::Key::from_bytes(key());
    leaves_nothing("halfsiphash::Key", k, 8, &slices(&u32::key(&key::<8>()).map(u32::to_ne_bytes)));
}

#[test]
fn prepared_keys() {
    let k = siphash::Key::from_bytes(key());
    let (c, d) = (NonZeroU8::new(3).unwrap(), NonZeroU8::new(5).unwrap());
    let single = words(started(false).v);
    leaves_nothing("SipHash24", SipHash24::new(&k), 32, &slices(&single));
    leaves_nothing("a clone of SipHash24", SipHash24::new(&k).clone(), 32, &slices(&single));
    leaves_nothing("AnySipHash", AnySipHash::<u64>::new(&k, c, d), 32 + 2 * WORD, &slices(&single));
    leaves_nothing("SipHashX24", SipHashX24::new(&k), 32, &slices(&words(started(true).v)));
    let half = HalfSipHash24::new(&halfsiphash::Key::from_bytes(key()));
    let state = State::new(u32::key(&key::<8>()), false).v.map(u32::to_ne_bytes);
    leaves_nothing("HalfSipHash24", half, 16, &slices(&state));
}

/// The state after a word, and the buffered bytes before the next.
#[test]
fn siphash_streams() {
    let message: [u8; 13] = Random(61).bytes();
    let mut stream = SipHash24::new(&siphash::Key::from_bytes(key())).stream();
    stream.update(&message);
    let mut state = started(false);
    state.absorb(Variant::sip(2, 4, false).rounds(), u64::from_le_bytes(*message.first_chunk().unwrap()));
    let state = words(state.v);
    let mut secrets = slices(&state);
    let mut waiting = [0; 8];
    waiting[..5].copy_from_slice(&message[8..]);
    let waiting = u64::from_le_bytes(waiting).to_ne_bytes();
    secrets.push(&waiting);
    leaves_nothing("Stream", stream, 32 + 8 + 2 * WORD, &secrets);
}

#[test]
fn unpadded() {
    let mut h = SipHash13Uj::new(&siphash::Key::from_bytes(key()));
    leaves_nothing("SipHash13Uj", h.clone(), 32, &slices(&words(started(false).v)));
    h.word(0x1234_5678_9abc_def0);
    let mut state = started(false);
    state.absorb(Variant::sip(1, 3, false).rounds(), 0x1234_5678_9abc_def0);
    leaves_nothing("SipHash13Uj after a word", h, 32, &slices(&words(state.v)));
}

/// The powers of r that a long piece leaves, each in one place or two: none of them may remain.
#[test]
fn poly1305_powers() {
    let message: Vec<u8> = (0..3000).map(|i| i as u8).collect();
    // A table, and the few powers for a shorter piece.
    let messages = [&message[..], &message[..2000]];
    // Another key each time: if an object has room to spare, old bytes of the stack come along.
    let cases = messages.iter().flat_map(|m| table::POLY1305_PN.runnable().map(move |k| (k, *m)));
    for (seed, (kernel, message)) in (100..).zip(cases) {
        let key = || Random(seed).bytes::<32>();
        kernels::force("poly1305-pn", kernel.id()).expect("a kernel that runs here");
        let mut stream = Poly1305::new(OneTimeKey::from_bytes(key()));
        stream.update(message);
        let (mut state, mut powers) = (MacState::new(Key::from_bytes(&key())), Powers::Unknown);
        let blocks = message.as_chunks().0;
        kernel.run(Message::Piece { state: &mut state, powers: &mut powers, blocks });
        let numbers = match &powers {
            Powers::Unknown => vec![],
            Powers::Pair44(pair) => [pair.lane.as_flattened(), &pair.one, &pair.two].concat(),
            Powers::Base44(table) => [table.lane.as_flattened(), table.step.as_flattened()].concat(),
            Powers::Base26(table) => [table.lane.as_flattened(), table.step.as_flattened()].concat(),
        };
        let mut secrets = words([state.h[0], state.h[1]]);
        secrets.extend(numbers.into_iter().filter(|&number| number != 0).map(u64::to_ne_bytes));
        let (before, after) = dropped(stream);
        for secret in secrets {
            assert!(stands(&before, &secret), "{}: {secret:02x?} is not there", kernel.id());
            assert!(!stands(&after, &secret), "{} leaves {secret:02x?}", kernel.id());
        }
    }
}

/// The bytes of a long message that wait for more.
#[test]
fn poly1305_gathered() {
    // Never on the stack: a move of the object may bring old bytes of the stack along.
    let mut random = Random(64);
    let message: Vec<u8> = (0..1500).map(|_| random.word() as u8).collect();
    let mut stream = Poly1305::new(OneTimeKey::from_bytes(key()));
    message.chunks(100).for_each(|piece| stream.update(piece));
    let (before, after) = dropped(stream);
    let waiting = &message[1460..];
    assert!(stands(&before, waiting), "the last bytes wait");
    assert!(!message.windows(8).any(|bytes| stands(&after, bytes)), "some bytes of the message are left");
}

/// What a call leaves on the stack if it must first choose its method, and what the next call leaves.
fn by_first_and_later_calls(run: &mut dyn FnMut()) -> [Vec<u8>; 2] {
    Method::all().for_each(Method::forget);
    [left_by(run), left_by(run)]
}

/// A kernel makes a table of powers of r for one call, or before it stores the powers. No line of that table may remain
/// on the stack. (Single registers of it may, since the compiler spills them. Without optimization every move leaves a
/// copy.)
#[test]
#[cfg_attr(debug_assertions, ignore = "moves leave copies in a build without optimization")]
fn poly1305_tables_on_the_stack() {
    // Long enough for every loop of every kernel.
    let message: Vec<u8> = (0..30_000).map(|i| i as u8).collect();
    let key = Key::from_bytes(&key());
    for kernel in table::POLY1305_PN.runnable() {
        let mut powers = Powers::Unknown;
        let piece = by_first_and_later_calls(&mut || {
            let (mut state, blocks) = (MacState::new(key), message.as_chunks().0);
            powers = Powers::Unknown;
            kernel.run(Message::Piece { state: &mut state, powers: &mut powers, blocks });
        });
        let mut tag = 0;
        let whole = by_first_and_later_calls(&mut || {
            kernel.run(Message::Whole { key: &key, message: &message, tag: &mut tag });
        });
        let has_second_entrance = kernel.mac(key.r, key.s, &message).is_some();
        assert_eq!(
            has_second_entrance,
            kernel.id() == "poly1305_p4_avx2",
            "{}: a register entry",
            kernel.id()
        );
        let by_registers = has_second_entrance.then(|| {
            by_first_and_later_calls(&mut || {
                let _ = black_box(kernel.mac(key.r, key.s, &message));
            })
        });
        kernels::force("poly1305-pn", kernel.id()).expect("a kernel that runs here");
        let by_mac = by_first_and_later_calls(&mut || {
            let _ = black_box(mac(OneTimeKey::from_bytes(self::key()), &message));
        });
        let lines: Vec<&[u64]> = match &powers {
            Powers::Unknown | Powers::Pair44(_) => vec![],
            Powers::Base44(table) => table.step.iter().map(|line| line.as_slice()).collect(),
            Powers::Base26(table) => table.step.iter().map(|line| line.as_slice()).collect(),
        };
        assert_eq!(lines.is_empty(), kernel.id().contains("_x1_"), "{}: a table of powers", kernel.id());
        let stacks = [("a piece", piece), ("a message", whole), ("mac", by_mac)];
        for (job, stack) in stacks.into_iter().chain(by_registers.map(|stack| ("a key in registers", stack)))
        {
            for line in &lines {
                let left = stack.iter().any(|stack| stands(stack, &bytes_of(line)));
                assert!(!left, "{} leaves powers on the stack after {job}", kernel.id());
            }
        }
    }
}

/// A kernel of many messages makes powers of r in lanes, and states with their keys, for a group. None may remain on
/// the stack. All keys are the same, so a limb of r fills a register. Two such registers one after the other belong to
/// a table, and four consecutive words to a state. (A single spilled value may remain.)
#[test]
#[cfg_attr(debug_assertions, ignore = "moves leave copies in a build without optimization")]
fn poly1305_keys_of_many_on_the_stack() {
    let message: Vec<u8> = (0..2000).map(|i| i as u8).collect();
    let (keys, messages) = (vec![Key::from_bytes(&key()); 16], vec![&message[..]; 16]);
    let Key { r: [r0, r1], s: [s0, s1] } = keys[0];
    let r = u128::from(r0) | u128::from(r1) << 64;
    let in_lanes = |bits: u32, lanes: usize| {
        [r, r >> bits].map(|limb| vec![limb as u64 & ((1 << bits) - 1); lanes]).concat()
    };
    let secrets = [vec![r0, r1, s0, s1], in_lanes(26, 4), in_lanes(44, 8)].map(|words| bytes_of(&words));
    let mut careless = table::POLY1305_XN.runnable().collect::<Vec<_>>();
    careless.retain(|kernel| {
        let mut tags = [[0; 16]; 16];
        by_first_and_later_calls(&mut || {
            kernel.run(poly1305::Batch { keys: &keys, messages: &messages, tags: &mut tags });
        })
        .iter()
        .any(|stack| secrets.iter().any(|secret| stands(stack, secret)))
    });
    let mut careless: Vec<String> = careless.iter().map(|kernel| kernel.id().to_owned()).collect();
    for kernel in table::POLY1305_PARTS.runnable() {
        for len in [100, 700, 2000] {
            let packets = vec![[&message[..13], &message[..len]]; 16];
            let mut tags = [[0; 16]; 16];
            let stacks = by_first_and_later_calls(&mut || {
                kernel.run(poly1305::Packets { keys: &keys, packets: &packets, tags: &mut tags });
            });
            if stacks.iter().any(|stack| secrets.iter().any(|secret| stands(stack, secret))) {
                careless.push(format!("{} with packets of {len} bytes", kernel.id()));
            }
        }
    }
    assert!(careless.is_empty(), "they leave powers or keys on the stack: {careless:#?}");
}

/// The memory where a batch collects its keys. (The last key may remain where it was made.)
#[test]
#[cfg_attr(debug_assertions, ignore = "moves leave copies in a build without optimization")]
fn poly1305_keys_of_a_batch() {
    let keys: Vec<[u8; 32]> = (0..40).map(|seed| Random(200 + seed).bytes()).collect();
    // One by one, in places for a few keys, and in places for many.
    for (message, count) in [(&[7; 7][..], 40), (&[7; 300], 10), (&[7; 300], 40)] {
        let (messages, mut tags) = (vec![message; count], vec![Tag::default(); count]);
        let stack = left_by(&mut || {
            let keys = keys.iter().take(count).map(|&key| OneTimeKey::from_bytes(key));
            mac_batch(keys, &messages, &mut tags).expect("as many keys as messages");
        });
        let left = keys.iter().filter(|&key| stands(&stack, &bytes_of(&Key::from_bytes(key).r))).count();
        assert!(left <= 1, "{left} of {count} keys are left on the stack");
    }
}

/// The round keys of Poly1305-AES, of which AES-NI's first is the key, and r.
#[test]
#[cfg_attr(debug_assertions, ignore = "moves leave copies in a build without optimization")]
fn poly1305_aes_keys_on_the_stack() {
    let [aes_key, r, nonce]: [[u8; 16]; 3] = [71, 72, 73].map(|seed| Random(seed).bytes());
    let stack = left_by(&mut || {
        black_box(one_time_key(black_box(&aes_key), &r, &nonce));
    });
    for (secret, name) in [(aes_key, "the key of AES"), (r, "r")] {
        assert!(!stands(&stack, &secret), "{name} is left on the stack");
    }
}

#[test]
fn poly1305() {
    let Key { r, s } = Key::from_bytes(&key());
    let (r, s) = (words(r), words(s));
    let secrets = [slices(&r), slices(&s)].concat();
    leaves_nothing("OneTimeKey", OneTimeKey::from_bytes(key()), 32, &secrets);
    leaves_nothing("Poly1305", Poly1305::new(OneTimeKey::from_bytes(key())), 56 + 16 + WORD, &secrets);

    // With absorbed blocks and buffered bytes.
    let message: [u8; 60] = Random(62).bytes();
    let mut stream = Poly1305::new(OneTimeKey::from_bytes(key()));
    stream.update(&message);
    let mut state = MacState::new(Key::from_bytes(&key()));
    let (blocks, tail) = message.as_chunks();
    table::POLY1305_X1.run(Blocks { state: &mut state, blocks, tail: &[] });
    let [h0, h1, _] = state.h;
    let h = words([h0, h1]);
    let mut waiting = [0; 16];
    waiting[..12].copy_from_slice(tail);
    let waiting = u128::from_le_bytes(waiting).to_ne_bytes();
    leaves_nothing(
        "Poly1305 in a message",
        stream,
        56 + 16 + WORD,
        &[secrets, slices(&h), vec![&waiting]].concat(),
    );
}

/// The key of an AEAD, and everything that holds it.
#[test]
fn aead() {
    let bytes = key::<32>();
    let numbers = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
    let words: Vec<[u8; 4]> = numbers.map(u32::to_ne_bytes).collect();
    let secrets = slices(&words);
    let key = || aead::Key::from_bytes(key());
    leaves_nothing("aead::Key", key(), 32, &secrets);
    leaves_nothing("ChaCha20Poly1305", ChaCha20Poly1305::new(&key()), 32, &secrets);
    leaves_nothing("XChaCha20Poly1305", XChaCha20Poly1305::new(&key()), 32, &secrets);
    // The numbering is 12 bytes, a flag and a number; a receiver also has its window, which may be absent.
    let iv = Random(61).bytes();
    let secrets = [secrets, vec![&iv[..]]].concat();
    let sender = Sender::new(key(), Numbering::quic(iv));
    leaves_nothing("Sender", sender, 32 + 24 + 8, &secrets);
    let receiver = Receiver::new(key(), Numbering::tls13(iv));
    leaves_nothing("Receiver", receiver, 32 + 24 + 8 + 33 * 8, &secrets);
}

/// The keys of packets, on the stack after calls for one packet and for many, by every row of the slots.
///
/// They are looked for as they stand in memory: half of a key of ChaCha20, also of the one that a nonce of XChaCha20
/// makes; a one-time key as it comes from the key stream; r and s. In lanes, a word of a key fills a register, and two
/// such registers one after the other belong to the input of a call. (A single register may remain, since the compiler
/// spills it. One holds an s.)
#[test]
#[cfg_attr(debug_assertions, ignore = "moves leave copies in a build without optimization")]
fn keys_of_packets_on_the_stack() {
    let mut careless = Vec::new();
    for slot in ["chacha20-pn", "chacha20-xn", "chacha20poly1305-pn", "poly1305-parts"] {
        let here = |kernel: &KernelInfo| kernel.slot() == slot && kernel.status() != Status::NotOnThisCpu;
        for row in kernels::list().filter(here).map(|kernel| kernel.id()) {
            kernels::force(slot, row).expect("a kernel that runs here");
            for left in [keys_left::<12>(), keys_left::<24>()].concat() {
                careless.push(format!("{slot} {row}: {left}"));
            }
        }
    }
    assert!(careless.is_empty(), "{careless:#?}");
}

/// Which keys are left by calls with nonces of N bytes.
fn keys_left<const N: usize>() -> Vec<String> {
    let cipher = Cipher::<N>::new(&aead::Key::from_bytes(key()));
    let mut found = Vec::new();
    let mixed: Vec<usize> = [40, 100, 3000, 700, 1420].into_iter().cycle().take(40).collect();
    for lens in [&[100], &[3000], &[100; 2][..], &[100; 8], &[100; 40], &mixed] {
        let count = lens.len();
        let nonce = |i: usize| [i as u8 + 1; N];
        let mut data: Vec<Vec<u8>> = lens.iter().map(|&len| vec![7; len]).collect();
        let parts = data.iter_mut().enumerate();
        let mut packets: Vec<Packet<'_, N>> = parts
            .map(|(i, data)| Packet { nonce: nonce(i), aad: b"aad", data, tag: Tag::default() })
            .collect();
        let sealed = left_by(&mut || match &mut packets[..] {
            [one] => one.tag = cipher.seal_with_nonce(&one.nonce, one.aad, one.data).expect("a short text"),
            many => cipher.seal_many_with_nonces(many).expect("short texts"),
        });
        let mut good = vec![false; count];
        let opened = left_by(&mut || match &mut packets[..] {
            [one] => cipher.open(&one.nonce, one.aad, one.data, &one.tag).expect("a genuine packet"),
            many => cipher.open_many(many, &mut good).expect("genuine packets"),
        });
        for (name, secrets, spilled) in secrets_of(&(0..count).map(nonce).collect::<Vec<_>>()) {
            for (call, stack) in [("sealing", &sealed), ("opening", &opened)] {
                let left = secrets.iter().filter(|secret| stands(stack, secret)).count();
                if left > spilled {
                    let (nonces, all) = (8 * N, secrets.len());
                    let longest = lens.iter().max().unwrap_or(&0);
                    found.push(format!(
                        "{call} {count} of at most {longest} bytes, {nonces}-bit nonces: {left} of {all} {name}"
                    ));
                }
            }
        }
    }
    found
}

/// The right tag of a forged packet, which would be a forgery, on the stack after it was judged by every row.
#[test]
#[cfg_attr(debug_assertions, ignore = "moves leave copies in a build without optimization")]
fn tags_of_forged_packets_on_the_stack() {
    let cipher = ChaCha20Poly1305::new(&aead::Key::from_bytes(key()));
    let mut careless = Vec::new();
    for slot in ["chacha20-pn", "chacha20-xn", "chacha20poly1305-pn", "poly1305-parts"] {
        let here = |kernel: &KernelInfo| kernel.slot() == slot && kernel.status() != Status::NotOnThisCpu;
        for row in kernels::list().filter(here).map(|kernel| kernel.id()) {
            kernels::force(slot, row).expect("a kernel that runs here");
            for (count, len) in [(1, 100), (1, 3000), (2, 100), (8, 100), (40, 100), (8, 1420), (40, 1420)] {
                let mut data = vec![vec![7; len]; count];
                let mut right = Vec::new();
                for (i, data) in data.iter_mut().enumerate() {
                    let tag = cipher.seal_with_nonce(&[i as u8 + 1; 12], b"aad", data).expect("a short text");
                    right.push(tag.to_bytes());
                }
                let parts = data.iter_mut().enumerate();
                let mut packets: Vec<Packet<'_>> = parts
                    .map(|(i, data)| Packet {
                        nonce: [i as u8 + 1; 12],
                        aad: b"aad",
                        data,
                        tag: Tag::default(),
                    })
                    .collect();
                let mut good = vec![true; count];
                let stack = left_by(&mut || {
                    let opened = match &mut packets[..] {
                        [one] => cipher.open(&one.nonce, one.aad, one.data, &one.tag),
                        many => cipher.open_many(many, &mut good),
                    };
                    assert_eq!(opened, Err(AeadError::Forged));
                });
                let left = right.iter().filter(|tag| stands(&stack, &tag[..])).count();
                if left > 0 {
                    careless.push(format!("{slot} {row}: {left} tags of {count} packets of {len} bytes"));
                }
            }
        }
    }
    assert!(careless.is_empty(), "{careless:#?}");
}

/// The same for messages of Poly1305, by every row for many.
#[test]
#[cfg_attr(debug_assertions, ignore = "moves leave copies in a build without optimization")]
fn tags_of_forged_messages_on_the_stack() {
    let mut careless = Vec::new();
    for kernel in table::POLY1305_XN.runnable() {
        kernels::force("poly1305-xn", kernel.id()).expect("a kernel that runs here");
        for (count, len) in [(16, 1024), (40, 100), (5, 300)] {
            let keys = || (0..count as u64).map(|i| OneTimeKey::from_bytes(Random(300 + i).bytes()));
            let (message, mut good) = (vec![7; len], vec![true; count]);
            let right: Vec<[u8; 16]> = keys().map(|key| mac(key, &message).to_bytes()).collect();
            let (messages, given) = (vec![&message[..]; count], vec![Tag::default(); count]);
            let stack = left_by(&mut || {
                verify_batch(keys().collect::<Vec<_>>(), &messages, &given, &mut good).expect("equal counts");
            });
            assert_eq!(good, vec![false; count]);
            let left = right.iter().filter(|tag| stands(&stack, &tag[..])).count();
            if left > 0 {
                careless.push(format!("{}: {left} tags of {count} messages of {len} bytes", kernel.id()));
            }
        }
    }
    assert!(careless.is_empty(), "{careless:#?}");
}

/// What must not remain of the keys of packets with these nonces, by kind, and how many of it may be spilled registers.
fn secrets_of<const N: usize>(nonces: &[[u8; N]]) -> Vec<(&'static str, Vec<Vec<u8>>, usize)> {
    let inner: Vec<([u8; 32], [u8; 12])> = nonces.iter().map(|nonce| inner(&key(), nonce)).collect();
    let mut keys: Vec<[u8; 32]> = inner.iter().map(|(key, _)| *key).chain([key()]).collect();
    keys.dedup();
    let one_time = inner.iter().map(|(key, nonce)| keylane_ref::chacha20_block(key, 0, nonce));
    let one_time: Vec<[u8; 32]> =
        one_time.map(|block| *block.first_chunk().expect("32 of 64 bytes")).collect();
    let halves =
        |keys: &[[u8; 32]]| keys.iter().flat_map(|key| [key[..16].to_vec(), key[16..].to_vec()]).collect();
    let words = |key: &[u8; 32]| key.chunks(4).map(|word| word.repeat(4)).collect::<Vec<_>>();
    let in_lanes = |key: &[u8; 32]| words(key).windows(2).map(<[Vec<u8>]>::concat).collect::<Vec<_>>();
    let spilled = if nonces.len() > 1 { 2 } else { 0 };
    vec![
        ("keys", halves(&keys), 0),
        ("keys in lanes", keys.iter().flat_map(in_lanes).collect(), 0),
        ("one-time keys", one_time.iter().map(|bytes| bytes.to_vec()).collect(), 0),
        ("values r", one_time.iter().map(|bytes| bytes_of(&Key::from_bytes(bytes).r)).collect(), 0),
        ("values s", one_time.iter().map(|bytes| bytes_of(&Key::from_bytes(bytes).s)).collect(), spilled),
    ]
}
