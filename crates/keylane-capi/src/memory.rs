//! Arguments from C: pointers, and the memory behind them.
//!
//! A function of C takes values of these types, which have the layout of pointers. Rust code has no way to
//! make one, so each value has come from C. Its caller promises the rules of `keylane.h`:
//!
//! * A pointer is null or points to as many values as the call says.
//! * Nobody else writes these values during the call, nor reads them if they are results.
//! * An object is either initialised by keylane or zero.
//!
//! What can be checked without touching the memory is checked nevertheless: null, alignment, lengths beyond
//! the largest possible object, and overlap of input and results. So is the mark in the first word of an
//! object.

#![allow(unsafe_code)]

use crate::status::Status;
use core::array;
use core::ffi::{CStr, c_char, c_int};
use core::hint::black_box;
use core::mem::{MaybeUninit, transmute};
use core::ops::Range;
use core::ptr::{drop_in_place, slice_from_raw_parts, without_provenance, write_volatile};
use core::slice;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};
use keylane::aead::{self, MAX_BYTES, Tag};

/// Functions of C.
macro_rules! function {
    ($(fn $name:ident($($given:ident: $type:ty),* $(,)?) $(-> $answer:ty)? $body:block)*) => {$(
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        extern "C" fn $name($($given: $type),*) $(-> $answer)? $body
    )*};
}
pub(crate) use function;

/// Functions of C whose bodies return `Result<(), Status>`.
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

/// Memory for results: `T *`.
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// An object of C: `struct B *`.
#[repr(transparent)]
pub struct Handle<B>(*mut Object<B>);

/// A range of addresses.
pub type Span = Range<usize>;

/// The addresses of a slice.
#[inline(always)]
pub fn span<T>(slice: &[T]) -> Span {
    let Range { start, end } = slice.as_ptr_range();
    start.addr()..end.addr()
}

/// Whether two ranges of memory share a byte.
#[inline(always)]
pub fn overlap(a: &Span, b: &Span) -> bool {
    !a.is_empty() && !b.is_empty() && a.start < b.end && b.start < a.end
}

/// What is wrong with an argument, if anything: of several faults the one with the lowest number.
pub type Fault = Option<Status>;

/// Passes if no argument has a fault. If several have one, returns the fault with the lowest number.
///
/// Every function begins with it, so the order of its arguments does not matter. A macro, because a function would
/// compute the lowest fault even if there is none.
macro_rules! no_fault {
    ($($fault:expr),+ $(,)?) => {
        if $($fault.is_none())&&+ { Ok(()) } else { Err($crate::memory::lowest([$($fault),+])) }
    };
}
pub(crate) use no_fault;

/// The lowest of some faults.
#[cold]
#[inline(never)]
pub fn lowest<const N: usize>(faults: [Fault; N]) -> Status {
    first(faults.into_iter().flatten())
}

/// The status with the lowest number.
fn first(statuses: impl Iterator<Item = Status>) -> Status {
    statuses.min_by_key(|status| *status as c_int).unwrap_or(Status::Ok)
}

/// What is wrong with a pointer to `n` values. `too_many`: the status if `n` is larger than memory.
#[inline(always)]
fn fault<T>(pointer: *const T, n: usize, too_many: Status) -> Fault {
    if pointer.is_null() {
        Some(Status::Null)
    } else if !pointer.is_aligned() {
        Some(Status::Align)
    } else if n > isize::MAX as usize / size_of::<T>() {
        Some(too_many)
    } else {
        None
    }
}

/// Checks what can be checked before `n` values at `pointer` become a slice.
#[inline(always)]
fn check<T>(pointer: *const T, n: usize) -> Result<(), Status> {
    fault(pointer, n, Status::Count).map_or(Ok(()), |status| Err(rare(status)))
}

/// Returns the status. The compiler takes this for a rare call with an unknown result, so it lays out the
/// successful path in one piece, without a jump.
#[cold]
#[inline(never)]
fn rare(status: Status) -> Status {
    black_box(status)
}

impl<T> In<T> {
    /// What is wrong with the pointer to one value.
    #[inline(always)]
    pub fn fault(&self) -> Fault {
        fault(self.0, 1, Status::Count)
    }

