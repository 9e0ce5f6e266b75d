//! What the options of `keylane column` mean.

use crate::args::{ColumnArgs, ColumnForm, NullsChoice, TableFormat};
use crate::error::Error;
use crate::input::is_stdin;
use clap::ValueEnum;
use keylane_columns::{Algorithm, Form, Nulls};
use keylane_files::csv::Dialect;
use keylane_files::{Context, Named, Request, plan};
use std::path::Path;

/// The request.
pub fn request(args: &ColumnArgs) -> Result<Request, Error> {
    let algorithm = args.alg.to_string().to_ascii_lowercase().parse();
    let algorithm: Algorithm = algorithm.map_err(|error| Error::usage("--alg", error))?;
    let context = match args.context.as_str() {
        "per-column" => Context::PerColumn,
        "none" => Context::None,
        text => Context::One(text.into()),
    };
    let rows: Result<_, _> = args.row.iter().map(|text| plan::row(text)).collect();
    Ok(Request {
        columns: columns("--columns", &args.columns)?,
        rows: rows.map_err(|error| Error::usage("--row", error))?,
        types: columns("--types", &args.types)?,
        suffix: args.suffix.clone(),
        algorithm,
        form: match args.form {
            ColumnForm::Hex => Form::Hex,
            ColumnForm::Binary => Form::Binary,
            ColumnForm::Uint64 => Form::UInt64,
            ColumnForm::Int64 => Form::Int64,
        },
        nulls: match args.nulls {
            NullsChoice::Keep => Nulls::Keep,
            NullsChoice::Error => Nulls::Refuse,
        },
        context,
        empty_is_text: args.empty_is_text,
        header: !args.no_header,
        keep_metadata: args.keep_metadata.clone(),
    })
}

fn columns(option: &str, lists: &[String]) -> Result<Vec<Named>, Error> {
    let mut all = Vec::new();
    for list in lists {
        all.extend(plan::columns(list).map_err(|error| Error::usage(option, error))?);
    }
    Ok(all)
}

/// The formats of the table that is read and of the one that is written.
pub fn formats(args: &ColumnArgs) -> Result<(TableFormat, TableFormat), Error> {
    let from = args
        .from
        .or_else(|| by_name(&args.input))
        .ok_or_else(|| Error::Usage(unknown_format(&args.input)))?;
    let to = args.to.or_else(|| args.output.as_deref().and_then(by_name)).unwrap_or(from);
    let is_arrow = |format| matches!(format, TableFormat::Arrow | TableFormat::ArrowStream);
    if from != to && !(is_arrow(from) && is_arrow(to)) {
        return Err(Error::Usage(format!("a table of {} is not written as {}", name(from), name(to))));
    }
    if args.manifest && !matches!(from, TableFormat::Csv | TableFormat::Tsv) {
        return Err(Error::Usage(format!("--manifest: {} has metadata of its own", name(from))));
    }
    if !matches!(from, TableFormat::Csv | TableFormat::Tsv) {
        let options = [
            (args.no_header, "--no-header"),
            (args.empty_is_text, "--empty-is-text"),
            (args.delimiter.is_some(), "--delimiter"),
            (args.quote.is_some(), "--quote"),
            (args.no_quote, "--no-quote"),
        ];
        for (given, option) in options {
            if given {
                return Err(Error::Usage(format!("{option}: only for CSV and TSV")));
            }
        }
    } else if !args.keep_metadata.is_empty() {
        return Err(Error::Usage(format!("--keep-metadata: {} has no metadata", name(from))));
    }
    Ok((from, to))
}

/// Why the format of a file is unknown.
fn unknown_format(path: &Path) -> String {
    let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
    let tool = match end.as_deref() {
        Some("gz") => "gzip",
        Some("zst") => "zstd",
        Some("bz2") => "bzip2",
        Some("xz") => "xz",
        _ => return "the name of IN does not say its format: give --from".into(),
    };
    format!(
        "the name of IN says that it is compressed: decompress it first, as in \
         {tool} -dc IN | keylane column --from csv -o OUT ... -"
    )
}

/// How fields of CSV and TSV are divided.
pub fn dialect(args: &ColumnArgs, from: TableFormat) -> Result<Dialect, Error> {
    let usual = if from == TableFormat::Tsv { Dialect::TSV } else { Dialect::CSV };
    let quote = args.quote.or(usual.quote()).filter(|_| !args.no_quote);
    let dialect = Dialect::new(args.delimiter.unwrap_or(usual.delimiter()), quote);
    dialect.map_err(|error| Error::Usage(format!("--delimiter, --quote: {error}")))
}

/// The name of a format on the command line.
fn name(format: TableFormat) -> String {
    format.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The format that the end of a file's name says.
fn by_name(path: &Path) -> Option<TableFormat> {
    if is_stdin(path) {
        return None;
    }
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match end.as_str() {
        "csv" => TableFormat::Csv,
        "tsv" | "tab" => TableFormat::Tsv,
        "parquet" | "pq" => TableFormat::Parquet,
        "arrow" | "feather" | "ipc" => TableFormat::Arrow,
        "arrows" => TableFormat::ArrowStream,
        _ => return None,
    })
}

/// The name of the key for metadata.
pub fn key_name(args: &ColumnArgs) -> String {
    let place = &args.key.place;
    let file = place.key_file.as_deref().filter(|path| !is_stdin(path)).and_then(Path::file_stem);
    let known = file.or(place.key_env.as_deref()).and_then(|name| name.to_str());
    args.key_name.clone().unwrap_or_else(|| known.unwrap_or("key").to_owned())
}
