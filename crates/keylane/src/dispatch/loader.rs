//! `KEYLANE_KERNEL` as the loader passed it to the process.
//!
//! With glibc, the value is copied when the program or the shared library is loaded. So no first use of a kernel calls
//! `getenv`, takes a lock or allocates. Elsewhere only `kernels::environment` reads the variable.

#![allow(unsafe_code)]

use super::errors::ForceErrorKind;
use std::{string::String, sync::OnceLock};

/// The value, empty if the variable is not set, or that it is not Unicode. Not filled before the variable is read.
pub static VARIABLE: OnceLock<Result<String, ForceErrorKind>> = OnceLock::new();

#[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
mod at_load {
    use super::{ForceErrorKind, VARIABLE};
    use core::ffi::{CStr, c_char, c_int};
    use std::string::String;

    // SAFETY: glibc calls the functions of this section with these arguments, once, before anything of this crate runs.
    // In the same file as `VARIABLE`, so that an archive's linker takes both.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static READ: unsafe extern "C" fn(c_int, *const *const c_char) = read;

    /// Copies the value from the strings behind the arguments. They are the environment at the start of the process:
    /// unlike `environ`, they stay in place whatever another thread does, if `dlopen` loads the library later.
    unsafe extern "C" fn read(count: c_int, arguments: *const *const c_char) {
        // SAFETY: the null pointer behind the arguments ends them, and the environment follows it.
        let mut entry = unsafe { arguments.add(count as usize + 1) };
        let mut value = &b""[..];
        loop {
            // SAFETY: `entry` is at or before the null pointer that ends the environment. `setenv` and `unsetenv` may
            // have replaced or moved pointers, but the last one stays null.
            let text = unsafe { entry.read_volatile() };
            if text.is_null() {
                break;
            }
            // A string that the program has put in place of another lies elsewhere, and may have been freed.
            if text.addr() > entry.addr() {
                // SAFETY: the strings above the pointers are the system's. Each ends with a zero and stays mapped.
                let text = unsafe { CStr::from_ptr(text) };
                if let Some(text) = text.to_bytes().strip_prefix(b"KEYLANE_KERNEL=") {
                    value = text;
                    break;
                }
            }
            // SAFETY: `entry` was not the null pointer at the end.
            entry = unsafe { entry.add(1) };
        }
        let value = str::from_utf8(value).map(String::from).map_err(|_| ForceErrorKind::NotUnicode);
        // It is empty: nothing of this crate has run.
        let _ = VARIABLE.set(value);
    }
}
