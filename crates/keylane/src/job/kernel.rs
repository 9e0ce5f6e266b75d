//! What a kernel is: a row of the table.

use crate::job::cpu::{Features, Uarch};

/// A primitive and a shape of input: what the kernels of one slot have in common.
pub trait Shape: Sized + 'static {
    /// The slot's public name.
    const SLOT: &'static str;
    /// What one call is given.
    type Job<'a>;
}

/// One implementation of one primitive for one shape: a row of the table. Made by `kernel!`.
pub struct Kernel<S: Shape> {
    /// The row's name and its file's stem.
    pub id: &'static str,
    /// What the CPU must offer.
    pub requires: Features,
    /// How many messages (or blocks of one message) it works on at a time.
    pub lanes: usize,
    /// Whether a CPU that can run it should: where this is false, the slot's other rows come first.
    pub suits: fn(Uarch) -> bool,
    /// How long a job must be for the row to be worth its set-up, in the units of the shape: a shorter one
    /// goes elsewhere. 0 where nothing else could do it.
    pub from: fn() -> usize,
    /// The code. To be called through `dispatch::select::Runnable` only, which proves `requires`.
    pub(crate) run: for<'a> unsafe fn(S::Job<'a>),
}

impl<S: Shape> Kernel<S> {
    /// A row that calls `run`, which must need no target feature outside `requires`. `kernel!` sees to
    /// that: it takes both from one list. Whoever calls this by hand (tests do, behind `internals`)
    /// gives a function that needs none.
    pub const fn new(
        id: &'static str,
        requires: Features,
        lanes: usize,
        run: for<'a> unsafe fn(S::Job<'a>),
    ) -> Self {
        Kernel { id, requires, lanes, suits: |_| true, from: || 0, run }
    }

    /// The same row, for the CPUs of which `suits` is true; on others that can run it, it is chosen at
    /// first use only if no other row passes.
    pub const fn suiting(self, suits: fn(Uarch) -> bool) -> Self {
        Kernel { suits, ..self }
    }

    /// The same row, for jobs of at least so many units.
    pub const fn from(self, from: fn() -> usize) -> Self {
        Kernel { from, ..self }
    }
}

/// Whether `file` is `stem` + ".rs" in some folder.
pub const fn is_stem_of(stem: &str, file: &str) -> bool {
    let (stem, file) = (stem.as_bytes(), file.as_bytes());
    if file.len() < stem.len() + 4 {
        return false;
    }
    let start = file.len() - 3 - stem.len();
    let mut i = 0;
    while i < stem.len() {
        if file[start + i] != stem[i] {
            return false;
        }
        i += 1;
    }
    file[start - 1] == b'/' || file[start - 1] == b'\\'
}

/// Declares a row of the table. One list of features feeds both `#[target_feature]` and detection;
/// the id must be the stem of the file that declares it, or the file does not compile.
///
/// ```ignore
/// kernel! {
///     /// SipHash of many messages, four in the lanes of an AVX2 register.
///     pub MANY: Xn<u64> = "siphash_x4_avx2", lanes 4, requires ["avx2"], |job: Batch<'_, u64>| many(job)
/// }
/// ```
///
/// Here `many` is a function with `#[inline]` and the same features enabled. A row that is the slower one
/// on some CPUs that can run it says on which it is not, behind `requires`:
/// `suits |uarch| !uarch.prefers_256_bit`. Behind that, `from length` says from which length of a job on
/// the row is worth its set-up.
#[macro_export]
#[doc(hidden)]
macro_rules! kernel {
    ($(#[$doc:meta])* pub $name:ident: $shape:ty = $id:literal, lanes $lanes:literal,
     requires [$($feature:tt),*], $(suits |$uarch:ident| $suits:expr,)?
     $(from $from:expr,)? |$job:ident: $type:ty| $run:expr) => {
        $(#[$doc])*
        pub static $name: $crate::job::kernel::Kernel<$shape> = {
            $(#[target_feature(enable = $feature)])*
            fn entry($job: $type) {
                $run
            }
            const {
                assert!($crate::job::kernel::is_stem_of($id, file!()), "a kernel's id is its file's stem");
            }
            $crate::job::kernel::Kernel::<$shape>::new($id, $crate::job::cpu::Features::named(&[$($feature),*]), $lanes, entry)
                $(.suiting(|$uarch: $crate::job::cpu::Uarch| $suits))?
                $(.from(|| $from))?
        };
    };
}
pub use kernel;
