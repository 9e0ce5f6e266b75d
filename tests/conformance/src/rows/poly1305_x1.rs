//! Poly1305, one message: `poly1305-x1` and `poly1305-pn`.

use super::oracle::{self, Macs};
use super::wraps::Column;
use super::{Checked, Extent, LONGEST, Row};
use crate::check::Check;
use crate::input::{Pool, Random, Text};
use crate::modp::{self, Residue};
use crate::vectors::{Published, Verdict};
use keylane::dispatch::select::Runnable;
use keylane::dispatch::table;
use keylane::job::kernel::Shape;
use keylane::job::limits::Method;
use keylane::job::poly1305::{Blocks, Key, Message, Pair, Pn, Powers, State, Table, X1};
use keylane_ref as spec;

/// A shape whose kernels process one message, at once or job by job.
trait OneMessage: Shape {
    /// The data that a kernel keeps between jobs, besides the state.
    type Kept;

    /// That data before the first job.
    fn nothing() -> Self::Kept;

    /// Absorbs blocks, then `tail` as the last block of the message unless it is empty.
    fn absorb(
        kernel: &Runnable<Self>,
        state: &mut State,
        kept: &mut Self::Kept,
        blocks: &[[u8; 16]],
        tail: &[u8],
    );

    /// The tag of a whole message.
    fn tag(kernel: &Runnable<Self>, key: &[u8; 32], message: &[u8], check: &mut Check) -> [u8; 16];
}

impl OneMessage for X1 {
    type Kept = ();

    fn nothing() {}

    fn absorb(kernel: &Runnable<X1>, state: &mut State, _: &mut (), blocks: &[[u8; 16]], tail: &[u8]) {
        kernel.run(Blocks { state, blocks, tail });
    }

    fn tag(kernel: &Runnable<X1>, key: &[u8; 32], message: &[u8], check: &mut Check) -> [u8; 16] {
        tag(&[kernel], key, [0; 3], message, &[], check)
    }
}

impl OneMessage for Pn {
    type Kept = Powers;

    fn nothing() -> Powers {
        Powers::Unknown
    }

    fn absorb(
        kernel: &Runnable<Pn>,
        state: &mut State,
        powers: &mut Powers,
        blocks: &[[u8; 16]],
        tail: &[u8],
    ) {
        kernel.run(Message::Piece { state, powers, blocks });
        // A partial last block cannot be in a piece.
        table::POLY1305_X1.run(Blocks { state, blocks: &[], tail });
    }

    fn tag(kernel: &Runnable<Pn>, key: &[u8; 32], message: &[u8], check: &mut Check) -> [u8; 16] {
        let (key, mut tag) = (Key::from_bytes(key), 0x55);
        kernel.run(Message::Whole { key: &key, message, tag: &mut tag });
        if let Some(by_registers) = kernel.mac(key.r, key.s, message) {
            check.same(by_registers, tag, || format!("{}: the register entry", kernel.id()));
        }
        tag.to_le_bytes()
    }
}

impl Checked for Pn {
    type Truth = Macs;

    fn truth(extent: Extent) -> Macs {
        Macs::new(extent)
    }

    fn check_row(row: &Row<Self>, truth: &mut Macs, published: &Published, check: &mut Check) {
        // First as on this CPU. Then with every method enabled from its first byte on, without and with the
        // later loops of a kernel.
        for later in [None, Some(usize::MAX), Some(1)] {
            if let Some(later) = later {
                all_ways(later);
            }
            check_one_message(&row.kernel, truth, published, check);
            switches(&row.kernel, truth, check);
            columns(&row.kernel, truth, check);
            edge_states_of_long_pieces(&row.kernel, truth, check);
            foreign_powers(&row.kernel, truth, check);
        }
        Method::all().for_each(Method::forget);
    }

    fn check_pair(first: &Row<Self>, second: &Row<Self>, truth: &mut Macs, check: &mut Check) {
        splits([&first.kernel, &second.kernel], truth, check);
        for later in [usize::MAX, 1] {
            all_ways(later);
            long_splits([&first.kernel, &second.kernel], truth, check);
        }
        Method::all().for_each(Method::forget);
    }
}

