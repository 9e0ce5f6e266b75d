//! The command line and its help texts.

use crate::algorithm::{Algorithm, Prf};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

const EXIT_STATUS: &str = "\
Exit status:
  0  all is well
  1  a file could not be read, a tag did not match, or the output or a warning could not be written
  2  the command line, the key or KEYLANE_KERNEL is wrong; nothing was done";

/// Keyed checksums of files with SipHash, and one-time tags with Poly1305
#[derive(Parser)]
#[command(name = "keylane", version, max_term_width = 100)]
#[command(arg_required_else_help = true, after_long_help = ENVIRONMENT)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const ENVIRONMENT: &str = "\
Environment:
  KEYLANE_KERNEL  chooses kernels, as in siphash-xn=siphash_x1; keylane kernels lists them

A first key, and the sums of some files:
  keylane keygen -o my.key
  keylane sum --key-file my.key *.rs > sums
  keylane sum --key-file my.key --check sums";

#[derive(Subcommand)]
pub enum Command {
    Keygen(KeygenArgs),
    #[command(subcommand)]
    Key(KeyCommand),
    Sum(SumArgs),
    Mac(MacArgs),
    Column(ColumnArgs),
    Kernels(KernelsArgs),
    /// Test every kernel that this CPU can run, and the public calls against published answers
    #[command(after_long_help = "Exit status: 0 if all passed, 1 if something failed.")]
    Selftest,
    Bench(BenchArgs),
}

/// Make a fresh random key
///
/// The key comes from the system's random number generator and is written as hex digits and a newline. A key
/// file is readable by its owner only and is written completely or not at all. An existing file is kept
/// unless --force is given.
#[derive(Args)]
#[command(after_long_help = EXIT_STATUS)]
pub struct KeygenArgs {
    /// Algorithm the key is for, named as in sum and mac. Key lengths: 16 bytes for siphash-C-D-BITS, 8 for
    /// halfsiphash-C-D-BITS, 32 for poly1305
    #[arg(long, value_name = "ALG", default_value = "siphash-2-4-128")]
    pub alg: Algorithm,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "output")]
    pub force: bool,
}

/// Derive a subkey from a key, or show a key's check value
#[derive(Subcommand)]
pub enum KeyCommand {
    Derive(DeriveArgs),
    Check(CheckArgs),
}

/// Derive the subkey for a context into a new file
///
/// One secret then serves many uses: a subkey for each column, each shard, each partner. Subkeys of different
/// contexts look random and independent to those without the key. Whoever has the key has all its subkeys.
///
/// The subkey is written as hex digits and a newline, as by keygen. Its file is readable by its owner only. An
/// existing file is never replaced.
#[derive(Args)]
#[command(after_long_help = DERIVE_NOTES)]
pub struct DeriveArgs {
    /// What the subkey is for, such as users.email: 1 to 255 bytes of UTF-8. It is public. Contexts that begin with
    /// KCE- are reserved
    #[arg(value_name = "CONTEXT", value_parser = any_text())]
    pub context: OsString,

    #[command(flatten)]
    pub key: KeyArgs,

    /// Write to the new FILE; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Don't warn of a key file's mode
    #[arg(long)]
    pub quiet: bool,
}

const DERIVE_NOTES: &str = "\
The subkey is SipHash-4-8-128, under the key, of \"keylane subkey 1\", a zero byte and the context.
Use subkeys for texts, and the key for deriving only. Above all, do not hash texts that others choose
by SipHash-4-8-128 under that key: the tag of that text is the subkey. Columns have other functions.

A subkey for each of two columns, and the columns hashed under them elsewhere:
  keylane key derive users.email --key-file my.key -o email.key
  keylane key derive users.phone --key-file my.key -o phone.key

Exit status:
  0  all is well
  1  the file exists, or could not be made
  2  the command line, the key or KEYLANE_KERNEL is wrong; nothing was done";

