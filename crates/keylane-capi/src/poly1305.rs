//! Poly1305: one message, a message in pieces, many messages.

use crate::memory::{
    Checked, Handle, In, Kept, Message, Object, Out, as_slices, export, function, no_fault, span,
};
use crate::status::Status;
use core::cell::Cell;
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, aes, mac, mac_each, rfc8439};

/// The body of `keylane_poly1305`. The powers of r, and 512 bytes that may wait, make it large.
#[repr(C, align(16))]
pub struct Body([u64; 224]);
/// `keylane_poly1305`.
pub type Poly1305Stream = Object<Body>;

impl Kept<Body> for Poly1305 {
    const MARK: u64 = 0x94c6_1d7f_e2a8_5b03;
}

/// How many messages go to the core at a time if some are null, which no slice may be.
const COLLECTED: usize = 64;

export! {
    fn keylane_poly1305_mac(key: In<[u8; 32]>, message: In<u8>, length: usize, tag: Out<[u8; 16]>) {
        no_fault!(key.fault(), message.fault_of_bytes(length), tag.fault())?;
        tag.put(mac(OneTimeKey::from_bytes(*key.get()?), message.slice(length)?).to_bytes())
    }

    fn keylane_poly1305_mac_verify(key: In<[u8; 32]>, message: In<u8>, length: usize, tag: In<[u8; 16]>) {
        no_fault!(key.fault(), message.fault_of_bytes(length), tag.fault())?;
        let given = Tag::from_bytes(*tag.get()?);
        Ok(mac(OneTimeKey::from_bytes(*key.get()?), message.slice(length)?).verify(&given)?)
    }

    fn keylane_poly1305_init(p: Handle<Body>, key: In<[u8; 32]>) {
        no_fault!(p.fault(), key.fault())?;
        let mut p = p;
        let key = key.get()?;
        p.put(|| Poly1305::new(OneTimeKey::from_bytes(*key)))
    }

    fn keylane_poly1305_init_aes(
        p: Handle<Body>,
        aes_key: In<[u8; 16]>,
        r: In<[u8; 16]>,
        nonce: In<[u8; 16]>,
    ) {
        no_fault!(p.fault(), aes_key.fault(), r.fault(), nonce.fault())?;
        let mut p = p;
        let key = aes::one_time_key(aes_key.get()?, r.get()?, nonce.get()?);
        p.put(|| Poly1305::new(key))
    }

    fn keylane_poly1305_init_rfc8439(p: Handle<Body>, key: In<[u8; 32]>, nonce: In<[u8; 12]>) {
        no_fault!(p.fault(), key.fault(), nonce.fault())?;
        let mut p = p;
        let key = rfc8439::one_time_key(key.get()?, nonce.get()?);
        p.put(|| Poly1305::new(key))
    }

    fn keylane_poly1305_update(p: Handle<Body>, piece: In<u8>, length: usize) {
        no_fault!(p.fault(), piece.fault_of_bytes(length))?;
        let mut p = p;
        p.get_mut::<Poly1305>()?.update(piece.slice(length)?);
        Ok(())
    }

    fn keylane_poly1305_finish(p: Handle<Body>, tag: Out<[u8; 16]>) {
        no_fault!(p.fault(), tag.fault())?;
        tag.put(finish(p)?.to_bytes())
    }

    fn keylane_poly1305_finish_verify(p: Handle<Body>, tag: In<[u8; 16]>) {
        no_fault!(p.fault(), tag.fault())?;
        let given = Tag::from_bytes(*tag.get()?);
        Ok(finish(p)?.verify(&given)?)
    }

    fn keylane_poly1305_macs(keys: In<[u8; 32]>, messages: In<Message>, count: usize, tags: Out<[u8; 16]>) {
        no_fault!(keys.fault_of(count), messages.fault_of(count), tags.fault_of(count))?;
        let mut tags = tags;
        let messages = messages.checked(count, tags.span(count))?;
        let keys = keys.slice(count)?;
        let tags = tags.slice(count, &[span(keys), span(messages)])?;
        each(keys, messages, tags.iter_mut(), |place, tag| *place = tag.to_bytes())
    }

    fn keylane_poly1305_macs_verify(
        keys: In<[u8; 32]>,
        messages: In<Message>,
        count: usize,
        tags: In<[u8; 16]>,
        good: Out<u8>,
    ) {
        no_fault!(
            keys.fault_of(count),
            messages.fault_of(count),
            tags.fault_of(count),
            good.fault_of(count),
        )?;
        let mut good = good;
        let messages = messages.checked(count, good.span(count))?;
        let (keys, tags) = (keys.slice(count)?, tags.slice(count)?);
        let good = good.slice(count, &[span(keys), span(messages), span(tags)])?;
        let all = Cell::new(true);
        each(keys, messages, good.iter_mut().zip(tags), |(place, given), tag| {
            let same = tag.verify(&Tag::from_bytes(*given)).is_ok();
            *place = same.into();
            all.set(all.get() & same);
        })?;
        if all.get() { Ok(()) } else { Err(Status::Mismatch) }
    }
}

function! {
    fn keylane_poly1305_wipe(p: Handle<Body>) {
        let mut p = p;
        p.wipe::<Poly1305>();
    }
}

/// The tag of all pieces. Wipes the object.
#[inline(always)]
fn finish(p: Handle<Body>) -> Result<Tag, Status> {
    let mut p = p;
    let tag = p.get_mut::<Poly1305>()?.finish_in_place();
    p.wipe::<Poly1305>();
    Ok(tag)
}

/// Passes the tag of each message to `put`, with its place.
#[inline(always)]
fn each<P>(
    keys: &[[u8; 32]],
    messages: &[Checked],
    places: impl Iterator<Item = P>,
    put: impl Fn(P, Tag),
) -> Result<(), Status> {
    match as_slices(messages) {
        Some(slices) => Ok(mac_each(one_time(keys), slices, places, put)?),
        None => some_null(keys, messages, places, put),
    }
}

fn one_time(keys: &[[u8; 32]]) -> impl Iterator<Item = OneTimeKey> {
    keys.iter().map(|key| OneTimeKey::from_bytes(*key))
}

/// The same for messages some of which are null: a few of them at a time.
#[inline(never)]
fn some_null<P>(
    keys: &[[u8; 32]],
    messages: &[Checked],
    places: impl Iterator<Item = P>,
    put: impl Fn(P, Tag),
) -> Result<(), Status> {
    let mut places = places;
    let mut slices: [&[u8]; COLLECTED] = [&[]; COLLECTED];
    for (keys, messages) in keys.chunks(COLLECTED).zip(messages.chunks(COLLECTED)) {
        for (slice, message) in slices.iter_mut().zip(messages) {
            *slice = message.as_ref();
        }
        let slices = slices.get(..messages.len()).ok_or(Status::Count)?;
        mac_each(one_time(keys), slices, places.by_ref(), &put)?;
    }
    Ok(())
}
