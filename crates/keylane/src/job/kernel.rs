//! The type of a kernel.

#![allow(unsafe_code)]

use crate::job::cpu::{Features, Uarch};

/// A primitive and a shape of input: what all kernels of one slot share.
pub trait Shape: Sized + 'static {
    /// The slot's public name.
    const SLOT: &'static str;
    /// The argument of one call.
    type Job<'a>;
    /// A kernel's register entry, for jobs that are too short to be passed in memory. All its arguments fit in registers.
    /// [`NoRegisterEntry`] if the shape has none.
    type RegisterEntry: Copy + Sync + 'static;

    /// Does one job, by the entry that is faster for it.
    ///
    /// # Safety
    /// The CPU has the features that the kernel requires.
    #[inline]
    unsafe fn run(kernel: &Kernel<Self>, job: Self::Job<'_>) {
        // SAFETY: the caller ensures the one condition of `run`.
        unsafe { (kernel.run)(job) }
    }
}

/// The register entry of shapes that have none.
#[derive(Clone, Copy)]
pub enum NoRegisterEntry {}

/// One implementation of one primitive for one shape: a row of the table. `kernel!` makes it.
pub struct Kernel<S: Shape> {
    /// The kernel's name, which is the stem of its file.
    pub id: &'static str,
    /// The features that the CPU must have.
    pub requires: Features,
    /// How many messages (or blocks of one message) the kernel works on at a time.
    pub lanes: usize,
    /// Whether a CPU that can run the kernel should. If not, the slot's other rows are tried first.
    pub suits: fn(Uarch) -> bool,
    /// The length of a job, in the units of the shape, from which the kernel is profitable. A shorter job goes
    /// elsewhere. 0 if only this slot can do the job.
    pub from: fn() -> usize,
    /// The code. Only `dispatch::select::Runnable`, which proves `requires`, may call it.
    pub(crate) run: for<'a> unsafe fn(S::Job<'a>),
    /// The register entry, if there is one. The same condition holds.
    pub(crate) register_entry: Option<S::RegisterEntry>,
}

impl<S: Shape> Kernel<S> {
    /// Makes a row that calls `run`, which must need no target feature outside `requires`. `kernel!` ensures that by
    /// taking both from one list. Direct calls (from tests, by `internals`) must pass a function that needs no feature.
    pub const fn new(
        id: &'static str,
        requires: Features,
        lanes: usize,
        run: for<'a> unsafe fn(S::Job<'a>),
    ) -> Self {
        Kernel { id, requires, lanes, suits: |_| true, from: || 0, run, register_entry: None }
    }

    /// Limits the row to CPUs for which `suits` is true. On others that can run it, the first use chooses it only if no
    /// other row passes.
    pub const fn suiting(self, suits: fn(Uarch) -> bool) -> Self {
        Kernel { suits, ..self }
    }

    /// Adds a register entry. It must need no target feature outside `requires`.
    pub const fn with_register_entry(self, entry: S::RegisterEntry) -> Self {
        Kernel { register_entry: Some(entry), ..self }
    }

    /// Limits the row to jobs of at least this many units.
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

/// Declares a row of the table. One list of features feeds both `#[target_feature]` and detection. The id must be the
/// stem of the declaring file, or the file does not compile.
///
/// ```ignore
/// kernel! {
///     /// SipHash of many messages, four in the lanes of an AVX2 register.
///     pub MANY: Xn<u64> = "siphash_x4_avx2", lanes 4, requires ["avx2"], |job: Batch<'_, u64>| many(job)
/// }
/// ```
///
/// Here `many` is a function with `#[inline]` and the same features enabled. Three optional parts follow `requires`, in
/// this order: `suits |uarch| !uarch.prefers_256_bit` for a row that is slower on some CPUs, `from length` for the length
/// of a job from which the row is profitable, and `register_entry mac` for an entry of the type [`Shape::RegisterEntry`].
#[macro_export]
#[doc(hidden)]
macro_rules! kernel {
    ($(#[$doc:meta])* pub $name:ident: $shape:ty = $id:literal, lanes $lanes:literal,
     requires [$($feature:tt),*], $(suits |$uarch:ident| $suits:expr,)?
     $(from $from:expr,)? $(register_entry $register:expr,)? |$job:ident: $type:ty| $run:expr) => {
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
                $(.with_register_entry($register))?
        };
    };
}
pub use kernel;