/// Show the check value of a key
///
/// Prints 8 hex digits. Two people who see the same value hold the same key, except for one pair of keys in
/// 2^32. The value is public; it is for random keys of 16 bytes only, since anyone can test a guess at a weak
/// key by it. The metadata of hashed columns contains it.
#[derive(Args)]
#[command(after_long_help = EXIT_STATUS)]
pub struct CheckArgs {
    #[command(flatten)]
    pub key: KeyArgs,

    /// Don't warn of a key file's mode
    #[arg(long)]
    pub quiet: bool,
}

/// Sum files under a key, or check such sums
///
/// Prints one line for each FILE: the tag as lowercase hex digits, two spaces, the name. The digits are the
/// tag's bytes in the order of the algorithm's reference implementation, which is little-endian. An
/// implementation that prints the tag as a number shows the bytes in reverse order.
///
/// A backslash, newline or carriage return in a name is written as \\, \n or \r. Other control characters,
/// characters that do not show, blanks but the space, and bytes that are not UTF-8 are written as \xHH for
/// each byte. A line with such a name begins with a backslash. Reports of --check show names in the same way.
/// With --zero, names in lists are unchanged.
///
/// A file that cannot be read, or that changes while it is read, is reported; the others are still summed.
#[derive(Args)]
#[command(after_long_help = SUM_NOTES)]
pub struct SumArgs {
    /// Files to sum, or with --check lists to check; standard input if there is none or it is -
    #[arg(value_name = "FILE", value_parser = any_name())]
    pub files: Vec<PathBuf>,

    /// siphash-C-D-64, siphash-C-D-128, halfsiphash-C-D-32 or halfsiphash-C-D-64, with C rounds per word and
    /// D rounds at the end, each from 1 to 255
    #[arg(long, value_name = "ALG", default_value = "siphash-2-4-128")]
    pub alg: Prf,

    #[command(flatten)]
    pub key: KeyArgs,

    /// Read sums from the FILEs and check them
    #[arg(short, long, help_heading = "Checking")]
    pub check: bool,

    /// Don't print OK for each file that passes, and don't warn of a key file's mode
    #[arg(long, overrides_with_all = ["status", "warn"])]
    pub quiet: bool,

    /// Print nothing about the sums or the key file's mode; only the exit status reports the result
    #[arg(long, requires = "check", overrides_with_all = ["quiet", "warn"], help_heading = "Checking")]
    pub status: bool,

    /// Fail also if a line is improperly formatted
    #[arg(long, requires = "check", help_heading = "Checking")]
    pub strict: bool,

    /// Warn about each line that is improperly formatted
    #[arg(short, long, requires = "check", overrides_with_all = ["quiet", "status"], help_heading = "Checking")]
    pub warn: bool,

    /// Don't fail or report status for missing files
    #[arg(long, requires = "check", help_heading = "Checking")]
    pub ignore_missing: bool,

    /// Sum the regular files in directories and their subdirectories, in the order of their names. A symbolic
    /// link is followed if it is a FILE; inside a directory, symbolic links, pipes, sockets and devices are
    /// skipped. A file inside a directory that the output of this command goes to is left out, with a warning
    #[arg(short, long, conflicts_with = "check")]
    pub recursive: bool,

    /// Write lines as "SipHash-2-4-128 (NAME) = HEX", which name the algorithm
    #[arg(long, conflicts_with = "check")]
    pub tag: bool,

    /// Write the tag as raw bytes; takes only one FILE
    #[arg(long, conflicts_with_all = ["check", "tag", "no_names", "zero", "recursive"])]
    pub raw: bool,

    /// Write the tags without names
    #[arg(long, conflicts_with_all = ["check", "tag"])]
    pub no_names: bool,

    /// End lines of lists with NUL instead of a newline, also of those to check, and don't escape names in them
    #[arg(short, long)]
    pub zero: bool,

    /// How many files to read at a time [default: the number of CPUs]
    #[arg(long, value_name = "N")]
    pub num_threads: Option<NonZeroUsize>,
}

