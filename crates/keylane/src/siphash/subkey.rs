//! Subkeys and check values, as docs/COLUMNS.md has them.

use super::prepared::{Key, Prepared};
use crate::error::ContextError;
use crate::job::siphash::Fixed;
use crate::job::wipe::wipe;

/// SipHash-4-8-128, which makes subkeys and check values. KCE-1 hashes by 1-3 and 2-4 only, so no tag of a column is one.
type SipHashX48 = Prepared<u64, Fixed<4, 8>, u128>;

/// The begin of the contexts that belong to KCE-1 and those that follow it.
const RESERVED: &str = "KCE-";

impl Key<u64> {
    /// The subkey for a context of 1 to 255 bytes: SipHash-4-8-128 of "keylane subkey 1", a zero byte and the context.
    ///
    /// Subkeys of two contexts are independent to anyone without the key, and none of them shows the key. A key from which you
    /// derive should hash nothing else. Never hash messages that others choose by SipHash-4-8-128 under it: the tag of
    /// the message above is the subkey.
    ///
    /// # Errors
    /// [`ContextError`]: the context has no bytes, or more than 255, or begins with `KCE-`.
    ///
    /// ```
    /// use keylane::siphash::{ContextError, Key};
    ///
    /// let key = Key::from_bytes([0; 16]);
    /// let email = key.derive("users.email")?;
    /// assert_ne!(email.check(), key.check());
    /// assert_eq!(key.derive("").unwrap_err(), ContextError::Length { bytes: 0 });
    /// assert_eq!(key.derive("KCE-1 row").unwrap_err(), ContextError::Reserved);
    /// # Ok::<(), ContextError>(())
    /// ```
    pub fn derive(&self, context: &str) -> Result<Self, ContextError> {
        check_context(context)?;
        Ok(self.subkey(context))
    }

    /// The key that hashes rows by KCE-1: the subkey for the context `KCE-1 row`, which [`Key::derive`] refuses.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// let key = Key::from_bytes([0; 16]);
    /// assert_ne!(key.row_key().check(), key.check());
    /// ```
    pub fn row_key(&self) -> Self {
        self.subkey("KCE-1 row")
    }

    /// Writes the 16 bytes of the subkey for a context, for example to store them. The caller must wipe them.
    ///
    /// # Errors
    /// [`ContextError`], as for [`Key::derive`]; then nothing is written.
    ///
    /// ```
    /// use keylane::siphash::Key;
    ///
    /// let key = Key::from_bytes([7; 16]);
    /// let mut bytes = [0; 16];
    /// key.derive_bytes("users.email", &mut bytes)?;
    /// assert_eq!(Key::from_bytes(bytes).check(), key.derive("users.email")?.check());
    /// # Ok::<(), keylane::siphash::ContextError>(())
    /// ```
    pub fn derive_bytes(&self, context: &str, subkey: &mut [u8; 16]) -> Result<(), ContextError> {
        check_context(context)?;
        self.write_subkey(context, subkey);
        Ok(())
    }

    fn subkey(&self, context: &str) -> Self {
        let mut bytes = [0; 16];
        self.write_subkey(context, &mut bytes);
        let subkey = Self::from_bytes(bytes);
        wipe(&mut bytes);
        subkey
    }

    fn write_subkey(&self, context: &str, subkey: &mut [u8; 16]) {
        let mut stream = SipHashX48::new(self).stream();
        stream.update(b"keylane subkey 1\0");
        stream.update(context.as_bytes());
        let mut tag = [stream.finish()];
        *subkey = tag[0].to_le_bytes();
        wipe(&mut tag);
    }

    /// The check value, which is public: the first 4 bytes of SipHash-4-8-128 of "keylane check 1" and a zero byte.
    /// People write it as 8 hexadecimal digits. Two people who see the same value hold the same key, except for one pair
    /// of keys in 2^32. The key must be random.
    ///
    /// ```
    /// # use keylane::siphash::Key;
    /// assert_eq!(Key::from_bytes([0; 16]).check(), [0xae, 0x48, 0x45, 0xb5]);
    /// ```
    pub fn check(&self) -> [u8; 4] {
        // The first byte of the tag is the lowest of the integer.
        (SipHashX48::new(self).hash(b"keylane check 1\0") as u32).to_le_bytes()
    }
}

/// Whether `Key::derive` takes this context, for those who have no key yet. Contexts that begin with `KCE-` belong to
/// KCE-1, which derives the keys of rows by them.
///
/// # Errors
/// [`ContextError`]
///
/// ```
/// use keylane::siphash::{ContextError, check_context};
///
/// assert_eq!(check_context("users.email"), Ok(()));
/// assert_eq!(check_context("KCE-1 row"), Err(ContextError::Reserved));
/// assert_eq!(check_context(&"a".repeat(256)), Err(ContextError::Length { bytes: 256 }));
/// ```
pub fn check_context(context: &str) -> Result<(), ContextError> {
    if context.starts_with(RESERVED) {
        return Err(ContextError::Reserved);
    }
    match context.len() {
        1..=255 => Ok(()),
        bytes => Err(ContextError::Length { bytes }),
    }
}
