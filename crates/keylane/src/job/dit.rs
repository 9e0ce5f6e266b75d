//! Data-independent timing: a mode of AArch64 CPUs (PSTATE.DIT).

#![allow(unsafe_code)]

use core::fmt;
use core::marker::PhantomData;

/// While it lives, this thread computes with data-independent timing, if the CPU has that mode. It restores the former
/// state when it is dropped.
///
/// It counts for the thread that made it, so it is not `Send`. Guards nest if they are dropped in the reverse of the
/// order in which they were made, as local variables are.
///
/// ```
/// use keylane::timing::Independent;
///
/// {
///     let _guard = Independent::begin();
///     // Secrets are multiplied here.
/// }
/// assert!(!Independent::is_active());
/// ```
///
/// A guard stays on its thread:
///
/// ```compile_fail,E0277
/// fn send<T: Send>(_: T) {}
/// send(keylane::timing::Independent::begin());
/// ```
#[must_use = "the mode ends when this is dropped"]
pub struct Independent {
    /// Whether the mode was off before.
    is_first: bool,
    /// Makes it neither `Send` nor `Sync`.
    thread: PhantomData<*const ()>,
}

impl Independent {
    /// Begins data-independent timing. Where the CPU lacks it, this does nothing.
    ///
    /// The compiler keeps reads of memory that others can reach behind this call. It may move arithmetic that reads no
    /// memory. [`with`] keeps all of it in place.
    #[inline]
    pub fn begin() -> Self {
        let is_first = is_supported() && !register::get();
        if is_first {
            switch(true);
        }
        Independent { is_first, thread: PhantomData }
    }

    /// Whether this thread computes with data-independent timing.
    #[inline]
    pub fn is_active() -> bool {
        is_supported() && register::get()
    }
}

impl Drop for Independent {
    #[inline]
    fn drop(&mut self) {
        if self.is_first {
            switch(false);
        }
    }
}

/// Writes the register.
#[inline]
fn switch(is_on: bool) {
    #[cfg(test)]
    WRITES.set(WRITES.get() + 1);
    register::set(is_on);
}

#[cfg(test)]
std::thread_local! {
    /// How often this thread has written the register.
    pub static WRITES: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

impl fmt::Debug for Independent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Independent(..)")
    }
}

/// Whether this CPU and its operating system have the mode: AArch64 from Armv8.4 on, as Linux, Android and Apple's systems
/// report it. Elsewhere, and on other architectures, guards do nothing.
///
/// ```
/// println!("data-independent timing: {}", keylane::timing::is_supported());
/// ```
#[inline]
pub fn is_supported() -> bool {
    register::is_present()
}

/// Does `work` with data-independent timing. It is a function call, so no part of `work` moves out of it.
///
/// ```
/// let (a, b) = (3u64, 4u64);
/// assert_eq!(keylane::timing::with(|| a * b), 12);
/// ```
#[inline]
pub fn with<R>(work: impl FnOnce() -> R) -> R {
    let _guard = Independent::begin();
    apart(work)
}

/// Not inlined: its arithmetic stays between the two writes of the register. Work that touches no memory would make this a
/// pure function, and the call of one may move past a write, so it ends with an `asm!` that may have any effect.
#[inline(never)]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    let result = work();
    register::stay();
    result
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod register {
    use core::arch::asm;

    cpufeatures::new!(dit, "dit");

    /// The bit of the register.
    const DIT: u64 = 1 << 24;

    #[inline]
    pub fn is_present() -> bool {
        // qemu's CPU `max` has the register, and programs are not told.
        #[cfg(test)]
        if std::env::var_os("KEYLANE_TEST_DIT").is_some() {
            return true;
        }
        dit::get()
    }

    /// Only called if the register is present.
    #[inline]
    pub fn get() -> bool {
        let state: u64;
        // SAFETY: the register is present, by `is_present`, and may be read by every program. By its number: assemblers
        // know the name from Armv8.4 on only.
        unsafe { asm!("mrs {}, s3_3_c4_c2_5", out(reg) state, options(nostack, preserves_flags)) }
        state & DIT != 0
    }

    /// Only called if the register is present. The barriers keep the CPU from running ahead with the former state. Not
    /// `nomem`, so the compiler moves no access of memory across.
    #[inline]
    pub fn set(is_on: bool) {
        let state = if is_on { DIT } else { 0 };
        // SAFETY: the register is present, by `is_present`. It has this one bit, which changes no result of an instruction.
        // The barriers change nothing.
        unsafe {
            asm!("msr s3_3_c4_c2_5, {}", "dsb nsh", "isb", in(reg) state, options(nostack, preserves_flags));
        }
    }

    /// Nothing, of which the compiler must think that it reads and writes memory.
    #[inline(always)]
    pub fn stay() {
        // SAFETY: there is no instruction.
        unsafe { asm!("", options(nostack, preserves_flags)) }
    }
}

#[cfg(not(all(target_arch = "aarch64", not(miri))))]
mod register {
    #[inline]
    pub fn is_present() -> bool {
        false
    }

    #[inline]
    pub fn get() -> bool {
        false
    }

    #[inline]
    pub fn set(_is_on: bool) {}

    #[inline(always)]
    pub fn stay() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In every order of nesting, on a thread that had the mode and on one that had not.
    #[test]
    fn guards_nest_and_restore() {
        let is_there = is_supported();
        println!("data-independent timing: {}", if is_there { "tested" } else { "this CPU has none" });
        for outer in [false, true] {
            let guard = outer.then(Independent::begin);
            let before = Independent::is_active();
            assert_eq!(before, outer && is_there);
            {
                let _one = Independent::begin();
                assert_eq!(Independent::is_active(), is_there);
                {
                    let _two = Independent::begin();
                    assert_eq!(Independent::is_active(), is_there);
                }
                assert_eq!(Independent::is_active(), is_there);
            }
            assert_eq!(Independent::is_active(), before);
            assert_eq!(with(Independent::is_active), is_there);
            assert_eq!(Independent::is_active(), before);
            drop(guard);
            assert!(!Independent::is_active());
        }
    }

    #[test]
    fn a_panic_restores() {
        assert!(std::panic::catch_unwind(|| with(|| panic!("inside"))).is_err());
        assert!(!Independent::is_active());
    }

    /// The mode is the thread's.
    #[test]
    fn another_thread_has_its_own() {
        let _guard = Independent::begin();
        let other = std::thread::spawn(Independent::is_active).join();
        // A thread may begin with its creator's state or without the mode, but its guards do not reach this one.
        assert!(other.is_ok());
        std::thread::spawn(|| drop(Independent::begin())).join().expect("a thread");
        assert_eq!(Independent::is_active(), is_supported());
    }
}
