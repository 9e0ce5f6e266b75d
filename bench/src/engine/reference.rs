//! SipHash as its paper says, in C (c/), by the compilers that are here.

use super::{Engine, Rounds};

#[cfg(not(any(engine = "gcc", engine = "clang")))]
pub(super) fn engines(_rounds: Rounds) -> Vec<Engine> {
    Vec::new()
}

#[cfg(any(engine = "gcc", engine = "clang"))]
pub(super) use compiled::engines;

#[cfg(any(engine = "gcc", engine = "clang"))]
mod compiled {
    use super::{Engine, Rounds};
    use crate::engine::{KEY, SipHash};
    use crate::foreign::Reference;
    use std::marker::PhantomData;

    pub fn engines(rounds: Rounds) -> Vec<Engine> {
        let mut engines = Vec::new();
        #[cfg(engine = "gcc")]
        {
            use crate::foreign::gcc::{Sip13O2, Sip13O3Native, Sip24O2, Sip24O3Native};
            match rounds {
                Rounds::R13 => engines.extend([
                    Engine::peer("C gcc -O2", C::<Sip13O2>::new()),
                    Engine::peer("C gcc -O3 native", C::<Sip13O3Native>::new()),
                ]),
                Rounds::R24 => engines.extend([
                    Engine::peer("C gcc -O2", C::<Sip24O2>::new()),
                    Engine::peer("C gcc -O3 native", C::<Sip24O3Native>::new()),
                ]),
            }
        }
        #[cfg(engine = "clang")]
        {
            use crate::foreign::clang::{Sip13O2, Sip13O3Native, Sip24O2, Sip24O3Native};
            match rounds {
                Rounds::R13 => engines.extend([
                    Engine::peer("C clang -O2", C::<Sip13O2>::new()),
                    Engine::peer("C clang -O3 native", C::<Sip13O3Native>::new()),
                ]),
                Rounds::R24 => engines.extend([
                    Engine::peer("C clang -O2", C::<Sip24O2>::new()),
                    Engine::peer("C clang -O3 native", C::<Sip24O3Native>::new()),
                ]),
            }
        }
        engines
    }

    /// A build with its key.
    struct C<R> {
        key: [u8; 16],
        build: PhantomData<R>,
    }

    impl<R> C<R> {
        fn new() -> Self {
            C { key: KEY, build: PhantomData }
        }
    }

    impl<R: Reference> SipHash for C<R> {
        #[inline(always)]
        fn hash(&self, message: &[u8]) -> u64 {
            R::one(&self.key, message)
        }

        #[inline(always)]
        fn u32s(&self, integers: &[u32], tags: &mut [u64]) {
            R::u32s(&self.key, integers, tags);
        }

        #[inline(always)]
        fn u64s(&self, integers: &[u64], tags: &mut [u64]) {
            R::u64s(&self.key, integers, tags);
        }

        #[inline(always)]
        fn rows16(&self, rows: &[[u8; 16]], tags: &mut [u64]) {
            R::rows16(&self.key, rows, tags);
        }

        #[cfg(target_endian = "little")]
        #[inline(always)]
        fn u128s(&self, integers: &[u128], tags: &mut [u64]) {
            R::u128s(&self.key, integers, tags);
        }
    }
}