/// Enables every method from its first byte on, but the later loops of a kernel only from `later` on.
fn all_ways(later: usize) {
    for method in Method::all() {
        method.assume(if method.is_later_loop() { later } else { 1 });
    }
}

impl Checked for X1 {
    type Truth = Macs;

    fn truth(extent: Extent) -> Macs {
        Macs::new(extent)
    }

    fn check_row(row: &Row<Self>, truth: &mut Macs, published: &Published, check: &mut Check) {
        check_one_message(&row.kernel, truth, published, check);
    }

    fn check_pair(first: &Row<Self>, second: &Row<Self>, truth: &mut Macs, check: &mut Check) {
        splits([&first.kernel, &second.kernel], truth, check);
    }
}

fn check_one_message<S: OneMessage>(
    kernel: &Runnable<S>,
    truth: &mut Macs,
    published: &Published,
    check: &mut Check,
) {
    published_answers(kernel, published, check);
    lengths(kernel, truth, check);
    alignments(kernel, truth, check);
    edge_states(kernel, truth, check);
    pushed_edges(kernel, truth, published, check);
    long_lived_state(kernel, truth, check);
}

/// The largest h2 of an accumulator that a job may start with.
const LARGEST: u64 = 7;

/// The tag of a message whose blocks are absorbed in jobs. Jobs end at `cuts` (in blocks) and at the end; the
/// tail is in the last job. Each job must leave a canonical state and the key unchanged.
fn tag<S: OneMessage>(
    kernels: &[&Runnable<S>],
    key: &[u8; 32],
    h: [u64; 3],
    message: &[u8],
    cuts: &[usize],
    check: &mut Check,
) -> [u8; 16] {
    let mut state = State { h, ..State::new(Key::from_bytes(key)) };
    let (blocks, tail) = message.as_chunks::<16>();
    let (mut start, mut kept) = (0, S::nothing());
    for (i, kernel) in (0..=cuts.len()).zip(kernels.iter().cycle()) {
        let (end, tail) = cuts.get(i).map_or((blocks.len(), tail), |&cut| (cut, &[]));
        S::absorb(kernel, &mut state, &mut kept, &blocks[start..end], tail);
        start = end;
        let key = Key::from_bytes(key);
        let place = || format!("{} left h = {:x?}", kernel.id(), state.h);
        check.same(state.h[2] <= LARGEST, true, place);
        check.same([state.key.r, state.key.s], [key.r, key.s], || format!("{}: the key", kernel.id()));
    }
    state.tag().to_le_bytes()
}

fn published_answers<S: OneMessage>(kernel: &Runnable<S>, published: &Published, check: &mut Check) {
    for case in &published.macs {
        let tag = S::tag(kernel, &case.key, &case.message, check);
        match case.verdict {
            Verdict::Valid => check.same(tag, case.tag, || format!("published: {case:?}")),
            Verdict::Invalid => check.differs(tag, case.tag, || format!("published: {case:?}")),
        }
    }
    for case in &published.presets {
        let (words, _) = case.h.as_chunks();
        let h = std::array::from_fn(|i| u64::from_le_bytes(words[i]));
        let tag = tag(&[kernel], &case.key, h, &case.message, &[], check);
        check.same(tag, case.tag, || format!("published, h = {h:x?}, {:02x?}", case.message));
    }
    for case in &published.composites {
        let mut inner = |i| {
            let (key, message) = case.inner(i);
            S::tag(kernel, &key, &message, check)
        };
        let tags = (0..=255).map(&mut inner).collect::<Vec<_>>().concat();
        let tag = S::tag(kernel, &case.outer_key, &tags, check);
        check.same(tag, case.tag, || "published: the tag of 256 tags".into());
    }
}

/// Every length, under extreme and random keys, with contents of every kind. Tests blocks left over after the
/// lanes of a vector, powers of a large r, and carries through all limbs.
fn lengths<S: OneMessage>(kernel: &Runnable<S>, truth: &mut Macs, check: &mut Check) {
    for key in 0..truth.keys.len() {
        for start in [Pool::COUNTING, Pool::RANDOM, Pool::STRUCTURED, Pool::ONES] {
            for len in 0..=LONGEST {
                compare(&[kernel], key, Text::at(start, len), &[], truth, check);
            }
        }
    }
}