impl SumArgs {
    /// The FILEs; by default, standard input.
    pub fn names(&self) -> Vec<PathBuf> {
        if self.files.is_empty() { vec![PathBuf::from("-")] } else { self.files.clone() }
    }
}

/// The name of a file, even an empty one. Clap would treat an empty name as a missing argument; this way it
/// is reported as a file that does not exist.
fn any_name() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// A character of one byte, or `\t`, which is hard to type.
fn one_character(text: &str) -> Result<u8, &'static str> {
    match *text.as_bytes() {
        [byte] => Ok(byte),
        [b'\\', b't'] => Ok(b'\t'),
        _ => Err("it is not one character of ASCII, or \\t"),
    }
}

/// Any text. Clap would repeat one that is not UTF-8.
fn any_text() -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new()
}

const SUM_NOTES: &str = "\
What a passed check proves: someone who holds the key summed exactly these bytes with this
algorithm. What it does not prove: that the list is whole, since lines can be removed; that each
name belongs to its sum, since names can be swapped; that the files are the newest versions. If that
matters, sum the list itself and keep the result apart.

What a change is: while a file is read, its length, its times of modification and of change, its
device and its inode must stay. A write moves them, but so does a new mode, owner or name. In any
case, sum the file again.

What stays unnoticed, so that a sum may be of bytes that the file never held at one time:
  - two changes within one tick of the file system's clock, or after that clock was set back
  - a write that was under way when the reading began
  - a write through a memory mapping, which the system dates late or never
  - a change elsewhere in a network, while this machine still has the old times
  - a change of a disk below its file system, and any change of what is no regular file
  - outside Unix, a write whose modification time is set back

A check also fails if a list ends without a newline (with --zero, without a NUL): it may have been
cut short. Its last line is then not checked. A list that was cut behind a whole line looks whole.

A check uses the algorithm of --alg. A line that names another algorithm fails, even if it is well
formed: whoever edits the list must not choose the algorithm.

What a tag guarantees: an attempt to forge a tag of n bits succeeds with probability 2^-n. Among
about 2^(n/2) files under one key, two are likely to share a tag. Tags of 32 bits, HalfSipHash,
SipHash-1-1 and SipHash-1-2 are for hash tables and for compatibility, never for authentication.
SipHash does not resist attackers who know the key.

Exit status:
  0  all is well
  1  a file could not be read or changed meanwhile, or is the output; a tag did not match; the output
     or a warning could not be written; with --check also if no file was verified or a list has no
     end, and with --strict if a line is improperly formatted
  2  the command line, the key or KEYLANE_KERNEL is wrong; nothing was done";

/// Compute or verify the tag of one message
///
/// Prints the tag as lowercase hex digits, in the byte order of the algorithm's reference implementation.
/// openssl mac prints the same digits in uppercase. The message is read in pieces and may have any length. A
/// file that changes meanwhile gets no tag; keylane sum --help says what counts as a change.
///
/// A POLY1305 KEY IS FOR ONE MESSAGE ONLY. Two messages under one key reveal the key, and anyone can forge
/// tags from then on. Make a fresh key for each message.
#[derive(Args)]
#[command(after_long_help = EXIT_STATUS)]
pub struct MacArgs {
    /// poly1305, siphash-C-D-64, siphash-C-D-128, halfsiphash-C-D-32 or halfsiphash-C-D-64
    #[arg(value_name = "ALG")]
    pub alg: Algorithm,

    /// The message; standard input if there is none or it is -
    #[arg(value_name = "FILE", value_parser = any_name(), default_value = "-", hide_default_value = true)]
    pub file: PathBuf,

    #[command(flatten)]
    pub key: KeyArgs,

    /// Compare with this tag, in constant time, and print OK instead of the tag
    #[arg(long, value_name = "HEX")]
    pub verify: Option<String>,

    /// Don't warn of a key file's mode
    #[arg(long)]
    pub quiet: bool,
}

