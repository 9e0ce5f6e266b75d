//! What each method of the vector traits means, on arrays, and the comparison of an instruction set with that.
//!
//! Algorithms in `generic/` are written over these traits, so each method is tested by itself: in every lane, with
//! bytes, masks, counts and lengths exhaustively, words at the edges in pairs, and random ones. A method that only
//! moves bits meets each bit alone. An instruction set is one test of its folder, which calls the functions here.
//! docs/SOUNDNESS.md says which methods are exhaustive.
//!
//! All of it is `#[inline(always)]`, so that it becomes part of the function that enables the instructions.

pub mod chacha20;
#[cfg(target_endian = "little")]
pub mod lanes;
#[cfg(target_endian = "little")]
pub mod lanes128;
pub mod messages26;
pub mod radix26;

/// A generator of words (SplitMix64). Each test begins with the same state.
pub struct Random(u64);

impl Random {
    pub fn new() -> Self {
        Random(0x2545_f491_4f6c_dd1d)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    pub fn array<const N: usize>(&mut self) -> [u64; N] {
        core::array::from_fn(|_| self.word())
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.word() as u8).collect()
    }
}

/// How many random inputs a method meets.
pub const RANDOM: usize = if cfg!(debug_assertions) { 200 } else { 5000 };

/// Words of this many bits at the edges of signs, halves, bytes, and of the numbers that kernels mask and shift by.
pub fn edges(bits: u32) -> Vec<u64> {
    let most = u64::MAX >> (64 - bits);
    let (sign, half) = (1 << (bits - 1), 1u64 << (bits / 2));
    let mut edges = vec![0, 1, 2, 3, 7, 8, 15, 31, 32, 63, 64, 127, 128];
    edges.extend([most, most - 1, most - 7, sign, sign - 1, sign + 1, half, half - 1, half + 1, sign - half]);
    edges.extend([0x5555_5555_5555_5555, 0x7f7f_7f7f_7f7f_7f7f, 0x8080_8080_8080_8080].map(|x| x & most));
    if bits == 64 {
        edges.extend([(1 << 26) - 1, 1 << 26, (1 << 44) - 1, 1 << 44, (1 << 52) - 1, 1 << 52, most << 52]);
    }
    edges
}

/// The number of [`pairs`] of words at the edges.
pub fn count_of_pairs(bits: u32) -> usize {
    edges(bits).len().pow(2) + RANDOM
}

/// Pair `k`, lane by lane: each lane meets every pair of words at the edges, beside other pairs. Then random pairs.
pub fn pair<const N: usize>(edges: &[u64], random: &mut Random, k: usize) -> [[u64; N]; 2] {
    let n = edges.len();
    if k >= n * n {
        return [random.array(), random.array()];
    }
    let words = |first: usize, step: usize| core::array::from_fn(|lane| edges[(first + step * lane) % n]);
    [words(k / n, 1), words(k % n, 3)]
}

/// Each bit of N words of this many bits alone, then words at the edges in every lane, then random words.
pub fn words<const N: usize>(bits: u32) -> Vec<[u64; N]> {
    let (mut random, edges) = (Random::new(), edges(bits));
    let most = u64::MAX >> (64 - bits);
    let mut words: Vec<[u64; N]> = Vec::new();
    for bit in 0..bits as usize * N {
        let mut one = [0; N];
        one[bit / bits as usize] = 1 << (bit % bits as usize);
        words.push(one);
    }
    words.extend((0..edges.len()).map(|k| core::array::from_fn(|lane| edges[(k + lane) % edges.len()])));
    words.extend((0..RANDOM).map(|_| random.array().map(|word| word & most)));
    words
}

/// Each bit of `count` bytes alone, then random bytes.
pub fn bits_of_bytes(count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new();
    let mut all: Vec<Vec<u8>> = (0..8 * count)
        .map(|bit| {
            let mut one = vec![0; count];
            one[bit / 8] = 1 << (bit % 8);
            one
        })
        .collect();
    all.extend((0..RANDOM / 10).map(|_| random.bytes(count)));
    all
}

/// The number of at most 8 bytes.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A number for each lane.
pub fn each<T, const N: usize>(of: impl FnMut(usize) -> T) -> [T; N] {
    core::array::from_fn(of)
}

/// A test of an instruction set, which runs where the CPU has these features.
macro_rules! with_instructions {
    ($(#[$doc:meta])* $name:ident, [$($feature:tt),*], $check:block) => {
        $(#[$doc])*
        #[test]
        fn $name() {
            $(#[target_feature(enable = $feature)])*
            fn check() {
                $check
            }
            let lacks = $crate::job::cpu::Features::named(&[$($feature),*])
                .without($crate::job::cpu::Features::available());
            if !lacks.is_empty() {
                let names: Vec<&str> = lacks.names().collect();
                println!("{}: skipped, this CPU lacks {}", stringify!($name), names.join(", "));
                return;
            }
            // SAFETY: the features that `check` enables have been detected.
            unsafe { check() }
        }
    };
}
pub(crate) use with_instructions;

/// A method without a comparison is a fault: each method of a trait is called as `cpu.NAME` in its model.
#[test]
#[cfg(target_endian = "little")]
fn models_have_every_method() {
    let (lanes, chacha20) = (include_str!("lanes.rs"), include_str!("chacha20.rs"));
    let (radix26, messages26) = (include_str!("radix26.rs"), include_str!("messages26.rs"));
    let radix44 = include_str!("../x86_64/models/radix44.rs");
    for (name, source, model) in [
        ("Lanes", include_str!("../generic/lanes.rs"), lanes),
        ("Simd128", include_str!("../generic/lanes128.rs"), include_str!("lanes128.rs")),
        ("Vectors32", include_str!("../generic/chacha20.rs"), chacha20),
        ("Rows32", include_str!("../generic/chacha20.rs"), chacha20),
        ("Vectors26", include_str!("../generic/radix26/vectors.rs"), radix26),
        ("School", include_str!("../generic/radix26/school.rs"), radix26),
        ("MessageVectors", include_str!("../generic/messages26.rs"), messages26),
        ("Vectors44", include_str!("../x86_64/radix44.rs"), radix44),
        ("Blocks", include_str!("../x86_64/blocks44.rs"), radix44),
        ("Tags44", include_str!("../x86_64/messages44.rs"), radix44),
    ] {
        // From the trait's head to the brace that ends it.
        let after = source.split(&format!("pub trait {name}")).nth(1).expect("the trait");
        let body = after.split("\n}\n").next().unwrap_or_default();
        let declared = body.split("\n    ").filter_map(|line| {
            // What `Vectors44` provides is the algorithm, which no instruction set replaces.
            let is_counted = name != "Vectors44" || line.ends_with(';');
            let line = line.strip_prefix("unsafe ").unwrap_or(line).strip_prefix("fn ")?;
            line.split(['(', '<']).next().filter(|_| is_counted)
        });
        let declared: Vec<&str> = declared.collect();
        assert!(declared.len() > 1, "{name}: only {declared:?}");
        let missing: Vec<&&str> = declared
            .iter()
            .filter(|name| {
                !["(", "::<"].iter().any(|end| {
                    [".", "B::"].iter().any(|begin| model.contains(&format!("{begin}{name}{end}")))
                })
            })
            .collect();
        assert!(missing.is_empty(), "{name}: no comparison of {missing:?}");
    }
}
