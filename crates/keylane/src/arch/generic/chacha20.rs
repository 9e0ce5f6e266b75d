//! ChaCha20 in vectors of 32-bit words: many blocks at a time. The algorithm is written once; an instruction set
//! implements [`Vectors32`], and [`Rows32`] where few blocks have a method of their own.
//!
//! * Vertical: sixteen vectors hold the sixteen words of N blocks, a block in each lane. A transpose brings the blocks
//!   into the order of memory. The lanes may belong to one message ([`one`]) or to several ([`many`]).
//! * Horizontal: a row of four words of a block is a quarter of a vector of 512 bits, so four vectors hold four blocks
//!   ([`few`]). The diagonals of a double round become columns by rotations within the quarters. A vector waits for the
//!   one before it, so this is for messages with too few blocks to fill the lanes.
//!
//! The rounds leave general registers idle. [`seal`] uses them to authenticate the blocks of the call before.
//!
//! Blocks leave a call in registers if one text takes all of them. Otherwise they wait in memory, which is wiped: a
//! register that the compiler saves would stay behind.

#![forbid(unsafe_code)]

use crate::arch::portable::Multiplier;
use crate::job::barrier::in_memory;
use crate::job::chacha20::{CONSTANTS, Key, Keys, Run, Seal, Streams, Text};
use crate::job::plain::{Plain, bytes, cast};
use crate::job::poly1305;
use crate::job::wipe::{Zero, wipe_table};

/// The operations on vectors of N words. A value is a proof that the CPU has the instruction set.
///
/// Everything in this file is `#[inline(always)]`, so it becomes part of the function that enables the instructions. The
/// compiler would compile a closure or a plain function without them.
pub trait Vectors32<const N: usize>: Copy {
    /// A register of N words.
    type V: Plain + Zero;

    /// Whether sixteen vectors and some more fit into the registers. All four quarter rounds then go step by step.
    const ROOMY: bool;

    /// `word` in every lane.
    fn splat(self, word: u32) -> Self::V;
    /// Sum in each lane.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// Exclusive or.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// Rotates each lane to the left by 16, 12, 8 or 7.
    fn rotl(self, a: Self::V, bits: u32) -> Self::V;
    /// Makes N blocks, in the order of memory, of the sixteen words in the lanes.
    fn transpose(self, words: [Self::V; 16]) -> Blocks<Self::V>;
}

/// Vectors that hold rows of N / 4 blocks.
pub trait Rows32<const N: usize>: Vectors32<N> {
    /// These words in every quarter of 128 bits.
    fn row(self, words: [u32; 4]) -> Self::V;
    /// Rotates the words of every quarter: word 1 comes first.
    fn word1_first(self, a: Self::V) -> Self::V;
    /// The same, with word 2 first.
    fn word2_first(self, a: Self::V) -> Self::V;
    /// The same, with word 3 first.
    fn word3_first(self, a: Self::V) -> Self::V;
    /// Makes N / 4 blocks, in the order of memory, of their four rows.
    fn join(self, rows: [Self::V; 4]) -> [Self::V; 4];
}

/// N blocks of key stream in memory, as vectors of N words.
pub type Blocks<V> = [[V; 4]; 4];

/// Words 4 to 15 of the input of N blocks, a block in each lane: the key, the block's number, the nonce. Each has
/// room for D times N words, since a store that begins at a later lane ends behind the first N. What is there has no
/// meaning.
type Start<const N: usize, const D: usize> = [[[u32; N]; D]; 12];

/// Where `Start` has the block's number; the nonce follows.
const COUNTER: usize = 8;