/// Replace columns of a table by keyed hashes
///
/// Reads a table of CSV, TSV, Parquet or Arrow, and writes it with the hashes of some columns in their places.
/// Equal values have equal hashes under one key, so tables can still be joined. Which bytes are hashed is
/// fixed for good (KCE-1): the same value has the same hash in every format, every width and every language.
///
/// What is not hashed stays as it is: the bytes of CSV fields with their quotes and line ends, and the encoded
/// columns of Parquet. The output appears whole or not at all. Memory is bounded by a block and the longest
/// row (CSV), a row group (Parquet) or a batch (Arrow).
///
/// Hashes are pseudonyms, not anonymous data: whoever has the key can link them to people again.
#[derive(Args)]
#[command(after_long_help = COLUMN_NOTES)]
pub struct ColumnArgs {
    /// The table; - is standard input, for CSV, TSV and Arrow streams
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    #[command(flatten)]
    pub key: KeyArgs,

    /// The columns to hash one by one, as in email,id:int64. A name with a comma or a colon stands in double quotes.
    /// In CSV, a column is text unless a type is given. May be given several times
    #[arg(long, value_name = "COLUMNS")]
    pub columns: Vec<String>,

    /// Hash several columns together into the new column NAME, as in NAME=a,b,c. The order counts. May be given several
    /// times
    #[arg(long, value_name = "NAME=COLUMNS")]
    pub row: Vec<String>,

    /// Types of columns, as in id:int64,born:date: text, int8 to int64, uint8 to uint64, bool, float32, float64, date,
    /// timestamp, decimal
    #[arg(long, value_name = "COLUMNS")]
    pub types: Vec<String>,

    /// Write to FILE; - is standard output, where the output is not whole if something fails
    #[arg(short, long, value_name = "FILE", required_unless_present = "explain")]
    pub output: Option<PathBuf>,

    /// Replace an existing FILE, but never the table that is read
    #[arg(long, requires = "output")]
    pub force: bool,

    /// siphash-1-3 or siphash-2-4, with -64 or -128 for the bits. Use anything but the default only for hashes that do
    /// not leave your process
    #[arg(long, value_name = "ALG", default_value = "siphash-2-4-128")]
    pub alg: Prf,

    /// How hashes are written. uint64 and int64 need an algorithm of 64 bits; binary is not for CSV
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t)]
    pub form: ColumnForm,

    /// Keep the columns, and write hashes to new columns whose names have this end
    #[arg(long, value_name = "SUFFIX")]
    pub suffix: Option<String>,

    /// per-column: hash each column under a subkey of its own, derived from its name. TEXT: one subkey for all columns,
    /// derived from TEXT. none: the key itself, see below
    #[arg(long, value_name = "per-column|TEXT|none", default_value = "per-column")]
    pub context: String,

    /// What becomes of nulls. In CSV, an empty field is null
    #[arg(long, value_enum, default_value_t)]
    pub nulls: NullsChoice,

    /// In CSV, an empty field is the empty text and is hashed
    #[arg(long)]
    pub empty_is_text: bool,

    /// A CSV file has no header. Columns are named by their positions, the first is 1
    #[arg(long)]
    pub no_header: bool,

    /// The character between fields of CSV and TSV, such as ; or \t [default: the comma, in TSV the tab]
    #[arg(long, value_name = "C", value_parser = one_character)]
    pub delimiter: Option<u8>,

    /// The character around fields of CSV and TSV [default: ", in TSV none]
    #[arg(long, value_name = "C", value_parser = one_character)]
    pub quote: Option<u8>,

    /// In CSV and TSV, quotes are characters like any other. So it is in TSV unless --quote is given
    #[arg(long, conflicts_with = "quote")]
    pub no_quote: bool,

    /// Don't read FILE back. By default, input and FILE are compared before FILE gets its name, and each hash is computed
    /// anew, by other code. That is not done if IN is a pipe or FILE is standard output
    #[arg(long)]
    pub no_verify: bool,

    /// Also write FILE.keylane.json, which says how the columns of a CSV file were hashed. Parquet and Arrow files say it
    /// themselves
    #[arg(long, requires = "output")]
    pub manifest: bool,

    /// Keep the metadata under KEY, which would be dropped since keylane does not know whether values stand in it. May be
    /// given several times
    #[arg(long, value_name = "KEY")]
    pub keep_metadata: Vec<String>,

    /// Write nothing; print what would be hashed as which type, under which key, check value and context, and what
    /// becomes of metadata
    #[arg(long)]
    pub explain: bool,

    /// The format of IN, unless its name ends in .csv, .tsv, .parquet, .arrow or .arrows
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub from: Option<TableFormat>,

    /// The format of FILE, unless its name says it or it is that of IN. Only the two Arrow formats become each other
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub to: Option<TableFormat>,

    /// The key's name in metadata [default: the name of its file without the end, or of its variable]
    #[arg(long, value_name = "NAME")]
    pub key_name: Option<String>,

    /// Don't warn of a key file's mode, and don't name dropped metadata
    #[arg(long)]
    pub quiet: bool,
}

