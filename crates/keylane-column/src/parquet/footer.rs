//! The orders of statistics in a file's footer. The library names its own order for each column of floats, also for chunks
//! that it only copies, whose statistics were made in another order. So the footer is held back until it names theirs.
//!
//! A footer ends with these bytes, where n is the number of leaves:
//!
//! ```text
//! n orders of 3 bytes:   1c 00 00   of the type
//!                        2c 00 00   IEEE 754's total order
//!                        3c 00 00   that of INT96
//! 1 byte                 the end of the structure
//! 4 bytes                the length of the footer
//! 4 bytes                PAR1
//! ```
//!
//! Source: Apache Parquet's thrift definition, `FileMetaData.column_orders` and `ColumnOrder`, in thrift's compact protocol.

use parquet::basic::ColumnOrder;
use std::io::{self, Write};

/// The order of the type.
const OF_TYPE: [u8; 3] = [0x1c, 0, 0];
const TOTAL: [u8; 3] = [0x2c, 0, 0];
const INT96: [u8; 3] = [0x3c, 0, 0];

/// What follows the orders.
const AFTER: usize = 9;

/// Holds back the last bytes that are written.
pub struct Held<W> {
    pub inner: W,
    last: Vec<u8>,
    most: usize,
}

impl<W: Write> Held<W> {
    /// Holds back the orders of n leaves, and what follows them.
    pub fn new(inner: W, leaves: usize) -> Self {
        Held { inner, last: Vec::new(), most: leaves.saturating_mul(3).saturating_add(AFTER) }
    }

    /// Writes the bytes that are held back, with these orders for the first leaves: `None` leaves one as it is.
    pub fn finish(&mut self, orders: &[Option<ColumnOrder>]) -> io::Result<()> {
        let places = self.last.as_chunks_mut::<3>().0;
        for (place, order) in places.iter_mut().zip(orders) {
            let right = match order {
                Some(ColumnOrder::IEEE_754_TOTAL_ORDER) => TOTAL,
                Some(ColumnOrder::INT96_TIMESTAMP_ORDER) => INT96,
                Some(_) => OF_TYPE,
                None => continue,
            };
            if ![OF_TYPE, TOTAL, INT96].contains(place) {
                return Err(io::Error::other("the footer has another form than was expected"));
            }
            *place = right;
        }
        self.inner.write_all(&self.last)?;
        self.last.clear();
        self.inner.flush()
    }
}

impl<W: Write> Write for Held<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.last.extend_from_slice(bytes);
        let older = self.last.len().saturating_sub(self.most);
        self.inner.write_all(self.last.get(..older).unwrap_or(&[]))?;
        self.last.drain(..older);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_put_right() {
        let footer = [&b"chunks"[..], &TOTAL, &TOTAL, &OF_TYPE, &TOTAL, &[0, 9, 0, 0, 0], b"PAR1"].concat();
        let orders = [Some(ColumnOrder::UNDEFINED), Some(ColumnOrder::IEEE_754_TOTAL_ORDER), None];
        for piece in 1..footer.len() {
            let mut held = Held::new(Vec::new(), 4);
            footer.chunks(piece).for_each(|piece| held.write_all(piece).expect("memory"));
            held.finish(&orders).expect("memory");
            let right =
                [&b"chunks"[..], &OF_TYPE, &TOTAL, &OF_TYPE, &TOTAL, &[0, 9, 0, 0, 0], b"PAR1"].concat();
            assert_eq!(held.inner, right, "pieces of {piece}");
        }
        let mut held = Held::new(Vec::new(), 1);
        held.write_all(b"no footer of Parquet").expect("memory");
        assert!(held.finish(&orders).is_err());
    }
}
