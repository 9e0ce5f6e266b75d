//! What C gives: pointers, and memory behind them.
//!
//! A function of C takes values of these types, which have the layout of pointers. Rust code has no way to
//! make one, so each has come from C, whose programmer has been told the rules in `keylane.h`: a pointer is
//! null, or points to as many values as the call says, which nobody else writes during the call (nor reads,
//! where results go), and an object is one that keylane has initialised or memory that is zero. What
//! can be seen without touching the memory is checked all the same: null, alignment, lengths beyond what
//! an object can have, overlap of input and results, and the mark in the first word of an object.

#![allow(unsafe_code)]

use crate::status::Status;
use core::ffi::{CStr, c_char};
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::{drop_in_place, write_volatile};
use core::slice;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

/// Functions of C.
macro_rules! function {
    ($(fn $name:ident($($given:ident: $type:ty),* $(,)?) $(-> $answer:ty)? $body:block)*) => {$(
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        extern "C" fn $name($($given: $type),*) $(-> $answer)? $body
    )*};
}
pub(crate) use function;

/// Functions of C whose bodies answer with `Result<(), Status>`.
macro_rules! export {
    ($(fn $name:ident($($given:ident: $type:ty),* $(,)?) $body:block)*) => {
        $crate::memory::function! {
            $(fn $name($($given: $type),*) -> $crate::status::Status {
                let answer = move || -> Result<(), $crate::status::Status> { $body };
                $crate::status::Status::of(answer())
            })*
        }
    };
}
pub(crate) use export;

/// Input: `const T *`.
#[repr(transparent)]
pub struct In<T>(*const T);

/// A place for results: `T *`.
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// An object of C: `struct B *`.
#[repr(transparent)]
pub struct Handle<B>(*mut Object<B>);

/// The addresses of some memory.
pub type Span = Range<usize>;

/// The addresses of a slice.
pub fn span<T>(slice: &[T]) -> Span {
    let Range { start, end } = slice.as_ptr_range();
    start.addr()..end.addr()
}

/// Whether two pieces of memory share a byte.
pub fn overlap(a: &Span, b: &Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether `n` values at `pointer` may be made a slice, as far as that can be seen.
#[inline(always)]
fn check<T>(pointer: *const T, n: usize) -> Result<(), Status> {
    if pointer.is_null() {
        Err(rare(Status::Null))
    } else if !pointer.is_aligned() {
        Err(rare(Status::Align))
    } else if n > isize::MAX as usize / size_of::<T>() {
        Err(rare(if size_of::<T>() == 1 { Status::Length } else { Status::Count }))
    } else {
        Ok(())
    }
}

/// A status, of which the compiler is told that it is rare, and not what it is: so a call that goes well is laid out as
/// one piece, without a jump.
#[cold]
#[inline(never)]
fn rare(status: Status) -> Status {
    black_box(status)
}

impl<T: Copy> In<T> {
    /// The value.
    #[inline(always)]
    pub fn get(&self) -> Result<&T, Status> {
        check(self.0, 1)?;
        // SAFETY: not null and aligned, as checked; C's programmer promises one value here, and a `T` in C
        // is an integer, an array of bytes or a struct of pointers and lengths, of any bits.
        Ok(unsafe { &*self.0 })
    }

    /// `n` values, of which there may be none even behind null.
    #[inline(always)]
    pub fn slice(&self, n: usize) -> Result<&[T], Status> {
        if n == 0 {
            return Ok(&[]);
        }
        check(self.0, n)?;
        // SAFETY: not null, aligned and not too long, as checked; C's programmer promises `n` values here.
        Ok(unsafe { slice::from_raw_parts(self.0, n) })
    }
}

impl In<c_char> {
    /// A text that ends with a byte 0.
    pub fn text(&self) -> Result<&str, Status> {
        check(self.0, 1)?;
        // SAFETY: not null, as checked; C's programmer promises a byte 0 at the text's end.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map_err(|_| Status::Unicode)
    }
}

impl<T: Copy> Out<T> {
    /// Whether there is a place.
    #[inline(always)]
    pub fn check(&self) -> Result<(), Status> {
        if self.0.is_null() { Err(rare(Status::Null)) } else { Ok(()) }
    }

    /// Writes one value, at any address.
    #[inline(always)]
    pub fn put(&self, value: T) -> Result<(), Status> {
        self.check()?;
        // SAFETY: not null, as checked; C's programmer promises room for one value, of any alignment.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// The addresses of `n` values.
    pub fn span(&self, n: usize) -> Span {
        let start = self.0.addr();
        start..start.saturating_add(n.saturating_mul(size_of::<T>()))
    }

    /// Room for `n` values that does not overlap the `inputs`.
    pub fn slice(&mut self, n: usize, inputs: &[Span]) -> Result<&mut [T], Status> {
        if n == 0 {
            return Ok(&mut []);
        }
        check(self.0, n)?;
        let place = self.span(n);
        if inputs.iter().any(|input| overlap(input, &place)) {
            return Err(Status::Overlap);
        }
        // SAFETY: not null, aligned and not too long, as checked, and apart from what is borrowed as
        // input; C's programmer promises room for `n` values, and all are integers or bytes of any value.
        Ok(unsafe { slice::from_raw_parts_mut(self.0, n) })
    }
}

/// `keylane_message`: a message somewhere in memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Message {
    bytes: *const u8,
    length: usize,
}

/// A message that has been looked at.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Checked(Message);

impl In<Message> {
    /// `n` messages, none of which is null with a length, too long, or where the results go.
    pub fn checked(&self, n: usize, results: Span) -> Result<&[Checked], Status> {
        let messages = self.slice(n)?;
        for &Message { bytes, length } in messages {
            if length > 0 {
                check(bytes, length)?;
                let start = bytes.addr();
                if overlap(&(start..start.saturating_add(length)), &results) {
                    return Err(Status::Overlap);
                }
            }
        }
        // SAFETY: `Checked` is a `Message` by its layout, and what it says more has just been seen.
        Ok(unsafe { slice::from_raw_parts(messages.as_ptr().cast(), messages.len()) })
    }
}

impl AsRef<[u8]> for Checked {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        let Checked(Message { bytes, length }) = *self;
        if length == 0 {
            return &[];
        }
        // SAFETY: not null and not too long, as `checked` has seen; C's programmer promises `length` bytes.
        unsafe { slice::from_raw_parts(bytes, length) }
    }
}

