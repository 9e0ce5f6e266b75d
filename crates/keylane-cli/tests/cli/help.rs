//! `--help`, and the definition that generates manual pages and completions.

use crate::tool::Dir;

#[test]
fn the_definition_is_sound() {
    keylane_cli::command().debug_assert();
}

#[test]
fn help_says_what_people_must_know() {
    let dir = Dir::new();
    // Line breaks do not matter.
    let help = |args: &str| dir.run(args).ok().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help("--version").starts_with("keylane "));
    assert!(help("--help").contains("KEYLANE_KERNEL"));
    let sum = help("sum --help");
    for text in [
        "in the order of the algorithm's reference implementation, which is little-endian",
        "What a passed check proves: someone who holds the key summed exactly these bytes",
        "What it does not prove: that the list is whole",
        "A symbolic link is followed if it is a FILE; inside a directory, symbolic links, pipes",
        "bytes that are not UTF-8 are written as \\xHH for each byte",
        "its length, its times of modification and of change, its device and its inode must stay",
        "What stays unnoticed, so that a sum may be of bytes that the file never held at one time:",
        "two changes within one tick of the file system's clock",
        "a write through a memory mapping",
        "A check also fails if a list ends without a newline",
        "the environment variable V, which other processes of the same user can see",
        "Warns if FILE's mode lets other users read or change it. - is standard input, without that warning",
        "from the open descriptor N, without that warning",
        "Exit status: 0 all is well 1 ",
    ] {
        assert!(sum.contains(text), "{text}");
    }
    assert!(help("mac --help").contains("A POLY1305 KEY IS FOR ONE MESSAGE ONLY."));
    let derive = help("key derive --help");
    for text in ["An existing file is never replaced", "the tag of that text is the subkey"] {
        assert!(derive.contains(text), "{text}");
    }
    for command in ["key check", "key derive", "keygen", "kernels", "selftest", "bench"] {
        assert!(help(&format!("{command} --help")).contains(&format!("Usage: keylane {command}")));
    }
}