    /// What is wrong with the pointer to `n` values, or with `n`. If `n` is 0, any pointer will do.
    #[inline(always)]
    pub fn fault_of(&self, n: usize) -> Fault {
        if n == 0 { None } else { fault(self.0, n, Status::Count) }
    }
}

impl In<u8> {
    /// What is wrong with the pointer to `length` bytes, or with the length.
    #[inline(always)]
    pub fn fault_of_bytes(&self, length: usize) -> Fault {
        if length == 0 { None } else { fault(self.0, length, Status::Length) }
    }
}

impl<T: Copy> In<T> {
    /// The value.
    #[inline(always)]
    pub fn get(&self) -> Result<&T, Status> {
        check(self.0, 1)?;
        // SAFETY: `check` has found the pointer not null and aligned. The C caller promises one value here. A
        // `T` in C is an integer, an array of bytes or a struct of pointers and lengths: any bits are valid.
        Ok(unsafe { &*self.0 })
    }

    /// `n` values. If `n` is 0, the pointer may be null.
    #[inline(always)]
    pub fn slice(&self, n: usize) -> Result<&[T], Status> {
        if n == 0 {
            return Ok(&[]);
        }
        check(self.0, n)?;
        // SAFETY: `check` has found the pointer not null, aligned, and `n` not too large. The C caller
        // promises `n` values here.
        Ok(unsafe { slice::from_raw_parts(self.0, n) })
    }
}

impl In<c_char> {
    /// A text that ends with a byte 0.
    pub fn text(&self) -> Result<&str, Status> {
        check(self.0, 1)?;
        // SAFETY: `check` has found the pointer not null. The C caller promises that the text ends with a
        // byte 0.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map_err(|_| Status::Unicode)
    }
}

impl<T: Copy> Out<T> {
    /// What is wrong with the pointer to one value, which may have any address.
    #[inline(always)]
    pub fn fault(&self) -> Fault {
        self.0.is_null().then_some(Status::Null)
    }

    /// What is wrong with the pointer to `n` values, or with `n`. If `n` is 0, any pointer will do.
    #[inline(always)]
    pub fn fault_of(&self, n: usize) -> Fault {
        if n == 0 { None } else { fault(self.0, n, Status::Count) }
    }

    /// Writes one value, at any address.
    #[inline(always)]
    pub fn put(&self, value: T) -> Result<(), Status> {
        no_fault!(self.fault())?;
        // SAFETY: not null, as checked. The C caller promises room for one value, of any alignment.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// The addresses of `n` values.
    #[inline(always)]
    pub fn span(&self, n: usize) -> Span {
        let start = self.0.addr();
        start..start.saturating_add(n.saturating_mul(size_of::<T>()))
    }

    /// Memory for `n` values, which must not overlap the `inputs`.
    #[inline(always)]
    pub fn slice(&mut self, n: usize, inputs: &[Span]) -> Result<&mut [T], Status> {
        if n == 0 {
            return Ok(&mut []);
        }
        check(self.0, n)?;
        let place = self.span(n);
        if inputs.iter().any(|input| overlap(input, &place)) {
            return Err(Status::Overlap);
        }
        // SAFETY: `check` has found the pointer not null, aligned, and `n` not too large. The memory is apart
        // from the borrowed inputs. The C caller promises room for `n` values, and all are integers or bytes
        // of any value.
        Ok(unsafe { slice::from_raw_parts_mut(self.0, n) })
    }
}

impl Out<u8> {
    /// What is wrong with the pointer to `length` bytes, or with the length.
    #[inline(always)]
    pub fn fault_of_bytes(&self, length: usize) -> Fault {
        if length == 0 { None } else { fault(self.0, length, Status::Length) }
    }
}

/// `keylane_message`: a message somewhere in memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Message {
    bytes: *const u8,
    length: usize,
}

/// A message whose pointer and length have been checked.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Checked(Message);

impl Message {
    /// What is wrong with the message: null with a length above 0, too long, or overlapping the results.
    #[inline(always)]
    fn fault(&self, results: &Span) -> Fault {
        let start = self.bytes.addr();
        let place = start..start.saturating_add(self.length);
        let overlaps = || overlap(&place, results).then_some(Status::Overlap);
        if self.length == 0 { None } else { fault(self.bytes, self.length, Status::Length).or_else(overlaps) }
    }
}

