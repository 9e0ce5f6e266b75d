//! Runs a query over the table `t`, which is an Arrow file, and writes the result to another one:
//!
//!     KEYLANE_KEY_DIR=keys arrow_file "SELECT keylane_hash('users-2026', email) FROM t" in.arrow out.arrow

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::ipc::reader::FileReader;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use keylane_datafusion::{KeyRegistry, register};
use std::error::Error;
use std::fs::File;
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [query, input, output] = &arguments[..] else { return Err("QUERY IN.arrow OUT.arrow".into()) };
    let file = FileReader::try_new_buffered(File::open(input)?, None)?;
    let schema = file.schema();
    let batches = file.collect::<Result<Vec<RecordBatch>, _>>()?;

    let context = SessionContext::new();
    register(&context, &Arc::new(KeyRegistry::new()));
    context.register_table("t", Arc::new(MemTable::try_new(schema, vec![batches])?))?;
    let found = context.sql(query).await?;
    let mut file = FileWriter::try_new(File::create(output)?, found.schema().as_arrow())?;
    for batch in found.collect().await? {
        file.write(&batch)?;
    }
    Ok(file.finish()?)
}
