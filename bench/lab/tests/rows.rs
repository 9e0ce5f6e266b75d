//! Tests of the lab's rows that the conformance suite does not make: known answers, and the transposes alone.

use keylane_lab::bitslice::Bytes256;
use keylane_lab::table::{
    POLY1305_X1, SIPHASH_X1_ABLATION, SIPHASH_X1_STEPS, SIPHASH_XN, TRANSPOSE_8X256, groups,
};

#[test]
fn rows_give_the_known_answers() {
    for row in SIPHASH_XN.runnable() {
        assert!(row.passes(), "{}", row.id());
    }
    for row in SIPHASH_X1_STEPS.runnable() {
        assert!(row.passes(), "{}", row.id());
    }
    for row in SIPHASH_X1_ABLATION.runnable() {
        assert!(row.passes(), "{}", row.id());
    }
    for row in POLY1305_X1.runnable() {
        assert!(row.passes(), "{}", row.id());
    }
}

#[test]
fn transposes_of_words_undo_each_other() {
    let ids: Vec<&str> = groups().iter().map(|group| group.id()).collect();
    assert!(ids.iter().copied().eq(SIPHASH_XN.runnable().map(|row| row.id())), "{ids:?}");
    for group in groups() {
        assert!(group.passes(), "{}", group.id());
    }
}

/// One bit at a time: each of the 2048 bits appears at its place and nowhere else.
#[test]
fn transpose_of_8_by_256_bits() {
    for row in TRANSPOSE_8X256.runnable() {
        assert!(row.passes(), "{}", row.id());
        for place in 0..2048 {
            let (byte, bit) = (place / 8, place % 8);
            let mut bytes = [0; 256];
            bytes[byte] = 1 << bit;
            let mut expected = [[0; 4]; 8];
            expected[bit][byte / 64] = 1 << (byte % 64);
            let mut planes = [[!0; 4]; 8];
            row.run(Bytes256 { bytes: &bytes, planes: &mut planes });
            assert_eq!(planes, expected, "{}: bit {bit} of byte {byte}", row.id());
        }
    }
}
