//! One message at a time, compared with other portable crates: `cargo bench -p keylane`.
//!
//! Criterion measures wall-clock time, so compare two lines of one run, not two runs.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use keylane::poly1305::{OneTimeKey, mac};
use keylane::siphash::{Key, SipHash13, SipHash24};
use siphasher::sip;
use std::hint::black_box;

const SIPHASH_LENGTHS: [usize; 14] = [0, 1, 4, 7, 8, 15, 16, 20, 32, 64, 128, 256, 1024, 16384];
const POLY1305_LENGTHS: [usize; 7] = [0, 16, 64, 256, 1024, 4096, 16384];

fn siphash(criterion: &mut Criterion) {
    let bytes = [7; 16];
    let (h13, h24) = (SipHash13::new(&Key::from_bytes(bytes)), SipHash24::new(&Key::from_bytes(bytes)));
    let peer13 = sip::SipHasher13::new_with_key(&bytes);
    let peer24 = sip::SipHasher24::new_with_key(&bytes);
    let message = vec![0xa5; 16384];
    assert_eq!(h13.hash(&message[..15]), peer13.hash(&message[..15]));
    assert_eq!(h24.hash(&message[..15]), peer24.hash(&message[..15]));
    for len in SIPHASH_LENGTHS {
        let mut group = criterion.benchmark_group(format!("siphash/{len}"));
        group.throughput(Throughput::Bytes(len as u64));
        let message = &message[..len];
        group.bench_function("keylane 1-3", |b| b.iter(|| h13.hash(black_box(message))));
        group.bench_function("siphasher 1-3", |b| b.iter(|| peer13.hash(black_box(message))));
        group.bench_function("keylane 2-4", |b| b.iter(|| h24.hash(black_box(message))));
        group.bench_function("siphasher 2-4", |b| b.iter(|| peer24.hash(black_box(message))));
    }
}

fn poly1305(criterion: &mut Criterion) {
    let message = vec![0xa5; 16384];
    let mut group = criterion.benchmark_group("poly1305");
    for len in POLY1305_LENGTHS {
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_with_input(BenchmarkId::new("keylane", len), &message[..len], |b, message| {
            b.iter(|| mac(OneTimeKey::from_bytes(black_box([7; 32])), black_box(message)))
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(60).measurement_time(std::time::Duration::from_millis(400)).warm_up_time(std::time::Duration::from_millis(100));
    targets = siphash, poly1305
}
criterion_main!(benches);
