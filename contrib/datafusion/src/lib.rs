#![doc = include_str!("../README.md")]

mod function;
mod name;

pub use keylane::siphash::Key;
pub use keylane_columns::{ColumnError, ColumnKey, KeyError, KeyRegistry, SqlFunction};

use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;
use function::Keyed;
use std::sync::Arc;

/// Adds `keylane_hash`, `keylane_hash128`, `keylane_pseudonym` and `keylane_hash_rows` to a context. They find keys by
/// their names in `keys`, and then in the folder `$KEYLANE_KEY_DIR`.
///
/// ```
/// use datafusion::prelude::SessionContext;
/// use keylane_datafusion::{KeyRegistry, register};
/// use std::sync::Arc;
///
/// let context = SessionContext::new();
/// register(&context, &Arc::new(KeyRegistry::new()));
/// assert!(context.state().scalar_functions().contains_key("keylane_pseudonym"));
/// ```
pub fn register(context: &SessionContext, keys: &Arc<KeyRegistry>) {
    for function in functions(keys) {
        context.register_udf(function);
    }
}

/// The four functions, for expressions and for registries of other kinds. A plan that is sent names a function, and the
/// process that runs it must have these.
///
/// ```
/// use datafusion::prelude::{col, lit};
/// use keylane_datafusion::{KeyRegistry, functions};
/// use std::sync::Arc;
///
/// let [hash, ..] = functions(&Arc::new(KeyRegistry::new()));
/// let tag = hash.call(vec![lit("users-2026"), col("email")]);
/// assert_eq!(tag.to_string(), r#"keylane_hash(Utf8("users-2026"), email)"#);
/// ```
pub fn functions(keys: &Arc<KeyRegistry>) -> [ScalarUDF; 4] {
    SqlFunction::ALL.map(|function| Keyed::new(function, Arc::clone(keys)).into())
}
