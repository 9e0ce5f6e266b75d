//! Metadata of a whole table: key-value pairs in which writers note types, indexes and whatever they like. What may stay is
//! a list. The notes of known writers are rewritten, so that these writers read the output. All others are dropped, since
//! they may have values of columns that are now tags.

use crate::plan::{Plan, Request};
use arrow_schema::Metadata;
use keylane_columns::{Form, METADATA_KEY};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// A column of tags.
#[derive(Clone, Debug)]
struct Tags {
    name: String,
    /// Whether it stands in the place of the column of this name.
    replaces: bool,
    form: Form,
    /// How many bytes a tag has.
    size: usize,
    /// Which of the columns of tags it is.
    number: usize,
}

/// What becomes of metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    Rewritten,
    Dropped,
}

/// What becomes of a table's metadata.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// What the output has.
    pub pairs: Vec<(String, String)>,
    fates: Vec<(String, Fate)>,
}

/// The keys that say nothing of values: they stay.
const HARMLESS: [&str; 6] = [
    "org.apache.spark.version",
    "org.apache.spark.timeZone",
    "org.apache.spark.legacyDateTime",
    "org.apache.spark.legacyINT96",
    "writer.model.name",
    "writer.time.zone",
];

/// The key of the metadata of a field that stays if the column becomes tags: the number by which tables know it.
const FIELD_ID: &str = "PARQUET:field_id";

/// How a writer's note is rewritten for columns of tags. `None` if it cannot be read.
type Rewrite = fn(&str, &[Tags]) -> Option<String>;

const KNOWN: [(&str, Rewrite); 6] = [
    ("org.apache.spark.sql.parquet.row.metadata", spark),
    ("pandas", pandas),
    ("geo", geo),
    ("parquet.avro.schema", avro),
    ("avro.schema", avro),
    ("parquet.avro.read.schema", avro),
];

impl Notes {
    /// Judges the pairs of a table.
    pub fn of(pairs: impl IntoIterator<Item = (String, String)>, plan: &Plan, request: &Request) -> Notes {
        let size = if request.algorithm.bits() == 64 { 8 } else { 16 };
        let tags = plan.outputs.iter().enumerate().map(|(number, output)| Tags {
            name: output.name.clone(),
            replaces: output.replaces.is_some(),
            form: request.form,
            size,
            number,
        });
        let tags: Vec<Tags> = tags.collect();
        let mut notes = Notes::default();
        for (key, value) in pairs {
            let rewritten =
                KNOWN.iter().find(|(known, _)| *known == key).map(|(_, rewrite)| rewrite(&value, &tags));
            let (fate, new) = match rewritten {
                Some(Some(new)) => (Fate::Rewritten, Some(new)),
                Some(None) => (Fate::Dropped, None),
                None if stays(&key, &tags) || request.keep_metadata.contains(&key) => {
                    (Fate::Kept, Some(value))
                }
                None => (Fate::Dropped, None),
            };
            notes.fates.push((format!("metadata {key}"), fate));
            notes.pairs.extend(new.map(|new| (key, new)));
        }
        notes
    }

    /// What stays of the metadata of a column that becomes tags.
    pub fn of_field(&mut self, column: &str, metadata: &Metadata, request: &Request) -> Metadata {
        let mut stays = |(key, _): &(&String, &String)| {
            // Readers of Arrow would take tags for values of the extension.
            let is_wanted = !key.starts_with("ARROW:") && request.keep_metadata.contains(key);
            let fate = if *key == FIELD_ID || is_wanted { Fate::Kept } else { Fate::Dropped };
            self.fates.push((format!("metadata {key} of column {column}"), fate));
            fate == Fate::Kept
        };
        let kept = metadata.iter().filter(|pair| stays(pair));
        kept.map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Adds what becomes of other metadata of the same table, and gives what the output has of them.
    pub fn join(&mut self, other: Notes) -> Vec<(String, String)> {
        self.fates.extend(other.fates);
        other.pairs
    }

    /// What is dropped, for a person.
    pub fn dropped(&self) -> Vec<String> {
        let dropped = self.fates.iter().filter(|(_, fate)| *fate == Fate::Dropped);
        dropped.map(|(what, _)| what.clone()).collect()
    }

    /// What becomes of all, in lines for a person.
    pub fn explain(&self) -> String {
        self.fates.iter().fold(String::new(), |mut lines, (what, fate)| {
            let fate = match fate {
                Fate::Kept => "stays",
                Fate::Rewritten => "is rewritten",
                Fate::Dropped => "is dropped",
            };
            // Text takes all that is written.
            let _ = writeln!(lines, "{what} {fate}");
            lines
        })
    }
}

/// Whether a pair is on the list: one that is harmless, or the line of a column of tags that stays.
fn stays(key: &str, tags: &[Tags]) -> bool {
    let column = key.strip_prefix(METADATA_KEY).and_then(|rest| rest.strip_prefix('.'));
    HARMLESS.contains(&key) || column.is_some_and(|column| tags.iter().all(|tags| tags.name != column))
}

/// The tags that stand in the place of a column.
fn replacing<'a>(tags: &'a [Tags], name: Option<&str>) -> Option<&'a Tags> {
    tags.iter().find(|tags| tags.replaces && Some(tags.name.as_str()) == name)
}

