//! `KEYLANE_KERNEL` as the loader passed it to the process.
//!
//! With glibc, the value is copied when the program or the shared library is loaded. So no first use of a kernel calls
//! `getenv`, takes a lock or allocates. Elsewhere only `kernels::environment` reads the variable.

#![allow(unsafe_code)]

use super::errors::ForceErrorKind;
use std::{string::String, sync::OnceLock};

/// The value, empty if the variable is not set, or that it is not Unicode. Not filled before the variable is read.
pub static VARIABLE: OnceLock<Result<String, ForceErrorKind>> = OnceLock::new();

// SAFETY: glibc calls the functions of this section with these arguments, once, and before those of sections without
// a number, such as constructors in C++. In the same module as `VARIABLE`, so that an archive's linker takes both.
#[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
#[used]
#[unsafe(link_section = ".init_array.00100")]
static READ: unsafe extern "C" fn(core::ffi::c_int, *const *const core::ffi::c_char) = read;

/// Copies the value from the strings behind the arguments. They are the environment at the start of the process:
/// unlike `environ`, they stay in place whatever another thread does, if `dlopen` loads the library later.
#[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
unsafe extern "C" fn read(count: core::ffi::c_int, arguments: *const *const core::ffi::c_char) {
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
            let text = unsafe { core::ffi::CStr::from_ptr(text) };
            if let Some(text) = text.to_bytes().strip_prefix(b"KEYLANE_KERNEL=") {
                value = text;
                break;
            }
        }
        // SAFETY: `entry` was not the null pointer at the end.
        entry = unsafe { entry.add(1) };
    }
    let value = str::from_utf8(value).map(String::from).map_err(|_| ForceErrorKind::NotUnicode);
    // If a constructor with a lower number has read it, that value stays.
    let _ = VARIABLE.set(value);
}
