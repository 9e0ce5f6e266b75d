//! What may be a key, and how keys are hashed, one or many.

use keylane::siphash::SipHash13;
use std::borrow::{Borrow, Cow, ToOwned};
use std::rc::Rc;
use std::sync::Arc;

/// A key of a [`Map`](crate::Map) or [`Set`](crate::Set).
///
/// | key | form |
/// | --- | --- |
/// | `u8` .. `u128`, `i8` .. `i128`, `usize`, `isize`, `bool`, `char` | itself |
/// | `[u8; N]` | itself |
/// | `String` | `str` |
/// | `Vec<u8>` | `[u8]` |
/// | `&T`, `Box<T>`, `Rc<T>`, `Arc<T>`, `Cow<T>` with a form `T` | `T` |
///
/// Your own types become keys with a few lines. Wrap those of others, such as tuples, paths and addresses:
///
/// ```
/// use keylane::siphash::SipHash13;
/// use keylane_map::{Form, Key, Map};
///
/// #[derive(PartialEq, Eq)]
/// struct Place {
///     x: u32,
///     y: u32,
/// }
///
/// impl Place {
///     fn number(&self) -> u64 {
///         u64::from(self.x) << 32 | u64::from(self.y)
///     }
/// }
///
/// impl Key for Place {
///     type Form = Self;
/// }
///
/// impl Form for Place {
///     fn siphash(&self, siphash: &SipHash13) -> u64 {
///         siphash.hash_u64(self.number())
///     }
/// }
///
/// let map = Map::from([(Place { x: 1, y: 2 }, "here")]);
/// assert_eq!(map.get(&Place { x: 1, y: 2 }), Some(&"here"));
/// ```
pub trait Key: Borrow<Self::Form> {
    /// What of a key is hashed and compared. Whatever can be borrowed as it can be looked up: in a map with `String`
    /// keys, for example, `&str` and `String`.
    type Form: Form + ?Sized;
}

/// What of a key is hashed and compared.
///
/// Equal forms must have equal hashes, or maps do not find their entries.
///
/// A hash should not panic. If it does while a map makes room for an insertion, the map may drop some of its entries. It
/// stays valid.
pub trait Form: Eq {
    /// The hash of one form.
    fn siphash(&self, siphash: &SipHash13) -> u64;

    /// Sets each of `hashes` to the hash of one of `forms`, in order. There are as many hashes as forms.
    ///
    /// The hashes must be those of [`siphash`](Self::siphash), as they are without an implementation of this. An
    /// implementation is worth the trouble if it makes a call for many messages.
    ///
    /// ```
    /// use keylane::siphash::{Key, SipHash13};
    /// use keylane_map::Form;
    ///
    /// let siphash = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut hashes = [0; 2];
    /// str::siphash_many(["Ada", "Grace"].into_iter(), &siphash, &mut hashes);
    /// assert_eq!(hashes, ["Ada".siphash(&siphash), "Grace".siphash(&siphash)]);
    /// ```
    fn siphash_many<'a>(forms: impl Iterator<Item = &'a Self>, siphash: &SipHash13, hashes: &mut [u64])
    where
        Self: 'a,
    {
        for (hash, form) in hashes.iter_mut().zip(forms) {
            *hash = form.siphash(siphash);
        }
    }
}

/// How many forms are copied to the stack for one call of keylane.
const COPIED: usize = 64;

/// Calls `each` with the parts of `hashes`, and with a copy of as many forms for each.
#[inline(always)]
fn in_parts<F, M: Copy>(
    mut forms: impl Iterator<Item = F>,
    empty: M,
    copy: impl Fn(F) -> M,
    hashes: &mut [u64],
    mut each: impl FnMut(&[M], &mut [u64]),
) {
    let mut copies = [empty; COPIED];
    for hashes in hashes.chunks_mut(COPIED) {
        let copies = copies.get_mut(..hashes.len()).unwrap_or_default();
        for (place, form) in copies.iter_mut().zip(&mut forms) {
            *place = copy(form);
        }
        each(copies, hashes);
    }
}