/// The words of the four quarter rounds: columns, then diagonals.
const COLUMNS: [[usize; 4]; 4] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
const DIAGONALS: [[usize; 4]; 4] = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/// A step of two quarter rounds: `a += b`, `d ^= a`, `d <<<= bits`, and the same for e, f and h.
#[inline(always)]
fn step<C: Vectors32<N>, const N: usize>(
    cpu: C,
    v: &mut [C::V; 16],
    [a, b, d]: [usize; 3],
    [e, f, h]: [usize; 3],
    bits: u32,
) {
    v[a] = cpu.add(v[a], v[b]);
    v[e] = cpu.add(v[e], v[f]);
    v[d] = cpu.xor(v[d], v[a]);
    v[h] = cpu.xor(v[h], v[e]);
    v[d] = cpu.rotl(v[d], bits);
    v[h] = cpu.rotl(v[h], bits);
}

/// Step 0, 1, 2 or 3 of two quarter rounds.
#[inline(always)]
fn step_of<C: Vectors32<N>, const N: usize>(
    cpu: C,
    v: &mut [C::V; 16],
    [a, b, c, d]: [usize; 4],
    [e, f, g, h]: [usize; 4],
    number: usize,
) {
    match number {
        0 => step(cpu, v, [a, b, d], [e, f, h], 16),
        1 => step(cpu, v, [c, d, b], [g, h, f], 12),
        2 => step(cpu, v, [a, b, d], [e, f, h], 8),
        _ => step(cpu, v, [c, d, b], [g, h, f], 7),
    }
}

/// Four quarter rounds.
///
/// In step, all four would want the ports for rotations at the same time. So two do a step, then the other two. Where
/// registers are few, two quarter rounds end before the others begin, which spills less.
#[inline(always)]
fn round<C: Vectors32<N>, const N: usize>(cpu: C, v: &mut [C::V; 16], [p, q, r, s]: [[usize; 4]; 4]) {
    if C::ROOMY {
        step_of(cpu, v, p, q, 0);
        step_of(cpu, v, r, s, 0);
        step_of(cpu, v, p, q, 1);
        step_of(cpu, v, r, s, 1);
        step_of(cpu, v, p, q, 2);
        step_of(cpu, v, r, s, 2);
        step_of(cpu, v, p, q, 3);
        step_of(cpu, v, r, s, 3);
    } else {
        step_of(cpu, v, p, q, 0);
        step_of(cpu, v, p, q, 1);
        step_of(cpu, v, p, q, 2);
        step_of(cpu, v, p, q, 3);
        step_of(cpu, v, r, s, 0);
        step_of(cpu, v, r, s, 1);
        step_of(cpu, v, r, s, 2);
        step_of(cpu, v, r, s, 3);
    }
}

/// Work for general registers, whose instructions stand between those of the rounds.
pub trait Beside {
    /// Does the next part of it. A double round calls it once.
    fn step(&mut self);
}

/// No work.
impl Beside for () {
    #[inline(always)]
    fn step(&mut self) {}
}

/// The twenty rounds, without the final addition of the input.
#[inline(always)]
pub fn rounds<C: Vectors32<N>, const N: usize>(cpu: C, v: &mut [C::V; 16], beside: &mut impl Beside) {
    for _ in 0..10 {
        round(cpu, v, COLUMNS);
        beside.step();
        round(cpu, v, DIAGONALS);
    }
}

/// 0, 1, ..., N - 1.
const fn iota<const N: usize>() -> [u32; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = i as u32;
        i += 1;
    }
    numbers
}

/// The first words of a row of `Start`.
#[inline(always)]
fn load<T: Plain, const H: usize, const N: usize, const D: usize>(row: &[[u32; N]; D]) -> T {
    cast(row.as_flattened().first_chunk::<H>().unwrap_or(&[0; H]))
}

/// Sets N words of a row of `Start`, from lane `at` on.
#[inline(always)]
fn set<T: Plain, const N: usize, const D: usize>(row: &mut [[u32; N]; D], at: usize, value: T) {
    let Some(lanes) = row.as_flattened_mut().get_mut(at..) else { return };
    if let Some(lanes) = lanes.first_chunk_mut::<N>() {
        *lanes = cast(&value);
    }
}

