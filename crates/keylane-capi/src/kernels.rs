//! The kernels: lists them, chooses one, and tests whether they give the known answers.

use crate::memory::{In, Out, export, no_fault};
use crate::status::Status;
use core::ffi::{c_char, c_int};
use core::fmt::{self, Write};
use keylane::kernels;

/// `keylane_kernel`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Kernel {
    /// The name of its slot.
    pub slot: [u8; 24],
    /// Its own name.
    pub id: [u8; 48],
    /// The CPU features that it requires.
    pub features: [u8; 96],
    /// Those that this CPU lacks.
    pub missing: [u8; 96],
    /// How many messages or blocks it takes at a time.
    pub lanes: usize,
    /// A `keylane_kernel_state`.
    pub state: c_int,
}

/// A text in C's memory: as much of it as fits, and a byte 0.
struct Text<'a> {
    place: &'a mut [u8],
    used: usize,
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.place.len().saturating_sub(1);
        for (place, byte) in self.place.iter_mut().take(room).skip(self.used).zip(text.bytes()) {
            *place = byte;
            self.used += 1;
        }
        Ok(())
    }
}

/// Writes a text to `place` and fills the rest with zeros.
fn write(place: &mut [u8], text: impl FnOnce(&mut Text<'_>) -> fmt::Result) {
    place.fill(0);
    // Neither `Text` nor its users here can fail.
    let _ = text(&mut Text { place, used: 0 });
}

/// Writes words, separated by spaces.
fn write_words(place: &mut [u8], words: impl Iterator<Item = &'static str>) {
    write(place, |text| {
        words.enumerate().try_for_each(|(i, word)| {
            text.write_str(if i > 0 { " " } else { "" })?;
            text.write_str(word)
        })
    });
}

impl Kernel {
    /// Describes a kernel in place.
    pub fn describe(&mut self, kernel: &kernels::KernelInfo) {
        write_words(&mut self.slot, core::iter::once(kernel.slot()));
        write_words(&mut self.id, core::iter::once(kernel.id()));
        write_words(&mut self.features, kernel.requires());
        write_words(&mut self.missing, kernel.missing());
        self.lanes = kernel.lanes();
        self.state = match kernel.status() {
            kernels::Status::Active => 0,
            kernels::Status::Ready => 1,
            kernels::Status::FailedSelfTest => 2,
            _ => 3,
        };
    }
}

export! {
    fn keylane_kernels(kernels: Out<Kernel>, capacity: usize, count: Out<usize>) {
        no_fault!(kernels.fault_of(capacity), count.fault())?;
        let mut kernels = kernels;
        let mut places = kernels.slice(capacity, &[count.span(1)])?.iter_mut();
        let mut n = 0;
        for kernel in kernels::list() {
            if let Some(place) = places.next() {
                place.describe(&kernel);
            }
            n += 1;
        }
        count.put(n)
    }

    fn keylane_force(slot: In<c_char>, kernel: In<c_char>) {
        no_fault!(slot.fault(), kernel.fault())?;
        Ok(kernels::force(slot.text()?, kernel.text()?)?)
    }

    fn keylane_environment(message: Out<u8>, size: usize) {
        no_fault!(message.fault_of_bytes(size))?;
        let mut message = message;
        let message = message.slice(size, &[])?;
        let result = kernels::environment();
        write(message, |text| match &result {
            Ok(()) => Ok(()),
            Err(error) => write!(text, "{error}"),
        });
        Ok(result?)
    }

    fn keylane_selftest() {
        let failed = kernels::list().any(|kernel| kernel.status() == kernels::Status::FailedSelfTest);
        if failed { Err(Status::Selftest) } else { Ok(()) }
    }
}
