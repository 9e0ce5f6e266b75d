//! The library's files as installed, and the compilers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The folder of this crate.
pub const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// Compiler options for every program.
pub const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

/// The archive, which is made once.
static ARCHIVE: OnceLock<Vec<u8>> = OnceLock::new();

/// A folder for programs, with the library under its installed names.
pub struct Library {
    /// The folder.
    pub folder: TempDir,
}

/// How to compile and link a program.
#[derive(Clone, Copy)]
pub struct Language {
    /// The compiler.
    pub compiler: &'static str,
    /// Options for the standard, and for the language if the file name does not tell it.
    pub arguments: &'static [&'static str],
}

pub const GCC: Language = Language { compiler: "gcc", arguments: &["-std=c99"] };
pub const LANGUAGES: [Language; 4] = [
    GCC,
    Language { compiler: "clang", arguments: &["-std=c99"] },
    Language { compiler: "g++", arguments: &["-std=c++11", "-x", "c++"] },
    Language { compiler: "clang++", arguments: &["-std=c++11", "-x", "c++"] },
];

impl Library {
    /// The library that Cargo has built for this test.
    pub fn new() -> Library {
        let folder = tempfile::tempdir().expect("a folder");
        let program = std::env::current_exe().expect("this program");
        let built = program.parent().expect("its folder");
        for name in ["libkeylane.so", "libkeylane.so.0"] {
            fs::copy(built.join("libkeylane_capi.so"), folder.path().join(name)).expect("libkeylane_capi.so");
        }
        let archive = folder.path().join("libkeylane.a");
        let bytes = ARCHIVE.get_or_init(|| {
            let root = Path::new(CRATE).join("../..");
            xtask::archive::make(&root, &built.join("libkeylane_capi.a"), &archive).expect("an archive");
            fs::read(&archive).expect("libkeylane.a")
        });
        fs::write(&archive, bytes).expect("libkeylane.a");
        Library { folder }
    }

    /// A file of the library.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles `tests/c/<source>`. gcc must be here; without another compiler, the program does not run.
    pub fn compile(&self, language: Language, source: &str, more: &[&str]) -> Option<Program<'_>> {
        let path = self.file(&format!("{source}.{}", language.compiler));
        let mut command = Command::new(language.compiler);
        command.args(language.arguments).args(WARNINGS).args(["-g", "-O1", "-I"]);
        command.arg(Path::new(CRATE).join("include")).arg(Path::new(CRATE).join("tests/c").join(source));
        command.args(["-x", "none"]).args(more).arg("-L").arg(self.folder.path());
        let Ok(output) = command.args(["-lkeylane", "-lm", "-o"]).arg(&path).output() else {
            assert!(language.compiler != "gcc", "gcc is required");
            not_run(source, language.compiler);
            return None;
        };
        assert!(
            output.status.success(),
            "{}: {}",
            language.compiler,
            String::from_utf8_lossy(&output.stderr)
        );
        Some(Program { library: self, path })
    }
}

/// A compiled program.
pub struct Program<'a> {
    library: &'a Library,
    pub path: PathBuf,
}

impl Program<'_> {
    /// A command that runs the program, or `runner` with the program as its argument.
    pub fn command(&self, runner: &[&str]) -> Command {
        let mut command = match runner.split_first() {
            None => Command::new(&self.path),
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(&self.path);
                command
            }
        };
        command.env("LD_LIBRARY_PATH", self.library.folder.path());
        command
    }
}

/// Whether a program is here. If not, a part of the test does not run.
pub fn there(name: &str) -> bool {
    let there = Command::new(name).arg("--version").output().is_ok();
    if !there {
        not_run("a part of this test", name);
    }
    there
}

/// Says what does not run without a program. With `CI=true` the test fails.
fn not_run(what: &str, program: &str) {
    xtask::not_run(what, &format!("there is no {program} here")).expect("every program in CI");
}

/// The output of a program, which must succeed.
pub fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{stdout}{stderr}");
    stdout.into_owned()
}