/// Messages that begin at every offset within a cache line.
fn alignments<S: OneMessage>(kernel: &Runnable<S>, truth: &mut Macs, check: &mut Check) {
    for start in 0..64 {
        for len in (0..=64).chain(256..=272) {
            let text = Text::at(Pool::RANDOM + start, len);
            compare(&[kernel], truth.keys.len() - 1, text, &[], truth, check);
        }
    }
}

/// Compares a piece of the pool with keylane-ref.
fn compare<S: OneMessage>(
    kernels: &[&Runnable<S>],
    key: usize,
    text: Text,
    cuts: &[usize],
    truth: &mut Macs,
    check: &mut Check,
) {
    let expected = truth.tag(key, text);
    let key = &truth.keys[key];
    let message = truth.pool.text(text);
    let case = || {
        let ids: Vec<&str> = kernels.iter().map(|kernel| kernel.id()).collect();
        format!("key {key:02x?}, {text:?} cut at blocks {cuts:?}, {ids:?}")
    };
    let actual = tag(kernels, key, [0; 3], message, cuts, check);
    check.same(actual, expected, case);
    if let ([kernel], []) = (kernels, cuts) {
        let whole = S::tag(kernel, key, message, check);
        check.same(whole, expected, || format!("whole: {}", case()));
    }
}

/// Accumulators that no message is known to reach. They are on both sides of every power of two up to 2^131, where
/// limbs of any size carry. Others are around the multiples of p.
fn edge_accumulators() -> Vec<[u64; 3]> {
    let number = |low: u128, h2: u64| [low as u64, (low >> 64) as u64, h2];
    let mut all = vec![number(0, 0), number(u128::MAX, LARGEST)];
    for k in 0..128 {
        let power = 1u128 << k;
        all.extend([power - 1, power, power | 1].map(|low| number(low, 0)));
        // The same with all higher bits set: a carry runs to the top.
        all.push(number(!(power - 1), LARGEST));
    }
    for h2 in 0..=LARGEST {
        // h2 = 3: 2^130 - 6 to 2^130 - 1, p among them; 4: 2^130; 7: 2p - 1 and 2^131 - 1.
        all.extend((0..12).map(|i| number(u128::MAX - i, h2)));
        all.extend((0..4).map(|low| number(low, h2)));
    }
    all
}

/// Those accumulators around multiples of p and of 2^128. Among them are p - 1, p, p + 1, 2^130 - 1, 2^131 -
/// 1 and the largest one that a partial reduction leaves.
fn edges_of_p() -> Vec<[u64; 3]> {
    let near = |h: &[u64; 3]| matches!(h[..2], [_, u64::MAX] | [0..4, 0]);
    edge_accumulators().into_iter().filter(near).collect()
}

/// Preset accumulators under extreme keys, with messages that carry.
fn edge_states<S: OneMessage>(kernel: &Runnable<S>, truth: &Macs, check: &mut Check) {
    let random: [u8; 32] = Random(8).bytes();
    let messages = [
        vec![],
        vec![0],
        vec![0xff; 15],
        vec![0; 16],
        1u128.to_le_bytes().to_vec(),
        vec![0xff; 16],
        vec![0xff; 17],
        vec![0xff; 160],
    ];
    let mut keys = Macs::edge_keys().to_vec();
    keys.push(random);
    let keys = if truth.extent == Extent::Brief { &truth.keys } else { &keys };
    for h in edge_accumulators() {
        let bytes = h.map(u64::to_le_bytes).concat().try_into().expect("24 bytes");
        for &key in keys {
            for message in &messages {
                let expected = spec::poly1305_from(&bytes, &key, message);
                let actual = tag(&[kernel], &key, h, message, &[], check);
                check.same(actual, expected, || format!("h = {h:x?}, key {key:02x?}, {message:02x?}"));
            }
        }
    }
}

/// Sums close to p, moved into each lane of kernels of up to 16 lanes and beyond, and solved messages. Finds
/// lanes that are combined before their carries are done, and a missing final reduction.
fn pushed_edges<S: OneMessage>(
    kernel: &Runnable<S>,
    truth: &mut Macs,
    published: &Published,
    check: &mut Check,
) {
    let most = if truth.extent == Extent::Brief { 2 } else { 20 };
    for wrap in truth.wraps(published, most) {
        let tag = S::tag(kernel, &wrap.key, &wrap.message, check);
        check.same(tag, wrap.tag, || format!("{}: {:02x?}", wrap.name, wrap.message));
    }
}

