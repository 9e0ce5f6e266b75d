//! A feature that is hidden is a feature that the CPU lacks. Alone in its process, since the mask
//! is for all of it.

#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use keylane::cpu::{Features, mask};
use keylane::kernel::poly1305::{Blocks, Key, State, X1};
use keylane::kernel::select::{AnySlot, Runnable, Slot};
use keylane::kernel::{Kernel, table};
use keylane::kernels::{ForceErrorKind, Status};

const FEATURE: &str = if cfg!(target_arch = "x86_64") { "sse2" } else { "sha3" };

fn right(job: Blocks<'_>) {
    table::POLY1305_X1.run(job);
}

static VECTOR: Kernel<X1> = Kernel::<X1>::new("vector", Features::named(&[FEATURE]), 1, right);
static PORTABLE: Kernel<X1> = Kernel::<X1>::new("portable", Features::NONE, 1, right);
static SLOT: Slot<X1> = Slot::new(&[&VECTOR, &PORTABLE]);

fn statuses() -> [Status; 2] {
    [0, 1].map(|row| SLOT.info(row).expect("two rows").status)
}

#[test]
fn a_row_that_requires_a_hidden_feature_does_not_run_here() {
    let detected = Features::available();
    mask(Features::NONE);
    assert!(Features::available().is_empty());
    assert_eq!(statuses(), [Status::NotOnThisCpu, Status::Active]);
    assert!(Runnable::new(&VECTOR).is_none());
    assert_eq!(SLOT.runnable().map(|row| row.id()).collect::<Vec<_>>(), ["portable"]);
    let error = ForceErrorKind::NotOnThisCpu { slot: "poly1305-x1", kernel: "vector" };
    assert_eq!(SLOT.force("vector"), Err(error));
    assert_eq!(statuses(), [Status::NotOnThisCpu, Status::Active]);

    let mut state = State::new(Key::from_bytes(&[9; 32]));
    SLOT.run(Blocks { state: &mut state, blocks: &[[1; 16]; 5], tail: &[2; 7] });
    let message = [[1; 80].as_slice(), &[2; 7]].concat();
    assert_eq!(state.tag().to_le_bytes(), keylane_ref::poly1305(&[9; 32], &message));

    // What was hidden comes back; the mask cannot add what the CPU lacks.
    mask(Features::named(&[FEATURE]));
    let left = Features::available();
    assert!(left.without(detected).is_empty());
    let is_there = !left.is_empty();
    assert_eq!(statuses()[0], if is_there { Status::Ready } else { Status::NotOnThisCpu });
    assert_eq!(SLOT.force("vector").is_ok(), is_there);
    assert_eq!(statuses()[0] == Status::Active, is_there);
}
