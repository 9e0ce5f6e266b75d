//! Batches of messages of every length, and their memory layouts.

use crate::input::{Random, Text};
use keylane::job::siphash::{Layout, Messages};

/// Lists of `count` lengths. A comment on each tells the faults it should find.
pub fn ragged_lengths(count: usize, lanes: usize, random: &mut Random) -> Vec<Vec<usize>> {
    let mut lists = vec![
        // Only last words. Finds a kernel that takes a first word without checking.
        vec![0; count],
        // All equal, and whole words. Tests the path without masks, and an empty tail.
        vec![24; count],
        // Lanes that end one after the other, in both orders.
        (0..count).map(|i| i % 41).collect(),
        (0..count).rev().map(|i| i % 41).collect(),
        // Lanes that end in any order. Finds refilled lanes that take each other's tail.
        (0..count).map(|_| random.below(80)).collect(),
        // Only the number of words differs, or only the tail.
        (0..count).map(|_| 8 * random.below(6)).collect(),
        (0..count).map(|_| 16 + random.below(8)).collect(),
    ];
    // One long message among short ones, and one empty message among others, in each lane. The long one must
    // continue alone; the empty one must not take a neighbour's words.
    for lane in 0..count.min(lanes) {
        lists.push((0..count).map(|i| if i == lane { 700 } else { 3 }).collect());
        lists.push((0..count).map(|i| if i == lane { 0 } else { 21 }).collect());
    }
    if count > lanes {
        lists.push((0..count).map(|i| if i + 1 == count { 700 } else { 11 }).collect());
    }
    lists
}

/// Messages that lie one after the other in the pool, from `start` on.
pub fn in_a_row(start: usize, lengths: &[usize]) -> Vec<Text> {
    let place = |end: &mut usize, &len: &usize| {
        *end += len;
        Some(Text::at(*end - len, len))
    };
    lengths.iter().scan(start, place).collect()
}

/// Calls `run` with the same messages in each layout that can hold them. They lie one after the other. The
/// layouts:
/// * slices;
/// * offsets of either size, from 0 and from above 0;
/// * offsets with bytes after the last message too: a kernel may then read around each message;
/// * rows.
pub fn every_layout(pool: &[u8], texts: &[Text], mut run: impl FnMut(&str, Messages<'_>)) {
    let slices: Vec<&[u8]> = texts.iter().map(|text| &pool[text.range()]).collect();
    run("slices", Messages::Bytes(Layout::Slices(&slices)));

    let start = texts.first().map_or(0, |text| text.start);
    let end = texts.last().map_or(start, |text| text.range().end);
    let bounds: Vec<usize> = texts.iter().map(|text| text.start).chain([end]).collect();
    for (from, to, name) in
        [(start, end, "offsets"), (0, end, "sliced offsets"), (0, pool.len(), "offsets with room around")]
    {
        let bytes = &pool[from..to];
        let offset = |bound: &usize| i32::try_from(bound - from).expect("less than 2^31");
        let narrow: Vec<i32> = bounds.iter().map(offset).collect();
        let wide: Vec<i64> = narrow.iter().map(|&offset| offset.into()).collect();
        let layout = Layout::Offsets32 { bytes, offsets: &narrow };
        run(&format!("32-bit {name}"), Messages::Bytes(layout));
        let layout = Layout::Offsets64 { bytes, offsets: &wide };
        run(&format!("64-bit {name}"), Messages::Bytes(layout));
    }
    if texts.is_empty() {
        run("no offsets", Messages::Bytes(Layout::Offsets32 { bytes: pool, offsets: &[] }));
        run("no offsets", Messages::Bytes(Layout::Offsets64 { bytes: pool, offsets: &[] }));
    }
    let width = texts.first().map_or(0, |text| text.len);
    if texts.iter().all(|text| text.len == width) {
        run("rows", Messages::Bytes(Layout::Rows { bytes: &pool[start..end], width }));
    }
}

/// Calls `run` with copies of texts of the pool in each layout, where every byte outside the messages of this parity
/// differs from the pool's: all other messages, and the bytes before, behind and between the messages.
pub fn surrounded(
    pool: &[u8],
    texts: &[Text],
    parity: usize,
    random: &mut Random,
    mut run: impl FnMut(&str, Messages<'_>),
) {
    // Enough room for a kernel to read around the longest message.
    let room = texts.iter().map(|text| text.len).max().unwrap_or(0) + 72;
    let total: usize = texts.iter().map(|text| text.len).sum();
    let mut memory = vec![0; total + 2 * room];
    let copies = in_a_row(room, &texts.iter().map(|text| text.len).collect::<Vec<_>>());
    // A message that is not kept differs from the pool in every byte.
    memory.fill_with(|| random.word() as u8);
    for (i, (copy, text)) in copies.iter().zip(texts).enumerate() {
        for (byte, &original) in memory[copy.range()].iter_mut().zip(&pool[text.range()]) {
            *byte = original ^ if i % 2 == parity { 0 } else { *byte | 1 };
        }
    }
    every_layout(&memory, &copies, &mut run);

    // Slices with gaps of every length up to a tile of words.
    let mut memory = vec![0; total + 40 * (texts.len() + 1)];
    memory.fill_with(|| random.word() as u8);
    let mut end = 40;
    let place = |text: &Text| {
        let copy = Text::at(end, text.len);
        memory[copy.range()].copy_from_slice(&pool[text.range()]);
        end = copy.range().end + random.below(41);
        copy
    };
    let copies: Vec<Text> = texts.iter().map(place).collect();
    let slices: Vec<&[u8]> = copies.iter().map(|copy| &memory[copy.range()]).collect();
    run("slices with gaps", Messages::Bytes(Layout::Slices(&slices)));
}
