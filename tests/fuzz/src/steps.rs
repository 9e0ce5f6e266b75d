//! Steps of a message under the kernels of a slot.

use crate::input::{Text, coded};
use keylane::dispatch::select::{Runnable, Slot};
use keylane::job::kernel::Shape;
use keylane::kernels::{self, Status};
use std::sync::OnceLock;

/// The most steps to run of one case.
pub const STEPS: usize = 48;

/// The most subjects at a time.
const SUBJECTS: usize = 6;

coded! {
    /// A step. Numbers of rows and subjects are modulo how many there are.
    pub enum Step<'a> {
        /// Continues the message.
        Update {
            /// The next piece.
            text: Text<'a>
        },
        /// Copies the state. The next steps use the copy.
        Clone {},
        /// Switches to another copy.
        Turn {
            /// Which.
            to: u8
        },
        /// Another row continues where the last one stopped.
        Switch {
            /// Which.
            row: u8
        },
        /// Forces the public API to use another row.
        Force {
            /// Which.
            row: u8
        },
        /// Checks the tag so far.
        Finish {},
    }
}

/// A message in progress: its state in a kernel, and in the public API.
pub trait Subject: Clone {
    /// The shape of its kernels.
    type Shape: Shape;
    /// Takes a piece.
    fn update(&mut self, kernel: &Runnable<Self::Shape>, piece: &[u8]);
    /// Panics unless every way to compute the tag gives the message's.
    fn check(&mut self, kernel: &Runnable<Self::Shape>);
}

/// Runs the steps, then checks every subject.
pub fn drive<S: Subject>(slot: &Slot<S::Shape>, subject: S, steps: &[Step<'_>]) {
    let rows: Vec<Runnable<S::Shape>> = slot.runnable().collect();
    let mut forced = Forced::new(S::Shape::SLOT);
    let (mut subjects, mut at, mut kernel) = (vec![subject], 0, &rows[0]);
    for step in steps.iter().take(STEPS) {
        match step {
            Step::Update { text } => subjects[at].update(kernel, &text.bytes()),
            Step::Clone {} if subjects.len() == SUBJECTS => {}
            Step::Clone {} => {
                subjects.push(subjects[at].clone());
                at = subjects.len() - 1;
            }
            Step::Turn { to } => at = usize::from(*to) % subjects.len(),
            Step::Switch { row } => kernel = &rows[usize::from(*row) % rows.len()],
            Step::Force { row } => forced.force(*row),
            Step::Finish {} => subjects[at].check(kernel),
        }
    }
    subjects.iter_mut().for_each(|subject| subject.check(kernel));
}

/// The choice of a slot's kernel. Dropping it undoes the choice: a case must not depend on earlier ones.
pub struct Forced {
    slot: &'static str,
    used: bool,
}

/// A row that may be forced.
struct Ready {
    slot: &'static str,
    id: &'static str,
    active: bool,
}

impl Forced {
    /// Starts with the kernel as chosen.
    pub fn new(slot: &'static str) -> Self {
        Forced { slot, used: false }
    }

    /// Makes the slot use another row.
    pub fn force(&mut self, row: u8) {
        let rows: Vec<&Ready> = self.rows().collect();
        self.used = true;
        kernels::force(self.slot, rows[usize::from(row) % rows.len()].id).expect("a row that is ready");
    }

    /// The rows of the slot that may be forced. They are determined once, since each takes a self-test.
    fn rows(&self) -> impl Iterator<Item = &'static Ready> {
        static READY: OnceLock<Vec<Ready>> = OnceLock::new();
        let ready = READY.get_or_init(|| {
            let usable = kernels::list().filter(|row| matches!(row.status(), Status::Active | Status::Ready));
            let ready = |row: kernels::KernelInfo| Ready {
                slot: row.slot(),
                id: row.id(),
                active: row.status() == Status::Active,
            };
            usable.map(ready).collect()
        });
        let slot = self.slot;
        ready.iter().filter(move |row| row.slot == slot)
    }
}

impl Drop for Forced {
    fn drop(&mut self) {
        if self.used
            && let Some(active) = self.rows().find(|row| row.active)
        {
            kernels::force(self.slot, active.id).expect("a row that is ready");
        }
    }
}
