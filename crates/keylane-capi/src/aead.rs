//! ChaCha20-Poly1305: one packet, many packets.

use crate::memory::{
    CheckedPacket, Handle, In, Kept, Object, Out, Packet, Work, export, function, no_fault, span,
    with_packets,
};
use crate::status::Status;
use keylane::aead::{ChaCha20Poly1305, Key};

/// The body of `keylane_chacha20poly1305`.
#[repr(C)]
pub struct Body([u64; 4]);
/// `keylane_chacha20poly1305`.
pub type Cipher = Object<Body>;

impl Kept<Body> for ChaCha20Poly1305 {
    const MARK: u64 = 0x3d5e_90b7_1f48_c2a6;
}

/// How many packets go to the core at a time. Each needs 64 bytes of stack beside what the core needs.
const GROUP_PACKETS: usize = 32;

export! {
    fn keylane_chacha20poly1305_init(c: Handle<Body>, key: In<[u8; 32]>) {
        no_fault!(c.fault(), key.fault())?;
        let mut c = c;
        let key = key.get()?;
        c.put(|| ChaCha20Poly1305::new(&Key::from_bytes(*key)))
    }

    fn keylane_chacha20poly1305_init_xchacha20(c: Handle<Body>, key: In<[u8; 32]>, nonce: In<[u8; 16]>) {
        no_fault!(c.fault(), key.fault(), nonce.fault())?;
        let mut c = c;
        let (key, nonce) = (key.get()?, nonce.get()?);
        c.put(|| ChaCha20Poly1305::of_xchacha20(&Key::from_bytes(*key), nonce))
    }

    fn keylane_chacha20poly1305_seal_with_nonce(
        c: Handle<Body>,
        nonce: In<[u8; 12]>,
        aad: In<u8>,
        aad_length: usize,
        data: Out<u8>,
        length: usize,
        tag: Out<[u8; 16]>,
    ) {
        let packet = Packet::to_seal(&nonce, (&aad, aad_length), (&data, length), &tag);
        let packet = packet.checked(Work::Seal, &[c.span()]);
        no_fault!(c.fault(), packet.as_ref().err().copied())?;
        seal::<1>(c.get()?, &[packet?])
    }

    fn keylane_chacha20poly1305_open(
        c: Handle<Body>,
        nonce: In<[u8; 12]>,
        aad: In<u8>,
        aad_length: usize,
        data: Out<u8>,
        length: usize,
        tag: In<[u8; 16]>,
    ) {
        let packet = Packet::to_open(&nonce, (&aad, aad_length), (&data, length), &tag);
        let packet = packet.checked(Work::Open, &[c.span()]);
        no_fault!(c.fault(), packet.as_ref().err().copied())?;
        open::<1>(c.get()?, &[packet?], &mut [0])
    }

    fn keylane_chacha20poly1305_seal_many_with_nonces(c: Handle<Body>, packets: In<Packet>, count: usize) {
        no_fault!(c.fault(), packets.fault_of(count))?;
        let packets = packets.packets(count, Work::Seal, [c.span(), 0..0])?;
        let cipher = c.get()?;
        packets.chunks(GROUP_PACKETS).try_for_each(|packets| seal::<GROUP_PACKETS>(cipher, packets))
    }

    fn keylane_chacha20poly1305_open_many(
        c: Handle<Body>,
        packets: In<Packet>,
        count: usize,
        good: Out<u8>,
    ) {
        no_fault!(c.fault(), packets.fault_of(count), good.fault_of(count))?;
        let mut good = good;
        let packets = packets.packets(count, Work::Open, [c.span(), good.span(count)])?;
        let good = good.slice(count, &[c.span(), span(packets)])?;
        let cipher = c.get()?;
        let mut result = Ok(());
        for (packets, good) in packets.chunks(GROUP_PACKETS).zip(good.chunks_mut(GROUP_PACKETS)) {
            result = result.and(open::<GROUP_PACKETS>(cipher, packets, good));
        }
        result
    }
}

function! {
    fn keylane_chacha20poly1305_wipe(c: Handle<Body>) {
        let mut c = c;
        c.wipe::<ChaCha20Poly1305>();
    }
}

/// Seals at most N packets.
#[inline(always)]
fn seal<const N: usize>(cipher: &ChaCha20Poly1305, packets: &[CheckedPacket]) -> Result<(), Status> {
    Ok(with_packets::<N, _>(packets, Work::Seal, |packets| cipher.seal_many_with_nonces(packets))?)
}

/// Opens at most N packets, and writes 1 to `good` for those that are genuine, 0 for the others.
#[inline(always)]
fn open<const N: usize>(
    cipher: &ChaCha20Poly1305,
    packets: &[CheckedPacket],
    good: &mut [u8],
) -> Result<(), Status> {
    let mut flags = [false; N];
    let flags = flags.get_mut(..packets.len()).unwrap_or(&mut []);
    let result = with_packets::<N, _>(packets, Work::Open, |packets| cipher.open_many(packets, flags));
    for (place, &flag) in good.iter_mut().zip(&*flags) {
        *place = flag.into();
    }
    Ok(result?)
}
