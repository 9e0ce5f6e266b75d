//! Tells the suite which target it is built for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=KEYLANE_TARGET={}", std::env::var("TARGET").expect("cargo sets it"));
}
