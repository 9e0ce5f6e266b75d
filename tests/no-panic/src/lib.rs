//! Every public call of keylane, in a library without std. The linker drops code that no call reaches. So the
//! panic handler remains only if a call can panic: `cargo xtask no-panic` checks that. All input comes from
//! outside, so the compiler knows nothing about it.

#![cfg(keylane_no_panic)]
#![no_std]
#![allow(unsafe_code)]

use core::hash::{BuildHasher, Hasher};
use core::hint::black_box;
use core::net::IpAddr;
use core::num::NonZeroU8;
use core::panic::PanicInfo;
use keylane::aead::{self, ChaCha20Poly1305, Cipher, Numbering, Packet, Receiver, Sender, XChaCha20Poly1305};
use keylane::halfsiphash::{self, AnyHalfSipHash, HalfSipHash};
use keylane::hash_map::{BuildSipHash, StdCompat};
use keylane::kernels;
use keylane::poly1305::{self, OneTimeKey, Poly1305, Tag, mac_batch, verify_batch};
use keylane::siphash::unpadded::SipHash13Uj;
use keylane::siphash::{self, AnySipHash, SipHash};

/// This remains if a call can panic.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// The input of the calls.
pub struct Input<'a> {
    key: [u8; 32],
    rounds: (NonZeroU8, NonZeroU8),
    message: &'a [u8],
    messages: &'a [&'a [u8]],
    u32s: &'a [u32],
    u64s: &'a [u64],
    u128s: &'a [u128],
    offsets32: &'a [i32],
    offsets64: &'a [i64],
    views: &'a [[u8; 16]],
    width: usize,
    keys: &'a [[u8; 32]],
    client: IpAddr,
    names: (&'a str, &'a str),
}

/// The tags of batches, and what is encrypted in place.
pub struct Output<'a> {
    data: &'a mut [u8],
    copy: &'a mut [u8],
    packets: &'a mut [Packet<'a>],
    xpackets: &'a mut [Packet<'a, 24>],
    u32s: &'a mut [u32],
    u64s: &'a mut [u64],
    u128s: &'a mut [u128],
    macs: &'a mut [Tag],
    good: &'a mut [bool],
}

/// Every call of a prepared key.
macro_rules! prepared {
    ($hash:expr, $input:ident, $tags:expr) => {{
        let hash = $hash;
        let mut stream = hash.clone().stream();
        stream.update($input.message);
        let tag = stream.clone().finish();
        black_box((tag, stream.verify(tag).is_ok(), hash.verify($input.message, tag).is_ok()));
        black_box((hash.hash($input.message), hash.hash_nocase($input.message)));
        black_box((hash.hash_array(&$input.key), hash.hash_array(&[0; 13])));
        black_box((hash.hash_u32(7), hash.hash_u64(7), hash.hash_u128(7)));
        black_box(hash.hash_u32s($input.u32s, $tags).is_ok());
        black_box(hash.hash_u64s($input.u64s, $tags).is_ok());
        black_box(hash.hash_u128s($input.u128s, $tags).is_ok());
        black_box(hash.hash_rows($input.message, $input.width, $tags).is_ok());
        black_box(hash.hash_rows_nocase($input.message, $input.width, $tags).is_ok());
        black_box(hash.hash_offsets($input.message, $input.offsets32, $tags).is_ok());
        black_box(hash.hash_offsets_nocase($input.message, $input.offsets32, $tags).is_ok());
        black_box(hash.hash_offsets($input.message, $input.offsets64, $tags).is_ok());
        black_box(hash.hash_offsets_nocase($input.message, $input.offsets64, $tags).is_ok());
        black_box(hash.hash_views($input.views, $input.messages, $tags).is_ok());
        black_box(hash.hash_views_nocase($input.views, $input.messages, $tags).is_ok());
        black_box(hash.hash_views($input.u128s, $input.messages, $tags).is_ok());
        black_box(hash.hash_views_nocase($input.u128s, $input.messages, $tags).is_ok());
        black_box(hash.hash_many($input.messages, $tags).is_ok());
        black_box(hash.hash_many_nocase($input.messages, $tags).is_ok());
    }};
}

