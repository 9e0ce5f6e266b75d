//! Input of the command: keys, and lists of sums.

use crate::input::{Bytes, Text, coded};
use keylane_cli::algorithm::{Prf, Tag};
use keylane_cli::checklist::{Format, Line, Style, shown};
use keylane_cli::key;
use std::ffi::OsString;
use std::path::PathBuf;

coded! {
    /// The input in place of a key.
    pub struct KeyFile<'a> {
        /// Whether hex digits are expected, or the key's bytes.
        pub hex: bool,
        /// The input.
        pub bytes: Bytes<'a>,
    }
}

impl KeyFile<'_> {
    /// Panics if an invalid key is accepted, or a valid one refused.
    pub fn run(&self) {
        self.key::<8>();
        self.key::<16>();
        self.key::<32>();
    }

    fn key<const N: usize>(&self) {
        let found = self.bytes.0;
        let key = if self.hex { key::from_hex::<N>(found) } else { key::from_raw::<N>(found) };
        let line = found.strip_suffix(b"\r\n").or(found.strip_suffix(b"\n")).unwrap_or(found);
        let digits: Option<Vec<u8>> =
            line.iter().map(|&byte| char::from(byte).to_digit(16).map(|digit| digit as u8)).collect();
        let expected: Option<Vec<u8>> = if self.hex {
            let bytes = |digits: Vec<u8>| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
            digits.filter(|digits| digits.len() == 2 * N).map(bytes)
        } else {
            let is_hex = !line.is_empty() && digits.is_some();
            (found.len() == N && !is_hex).then(|| found.to_vec())
        };
        match key {
            Ok(key) => assert_eq!(Some(key.as_slice()), expected.as_deref()),
            Err(reason) => {
                assert_eq!(expected, None, "{reason}");
                let mut runs = reason.split(|c: char| !c.is_ascii_hexdigit());
                assert!(runs.all(|run| run.len() < 12), "{reason}");
            }
        }
    }

    /// Calls `keep` with keys of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&KeyFile<'_>)) {
        let digits = "00112233445566778899aAbBcCdDeEfF".repeat(2);
        for hex in [false, true] {
            for len in [0, 1, 8, 16, 17, 31, 32, 64] {
                for end in ["", "\n", "\r\n", "\r", "\n\n", " "] {
                    keep(&KeyFile { hex, bytes: Bytes([&digits[..len], end].concat().as_bytes()) });
                }
                keep(&KeyFile { hex, bytes: Bytes(&vec![0x80; len]) });
            }
        }
    }
}

coded! {
    /// A list of sums.
    pub struct Checklist<'a> {
        /// A number that selects the rounds, the family and the width.
        pub algorithm: u8,
        /// Whether lines end with NUL.
        pub zero: bool,
        /// A name to write and read back.
        pub name: Bytes<'a>,
        /// The tag to write with it.
        pub tag: [u8; 16],
        /// The text to read as a list.
        pub list: Text<'a>,
    }
}

/// The longest name to write. With its escapes, a much longer one would make the line too long.
const NAME: usize = 4096;

/// Algorithms, as named on the command line.
const ALGORITHMS: [&str; 4] =
    ["siphash-2-4-128", "siphash-1-3-64", "halfsiphash-255-1-64", "halfsiphash-2-4-32"];

impl Checklist<'_> {
    /// Panics if a line is not read back as it was written.
    pub fn run(&self) {
        let prf: Prf =
            ALGORITHMS[usize::from(self.algorithm) % ALGORITHMS.len()].parse().expect("an algorithm");
        let format = Format { prf, zero: self.zero };
        self.written(format);
        for line in format.read(&*self.list.bytes()) {
            // A sum that was read is the same after writing and reading it again.
            if let Line::Sum(name, tag) = line.expect("memory can be read")
                && name.as_os_str().len() <= NAME
            {
                reads_again(format, &name, &tag);
            }
        }
    }

    /// A name and a tag, written in each style.
    fn written(&self, format: Format) {
        let digits: String = self.tag.iter().map(|byte| format!("{byte:02x}")).collect();
        let len = format.prf.tag_len();
        let tag = Tag::from_hex(&digits.as_bytes()[..2 * len], len).expect("so many digits");
        assert_eq!((tag.as_bytes(), tag.to_hex().as_str()), (&self.tag[..len], &digits[..2 * len]));
        let Some(name) = name(self.name.0) else { return };
        reads_again(format, &PathBuf::from(&name), &tag);
        let other = Format { prf: "siphash-9-9-64".parse().expect("an algorithm"), ..format };
        let line = format.write(Style::Tagged, &name, &tag);
        let lines: Vec<Line> = other.read(&*line).map(|line| line.expect("memory")).collect();
        assert!(matches!(lines[..], [Line::OtherAlgorithm(_)]), "{name:?}");
    }

    /// Calls `keep` with lists of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&Checklist<'_>)) {
        let hex = "726fdb47dd0e0e31726fdb47dd0e0e31";
        let lists = [
            format!("{hex}  name\n{hex} *name\n\n# comment\nSipHash-2-4-128 (a) b) = {hex}\n"),
            format!(
                "\\{hex}  a\\\\b\\nc\\r\n\\{hex}  a\\b\n   {hex}  x\r\nHalfSipHash-2-4-32 (n) = {}",
                &hex[..8]
            ),
            format!("{}  name\0\\{0}  na\nme\0", &hex[..16]),
            format!("{hex}  \u{fffd}\n"),
        ];
        for (algorithm, list) in (0..).zip(&lists) {
            for zero in [false, true] {
                for name in
                    [&b"name"[..], b"a\\b\nc\r", b"\xff\xfe", "\u{fffd}".as_bytes(), b" (x) = ", b"\x1b[31m"]
                {
                    let list = Text::Given { bytes: Bytes(list.as_bytes()) };
                    keep(&Checklist { algorithm, zero, name: Bytes(name), tag: [0xa5; 16], list });
                }
            }
        }
    }
}

/// Panics unless the line of a name and a tag is read back as these, and as nothing if its end is missing. A
/// report shows the name as the line does.
fn reads_again(format: Format, name: &PathBuf, tag: &Tag) {
    let shown = shown(name.as_os_str().as_encoded_bytes());
    assert!(!str::from_utf8(&shown).expect("text").contains(char::is_control), "{name:?}");
    for style in [Style::Plain, Style::Tagged] {
        let line = format.write(style, name.as_os_str(), tag);
        let cut = line.len() - 1;
        assert!(matches!(format.read(&line[..cut]).next(), Some(Ok(Line::Cut))), "{name:?}");
        if !format.zero {
            let (mark, name) = shown.split_at(usize::from(shown.starts_with(b"\\")));
            assert!(line.starts_with(mark) && line.windows(name.len()).any(|part| part == name), "{line:?}");
        }
        let lines: Vec<Line> = format.read(&*line).map(|line| line.expect("memory can be read")).collect();
        match &lines[..] {
            [Line::Sum(read, sum)] => {
                assert_eq!(read, name);
                assert!(sum.matches(tag), "the sum of {name:?}");
            }
            _ => panic!("{} lines of {:?}", lines.len(), String::from_utf8_lossy(&line)),
        }
    }
}

/// A file's name, if these bytes can be one.
fn name(bytes: &[u8]) -> Option<OsString> {
    let possible = !bytes.is_empty() && bytes.len() <= NAME && !bytes.contains(&0);
    #[cfg(unix)]
    let name = std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    let name = String::from_utf8_lossy(bytes).into_owned().into();
    possible.then_some(name)
}
