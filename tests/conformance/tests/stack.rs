//! Measures, prints and bounds the stack that each entry point uses, with each row.
//!
//! The stack is painted, the call is made, and the lowest changed byte is found. That is the most that this
//! call used with these lengths. If the lowest bytes of a frame are reserved but never written, they do not
//! count. Only in a release build: without optimization every value has a separate stack slot.

#[cfg(all(target_os = "linux", target_pointer_width = "64", not(debug_assertions)))]
fn main() -> std::process::ExitCode {
    measured::main()
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64", not(debug_assertions))))]
fn main() {
    println!("stack: not run: needs a release build on 64-bit Linux");
}

#[cfg(all(target_os = "linux", target_pointer_width = "64", not(debug_assertions)))]
mod measured {
    use keylane::aead::{self, ChaCha20Poly1305, Packet, XChaCha20Poly1305};
    use keylane::halfsiphash::{self, HalfSipHash24};
    use keylane::hash_map::BuildSipHash13;
    use keylane::kernels::{self, Status};
    use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch, verify_batch};
    use keylane::siphash::unpadded::SipHash13Uj;
    use keylane::siphash::{
        AnySipHash, Key, SipHash13, SipHash24, SipHashX24, dns_cookie, verify_dns_cookie,
    };
    use keylane_conformance::input::view;
    use keylane_conformance::stack::{left_by, used};
    use std::hash::BuildHasher;
    use std::hint::black_box;
    use std::net::IpAddr;
    use std::num::NonZeroU8;
    use std::process::ExitCode;

    /// Every layout of a batch, with messages of one length and of many: 90 messages, and more than are sorted together.
    macro_rules! batches {
        ($hash:expr, $bytes:expr) => {{
            let mut calls = batches!($hash, $bytes, 90, |i| i * i);
            calls.extend(batches!($hash, $bytes, 1100, |i| i * 4 + i * 7 % 48));
            calls
        }};
        ($hash:expr, $bytes:expr, $count:literal, $offset:expr) => {{
            let (hash, bytes): (_, &[u8]) = ($hash, $bytes);
            let offset: fn(i32) -> i32 = $offset;
            let mut offsets: Vec<i32> = (0..=$count).map(offset).collect();
            offsets.sort_unstable();
            let messages: Vec<&[u8]> =
                offsets.windows(2).map(|w| &bytes[w[0] as usize..w[1] as usize]).collect();
            let wide_offsets: Vec<i64> = offsets.iter().map(|&offset| offset.into()).collect();
            let view = |(i, message): (usize, &&[u8])| view(message, 0, offsets[i] as usize, [7; 12]);
            let views: Vec<[u8; 16]> = messages.iter().enumerate().map(view).collect();
            let integers: Vec<u128> = views.iter().map(|&view| u128::from_le_bytes(view)).collect();
            let rows = &bytes[..$count * 21];
            let (u32s, u64s, u128s) = ([7; $count], [7; $count], [7; $count]);
            let mut tags = vec![0; $count];
            vec![
                measure("hash_u32s", &mut || _ = hash.hash_u32s(&u32s, &mut tags)),
                measure("hash_u64s", &mut || _ = hash.hash_u64s(&u64s, &mut tags)),
                measure("hash_u128s", &mut || _ = hash.hash_u128s(&u128s, &mut tags)),
                measure("hash_rows", &mut || _ = hash.hash_rows(rows, 21, &mut tags)),
                measure("hash_rows_nocase", &mut || _ = hash.hash_rows_nocase(rows, 21, &mut tags)),
                measure("hash_offsets", &mut || _ = hash.hash_offsets(bytes, &offsets, &mut tags)),
                measure("hash_offsets, i64", &mut || _ = hash.hash_offsets(bytes, &wide_offsets, &mut tags)),
                measure("hash_offsets_nocase", &mut || {
                    _ = hash.hash_offsets_nocase(bytes, &offsets, &mut tags);
                }),
                measure("hash_views", &mut || _ = hash.hash_views(&views, &[bytes], &mut tags)),
                measure("hash_views_nocase", &mut || {
                    _ = hash.hash_views_nocase(&integers, &[bytes; 17], &mut tags);
                }),
                measure("hash_many", &mut || _ = hash.hash_many(&messages, &mut tags)),
                measure("hash_many_nocase", &mut || _ = hash.hash_many_nocase(&messages, &mut tags)),
            ]
        }};
    }
    /// The limit for most calls in bytes.
    const MOST: usize = 16 << 10;
    /// The limit for `hash_many`, which collects up to 512 slices, and for `hash_views`, which does so for more than 16
    /// buffers.
    const MOST_WITH_SLICES: usize = 24 << 10;

    pub fn main() -> ExitCode {
        let mut failed = 0;
        let mut tell = |row: &str, (call, used): (&str, usize)| {
            let good = used
                <= if call.starts_with("hash_many") || call.starts_with("hash_views") {
                    MOST_WITH_SLICES
                } else {
                    MOST
                };
            println!("{row} {call}: {used} bytes of stack{}", if good { "" } else { ", FAILED: too many" });
            failed += usize::from(!good);
        };
        // The first use of every slot: it tests the kernels before it chooses one.
        tell("selection", measure("first call", &mut || _ = kernels::list().count()));
        one_message().into_iter().for_each(|call| tell("no slot", call));
        let rows: Vec<_> = kernels::list().filter(|row| row.status() != Status::NotOnThisCpu).collect();
        for row in rows {
            if row.slot() == "poly1305-x1" {
                kernels::force("poly1305-pn", "poly1305_x1_u64")
                    .expect("the row that leaves all to poly1305-x1");
            }
            kernels::force(row.slot(), row.id()).expect("a row that runs here");
            for call in calls(row.slot()) {
                tell(&format!("{} {}", row.slot(), row.id()), call);
            }
        }
        println!("stack: {failed} failed");
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn measure<'a>(name: &'a str, call: &mut dyn FnMut()) -> (&'a str, usize) {
        (name, used(&left_by(call)))
    }

    fn key() -> OneTimeKey {
        OneTimeKey::from_bytes([7; 32])
    }

    /// Inlined calls, and functions.
    fn one_message() -> Vec<(&'static str, usize)> {
        let key_of_hash = Key::from_bytes([7; 16]);
        let hash = SipHash24::new(&key_of_hash);
        let half = HalfSipHash24::new(&halfsiphash::Key::from_bytes([7; 8]));
        let (client, address) = ([7; 8], IpAddr::from([7; 16]));
        vec![
            measure("dns_cookie", &mut || {
                let cookie = dns_cookie(&key_of_hash, &client, black_box(7), address);
                black_box(verify_dns_cookie(&key_of_hash, &client, &cookie, address)).ok();
            }),
            measure("SipHash13Uj", &mut || {
                let mut hash = SipHash13Uj::new(&key_of_hash);
                hash.jumbo(black_box(&[7; 32]));
                black_box(hash.finish());
            }),
            measure("AnySipHash", &mut || {
                let rounds = black_box(NonZeroU8::MIN);
                let hash = AnySipHash::<u128>::new(&key_of_hash, rounds, rounds);
                black_box(hash.hash(black_box(b"message")));
            }),
            measure("HalfSipHash24", &mut || _ = black_box(half.hash(black_box(b"message")))),
            measure("a map's hasher", &mut || {
                _ = black_box(BuildSipHash13::new(&key_of_hash).hash_one(black_box("message")));
            }),
            measure("hash", &mut || _ = black_box(hash.hash(black_box(b"message")))),
            measure("verify", &mut || _ = black_box(hash.verify(black_box(b"message"), 7))),
            measure("stream", &mut || {
                let mut stream = hash.stream();
                stream.update(black_box(b"message"));
                black_box(stream.finish());
            }),
            measure("mac", &mut || _ = black_box(mac(key(), black_box(b"message")))),
        ]
    }

    /// The calls that use a slot.
    fn calls(slot: &str) -> Vec<(&'static str, usize)> {
        let bytes = black_box(vec![7; 30_000]);
        match slot {
            "siphash-x1-long" => {
                let hash = SipHash13::new(&Key::from_bytes([7; 16]));
                vec![
                    measure("hash", &mut || _ = black_box(hash.hash(&bytes))),
                    measure("hash_nocase", &mut || _ = black_box(hash.hash_nocase(&bytes))),
                    measure("stream", &mut || {
                        let mut stream = hash.stream();
                        stream.update(&bytes);
                        black_box(stream.finish());
                    }),
                ]
            }
            "siphash-xn" => {
                let key = Key::from_bytes([7; 16]);
                let mut calls = batches!(SipHash24::new(&key), &bytes);
                calls.extend(batches!(SipHashX24::new(&key), &bytes));
                calls
            }
            "halfsiphash-xn" => batches!(HalfSipHash24::new(&halfsiphash::Key::from_bytes([7; 8])), &bytes),
            "poly1305-x1" | "poly1305-pn" => vec![
                measure("mac", &mut || _ = black_box(mac(key(), &bytes))),
                measure("stream", &mut || {
                    let mut stream = Poly1305::new(key());
                    bytes.chunks(1000).for_each(|piece| stream.update(piece));
                    black_box(stream.finish());
                }),
            ],
            "poly1305-xn" => {
                let messages: Vec<&[u8]> = (0..90).map(|i| &bytes[..7 * i * i / 2]).collect();
                let keys = || (0..90).map(|_| key());
                let mut tags = vec![Tag::default(); 90];
                let mut good = vec![false; 90];
                vec![
                    measure("mac_batch", &mut || _ = mac_batch(keys(), &messages, &mut tags)),
                    measure("verify_batch", &mut || _ = verify_batch(keys(), &messages, &tags, &mut good)),
                ]
            }
            "chacha20-pn" | "chacha20poly1305-pn" => {
                let cipher = ChaCha20Poly1305::new(&aead::Key::from_bytes([7; 32]));
                let wide = XChaCha20Poly1305::new(&aead::Key::from_bytes([7; 32]));
                let (mut data, mut wide_data) = (bytes.clone(), bytes.clone());
                vec![
                    measure("seal_with_nonce", &mut || {
                        _ = black_box(cipher.seal_with_nonce(&[7; 12], &bytes[..20], &mut data));
                    }),
                    measure("seal_with_nonce, XChaCha20", &mut || {
                        _ = black_box(wide.seal_with_nonce(&[7; 24], &bytes[..20], &mut wide_data));
                    }),
                    measure("open", &mut || {
                        let mut data = [7; 2000];
                        _ = black_box(cipher.open(&[7; 12], &bytes[..20], &mut data, &Tag::default()));
                    }),
                ]
            }
            "chacha20-xn" | "poly1305-parts" => {
                let cipher = ChaCha20Poly1305::new(&aead::Key::from_bytes([7; 32]));
                let wide = XChaCha20Poly1305::new(&aead::Key::from_bytes([7; 32]));
                let mut pieces: Vec<Vec<u8>> = (0..90).map(|i| bytes[..17 * i].to_vec()).collect();
                let mut good = vec![false; 90];
                let mut packets: Vec<Packet<'_>> = pieces
                    .iter_mut()
                    .map(|data| Packet { nonce: [7; 12], aad: b"aad", data, tag: Tag::default() })
                    .collect();
                let mut calls = vec![
                    measure("seal_many_with_nonces", &mut || _ = cipher.seal_many_with_nonces(&mut packets)),
                    measure("open_many", &mut || _ = cipher.open_many(&mut packets, &mut good)),
                ];
                let mut packets: Vec<Packet<'_, 24>> = pieces
                    .iter_mut()
                    .map(|data| Packet { nonce: [7; 24], aad: b"aad", data, tag: Tag::default() })
                    .collect();
                calls.extend([
                    measure("seal_many_with_nonces, XChaCha20", &mut || {
                        _ = wide.seal_many_with_nonces(&mut packets);
                    }),
                    measure("open_many, XChaCha20", &mut || _ = wide.open_many(&mut packets, &mut good)),
                ]);
                calls
            }
            other => panic!("no calls of the slot {other}"),
        }
    }
}