/// Every public call.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub fn keylane_calls(input: &Input<'_>, output: &mut Output<'_>) {
    let [key, half] =
        [input.key.first_chunk(), input.key.last_chunk()].map(|bytes| *bytes.unwrap_or(&[0; 16]));
    let [key, half] = [key, half].map(u128::from_le_bytes);
    let (key, half) = (
        siphash::Key::from_bytes(key.to_le_bytes()),
        halfsiphash::Key::from_bytes((half as u64).to_le_bytes()),
    );
    let (c, d) = input.rounds;
    prepared!(SipHash::<1, 1>::new(&key), input, output.u64s);
    prepared!(SipHash::<1, 2>::new(&key), input, output.u64s);
    prepared!(SipHash::<1, 3>::new(&key), input, output.u64s);
    prepared!(SipHash::<2, 4>::new(&key), input, output.u64s);
    prepared!(SipHash::<4, 8>::new(&key), input, output.u64s);
    prepared!(SipHash::<3, 5>::new(&key), input, output.u64s);
    prepared!(SipHash::<2, 4, u128>::new(&key), input, output.u128s);
    prepared!(AnySipHash::<u64>::new(&key, c, d), input, output.u64s);
    prepared!(AnySipHash::<u128>::new(&key, c, d), input, output.u128s);
    prepared!(HalfSipHash::<1, 3>::new(&half), input, output.u32s);
    prepared!(HalfSipHash::<2, 4>::new(&half), input, output.u32s);
    prepared!(HalfSipHash::<2, 4, u64>::new(&half), input, output.u64s);
    prepared!(AnyHalfSipHash::<u32>::new(&half, c, d), input, output.u32s);
    prepared!(AnyHalfSipHash::<u64>::new(&half, c, d), input, output.u64s);
    functions(input, &key, &half);
    hashers(input, &key);
    macs(input, output);
    packets(input, output);
    rows(input);
    #[cfg(feature = "planted")]
    black_box(input.message[input.width]);
}

/// Everything with a separate function or type.
fn functions(input: &Input<'_>, key: &siphash::Key, half: &halfsiphash::Key) {
    black_box((siphash::hsiphash64(key, input.message), siphash::hsiphash32(half, input.message)));
    let mut subkey = [0; 16];
    black_box((
        key.derive(input.names.0).is_ok(),
        key.derive_bytes(input.names.1, &mut subkey).is_ok(),
        subkey,
    ));
    black_box((key.check(), key.row_key().check(), siphash::check_context(input.names.0).is_ok()));
    let cookie = siphash::dns_cookie(key, &[7; 8], input.width as u32, input.client);
    black_box(siphash::verify_dns_cookie(key, &[7; 8], &cookie, input.client).is_ok());
    let mut blocks = SipHash13Uj::new(key);
    blocks.word(7);
    blocks.jumbo(&input.key);
    black_box(blocks.clone().finish());
}

/// The hashers of maps.
fn hashers(input: &Input<'_>, key: &siphash::Key) {
    fn fill(build: impl BuildHasher, input: &Input<'_>) {
        let mut hasher = build.build_hasher();
        hasher.write(input.message);
        input.message.iter().for_each(|&byte| hasher.write_u8(byte));
        input.message.iter().for_each(|&byte| hasher.write_u16(byte.into()));
        input.u32s.iter().for_each(|&number| hasher.write_u32(number));
        input.u64s.iter().for_each(|&number| hasher.write_u64(number));
        input.u128s.iter().for_each(|&number| hasher.write_u128(number));
        hasher.write_usize(input.width);
        black_box(hasher.finish());
    }
    fill(BuildSipHash::<1, 3>::new(key), input);
    fill(BuildSipHash::<2, 4>::new(key), input);
    fill(<StdCompat>::new(key), input);
}

