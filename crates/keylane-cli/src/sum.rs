//! `keylane sum`: the sums of files.
//!
//! Names become tasks while folders are walked through. A task is one input, or some regular files in a row. A thread reads
//! as many small files of a task as fit its room, and hashes them in one call. It leaves large ones to all threads.

mod walk;

use crate::algorithm::{Prepared, Tag};
use crate::args::SumArgs;
use crate::checklist::{Format, Style, is_faithful};
use crate::console::Console;
use crate::error::{Error, Outcome, message, reason};
use crate::input::{Input, IsTheOutput, Reader};
use crate::key::KeySource;
use crate::parallel::in_order;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::io;
use std::iter;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use walk::{Task, tasks};

/// So many bytes of small files are read before they are hashed.
const ROOM: usize = 256 * 1024;

/// The size from which a file is not small: reading it in pieces costs little more.
const SMALL: usize = 32 * 1024;

/// Runs the command.
pub fn run(args: &SumArgs) -> Result<Outcome, Error> {
    let names = args.names();
    if args.raw && names.len() > 1 {
        return Err(Error::Usage("--raw: takes only one FILE".to_owned()));
    }
    let key = KeySource::open(&args.key, args.quiet || args.status)?;
    key.refuse_stdin(&names)?;
    let prepared = key.prepare(args.alg)?;

    let console = Console::new(true);
    let reader = Reader::new(&console, key.into_handle());
    let work = Work { args, names: &names, reader: &reader, prepared, rooms: Mutex::default() };

    let found = tasks(&names, args.recursive, |input| console.expect(|| input.length()));
    let end = iter::from_fn(|| {
        console.expect_no_more();
        None
    });

    let mut success = true;
    in_order(
        args.num_threads,
        if args.recursive { usize::MAX } else { names.len() },
        found.chain(end),
        |task, stop| work.run(task, stop),
        |pieces| {
            for piece in pieces {
                match piece {
                    Piece::Lines(lines) => console.print(&lines)?,
                    Piece::Warning(text) => console.complain(&text),
                    Piece::Failure(text) => {
                        success = false;
                        console.complain(&text);
                    }
                }
            }
            Ok(())
        },
        || Ok(console.flush()?),
    )?;
    console.flush()?;
    Ok(Outcome::of(success))
}

/// What the threads need.
struct Work<'a> {
    args: &'a SumArgs,
    names: &'a [PathBuf],
    reader: &'a Reader<'a>,
    prepared: Prepared,
    /// Rooms for small files that no thread uses now.
    rooms: Mutex<Vec<Vec<u8>>>,
}

/// A part of what a task prints.
enum Piece {
    Lines(Vec<u8>),
    Warning(String),
    Failure(String),
}

