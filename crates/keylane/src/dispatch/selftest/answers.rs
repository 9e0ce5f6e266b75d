//! The checksums that the self-tests compare with. keylane-ref gives them, and the conformance suite computes them again.

use super::data::LENGTHS_PN;

/// Checksums of SipHash tags of 64 bits, for each of `ROUNDS`. The jobs: messages, the same in separate slices, then fixed-width
/// messages (these three run once), the messages again, the same folded, and integers of 4, 8 and 16 bytes. Integer i is
/// the low bytes of `integer(i)`.
pub const SIPHASH: [u64; 6] = [
    0xd2ae_8d5f_ec45_5660,
    0xb641_b1d6_b933_e949,
    0x8177_9101_c769_f0d1,
    0xabc1_49f3_e58d_a5ba,
    0xb42b_7d65_1d16_df34,
    0x67cd_8009_8b08_0949,
];
/// Checksums of SipHash tags of 128 bits.
pub const SIPHASH_WIDE: [u64; 6] = [
    0x3e88_c86e_0514_e077,
    0x0ee4_66a7_786b_ddd3,
    0xc956_46f6_204b_02c7,
    0xd508_75e7_5dd0_1922,
    0x514c_28c4_dc98_0e3a,
    0xfedb_adda_bd63_5d2d,
];
/// Checksums of HalfSipHash tags of 32 bits.
pub const HALFSIPHASH: [u64; 6] = [
    0xcccd_fa77_2782_5a8d,
    0x5791_35a6_5f9c_8345,
    0x1408_0b68_a021_8cd4,
    0x59dc_9e42_0238_e1c0,
    0xd3c6_dc3e_07a3_8193,
    0x02a1_7109_dfe7_5673,
];
/// Checksums of HalfSipHash tags of 64 bits.
pub const HALFSIPHASH_WIDE: [u64; 6] = [
    0x88d9_b702_0225_05cb,
    0x347b_b170_f59d_1c9a,
    0x582b_f515_775b_0410,
    0x1711_562a_bd17_af30,
    0x518e_e6c7_a9a8_b12c,
    0x1c1e_256f_a2c9_a4c6,
];
/// Checksums of tags of one word under the first of `ROUNDS`: of the messages with one that is long, of short
/// slices, of few integers, and of small batches. They take a kernel's other paths.
pub const SIPHASH_PATHS: u64 = 0x7868_249f_a052_ca33;
/// The same for HalfSipHash.
pub const HALFSIPHASH_PATHS: u64 = 0xd8e2_5d9b_4cc4_d633;
/// Checksums of SipHash tags of 144 bytes of input, for each of `ROUNDS`: unfolded, then folded.
pub const SIPHASH_LONG: [u64; 6] = [
    0x530b_d109_0864_0ca2,
    0x5780_0a46_59bf_a9f6,
    0x345b_2101_ecd1_a07e,
    0x63b6_3483_03b6_8d8d,
    0xa01f_8233_f668_b6ac,
    0xd148_f211_f480_5116,
];
/// The checksum of the tags of `poly1305-x1`: `SHORT_MACS` messages of each text.
pub const POLY1305: u64 = 0x10fc_8272_e02a_3f76;

/// The checksums of the tags of `poly1305-xn`, one for each of `BATCHES`.
pub const POLY1305_XN: [u64; 5] = [
    0x8912_1a29_1ebb_bcc8,
    0xf6ac_660b_0c78_8573,
    0x0ef0_5117_2bd3_acbf,
    0x9664_7f2b_df10_b29d,
    0x0733_3353_a915_1f77,
];

/// The checksums of the tags of `poly1305-pn`, one for each of `LENGTHS_PN`: the first bytes of each text, message i under key `i % MACS`.
pub const POLY1305_PN: [u64; LENGTHS_PN.len()] = [
    0xf35f_4c10_04f9_3708,
    0xb552_11bf_d577_ae6d,
    0x5358_02c0_0ef9_8755,
    0x755d_f604_621c_8e61,
    0xafc5_ac7b_31de_866d,
    0xd153_8fdf_feb2_0da9,
    0x5efa_4ae3_8c72_1293,
    0x8d93_3801_ab27_31fc,
    0xce10_9e06_1df8_9f60,
    0x894a_93eb_287a_9cf9,
    0xfb12_00f1_edc2_0391,
    0xcc9a_6aff_1385_cf8f,
    0x2b97_8e36_c96a_bb5f,
    0xf135_eed3_fe8d_df09,
    0xb884_6763_ed1d_4ec8,
    0x7224_861b_b548_b3b1,
    0xae99_c8f7_6672_9845,
    0x9cc3_6c4b_477d_681f,
    0x5f2e_e08c_04fb_f695,
];

/// The checksum of the tags of `poly1305-parts`.
pub const POLY1305_PARTS: u64 = 0x4b0f_b395_d862_a3c2;

/// The checksum of the runs of `chacha20-pn`: of each, the one-time key, then all bytes.
pub const CHACHA20_PN: u64 = 0xf561_c2e1_28e2_6262;
/// The checksum of the runs of `chacha20-xn`, under one key, then under a key each: the one-time keys, then all bytes.
pub const CHACHA20_XN: u64 = 0xfbb7_2e84_8348_a8a0;
/// The checksum of the packets of `chacha20poly1305-pn`: of each, all bytes, then the tag.
pub const CHACHA20POLY1305_PN: u64 = 0x2493_097a_b2ce_7a16;
