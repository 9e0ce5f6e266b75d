//! CSV: random tables beside the reference, and the limits and faults of the format.

use crate::arrays::random::Random;
use crate::common::{self, key, reference, subkey, tags};
use keylane_columns::{Algorithm, ColumnKey, Form, Nulls};
use keylane_files::{Context, Error, Request, csv, plan, verify};
use serde_json::{Value as Json, json};
use std::io::Read;

fn request(columns: &str) -> Request {
    let columns = if columns.is_empty() { Vec::new() } else { plan::columns(columns).expect("columns") };
    Request { columns, ..Request::default() }
}

fn run(text: impl AsRef<[u8]>, request: &Request) -> Result<String, String> {
    let mut output = Vec::new();
    match csv::hash(text.as_ref(), &mut output, csv::Dialect::CSV, request, &key()) {
        Ok(_) => {
            verify::csv(text.as_ref(), &output[..], csv::Dialect::CSV, request, &key())
                .expect("what was written");
            Ok(String::from_utf8_lossy(&output).into_owned())
        }
        Err(Error::Request(text) | Error::Table(text)) => Err(text),
        Err(other) => panic!("{other:?}"),
    }
}

/// A value: its text, its type here, and the type and the value in the reference's notation.
fn value(random: &mut Random, kind: usize) -> (String, &'static str, String, Json) {
    let word = random.word() as i64 >> random.below(64);
    match kind {
        0 => {
            let length = random.below(12);
            let text: String = (0..length)
                .map(|_| ['a', 'Z', ' ', ',', '"', '\n', '\r', '\u{fc}', '\t'][random.below(9)])
                .collect();
            (text.clone(), "text", "utf8".into(), json!(text))
        }
        1 => (word.to_string(), "int64", "int64".into(), json!(word.to_string())),
        2 => (format!("{:022}", word as u64), "uint64", "uint64".into(), json!((word as u64).to_string())),
        3 => {
            let truth = word % 2 == 0;
            (["FALSE", "t"][usize::from(truth)].into(), "bool", "bool".into(), json!(truth))
        }
        4 => {
            let number = f64::from_bits(random.word());
            let number = if number.is_nan() { 0.5 } else { number };
            (number.to_string(), "float64", "float64".into(), json!(format!("0x{:x}", number.to_bits())))
        }
        5 => {
            let (year, month, day) = (1600 + random.below(800), 1 + random.below(12), 1 + random.below(28));
            let months = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
            let leap = |year: usize| {
                year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
            };
            let before: usize = (1600..year).map(|year| 365 + usize::from(leap(year))).sum();
            let days = before + months[month - 1] + usize::from(month > 2 && leap(year)) + day - 1;
            (format!("{year}-{month:02}-{day:02}"), "date", "date32".into(), json!(days as i64 - 135_140))
        }
        6 => {
            let (second, nanosecond) = (random.below(86_400), random.below(3) * random.below(1000));
            let text = format!(
                "1970-01-02T{:02}:{:02}:{:02}.{nanosecond:09}Z",
                second / 3600,
                second / 60 % 60,
                second % 60
            );
            let stored = (86_400 + second as i64) * 1_000_000_000 + nanosecond as i64;
            (text, "timestamp", "timestamp[ns]".into(), json!(stored.to_string()))
        }
        _ => {
            let scale = 1 + random.below(20);
            let digits = format!("{:0width$}", word.unsigned_abs(), width = scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            let sign = if word < 0 { "-" } else { "" };
            (
                format!("{sign}{whole}.{fraction}"),
                "decimal",
                format!("decimal256(76, {scale})"),
                json!(word.to_string()),
            )
        }
    }
}

/// One field of the file: its bytes there.
fn written(random: &mut Random, text: &str) -> String {
    let must = text.contains([',', '"', '\n', '\r']);
    if must || random.below(3) == 0 { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

/// Tags are those of the reference, and every other byte stays, in blocks of every size.
#[test]
fn random_tables() {
    let mut random = Random::new(11);
    let (mut cases, mut tables) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        let (count, rows) = (2 + random.below(5), random.below(12));
        let end = ["\n", "\r\n", "\r"][random.below(3)];
        let kinds: Vec<usize> = (0..count).map(|_| random.below(8)).collect();
        let names: Vec<String> = (0..count).map(|at| format!("n{at}")).collect();
        let mut cells = vec![Vec::new(); count];
        for (kind, column) in kinds.iter().zip(&mut cells) {
            for _ in 0..rows {
                let (text, kind, wanted, json) = value(&mut random, *kind);
                let null = random.below(6) == 0 || text.is_empty();
                let raw =
                    if null { ["", "\"\""][random.below(2)].into() } else { written(&mut random, &text) };
                column.push((raw, kind, wanted, if null { Json::Null } else { json }));
            }
        }
        // The decimals of a column have scales of their own: each value is a column of the reference.
        let hashed: Vec<usize> = (0..count).filter(|_| random.below(2) == 0).collect();
        let first = cases.len();
        for &at in &hashed {
            for (_, _, wanted, json) in &cells[at] {
                let values = [json.clone()];
                cases.push(
                    json!({ "mode": "plain", "key": subkey(&names[at]), "type": wanted, "values": values }),
                );
            }
        }
        let together: Vec<usize> = (0..count).rev().collect();
        (0..rows).for_each(|row| {
            let columns: Vec<Json> = together
                .iter()
                .map(|&at| json!({ "type": cells[at][row].2, "values": [cells[at][row].3] }))
                .collect();
            cases.push(json!({ "mode": "row", "key": subkey("all"), "columns": columns }));
        });
        tables.push((end, names, cells, hashed, together, rows, first, random.below(4) == 0));
    }
    let Some(answers) = reference(&cases) else { return };
    for (end, names, cells, hashed, together, rows, first, suffixed) in tables {
        let kind = |at: usize| cells[at].first().map_or("text", |cell| cell.1);
        let typed = |all: &[usize]| {
            all.iter().map(|&at| format!("{}:{}", names[at], kind(at))).collect::<Vec<_>>().join(",")
        };
        let mut request = request(&typed(&hashed));
        request.rows = vec![plan::row(&format!("all={}", typed(&together))).expect("a row")];
        request.suffix = suffixed.then(|| "_t".into());
        let mut input = vec![names.join(",")];
        let mut expected = vec![names.join(",")];
        if suffixed {
            hashed.iter().for_each(|&at| expected[0] += &format!(",{}_t", names[at]));
        }
        expected[0] += ",all";
        for row in 0..rows {
            let raw = |at: usize| cells[at][row].0.clone();
            let tag = |at: usize| {
                let place = hashed.iter().position(|&hashed| hashed == at)?;
                Some(tags(&answers[first + place * rows + row])[0].as_str().unwrap_or_default().to_owned())
            };
            input.push((0..names.len()).map(raw).collect::<Vec<_>>().join(","));
            let replaced = |at: usize| match tag(at) {
                Some(tag) if !suffixed && raw(at).starts_with('"') => format!("\"{tag}\""),
                Some(tag) if !suffixed => tag,
                _ => raw(at),
            };
            let mut line: Vec<String> = (0..names.len()).map(replaced).collect();
            if suffixed {
                line.extend(hashed.iter().filter_map(|&at| tag(at)));
            }
            let of_row = &answers[first + hashed.len() * rows + row];
            line.push(tags(of_row)[0].as_str().expect("a tag").into());
            expected.push(line.join(","));
        }
        let (input, expected) = (input.join(end) + end, expected.join(end) + end);
        for block in [1, 2, 3, 7, 16, 64, 1 << 18] {
            let mut output = Vec::new();
            csv::hash_in_blocks(input.as_bytes(), &mut output, csv::Dialect::CSV, &request, &key(), block)
                .expect("a table");
            assert_eq!(String::from_utf8(output).expect("text"), expected, "{block}: {input:?}");
        }
        verify::csv(input.as_bytes(), expected.as_bytes(), csv::Dialect::CSV, &request, &key())
            .expect("what is expected");
    }
}

#[test]
fn integers_are_the_same_bits() {
    let forms =
        |form| Request { form, algorithm: Algorithm::SipHash24, context: Context::None, ..request("a") };
    let line = |form| run("a\nx\n", &forms(form)).expect("a table").lines().nth(1).expect("a row").to_owned();
    let hex = line(Form::Hex);
    let bytes: Vec<u8> =
        (0..8).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hex")).collect();
    let number = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    assert_eq!(line(Form::UInt64), number.to_string());
    assert_eq!(line(Form::Int64), (number as i64).to_string());
    let plain = keylane::siphash::SipHash24::new(&keylane::siphash::Key::from_bytes(common::KEY));
    assert_eq!(number, plain.hash(b"x"));
    assert!(run("a\nx\n", &forms(Form::Binary)).expect_err("binary").contains("choose hex"));
}

#[test]
fn what_stays() {
    let rest = |text: &str| run(text, &request("a")).expect("a table");
    // A mark, empty lines, every line end, a last line without one, bytes that are not UTF-8.
    for (text, tag) in [
        ("\u{feff}a,b\n", None),
        ("a,b", None),
        ("\n\r\n a,b,a\n", Some("")),
        ("\u{feff}\"a\",b\r\nx,\"\"\"\"\r\n\r\n\n", Some("x")),
        ("b,a\n,", None),
        ("b,a\n\"\n\",\"\"\n", None),
    ] {
        let out = run(text, &request("a"));
        match tag {
            None => assert_eq!(out.as_deref(), Ok(text)),
            Some("") => assert_eq!(out.as_deref(), Ok(text)),
            Some(value) => {
                let out = out.expect("a table");
                let tag = rest(&format!("a\n{value}\n"));
                assert_eq!(out, text.replace(value, tag.lines().nth(1).expect("a row")));
            }
        }
    }
    let mut output = Vec::new();
    csv::hash(&b"b,a\n\xff\x00,\xfe\n"[..], &mut output, csv::Dialect::CSV, &request("a"), &key())
        .expect("a table");
    assert!(output.starts_with(b"b,a\n\xff\x00,") && output.len() == 4 + 3 + 32 + 1);
}

/// In a table of one column, an empty line is a row whose field is empty: no writer has another line for a null.
#[test]
fn empty_lines_of_one_column() {
    let tag = |value: &str| {
        let out = run(format!("a,b\n{value},\n"), &Request { empty_is_text: true, ..request("a") });
        out.expect("a table").lines().nth(1).expect("a row").trim_end_matches(',').to_owned()
    };
    let (x, y, none) = (tag("x"), tag("y"), tag(""));
    let suffix = Request { suffix: Some("_t".into()), ..request("a") };
    let text = Request { empty_is_text: true, ..request("a") };
    for end in ["\n", "\r\n", "\r"] {
        for (table, request, expected, rows) in [
            ("a|x||y|", &request("a"), format!("a|{x}||{y}|"), 3),
            ("a|x||y|", &suffix, format!("a,a_t|x,{x}|,|y,{y}|"), 3),
            ("a|x||y|", &text, format!("a|{x}|{none}|{y}|"), 3),
            ("a||||", &suffix, "a,a_t|,|,|,|".into(), 3),
            ("a|\"\"||x", &suffix, format!("a,a_t|\"\",|,|x,{x}"), 3),
            // What stands before the header is no row.
            ("||a||", &suffix, "||a,a_t|,|".into(), 1),
        ] {
            let (table, expected) = (table.replace('|', end), expected.replace('|', end));
            for block in 1..8 {
                let mut output = Vec::new();
                let input = table.as_bytes();
                let report =
                    csv::hash_in_blocks(input, &mut output, csv::Dialect::CSV, request, &key(), block);
                assert_eq!(String::from_utf8(output).expect("text"), expected, "{table:?}, {block}");
                assert_eq!(report.expect("a table").rows, rows, "{table:?}");
                verify::csv(input, expected.as_bytes(), csv::Dialect::CSV, request, &key())
                    .expect("the same");
            }
        }
    }
    let strict = Request { nulls: Nulls::Refuse, ..request("a") };
    assert_eq!(run("a\nx\n\ny\n", &strict), Err("column a, row 2: a null".into()));
    let context = Context::One("a".into());
    let positions = Request { header: false, columns: request("1").columns, context, ..text };
    assert_eq!(run("\n\nx\n\n", &positions), Ok(format!("{none}\n{none}\n{x}\n{none}\n")));
    // In other tables it is none.
    let out = run("a,b\n\nx,1\n\n", &suffix).expect("a table");
    assert_eq!(out, format!("a,b,a_t\n\nx,1,{x}\n\n"));
}

/// Tabs and line ends alone divide a TSV. Other characters may be chosen for both formats.
#[test]
fn dialects() {
    let of = |text: &str, dialect, request: &Request| {
        let mut output = Vec::new();
        match csv::hash(text.as_bytes(), &mut output, dialect, request, &key()) {
            Ok(_) => Ok(String::from_utf8(output).expect("text")),
            Err(error) => Err(error.to_string()),
        }
    };
    let tag = |value: &str| {
        let out = run(format!("email\n{value}\n"), &request("email")).expect("a table");
        out.lines().nth(1).expect("a row").to_owned()
    };
    let email = request("email");
    let table = "id\temail\tnote\n1\ta@x\t\"5 inch\n2\tb@x\tb\n3\t\"c@x\t6 inch\"\n4\td@x\t\"z\"\"\n";
    let mut expected = table.to_owned();
    for value in ["a@x", "b@x", "d@x"] {
        expected = expected.replace(value, &tag(value));
    }
    let lone = of("email\n\"c@x\n", csv::Dialect::TSV, &email).expect("a table");
    expected = expected.replace("\"c@x", lone.lines().nth(1).expect("a row"));
    assert_eq!(of(table, csv::Dialect::TSV, &email), Ok(expected.clone()));
    // The same of CSV without quotes.
    let commas = csv::Dialect::new(b',', None).expect("a dialect");
    assert_eq!(of(&table.replace('\t', ","), commas, &email), Ok(expected.replace('\t', ",")));
    // A new column's name that would need quotes.
    let named = |name: &str| Request { suffix: Some(name.into()), ..email.clone() };
    assert!(of("email\n", csv::Dialect::TSV, &named("\t")).expect_err("a tab").contains("no quotes"));
    assert_eq!(of("email\n", csv::Dialect::TSV, &named("\"")), Ok("email\temail\"\n".into()));
    // Semicolons, and quotes of another kind.
    let single = csv::Dialect::new(b';', Some(b'\'')).expect("a dialect");
    let out = of("id;email\n'1;''';'x'\n\"2\";y\n", single, &named("'")).expect("a table");
    assert_eq!(out, format!("id;email;'email'''\n'1;''';'x';{}\n\"2\";y;{}\n", tag("x"), tag("y")));
    let delimiters = [b'a', b'0', b'-', b'\n', b'\r', 0xe9, 0].map(|byte| (byte, None));
    let quotes = [b',', b'f', b'\n'].map(|byte| (b',', Some(byte)));
    for (delimiter, quote) in delimiters.into_iter().chain(quotes) {
        assert!(matches!(csv::Dialect::new(delimiter, quote), Err(Error::Request(_))), "{delimiter}");
    }
}

/// An input that is something else is refused, by a message that says what to do.
#[test]
fn hints() {
    let of = |text: &[u8], dialect, request: &Request| {
        let found = csv::hash(text, &mut Vec::new(), dialect, request, &key());
        found.expect_err("another dialect").to_string()
    };
    let email = request("email");
    let (csv, tsv) = (csv::Dialect::CSV, csv::Dialect::TSV);
    for (text, dialect, expected) in [
        ("id;email\n1;a\n", csv, "all of it is one column: is --delimiter ';' missing?"),
        ("id\temail\n1\ta\n", csv, "all of it is one column: is --delimiter '\\t' missing?"),
        ("id|email\n", csv, "all of it is one column: is --delimiter '|' missing?"),
        ("id,email\n1,a\n", tsv, "all of it is one column: is --delimiter ',' missing?"),
        ("id\t\"email\"\n", tsv, "it has names in quotes: is --quote '\"' missing?"),
    ] {
        assert_eq!(of(text.as_bytes(), dialect, &email), format!("there is no column email; {expected}"));
    }
    assert_eq!(of(b"id,name\n", csv, &email), "there is no column email");
    let found = of(b"email\tb\n\"x\ty\"\tz\n", tsv, &email);
    assert_eq!(found, "row 1: it has 3 fields instead of 2; if fields stand in quotes, give --quote '\"'");
    for (bytes, name) in [
        (&b"\x1f\x8b\x08\0"[..], "gzip"),
        (b"\x28\xb5\x2f\xfd\x04", "zstd"),
        (b"BZh91AY&SY\x94", "bzip2"),
        (b"BZh9\x17rE8P\x90\0", "bzip2"),
        (b"\xfd7zXZ\0\0", "xz"),
        (b"\x04\x22\x4d\x18\x64", "lz4"),
        (b"PK\x03\x04\x14", "zip"),
    ] {
        let expected = format!("the file is compressed by {name}: decompress it first");
        assert_eq!(of(bytes, csv, &email), expected);
        assert_eq!(of(bytes, tsv, &Request { header: false, ..request("1") }), expected);
    }
    assert_eq!(of(b"PAR1\x15", csv, &email), "the file is one of Parquet: --from parquet reads it");
    assert_eq!(of(b"ARROW1\0\0\xff", csv, &email), "the file is one of Arrow: --from arrow reads it");
    // Text that begins alike is text.
    assert!(run("BZh9,a\nx,y\n", &request("a")).is_ok() && run("PK,a\nx,y\n", &request("a")).is_ok());
}

#[test]
fn faults_name_row_and_column_and_no_content() {
    let strict = Request { nulls: Nulls::Refuse, ..request("a") };
    let text = Request { empty_is_text: true, ..request("a:int64") };
    for (table, request, expected) in [
        ("", &request("a"), "the file is empty: it has no header"),
        ("\u{feff}\n\r\n", &request("a"), "the file is empty: it has no header"),
        ("\u{feff}secret\n", &request("a"), "there is no column a"),
        ("a,b,a\nsecret,x,y\n", &request("a"), "there are several columns a"),
        ("a,b\n1,2\nsecret\n", &request("a"), "row 2: it has 1 field instead of 2"),
        ("a,b\n1,2\n\nsecret,2,3\n", &request("a"), "row 2: it has 3 fields instead of 2"),
        ("a,b\n\"secret\"x,2\n", &request("a"), "row 1: field 1: bytes behind the closing quote"),
        ("a,b\n1,2\n\"secret,2\n", &request("b"), "row 2: a quote is not closed"),
        ("\"a,b\n", &request("a"), "the header: a quote is not closed"),
        ("a,b\n1,2\n,secret\n", &strict, "column a, row 2: a null"),
        ("a\n1\nsecret\n", &request("a:int64"), "column a, row 2: it is not of the type int64"),
        ("a,b\n,1\n", &text, "column a, row 1: it is not of the type int64"),
        ("a,b\n1,1\n", &request("a,a"), "column a is named twice"),
        ("a,b\n1,1\n", &request("a:int64,b,a:date"), "column a has two types: int64 and date"),
        ("\u{0}a", &request("a"), "there is no column a"),
    ] {
        let error = run(table, request).expect_err(table);
        assert_eq!(error, expected);
        assert!(!error.contains("secret"));
    }
    let mut output = Vec::new();
    let error = csv::hash(&b"\xff\xfea\0"[..], &mut output, csv::Dialect::CSV, &request("a"), &key())
        .expect_err("UTF-16");
    assert_eq!(error.to_string(), "the file is UTF-16: convert it to UTF-8 first");
    // The rows before a fault are looked at first.
    assert_eq!(
        run("a\nx\n1,2\n", &request("a:int64")).expect_err("x"),
        "column a, row 1: it is not of the type int64"
    );
}

#[test]
fn requests_that_contradict_themselves() {
    let table = "a,b\n1,2\n";
    let with = |change: fn(&mut Request)| {
        let mut request = request("a");
        change(&mut request);
        run(table, &request)
    };
    for (found, expected) in [
        (with(|request| request.columns.clear()), "no column is named"),
        (with(|request| request.form = Form::UInt64), "siphash-2-4-128 has tags of 128 bits"),
        (with(|request| request.suffix = Some(String::new())), "there is a column a already"),
        (
            with(|request| request.rows = vec![plan::row("b=a").expect("a row")]),
            "there is a column b already",
        ),
        (with(|request| request.rows = vec![plan::row("r=a,a").expect("a row")]), "column a is named twice"),
        (with(|request| request.context = Context::One("KCE-1 row".into())), "are reserved"),
        (with(|request| request.context = Context::One(String::new())), "1 to 255 bytes"),
        (with(|request| request.types = plan::columns("b").expect("columns")), "no type is given"),
    ] {
        let error = found.expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    for text in ["", ",", "a,", "a,,b", "\"a", "\"a\"b", "\"a\":int", ":int64"] {
        assert!(plan::columns(text).is_err(), "{text}");
    }
    for text in ["", "r", "=a", "r=", "r=,"] {
        assert!(plan::row(text).is_err(), "{text}");
    }
    let names =
        |text: &str| plan::columns(text).expect(text).into_iter().map(|named| named.name).collect::<Vec<_>>();
    assert_eq!(names("\"a,\"\"b:int64\":int64,c:d,e:utf8,\"\""), ["a,\"b:int64", "c:d", "e", ""]);
}

/// The index of a table of pandas has no name in a CSV file.
#[test]
fn a_column_without_a_name() {
    let unnamed = request("\"\"");
    assert!(run(",b\nx,y\n", &unnamed).expect_err("no context").contains("choose one by --context"));
    let context = |request: Request| Request { context: Context::One("index".into()), ..request };
    let tag = run("a\nx\n", &context(request("a"))).expect("a table").replace("a\n", "");
    assert_eq!(run(",b\nx,y\n", &context(unnamed)), Ok(format!(",b\n{},y\n", tag.trim_end())));
}

#[test]
fn positions_instead_of_names() {
    let positions = Request { header: false, ..request("2") };
    let out = run("x,y\nz,\n", &positions).expect("a table");
    assert!(out.starts_with("x,") && out.ends_with("\nz,\n") && out.len() == 2 + 32 + 4);
    for wrong in ["0", "3", "02", "+2", "x", "18446744073709551616"] {
        let error = run("x,y\n", &Request { header: false, ..request(wrong) }).expect_err(wrong);
        assert_eq!(error, format!("there is no column {wrong}"));
    }
    assert_eq!(run("", &positions).expect_err("no column"), "there is no column 2");
}

/// The tags of one column do not depend on how others of the row look, and contexts separate columns.
#[test]
fn contexts_separate_columns() {
    let row = |request: &Request| {
        let out = run("a,b\nx,x\n", request).expect("a table");
        let (a, b) = out.lines().nth(1).expect("a row").split_once(',').expect("two fields");
        (a.to_owned(), b.to_owned())
    };
    let (a, b) = row(&request("a,b"));
    assert_ne!(a, b);
    let (one, other) = row(&Request { context: Context::One("a".into()), ..request("a,b") });
    assert_eq!((&one, &other), (&a, &a));
    let (plain, same) = row(&Request { context: Context::None, ..request("a,b") });
    assert!(plain == same && plain != a);
    // The key itself meets the text of a subkey, and the tag is another.
    for algorithm in Algorithm::ALL {
        let mut output = Vec::new();
        let none = Request { context: Context::None, algorithm, ..request("a") };
        csv::hash(&b"a\nkeylane subkey 1\0users\n"[..], &mut output, csv::Dialect::CSV, &none, &key())
            .expect("a table");
        let tag = str::from_utf8(&output).expect("ASCII").lines().nth(1).expect("a tag");
        assert!(!subkey("users").starts_with(tag), "{algorithm}");
    }
}

#[test]
fn ten_thousand_columns_and_long_rows() {
    let names: Vec<String> = (0..10_000).map(|at| format!("c{at}")).collect();
    let table = format!("{}\n{}\n", names.join(","), vec!["x"; 10_000].join(","));
    let out = run(&table, &request("c0,c9999")).expect("a table");
    assert_eq!(out.len(), table.len() + 2 * 31);
    let every = run(&table, &request(&names.join(","))).expect("a table");
    assert_eq!(every.len(), table.len() + 10_000 * 31);
    // A row of 64 MiB; its quoted field has line ends.
    let long = format!("a,b\n\"{}\",x\n1,2\n", "y\r\n\"\"".repeat(64 << 20 >> 3));
    let out = run(&long, &request("b")).expect("a table");
    assert_eq!(out.len(), long.len() + 2 * 31);
    assert_eq!(run(&long, &request("a")).expect("a table").lines().count(), 3);
}

#[test]
fn a_writer_and_a_reader_that_fail() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let len = bytes.len().min(self.0);
            self.0 -= len;
            if len == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(len) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let table = format!("a\n{}", "x\n".repeat(100_000));
    for room in [0, 1, 5000, 1_000_000] {
        let error = csv::hash(table.as_bytes(), &mut Full(room), csv::Dialect::CSV, &request("a"), &key());
        assert!(matches!(error, Err(Error::Write(_))), "{room}");
    }
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::ConnectionReset.into())
        }
    }

    let error =
        csv::hash(table.as_bytes().chain(Broken), &mut Vec::new(), csv::Dialect::CSV, &request("a"), &key());
    assert!(matches!(error, Err(Error::Read(_))));
}

#[test]
fn what_is_explained() {
    let mut request = request("a:int64");
    request.rows = vec![plan::row("r=a,b").expect("a row")];
    let zero = ColumnKey::new("users", keylane::siphash::Key::from_bytes([0; 16]));
    let text = csv::explain(&b"a,b\nsecret"[..], csv::Dialect::CSV, &request, &zero).expect("a plan");
    assert_eq!(
        text,
        "a: int64 -> a (in place, hex)\n  \
         KCE-1; siphash-2-4-128; plain; key=users; check=ae4845b5; context=a\n\
         row of (a: int64, b: text) -> r (new column, hex)\n  \
         KCE-1; siphash-2-4-128; row; key=users; check=ae4845b5; context=r\n"
    );
    let report =
        csv::hash(&b"a,b\n1,2\n"[..], &mut Vec::new(), csv::Dialect::CSV, &request, &zero).expect("a table");
    let manifest: Json = serde_json::from_str(&report.manifest).expect("JSON");
    assert_eq!(manifest["keylane"]["r"], "KCE-1; siphash-2-4-128; row; key=users; check=ae4845b5; context=r");
}