/// The columns of tags that are new.
fn added(tags: &[Tags]) -> impl Iterator<Item = &Tags> {
    tags.iter().filter(|tags| !tags.replaces)
}

/// Replaces the entries of columns that are tags now, and appends those of new ones. `name` is the name that an entry has.
fn entries(
    list: &mut Vec<Json>,
    tags: &[Tags],
    name: impl Fn(&Json) -> Option<&str>,
    new: impl Fn(&Tags, Option<&Json>) -> Json,
) {
    for entry in &mut *list {
        if let Some(tags) = replacing(tags, name(entry)) {
            *entry = new(tags, Some(entry));
        }
    }
    list.extend(added(tags).map(|tags| new(tags, None)));
}

/// The name of an entry.
fn name(entry: &Json) -> Option<&str> {
    entry.get("name")?.as_str()
}

/// The name of the field of a column of pandas.
fn field_name(column: &Json) -> Option<&str> {
    column.get("field_name").map_or_else(|| name(column), Json::as_str)
}

/// The map, with these keys only.
fn only(map: &mut Map<String, Json>, keys: &[&str]) {
    map.retain(|key, _| keys.contains(&key.as_str()));
}

/// Spark: its type of the table.
fn spark(text: &str, tags: &[Tags]) -> Option<String> {
    let mut schema: Json = serde_json::from_str(text).ok()?;
    let table = schema.as_object_mut().filter(|table| table.get("type") == Some(&json!("struct")))?;
    only(table, &["type", "fields"]);
    let new = |tags: &Tags, _: Option<&Json>| {
        let kind = match tags.form {
            Form::Binary => "binary",
            Form::Int64 => "long",
            // Spark has no unsigned integers.
            Form::UInt64 => "decimal(20,0)",
            Form::Hex => "string",
        };
        json!({ "name": tags.name, "type": kind, "nullable": true, "metadata": {} })
    };
    entries(table.get_mut("fields")?.as_array_mut()?, tags, name, new);
    Some(schema.to_string())
}

/// pandas: its types, and which columns are the index.
fn pandas(text: &str, tags: &[Tags]) -> Option<String> {
    let mut notes: Json = serde_json::from_str(text).ok()?;
    let table = notes.as_object_mut()?;
    // Attributes have whatever the user put there.
    only(
        table,
        &["index_columns", "column_indexes", "columns", "partition_columns", "creator", "pandas_version"],
    );
    let new = |tags: &Tags, old: Option<&Json>| {
        let (kind, numpy) = match tags.form {
            Form::Binary => ("bytes", "object"),
            Form::Int64 => ("int64", "int64"),
            Form::UInt64 => ("uint64", "uint64"),
            Form::Hex => ("unicode", "object"),
        };
        // An index without a name has a field with one.
        let name = old.and_then(|old| old.get("name")).cloned().unwrap_or_else(|| json!(tags.name));
        json!({
            "name": name,
            "field_name": tags.name,
            "pandas_type": kind,
            "numpy_type": numpy,
            "metadata": null,
        })
    };
    entries(table.get_mut("columns")?.as_array_mut()?, tags, field_name, new);
    Some(notes.to_string())
}