/// How hashes of columns are written.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColumnForm {
    /// Small hex digits
    #[default]
    Hex,
    /// 8 or 16 bytes
    Binary,
    /// An unsigned integer
    Uint64,
    /// The same bits as a signed integer
    Int64,
}

/// What becomes of nulls.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum NullsChoice {
    /// They stay null
    #[default]
    Keep,
    /// They are an error that names the row
    Error,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Comma-separated values (RFC 4180)
    Csv,
    /// Tab-separated values: divided at tabs and line ends, without quotes
    Tsv,
    /// Parquet
    Parquet,
    /// An Arrow file, also known as Feather
    Arrow,
    /// An Arrow stream
    ArrowStream,
}

const COLUMN_NOTES: &str = "\
Pseudonyms for two columns, and the same for another table with a column of the same name:
  keylane column --key-file my.key --columns email,id:int64 -o out.csv people.csv
  keylane column --key-file my.key --columns email -o orders.tagged.parquet orders.parquet

One hash for several columns, and what a command would do:
  keylane column --key-file my.key --row person=name,born:date --suffix _tag -o out.csv people.csv
  keylane column --key-file my.key --columns email --explain people.csv

Contexts: per-column is the default. Columns of the same name can be joined, columns of other names
cannot be linked. To join user_email with email, run both with --context TEXT. With none, columns
meet the key itself, and all of them can be linked. Use it under a subkey, or to get the tags of
another SipHash library. A key that makes subkeys should hash nothing else.

Functions: siphash-2-4-128 for everything that leaves your process. With 64 bits, two of 10^9 values
share a hash with a probability of 3 %, and SipHash-1-3 has less margin: for shards, sampling and
joins inside one process. For regulators and third parties use HMAC-SHA-256.

CSV: fields are hashed without their quotes, and nothing else is changed: no space is trimmed, and
bytes that are not UTF-8 are hashed as they are. Rows are counted from 1, without the header. Empty
lines stay and are no rows; in a table of one column, an empty line is a row whose field is empty. A
row with too many or too few fields, bytes behind a closing quote, and a quote without its end are
errors. TSV has no quotes: it is divided at tabs and line ends alone.

Exit status:
  0  all is well
  1  the table is not what was asked for, or could not be read or written, or the output was not
     what it should be when it was read back
  2  the command line, the key or KEYLANE_KERNEL is wrong; nothing was done";

/// List the kernels and say which of them run on this CPU
///
/// A slot is a primitive and a shape of input. A kernel is one implementation of a slot. In each slot, the
/// first kernel that this CPU can run and that passes its self-test is active, unless KEYLANE_KERNEL chooses
/// another one.
#[derive(Args)]
pub struct KernelsArgs {
    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

/// Measure the kernels on this CPU
///
/// Times every kernel that this CPU can run, side by side, in CPU cycles: lower is better. Each kernel must
/// first give the right tags for the very messages it is timed on. The line keylane shows what a program gets
/// if it leaves the choice of kernel to keylane; * marks the kernel chosen.
///
/// Without a SUITE, all suites are measured, in about half a minute. For reliable figures, close other
/// programs. The clock rate need not be steady: it is measured beside each sample. KEYLANE_KERNEL overrides
/// the choice.
#[derive(Args)]
#[command(after_long_help = BENCH_NOTES)]
pub struct BenchArgs {
    /// What to measure
    #[arg(value_name = "SUITE", value_enum)]
    pub suites: Vec<Suite>,

