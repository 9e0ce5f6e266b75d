//! Arrays of bytes or text, row by row.

use crate::leaf::{Leaf, viewed};
use crate::value::Value;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use std::fmt;

/// The bytes of a view.
const VIEW: usize = 16;

/// The values of an array of bytes or text, row by row, for other uses than hashes.
///
/// Offsets and views are checked whenever a row is read, so an array that contradicts itself has no value there, even if
/// its owner changes it meanwhile.
///
/// ```
/// use arrow_array::BinaryArray;
/// use keylane_columns::ByteRows;
///
/// let array = BinaryArray::from(vec![Some(&b"one"[..]), None]);
/// let rows = ByteRows::new(&array).expect("an array of bytes");
/// assert_eq!(rows.len(), 2);
/// assert_eq!(rows.get(0), Some(&b"one"[..]));
/// assert!(rows.is_null(1));
/// ```
#[derive(Clone)]
pub struct ByteRows<'a> {
    leaf: Leaf<'a>,
    /// The memory of the views, where short values stand.
    views: &'a [u8],
    nulls: Option<&'a NullBuffer>,
    len: usize,
}

impl<'a> ByteRows<'a> {
    /// The rows of an array of binary, large binary, binary view, fixed-size binary, the three types of text, or null.
    /// `None` for any other type.
    pub fn new(array: &'a dyn Array) -> Option<Self> {
        let views = match array.data_type() {
            DataType::BinaryView => array.as_binary_view_opt()?.views().inner().as_slice(),
            DataType::Utf8View => array.as_string_view_opt()?.views().inner().as_slice(),
            DataType::Binary
            | DataType::LargeBinary
            | DataType::FixedSizeBinary(_)
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Null => &[],
            _ => return None,
        };
        Some(ByteRows { leaf: Leaf::new(array)?, views, nulls: array.nulls(), len: array.len() })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a row is null.
    pub fn is_null(&self, row: usize) -> bool {
        let is_null = |nulls: &NullBuffer| row < nulls.len() && nulls.is_null(row);
        matches!(self.leaf, Leaf::Null) || self.nulls.is_some_and(is_null)
    }

    /// The bytes of a row, or what lies behind its null. `None` if the array contradicts itself there, has no such row, or
    /// is of the type null.
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        match self.leaf {
            Leaf::Bytes32(values) => values.at(row),
            Leaf::Bytes64(values) => values.at(row),
            Leaf::Fixed(values) => values.at(row).filter(|_| row < self.len),
            Leaf::Views(views, buffers) => match viewed(*views.get(row)?, buffers)? {
                Value::Bytes(bytes) => Some(bytes),
                Value::Short(_, length) => {
                    let (view, _) = self.views.get(row.checked_mul(VIEW)?..)?.split_first_chunk::<VIEW>()?;
                    view.get(size_of::<u32>()..)?.get(..length)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl fmt::Debug for ByteRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteRows").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::ByteRows;
    use arrow_array::{
        Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, Int64Array, LargeBinaryArray,
        LargeStringArray, NullArray, StringArray, StringViewArray,
    };
    use std::sync::Arc;

    const VALUES: [Option<&str>; 6] = [
        Some("a"),
        None,
        Some(""),
        Some("twelve bytes"),
        Some("thirteen byte"),
        Some("longer than a view has room"),
    ];

    fn arrays() -> [ArrayRef; 6] {
        let bytes = VALUES.map(|value| value.map(str::as_bytes));
        [
            Arc::new(BinaryArray::from(bytes.to_vec())),
            Arc::new(LargeBinaryArray::from(bytes.to_vec())),
            Arc::new(BinaryViewArray::from(bytes.to_vec())),
            Arc::new(StringArray::from(VALUES.to_vec())),
            Arc::new(LargeStringArray::from(VALUES.to_vec())),
            Arc::new(StringViewArray::from(VALUES.to_vec())),
        ]
    }

    #[test]
    fn every_type_and_slice_has_the_same_rows() {
        for array in arrays() {
            for start in 0..=VALUES.len() {
                let slice = array.slice(start, VALUES.len() - start);
                let rows = ByteRows::new(&*slice).expect("bytes or text");
                assert_eq!((rows.len(), rows.is_empty()), (VALUES.len() - start, start == VALUES.len()));
                for (row, value) in VALUES[start..].iter().enumerate() {
                    assert_eq!(rows.is_null(row), value.is_none(), "{:?}", array.data_type());
                    if let Some(value) = value {
                        assert_eq!(rows.get(row), Some(value.as_bytes()), "{:?}", array.data_type());
                    }
                }
                assert_eq!(rows.get(rows.len()), None);
                assert!(!rows.is_null(rows.len()));
            }
        }
    }

    #[test]
    fn rows_of_one_width() {
        for width in [0, 1, 12, 24] {
            let values = [Some(vec![1_u8; width]), None, Some(vec![3; width])];
            let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                values.iter().map(|value| value.as_deref()),
                i32::try_from(width).expect("a small width"),
            );
            let array = array.expect("an array").slice(1, 2);
            let rows = ByteRows::new(&array).expect("bytes");
            assert!(rows.is_null(0));
            assert_eq!((rows.get(1), rows.get(2)), (values[2].as_deref(), None));
        }
    }

    #[test]
    fn other_types() {
        assert!(ByteRows::new(&Int64Array::from(vec![1])).is_none());
        let nulls = NullArray::new(2);
        let rows = ByteRows::new(&nulls).expect("nulls");
        assert_eq!((rows.len(), rows.is_null(1), rows.get(1)), (2, true, None));
    }

    /// Arrays from other languages may hold such views, which arrow-rs itself would not make.
    #[test]
    fn views_may_be_anything() {
        use crate::leaf::Leaf;
        let far = [u128::from(13_u32) | 7 << 64, u128::MAX, u128::from(5_u32)];
        let rows = ByteRows { leaf: Leaf::Views(&far, &[]), views: &[0; 40], nulls: None, len: 3 };
        assert_eq!([0, 1, 2].map(|row| rows.get(row)), [None; 3]);
    }
}
