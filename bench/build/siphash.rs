//! SipHash and HalfSipHash in C.

use anyhow::Result;
use std::env;

/// One build of the C engines.
struct Build {
    compiler: &'static str,
    level: &'static str,
    native: bool,
    /// The suffix of its functions' names; see `reference!` in src/foreign/mod.rs.
    suffix: &'static str,
}

const BUILDS: [Build; 4] = [
    Build { compiler: "gcc", level: "2", native: false, suffix: "gcc_o2" },
    Build { compiler: "gcc", level: "3", native: true, suffix: "gcc_o3_native" },
    Build { compiler: "clang", level: "2", native: false, suffix: "clang_o2" },
    Build { compiler: "clang", level: "3", native: true, suffix: "clang_o3_native" },
];

/// Compiles the C engines with every set of flags for a compiler. Returns the suffix and the flags of each
/// for the record.
pub fn compile(compiler: &str) -> Result<Vec<(&'static str, String)>> {
    let builds = BUILDS.iter().filter(|build| build.compiler == compiler);
    builds.map(|build| Ok((build.suffix, reference(build)?))).collect()
}

/// Compiles the C files for 1-2, 1-3 and 2-4. Returns the flags for the record.
fn reference(build: &Build) -> Result<String> {
    let mut flags = vec![format!("-O{}", build.level)];
    if build.native {
        let arm = env::var("CARGO_CFG_TARGET_ARCH")? == "aarch64";
        flags.push(if arm { "-mcpu=native" } else { "-march=native" }.to_owned());
    }
    for (c, d) in [("1", "2"), ("1", "3"), ("2", "4")] {
        let suffix = format!("{c}{d}_{}", build.suffix);
        let mut compilation = cc::Build::new();
        // Only the flags in the record: neither cc's nor CFLAGS.
        compilation.compiler(build.compiler).no_default_flags(true).inherit_rustflags(false).warnings(true);
        compilation.flag("-std=c11").flag("-fPIC").flag("-Wextra").flag("-Wno-implicit-fallthrough");
        for flag in &flags {
            compilation.flag(flag);
        }
        compilation.define("SIP_C", c).define("SIP_D", d).define("SIP_SUFFIX", &*suffix);
        compilation.files(["c/siphash.c", "c/siphash_batch.c", "c/halfsiphash.c"]);
        compilation.try_compile(&format!("siphash_{suffix}"))?;
    }
    Ok(flags.join(" "))
}
