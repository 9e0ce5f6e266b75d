//! A Linux machine that Bochs emulates: it boots, runs one program and prints what that prints.
//!
//! Bochs 2.7 gets `vgf2p8affineqb` wrong. Bochs 3.0 does not, but like 2.7 it gets `vpcompressb` wrong if all 64 bits of
//! the mask are set: it shifts a word by 64. So Bochs 3.0 is built here from its source, with that line put right.
//! Debian's build has a debugger. Without it Bochs is faster.
//!
//! The machine has one CPU, no disk and no network. It boots from a CD image with a kernel of Debian, which is unpacked
//! and not installed, and a first file system: busybox, the program, and the libraries that the program names. Output
//! goes over the serial port into a file.

use super::toolchain::{Toolchain, is_here};
use crate::output;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What tests/passed.csv calls the emulator.
pub const NAME: &str = "bochs 3.0 patched";

/// The file of its source that has `vpcompressb`, and what is changed there: a mask with one low bit for each byte
/// written. For 64 bytes it shifts by 64, which is not defined.
const COMPRESS: &str = "cpu/avx/avx512.cc";
const WRONG: &str = "(BX_CONST64(1) << k) - 1";
const RIGHT: &str = "(k < 64 ? BX_CONST64(1) << k : 0) - 1";

/// What is built into it.
const PARTS: &str = "x86-64 vmx=2 cet protection-keys avx evex all-optimizations";

/// The release of Debian that has its source.
const RELEASE: &str = "trixie";

/// What Debian calls what is needed.
pub const PACKAGES: [&str; 10] = [
    "bochsbios",
    "vgabios",
    "isolinux",
    "syslinux-common",
    "xorriso",
    "xz-utils",
    "cpio",
    "busybox-static",
    "g++",
    "make",
];

/// The files and programs of those packages.
const FILES: [&str; 5] = [
    "/bin/busybox",
    "/usr/lib/ISOLINUX/isolinux.bin",
    "/usr/lib/syslinux/modules/bios/ldlinux.c32",
    "/usr/share/bochs/BIOS-bochs-latest",
    "/usr/share/vgabios/vgabios.bin",
];
const PROGRAMS: [&str; 5] = ["xorriso", "xz", "cpio", "g++", "make"];

/// A package that depends on the newest kernel without drivers of real hardware.
const LINUX: &str = "linux-image-cloud-amd64";

/// A walk takes at most ten minutes on a free core; a machine that runs longer has come to a stand.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Emulated instructions in a second of the machine's time.
const SPEED: u32 = 50_000_000;

/// The words before and after the program's output.
const BEGIN: &str = "=== begin";
const END: &str = "=== end ";

/// Whether all that is needed is here.
pub fn is_complete() -> bool {
    FILES.iter().all(|file| Path::new(file).is_file()) && PROGRAMS.iter().all(|program| is_here(program))
}

/// What a machine gave.
pub struct Ran {
    /// What the program printed, or the last that the machine did.
    pub text: String,
    /// The program's exit status, if it ended.
    pub status: Option<i32>,
}

/// The machine.
pub struct Machine {
    /// Files that are made anew for each boot.
    folder: PathBuf,
    /// The Linux kernel.
    linux: PathBuf,
    /// The emulator.
    emulator: PathBuf,
    /// The model of the CPU, as Bochs calls it.
    cpu: &'static str,
}

