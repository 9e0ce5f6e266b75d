//! Proofs: values that only a function with some instructions enabled can make, and whose methods are these
//! instructions. So vector arithmetic needs one `unsafe`, the one below.

#![allow(unsafe_code)]

/// Declares a proof.
macro_rules! proof {
    ($(#[$doc:meta])* pub $name:ident: $features:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name(());

        impl $name {
            /// A proof, for functions that enable the same instructions.
            #[inline]
            #[target_feature(enable = $features)]
            pub fn here() -> Self {
                $name(())
            }
        }
    };
}

/// Methods of a proof, each one instruction. They are `#[inline(always)]`, like all their callers. So they become part
/// of the one function that enables the instructions, and no intrinsic remains a call.
macro_rules! instructions {
    ($(fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty = $intrinsic:expr;)*) => {$(
        #[inline(always)]
        #[allow(unused_unsafe, reason = "WebAssembly's intrinsics are safe functions")]
        fn $name(self, $($arg: $type),*) -> $result {
            // SAFETY: the intrinsic's one condition is that the CPU has the instruction. `self` is, or holds, a value
            // made by `here`. Only code that itself runs with the instructions could call that.
            unsafe { ($intrinsic)($($arg),*) }
        }
    )*};
}
pub(crate) use {instructions, proof};
