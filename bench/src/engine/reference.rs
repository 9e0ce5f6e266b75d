//! SipHash by its paper, and HalfSipHash by its authors' code, in C (c/), by the installed compilers.

use super::{Engine, Rounds};
use crate::work::{U64Work, Work};

pub(super) fn engines(rounds: Rounds) -> Vec<Engine> {
    builds(rounds).into_iter().map(|build| build.siphash).collect()
}

pub(super) fn double(rounds: Rounds) -> Vec<Engine<dyn U64Work<u128>>> {
    builds(rounds).into_iter().filter_map(|build| build.double).collect()
}

pub(super) fn half(rounds: Rounds) -> Vec<Engine<dyn U64Work<u32>>> {
    builds(rounds).into_iter().map(|build| build.half).collect()
}

/// The engines of one compiler with one set of flags.
struct Build {
    siphash: Engine<dyn Work>,
    /// Only on little-endian machines.
    double: Option<Engine<dyn U64Work<u128>>>,
    half: Engine<dyn U64Work<u32>>,
}

#[cfg(not(any(engine = "gcc", engine = "clang")))]
fn builds(_rounds: Rounds) -> Vec<Build> {
    Vec::new()
}

#[cfg(any(engine = "gcc", engine = "clang"))]
fn builds(rounds: Rounds) -> Vec<Build> {
    use compiled::build;
    let mut builds = Vec::new();
    #[cfg(engine = "gcc")]
    {
        use crate::foreign::gcc::*;
        let (plain, native) = ("C gcc -O2", "C gcc -O3 native");
        builds.extend(match rounds {
            Rounds::R12 => [build::<Sip12O2>(plain), build::<Sip12O3Native>(native)],
            Rounds::R13 => [build::<Sip13O2>(plain), build::<Sip13O3Native>(native)],
            Rounds::R24 => [build::<Sip24O2>(plain), build::<Sip24O3Native>(native)],
        });
    }
    #[cfg(engine = "clang")]
    {
        use crate::foreign::clang::*;
        let (plain, native) = ("C clang -O2", "C clang -O3 native");
        builds.extend(match rounds {
            Rounds::R12 => [build::<Sip12O2>(plain), build::<Sip12O3Native>(native)],
            Rounds::R13 => [build::<Sip13O2>(plain), build::<Sip13O3Native>(native)],
            Rounds::R24 => [build::<Sip24O2>(plain), build::<Sip24O3Native>(native)],
        });
    }
    builds
}

#[cfg(any(engine = "gcc", engine = "clang"))]
mod compiled {
    use super::{Build, Engine};
    use crate::engine::{KEY, Side, SipHash, U64s};
    use crate::foreign::Reference;
    use std::marker::PhantomData;

    pub(super) fn build<R: Reference + 'static>(name: &str) -> Build {
        Build {
            siphash: Engine::peer(name, C::<R>::new()),
            #[cfg(target_endian = "little")]
            double: Some(Engine::new(name, Side::Peer, Box::new(C::<R>::new()))),
            #[cfg(target_endian = "big")]
            double: None,
            half: Engine::new(name, Side::Peer, Box::new(C::<R>::new())),
        }
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

        #[inline(always)]
        fn offsets(&self, bytes: &[u8], offsets: &[i32], tags: &mut [u64]) {
            R::offsets(&self.key, bytes, offsets, tags);
        }
    }

    #[cfg(target_endian = "little")]
    impl<R: Reference> U64s<u128> for C<R> {
        #[inline(always)]
        fn u64s(&self, integers: &[u64], tags: &mut [u128]) {
            R::u64s_wide(&self.key, integers, tags);
        }
    }

    impl<R: Reference> U64s<u32> for C<R> {
        #[inline(always)]
        fn u64s(&self, integers: &[u64], tags: &mut [u32]) {
            let (key, _) = self.key.split_first_chunk().expect("8 bytes of 16");
            R::half_u64s(key, integers, tags);
        }
    }
}