impl In<Message> {
    /// `n` messages, all without a fault. If there are several faults, returns the one with the lowest number.
    #[inline(always)]
    pub fn checked(&self, n: usize, results: Span) -> Result<&[Checked], Status> {
        let messages = self.slice(n)?;
        if messages.iter().any(|message| message.fault(&results).is_some()) {
            return Err(worst(messages, &results));
        }
        // SAFETY: `Checked` has the layout of `Message`, and none of the messages has a fault.
        Ok(unsafe { slice::from_raw_parts(messages.as_ptr().cast(), messages.len()) })
    }
}

/// The lowest fault of some messages.
#[cold]
#[inline(never)]
fn worst(messages: &[Message], results: &Span) -> Status {
    first(messages.iter().filter_map(|message| message.fault(results)))
}

/// Whether a slice is a pointer and then a length in memory, as a [`Message`] is. Rust does not promise it.
const SLICES_ARE_MESSAGES: bool = {
    let slice = slice_from_raw_parts(without_provenance::<u8>(3), 5);
    const { assert!(size_of::<Message>() == size_of::<&[u8]>() && align_of::<Message>() == align_of::<&[u8]>()) };
    // SAFETY: both types have two words, and those of this pointer are integers.
    let [pointer, length] = unsafe { transmute::<*const [u8], [usize; 2]>(slice) };
    pointer == 3 && length == 5
};

/// The messages as slices, where they are. `None` if one is null, or if slices look otherwise in memory.
pub fn as_slices(messages: &[Checked]) -> Option<&[&[u8]]> {
    if !SLICES_ARE_MESSAGES || messages.iter().any(|Checked(message)| message.bytes.is_null()) {
        return None;
    }
    // SAFETY: a slice looks like a `Message`. These are not null and not too long, as checked here and by `checked`. The
    // C caller promises the bytes of each.
    Some(unsafe { slice::from_raw_parts(messages.as_ptr().cast(), messages.len()) })
}

impl AsRef<[u8]> for Checked {
    #[inline(always)]
    fn as_ref(&self) -> &[u8] {
        let Checked(Message { bytes, length }) = *self;
        if length == 0 {
            return &[];
        }
        // SAFETY: `checked` has found the pointer not null and the length not too large. The C caller
        // promises `length` bytes.
        unsafe { slice::from_raw_parts(bytes, length) }
    }
}

/// `keylane_packet`: a packet of ChaCha20-Poly1305 somewhere in memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Packet {
    nonce: *const [u8; 12],
    aad: *const u8,
    aad_length: usize,
    data: *mut u8,
    length: usize,
    tag: *mut [u8; 16],
}

/// A packet whose pointers and lengths have been checked.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct CheckedPacket(Packet);

/// What a call does with packets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It writes the data and the tags.
    Seal,
    /// It writes the data.
    Open,
}

/// The addresses of `length` bytes.
#[inline(always)]
fn bytes_at<T>(pointer: *const T, length: usize) -> Span {
    let start = pointer.addr();
    start..start.saturating_add(length)
}

impl Packet {
    /// A packet to seal, of the arguments of a call.
    #[inline(always)]
    pub fn to_seal(
        nonce: &In<[u8; 12]>,
        (aad, aad_length): (&In<u8>, usize),
        (data, length): (&Out<u8>, usize),
        tag: &Out<[u8; 16]>,
    ) -> Packet {
        Packet { nonce: nonce.0, aad: aad.0, aad_length, data: data.0, length, tag: tag.0 }
    }

    /// A packet to open.
    #[inline(always)]
    pub fn to_open(
        nonce: &In<[u8; 12]>,
        aad: (&In<u8>, usize),
        data: (&Out<u8>, usize),
        tag: &In<[u8; 16]>,
    ) -> Packet {
        Packet::to_seal(nonce, aad, data, &Out(tag.0.cast_mut()))
    }

