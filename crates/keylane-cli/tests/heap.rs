//! No command leaves a key in its heap: not in a block that it freed, nor in one that was moved as it grew.
//!
//! The test starts itself as the command, with an allocator that never uses a block again. So at the end every block
//! is as the command left it, and the test looks for the key in all of them. Blocks that live to the end count too.
//!
//! The blocks are read through /proc/self/mem: they hold padding, and reading that as Rust memory would be undefined
//! behaviour.
#![allow(unsafe_code)]

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn main() -> std::process::ExitCode {
    kept::main()
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn main() {
    println!("heap: not run: needs 64-bit Linux");
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[path = "cli/forms.rs"]
mod forms;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod kept {
    use crate::forms::{copies, forms, key};
    use assert_cmd::cargo::CommandCargoExt;
    use base16ct::lower::{decode_vec, encode_string as hex};
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::collections::BTreeMap;
    use std::env;
    use std::ffi::OsString;
    use std::fs::{self, File, Permissions};
    use std::io::Write;
    use std::os::unix::fs::{FileExt, PermissionsExt};
    use std::process::{Command, ExitCode, Stdio};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use tempfile::TempDir;

    /// The variable that makes a process the command, and names the file for the contents of its blocks.
    const BLOCKS: &str = "KEYLANE_TEST_BLOCKS";

    /// More blocks than a run needs.
    const MOST: usize = 1 << 16;

    /// Keeps every block, as its owner left it.
    struct Keeper {
        /// Address and length of each block.
        blocks: [(AtomicUsize, AtomicUsize); MOST],
        count: AtomicUsize,
    }

    #[global_allocator]
    static HEAP: Keeper = Keeper {
        blocks: [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; MOST],
        count: AtomicUsize::new(0),
    };

    // SAFETY: `alloc` gives the system's blocks for the same layout, and no block is given twice, since none is freed.
    // `realloc` is the trait's own: it copies to a new block.
    unsafe impl GlobalAlloc for Keeper {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: the caller promises that the layout is not empty, as `System` asks.
            let block = unsafe { System.alloc(layout) };
            if let Some((address, len)) = self.blocks.get(self.count.fetch_add(1, Relaxed)) {
                address.store(block.expose_provenance(), Relaxed);
                len.store(layout.size(), Relaxed);
            }
            block
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    /// The command, and then the contents of all its blocks.
    fn command(blocks: OsString) -> ExitCode {
        let code = keylane_cli::run(env::args_os());
        let count = HEAP.count.load(Relaxed);
        assert!(count <= MOST, "{count} blocks");
        let memory = File::open("/proc/self/mem").unwrap();
        let mut blocks = File::create(blocks).unwrap();
        for (address, len) in &HEAP.blocks[..count] {
            let mut bytes = vec![0; len.load(Relaxed)];
            memory.read_exact_at(&mut bytes, address.load(Relaxed) as u64).unwrap();
            blocks.write_all(&bytes).unwrap();
        }
        code
    }

    /// The runs of the command.
    struct Runs {
        dir: TempDir,
        /// How many left a key that should not.
        careless: usize,
    }

    impl Runs {
        fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
            let path = self.dir.path().join(name);
            fs::write(&path, contents).unwrap();
            fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
        }

        /// Runs the command with `stdin` and with the variable K. Returns standard output and all blocks.
        fn run(&self, args: &str, code: i32, stdin: &[u8], variable: &str) -> (Vec<u8>, Vec<u8>) {
            let blocks = self.dir.path().join("blocks");
            let mut child = itself();
            child.args(args.split(' ')).current_dir(&self.dir).env(BLOCKS, &blocks).env("K", variable);
            let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = child.spawn().unwrap();
            // The command may end before it has read everything.
            _ = child.stdin.take().unwrap().write_all(stdin);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(code), "{args}: {output:?}");
            (output.stdout, fs::read(blocks).unwrap())
        }

        /// Notes whether a run left the key.
        fn see(&mut self, args: &str, key: &[u8], blocks: &[u8]) {
            let copies = copies(blocks, &forms(key));
            if copies.is_empty() {
                println!("{args}: nothing is left");
            } else {
                println!("{args}: FAILED: it left {copies:?}");
                self.careless += 1;
            }
        }

        /// Runs the command with a key of `len` bytes, which is in the files `hex`, `upper` and `raw` and in K.
        fn with_key(&mut self, len: usize, args: &str, code: i32, stdin: &[u8]) {
            let key = key(len);
            let variable = if args.contains(" K ") { hex(&key) } else { String::new() };
            let (_, blocks) = self.run(args, code, stdin, &variable);
            self.see(args, &key, &blocks);
        }
    }

    /// The program of this test, run by cargo's runner for its target (an emulator), if there is one.
    fn itself() -> Command {
        let keylane = Command::cargo_bin("keylane").unwrap();
        let this = env::current_exe().unwrap();
        let mut runner = [keylane.get_program()].into_iter().chain(keylane.get_args()).collect::<Vec<_>>();
        *runner.last_mut().unwrap() = this.as_os_str();
        let mut command = Command::new(runner[0]);
        command.args(&runner[1..]);
        command
    }

    fn from_hex(line: &[u8]) -> Vec<u8> {
        decode_vec(line.strip_suffix(b"\n").unwrap()).unwrap()
    }

    pub fn main() -> ExitCode {
        if let Some(blocks) = env::var_os(BLOCKS) {
            return command(blocks);
        }
        let mut runs = Runs { dir: TempDir::new().unwrap(), careless: 0 };
        let long = vec![b'm'; 300_000];
        runs.write("m", &long);
        runs.write("other", "message");

        for alg in ["siphash-2-4-128", "halfsiphash-2-4-64", "poly1305"] {
            let args = format!("keygen --alg {alg}");
            let (out, blocks) = runs.run(&args, 0, b"", "");
            runs.see(&args, &from_hex(&out), &blocks);
            for force in ["", " --force"] {
                let args = format!("keygen --alg {alg}{force} -o {alg}");
                let (_, blocks) = runs.run(&args, 0, b"", "");
                runs.see(&args, &from_hex(&fs::read(runs.dir.path().join(alg)).unwrap()), &blocks);
            }
        }

        for (alg, len, digits) in [
            ("siphash-2-4-128", 16, 32),
            ("siphash-1-3-64", 16, 16),
            ("halfsiphash-2-4-64", 8, 16),
            ("halfsiphash-1-3-32", 8, 8),
            ("poly1305", 32, 32),
        ] {
            let key = key(len);
            runs.write("hex", hex(&key) + "\n");
            runs.write("upper", hex(&key).to_uppercase() + "\r\n");
            runs.write("raw", &key);
            runs.write("spaced", hex(&key) + " \n");
            runs.write("long", hex(&key).repeat(5));
            let mut commands = vec![format!("mac {alg}")];
            if alg != "poly1305" {
                commands.push(format!("sum --alg {alg}"));
            }
            for command in commands {
                runs.with_key(len, &format!("{command} --key-file hex m"), 0, b"");
                runs.with_key(len, &format!("{command} --key-file hex"), 0, &long);
                runs.with_key(len, &format!("{command} --key-file upper m"), 0, b"");
                runs.with_key(len, &format!("{command} --key-file raw --key-format raw m"), 0, b"");
                runs.with_key(len, &format!("{command} --key-file - m"), 0, hex(&key).as_bytes());
                runs.with_key(len, &format!("{command} --key-fd 0 m"), 0, hex(&key).as_bytes());
                runs.with_key(len, &format!("{command} --key-env K m"), 0, b"");
                for refused in ["spaced", "long", "raw", "hex --key-format raw"] {
                    runs.with_key(len, &format!("{command} --key-file {refused} m"), 2, b"");
                }
                if alg == "poly1305" && cfg!(debug_assertions) {
                    println!(
                        "not run: without optimization, moves leave copies in what no message has filled"
                    );
                } else {
                    runs.with_key(len, &format!("{command} --key-file hex missing"), 1, b"");
                }
            }
            let wrong = "0".repeat(digits);
            runs.with_key(len, &format!("mac {alg} --key-file hex --verify {wrong} m"), 1, b"");
            if alg != "poly1305" {
                runs.write("list", format!("{wrong}  m\n{wrong}  missing\nno line\n"));
                runs.with_key(len, &format!("sum --alg {alg} --key-file hex --check list"), 1, b"");
                let several = format!("sum --alg {alg} --key-file hex --tag --recursive m m missing other");
                runs.with_key(len, &several, 1, b"");
            }
        }

        let root = key(16);
        runs.write("hex", hex(&root));
        runs.with_key(16, "key check --key-file hex", 0, b"");
        runs.with_key(16, "key derive users.email --key-env K -o sub", 0, b"");
        let (out, blocks) = runs.run("key derive users.email --key-file hex -o -", 0, b"", "");
        for secret in [root, from_hex(&out)] {
            runs.see("key derive -o -", &secret, &blocks);
        }

        #[cfg(feature = "column")]
        {
            runs.write("t.csv", "id,a\n1,x\n2,\n");
            runs.with_key(
                16,
                "column --key-file hex --columns a,id:int64 --row r=a,id -o out.csv t.csv",
                0,
                b"",
            );
            runs.with_key(16, "column --key-file hex --columns a --context none -o none.csv t.csv", 0, b"");
            runs.with_key(16, "column --key-env K --columns a --explain t.csv", 0, b"");
            runs.with_key(16, "column --key-file hex --columns nobody -o no.csv t.csv", 1, b"");
        }

        // A sum that is right. Then the key is a message, and its buffer is not wiped: the test must see the key there.
        let (list, _) = runs.run("sum --alg siphash-1-3-64 --key-env K m other", 0, b"", &hex(&key(16)));
        runs.write("list", list);
        runs.with_key(16, "sum --alg siphash-1-3-64 --key-env K --check list", 0, b"");
        runs.write("hex", hex(&key(16)));
        let (_, blocks) = runs.run("sum --key-file hex hex", 0, b"", "");
        assert_eq!(copies(&blocks, &forms(&key(16))), BTreeMap::from([("hex", 1)]), "the blocks of a run");

        println!("heap: {} failed", runs.careless);
        if runs.careless == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