/// Sets the key from lane `at` on.
#[inline(always)]
fn set_key<C: Vectors32<N>, const N: usize, const D: usize>(
    cpu: C,
    start: &mut Start<N, D>,
    at: usize,
    key: &Key,
) {
    for (row, &word) in start.iter_mut().zip(&key.0) {
        set(row, at, cpu.splat(word));
    }
}

/// Sets the numbers of a run's next blocks from lane `at` on.
#[inline(always)]
fn set_counter<C: Vectors32<N>, const N: usize, const D: usize>(
    cpu: C,
    start: &mut Start<N, D>,
    at: usize,
    counter: u32,
) {
    let numbers = cpu.add(cpu.splat(counter), cast(&const { iota::<N>() }));
    set(&mut start[COUNTER], at, numbers);
}

/// Sets the nonce from lane `at` on.
#[inline(always)]
fn set_nonce<C: Vectors32<N>, const N: usize, const D: usize>(
    cpu: C,
    start: &mut Start<N, D>,
    at: usize,
    nonce: [u32; 3],
) {
    for (row, word) in start.iter_mut().skip(COUNTER + 1).zip(nonce) {
        set(row, at, cpu.splat(word));
    }
}

/// The key stream of the first H lanes.
///
/// The input is added from memory: no register holds it during the rounds.
#[inline(always)]
fn stream<C: Vectors32<H>, const H: usize, const N: usize, const D: usize>(
    cpu: C,
    start: &Start<N, D>,
    beside: &mut impl Beside,
) -> Blocks<C::V> {
    let mut v = [C::V::ZERO; 16];
    for (word, constant) in v.iter_mut().zip(CONSTANTS) {
        *word = cpu.splat(constant);
    }
    for (word, row) in v.iter_mut().skip(4).zip(start) {
        *word = load::<C::V, H, N, D>(row);
    }
    rounds(cpu, &mut v, beside);
    for (word, &constant) in v.iter_mut().zip(in_memory(&CONSTANTS)) {
        *word = cpu.add(*word, cpu.splat(constant));
    }
    for (word, row) in v.iter_mut().skip(4).zip(in_memory(start)) {
        *word = cpu.add(*word, load::<C::V, H, N, D>(row));
    }
    cpu.transpose(v)
}

/// XORs vectors of key stream with a text of at least as many bytes.
#[inline(always)]
fn xor_all<C: Vectors32<N>, const N: usize>(cpu: C, text: &mut Text<'_>, stream: &[C::V]) {
    for &vector in stream {
        if let Some(place) = text.take::<C::V>() {
            let bytes = place.read();
            place.write(cpu.xor(bytes, vector));
        }
    }
}

/// Gives blocks of key stream in memory to a message: the first half of the first one to `one_time`, if that is a place,
/// and the others to the text, as far as it reaches.
#[inline(always)]
fn give<C: Vectors32<N>, const N: usize>(
    cpu: C,
    one_time: Option<&mut poly1305::Key>,
    text: &mut Text<'_>,
    stream: &[C::V],
) {
    // As many vectors as a block has.
    let mut blocks = stream.chunks_exact(16 / N);
    if let Some(key) = one_time
        && let Some(half) = blocks.next().and_then(|block| bytes(block).first_chunk())
    {
        *key = poly1305::Key::from_bytes(half);
    }
    for block in blocks {
        if text.left() < 64 {
            text.cut(64).xor(bytes(block));
            return;
        }
        xor_all(cpu, text, block);
    }
}

/// Gives the next blocks of key stream to a run.
#[inline(always)]
fn put<C: Vectors32<N>, const N: usize, const G: usize>(cpu: C, run: &mut Run<'_>, stream: [[C::V; 4]; G]) {
    run.counter = run.counter.wrapping_add((G * N / 4) as u32);
    if run.one_time.is_none() && run.text.left() >= 16 * N * G {
        return xor_all(cpu, &mut run.text, stream.as_flattened());
    }
    let mut waiting = stream;
    give(cpu, run.one_time.take(), &mut run.text, in_memory(&waiting).as_flattened());
    wipe_table(&mut waiting);
}