    /// What is wrong with the packet: a null pointer, a length, or that what is written overlaps something else of the
    /// packet or of the call.
    #[inline(always)]
    fn fault(&self, work: Work, others: &[Span], written: &Span) -> Fault {
        let null = |is_null: bool| is_null.then_some(Status::Null);
        let bytes = |pointer: *const u8, n: usize| {
            if n == 0 { None } else { fault(pointer, n, Status::Length) }
        };
        let too_long = (self.length as u64 > MAX_BYTES).then_some(Status::Length);
        let faults = [
            null(self.nonce.is_null()),
            null(self.tag.is_null()),
            bytes(self.aad, self.aad_length),
            bytes(self.data, self.length),
            too_long,
            self.overlaps(work, others, written).then_some(Status::Overlap),
        ];
        if faults.iter().all(Option::is_none) { None } else { Some(lowest(faults)) }
    }

    /// Whether what is written, by this packet or to `written` by the call, overlaps something else.
    #[inline(always)]
    fn overlaps(&self, work: Work, others: &[Span], written: &Span) -> bool {
        let (nonce, aad) = (bytes_at(self.nonce, 12), bytes_at(self.aad, self.aad_length));
        let (data, tag) = (bytes_at(self.data, self.length), bytes_at(self.tag, 16));
        let any = |place: &Span| others.iter().chain([&nonce, &aad]).any(|other| overlap(place, other));
        let results = [&nonce, &aad, &data, &tag].into_iter().any(|place| overlap(place, written));
        results || overlap(&data, &tag) || any(&data) || (work == Work::Seal && any(&tag))
    }

    /// The packet, if it has no fault.
    #[inline(always)]
    pub fn checked(self, work: Work, others: &[Span]) -> Result<CheckedPacket, Status> {
        self.fault(work, others, &(0..0)).map_or(Ok(CheckedPacket(self)), Err)
    }
}

impl In<Packet> {
    /// `n` packets, all without a fault. If there are several faults, returns the one with the lowest number. What they
    /// write must not overlap the object nor the list, and what the call writes (`written`) must overlap nothing.
    #[inline(always)]
    pub fn packets(
        &self,
        n: usize,
        work: Work,
        [object, written]: [Span; 2],
    ) -> Result<&[CheckedPacket], Status> {
        let packets = self.slice(n)?;
        let others = [object, span(packets)];
        let fault = |packet: &Packet| packet.fault(work, &others, &written);
        if packets.iter().any(|packet| fault(packet).is_some()) {
            return Err(first(packets.iter().filter_map(fault)));
        }
        // SAFETY: `CheckedPacket` has the layout of `Packet`, and none of the packets has a fault.
        Ok(unsafe { slice::from_raw_parts(packets.as_ptr().cast(), packets.len()) })
    }
}

