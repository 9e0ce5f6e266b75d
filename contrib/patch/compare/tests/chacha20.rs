//! Key streams beside those of the crate that is replaced: random pieces, from random places.

use chacha20_09::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use compare::Random;

fn both<Ours, Theirs>(seed: u64, nonce_bytes: usize)
where
    Ours: KeyIvInit + StreamCipher + StreamCipherSeek,
    Theirs: KeyIvInit + StreamCipher + StreamCipherSeek,
{
    let mut random = Random(seed);
    for _ in 0..300 {
        let (key, nonce) = (random.bytes(32), random.bytes(nonce_bytes));
        let mut ours = Ours::new_from_slices(&key, &nonce).unwrap();
        let mut theirs = Theirs::new_from_slices(&key, &nonce).unwrap();
        for _ in 0..random.below(20) {
            let message = random.message();
            let (mut a, mut b) = (message.clone(), message.clone());
            if random.below(4) == 0 {
                ours.apply_keystream_b2b(&message, &mut a).unwrap();
            } else {
                ours.apply_keystream(&mut a);
            }
            theirs.apply_keystream(&mut b);
            assert_eq!(a, b);
            if random.below(4) == 0 {
                // Also near the end of the key stream.
                let end = 64 * u64::from(u32::MAX);
                let place = [random.number() % 10_000, random.number() % end][random.below(2)];
                ours.seek(place);
                theirs.seek(place);
            }
            assert_eq!(ours.current_pos::<u64>(), theirs.current_pos::<u64>());
        }
        // The last bytes, and no more.
        let left = 1 + random.below(300);
        let place = 64 * u64::from(u32::MAX) - left as u64;
        ours.seek(place);
        theirs.seek(place);
        let (mut a, mut b) = (vec![0; left], vec![0; left]);
        assert!(ours.try_apply_keystream(&mut vec![0; left + 1]).is_err());
        ours.apply_keystream(&mut a);
        theirs.apply_keystream(&mut b);
        assert_eq!(a, b);
        assert!(ours.try_apply_keystream(&mut [0]).is_err());
    }
    assert!(Ours::new_from_slices(&[0; 31], &vec![0; nonce_bytes]).is_err());
}

#[test]
fn chacha20() {
    both::<chacha20_09::ChaCha20, their_chacha20_09::ChaCha20>(5, 12);
}

#[test]
fn xchacha20() {
    both::<chacha20_09::XChaCha20, their_chacha20_09::XChaCha20>(6, 24);
}

#[test]
fn legacy() {
    both::<chacha20_09::ChaCha20Legacy, their_chacha20_09::ChaCha20Legacy>(7, 8);
}

#[test]
fn hchacha20() {
    use chacha20_09::cipher::consts::U10;

    let mut random = Random(8);
    for _ in 0..1000 {
        let (key, start) = (random.bytes(32), random.bytes(16));
        let (key, start) = (key.as_slice().into(), start.as_slice().into());
        assert_eq!(chacha20_09::hchacha::<U10>(key, start), their_chacha20_09::hchacha::<U10>(key, start));
    }
}

#[test]
fn wiped() {
    fn wipes<T: zeroize::ZeroizeOnDrop + Send + Sync>() {}
    wipes::<chacha20_09::ChaCha20>();
    wipes::<chacha20_09::XChaCha20>();
    wipes::<chacha20_09::ChaCha20Legacy>();
}
