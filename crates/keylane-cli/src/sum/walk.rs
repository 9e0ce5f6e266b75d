//! The names that are summed, as tasks for threads.

use crate::input::{Input, Inputs, is_stdin};
use std::collections::VecDeque;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// How many names are looked at before the first of them is hashed, and the most regular files in one task.
const FILES: usize = 64;

/// What one thread does.
pub enum Task {
    /// Regular files, one behind the other.
    Files(Vec<Input>),
    /// Another input, which may have to be waited for.
    One(Input),
    /// A folder that cannot be walked through.
    Failed(PathBuf, io::Error),
}

/// A name that was found, and whether it is that of a regular file.
type Found = Result<(PathBuf, bool), (PathBuf, io::Error)>;

/// The tasks, in the order of the names. Each input is shown to `each` first.
pub fn tasks(names: &[PathBuf], recursive: bool, mut each: impl FnMut(&Input)) -> impl Iterator<Item = Task> {
    let mut inputs = Inputs::default();
    let mut names = names.iter().flat_map(move |name| found(name, recursive));
    let mut next: VecDeque<Found> = VecDeque::new();
    iter::from_fn(move || {
        if next.is_empty() {
            next.extend(names.by_ref().take(FILES));
        }
        let mut files = Vec::new();
        while let Some(Ok((path, true))) = next.front_mut() {
            let input = Inputs::regular(std::mem::take(path));
            each(&input);
            files.push(input);
            next.pop_front();
        }
        if !files.is_empty() {
            return Some(Task::Files(files));
        }
        Some(match next.pop_front()? {
            Ok((path, _)) => {
                let input = inputs.name(path);
                each(&input);
                Task::One(input)
            }
            Err((path, error)) => Task::Failed(path, error),
        })
    })
}

/// The regular files below a folder, if these are wanted, or the name itself.
fn found(name: &Path, recursive: bool) -> Box<dyn Iterator<Item = Found>> {
    let metadata = if is_stdin(name) { None } else { name.metadata().ok() };
    if recursive && metadata.as_ref().is_some_and(|metadata| metadata.is_dir()) {
        return Box::new(walk(name.to_owned()));
    }
    let is_regular = metadata.is_some_and(|metadata| metadata.is_file());
    Box::new(iter::once(Ok((name.to_owned(), is_regular))))
}

/// The regular files below a folder. They are found while the iterator moves on.
fn walk(name: PathBuf) -> impl Iterator<Item = Found> {
    let entries = WalkDir::new(&name).sort_by_file_name().into_iter();
    let files = entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.file_type().is_file()));
    files.map(move |entry| {
        let path = entry.map(DirEntry::into_path).map_err(|error| {
            let path = error.path().unwrap_or(&name).to_path_buf();
            (path, error.into_io_error().unwrap_or_else(|| io::Error::other("cannot be traversed")))
        });
        path.map(|path| (path, true))
    })
}