/// A struct of the header: a mark that says what the body holds, and the body.
#[repr(C)]
pub struct Object<B> {
    mark: u64,
    body: MaybeUninit<B>,
}

/// A value that an object with the body `B` may hold.
pub trait Kept<B> {
    /// The mark of an object that holds one: a number that memory has by accident with chance 2^-64.
    const MARK: u64;
}

impl<B> Handle<B> {
    /// The object's mark.
    #[inline(always)]
    fn mark(&self) -> Result<u64, Status> {
        check(self.0, 1)?;
        // SAFETY: not null and aligned, as checked; C's programmer promises an object of keylane or zeros.
        Ok(unsafe { (*self.0).mark })
    }

    /// The body, if the object holds a `T`.
    #[inline(always)]
    fn body<T: Kept<B>>(&self) -> Result<*mut T, Status> {
        const { assert!(size_of::<T>() <= size_of::<B>() && align_of::<T>() <= align_of::<B>()) };
        if self.mark()? == T::MARK { Ok(self.address()) } else { Err(rare(Status::State)) }
    }

    #[inline(always)]
    fn address<T>(&self) -> *mut T {
        // SAFETY: a place inside the object, which `check` has seen not to be null: nothing is read.
        unsafe { (&raw mut (*self.0).body).cast() }
    }

    /// The object's addresses.
    pub fn span(&self) -> Span {
        let start = self.0.addr();
        start..start.saturating_add(size_of::<Object<B>>())
    }

    /// Whether the object holds a `T`.
    #[inline(always)]
    pub fn holds<T: Kept<B>>(&self) -> bool {
        self.body::<T>().is_ok()
    }

    /// The `T` that the object holds.
    #[inline(always)]
    pub fn get<T: Kept<B>>(&self) -> Result<&T, Status> {
        let body = self.body::<T>()?;
        // SAFETY: the mark says that `put` has written a `T`, which fits as asserted; C's programmer
        // promises that nobody writes to it during the call.
        Ok(unsafe { &*body })
    }

    /// The `T` that the object holds, to change it.
    #[inline(always)]
    pub fn get_mut<T: Kept<B>>(&mut self) -> Result<&mut T, Status> {
        let body = self.body::<T>()?;
        // SAFETY: the mark says that `put` has written a `T`, which fits as asserted; C's programmer
        // promises that nobody else uses it during the call.
        Ok(unsafe { &mut *body })
    }

    /// Makes it hold what `make` makes, where it stands, whatever it has held.
    #[inline(always)]
    pub fn put<T: Kept<B>>(&mut self, make: impl FnOnce() -> T) -> Result<(), Status> {
        const { assert!(size_of::<T>() <= size_of::<B>() && align_of::<T>() <= align_of::<B>()) };
        check(self.0, 1)?;
        // SAFETY: the body of an object that is not null and is aligned, as checked, and as large and as
        // aligned as a `T` needs, as asserted.
        unsafe { self.address::<T>().write(make()) };
        // SAFETY: the same object.
        unsafe { (*self.0).mark = T::MARK };
        Ok(())
    }

    /// Wipes the `T` that the object holds, if it holds one, after which it is zero. Also what no value has been
    /// written to: `put` has brought there whatever stood on the stack, which may be what an earlier message left.
    #[inline(always)]
    pub fn wipe<T: Kept<B>>(&mut self) {
        let Ok(body) = self.body::<T>() else { return };
        // SAFETY: the mark says that `put` has written a `T`, and is taken away below, so that it is
        // dropped once.
        unsafe { drop_in_place(body) };
        // SAFETY: the same object, of which all bytes may be zero.
        unsafe { self.0.write_bytes(0, 1) };
        // The compiler is told that somebody reads them.
        black_box(self.0);
    }
}

function! {
    fn keylane_wipe(secret: Out<u8>, n: usize) {
        if secret.check().is_ok() {
            for i in 0..n {
                // SAFETY: not null, as checked; C's programmer promises `n` bytes.
                let byte = unsafe { secret.0.add(i) };
                // SAFETY: one of these bytes. Volatile, so that the compiler may not leave it out.
                unsafe { write_volatile(byte, 0) };
            }
            compiler_fence(SeqCst);
        }
    }
}
