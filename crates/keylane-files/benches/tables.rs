//! What hashing adds to copying a table with the same library, in seconds.
//!
//!     cargo bench -p keylane-files --features ipc,parquet -- [--quick] [--rows N] [--csv FILE] [csv] [parquet] [arrow]
//!
//! The table has an int64, a string of 4 to 20 bytes, a string of a dictionary of 1000, and a float64. Each line hashes one
//! of the first three columns, or all. The least of some runs counts. Input and output are in memory; Parquet is read from
//! a file in the system's cache. `--csv` writes the figures to a file too.

use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray, types::Int32Type,
};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use keylane::siphash::Key;
use keylane_columns::{Algorithm, ColumnKey, Form};
use keylane_files::ipc::Layout;
use keylane_files::{Request, csv as text, ipc, parquet as tagged, plan};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::cell::RefCell;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Seek};
use std::sync::Arc;
use std::time::Instant;

/// Rows of a batch, and of a row group in tens.
const BATCH: usize = 100_000;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A mixed counter: SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

fn name(row: u64) -> String {
    let digits = format!("{:016x}{:016x}", mixed(row), mixed(!row));
    digits[..4 + (mixed(row ^ 0xabcd) % 17) as usize].to_owned()
}

/// The batch whose first row has this number.
fn batch(first: usize, rows: usize) -> Outcome<RecordBatch> {
    let numbers = || (first..first + rows).map(|row| row as u64);
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers().map(|row| mixed(row) as i64)));
    let names: ArrayRef = Arc::new(StringArray::from_iter_values(numbers().map(name)));
    let cities: DictionaryArray<Int32Type> = {
        let values = StringArray::from_iter_values((0..1000).map(|city| format!("city {city}")));
        let keys =
            arrow_array::Int32Array::from_iter_values(numbers().map(|row| (mixed(row ^ 7) % 1000) as i32));
        DictionaryArray::try_new(keys, Arc::new(values))?
    };
    let amounts: ArrayRef =
        Arc::new(Float64Array::from_iter_values(numbers().map(|row| (row % 10_007) as f64 / 100.0)));
    Ok(RecordBatch::try_from_iter([
        ("id", ids),
        ("name", names),
        ("city", Arc::new(cities)),
        ("amount", amounts),
    ])?)
}

fn batches(rows: usize) -> impl Iterator<Item = Outcome<RecordBatch>> {
    (0..rows).step_by(BATCH).map(move |first| batch(first, BATCH.min(rows - first)))
}

/// The measurements of one format.
type Suite = fn(&Report, &ColumnKey) -> Outcome<()>;