/// Jobs of 0, 1, 2, ..., 256 blocks on one state, with the tag after each. All bytes are ff, as in Linux'
/// test. Finds a state that is incomplete between jobs, and bounds that creep.
fn long_lived_state<S: OneMessage>(kernel: &Runnable<S>, truth: &Macs, check: &mut Check) {
    let key = [0xff; 32];
    let (r, s) = modp::key(&key);
    let ones = [[0xff; 16]; 256];
    let ones = if truth.extent == Extent::Brief { &ones[..128] } else { &ones };
    let (mut state, mut kept) = (State::new(Key::from_bytes(&key)), S::nothing());
    let mut h = Residue::ZERO;
    for blocks in 0..=ones.len() {
        S::absorb(kernel, &mut state, &mut kept, &ones[..blocks], &[]);
        h = modp::absorb(h, r, ones[..blocks].as_flattened());
        let tag = h.low().wrapping_add(s).to_le_bytes();
        check.same(state.tag().to_le_bytes(), tag, || format!("after jobs of 0 to {blocks} blocks"));
    }
}

/// Long messages: every number of blocks up to several iterations of the longest loop, with and without a partial last
/// block. Then both sides of powers of two. Finds a loop that ends too early or too late, a missing power in a table,
/// and faults of a method that starts at some length.
fn switches<S: OneMessage>(kernel: &Runnable<S>, truth: &mut Macs, check: &mut Check) {
    let lengths = (LONGEST / 16..=5 * LONGEST / 16).map(|blocks| 16 * blocks);
    let around =
        [6144, 8192, 10240, 16384, 24576].into_iter().flat_map(|len| (len - 160..=len + 160).step_by(16));
    let random = (truth.keys.len() - 1, Pool::RANDOM);
    let (kinds, tails) = match truth.extent {
        Extent::Whole => (&[(0, Pool::ONES), random][..], &[0, 1, 15][..]),
        Extent::Brief => (&[random][..], &[0, 15][..]),
    };
    for len in lengths.chain(around) {
        for &(key, start) in kinds {
            for &tail in tails {
                compare(&[kernel], key, Text::at(start, len + tail), &[], truth, check);
            }
        }
    }
    // A long piece after a short one, which may have computed the powers or not, and before one.
    for blocks in [70, 200, 600, 1100] {
        for cut in [1, 6, 13, 17, 40, 63] {
            let text = Text::at(Pool::RANDOM, 16 * blocks + 5);
            compare(&[kernel], 0, text, &[cut], truth, check);
            compare(&[kernel], 0, text, &[blocks - cut], truth, check);
        }
    }
}

/// The sum of each lane close to p: as a whole message, and as a piece after extreme accumulators.
fn columns<S: OneMessage>(kernel: &Runnable<S>, truth: &mut Macs, check: &mut Check) {
    let presets = edges_of_p();
    for (i, Column { message, sum, name }) in truth.columns().iter().enumerate() {
        let s = if i % 2 == 0 { 0 } else { u128::MAX };
        let key = oracle::key(1, s);
        let expected = |sum: Residue| sum.low().wrapping_add(s).to_le_bytes();
        let whole = S::tag(kernel, &key, message, check);
        check.same(whole, expected(*sum), || format!("{name}: {message:02x?}"));
        for h in [[0; 3], presets[i % presets.len()]] {
            let actual = tag(&[kernel], &key, h, message, &[], check);
            check.same(actual, expected(residue(h) + *sum), || format!("h = {h:x?}, {name}: {message:02x?}"));
        }
    }
}

/// An accumulator modulo p.
fn residue([h0, h1, h2]: [u64; 3]) -> Residue {
    Residue::new(u128::from(h0) | u128::from(h1) << 64, h2 as u8)
}

