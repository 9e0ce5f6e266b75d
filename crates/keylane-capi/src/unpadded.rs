//! SipHash-1-3-UJ: a sequence of blocks without padding.

use crate::memory::{Handle, In, Kept, Object, Out, export, function, no_fault};
use keylane::siphash::Key;
use keylane::siphash::unpadded::SipHash13Uj;

pub type Body = [u64; 5];
/// `keylane_siphash13uj`.
pub type Siphash13Uj = Object<Body>;

impl Kept<Body> for SipHash13Uj {
    const MARK: u64 = 0xd0f2_4b8e_6193_7ac5;
}

export! {
    fn keylane_siphash13uj_init(h: Handle<Body>, key: In<[u8; 16]>) {
        no_fault!(h.fault(), key.fault())?;
        let mut h = h;
        let key = Key::from_bytes(*key.get()?);
        h.put(|| SipHash13Uj::new(&key))
    }

    fn keylane_siphash13uj_word(h: Handle<Body>, word: u64) {
        let mut h = h;
        h.get_mut::<SipHash13Uj>()?.word(word);
        Ok(())
    }

    fn keylane_siphash13uj_jumbo(h: Handle<Body>, block: In<[u8; 32]>) {
        no_fault!(h.fault(), block.fault())?;
        let mut h = h;
        h.get_mut::<SipHash13Uj>()?.jumbo(block.get()?);
        Ok(())
    }

    fn keylane_siphash13uj_finish(h: Handle<Body>, tag: Out<u64>) {
        no_fault!(h.fault(), tag.fault())?;
        tag.put(h.get::<SipHash13Uj>()?.finish())
    }
}

function! {
    fn keylane_siphash13uj_wipe(h: Handle<Body>) {
        let mut h = h;
        h.wipe::<SipHash13Uj>();
    }
}