/// Does blocks of a run, N at a time, until at most `rest` are left.
#[inline(always)]
pub fn one<C: Vectors32<N>, const N: usize>(cpu: C, key: &Key, run: &mut Run<'_>, rest: usize) {
    let mut start: Start<N, 1> = Zero::ZERO;
    set_key(cpu, &mut start, 0, key);
    set_nonce(cpu, &mut start, 0, run.nonce);
    while run.blocks() > rest {
        set_counter(cpu, &mut start, 0, run.counter);
        let blocks = stream::<C, N, N, 1>(cpu, &start, &mut ());
        put(cpu, run, blocks);
    }
    wipe_table(&mut start);
}

/// Encrypts N blocks at a time, as often as the packet has as many. While a call is computed, Poly1305 absorbs what was
/// encrypted before.
#[inline(always)]
pub fn seal<C: Vectors32<N>, const N: usize>(cpu: C, job: Seal<'_>) {
    let Seal { key, nonce, source, destination, encrypted, absorbed, state } = job;
    let mut start: Start<N, 1> = Zero::ZERO;
    set_key(cpu, &mut start, 0, key);
    set_nonce(cpu, &mut start, 0, nonce);
    let (r, mut h) = (Multiplier::new(&state.key), state.h);
    while let Some((ready, rest)) = destination.split_at_mut_checked(*encrypted)
        && let Some(place) = rest.get_mut(..64 * N)
    {
        set_counter(cpu, &mut start, 0, (1 + *encrypted / 64) as u32);
        let blocks = ready.get(*absorbed..).unwrap_or(&[]).as_chunks().0;
        let mut beside = Absorber { r: &r, h, blocks };
        // Single words leave no register idle.
        let stream = if N > 1 {
            stream::<C, N, N, 1>(cpu, &start, &mut beside)
        } else {
            stream::<C, N, N, 1>(cpu, &start, &mut ())
        };
        xor_all(cpu, &mut Text::at(source, *encrypted, place), stream.as_flattened());
        h = beside.finish();
        *absorbed = *encrypted;
        *encrypted += 64 * N;
    }
    state.h = h;
    wipe_table(&mut start);
}

/// Poly1305 of whole blocks.
struct Absorber<'a> {
    r: &'a Multiplier,
    h: [u64; 3],
    /// Those that are left.
    blocks: &'a [[u8; 16]],
}

impl Absorber<'_> {
    #[inline(always)]
    fn absorb(&mut self, blocks: &[[u8; 16]]) {
        for &block in blocks {
            self.h = self.r.absorb(self.h, u128::from_le_bytes(block), 1);
        }
    }

    /// Absorbs all that are left. The accumulator.
    #[inline(always)]
    fn finish(mut self) -> [u64; 3] {
        self.absorb(self.blocks);
        self.h
    }
}

/// Three blocks a step: ten steps are all but two of the blocks that eight lanes of ChaCha20 made.
impl Beside for Absorber<'_> {
    #[inline(always)]
    fn step(&mut self) {
        if let Some((three, rest)) = self.blocks.split_first_chunk::<3>() {
            self.absorb(three);
            self.blocks = rest;
        }
    }
}

/// The number that is added to the block number of each row of group `group`.
const fn numbers<const N: usize>(group: usize) -> [u32; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N / 4 {
        numbers[4 * i] = (group * (N / 4) + i) as u32;
        i += 1;
    }
    numbers
}

