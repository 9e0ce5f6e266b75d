//! What the values of footers and page headers look like. Readers in C++ refuse a whole file if a field that must be there is
//! missing in one of them. So what has another shape is neither copied nor put into a footer.
//!
//! Source: Apache Parquet's thrift definition.

use super::thrift::{Struct, Value, kind};

/// The shape of a value.
pub enum Shape {
    /// A value of this kind that is looked into no further.
    Kind(u8),
    Flag,
    List(&'static Shape),
    Fields(&'static [Member]),
}

/// A field: its number, whether it must be there, and its shape.
pub type Member = (i16, bool, Shape);

const INT: Shape = Shape::Kind(kind::I32);
const LONG: Shape = Shape::Kind(kind::I64);
const REAL: Shape = Shape::Kind(kind::DOUBLE);
const BYTES: Shape = Shape::Kind(kind::BINARY);

const STATISTICS: Shape = Shape::Fields(&[
    (1, false, BYTES),
    (2, false, BYTES),
    (3, false, LONG),
    (4, false, LONG),
    (5, false, BYTES),
    (6, false, BYTES),
    (7, false, Shape::Flag),
    (8, false, Shape::Flag),
]);

/// The header of a page.
pub const PAGE: Shape = Shape::Fields(&[
    (1, true, INT),
    (2, true, INT),
    (3, true, INT),
    (4, false, INT),
    (
        5,
        false,
        Shape::Fields(&[
            (1, true, INT),
            (2, true, INT),
            (3, true, INT),
            (4, true, INT),
            (5, false, STATISTICS),
        ]),
    ),
    (7, false, Shape::Fields(&[(1, true, INT), (2, true, INT), (3, false, Shape::Flag)])),
    (
        8,
        false,
        Shape::Fields(&[
            (1, true, INT),
            (2, true, INT),
            (3, true, INT),
            (4, true, INT),
            (5, true, INT),
            (6, true, INT),
            (7, false, Shape::Flag),
            (8, false, STATISTICS),
        ]),
    ),
]);

/// What a footer says of a chunk, beyond what places and counts its values: encodings, metadata, statistics, how many pages
/// have which encoding, sizes, and those of shapes on a map.
pub const CHUNK: Shape = Shape::Fields(&[
    (2, false, Shape::List(&INT)),
    (8, false, Shape::List(&Shape::Fields(&[(1, true, BYTES), (2, false, BYTES)]))),
    (12, false, STATISTICS),
    (13, false, Shape::List(&Shape::Fields(&[(1, true, INT), (2, true, INT), (3, true, INT)]))),
    (
        16,
        false,
        Shape::Fields(&[(1, false, LONG), (2, false, Shape::List(&LONG)), (3, false, Shape::List(&LONG))]),
    ),
    (
        17,
        false,
        Shape::Fields(&[
            (
                1,
                false,
                Shape::Fields(&[
                    (1, true, REAL),
                    (2, true, REAL),
                    (3, true, REAL),
                    (4, true, REAL),
                    (5, false, REAL),
                    (6, false, REAL),
                    (7, false, REAL),
                    (8, false, REAL),
                ]),
            ),
            (2, false, Shape::List(&INT)),
        ]),
    ),
]);

const TIME: Shape = Shape::Fields(&[(1, true, Shape::Flag), (2, true, Shape::Fields(&[]))]);

/// An element of the schema.
pub const ELEMENT: Shape = Shape::Fields(&[
    (1, false, INT),
    (2, false, INT),
    (3, false, INT),
    (4, true, BYTES),
    (5, false, INT),
    (6, false, INT),
    (7, false, INT),
    (8, false, INT),
    (9, false, INT),
    (
        10,
        false,
        Shape::Fields(&[
            (5, false, Shape::Fields(&[(1, true, INT), (2, true, INT)])),
            (7, false, TIME),
            (8, false, TIME),
            (10, false, Shape::Fields(&[(1, true, Shape::Kind(kind::I8)), (2, true, Shape::Flag)])),
        ]),
    ),
]);

/// A column by which a row group is sorted.
pub const SORTING: Shape = Shape::Fields(&[(1, true, INT), (2, true, Shape::Flag), (3, true, Shape::Flag)]);

impl Shape {
    /// Whether a value has this shape.
    pub fn fits(&self, value: &Value<'_>) -> bool {
        match self {
            Shape::Kind(kind) => value.kind == *kind,
            Shape::Flag => [kind::TRUE, kind::FALSE].contains(&value.kind),
            Shape::List(shape) => value.items().is_some_and(|(kind, items)| {
                items.into_iter().all(|item| shape.fits(&Value { kind, bytes: item.into() }))
            }),
            Shape::Fields(_) => value.fields().is_some_and(|fields| self.fits_struct(&fields)),
        }
    }

    /// Whether a struct has this shape.
    pub fn fits_struct(&self, fields: &Struct<'_>) -> bool {
        let Shape::Fields(known) = self else { return false };
        known.iter().all(|(id, is_required, shape)| match fields.get(*id) {
            Some(value) => shape.fits(value),
            None => !is_required,
        })
    }

    /// The field of a struct if it has the shape that is known of it.
    pub fn of<'a>(&self, fields: &Struct<'a>, id: i16) -> Option<Value<'a>> {
        let Shape::Fields(known) = self else { return None };
        let (.., shape) = known.iter().find(|(known, ..)| *known == id)?;
        fields.get(id).filter(|value| shape.fits(value)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_pages() {
        let of = |bytes: &[u8]| PAGE.fits_struct(&Struct::read(bytes).expect("a struct").0);
        // A dictionary of 3 values, and a page of 2 with and without its last field.
        assert!(of(b"\x15\x04\x15\x02\x15\x02\x4c\x15\x06\x15\x00\x00\x00"));
        assert!(of(b"\x15\x00\x15\x02\x15\x02\x2c\x15\x04\x15\x00\x15\x06\x15\x06\x00\x00"));
        assert!(!of(b"\x15\x00\x15\x02\x15\x02\x2c\x15\x04\x15\x00\x15\x06\x00\x00"));
        // A flag that is a number, and a size that is a text.
        assert!(!of(b"\x15\x04\x15\x02\x15\x02\x4c\x15\x06\x15\x00\x15\x00\x00\x00"));
        assert!(!of(b"\x15\x00\x18\x01a\x15\x02\x00"));
    }
}
