//! Rows whose time depends on a secret but whose tags are right. The tools must detect them.

use keylane::dispatch::select::Slot;
use keylane::dispatch::table;
use keylane::job::cpu::Features;
use keylane::job::kernel::Kernel;
use keylane::job::siphash::{Batch, Layout, Messages, Tags, Xn};
use std::hint::black_box;

static KERNELS: [Kernel<Xn<u64>>; 4] = [
    kernel("branch_on_a_bit_of_the_key", |job| {
        if job.initial.v[0] & 1 == 1 {
            seldom();
        }
        table::SIPHASH_XN.run(job);
    }),
    kernel("twice_the_work_for_a_bit_of_the_key", |mut job| {
        if job.initial.v[0] & 1 == 1 {
            let Batch { initial, rounds, fold, messages, .. } = job;
            let tags = job.tags.part(0, usize::MAX);
            table::SIPHASH_XN.run(Batch { initial, rounds, fold, messages, tags });
        }
        table::SIPHASH_XN.run(job);
    }),
    kernel("table_indexed_by_a_byte_of_the_message", |job| {
        static TABLE: [u8; 256] = [0x55; 256];
        if let Messages::Bytes(Layout::Rows { bytes: &[byte, ..], .. }) = job.messages {
            black_box(black_box(&TABLE)[usize::from(byte)]);
        }
        table::SIPHASH_XN.run(job);
    }),
    kernel("comparison_that_ends_at_the_first_difference", |mut job| {
        let Batch { initial, rounds, fold, messages, .. } = job;
        let tags = job.tags.part(0, usize::MAX);
        table::SIPHASH_XN.run(Batch { initial, rounds, fold, messages, tags });
        if let Tags::Single([tag, ..]) = &job.tags {
            black_box(tag.to_le_bytes().iter().position(|&byte| byte != 0x55));
        }
    }),
];

static ROWS: [&Kernel<Xn<u64>>; KERNELS.len()] = [&KERNELS[0], &KERNELS[1], &KERNELS[2], &KERNELS[3]];

/// The rows.
pub static SLOT: Slot<Xn<u64>> = Slot::new(&ROWS);

const fn kernel(id: &'static str, run: for<'a> unsafe fn(Batch<'a, u64>)) -> Kernel<Xn<u64>> {
    Kernel::<Xn<u64>>::new(id, Features::NONE, 1, run)
}

/// Not inlined, so the compiler keeps the branch to it.
#[inline(never)]
fn seldom() {
    black_box(());
}