/// Integers, as the bytes of a wider one.
macro_rules! integers {
    ($($type:ty as $wide:ty: $one:ident, $many:ident;)*) => { $(
        impl Key for $type {
            type Form = Self;
        }

        impl Form for $type {
            #[inline(always)]
            fn siphash(&self, siphash: &SipHash13) -> u64 {
                siphash.$one(*self as $wide)
            }

            #[inline]
            fn siphash_many<'a>(forms: impl Iterator<Item = &'a Self>, siphash: &SipHash13, hashes: &mut [u64]) {
                in_parts(forms, 0, |&form| form as $wide, hashes, |forms, hashes| {
                    // There are as many forms as hashes: no error is possible.
                    let _ = siphash.$many(forms, hashes);
                });
            }
        }
    )* };
}

integers! {
    bool as u32: hash_u32, hash_u32s;
    char as u32: hash_u32, hash_u32s;
    u8 as u32: hash_u32, hash_u32s;
    i8 as u32: hash_u32, hash_u32s;
    u16 as u32: hash_u32, hash_u32s;
    i16 as u32: hash_u32, hash_u32s;
    u32 as u32: hash_u32, hash_u32s;
    i32 as u32: hash_u32, hash_u32s;
    u64 as u64: hash_u64, hash_u64s;
    i64 as u64: hash_u64, hash_u64s;
    usize as u64: hash_u64, hash_u64s;
    isize as u64: hash_u64, hash_u64s;
    u128 as u128: hash_u128, hash_u128s;
    i128 as u128: hash_u128, hash_u128s;
}

/// Arrays longer than this are hashed where they are.
const LONGEST_COPIED: usize = 64;

impl<const N: usize> Key for [u8; N] {
    type Form = Self;
}

impl<const N: usize> Form for [u8; N] {
    #[inline(always)]
    fn siphash(&self, siphash: &SipHash13) -> u64 {
        if N <= LONGEST_COPIED { siphash.hash_array(self) } else { siphash.hash(self) }
    }

    #[inline]
    fn siphash_many<'a>(forms: impl Iterator<Item = &'a Self>, siphash: &SipHash13, hashes: &mut [u64]) {
        if N <= LONGEST_COPIED {
            in_parts(
                forms,
                [0; N],
                |form| *form,
                hashes,
                |forms, hashes| {
                    // The bytes of as many forms as hashes: no error is possible.
                    let _ = siphash.hash_rows(forms.as_flattened(), N, hashes);
                },
            );
        } else {
            <[u8]>::siphash_many(forms.map(<[u8; N]>::as_slice), siphash, hashes);
        }
    }
}

impl Form for [u8] {
    #[inline]
    fn siphash(&self, siphash: &SipHash13) -> u64 {
        siphash.hash(self)
    }

    #[inline]
    fn siphash_many<'a>(forms: impl Iterator<Item = &'a Self>, siphash: &SipHash13, hashes: &mut [u64]) {
        in_parts(
            forms,
            [].as_slice(),
            |form| form,
            hashes,
            |forms, hashes| {
                // There are as many forms as hashes: no error is possible.
                let _ = siphash.hash_many(forms, hashes);
            },
        );
    }
}

impl Form for str {
    #[inline]
    fn siphash(&self, siphash: &SipHash13) -> u64 {
        siphash.hash(self.as_bytes())
    }

    #[inline]
    fn siphash_many<'a>(forms: impl Iterator<Item = &'a Self>, siphash: &SipHash13, hashes: &mut [u64]) {
        <[u8]>::siphash_many(forms.map(str::as_bytes), siphash, hashes);
    }
}

impl Key for String {
    type Form = str;
}

impl Key for Vec<u8> {
    type Form = [u8];
}

impl<T: Form + ?Sized> Key for &T {
    type Form = T;
}

impl<T: Form + ?Sized> Key for Box<T> {
    type Form = T;
}

impl<T: Form + ?Sized> Key for Rc<T> {
    type Form = T;
}

impl<T: Form + ?Sized> Key for Arc<T> {
    type Form = T;
}

impl<T: Form + ToOwned + ?Sized> Key for Cow<'_, T> {
    type Form = T;
}