    /// Take fewer and shorter samples: all suites in less than 20 seconds
    #[arg(long)]
    pub quick: bool,

    /// Take N samples of each kernel for a figure [default: 31, with --quick 7]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub samples: Option<u16>,

    /// Write one JSON object instead of tables
    #[arg(long)]
    pub json: bool,

    /// Also write a page with plots to FILE, for a browser that may be offline. An existing FILE is kept unless
    /// --force is given
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Replace an existing page. Its mode stays
    #[arg(long, requires = "html")]
    pub force: bool,

    /// On the page, also show the peers of RECORD: a CSV file written by the benchmarks in bench/ of
    /// keylane's repository, or a directory of them. A file has at most 4 MiB. May be given several times
    #[arg(long, value_name = "RECORD", requires = "html")]
    pub peers: Vec<PathBuf>,
}

/// A suite of measurements.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// SipHash-1-3 and -2-4 of one message at a time, from 0 bytes to 16 KiB
    SiphashOne,
    /// SipHash-1-3 and -2-4 of many messages in a call
    SiphashBatch,
    /// HalfSipHash-1-3 and -2-4 of many integers in a call
    HalfsiphashBatch,
    /// Poly1305 of one message at a time, from 0 bytes to 1 MiB, each under its own key
    #[value(name = "poly1305-one")]
    Poly1305One,
    /// Poly1305 of 64 messages in a call, each under its own key
    #[value(name = "poly1305-batch")]
    Poly1305Batch,
}

const BENCH_NOTES: &str = "\
How to read the tables: a figure is the median of the cycles per message or, for messages of 1 KiB
or more, per byte. ? marks a figure from fewer samples than asked for: the machine was too busy.
The noise at the end is how many cells spread by more than 10 %, and A/A: by how much keylane differs
from itself. In a single run, a difference below A/A, 5 % or one cycle means nothing.

The JSON object has the members format (2), keylane, date, command, cpu, unit, samples, kernels,
chosen, lines, not_measured and noisy. A line has the columns of the records in keylane's repository.

Exit status:
  0  all is well
  1  a kernel gave a wrong answer, a file could not be read or made, or the output failed
  2  the command line or KEYLANE_KERNEL is wrong; nothing was done";

/// Where the key is. There is no default. There is no option for the key itself either: every user of the
/// machine can see arguments.
#[derive(Args)]
pub struct KeyArgs {
    #[command(flatten)]
    pub place: KeyPlace,

    /// How the key is written: as hex digits, optionally followed by a newline, or as raw bytes
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Key (one is required)")]
    pub key_format: KeyFormat,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub struct KeyPlace {
    /// Read the key from FILE. Warns if FILE's mode lets other users read or change it. - is standard input, without
    /// that warning
    #[arg(long, value_name = "FILE", help_heading = "Key (one is required)")]
    pub key_file: Option<PathBuf>,

    /// Read the key from the environment variable V, which other processes of the same user can see
    #[arg(long, value_name = "V", help_heading = "Key (one is required)")]
    pub key_env: Option<OsString>,

    /// Read the key from the open descriptor N, without that warning
    #[cfg(unix)]
    #[arg(long, value_name = "N", help_heading = "Key (one is required)")]
    #[arg(value_parser = clap::value_parser!(std::os::fd::RawFd).range(0..))]
    pub key_fd: Option<std::os::fd::RawFd>,
}

/// How a key is written.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum KeyFormat {
    /// Hex digits, upper or lower case
    #[default]
    Hex,
    /// The key's bytes and nothing else
    Raw,
}
