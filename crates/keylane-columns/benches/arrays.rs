//! `hash_array` beside the core's batch call, in cycles a value: `cargo bench -p keylane-columns`.
//!
//! Both return their tags in new memory. What is timed are ratios within a round; see `keylane_measure::sample`.

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, StringArray, StringViewArray};
use keylane::siphash::{Key, SipHash, SipHash13, SipHash24};
use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Form};
use keylane_measure::data::Random;
use keylane_measure::sample::{Contest, interleaved};
use std::hint::black_box;

const ROUNDS: usize = 31;

/// Values that are hashed for one sample. A small array is hashed several times.
const VALUES: usize = 1 << 18;

struct Pair<'a> {
    core: &'a dyn Fn() -> Vec<u64>,
    array: &'a dyn Fn() -> ArrayRef,
    repeats: usize,
}

impl Contest for Pair<'_> {
    fn contenders(&self) -> usize {
        2
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        let (core, array, repeats) = (self.core, self.array, self.repeats);
        if contender == 0 {
            Box::new(move || (0..repeats).for_each(|_| drop(black_box(core()))))
        } else {
            Box::new(move || (0..repeats).for_each(|_| drop(black_box(array()))))
        }
    }
}

fn compare(name: &str, rows: usize, core: &dyn Fn() -> Vec<u64>, array: &dyn Fn() -> ArrayRef) {
    let repeats = (VALUES / rows).max(1);
    let samples = interleaved(&mut Pair { core, array, repeats }, ROUNDS).samples;
    let values = (rows * repeats) as f64;
    let (Some(core), Some(ratio)) = (samples[0].cycles(), samples[1].ratio(&samples[0])) else {
        println!("{name:<24} {rows:>8}  no samples");
        return;
    };
    println!(
        "{name:<24} {rows:>8} {:>12.2} {:>8.3} ({:.3} to {:.3})",
        core.median / values,
        ratio.median,
        ratio.lower,
        ratio.upper
    );
}

fn suite<const C: usize, const D: usize>(
    name: &str,
    core: &SipHash<C, D>,
    hasher: &ColumnHasher,
    rows: usize,
) {
    let mut random = Random::new(1);
    let hash = |array: &dyn Array| hasher.hash_array("c", array).expect("tags");
    let integers: Vec<i64> = (0..rows).map(|_| random.next_u64() as i64).collect();
    let words: Vec<u64> = integers.iter().map(|&word| word as u64).collect();
    let int64 = Int64Array::from(integers);
    let integers = || {
        let mut tags = vec![0; rows];
        core.hash_u64s(&words, &mut tags).expect("as many tags");
        tags
    };
    compare(&format!("{name} int64"), rows, &integers, &|| hash(&int64));
    let int32 = Int32Array::from_iter_values(words.iter().map(|&word| word as i32));
    compare(&format!("{name} int32"), rows, &integers, &|| hash(&int32));

    let texts: Vec<String> = (0..rows).map(|_| "x".repeat(random.within(4..=20))).collect();
    let utf8 = StringArray::from_iter_values(&texts);
    let offsets = || {
        let mut tags = vec![0; rows];
        core.hash_offsets(utf8.value_data(), utf8.value_offsets(), &mut tags).expect("offsets");
        tags
    };
    compare(&format!("{name} utf8 4..20"), rows, &offsets, &|| hash(&utf8));

    let view = StringViewArray::from_iter_values(&texts);
    let views = || {
        let mut tags = vec![0; rows];
        core.hash_views(view.views(), view.data_buffers(), &mut tags).expect("views");
        tags
    };
    compare(&format!("{name} utf8_view 4..20"), rows, &views, &|| hash(&view));
}

fn main() {
    let key = || Key::from_bytes([7; 16]);
    let hasher = |algorithm| -> ColumnHasher {
        ColumnHasher::new(&ColumnKey::new("k", key()), algorithm).with_form(Form::UInt64).expect("64 bits")
    };
    let (fast, slow) = (hasher(Algorithm::SipHash13), hasher(Algorithm::SipHash24));
    println!("{:<24} {:>8} {:>12} {:>8}", "", "rows", "core cycles", "ratio");
    for rows in [1 << 13, 1 << 20] {
        suite("1-3", &SipHash13::new(&key()), &fast, rows);
        suite("2-4", &SipHash24::new(&key()), &slow, rows);
    }
}