/// GeoParquet: its columns of geometries. The note goes if all of them are tags.
fn geo(text: &str, tags: &[Tags]) -> Option<String> {
    let mut notes: Json = serde_json::from_str(text).ok()?;
    let table = notes.as_object_mut()?;
    only(table, &["version", "primary_column", "columns"]);
    let columns = table.get_mut("columns")?.as_object_mut()?;
    columns.retain(|name, _| replacing(tags, Some(name)).is_none());
    for column in columns.values_mut().filter_map(Json::as_object_mut) {
        let bounds = column.get("covering").map(Json::to_string).unwrap_or_default();
        if tags.iter().any(|tags| tags.replaces && bounds.contains(&json!(tags.name).to_string())) {
            column.remove("covering");
        }
    }
    let first = columns.keys().next()?.clone();
    if replacing(tags, table.get("primary_column").and_then(Json::as_str)).is_some() {
        table.insert("primary_column".into(), json!(first));
    }
    Some(notes.to_string())
}

/// Avro: its schema of a record.
fn avro(text: &str, tags: &[Tags]) -> Option<String> {
    let mut schema: Json = serde_json::from_str(text).ok()?;
    let record = schema.as_object_mut().filter(|record| record.get("type") == Some(&json!("record")))?;
    only(record, &["type", "name", "namespace", "fields"]);
    let fields = record.get_mut("fields")?.as_array_mut()?;
    // Another field may refer to a type that a replaced one defines.
    let gone = fields.iter().filter(|field| replacing(tags, name(field)).is_some());
    let gone: Vec<Json> = gone.filter_map(|field| field.get("type")).flat_map(defined).collect();
    let new = |tags: &Tags, _: Option<&Json>| {
        let kind = match tags.form {
            Form::Binary => {
                json!({ "type": "fixed", "name": format!("keylane_{}", tags.number), "size": tags.size })
            }
            Form::Int64 | Form::UInt64 => json!("long"),
            Form::Hex => json!("string"),
        };
        json!({ "name": tags.name, "type": ["null", kind], "default": null })
    };
    entries(fields, tags, name, new);
    let text = schema.to_string();
    (!gone.iter().any(|name| text.contains(&name.to_string()))).then_some(text)
}

