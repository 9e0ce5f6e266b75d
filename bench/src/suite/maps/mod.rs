//! `maps`: std's `HashMap` with keylane's hashers, std's and others, and `keylane-map`.
//!
//! Two tables time maps from new to empty: the twelve benchmarks of the prior work. The others time look-ups
//! in a full map, by the size and the number of its keys. Every map is checked before it is timed.

mod keys;

use self::keys::{counted, scattered};
use super::contenders::{Columns, Contender, Start};
use super::{Plan, Show};
use crate::engine::maps::{Found, Full, Life, MapKey, hashers};
use anyhow::{Result, ensure};
use keylane_measure::data::Random;
use std::collections::BTreeMap;
use std::hint::black_box;

const SUITE: &str = "maps";

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// A map gives a wrong answer, or `show` fails.
pub fn maps(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    lives(plan, show)?;
    look_ups(plan, show)
}

/// The benchmarks with integers: numbers of entries.
const INTEGERS: [usize; 4] = [10, 100, 10_000, 1_000_000];

/// The benchmarks with strings: numbers of entries, and the length of a key.
const STRINGS: [(usize, usize); 8] =
    [(10, 2), (100, 4), (10_000, 6), (1_000_000, 8), (10, 20), (100, 20), (10, 100), (100, 100)];

/// Maps from new to empty.
fn lives(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let title = "integers from new to empty, a key for a message";
    if plan.has(title) {
        let mut columns = Columns::default();
        for entries in INTEGERS.into_iter().filter(|&entries| entries <= plan.entries) {
            let keys: Vec<u64> = (0..entries as u64).collect();
            life(plan, &mut columns, &entries.to_string(), &keys)?;
        }
        show(columns.table(SUITE, None, title, vec![]))?;
    }
    let titles = [
        ("strings from new to empty, keys as printed, a key for a message", 255),
        ("strings from new to empty, keys with the carry mended, a key for a message", usize::MAX),
    ];
    for (title, period) in titles.into_iter().filter(|(title, _)| plan.has(title)) {
        let mut columns = Columns::default();
        for (entries, len) in STRINGS.into_iter().filter(|&(entries, _)| entries <= plan.entries) {
            let keys = counted((0..entries).map(|number| number % period), len);
            life(plan, &mut columns, &format!("{entries} x {len} B"), &keys.list())?;
        }
        show(columns.table(SUITE, None, title, vec![]))?;
    }
    Ok(())
}

/// The approximate cycles to insert, look up and delete a key.
const CYCLES_OF_A_LIFE: usize = 150;

/// From this number of entries on, a map exceeds the caches, and a sample of its life takes some tenths of a
/// second.
const MANY: usize = 1_000_000;

/// A column of maps from new to empty.
fn life<K: MapKey>(plan: &Plan, columns: &mut Columns, label: &str, keys: &[K]) -> Result<()> {
    let places: BTreeMap<K, u64> = keys.iter().copied().zip(0..).collect();
    let sum = keys.iter().filter_map(|key| places.get::<K>(key)).sum();
    let right = Life { entries: places.len(), sum, left: 0 };
    drop(places);
    let mut contenders = Vec::new();
    for (name, side, mut maps) in hashers() {
        let life = maps.life(keys);
        ensure!(life == right, "{name}, {label}: {life:?} instead of {right:?}");
        contenders.push(Contender::new(name, side, move || {
            black_box(maps.life(black_box(keys)));
        }));
    }
    let samples = if keys.len() < MANY { plan.samples } else { plan.samples.min(plan.slow_samples) };
    let plan = &Plan { samples, ..plan.clone() };
    columns.measure(plan, label, (keys.len(), CYCLES_OF_A_LIFE * keys.len()), contenders);
    Ok(())
}

/// The grid: lengths of a string, and numbers of entries.
const LENGTHS: [usize; 5] = [4, 8, 16, 32, 100];
const ENTRIES: [usize; 3] = [100, 10_000, 1_000_000];

