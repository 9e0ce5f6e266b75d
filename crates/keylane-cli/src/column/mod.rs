//! `keylane column`: the columns of a table as keyed hashes. The crate `keylane-files` does the work; this is what the user
//! sees of it: options, key, files, progress, errors.

mod request;

use crate::args::{ColumnArgs, TableFormat};
use crate::console::Console;
use crate::error::{Error, Outcome, message, reason};
use crate::input::{Input, Inputs, Opened, Reader, Version, is_stdin};
use crate::key::KeySource;
use crate::stack::overwritten;
use crate::streams;
use crate::visible::visible;
use crate::whole_file::{NewFile, try_report};
use keylane::siphash::Key;
use keylane_columns::ColumnKey;
use keylane_files::csv::{self, Dialect};
use keylane_files::ipc::{self, Layout};
use keylane_files::{Report, Request, parquet, verify};
use same_file::Handle;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::panic;
use std::path::{Path, PathBuf};

/// Runs the command.
pub fn run(args: &ColumnArgs) -> Result<Outcome, Error> {
    let request = request::request(args)?;
    let (from, to) = request::formats(args)?;
    let dialect = request::dialect(args, from)?;
    let source = KeySource::open(&args.key, args.quiet)?;
    source.refuse_stdin([&args.input])?;
    let key = overwritten(|| -> Result<_, Error> {
        // In a box: what is moved leaves no copy behind.
        let key = Key::from_bytes(**source.read("siphash-2-4-128")?);
        Ok(Box::new(ColumnKey::new(request::key_name(args), key)))
    })?;
    let console = Console::new(true);
    let reader = Reader::new(&console, source.into_handle());
    let input = Inputs::default().name(args.input.clone());
    let failed = |error: &io::Error| Error::failed(&args.input, reason(error));
    let table = reader.open(&input).and_then(Opened::into_handle).map_err(|error| failed(&error))?;
    if table.as_file().metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Error::failed(input.title(), "Is a directory"));
    }
    let seekable = table.as_file().metadata().is_ok_and(|metadata| metadata.is_file());
    if !seekable && matches!(from, TableFormat::Parquet | TableFormat::Arrow) {
        let what = "this format is read from its end: it cannot come from a pipe";
        return Err(Error::failed(input.title(), what));
    }
    let before = Version::of(table.as_file()).map_err(|error| failed(&error))?;
    // What a library says as it panics may show values. Its panics are caught.
    panic::set_hook(Box::new(|_| {}));
    let pass = Pass { args, from, to, dialect, request, key, console: &console, input: &input };
    let work = || match &args.output {
        None => pass.explain(table.as_file()),
        Some(_) if args.explain => pass.explain(table.as_file()),
        Some(output) => {
            let target = Target::create(output, args, [Some(&table), reader.key.as_ref()])?;
            let start = if seekable { table.as_file().stream_position() } else { Ok(0) };
            let start = start.map_err(|error| failed(&error))?;
            let report = pass.hash(table.as_file(), &target)?;
            if let Target::File { file, .. } = &target
                && seekable
                && !args.no_verify
            {
                table.as_file().seek(SeekFrom::Start(start)).map_err(|error| failed(&error))?;
                overwritten(|| pass.verify(table.as_file(), file.as_file()))?;
            }
            before.unchanged(table.as_file()).map_err(|error| failed(&error))?;
            target.finish(&report)?;
            pass.tell_dropped(&report);
            Ok(())
        }
    };
    let done = panic::catch_unwind(panic::AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(Error::failed(input.title(), "an internal error; nothing was written")))?;
    Ok(Outcome::Success)
}

/// One pass over a table.
struct Pass<'a> {
    args: &'a ColumnArgs,
    from: TableFormat,
    to: TableFormat,
    dialect: Dialect,
    request: Request,
    key: Box<ColumnKey>,
    console: &'a Console,
    input: &'a Input,
}

