//! Random types and values in the notation of `tests/kce1/README.md`. A seed gives the same ones each time.

use serde_json::{Value as Json, json};

/// A generator of numbers: xorshift*.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.word() >> 33) as usize % end
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// An integer of `bits` bits, often near an edge.
    fn integer(&mut self, bits: u32) -> i128 {
        let low = -(1_i128 << (bits - 1));
        let wide = i128::from(self.word()) << 64 | i128::from(self.word());
        let near = (self.below(5) as i128) - 2;
        match self.below(6) {
            0 => near,
            1 => low + near.max(0),
            2 => -(low + 1) - near.max(0),
            3 => (self.below(2_000) as i128 - 1_000).clamp(low, -(low + 1)),
            _ => wide >> (128 - bits) >> self.below(bits as usize),
        }
    }

    fn text(&mut self) -> String {
        let length = match self.below(8) {
            0 => 0,
            1 => 200 + self.below(400),
            _ => self.below(30),
        };
        (0..length).map(|_| ['a', 'Z', '0', ' ', '\u{fc}', '\u{1f511}', '\0'][self.below(7)]).collect()
    }

    fn hex(&mut self, length: usize) -> String {
        (0..length).map(|_| format!("{:02x}", self.word() as u8)).collect()
    }
}

/// A type without nesting.
fn leaf_type(random: &mut Random) -> String {
    match random.below(12) {
        0 => random.pick(&["null", "bool", "date32", "date64"]).into(),
        1 | 2 => {
            random.pick(&["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]).into()
        }
        3 => random.pick(&["float16", "float32", "float64"]).into(),
        4 | 5 => random.pick(&["utf8", "large_utf8", "utf8_view"]).into(),
        6 => random.pick(&["binary", "large_binary", "binary_view"]).into(),
        7 => format!("fixed_size_binary[{}]", random.below(20)),
        8 => random.pick(&["time32[s]", "time32[ms]", "time64[us]", "time64[ns]"]).into(),
        9 => {
            let name = random.pick(&["timestamp[s", "timestamp[ms", "timestamp[us", "timestamp[ns"]);
            format!("{name}{}]", random.pick(&["", ", tz=UTC", ", tz=+01:00"]))
        }
        10 => random.pick(&["duration[s]", "duration[ms]", "duration[us]", "duration[ns]"]).into(),
        _ => {
            let (width, precision) = [("32", 9), ("64", 18), ("128", 38), ("256", 76)][random.below(4)];
            let scale = random.below(2 * precision) as i32 - precision as i32 / 2;
            format!("decimal{width}({precision}, {})", scale.clamp(-128, precision as i32))
        }
    }
}

/// A type that a column can have: a leaf, or a dictionary or runs of leaves.
pub fn plain_type(random: &mut Random) -> String {
    coded(random, &["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
}

fn coded(random: &mut Random, keys: &[&str]) -> String {
    let leaf = leaf_type(random);
    match random.below(5) {
        0 => format!("dictionary<values={leaf}, indices={}>", random.pick(keys)),
        1 => format!(
            "run_end_encoded<run_ends: {}, values: {leaf}>",
            random.pick(&["int16", "int32", "int64"])
        ),
        _ => leaf,
    }
}

/// A type that a field of a row can have.
pub fn row_type(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(2) == 0 {
        // The keys have room for every element of every list.
        return coded(random, &["int16", "int32", "int64", "uint16", "uint32", "uint64"]);
    }
    let inside = row_type(random, depth - 1);
    match random.below(8) {
        0 | 1 => format!("list<item: {inside}>"),
        2 => format!("large_list<item: {inside}>"),
        3 => format!("list_view<item: {inside}>"),
        4 => format!("large_list_view<item: {inside}>"),
        5 => format!("fixed_size_list<item: {inside}>[{}]", random.below(4)),
        6 => format!("dictionary<values={inside}, indices=int16>"),
        _ => {
            let more = (0..random.below(3)).map(|at| format!(", f{at}: {}", row_type(random, depth - 1)));
            format!("struct<f: {inside}{}>", more.collect::<String>())
        }
    }
}

/// Values of a type, among them nulls with something behind them.
pub fn values(random: &mut Random, wanted: &str, count: usize) -> Vec<Json> {
    (0..count)
        .map(|_| match random.below(8) {
            0 => Json::Null,
            1 => json!({ "behind_null": value(random, wanted) }),
            _ => value(random, wanted),
        })
        .collect()
}

fn value(random: &mut Random, wanted: &str) -> Json {
    let end = wanted.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let (name, rest) = wanted.split_at(end.unwrap_or(wanted.len()));
    match name {
        "null" => Json::Null,
        "bool" => json!(random.below(2) == 0),
        "int8" => json!(random.integer(8) as i64),
        "int16" => json!(random.integer(16) as i64),
        "int32" | "date32" | "time32" => json!(random.integer(32) as i64),
        "uint8" => json!(random.integer(8) as u8),
        "uint16" => json!(random.integer(16) as u16),
        "uint32" => json!(random.integer(32) as u32),
        "uint64" => json!((random.integer(64) as u64).to_string()),
        "int64" => json!(random.integer(64).to_string()),
        "time64" | "timestamp" | "duration" => {
            let t = random.integer(64);
            // Whole microseconds, half of the time.
            json!((if random.below(2) == 0 { t / 1_000 * 1_000 } else { t }).to_string())
        }
        "date64" => json!((random.integer(37) * 86_400_000).to_string()),
        "float16" => json!(format!("{:#06x}", random.word() as u16)),
        "float32" => json!(format!("{:#010x}", random.word() as u32)),
        "float64" => {
            let edges = [0, 1 << 63, 0x7ff0 << 48, 0xfff8 << 48 | 1, 1, 0x3ff0 << 48];
            let bits = edges.get(random.below(2 * edges.len())).copied().unwrap_or(random.word());
            json!(format!("{bits:#018x}"))
        }
        "utf8" | "large_utf8" | "utf8_view" => json!(random.text()),
        "binary" | "large_binary" | "binary_view" => {
            let length = random.text().len();
            json!(random.hex(length))
        }
        "fixed_size_binary" => {
            let width = rest.trim_matches(['[', ']']).parse().expect("a width");
            json!(random.hex(width))
        }
        "decimal32" => json!(decimal(random, 32)),
        "decimal64" => json!(decimal(random, 64)),
        "decimal128" => json!(decimal(random, 127)),
        "decimal256" => {
            let more = "0".repeat(random.below(38));
            json!(format!("{}{more}", decimal(random, 127)))
        }
        "list" | "large_list" | "list_view" | "large_list_view" => {
            let count = random.below(5);
            json!(values(random, item(rest), count))
        }
        "fixed_size_list" => {
            let size =
                rest.rsplit_once('[').expect("a size").1.trim_end_matches(']').parse().expect("a size");
            json!(values(random, item(rest), size))
        }
        "struct" => {
            let fields = fields(rest).into_iter().map(|field| values(random, field, 1).remove(0));
            Json::Array(fields.collect())
        }
        "dictionary" => {
            let inside = rest.strip_prefix("<values=").expect("values");
            value(random, inside.rsplit_once(", indices=").expect("indices").0)
        }
        "run_end_encoded" => {
            let inside = rest.split_once(", values: ").expect("values").1;
            value(random, inside.strip_suffix('>').expect("an end"))
        }
        other => panic!("type {other}"),
    }
}

fn decimal(random: &mut Random, bits: u32) -> String {
    let n = random.integer(bits);
    // Trailing zeros, half of the time.
    let power = 10_i128.pow(random.below(if bits == 32 { 9 } else { 18 }) as u32);
    (if random.below(2) == 0 { n / power * power } else { n }).to_string()
}

/// The type in `<item: TYPE>`.
fn item(rest: &str) -> &str {
    let end = rest.rfind('>').expect("an end");
    rest[..end].strip_prefix("<item: ").expect("an item")
}

/// The types in `<f: TYPE, f0: TYPE>`.
fn fields(rest: &str) -> Vec<&str> {
    let inside = rest.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).expect("fields");
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in inside.char_indices() {
        match letter {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&inside[start..at]);
                start = at + 2;
            }
            _ => {}
        }
    }
    found.push(&inside[start..]);
    found.into_iter().map(|field| field.split_once(": ").expect("a name").1).collect()
}