/// The names of the types that a type of Avro defines.
fn defined(kind: &Json) -> Vec<Json> {
    match kind {
        Json::Array(kinds) => kinds.iter().flat_map(defined).collect(),
        Json::Object(map) => {
            let name = map.get("name").filter(|name| name.is_string()).cloned();
            name.into_iter()
                .chain(map.values().filter(|value| !value.is_string()).flat_map(defined))
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use arrow_schema::{DataType, Field, Schema};
    use keylane::siphash::Key;
    use keylane_columns::{Algorithm, ColumnKey};

    /// What becomes of the note under a key if `e` is hashed in its place, or beside it, and a row is added.
    fn rewritten(key: &str, value: &Json, form: Form, suffix: Option<&str>) -> Option<Json> {
        let fields = ["e", "n"].map(|name| Field::new(name, DataType::Utf8, true));
        let request = Request {
            columns: plan::columns("e").expect("columns"),
            rows: vec![plan::row("r=e,n").expect("a row")],
            suffix: suffix.map(str::to_owned),
            algorithm: if form == Form::Hex { Algorithm::SipHashX24 } else { Algorithm::SipHash24 },
            form,
            ..Request::default()
        };
        let users = ColumnKey::new("users", Key::from_bytes([7; 16]));
        let plan = Plan::new(&request, &users, &Schema::new(fields.to_vec())).expect("a plan");
        let notes = Notes::of([(key.to_owned(), value.to_string())], &plan, &request);
        assert_eq!(notes.dropped().is_empty(), notes.pairs.len() == 1);
        notes.pairs.first().map(|(_, value)| serde_json::from_str(value).expect("JSON"))
    }

    fn names(list: &Json) -> Vec<&str> {
        list.as_array().expect("a list").iter().filter_map(|entry| entry["name"].as_str()).collect()
    }

    #[test]
    fn of_spark() {
        let key = "org.apache.spark.sql.parquet.row.metadata";
        let field = |name: &str, kind: &str| json!({ "name": name, "type": kind, "nullable": true, "metadata": { "comment": name } });
        let schema =
            json!({ "type": "struct", "fields": [field("n", "long"), field("e", "date")], "secret": 1 });
        for (form, kind) in [
            (Form::Hex, "string"),
            (Form::Binary, "binary"),
            (Form::Int64, "long"),
            (Form::UInt64, "decimal(20,0)"),
        ] {
            let new = rewritten(key, &schema, form, None).expect("a schema");
            assert_eq!(names(&new["fields"]), ["n", "e", "r"]);
            assert_eq!(new["fields"][0], field("n", "long"));
            for place in [1, 2] {
                assert_eq!(new["fields"][place]["type"], kind);
                assert_eq!(new["fields"][place]["metadata"], json!({}));
            }
            assert_eq!(new.get("secret"), None);
            let new = rewritten(key, &schema, form, Some("_t")).expect("a schema");
            assert_eq!(names(&new["fields"]), ["n", "e", "e_t", "r"]);
            assert_eq!(new["fields"][1], field("e", "date"));
        }
        for wrong in
            [json!("no schema"), json!({ "type": "array", "fields": [] }), json!({ "type": "struct" })]
        {
            assert_eq!(rewritten(key, &wrong, Form::Hex, None), None);
        }
    }

    #[test]
    fn of_pandas() {
        let column = |name: Json, field: &str| {
            let words = json!({ "num_categories": 2, "words": ["anna@x.example"] });
            json!({ "name": name, "field_name": field, "pandas_type": "categorical", "numpy_type": "int8", "metadata": words })
        };
        let notes = json!({
            "index_columns": ["e"],
            "columns": [column(json!("n"), "n"), column(json!(null), "e")],
            "pandas_version": "3.1.0",
            "attributes": { "note": "anna@x.example" },
        });
        let new = rewritten("pandas", &notes, Form::Hex, None).expect("notes");
        assert_eq!((&new["index_columns"], new.get("attributes")), (&json!(["e"]), None));
        assert_eq!(new["columns"][0], column(json!("n"), "n"));
        let tags = |name: Json, field: &str| json!({ "name": name, "field_name": field, "pandas_type": "unicode", "numpy_type": "object", "metadata": null });
        assert_eq!(new["columns"][1], tags(json!(null), "e"));
        assert_eq!(new["columns"][2], tags(json!("r"), "r"));
        assert_eq!(rewritten("pandas", &json!({ "columns": 1 }), Form::Hex, None), None);
    }

    #[test]
    fn of_geoparquet() {
        let both = json!({
            "version": "1.1.0",
            "primary_column": "e",
            "columns": {
                "e": { "encoding": "WKB", "bbox": [1, 2, 3, 4] },
                "n": { "encoding": "WKB", "covering": { "bbox": { "xmin": ["e", "xmin"] } } },
            },
        });
        let new = rewritten("geo", &both, Form::Hex, None).expect("notes");
        assert_eq!(
            new,
            json!({ "version": "1.1.0", "primary_column": "n", "columns": { "n": { "encoding": "WKB" } } })
        );
        assert_eq!(rewritten("geo", &both, Form::Hex, Some("_t")), Some(both));
        let one =
            json!({ "version": "1.1.0", "primary_column": "e", "columns": { "e": { "encoding": "WKB" } } });
        assert_eq!(rewritten("geo", &one, Form::Hex, None), None);
    }

    #[test]
    fn of_avro() {
        let words = json!({ "type": "enum", "name": "Words", "symbols": ["anna", "zoe"] });
        let field = |name: &str, kind: &Json| json!({ "name": name, "type": kind, "default": "anna" });
        let record = |other: &Json| {
            let fields = [field("e", &json!(["null", words])), field("n", other)];
            json!({ "type": "record", "name": "R", "doc": "anna", "fields": fields })
        };
        let long = json!("long");
        let new = rewritten("avro.schema", &record(&long), Form::Hex, None).expect("a schema");
        assert_eq!(names(&new["fields"]), ["e", "n", "r"]);
        assert_eq!(new["fields"][0], json!({ "name": "e", "type": ["null", "string"], "default": null }));
        assert_eq!(new.get("doc"), None);
        let new = rewritten("parquet.avro.schema", &record(&long), Form::Binary, None).expect("a schema");
        let kinds = [&new["fields"][0]["type"][1], &new["fields"][2]["type"][1]];
        assert!(kinds.iter().all(|kind| kind["size"] == 8) && kinds[0]["name"] != kinds[1]["name"]);
        // The type of `n` is defined by `e`.
        assert_eq!(rewritten("avro.schema", &record(&json!("Words")), Form::Hex, None), None);
    }

    #[test]
    fn other_keys() {
        let note = json!("a note");
        for key in ["mine", "keylane.e", "keylane.r", "huggingface"] {
            assert_eq!(rewritten(key, &note, Form::Hex, None), None, "{key}");
        }
        for key in ["keylane.n", "org.apache.spark.version"] {
            assert_eq!(rewritten(key, &note, Form::Hex, None), Some(note.clone()), "{key}");
        }
    }
}