/// Does the next G N / 4 blocks of a run, a row of them in each vector.
#[inline(always)]
pub fn few<C: Rows32<N>, const N: usize, const G: usize>(cpu: C, key: &Key, run: &mut Run<'_>) {
    let &Key([k0, k1, k2, k3, k4, k5, k6, k7]) = key;
    let [n0, n1, n2] = run.nonce;
    let a = cpu.row(CONSTANTS);
    let b = cpu.row([k0, k1, k2, k3]);
    let c = cpu.row([k4, k5, k6, k7]);
    let d = cpu.row([run.counter, n0, n1, n2]);
    let mut start = [[a, b, c, d]; G];
    for (group, [.., d]) in start.iter_mut().enumerate() {
        *d = cpu.add(*d, cast(&numbers::<N>(group)));
    }
    let mut rows = start;
    for _ in 0..10 {
        round_of_rows(cpu, &mut rows);
        // b is ready last, so the other rows move.
        for [a, _, c, d] in &mut rows {
            (*a, *c, *d) = (cpu.word3_first(*a), cpu.word1_first(*c), cpu.word2_first(*d));
        }
        round_of_rows(cpu, &mut rows);
        for [a, _, c, d] in &mut rows {
            (*a, *c, *d) = (cpu.word1_first(*a), cpu.word3_first(*c), cpu.word2_first(*d));
        }
    }
    // The key waits in memory, where it can be wiped.
    for (rows, start) in rows.iter_mut().zip(in_memory(&start)) {
        for (row, start) in rows.iter_mut().zip(start) {
            *row = cpu.add(*row, *start);
        }
        *rows = cpu.join(*rows);
    }
    wipe_table(&mut start);
    put(cpu, run, rows);
}

/// Four quarter rounds on the columns of each group.
#[inline(always)]
fn round_of_rows<C: Rows32<N>, const N: usize, const G: usize>(cpu: C, rows: &mut [[C::V; 4]; G]) {
    for [a, b, _, d] in rows.iter_mut() {
        *a = cpu.add(*a, *b);
        *d = cpu.rotl(cpu.xor(*d, *a), 16);
    }
    for [_, b, c, d] in rows.iter_mut() {
        *c = cpu.add(*c, *d);
        *b = cpu.rotl(cpu.xor(*b, *c), 12);
    }
    for [a, b, _, d] in rows.iter_mut() {
        *a = cpu.add(*a, *b);
        *d = cpu.rotl(cpu.xor(*d, *a), 8);
    }
    for [_, b, c, d] in rows.iter_mut() {
        *c = cpu.add(*c, *d);
        *b = cpu.rotl(cpu.xor(*b, *c), 7);
    }
}

/// The blocks of one message in the lanes of a call.
struct Piece<'a> {
    /// How many lanes it has.
    lanes: usize,
    one_time: Option<&'a mut poly1305::Key>,
    text: Text<'a>,
}

impl<'a> Piece<'a> {
    /// Takes the first `lanes` blocks of a run.
    #[inline(always)]
    fn of(run: &mut Run<'a>, lanes: usize) -> Self {
        let one_time = run.one_time.take();
        let text = run.text.cut(64 * (lanes - usize::from(one_time.is_some())));
        run.counter = run.counter.wrapping_add(lanes as u32);
        Piece { lanes, one_time, text }
    }
}

/// What the lanes of a call hold, message by message.
struct Pieces<'a, const N: usize> {
    pieces: [Option<Piece<'a>>; N],
    /// How many pieces there are. Those behind have no meaning.
    count: usize,
    /// How many lanes they use.
    lanes: usize,
}

impl<const N: usize> Pieces<'_, N> {
    const NONE: Self = Pieces { pieces: [const { None }; N], count: 0, lanes: 0 };
}

/// The runs of a job from the first that may have blocks left, and the key of each if they differ.
struct Source<'a> {
    keys: Keys<'a>,
    runs: &'a mut [Run<'a>],
    next: usize,
}