impl Pass<'_> {
    /// Prints what would be hashed.
    fn explain(&self, table: &File) -> Result<(), Error> {
        let (request, key) = (&self.request, &*self.key);
        let text = match self.from {
            TableFormat::Csv | TableFormat::Tsv => csv::explain(table, self.dialect, request, key),
            TableFormat::Parquet => parquet::explain(table, request, key),
            TableFormat::Arrow => ipc::explain_file(table, request, key),
            TableFormat::ArrowStream => ipc::explain_stream(table, request, key),
        };
        let text = text.map_err(|error| self.error(error))?;
        // Names come from the file and the command line; a terminal must not obey them.
        for line in text.lines() {
            self.console.print(format!("{}\n", visible(line)).as_bytes())?;
        }
        Ok(self.console.flush()?)
    }

    /// Hashes the table.
    fn hash(&self, table: &File, target: &Target) -> Result<Report, Error> {
        self.console.expect(|| self.input.length());
        self.console.expect_no_more();
        let (request, key) = (&self.request, &*self.key);
        let counted = Counted { file: table, console: self.console };
        let mut output = target.as_file();
        let layout = self.layout();
        let report = match self.from {
            TableFormat::Csv | TableFormat::Tsv => {
                csv::hash(counted, &mut output, self.dialect, request, key)
            }
            TableFormat::Parquet => parquet::hash(table, output, request, key, |bytes| {
                self.console.advance(usize::try_from(bytes).unwrap_or(usize::MAX));
            }),
            TableFormat::Arrow => ipc::hash_file(counted, output, layout, request, key),
            TableFormat::ArrowStream => ipc::hash_stream(counted, output, layout, request, key),
        };
        report.map_err(|error| self.error(error))
    }

    /// Reads the table and the output, and compares them.
    fn verify(&self, table: &File, mut output: &File) -> Result<(), Error> {
        let (request, key) = (&self.request, &*self.key);
        let done = output.rewind().map_err(keylane_files::Error::Write).and_then(|()| {
            let arrow = |from| verify::arrow((table, from), (output, self.layout()), request, key);
            match self.from {
                TableFormat::Csv | TableFormat::Tsv => verify::csv(table, output, self.dialect, request, key),
                TableFormat::Parquet => verify::parquet(table, output, request, key),
                TableFormat::Arrow => arrow(Layout::File),
                TableFormat::ArrowStream => arrow(Layout::Stream),
            }
        });
        done.map_err(|error| self.error(error))
    }

    /// How a table of Arrow is written.
    fn layout(&self) -> Layout {
        match self.to {
            TableFormat::ArrowStream => Layout::Stream,
            _ => Layout::File,
        }
    }

    /// Names the metadata that the output does not have.
    fn tell_dropped(&self, report: &Report) {
        for what in report.dropped.iter().filter(|_| !self.args.quiet) {
            self.console.complain(&message(self.input.title(), format!("{} is dropped", visible(what))));
        }
    }

    /// An error with the name of its file.
    fn error(&self, error: keylane_files::Error) -> Error {
        match (error, &self.args.output) {
            (keylane_files::Error::Request(text), _) => Error::Usage(text),
            (keylane_files::Error::Write(error), Some(output)) if is_stdin(output) => Error::Output(error),
            (keylane_files::Error::Write(error), Some(output)) => Error::failed(output, reason(&error)),
            (error @ keylane_files::Error::Differs(_), Some(output)) => Error::failed(output, error),
            (error, _) => Error::failed(self.input.title(), reason(&error)),
        }
    }
}

/// Where the table is written to.
enum Target {
    Stdout(Handle),
    File { file: NewFile, path: PathBuf, manifest: Manifest },
}

/// The file beside a CSV table that says what its tags are.
struct Manifest {
    path: PathBuf,
    wanted: bool,
    force: bool,
}

impl Target {
    /// Makes the file, or judges in advance why it cannot be made. Neither it nor its manifest is one of `others`.
    fn create(path: &Path, args: &ColumnArgs, others: [Option<&Handle>; 2]) -> Result<Target, Error> {
        if is_stdin(path) {
            if args.manifest {
                return Err(Error::Usage(
                    "--manifest: standard output has no name beside which it could stand".into(),
                ));
            }
            return Ok(Target::Stdout(streams::output()?));
        }
        let check = |path: &Path| {
            let is_other = Handle::from_path(path)
                .is_ok_and(|file| others.into_iter().flatten().any(|other| *other == file));
            if is_other {
                return Err(Error::usage(path, "it is the table or the key that is read"));
            }
            Ok(())
        };
        check(path)?;
        let mut name = path.as_os_str().to_owned();
        name.push(".keylane.json");
        let manifest = Manifest { path: PathBuf::from(name), wanted: args.manifest, force: args.force };
        let failed = |path: &Path, error: &io::Error| Error::failed(path, reason(error));
        if manifest.wanted || manifest.force {
            check(&manifest.path)?;
        }
        if manifest.wanted {
            try_report(&manifest.path, args.force).map_err(|error| failed(&manifest.path, &error))?;
        }
        let file = NewFile::create(path, args.force).map_err(|error| failed(path, &error))?;
        Ok(Target::File { file, path: path.to_path_buf(), manifest })
    }

    fn as_file(&self) -> &File {
        match self {
            Target::Stdout(handle) => handle.as_file(),
            Target::File { file, .. } => file.as_file(),
        }
    }

    /// Gives the file its name, and its manifest. Whatever ends the command: a manifest that is there is that of the
    /// table beside it. So the one of a table that is replaced goes first.
    fn finish(self, report: &Report) -> Result<(), Error> {
        let Target::File { file, path, manifest } = self else { return Ok(()) };
        let new = manifest.write(report).map_err(|error| Error::failed(&manifest.path, reason(&error)))?;
        manifest.remove_old().map_err(|error| Error::failed(&manifest.path, reason(&error)))?;
        file.finish().map_err(|error| Error::failed(&path, reason(&error)))?;
        let Some(new) = new else { return Ok(()) };
        new.finish().map_err(|error| {
            // The output appears whole or not at all.
            let _ = fs::remove_file(&path);
            Error::failed(&manifest.path, reason(&error))
        })
    }
}

impl Manifest {
    /// The manifest, before it has its name.
    fn write(&self, report: &Report) -> io::Result<Option<NewFile>> {
        if !self.wanted {
            return Ok(None);
        }
        let file = NewFile::create(&self.path, self.force)?;
        file.as_file().write_all(report.manifest.as_bytes())?;
        Ok(Some(file))
    }

    fn remove_old(&self) -> io::Result<()> {
        if self.force && self.path.is_file() { fs::remove_file(&self.path) } else { Ok(()) }
    }
}

/// A file whose bytes the console counts as they are read.
struct Counted<'a> {
    file: &'a File,
    console: &'a Console,
}

impl Read for Counted<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(bytes)?;
        self.console.advance(len);
        Ok(len)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
