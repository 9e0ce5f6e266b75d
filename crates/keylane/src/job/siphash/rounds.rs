//! The number of rounds: constants, or numbers at run time.

use core::num::NonZeroU8;

/// The rounds for each word and at the end.
pub trait Rounds: Copy + 'static {
    /// Rounds for each word.
    fn c(self) -> usize;
    /// Rounds at the end.
    fn d(self) -> usize;

    /// The same rounds as numbers.
    #[inline(always)]
    fn counted(self) -> Counted {
        Counted(self.c() as u64 | (self.d() as u64) << 32)
    }
}

/// Rounds known at compile time.
#[derive(Clone, Copy)]
pub struct Fixed<const C: usize, const D: usize>;

impl<const C: usize, const D: usize> Fixed<C, D> {
    /// The value. Fewer than one round does not compile.
    pub const NEW: Self = {
        assert!(C >= 1 && D >= 1, "SipHash-c-d needs at least one round per word and one at the end");
        assert!(C as u32 as usize == C && D as u32 as usize == D, "more rounds than anything counts");
        Fixed
    };
}

impl<const C: usize, const D: usize> Rounds for Fixed<C, D> {
    #[inline(always)]
    fn c(self) -> usize {
        C
    }

    #[inline(always)]
    fn d(self) -> usize {
        D
    }
}

/// Rounds known only at run time, at least one each: c in the low half, d in the high half. One number needs one register.
#[derive(Clone, Copy)]
pub struct Counted(u64);

impl Counted {
    /// SipHash-c-d.
    pub fn new(c: NonZeroU8, d: NonZeroU8) -> Self {
        Counted(u64::from(c.get()) | u64::from(d.get()) << 32)
    }
}

/// Evaluates the expression with constant rounds: a [`Fixed`] value for each of the listed rounds, which are 1-1, 1-2,
/// 1-3, 2-4 and 4-8 if there is no list. Other rounds stay as they are. Each constant is one more copy of the code, so
/// large code lists fewer.
macro_rules! by_rounds {
    ($rounds:ident => $body:expr) => {
        $crate::job::siphash::by_rounds!($rounds in 1-1, 1-2, 1-3, 2-4, 4-8 => $body)
    };
    ($rounds:ident in $($c:literal - $d:literal),* => $body:expr) => {
        match ($rounds.c(), $rounds.d()) {
            $(($c, $d) => {
                let $rounds = $crate::job::siphash::rounds::Fixed::<$c, $d>;
                $body
            })*
            _ => $body,
        }
    };
}
pub(crate) use by_rounds;

impl Rounds for Counted {
    #[inline(always)]
    fn c(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    fn d(self) -> usize {
        (self.0 >> 32) as usize
    }
}
