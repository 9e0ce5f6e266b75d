//! From the name of a key in SQL to prepared keys.

use keylane::siphash::{SipHash13, SipHashX24};
use keylane_columns::{Algorithm, ColumnError, ColumnHasher, ColumnKey, Form, KeyError, KeyRegistry};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// The keys of this process.
pub static KEYS: KeyRegistry = KeyRegistry::new();

/// The most names, with their contexts, that are kept prepared.
const MANY: usize = 256;

static PREPARED: RwLock<BTreeMap<Box<[u8]>, Arc<Prepared>>> = RwLock::new(BTreeMap::new());

/// A key that is ready to hash.
pub struct Prepared {
    /// siphash-1-3-64, for values whose messages lie in memory.
    pub short: SipHash13,
    /// siphash-2-4-128, for the same.
    pub long: SipHashX24,
    /// siphash-1-3-64, as integers.
    pub hash: ColumnHasher,
    /// siphash-2-4-128, as bytes.
    pub wide: ColumnHasher,
}

impl Prepared {
    fn new(key: &ColumnKey) -> Result<Prepared, ColumnError> {
        Ok(Prepared {
            short: SipHash13::new(key.key()),
            long: SipHashX24::new(key.key()),
            hash: ColumnHasher::new(key, Algorithm::SipHash13).with_form(Form::UInt64)?,
            wide: ColumnHasher::new(key, Algorithm::SipHashX24),
        })
    }
}

/// The key of `NAME`, or the subkey of `NAME/CONTEXT`.
pub fn find(text: &[u8]) -> Result<Arc<Prepared>, Fault> {
    if let Some(found) = PREPARED.read().unwrap_or_else(PoisonError::into_inner).get(text) {
        return Ok(Arc::clone(found));
    }
    let name = str::from_utf8(text).map_err(|_| Fault::new("the name of a key is text"))?;
    let prepared = Arc::new(Prepared::new(&KEYS.find(name)?.key)?);
    let mut all = PREPARED.write().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MANY {
        all.clear();
    }
    all.insert(text.into(), Arc::clone(&prepared));
    Ok(prepared)
}

/// What a query is told. No text has a key or a value in it.
pub struct Fault(String);

impl Fault {
    pub fn new(text: impl fmt::Display) -> Fault {
        Fault(text.to_string())
    }

    pub fn text(&self) -> &str {
        &self.0
    }
}

impl From<KeyError> for Fault {
    fn from(error: KeyError) -> Fault {
        Fault::new(error)
    }
}

impl From<ColumnError> for Fault {
    fn from(error: ColumnError) -> Fault {
        Fault::new(error)
    }
}
