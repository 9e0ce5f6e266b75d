//! From the first argument to the key that it names.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::logical_expr::ColumnarValue;
use keylane_columns::{ColumnKey, KeyRegistry, split_name};
use std::error::Error;

const NULL: &str = "the name of a key is null";
const NOT_TEXT: &str = "the first argument is the name of a key, as text; a key itself has no place in SQL";
const NOT_ONE: &str = "the name of a key is one constant for all rows";

/// What is known of the name when a plan is made. A key that stands there instead is refused before anything runs.
pub fn check(data_type: &DataType, constant: Option<&ScalarValue>) -> Result<()> {
    if let Some(constant) = constant {
        split_name(text(constant)?).map_err(external)?;
        return Ok(());
    }
    match data_type {
        // A parameter has no type yet.
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Ok(()),
        DataType::Dictionary(_, values) => check(values, None),
        _ => plan_err!("{NOT_TEXT}"),
    }
}

/// The key itself, when a plan runs.
pub fn find(keys: &KeyRegistry, name: &ColumnarValue) -> Result<ColumnKey> {
    let ColumnarValue::Scalar(constant) = name else { return plan_err!("{NOT_ONE}") };
    let name = text(constant)?;
    let found = keys.find(name).map_err(external)?;
    if let Some(mode) = found.others {
        log::warn!("users other than the owner may read or change the file of the key {name}: mode {mode:o}");
    }
    Ok(found.key)
}

fn text(constant: &ScalarValue) -> Result<&str> {
    match constant.try_as_str() {
        Some(Some(name)) => Ok(name),
        Some(None) => plan_err!("{NULL}"),
        None if constant.is_null() => plan_err!("{NULL}"),
        None => plan_err!("{NOT_TEXT}"),
    }
}

/// An error whose text shows neither a key nor a value.
pub fn external(error: impl Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
