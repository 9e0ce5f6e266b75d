//! Tells the suite for which target it is built.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=KEYLANE_TARGET={}", std::env::var("TARGET").expect("cargo sets it"));
}