/// Poly1305.
fn macs(input: &Input<'_>, output: &mut Output<'_>) {
    let key = || OneTimeKey::from_bytes(input.key);
    let tag = poly1305::mac(key(), input.message);
    let mut stream = Poly1305::new(key());
    input.messages.iter().for_each(|piece| stream.update(piece));
    black_box(stream.finish().verify(&tag).is_ok());
    let keys = || input.keys.iter().map(|&bytes| OneTimeKey::from_bytes(bytes));
    black_box(mac_batch(keys(), input.messages, output.macs).is_ok());
    black_box(verify_batch(keys(), input.messages, output.macs, output.good).is_ok());
}

/// ChaCha20-Poly1305 and XChaCha20-Poly1305.
fn packets(input: &Input<'_>, output: &mut Output<'_>) {
    let key = || aead::Key::from_bytes(input.key);
    let (cipher, xcipher) = (ChaCha20Poly1305::new(&key()), XChaCha20Poly1305::new(&key()));
    one_packet(&cipher, &[1; 12], input, output);
    one_packet(&xcipher, &[1; 24], input, output);
    many_packets(&cipher, output.packets, output.good);
    many_packets(&xcipher, output.xpackets, output.good);

    let numbering = Numbering::quic([7; 12]).ending_at(input.width as u64);
    let mut sender = Sender::new(key(), numbering);
    let (mut receiver, other) = (Receiver::new(key(), numbering), Numbering::wireguard());
    if let Ok((number, tag)) = sender.seal(input.message, output.data) {
        black_box(receiver.open(number, input.message, output.data, &tag).is_ok());
    }
    black_box((sender.next_number(), sender.seal_many(output.packets).is_ok()));
    black_box(receiver.open_many(input.u64s, output.packets, output.good).is_ok());
    let mut receiver = Receiver::new(key(), other).with_replays().with_forgeries(input.width as u64);
    black_box(receiver.open_many(input.u64s, output.packets, output.good).is_ok());
    black_box(Sender::new(key(), Numbering::tls13([7; 12])).seal_many(output.packets).is_ok());
}

/// Every call for one packet.
fn one_packet<const N: usize>(
    cipher: &Cipher<N>,
    nonce: &[u8; N],
    input: &Input<'_>,
    output: &mut Output<'_>,
) {
    let (aad, data) = (input.message, &mut *output.data);
    if let Ok(tag) = cipher.seal_with_nonce(nonce, aad, data) {
        black_box(cipher.open(nonce, aad, data, &tag).is_ok());
    }
    if let Ok(tag) = cipher.seal_with_nonce_to(nonce, aad, data, output.copy) {
        black_box(cipher.open_to(nonce, aad, output.copy, data, &tag).is_ok());
    }
    black_box(cipher.seal_with_nonce_joined(nonce, aad, data).is_ok());
    black_box(cipher.open_joined(nonce, aad, data).is_ok());
}

/// Every call for many packets.
fn many_packets<const N: usize>(cipher: &Cipher<N>, packets: &mut [Packet<'_, N>], good: &mut [bool]) {
    black_box(cipher.seal_many_with_nonces(packets).is_ok());
    black_box(cipher.open_many(packets, good).is_ok());
    black_box(Cipher::seal_each_with_nonces(&[cipher, cipher], packets).is_ok());
    black_box(Cipher::open_each(&[cipher, cipher], packets, good).is_ok());
}

/// The table.
fn rows(input: &Input<'_>) {
    for kernel in kernels::list() {
        black_box((kernel.slot(), kernel.id(), kernel.lanes(), kernel.status()));
        black_box((kernel.requires().count(), kernel.missing().count()));
    }
    let (slot, kernel) = input.names;
    black_box((kernels::force(slot, kernel).is_ok(), kernels::environment().is_ok()));
}
