//! The computation takes the same random blocks as the one that it replaces.

use compare::Random;

macro_rules! version {
    ($test:ident, $ours:ident, $theirs:ident) => {
        #[test]
        fn $test() {
            use $ours::universal_hash::{KeyInit, UniversalHash};

            let mut random = Random(2);
            for _ in 0..2000 {
                let key: [u8; 32] = match random.below(4) {
                    0 => [0xff; 32],
                    _ => random.bytes(32).try_into().unwrap(),
                };
                let mut ours = $ours::Poly1305::new(&key.into());
                let mut theirs = $theirs::Poly1305::new(&key.into());
                for _ in 0..random.below(6) {
                    let mut data = random.message();
                    if random.below(4) == 0 {
                        data.fill(0xff);
                    }
                    if random.below(2) == 0 {
                        ours.update_padded(&data);
                        theirs.update_padded(&data);
                    } else {
                        let blocks: Vec<$ours::Block> =
                            data.as_chunks::<16>().0.iter().map(|&block| block.into()).collect();
                        ours.update(&blocks);
                        theirs.update(&blocks);
                    }
                    if random.below(3) == 0 {
                        // A copy goes on by itself.
                        let mut copy = ours.clone();
                        copy.update_padded(&data);
                        let tag = theirs.clone().finalize();
                        assert_eq!(ours.clone().finalize(), tag);
                        theirs.update_padded(&data);
                        ours = copy;
                    }
                }
                let message = random.message();
                assert_eq!(
                    ours.clone().compute_unpadded(&message),
                    theirs.clone().compute_unpadded(&message),
                );
                let mut tag = theirs.finalize();
                assert!(ours.clone().verify(&tag).is_ok());
                tag[random.below(16)] ^= 1 << random.below(8);
                assert!(ours.verify(&tag).is_err());
            }
            assert_eq!(($ours::KEY_SIZE, $ours::BLOCK_SIZE), ($theirs::KEY_SIZE, $theirs::BLOCK_SIZE));
            assert_eq!(format!("{:?}", $ours::Poly1305::new(&[7; 32].into())), "Poly1305(..)");
        }
    };
}
version!(current, poly1305, their_poly1305);
version!(previous, poly1305_08, their_poly1305_08);