impl Machine {
    /// A machine with this CPU. Fetches the Linux kernel and builds the emulator if they are not here yet.
    pub fn new(toolchain: &Toolchain, cpu: &'static str) -> Result<Self> {
        let folder = toolchain.builds.join("bochs");
        let boot = folder.join("linux/boot");
        let find = || {
            let mut entries = fs::read_dir(&boot).ok()?.filter_map(Result::ok).map(|entry| entry.path());
            entries.find(|path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz"))
            })
        };
        if find().is_none() {
            fetch(&folder)?;
        }
        let linux = find().with_context(|| format!("no kernel in {}", boot.display()))?;
        let emulator = emulator(&folder)?;
        Ok(Machine { folder, linux, emulator, cpu })
    }

    /// Boots, runs the program with these arguments and waits for its end.
    pub fn run(&self, program: &Path, arguments: &[&str]) -> Result<Ran> {
        let root = self.folder.join("root");
        let cd = self.folder.join("cd");
        for folder in [&root, &cd] {
            if folder.exists() {
                fs::remove_dir_all(folder)?;
            }
        }
        for folder in ["bin", "dev", "proc", "sys", "tmp", "test"] {
            fs::create_dir_all(root.join(folder))?;
        }
        fs::create_dir_all(cd.join("isolinux"))?;
        self.files(&root, program, arguments)?;
        archive(&root, &cd.join("initrd"))?;
        let image = self.folder.join("boot.iso");
        self.image(&cd, &image)?;
        self.boot(&image)
    }

    /// The first file system.
    fn files(&self, root: &Path, program: &Path, arguments: &[&str]) -> Result<()> {
        fs::copy("/bin/busybox", root.join("bin/busybox"))?;
        // Symbols only make the image large, which takes time to load.
        output(Command::new("strip").arg("-o").arg(root.join("test/program")).arg(program))?;
        let libraries = output(Command::new("ldd").arg(program))?;
        for library in libraries.split_whitespace().filter(|word| word.starts_with('/')) {
            let to = root.join(&library[1..]);
            fs::create_dir_all(to.parent().context("a folder")?)?;
            fs::copy(library, to)?;
        }
        let init = root.join("init");
        fs::write(&init, first_process(arguments))?;
        set_executable(&init)
    }

    /// The CD image.
    fn image(&self, cd: &Path, image: &Path) -> Result<()> {
        fs::copy(&self.linux, cd.join("kernel"))?;
        for file in ["/usr/lib/ISOLINUX/isolinux.bin", "/usr/lib/syslinux/modules/bios/ldlinux.c32"] {
            let name = Path::new(file).file_name().context("a file")?;
            fs::copy(file, cd.join("isolinux").join(name))?;
        }
        fs::write(cd.join("isolinux/isolinux.cfg"), loader())?;
        let mut xorriso = Command::new("xorriso");
        xorriso.args(["-as", "mkisofs", "-quiet", "-o"]).arg(image);
        xorriso.args(["-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat", "-no-emul-boot"]);
        output(xorriso.args(["-boot-load-size", "4", "-boot-info-table"]).arg(cd))?;
        Ok(())
    }

    /// Starts the emulator and waits until the serial port names the end.
    fn boot(&self, image: &Path) -> Result<Ran> {
        let path = |name: &str| self.folder.join(name);
        let (serial, log) = (path("serial"), path("bochs.log"));
        fs::write(path("bochsrc"), configuration(self.cpu, image, &serial, &log))?;
        fs::write(&serial, "")?;
        let mut bochs = Command::new(&self.emulator);
        bochs.arg("-q").arg("-f").arg(path("bochsrc"));
        bochs
            .stdin(Stdio::null())
            .stdout(File::create(path("screen"))?)
            .stderr(File::create(path("errors"))?);
        let mut emulator = Emulator(bochs.spawn().context("bochs")?);
        let start = Instant::now();
        let read = || Ok::<_, anyhow::Error>(String::from_utf8_lossy(&fs::read(&serial)?).replace('\r', ""));
        loop {
            let text = read()?;
            if let Some(ran) = ended(&text) {
                return Ok(ran);
            }
            let is_over = emulator.0.try_wait()?.is_some() || text.contains("Kernel panic");
            if is_over || start.elapsed() > LIMIT {
                let log = fs::read_to_string(&log).unwrap_or_default();
                return Ok(Ran { text: format!("{text}\n{log}"), status: None });
            }
            sleep(Duration::from_millis(500));
        }
    }
}

/// A running emulator. It ignores SIGTERM, and is killed when it is no longer needed.
struct Emulator(Child);