/// Fills the lanes with the next blocks.
///
/// A piece is stored in all lanes from its first one on, and the next piece replaces what is not its own.
#[inline(always)]
fn fill<'a, C: Vectors32<N>, const N: usize>(
    cpu: C,
    source: &mut Source<'a>,
    start: &mut Start<N, 2>,
    filled: &mut Pieces<'a, N>,
) {
    let (mut count, mut room) = (0, N);
    while let (Some(place), Some(run)) = (filled.pieces.get_mut(count), source.runs.get_mut(source.next)) {
        let blocks = run.blocks();
        let lanes = blocks.min(room);
        if lanes > 0 {
            let at = N - room;
            if let Keys::Each(keys) = source.keys {
                let Some(key) = keys.get(source.next) else { break };
                set_key(cpu, start, at, key);
            }
            set_counter(cpu, start, at, run.counter);
            set_nonce(cpu, start, at, run.nonce);
            *place = Some(Piece::of(run, lanes));
            count += 1;
            room -= lanes;
        }
        if lanes < blocks {
            break;
        }
        source.next += 1;
    }
    (filled.count, filled.lanes) = (count, N - room);
}

/// Gives the blocks of a call, in memory, to its messages.
#[inline(always)]
fn give_all<C: Vectors32<H>, const H: usize, const N: usize>(
    cpu: C,
    pieces: &mut Pieces<'_, N>,
    stream: &Blocks<C::V>,
) {
    let mut rest = stream.as_flattened();
    for piece in pieces.pieces.iter_mut().take(pieces.count) {
        let Some(Piece { lanes, one_time, text }) = piece else { return };
        let Some((blocks, after)) = rest.split_at_checked(*lanes * (16 / H)) else { return };
        give(cpu, one_time.take(), text, blocks);
        rest = after;
    }
}

/// The text of the one piece that takes all N blocks of a call, if there is one.
#[inline(always)]
fn only<'a, 'p, const N: usize>(pieces: &'p mut Pieces<'a, N>) -> Option<&'p mut Text<'a>> {
    match pieces.pieces.first_mut() {
        Some(Some(Piece { one_time: None, text, .. })) if text.left() == 64 * N => Some(text),
        _ => None,
    }
}

/// Does many messages: N blocks at a time by `wide`, or H by `narrow` if no more lanes are used. Lanes are filled from
/// message to message, so only the last call can have idle ones.
///
/// The lanes of the next call are filled between the rounds and the output. That is work for general registers, which
/// the rounds leave idle, and the output waits for the rounds.
#[inline(always)]
pub fn many<C, D, const N: usize, const H: usize>(wide: C, narrow: D, job: Streams<'_>)
where
    C: Vectors32<N>,
    D: Vectors32<H>,
{
    let mut start: Start<N, 2> = Zero::ZERO;
    if let Keys::One(key) = job.keys {
        set_key(wide, &mut start, 0, key);
    }
    let mut source = Source { keys: job.keys, runs: job.runs, next: 0 };
    let mut wide_blocks: Blocks<C::V> = Zero::ZERO;
    let (mut first, mut second) = (Pieces::<N>::NONE, Pieces::<N>::NONE);
    let (mut now, mut next) = (&mut first, &mut second);
    fill(wide, &mut source, &mut start, now);
    while now.lanes > 0 {
        if H < N && now.lanes <= H {
            let mut narrow_blocks = stream::<D, H, N, 2>(narrow, &start, &mut ());
            let blocks = in_memory(&narrow_blocks);
            fill(wide, &mut source, &mut start, next);
            give_all::<D, H, N>(narrow, now, blocks);
            wipe_table(&mut narrow_blocks);
        } else {
            let blocks = stream::<C, N, N, 2>(wide, &start, &mut ());
            // Where registers are few, those that wait during `fill` would be saved where nothing wipes them.
            let stay = C::ROOMY && N > 1 && only(now).is_some();
            if !stay {
                wide_blocks = blocks;
            }
            let waiting = in_memory(&wide_blocks);
            fill(wide, &mut source, &mut start, next);
            match only(now) {
                Some(text) if stay => xor_all(wide, text, blocks.as_flattened()),
                _ => give_all::<C, N, N>(wide, now, waiting),
            }
        }
        (now, next) = (next, now);
    }
    wipe_table(&mut wide_blocks);
    wipe_table(&mut start);
}
