//! A Bloom filter under a key, for columns of Arrow.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray};
use keylane_columns::{Algorithm, ColumnError, ColumnHasher, ColumnKey};
use std::f64::consts::LN_2;

/// A set of values that may take others for its own, but never forgets one.
pub struct Filter {
    hasher: ColumnHasher,
    words: Vec<u64>,
    /// How many bits a value sets.
    probes: u32,
}

impl Filter {
    /// A filter that takes at most about this share of other values for its own, once it has `values` different values.
    pub fn new(key: &ColumnKey, values: usize, share: f64) -> Filter {
        let probes = -share.clamp(1e-9, 0.5).log2();
        let bits = values.max(1) as f64 * probes / LN_2;
        Filter {
            hasher: ColumnHasher::new(key, Algorithm::SipHashX13),
            words: vec![0; (bits / 64.0).ceil() as usize],
            probes: probes.round() as u32,
        }
    }

    /// The size in bits.
    pub fn bits(&self) -> u64 {
        64 * self.words.len() as u64
    }

    /// Inserts the values of a column, but no null. The error names the column.
    pub fn insert(&mut self, name: &str, column: &dyn Array) -> Result<(), ColumnError> {
        for tag in tags(&self.hasher, name, column)?.into_iter().flatten() {
            for bit in places(tag, self.probes, self.bits()) {
                if let Some(word) = self.words.get_mut(bit / 64) {
                    *word |= 1 << (bit % 64);
                }
            }
        }
        Ok(())
    }

    /// For each value of a column, whether it may have been inserted; null for a null.
    pub fn may_contain(&self, name: &str, column: &dyn Array) -> Result<BooleanArray, ColumnError> {
        let is_set = |bit: usize| self.words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1);
        let known = |tag| places(tag, self.probes, self.bits()).all(is_set);
        Ok(tags(&self.hasher, name, column)?.into_iter().map(|tag| tag.map(known)).collect())
    }
}

/// The tags of a column's values.
fn tags(hasher: &ColumnHasher, name: &str, column: &dyn Array) -> Result<Vec<Option<u128>>, ColumnError> {
    let tags = hasher.hash_array(name, column)?;
    let number = |tag: &[u8]| tag.try_into().map_or(0, u128::from_le_bytes);
    Ok(tags.as_fixed_size_binary().iter().map(|tag| tag.map(number)).collect())
}

/// The bits of a tag. For each, the second half of the tag is added to the first, and the sum is scaled to the filter.
fn places(tag: u128, probes: u32, bits: u64) -> impl Iterator<Item = usize> {
    let (first, step) = (tag as u64, (tag >> 64) as u64 | 1);
    (0..u64::from(probes)).map(move |i| {
        let sum = first.wrapping_add(step.wrapping_mul(i));
        ((u128::from(sum) * u128::from(bits)) >> 64) as usize
    })
}