impl Drop for Emulator {
    fn drop(&mut self) {
        // An error says that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The program's output and status, if the serial port names its end.
fn ended(text: &str) -> Option<Ran> {
    let (before, end) = text.rsplit_once(END)?;
    let status = end.split_once('.')?.0.parse().ok()?;
    let (_, printed) = before.split_once(BEGIN)?;
    let printed = printed.split_once('\n').map_or("", |(_, printed)| printed);
    Some(Ran { text: printed.into(), status: Some(status) })
}

/// Downloads and unpacks the Linux kernel.
fn fetch(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let depends = output(Command::new("apt-cache").args(["depends", LINUX]))?;
    let package = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
    let package = package.with_context(|| format!("no package {LINUX}; apt-get update"))?;
    output(Command::new("apt-get").args(["--quiet", "download", package]).current_dir(folder))?;
    let entries = fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path());
    let is_package = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "deb");
    let file = entries.filter(is_package).max().with_context(|| format!("{package} was not downloaded"))?;
    output(Command::new("dpkg").arg("-x").arg(&file).arg(folder.join("linux")))?;
    Ok(fs::remove_file(file)?)
}

/// The emulator's program, built if it is not here yet: some three minutes.
fn emulator(folder: &Path) -> Result<PathBuf> {
    let home = folder.join("emulator");
    let sources = home.join("bochs-3.0");
    let program = sources.join("bochs");
    // Written last, so it says that this build is complete and as below.
    let (stamp, build) = (home.join("stamp"), format!("{RIGHT} {PARTS}"));
    if fs::read_to_string(&stamp).is_ok_and(|text| text == build) {
        return Ok(program);
    }
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    let source = source(&home)?;
    output(Command::new("tar").arg("-xf").arg(source).current_dir(&home))?;
    ensure!(sources.is_dir(), "Debian {RELEASE} has another version of Bochs than 3.0");
    let file = sources.join(COMPRESS);
    let text = fs::read_to_string(&file)?;
    ensure!(text.matches(WRONG).count() == 1, "{} is another version", file.display());
    fs::write(&file, text.replace(WRONG, RIGHT))?;
    let run = |command: &mut Command| output(command.current_dir(&sources));
    let parts = PARTS.split(' ').map(|part| format!("--enable-{part}"));
    run(Command::new("sh")
        .args(["configure", "--with-rfb", "--without-x", "--disable-docbook"])
        .args(parts))?;
    run(Command::new("make").args(["-j2", "bochs"]))?;
    fs::write(stamp, build)?;
    Ok(program)
}

