//! The targets, as data.

use super::bochs::PACKAGES;
use keylane_records::passed::bochs;

/// How the rows of a target run.
pub enum How {
    /// The suite runs under user-mode emulation.
    Qemu {
        /// The emulator.
        emulator: &'static str,
        /// Debian's name of the target: its linker is `{name}-gcc`, its libraries are in `/usr/{name}`.
        debian: &'static str,
        /// The CPUs that are emulated. What tests/passed.csv keeps is the last one's.
        cpus: &'static [&'static str],
        /// Whether the command's tests run too, on the last CPU.
        cli: bool,
    },
    /// The suite is one function of a WebAssembly module, run by node.
    Node {
        /// The target features that it is built with.
        features: &'static [&'static str],
    },
    /// The rows of some kernels run in a whole machine that is emulated: they need instructions that no user-mode
    /// emulator has. The program is built for this machine.
    Bochs {
        /// The CPU, as Bochs calls it.
        cpu: &'static str,
        /// The kernels.
        kernels: &'static [&'static str],
    },
    /// The library alone is compiled, with no default features where there is no std.
    Compiles {
        /// Whether the target has std.
        std: bool,
        /// Whether the library is built; else only checked, which ends before code is made.
        build: bool,
    },
}

/// A target.
pub struct Target {
    /// Its name, as in `--target`.
    pub name: &'static str,
    /// How its rows run.
    pub how: How,
    /// What Debian calls what is needed.
    pub packages: &'static [&'static str],
}

const fn qemu(
    name: &'static str,
    emulator: &'static str,
    debian: &'static str,
    cpus: &'static [&'static str],
    cli: bool,
    packages: &'static [&'static str],
) -> Target {
    Target { name, how: How::Qemu { emulator, debian, cpus, cli }, packages }
}

const fn compiles(name: &'static str, std: bool, build: bool) -> Target {
    Target { name, how: How::Compiles { std, build }, packages: &[] }
}

/// The table: every target.
pub const TARGETS: [Target; 12] = [
    qemu(
        "aarch64-unknown-linux-gnu",
        "qemu-aarch64",
        "aarch64-linux-gnu",
        // Without the features of ARMv8.2 to 8.4, SHA3 among them, and with all.
        &["cortex-a57", "max"],
        true,
        &["qemu-user", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    ),
    qemu(
        "s390x-unknown-linux-gnu",
        "qemu-s390x",
        "s390x-linux-gnu",
        &["max"],
        true,
        &["qemu-user", "gcc-s390x-linux-gnu", "libc6-dev-s390x-cross"],
    ),
    qemu(
        "armv7-unknown-linux-gnueabihf",
        "qemu-arm",
        "arm-linux-gnueabihf",
        &["max"],
        false,
        &["qemu-user", "gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"],
    ),
    qemu(
        "i686-unknown-linux-gnu",
        "qemu-i386",
        "i686-linux-gnu",
        &["max"],
        false,
        &["qemu-user", "gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
    ),
    qemu(
        "riscv64gc-unknown-linux-gnu",
        "qemu-riscv64",
        "riscv64-linux-gnu",
        &["rv64"],
        false,
        &["qemu-user", "gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
    ),
    qemu(
        "powerpc64le-unknown-linux-gnu",
        "qemu-ppc64le",
        "powerpc64le-linux-gnu",
        &["power9"],
        false,
        &["qemu-user", "gcc-powerpc64le-linux-gnu", "libc6-dev-ppc64el-cross"],
    ),
    Target {
        name: "wasm32-unknown-unknown",
        how: How::Node { features: &["", "+simd128"] },
        packages: &["nodejs", "lld-22", "rust-web-llvm"],
    },
    Target {
        name: bochs::TARGET,
        how: How::Bochs { cpu: "corei7_icelake_u", kernels: &bochs::KERNELS },
        packages: &PACKAGES,
    },
    compiles("thumbv7em-none-eabi", false, true),
    compiles("x86_64-unknown-none", false, true),
    compiles("aarch64-unknown-none-softfloat", false, false),
    compiles("aarch64-apple-darwin", true, false),
];