/// The least seconds of some runs.
fn least(runs: usize, mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

struct Report {
    rows: usize,
    runs: usize,
    /// The figures as CSV.
    lines: RefCell<String>,
}

impl Report {
    fn line(&self, format: &str, program: &str, work: &str, copies: &[(&str, f64)], seconds: f64) {
        let nanoseconds = seconds * 1e9 / self.rows as f64;
        let mut line = format!("{format:<8} {program:<26} {work:<20} {nanoseconds:7.1} ns a row");
        for (name, copy) in copies {
            let _ = write!(line, "  {:+6.1} % of {name}", (seconds / copy - 1.0) * 100.0);
        }
        println!("{line}");
        let _ = writeln!(self.lines.borrow_mut(), "{format},\"{program}\",{work},{nanoseconds:.1}");
    }
}

const COLUMNS: [(&str, &str); 4] =
    [("int64", "id:int64"), ("text", "name"), ("dictionary", "city"), ("all three", "id:int64,name,city")];

fn request(columns: &str, algorithm: Algorithm, form: Form) -> Outcome<Request> {
    Ok(Request { columns: plan::columns(columns)?, algorithm, form, ..Request::default() })
}

/// The two ways that are measured: pseudonyms, and numbers for work inside of a process.
fn ways(format: &str) -> [(&'static str, Algorithm, Form); 2] {
    let wide = if format == "csv" { Form::Hex } else { Form::Binary };
    [
        ("keylane, siphash-2-4-128", Algorithm::SipHashX24, wide),
        ("keylane, siphash-1-3-64", Algorithm::SipHash13, Form::Int64),
    ]
}

fn csv_tables(report: &Report, key: &ColumnKey) -> Outcome<()> {
    let mut table = String::from("id,name,city,amount\n");
    for row in 0..report.rows as u64 {
        let cents = row % 10_007;
        let city = mixed(row ^ 7) % 1000;
        writeln!(
            table,
            "{},{},city {city},{}.{:02}",
            mixed(row) as i64,
            name(row),
            cents / 100,
            cents % 100
        )?;
    }
    let mut output = Vec::with_capacity(table.len() * 3);
    let bytes = least(report.runs, || {
        output.clear();
        io::copy(&mut table.as_bytes(), &mut output)?;
        Ok(())
    })?;
    report.line("csv", "the bytes", "copy", &[], bytes);
    let crate_copy = least(report.runs, || {
        output.clear();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(table.as_bytes());
        let mut writer = csv::Writer::from_writer(&mut output);
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record)? {
            writer.write_byte_record(&record)?;
        }
        writer.flush()?;
        Ok(())
    })?;
    report.line("csv", "the crate csv", "copy", &[], crate_copy);
    let copy = least(report.runs, || {
        output.clear();
        text::copy(table.as_bytes(), &mut output, text::Dialect::CSV)?;
        Ok(())
    })?;
    report.line("csv", "keylane", "copy", &[], copy);
    for (way, algorithm, form) in ways("csv") {
        for (what, columns) in COLUMNS {
            let request = request(columns, algorithm, form)?;
            let seconds = least(report.runs, || {
                output.clear();
                text::hash(table.as_bytes(), &mut output, text::Dialect::CSV, &request, key)?;
                Ok(())
            })?;
            let copies = [("the crate's copy", crate_copy), ("keylane's copy", copy)];
            report.line("csv", way, what, &copies, seconds);
        }
    }
    Ok(())
}

fn parquet_tables(report: &Report, key: &ColumnKey) -> Outcome<()> {
    let properties = || WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = tempfile::tempfile()?;
    let mut writer = ArrowWriter::try_new(&mut file, batch(0, 0)?.schema(), Some(properties()))?;
    batches(report.rows).try_for_each(|batch| Outcome::Ok(writer.write(&batch?)?))?;
    writer.close()?;
    file.rewind()?;
    let mut output = Vec::new();
    let copy = least(report.runs, || {
        output.clear();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file.try_clone()?)?.with_batch_size(16 * 1024);
        let mut writer = ArrowWriter::try_new(&mut output, builder.schema().clone(), Some(properties()))?;
        for batch in builder.build()? {
            writer.write(&batch?)?;
        }
        writer.close()?;
        Ok(())
    })?;
    report.line("parquet", "the crate parquet", "copy", &[], copy);
    for (way, algorithm, form) in ways("parquet") {
        for (what, columns) in COLUMNS {
            let request = request(columns, algorithm, form)?;
            let seconds = least(report.runs, || {
                output.clear();
                tagged::hash(&file, &mut output, &request, key, |_| {})?;
                Ok(())
            })?;
            report.line("parquet", way, what, &[("the crate's copy", copy)], seconds);
        }
    }
    Ok(())
}

fn arrow_tables(report: &Report, key: &ColumnKey) -> Outcome<()> {
    let mut stream = Vec::new();
    let mut writer = StreamWriter::try_new(&mut stream, &batch(0, 0)?.schema())?;
    batches(report.rows).try_for_each(|batch| Outcome::Ok(writer.write(&batch?)?))?;
    writer.finish()?;
    drop(writer);
    let mut output = Vec::with_capacity(stream.len() * 2);
    let copy = least(report.runs, || {
        output.clear();
        let reader = StreamReader::try_new(&stream[..], None)?;
        let mut writer = StreamWriter::try_new(&mut output, &reader.schema())?;
        for batch in reader {
            writer.write(&batch?)?;
        }
        Ok(writer.finish()?)
    })?;
    report.line("arrow", "the crate arrow-ipc", "copy", &[], copy);
    for (way, algorithm, form) in ways("arrow") {
        for (what, columns) in COLUMNS {
            let request = request(columns, algorithm, form)?;
            let seconds = least(report.runs, || {
                output.clear();
                ipc::hash_stream(&stream[..], &mut output, Layout::Stream, &request, key)?;
                Ok(())
            })?;
            report.line("arrow", way, what, &[("the crate's copy", copy)], seconds);
        }
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let option = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1);
    let rows =
        option("--rows").map_or(Ok(if quick { 1_000_000 } else { 10_000_000 }), |rows| rows.parse())?;
    let lines = RefCell::new("format,program,work,ns\n".into());
    let report = Report { rows, runs: if quick { 5 } else { 3 }, lines };
    let key = ColumnKey::new("bench", Key::from_bytes(*b"a key of 16 byte"));
    println!("{rows} rows, the least of {} runs", report.runs);
    let formats: [(&str, Suite); 3] =
        [("csv", csv_tables), ("parquet", parquet_tables), ("arrow", arrow_tables)];
    let is_named = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !formats.iter().any(|(name, _)| is_named(name));
    for (name, run) in formats {
        if all || is_named(name) {
            run(&report, &key)?;
        }
    }
    if let Some(file) = option("--csv") {
        fs::write(file, &*report.lines.borrow())?;
    }
    Ok(())
}