impl Work<'_> {
    /// Hashes the files of a task.
    fn run(&self, task: Task, stop: &AtomicBool) -> Vec<Piece> {
        let mut report = Report { work: self, pieces: Vec::new(), lines: Vec::new() };
        match task {
            Task::One(input) => report.add(&input.path, self.hash(&input, stop)),
            Task::Failed(path, error) => report.add(&path, Err(error)),
            Task::Files(files) => {
                let tags: Vec<_> = files.iter().zip(self.small(&files, stop)).collect();
                let large: Vec<&Input> =
                    tags.iter().filter(|(_, tag)| tag.is_none()).map(|(file, _)| *file).collect();
                let large: Vec<_> = large.par_iter().map(|file| self.hash(file, stop)).collect();
                let mut large = large.into_iter();
                for (file, tag) in tags {
                    if let Some(tag) = tag.or_else(|| large.next()) {
                        report.add(&file.path, tag);
                    }
                }
            }
        }
        report.end()
    }

    fn hash(&self, input: &Input, stop: &AtomicBool) -> io::Result<Tag> {
        self.reader.hash(input, self.prepared.hasher(), stop)
    }

    /// The tags of those files that are small.
    fn small(&self, files: &[Input], stop: &AtomicBool) -> Vec<Option<io::Result<Tag>>> {
        let rooms = || self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let room = rooms().pop();
        let mut room = room.unwrap_or_else(|| vec![0; ROOM]);
        let mut all: Vec<_> = iter::repeat_with(|| None).take(files.len()).collect();
        // Where the files in the room end, and which files these are.
        let (mut offsets, mut read) = (vec![0], Vec::new());
        for (number, file) in files.iter().enumerate() {
            if stop.load(Relaxed) {
                break;
            }
            let start = offsets.last().map_or(0, |&end: &i32| end as usize);
            let rest = room.get_mut(start..).unwrap_or_default();
            let rest = rest.split_at_mut(rest.len().min(SMALL)).0;
            match self.reader.read(file, rest) {
                Ok(Some(len)) => {
                    // At most ROOM.
                    offsets.push((start + len) as i32);
                    read.push(number);
                    if start + len + SMALL > ROOM {
                        self.tags(&room, &mut offsets, &mut read, &mut all);
                    }
                }
                Ok(None) => {}
                Err(error) => {
                    if let Some(place) = all.get_mut(number) {
                        *place = Some(Err(error));
                    }
                }
            }
        }
        self.tags(&room, &mut offsets, &mut read, &mut all);
        rooms().push(room);
        all
    }

    /// Hashes the files in the room, and empties it.
    fn tags(
        &self,
        room: &[u8],
        offsets: &mut Vec<i32>,
        read: &mut Vec<usize>,
        all: &mut [Option<io::Result<Tag>>],
    ) {
        let tags = self.prepared.tags(room, offsets);
        match tags {
            Ok(tags) => {
                for (number, tag) in mem::take(read).into_iter().zip(tags) {
                    if let Some(place) = all.get_mut(number) {
                        *place = Some(Ok(tag));
                    }
                }
            }
            // Offsets that contradict each other: none are made above. The files are hashed one by one.
            Err(_) => read.clear(),
        }
        offsets.truncate(1);
    }
}

/// What is printed about the files of a task, in their order.
struct Report<'a> {
    work: &'a Work<'a>,
    pieces: Vec<Piece>,
    lines: Vec<u8>,
}

impl Report<'_> {
    fn add(&mut self, path: &Path, tag: io::Result<Tag>) {
        let args = self.work.args;
        match tag {
            Ok(tag) if args.raw => self.lines.extend_from_slice(tag.as_bytes()),
            Ok(tag) => {
                let format = Format { prf: args.alg, zero: args.zero };
                let style = match (args.tag, args.no_names) {
                    (true, _) => Style::Tagged,
                    (false, true) => Style::Nameless,
                    (false, false) => Style::Plain,
                };
                self.lines.extend_from_slice(&format.write(style, path.as_os_str(), &tag));
                if !args.no_names && !is_faithful(path.as_os_str()) {
                    let warning = "warning: the name is written with U+FFFD, so --check cannot find the file";
                    self.say(Piece::Warning(message(path, warning)));
                }
            }
            // A list inside of the folder that is summed: its own sum would be wrong once it is complete.
            Err(error) if is_the_output(&error) && !self.work.names.iter().any(|name| name == path) => {
                self.say(Piece::Warning(message(path, format_args!("left out: {IsTheOutput}"))));
            }
            Err(error) => self.say(Piece::Failure(message(path, reason(&error)))),
        }
    }

    /// Adds a message, behind the lines before it.
    fn say(&mut self, piece: Piece) {
        if !self.lines.is_empty() {
            self.pieces.push(Piece::Lines(mem::take(&mut self.lines)));
        }
        self.pieces.push(piece);
    }

    fn end(mut self) -> Vec<Piece> {
        if !self.lines.is_empty() {
            self.pieces.push(Piece::Lines(self.lines));
        }
        self.pieces
    }
}

fn is_the_output(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<IsTheOutput>())
}