/// Downloads the emulator's source from the place that this machine has its packages from. apt checks signatures.
fn source(home: &Path) -> Result<PathBuf> {
    let places = output(Command::new("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
    let is_main = |place: &&str| place.trim_end_matches('/').ends_with("/debian");
    let place = places.lines().find(is_main).context("apt has no packages of Debian")?;
    for folder in ["state/lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(home.join(folder))?;
    }
    let list = home.join("sources.list");
    let signed = "signed-by=/usr/share/keyrings/debian-archive-keyring.gpg";
    fs::write(&list, format!("deb-src [{signed}] {place} {RELEASE} main\n"))?;
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        for (option, name) in [("Etc::SourceList", "sources.list"), ("State", "state"), ("Cache", "cache")] {
            apt.arg("-o").arg(format!("Dir::{option}={}", home.join(name).display()));
        }
        apt.args(["-o", "Dir::Etc::SourceParts=-", "-o", "APT::Sandbox::User=root", "--quiet"]);
        output(apt.args(arguments).current_dir(home))
    };
    apt(&["update"])?;
    apt(&["source", "--download-only", "--tar-only", "bochs"])?;
    let mut entries = fs::read_dir(home)?.filter_map(Result::ok).map(|entry| entry.path());
    entries.find(|path| path.to_string_lossy().contains(".orig.tar")).context("no source of Bochs")
}

/// Packs a folder as a first file system.
fn archive(root: &Path, to: &Path) -> Result<()> {
    let names = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let mut list = String::new();
    for entry in names {
        let entry = entry?;
        let name = entry.path().strip_prefix(root)?.to_str().context("a name")?;
        list += if name.is_empty() { "." } else { name };
        list += "\n";
    }
    let mut cpio = Command::new("cpio");
    cpio.args(["--quiet", "-o", "-H", "newc", "-R", "0:0"]).current_dir(root);
    let mut cpio = cpio.stdin(Stdio::piped()).stdout(File::create(to)?).spawn().context("cpio")?;
    cpio.stdin.take().context("cpio")?.write_all(list.as_bytes())?;
    let status = cpio.wait()?;
    if !status.success() {
        bail!("cpio: {status}");
    }
    Ok(())
}

#[cfg(unix)]
fn set_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn set_executable(_: &Path) -> Result<()> {
    Ok(())
}

/// The script that the machine runs.
fn first_process(arguments: &[&str]) -> String {
    let arguments: String = arguments.iter().map(|argument| format!(" '{argument}'")).collect();
    format!(
        "#!/bin/busybox sh
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
exec </dev/null >/dev/ttyS0 2>&1
$b stty -F /dev/ttyS0 raw
cd /test
export HOME=/tmp PATH=/bin
echo
echo '{BEGIN}'
/test/program{arguments}
status=$?
echo
echo \"{END}$status.\"
$b sleep 1
$b poweroff -f
"
    )
}

/// The boot loader's configuration, with the options of Linux.
fn loader() -> String {
    // What Bochs gets wrong must be hidden: the sizes for XSAVES and XSAVEC, protection keys, and one of the last
    // five, with which Linux faults without end.
    let hidden = "pku,xsaves,xsavec,fsrm,rdpid,umip,sgx,la57";
    // The self-tests of its cryptography are half of a boot.
    let slow =
        "load_system_certificate_list,trace_eval_init,init_kprobe_trace,cubictcp_register,crypto_kdf108_init";
    let faster = format!("cryptomgr.notests initcall_blacklist={slow} mitigations=off nokaslr nosmp");
    // The counter ticks once an instruction, not as often as CPUID says.
    let clock = format!("tsc_early_khz={} lpj={}", SPEED / 1000, SPEED / 250);
    format!(
        "default t
prompt 0
label t
  kernel /kernel
  append initrd=/initrd console=ttyS0,115200 quiet panic=0 clearcpuid={hidden} {clock} {faster}
"
    )
}

/// Bochs' configuration: no window and no question.
fn configuration(cpu: &str, image: &Path, serial: &Path, log: &Path) -> String {
    let (image, serial, log) = (image.display(), serial.display(), log.display());
    // The display is a VNC server that nobody connects to: `term` would wait for somebody to read it.
    format!(
        "display_library: rfb, options=\"timeout=0\"
config_interface: textconfig
plugin_ctrl: unmapped=1, biosdev=1, speaker=0, extfpuirq=1, parallel=0, serial=1
cpu: model={cpu}, count=1, ips={SPEED}, reset_on_triple_fault=0, ignore_bad_msrs=1
cpu: cpuid_limit_winnt=0
memory: guest=512, host=512
romimage: file=/usr/share/bochs/BIOS-bochs-latest, options=fastboot
vgaromimage: file=/usr/share/vgabios/vgabios.bin
vga: extension=none, update_freq=1
pci: enabled=1, chipset=i440fx
ata0: enabled=0
ata1: enabled=1, ioaddr1=0x170, ioaddr2=0x370, irq=15
ata1-master: type=cdrom, path=\"{image}\", status=inserted
boot: cdrom
clock: sync=none, time0=utc
com1: enabled=1, mode=file, dev=\"{serial}\"
mouse: enabled=0
log: \"{log}\"
panic: action=fatal
error: action=report
info: action=report
debug: action=ignore
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serial_port_names_the_end() {
        assert!(ended("boot\n").is_none());
        assert!(ended("boot\n\n=== begin\nrow\n").is_none());
        let ran = ended("boot\n\n=== begin\nrow ran\nrows: 1\n\n=== end 101.\nhalt").unwrap();
        assert_eq!((ran.text.as_str(), ran.status), ("row ran\nrows: 1\n\n", Some(101)));
        // A line that is not yet complete.
        assert!(ended("=== begin\nrow\n=== end 1").is_none());
    }

    #[test]
    fn the_machine_runs_the_program_with_its_arguments() {
        let script = first_process(&["--kernel", "siphash_x8_avx512"]);
        assert!(script.contains("\n/test/program '--kernel' 'siphash_x8_avx512'\nstatus=$?\n"), "{script}");
    }
}
