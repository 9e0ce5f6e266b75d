//! Tables of CSV, whose hashed column is compared with a reader that takes one byte after the other.

use crate::input::{Bytes, coded};
use keylane::siphash::Key;
use keylane_columns::{ColumnKey, Nulls};
use keylane_files::csv::Dialect;
use keylane_files::{Request, csv, plan, verify};

coded! {
    /// A table and what is asked for.
    pub struct Csv<'a> {
        /// Whether tabs stand between fields, and quotes are bytes like any other.
        pub tab: bool,
        /// Whether tags stand in a new column.
        pub suffix: bool,
        /// Whether an empty field is text.
        pub empty_is_text: bool,
        /// Whether nulls are refused.
        pub refuse: bool,
        /// The size of blocks.
        pub block: u8,
        /// A number that selects the column.
        pub column: u8,
        /// The table.
        pub text: Bytes<'a>,
    }
}

/// The bytes of the key.
const KEY: [u8; 16] = [7; 16];

/// One field: where it stands with its quotes, and its content.
struct CsvField {
    start: usize,
    end: usize,
    content: Vec<u8>,
}

impl Csv<'_> {
    /// Panics if the output is not that of the slow reader.
    pub fn run(&self) {
        let text = self.text.0;
        let records = self.records();
        let name = records.as_ref().ok().and_then(|records| self.name(records.first()?));
        let expected = match (&records, &name) {
            (Ok(records), Some(name)) => self.expected(records, name),
            _ => Err(()),
        };
        let quoted = format!("\"{}\"", name.as_deref().unwrap_or("missing").replace('"', "\"\""));
        let request = Request {
            columns: plan::columns(&quoted).expect("a column"),
            suffix: self.suffix.then(|| "_t".into()),
            nulls: if self.refuse { Nulls::Refuse } else { Nulls::Keep },
            empty_is_text: self.empty_is_text,
            ..Request::default()
        };
        let key = ColumnKey::new("k", Key::from_bytes(KEY));
        let mut output = Vec::new();
        let block = usize::from(self.block).max(1);
        let found = csv::hash_in_blocks(text, &mut output, self.dialect(), &request, &key, block);
        match (found, expected) {
            (Ok(report), Ok((bytes, rows))) => {
                assert_eq!(output, bytes);
                assert_eq!(report.rows, rows);
                verify::csv(text, &output[..], self.dialect(), &request, &key).expect("what was written");
            }
            (Err(_), Err(())) => {}
            // Only a column of this very name is there after all.
            (Ok(_), Err(())) if name.is_none() && records.is_ok() => {}
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    fn dialect(&self) -> Dialect {
        if self.tab { Dialect::TSV } else { Dialect::CSV }
    }

    fn delimiter(&self) -> u8 {
        self.dialect().delimiter()
    }

    /// Whether a quote stands at this place.
    fn is_quote(&self, at: usize) -> bool {
        self.text.0.get(at).is_some_and(|&byte| self.dialect().quote() == Some(byte))
    }

    /// The name of the column, if it is the only one of this name and can be a context.
    fn name(&self, header: &[CsvField]) -> Option<String> {
        let chosen = &header[usize::from(self.column) % header.len()].content;
        let is_only = header.iter().filter(|field| field.content == *chosen).count() == 1;
        let name = String::from_utf8(chosen.clone()).ok()?;
        (is_only && (1..=255).contains(&name.len()) && !name.starts_with("KCE-")).then_some(name)
    }

    /// All records, with the header.
    fn records(&self) -> Result<Vec<Vec<CsvField>>, ()> {
        let text = self.text.0;
        if text.starts_with(&[0xff, 0xfe])
            || text.starts_with(&[0xfe, 0xff])
            || csv::other_format(text).is_some()
        {
            return Err(());
        }
        let mut at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let is_end = |byte: Option<&u8>| matches!(byte, None | Some(b'\n' | b'\r'));
        let mut records = Vec::new();
        while at < text.len() {
            // In a table of one column, an empty line is a row.
            let is_row = records.first().is_some_and(|header: &Vec<CsvField>| header.len() == 1);
            if is_end(text.get(at)) && !is_row {
                at += 1;
                continue;
            }
            let mut fields = Vec::new();
            loop {
                let (start, mut content) = (at, Vec::new());
                if self.is_quote(at) {
                    at += 1;
                    loop {
                        match text.get(at) {
                            None => return Err(()),
                            Some(b'"') if text.get(at + 1) == Some(&b'"') => {
                                content.push(b'"');
                                at += 2;
                            }
                            Some(b'"') => break,
                            Some(byte) => {
                                content.push(*byte);
                                at += 1;
                            }
                        }
                    }
                    at += 1;
                } else {
                    while !is_end(text.get(at)) && text.get(at) != Some(&self.delimiter()) {
                        content.push(text[at]);
                        at += 1;
                    }
                }
                fields.push(CsvField { start, end: at, content });
                if text.get(at) == Some(&self.delimiter()) {
                    at += 1;
                } else if is_end(text.get(at)) {
                    break;
                } else {
                    return Err(());
                }
            }
            records.push(fields);
            at += if text[at..].starts_with(b"\r\n") { 2 } else { 1 };
        }
        Ok(records)
    }

    /// The output and the number of rows.
    fn expected(&self, records: &[Vec<CsvField>], name: &str) -> Result<(Vec<u8>, u64), ()> {
        let text = self.text.0;
        let header = &records[0];
        let column = header.iter().position(|field| field.content == name.as_bytes()).expect("the column");
        let subkey = keylane_ref::siphash128(4, 8, &KEY, &[b"keylane subkey 1\0", name.as_bytes()].concat());
        let added = format!("{name}_t");
        if self.suffix && header.iter().any(|field| field.content == added.as_bytes()) {
            return Err(());
        }
        let (mut output, mut at) = (Vec::new(), 0);
        for (number, record) in records.iter().enumerate() {
            if record.len() != header.len() {
                return Err(());
            }
            let field = &record[column];
            let is_null = field.content.is_empty() && !self.empty_is_text;
            if number > 0 && is_null && self.refuse {
                return Err(());
            }
            let tag = keylane_ref::siphash128(2, 4, &subkey.to_le_bytes(), &field.content).to_le_bytes();
            let digits: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
            let digits = if is_null { String::new() } else { digits };
            let is_quoted = self.is_quote(field.start);
            if self.suffix {
                let end = record[record.len() - 1].end;
                output.extend(&text[at..end]);
                output.push(self.delimiter());
                let must = added.contains(['\n', '\r', char::from(self.delimiter())])
                    || added.contains('"') && !self.tab;
                if must && self.tab {
                    return Err(());
                }
                if number > 0 {
                    output.extend(digits.as_bytes());
                } else if must {
                    output.extend(format!("\"{}\"", added.replace('"', "\"\"")).as_bytes());
                } else {
                    output.extend(added.as_bytes());
                }
                at = end;
            } else if number > 0 {
                let quotes = usize::from(is_quoted);
                output.extend(&text[at..field.start + quotes]);
                output.extend(digits.as_bytes());
                at = field.end - quotes;
            }
        }
        output.extend(&text[at..]);
        Ok((output, records.len() as u64 - 1))
    }

    /// Calls `keep` with tables of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&Csv<'_>)) {
        let tables: [&[u8]; 10] = [
            b"a\r\n\r\nx\r\r\n\n",
            b"a\tb\n1\t\"5 inch\n\"\t\"\n",
            b"a,b\r\n1,\"x, \"\"y\"\"\"\r\n,\"\"\r\n\r\n\xff,z",
            b"\xef\xbb\xbf\"a\"\tb\n\"1\n2\"\t\"\"\"\"\n",
            b"a\n\nx\n\"\"\n",
            b"a,b,a\n1,2,3\n",
            b"\"a,\"\"b\",c\n1,2\r3,4\n\n",
            b"a,b\n1,\"open\n",
            b"a,b\n\"1\"x,2\n1\n",
            b"\r\n a,b\"\"\n\"\",\"\"\"\"\"\"",
        ];
        for (number, text) in (0_u8..).zip(tables) {
            for flags in 0..16_u8 {
                let is = |bit: u8| flags >> bit & 1 == 1;
                keep(&Csv {
                    tab: is(0),
                    suffix: is(1),
                    empty_is_text: is(2),
                    refuse: is(3),
                    block: 1 + number * 5,
                    column: flags / 4,
                    text: Bytes(text),
                });
            }
        }
    }
}
