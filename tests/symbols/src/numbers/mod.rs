//! Poly1305 on numbers that stand for every key and every message of a length.
//!
//! The vector kernels' algorithms run on lanes of [`Number`]s ([`radix26`], [`radix44`]), and the scalar functions'
//! text on a type of that name ([`scalar`]). The end of a tag is no polynomial: [`smt`] writes it for a solver.
//! docs/CHECKED.md has the argument.
//!
//! The library's generic functions are always inlined. What they call here never is, or they would take minutes to
//! compile.

pub mod blocks;
pub mod field;
pub mod handles;
pub mod number;
pub mod points;
pub mod radix26;
#[cfg(target_arch = "x86_64")]
pub mod radix44;
pub mod scalar;
pub mod smt;

pub use field::{Value, failure_bound};
pub use handles::forgetting;
pub use number::Number;

/// Runs a check for each of these cases, and prints how sure it is.
pub fn check<T: std::fmt::Debug>(cases: impl IntoIterator<Item = T>, run: impl Fn(&T)) {
    let mut count = 0;
    for case in cases {
        let named = Named(&case);
        run(&case);
        std::mem::forget(named);
        count += 1;
    }
    let (comparisons, log2) = failure_bound();
    assert!(log2 < -100.0, "two different results may pass for equal with 2^{log2:.1}");
    println!("{count} cases, {comparisons} comparisons; wrong with less than 2^{log2:.1}");
}

/// Prints the case in which a check failed.
struct Named<'a, T: std::fmt::Debug>(&'a T);

impl<T: std::fmt::Debug> Drop for Named<'_, T> {
    fn drop(&mut self) {
        println!("failed: {:?}", self.0);
    }
}