/// Passes at most N packets on as the core takes them. To open, their tags are read; after sealing, they are written.
#[inline(always)]
pub fn with_packets<const N: usize, R>(
    packets: &[CheckedPacket],
    work: Work,
    call: impl FnOnce(&mut [aead::Packet<'_>]) -> R,
) -> R {
    let mut places: [aead::Packet<'_>; N] =
        array::from_fn(|i| packets.get(i).map_or_else(nothing, |packet| packet.of_core(work)));
    let used = places.get_mut(..packets.len()).unwrap_or(&mut []);
    let result = call(used);
    if work == Work::Seal {
        for (CheckedPacket(packet), sealed) in packets.iter().zip(used) {
            // SAFETY: `checked` has found the pointer not null. The C caller promises 16 bytes, which nobody else uses.
            unsafe { packet.tag.write(sealed.tag.to_bytes()) };
        }
    }
    result
}

/// A packet for a place without one.
fn nothing<'a>() -> aead::Packet<'a> {
    aead::Packet { nonce: [0; 12], aad: &[], data: &mut [], tag: Tag::default() }
}

impl CheckedPacket {
    /// The packet as the core takes it. Only `with_packets` calls it, once for each packet.
    #[inline(always)]
    fn of_core(&self, work: Work) -> aead::Packet<'_> {
        let Packet { nonce, aad, aad_length, data, length, tag } = self.0;
        // SAFETY: `checked` has found the pointer not null. The C caller promises 12 bytes.
        let nonce = unsafe { nonce.read() };
        let tag = match work {
            Work::Seal => Tag::default(),
            // SAFETY: the same for 16 bytes.
            Work::Open => Tag::from_bytes(unsafe { tag.read() }),
        };
        let aad = match aad_length {
            0 => &[],
            // SAFETY: `checked` has found the pointer not null and the length not too large. The C caller promises as
            // many bytes.
            _ => unsafe { slice::from_raw_parts(aad, aad_length) },
        };
        let data = match length {
            0 => &mut [],
            // SAFETY: the same, and `checked` has found that these bytes overlap nothing else of the packet. The C
            // caller promises that they overlap no other packet.
            _ => unsafe { slice::from_raw_parts_mut(data, length) },
        };
        aead::Packet { nonce, aad, data, tag }
    }
}

/// A struct of the header: a mark that identifies the contents of the body, and the body.
#[repr(C)]
pub struct Object<B> {
    mark: u64,
    body: MaybeUninit<B>,
}

/// A value that an object with the body `B` may hold.
pub trait Kept<B> {
    /// The mark of an object that holds this type. Other memory contains it by chance with probability 2^-64.
    const MARK: u64;
}

impl<B> Handle<B> {
    /// What is wrong with the pointer.
    #[inline(always)]
    pub fn fault(&self) -> Fault {
        fault(self.0, 1, Status::Count)
    }

    /// The object's mark.
    #[inline(always)]
    fn mark(&self) -> Result<u64, Status> {
        check(self.0, 1)?;
        // SAFETY: not null and aligned, as checked. The C caller promises an object of keylane, or zeros.
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
        // SAFETY: the address lies inside the object, which `check` has found not null. Nothing is read.
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
        // SAFETY: the mark shows that `put` has written a `T`, and `put` asserts that it fits. The C caller
        // promises that nobody writes to it during the call.
        Ok(unsafe { &*body })
    }

    /// The `T` that the object holds, to change it.
    #[inline(always)]
    pub fn get_mut<T: Kept<B>>(&mut self) -> Result<&mut T, Status> {
        let body = self.body::<T>()?;
        // SAFETY: the mark shows that `put` has written a `T`, and `put` asserts that it fits. The C caller
        // promises that nobody else uses it during the call.
        Ok(unsafe { &mut *body })
    }

    /// Stores the value of `make` in the object, which may hold anything before.
    #[inline(always)]
    pub fn put<T: Kept<B>>(&mut self, make: impl FnOnce() -> T) -> Result<(), Status> {
        const { assert!(size_of::<T>() <= size_of::<B>() && align_of::<T>() <= align_of::<B>()) };
        check(self.0, 1)?;
        // SAFETY: `check` has found the object not null and aligned. Its body is large enough and aligned
        // enough for a `T`, as asserted.
        unsafe { self.address::<T>().write(make()) };
        // SAFETY: the same object.
        unsafe { (*self.0).mark = T::MARK };
        Ok(())
    }

    /// If the object holds a `T`, wipes it: all its bytes become zero, even those that no value was written
    /// to. `put` may have copied stack contents there, perhaps those of an earlier message.
    #[inline(always)]
    pub fn wipe<T: Kept<B>>(&mut self) {
        let Ok(body) = self.body::<T>() else { return };
        // SAFETY: the mark shows that `put` has written a `T`. The mark is cleared below, so the `T` is
        // dropped once.
        unsafe { drop_in_place(body) };
        // SAFETY: the same object. All of its bytes may be zero.
        unsafe { self.0.write_bytes(0, 1) };
        // The compiler must assume that somebody reads the zeros.
        black_box(self.0);
    }
}

function! {
    fn keylane_wipe(secret: Out<u8>, n: usize) {
        if secret.fault().is_none() {
            for i in 0..n {
                // SAFETY: not null, as checked. The C caller promises `n` bytes.
                let byte = unsafe { secret.0.add(i) };
                // SAFETY: one of these bytes. The write is volatile, so the compiler may not remove it.
                unsafe { write_volatile(byte, 0) };
            }
            compiler_fence(SeqCst);
        }
    }
}
