//! The functions of SQL, as DataFusion sees them.

use crate::name::{self, external};
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_empty_array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::scalar_doc_sections::DOC_SECTION_HASHING;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use keylane::siphash::Key;
use keylane_columns::{ColumnHasher, ColumnKey, KeyRegistry, SqlFunction};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

fn signature(function: SqlFunction) -> Signature {
    // No type is cast: a cast to text would change the tag of a number without a word.
    match function {
        SqlFunction::Rows => Signature::variadic_any(Volatility::Immutable),
        _ => Signature::any(2, Volatility::Immutable),
    }
}

fn documentation(function: SqlFunction) -> Documentation {
    let (about, syntax, values) = match function {
        SqlFunction::Hash => (
            "The siphash-1-3-64 of a value by KCE-1, as UInt64. Null for a null.",
            "keylane_hash(name, value)",
            "A value of any type that is not nested.",
        ),
        SqlFunction::Hash128 => (
            "The siphash-2-4-128 of a value by KCE-1, as 16 bytes. Null for a null.",
            "keylane_hash128(name, value)",
            "A value of any type that is not nested.",
        ),
        SqlFunction::Pseudonym => (
            "The siphash-2-4-128 of a value by KCE-1, as 32 hexadecimal digits. Null for a null.",
            "keylane_pseudonym(name, value)",
            "A value of any type that is not nested.",
        ),
        SqlFunction::Rows => (
            "The siphash-1-3-64 by KCE-1 of all values as one row, as UInt64. Nulls are values, and the order counts.",
            "keylane_hash_rows(name, value, ...)",
            "Values of any types but maps, unions and intervals.",
        ),
    };
    Documentation::builder(DOC_SECTION_HASHING, about, syntax)
        .with_argument("name", "The name of a key, or name/context for a subkey. One constant; never a key.")
        .with_argument("value", values)
        .with_sql_example(format!("SELECT {}('users-2026/users.email', email) FROM users", function.name()))
        .build()
}

/// Whether values of a field may be null. The values of a dictionary may be, even if its keys are not.
fn may_be_null(field: &Field) -> bool {
    let encoded = matches!(field.data_type(), DataType::Dictionary(..) | DataType::RunEndEncoded(..));
    field.is_nullable() || encoded || *field.data_type() == DataType::Null
}

/// A function with the keys that it finds.
pub struct Keyed {
    function: SqlFunction,
    keys: Arc<KeyRegistry>,
    signature: Signature,
    documentation: Documentation,
}

impl Keyed {
    pub fn new(function: SqlFunction, keys: Arc<KeyRegistry>) -> Keyed {
        Keyed { function, keys, signature: signature(function), documentation: documentation(function) }
    }

    /// The field of the tags of columns of these types, of which the first has the name.
    fn returns(&self, arguments: &[FieldRef]) -> Result<Field> {
        let values = arguments.get(1..).unwrap_or_default();
        if values.is_empty() {
            return plan_err!("{} needs the name of a key and a value", self.function.name());
        }
        // Types are looked at before a plan runs. That an array is empty does not matter, nor which key is used.
        let nobody = ColumnKey::new("nobody", Key::from_bytes([0; 16]));
        let empty: Vec<ArrayRef> = values.iter().map(|field| new_empty_array(field.data_type())).collect();
        let tags = self.tags(&nobody, &empty, 0)?;
        let nullable = self.function != SqlFunction::Rows && values.iter().any(|field| may_be_null(field));
        Ok(Field::new(self.function.name(), tags.data_type().clone(), nullable))
    }

    /// The tags of these columns.
    fn tags(&self, key: &ColumnKey, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let hasher = ColumnHasher::new(key, self.function.algorithm());
        let hasher = hasher.with_form(self.function.form()).map_err(external)?;
        match (self.function, values) {
            (SqlFunction::Rows, _) => {
                let names: Vec<String> = (1..=values.len()).map(|place| format!("value {place}")).collect();
                let field =
                    |(name, array): (&String, &ArrayRef)| Field::new(name, array.data_type().clone(), true);
                let schema = Schema::new(names.iter().zip(values).map(field).collect::<Vec<_>>());
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                let batch = RecordBatch::try_new_with_options(Arc::new(schema), values.to_vec(), &options)?;
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                hasher.hash_rows(&batch, &names).map_err(external)
            }
            (_, [value]) => hasher.hash_array("value", value).map_err(external),
            _ => plan_err!("{} takes the name of a key and one value", self.function.name()),
        }
    }
}

impl PartialEq for Keyed {
    fn eq(&self, other: &Keyed) -> bool {
        self.function == other.function && Arc::ptr_eq(&self.keys, &other.keys)
    }
}

impl Eq for Keyed {}

impl Hash for Keyed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
        Arc::as_ptr(&self.keys).hash(state);
    }
}

/// Plans show functions in this way: no name of a key stands here, and no check value.
impl fmt::Debug for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.name())
    }
}

impl ScalarUDFImpl for Keyed {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }

    /// Not called, since `return_field_from_args` is there.
    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let fields: Vec<FieldRef> =
            types.iter().map(|kind| Arc::new(Field::new("", kind.clone(), true))).collect();
        Ok(self.returns(&fields)?.data_type().clone())
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        if let Some(name) = arguments.arg_fields.first() {
            name::check(name.data_type(), arguments.scalar_arguments.first().copied().flatten())?;
        }
        Ok(Arc::new(self.returns(arguments.arg_fields)?))
    }

    fn is_strict(&self) -> bool {
        self.function != SqlFunction::Rows
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some((name, values)) = arguments.args.split_first() else {
            return plan_err!("{} needs the name of a key and a value", self.name());
        };
        let key = name::find(&self.keys, name)?;
        let constant = values.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { arguments.number_rows };
        let values = values.iter().map(|value| value.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let tags = self.tags(&key, &values, rows)?;
        if constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&tags, 0)?));
        }
        Ok(ColumnarValue::Array(tags))
    }
}