/// Preset accumulators before pieces of many lengths: the accumulator joins each lane and each loop.
fn edge_states_of_long_pieces<S: OneMessage>(kernel: &Runnable<S>, truth: &mut Macs, check: &mut Check) {
    let (pool, all, few) = (truth.pool.clone(), edge_accumulators(), edges_of_p());
    for (key, start) in [(0, Pool::ONES), (truth.keys.len() - 1, Pool::RANDOM)] {
        let key = truth.keys[key];
        let (r, s) = modp::key(&key);
        let (mut power, mut sum) = (Residue::new(1, 0), Residue::ZERO);
        for blocks in 1..=300 {
            let message = pool.text(Text::at(start, 16 * blocks));
            power = power * r;
            sum = modp::absorb(sum, r, &message[16 * blocks - 16..]);
            let presets = match blocks {
                5..=20 => &all,
                2..=40 | 60..=70 | 128..=146 | 255..=265 | 300 => &few,
                _ => continue,
            };
            for &h in presets {
                let expected = (residue(h) * power + sum).low().wrapping_add(s).to_le_bytes();
                let actual = tag(&[kernel], &key, h, message, &[], check);
                check.same(actual, expected, || format!("h = {h:x?}, key {key:02x?}, {blocks} blocks"));
            }
        }
    }
}

/// Powers left by another kernel, in another base or for other vectors: a kernel must compute its own again.
fn foreign_powers(kernel: &Runnable<Pn>, truth: &mut Macs, check: &mut Check) {
    let key = truth.keys.len() - 1;
    let text = Text::at(Pool::RANDOM, 16 * 150);
    let expected = truth.tag(key, text);
    let (key, message) = (&truth.keys[key], truth.pool.text(text));
    // No kernel uses vectors of 3 blocks.
    let foreign = |i: usize| match i {
        0 => Powers::Base26(Table { lanes: 3, lane: [[!0; 8]; 5], step: [[!0; 4]; 15] }),
        1 => Powers::Pair44(Pair { lanes: 3, lane: [[!0; 8]; 3], one: [!0; 3], two: [!0; 3] }),
        _ => Powers::Base44(Table { lanes: 3, lane: [[!0; 8]; 3], step: [[!0; 16]; 6] }),
    };
    for first in 0..3 {
        for cuts in [[0, 0], [40, 120], [130, 140]] {
            let mut state = State::new(Key::from_bytes(key));
            let mut start = 0;
            for (i, end) in cuts.into_iter().chain([150]).enumerate() {
                let mut powers = foreign((first + i) % 2);
                let blocks = &message.as_chunks().0[start..end];
                kernel.run(Message::Piece { state: &mut state, powers: &mut powers, blocks });
                start = end;
            }
            check.same(state.tag().to_le_bytes(), expected, || format!("foreign powers, cuts at {cuts:?}"));
        }
    }
}

/// One row takes over from another in long pieces, and finds its powers.
fn long_splits<S: OneMessage>(kernels: [&Runnable<S>; 2], truth: &mut Macs, check: &mut Check) {
    for (key, start) in [(0, Pool::ONES), (truth.keys.len() - 1, Pool::RANDOM)] {
        for blocks in [33, 150, 300] {
            for tail in [0, 9] {
                let text = Text::at(start, 16 * blocks + tail);
                for cut in (1..blocks).step_by(7) {
                    compare(&kernels, key, text, &[cut], truth, check);
                    let second = cut + (blocks - cut) / 2;
                    compare(&kernels, key, text, &[cut, second, second + 1], truth, check);
                }
            }
        }
    }
}

/// One row takes over from another at every block, with every kind of tail, and hands back.
fn splits<S: OneMessage>(kernels: [&Runnable<S>; 2], truth: &mut Macs, check: &mut Check) {
    for key in [0, truth.keys.len() - 1] {
        for start in [Pool::RANDOM, Pool::ONES] {
            for blocks in 0..=40 {
                for tail in [0, 1, 7, 8, 15] {
                    let text = Text::at(start, 16 * blocks + tail);
                    for cut in 0..=blocks {
                        compare(&kernels, key, text, &[cut], truth, check);
                    }
                }
            }
            let blocks = 20;
            for from in 0..=blocks {
                for to in from..=blocks {
                    compare(&kernels, key, Text::at(start, 16 * blocks + 3), &[from, to], truth, check);
                }
            }
        }
    }
}
