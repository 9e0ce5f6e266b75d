//! A column of a Parquet file with a Bloom filter for each of its row groups.

use super::filter::Filter;
use arrow_array::Array;
use keylane_columns::ColumnKey;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Says which row groups a reader may leave out.
pub struct FilteredColumn {
    path: PathBuf,
    name: String,
    filters: Vec<Filter>,
}

impl FilteredColumn {
    /// Reads the column once. Each filter takes at most about this share of other values for its own.
    pub fn open(path: &Path, name: &str, key: &ColumnKey, share: f64) -> Result<Self, Box<dyn Error>> {
        let mut column = FilteredColumn { path: path.to_owned(), name: name.to_owned(), filters: Vec::new() };
        let groups: Vec<i64> =
            column.reader()?.metadata().row_groups().iter().map(|g| g.num_rows()).collect();
        for (group, rows) in groups.into_iter().enumerate() {
            // A group has no more different values than rows.
            let mut filter = Filter::new(key, usize::try_from(rows)?, share);
            for batch in column.read(vec![group])? {
                let batch = batch?;
                filter.insert(name, batch.column_by_name(name).ok_or("the file has no such column")?)?;
            }
            column.filters.push(filter);
        }
        Ok(column)
    }

    /// The filters, in the order of the row groups.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// The row groups that may have one of these values. The others have none of them.
    pub fn groups(&self, values: &dyn Array) -> Result<Vec<usize>, Box<dyn Error>> {
        let mut groups = Vec::new();
        for (group, filter) in self.filters.iter().enumerate() {
            if filter.may_contain(&self.name, values)?.has_true() {
                groups.push(group);
            }
        }
        Ok(groups)
    }

    /// The column in these row groups. No other column is read.
    pub fn read(&self, groups: Vec<usize>) -> Result<ParquetRecordBatchReader, Box<dyn Error>> {
        let reader = self.reader()?;
        let only = ProjectionMask::columns(reader.parquet_schema(), [self.name.as_str()]);
        Ok(reader.with_projection(only).with_row_groups(groups).build()?)
    }

    fn reader(&self) -> Result<ParquetRecordBatchReaderBuilder<File>, Box<dyn Error>> {
        Ok(ParquetRecordBatchReaderBuilder::try_new(File::open(&self.path)?)?)
    }
}
