//! Prints what a process sees of the choice of kernels. `tests/dispatch.rs` starts it as a child, under the
//! environment to test.
//!
//! Its arguments are commands, executed in order. Each prints lines:
//! * `environment`: the result of `kernels::environment`;
//! * `list`: slot, kernel and status of every row;
//! * `force SLOT KERNEL`: the result of `kernels::force`;
//! * `mask FEATURES`: hides every CPU feature except these, which are separated by commas; prints nothing;
//! * `assume x86 VENDOR FAMILY MODEL`, `assume arm IMPLEMENTER PART`: treats the CPU as that model; prints
//!   nothing;
//! * `answers`: one number for the tags of many messages, long and short, through every slot;
//! * `threads`: the list, after many threads have made their first call at once.

use keylane::aead::{self, ChaCha20Poly1305, Packet};
use keylane::halfsiphash::{self, HalfSipHash24};
use keylane::job::cpu::{self, Features, Uarch};
use keylane::kernels;
use keylane::poly1305::{OneTimeKey, Tag, mac, mac_batch};
use keylane::siphash::{Key, SipHash24};
use std::env;
use std::sync::Barrier;
use std::thread;

/// The number of threads of the command `threads`.
const THREADS: usize = 16;

fn main() {
    // Elsewhere the variable is read by this call only.
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        let _ = kernels::environment();
    }
    let mut arguments = env::args().skip(1);
    while let Some(command) = arguments.next() {
        match command.as_str() {
            "environment" => match kernels::environment() {
                Ok(()) => println!("environment: good"),
                Err(error) => println!("environment: {:?} {:?} | {error}", error.kind(), error.entry()),
            },
            "list" => list(),
            "force" => {
                let mut name = || arguments.next().expect("force SLOT KERNEL");
                match kernels::force(&name(), &name()) {
                    Ok(()) => println!("force: good"),
                    Err(error) => println!("force: {:?} {:?} | {error}", error.kind(), error.entry()),
                }
            }
            "mask" => {
                let names = arguments.next().expect("mask FEATURES");
                let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
                cpu::mask(Features::named(&names));
            }
            "assume" => {
                let mut word = || arguments.next().expect("assume ARCHITECTURE NUMBERS");
                let uarch = if word() == "arm" {
                    let mut number = || word().parse::<u16>().expect("a number");
                    Uarch::arm(number() as u8, number())
                } else {
                    let vendor: [u8; 12] = word().into_bytes().try_into().expect("12 letters");
                    let mut number = || word().parse().expect("a number");
                    Uarch::x86(&vendor, number(), number())
                };
                cpu::assume(uarch);
            }
            "answers" => println!("answers: {:032x}", answers()),
            "threads" => {
                let barrier = Barrier::new(THREADS);
                let first_call = || {
                    barrier.wait();
                    answers()
                };
                let all: Vec<u128> = thread::scope(|scope| {
                    let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(first_call)).collect();
                    threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
                });
                println!("threads: {}", all.iter().all(|&one| one == all[0]));
                list();
            }
            other => panic!("no command {other}"),
        }
    }
}

fn list() {
    for kernel in kernels::list() {
        println!("row: {} {} {}", kernel.slot(), kernel.id(), kernel.status());
    }
}

/// The tags of one long message and of 100 short ones, for SipHash, HalfSipHash, Poly1305 and ChaCha20-Poly1305.
fn answers() -> u128 {
    let bytes: Vec<u8> = (0..5000).map(|i| (i % 251) as u8).collect();
    let messages: Vec<&[u8]> = (0..100).map(|i| &bytes[i..7 * i]).collect();
    let long = SipHash24::new(&Key::from_bytes([1; 16]));
    let short = HalfSipHash24::new(&halfsiphash::Key::from_bytes([2; 8]));
    let key = || OneTimeKey::from_bytes([3; 32]);

    let mut tags = vec![0; 100];
    long.hash_many(&messages, &mut tags).expect("as many tags as messages");
    let mut half_tags = vec![0; 100];
    short.hash_many(&messages, &mut half_tags).expect("as many tags as messages");
    let mut macs = vec![Tag::default(); 100];
    mac_batch((0..100).map(|_| key()), &messages, &mut macs).expect("as many tags as messages");

    let cipher = ChaCha20Poly1305::new(&aead::Key::from_bytes([4; 32]));
    let mut sealed = bytes.clone();
    let tag = cipher.seal_with_nonce(&[5; 12], b"aad", &mut sealed).expect("a short text");
    let mut copies: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec()).collect();
    let packet = |(i, data): (usize, _)| Packet { nonce: [i as u8; 12], aad: b"", data, tag: Tag::default() };
    let copies = copies.iter_mut().map(Vec::as_mut_slice);
    let mut packets: Vec<Packet<'_>> = copies.enumerate().map(packet).collect();
    cipher.seal_many_with_nonces(&mut packets).expect("short texts");
    macs.push(tag);
    macs.extend(packets.iter().map(|packet| packet.tag));

    let all = [u128::from(long.hash(&bytes)), u128::from_le_bytes(mac(key(), &bytes).to_bytes())]
        .into_iter()
        .chain(tags.into_iter().map(u128::from))
        .chain(half_tags.into_iter().map(u128::from))
        .chain(macs.iter().map(|tag| u128::from_le_bytes(tag.to_bytes())));
    all.fold(0, |sum: u128, tag| sum.rotate_left(7).wrapping_mul(3).wrapping_add(tag))
}