/// Look-ups of keys in an order that no branch predictor learns. Either all keys exist or none.
fn look_ups(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let count = plan.rows.first().copied().unwrap_or_default();
    let entries = || ENTRIES.into_iter().filter(|&entries| entries <= plan.entries);
    let titles = [
        "integers, look-ups that hit, a look-up for a message",
        "integers, look-ups that miss, a look-up for a message",
    ];
    if titles.iter().any(|title| plan.has(title)) {
        let mut columns = [Columns::default(), Columns::default()];
        for entries in entries() {
            let mut random = Random::new(entries as u64);
            let mut draw = |n| (0..n).map(|_| random.next_u64()).collect::<Vec<_>>();
            let (keys, missing) = (draw(entries), draw(count));
            let present = order(entries, count).map(|place| keys[place]).collect::<Vec<_>>();
            grid(plan, &mut columns, &entries.to_string(), &keys, [&present, &missing])?;
        }
        for (title, columns) in titles.into_iter().zip(columns).filter(|(title, _)| plan.has(title)) {
            show(columns.table(SUITE, None, title, vec![]))?;
        }
    }
    let titles = [
        "strings, look-ups that hit, a look-up for a message",
        "strings, look-ups that miss, a look-up for a message",
    ];
    if titles.iter().any(|title| plan.has(title)) {
        let mut columns = [Columns::default(), Columns::default()];
        for (len, entries) in LENGTHS.into_iter().flat_map(|len| entries().map(move |entries| (len, entries)))
        {
            let keys = scattered(0..entries, len);
            let present = scattered(order(entries, count), len);
            let missing = scattered(entries..entries + count, len);
            let label = format!("{entries} x {len} B");
            grid(plan, &mut columns, &label, &keys.list(), [&present.list(), &missing.list()])?;
        }
        for (title, columns) in titles.into_iter().zip(columns).filter(|(title, _)| plan.has(title)) {
            show(columns.table(SUITE, None, title, vec![]))?;
        }
    }
    Ok(())
}

/// The approximate cycles of a look-up.
const CYCLES_OF_A_LOOK_UP: usize = 25;

/// Indices of entries: independent and uniform.
fn order(entries: usize, count: usize) -> impl Iterator<Item = usize> {
    let mut random = Random::new(7);
    (0..count).map(move |_| random.within(0..=entries - 1))
}

/// A column of look-ups that hit, and one of look-ups that miss.
fn grid<K: MapKey>(
    plan: &Plan,
    columns: &mut [Columns; 2],
    label: &str,
    keys: &[K],
    wanted: [&[K]; 2],
) -> Result<()> {
    let places: BTreeMap<K, u64> = keys.iter().copied().zip(0..).collect();
    let rights = wanted.map(|wanted| {
        let values = wanted.iter().filter_map(|key| places.get::<K>(key));
        Found { keys: values.clone().count(), sum: values.sum() }
    });
    drop(places);
    let maps: Vec<(_, _, Box<dyn Full<K> + '_>)> =
        hashers().map(|(name, side, mut maps)| (name, side, maps.full(keys))).collect();
    // Otherwise the first and the last map, which run twice in a row, would find more in the caches than the
    // others.
    let start = if keys.len() < MANY { Start::Warm } else { Start::Cold };
    for ((wanted, right), columns) in wanted.into_iter().zip(rights).zip(columns) {
        let mut contenders = Vec::new();
        for (name, side, map) in &maps {
            let found = map.look_up(wanted);
            ensure!(found == right, "{name}, {label}: {found:?} instead of {right:?}");
            contenders.push(Contender::new(*name, *side, move || {
                black_box(map.look_up(black_box(wanted)));
            }));
        }
        let work = (wanted.len(), CYCLES_OF_A_LOOK_UP * wanted.len());
        columns.measure_from(start, plan, label, work, contenders);
    }
    Ok(())
}
