//! What is hashed: the request of the user, and what it means for a table.

use crate::error::Error;
use crate::types::Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use keylane_columns::{Algorithm, ColumnHasher, ColumnKey, Form, Mode, Nulls};
use serde_json::Value as Json;
use std::collections::HashSet;
#[cfg(any(feature = "parquet", feature = "ipc"))]
use {
    crate::notes::Notes,
    arrow_array::new_empty_array,
    arrow_schema::{Field, FieldRef, SchemaRef},
    keylane_columns::METADATA_KEY,
    std::sync::Arc,
};

/// A column by its name, and its type if the user says one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name; without a header, the position counted from 1.
    pub name: String,
    /// The type.
    pub data_type: Option<Type>,
}

/// Several columns that get one tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowOf {
    /// The name of the new column.
    pub name: String,
    /// The columns, in their order.
    pub columns: Vec<Named>,
}

/// Which key hashes a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Context {
    /// A subkey for each column, whose context is the column's name.
    #[default]
    PerColumn,
    /// One subkey for all columns, with this context.
    One(String),
    /// The key itself.
    None,
}

/// What the user asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The columns that are hashed one by one.
    pub columns: Vec<Named>,
    /// The columns that are hashed together.
    pub rows: Vec<RowOf>,
    /// More types of columns.
    pub types: Vec<Named>,
    /// The end of the names of new columns; without it, tags stand in the place of the values.
    pub suffix: Option<String>,
    /// The function.
    pub algorithm: Algorithm,
    /// How tags are written.
    pub form: Form,
    /// What becomes of nulls.
    pub nulls: Nulls,
    /// Which key hashes a column.
    pub context: Context,
    /// Whether an empty field of a CSV file is the empty text, and no null.
    pub empty_is_text: bool,
    /// Whether the first record of a CSV file has the names.
    pub header: bool,
    /// The keys of metadata that stay although nothing is known of them.
    pub keep_metadata: Vec<String>,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            columns: Vec::new(),
            rows: Vec::new(),
            types: Vec::new(),
            suffix: None,
            algorithm: Algorithm::default(),
            form: Form::Hex,
            nulls: Nulls::default(),
            context: Context::default(),
            empty_is_text: false,
            header: true,
            keep_metadata: Vec::new(),
        }
    }
}

/// Reads a list of columns: names with or without a type, such as `email,id:int64`. A name in quotes may have commas and
/// colons, or be empty; a quote in it is written twice.
pub fn columns(list: &str) -> Result<Vec<Named>, Error> {
    let mut found = Vec::new();
    let mut rest = list;
    loop {
        let (item, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (name, after) =
                    unquoted(quoted).ok_or_else(|| Error::request("a quote is not closed"))?;
                let (kind, after) = split(after);
                (Named { name, data_type: suffix(kind)? }, after)
            }
            None => {
                let (item, after) = split(rest);
                let typed = item.rsplit_once(':');
                let typed = typed.and_then(|(name, kind)| Some((name, kind.parse().ok()?)));
                let (name, data_type) = typed.map_or((item, None), |(name, kind)| (name, Some(kind)));
                if name.is_empty() {
                    return Err(Error::request(
                        "the name of a column is empty: an empty one is written as \"\"",
                    ));
                }
                (Named { name: name.into(), data_type }, after)
            }
        };
        found.push(item);
        match after {
            Some(after) => rest = after,
            None => return Ok(found),
        }
    }
}

/// Reads `NAME=a,b,c`: columns that get one tag.
pub fn row(text: &str) -> Result<RowOf, Error> {
    match text.split_once('=') {
        Some((name, list)) if !name.is_empty() && !list.is_empty() => {
            Ok(RowOf { name: name.into(), columns: columns(list)? })
        }
        _ => Err(Error::request("a row is written as NAME=COLUMN,COLUMN")),
    }
}

/// The text up to a comma, and what follows the comma.
fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once(',').map_or((text, None), |(item, after)| (item, Some(after)))
}

/// The name in quotes, and what follows the closing quote.
fn unquoted(mut rest: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        name += part;
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, after)),
        }
    }
}

fn suffix(text: &str) -> Result<Option<Type>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let known = text.strip_prefix(':').and_then(|kind| kind.parse().ok());
    known.map(Some).ok_or_else(|| Error::request("after a name in quotes, a type or a comma is expected"))
}

/// What an output column is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// One column, by its position.
    Plain(usize),
    /// Several columns, by their positions.
    Row(Vec<usize>),
}

/// One column of tags.
#[derive(Debug)]
pub struct Output {
    /// The name of the column of tags.
    pub name: String,
    /// What it is made of.
    pub source: Source,
    /// The place of the column that it replaces; `None` for a new one at the end.
    pub replaces: Option<usize>,
    /// The names of the columns it is made of.
    pub of: Vec<String>,
    /// In a box: a move of a key leaves a copy behind.
    hasher: Box<ColumnHasher>,
}

impl Output {
    /// Whether one column or several are hashed.
    pub fn mode(&self) -> Mode {
        match self.source {
            Source::Plain(_) => Mode::Plain,
            Source::Row(_) => Mode::Row,
        }
    }

    /// The line of KCE-1's metadata.
    pub fn metadata(&self) -> String {
        self.hasher.metadata(self.mode())
    }

    /// The tags of one column.
    pub(crate) fn hash_array(&self, array: &ArrayRef, first: u64) -> Result<ArrayRef, Error> {
        let name = self.of.first().map_or("", String::as_str);
        self.hasher.hash_array(name, array).map_err(|error| Error::of_batch(error, first))
    }

    /// The tags of rows, whose columns have these names in the batch.
    pub(crate) fn hash_rows(&self, batch: &RecordBatch, first: u64) -> Result<ArrayRef, Error> {
        let names: Vec<&str> = self.of.iter().map(String::as_str).collect();
        self.hasher.hash_rows(batch, &names).map_err(|error| Error::of_batch(error, first))
    }
}

/// What is hashed of one table.
#[derive(Debug)]
pub struct Plan {
    /// The columns of tags, first those that are hashed one by one.
    pub outputs: Vec<Output>,
    /// The types of the table's columns that are hashed, in pairs with their positions.
    types: Vec<(usize, Type)>,
}

/// A table's columns: their names, and their types if the table has types.
pub(crate) trait Columns {
    fn count(&self) -> usize;
    fn is_named(&self, index: usize, name: &str) -> bool;
    fn data_type(&self, index: usize) -> Option<&DataType>;
}

/// Columns of which only the names are known.
#[cfg(feature = "parquet")]
pub(crate) struct Names(pub Vec<String>);

#[cfg(feature = "parquet")]
impl Columns for Names {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn is_named(&self, index: usize, name: &str) -> bool {
        self.0.get(index).is_some_and(|found| found == name)
    }

    fn data_type(&self, _: usize) -> Option<&DataType> {
        None
    }
}

impl Columns for Schema {
    fn count(&self) -> usize {
        self.fields().len()
    }

    fn is_named(&self, index: usize, name: &str) -> bool {
        self.fields().get(index).is_some_and(|field| field.name() == name)
    }

    fn data_type(&self, index: usize) -> Option<&DataType> {
        self.fields().get(index).map(|field| field.data_type())
    }
}

impl Plan {
    /// What a request means for a table.
    pub(crate) fn new(request: &Request, key: &ColumnKey, table: &dyn Columns) -> Result<Plan, Error> {
        if request.columns.is_empty() && request.rows.is_empty() {
            return Err(Error::request("no column is named"));
        }
        if request.form.data_type(request.algorithm).is_none() {
            return Err(Error::request(format!(
                "{} has tags of 128 bits, which do not fit {}: choose an algorithm of 64 bits, such as siphash-2-4-64",
                request.algorithm, request.form
            )));
        }
        let mut plan = Plan {
            outputs: Vec::with_capacity(request.columns.len() + request.rows.len()),
            types: Vec::new(),
        };
        for named in &request.types {
            let kind = named.data_type.ok_or_else(|| {
                Error::request(format!("column {}: no type is given, or none that keylane knows", named.name))
            })?;
            plan.set_type(table, find(table, &named.name)?, &named.name, Some(kind))?;
        }
        for named in &request.columns {
            let index = find(table, &named.name)?;
            plan.set_type(table, index, &named.name, named.data_type)?;
            let name = request.suffix.as_ref().map(|suffix| format!("{}{suffix}", named.name));
            plan.outputs.push(Output {
                replaces: name.is_none().then_some(index),
                name: name.unwrap_or_else(|| named.name.clone()),
                source: Source::Plain(index),
                of: vec![named.name.clone()],
                hasher: hasher(request, key, &named.name)?,
            });
        }
        for row in &request.rows {
            let mut places = Vec::with_capacity(row.columns.len());
            for named in &row.columns {
                let index = find(table, &named.name)?;
                plan.set_type(table, index, &named.name, named.data_type)?;
                if places.contains(&index) {
                    return Err(Error::request(format!(
                        "row {}: column {} is named twice",
                        row.name, named.name
                    )));
                }
                places.push(index);
            }
            plan.outputs.push(Output {
                name: row.name.clone(),
                source: Source::Row(places),
                replaces: None,
                of: row.columns.iter().map(|named| named.name.clone()).collect(),
                hasher: hasher(request, key, &row.name)?,
            });
        }
        plan.check_places(table)?;
        Ok(plan)
    }

    /// Nothing is hashed.
    pub(crate) fn nothing() -> Plan {
        Plan { outputs: Vec::new(), types: Vec::new() }
    }

    /// Whether no column is replaced twice, and no new column has the name of another.
    fn check_places(&self, table: &dyn Columns) -> Result<(), Error> {
        let (mut places, mut names) = (HashSet::new(), HashSet::new());
        for output in &self.outputs {
            match output.replaces {
                Some(index) if !places.insert(index) => {
                    return Err(Error::request(format!("column {} is named twice", output.name)));
                }
                None if !names.insert(&output.name)
                    || (0..table.count()).any(|index| table.is_named(index, &output.name)) =>
                {
                    return Err(Error::table(format!("there is a column {} already", output.name)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes the type that the user gives a column. A table that has types must have this one.
    fn set_type(
        &mut self,
        table: &dyn Columns,
        index: usize,
        name: &str,
        kind: Option<Type>,
    ) -> Result<(), Error> {
        let Some(kind) = kind else { return Ok(()) };
        if let Some(found) = table.data_type(index)
            && !kind.names(found)
        {
            return Err(Error::table(format!("column {name} has the type {found}, not {kind}")));
        }
        match self.types.iter().find(|(known, _)| *known == index) {
            Some((_, known)) if *known != kind => {
                Err(Error::request(format!("column {name} has two types: {known} and {kind}")))
            }
            Some(_) => Ok(()),
            None => {
                self.types.push((index, kind));
                Ok(())
            }
        }
    }

    /// The type of a column of text.
    pub(crate) fn type_of(&self, index: usize) -> Type {
        self.types.iter().find(|(known, _)| *known == index).map_or(Type::Text, |&(_, kind)| kind)
    }

    /// The columns that are read, in the table's order.
    pub(crate) fn sources(&self) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        for output in &self.outputs {
            match &output.source {
                Source::Plain(index) => all.push(*index),
                Source::Row(places) => all.extend(places),
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The tags of a batch that has the table's columns, or only those that are read.
    pub(crate) fn hash(&self, batch: &RecordBatch, first: u64) -> Result<Vec<ArrayRef>, Error> {
        let schema = batch.schema_ref();
        let one = |output: &Output| match &output.source {
            Source::Row(_) => output.hash_rows(batch, first),
            Source::Plain(_) => {
                let name = output.of.first().map_or("", String::as_str);
                let found = schema.fields().iter().position(|field| field.name() == name);
                let array = found.and_then(|index| batch.columns().get(index));
                output.hash_array(
                    array.ok_or_else(|| Error::table(format!("there is no column {name}")))?,
                    first,
                )
            }
        };
        self.outputs.iter().map(one).collect()
    }

    /// Refuses types that are not hashed, even if the table has no rows. Refuses to replace tags: the new metadata would hide
    /// how they were made.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub(crate) fn check_types(&self, schema: &SchemaRef) -> Result<(), Error> {
        let mut replaced = self.outputs.iter().filter_map(|output| schema.fields().get(output.replaces?));
        if let Some(field) = replaced.find(|field| field.metadata().contains_key(METADATA_KEY)) {
            return Err(Error::has_tags(field.name()));
        }
        let sources = self.sources();
        let fields: Vec<FieldRef> =
            sources.iter().filter_map(|&index| schema.fields().get(index)).cloned().collect();
        let arrays = fields.iter().map(|field| new_empty_array(field.data_type())).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        let batch = batch.map_err(|_| Error::table("the columns contradict each other"))?;
        self.hash(&batch, 0).map(drop)
    }

    /// The fields of the columns of tags, and what becomes of the metadata of those that they replace.
    #[cfg(any(feature = "parquet", feature = "ipc"))]
    pub(crate) fn fields(
        &self,
        request: &Request,
        schema: &Schema,
        notes: &mut Notes,
    ) -> Result<Vec<Field>, Error> {
        self.outputs.iter().map(|output| field(output, request, schema, notes)).collect()
    }

    /// What would be hashed, in lines for a person.
    pub(crate) fn explain(&self, request: &Request, table: &dyn Columns) -> String {
        let mut lines = String::new();
        for output in &self.outputs {
            let columns: Vec<String> = match &output.source {
                Source::Plain(index) => vec![*index],
                Source::Row(places) => places.clone(),
            }
            .iter()
            .zip(&output.of)
            .map(|(&index, name)| match table.data_type(index) {
                Some(found) => format!("{name}: {found}"),
                None => format!("{name}: {}", self.type_of(index)),
            })
            .collect();
            let place = if output.replaces.is_some() { "in place" } else { "new column" };
            let columns = columns.join(", ");
            lines += &match output.mode() {
                Mode::Plain => format!("{columns} -> {} ({place}, {})\n", output.name, request.form),
                Mode::Row => format!("row of ({columns}) -> {} ({place}, {})\n", output.name, request.form),
            };
            lines += &format!("  {}\n", output.metadata());
        }
        lines
    }

    /// The manifest of a file that has no metadata of its own: the line of each column of tags, as JSON.
    pub(crate) fn manifest(&self) -> String {
        let entries: Vec<String> = self
            .outputs
            .iter()
            .map(|output| {
                format!("    {}: {}", Json::from(output.name.as_str()), Json::from(output.metadata()))
            })
            .collect();
        format!("{{\n  \"keylane\": {{\n{}\n  }}\n}}\n", entries.join(",\n"))
    }
}

/// The field of a column of tags.
#[cfg(any(feature = "parquet", feature = "ipc"))]
fn field(output: &Output, request: &Request, schema: &Schema, notes: &mut Notes) -> Result<Field, Error> {
    let data_type = request.form.data_type(request.algorithm);
    let data_type = data_type.ok_or_else(|| Error::request("the tags do not fit"))?;
    let source = match output.source {
        Source::Plain(index) => schema.fields().get(index),
        Source::Row(_) => None,
    };
    let nullable = source.is_some_and(|field| {
        // Nulls may stand in the values of dictionaries and runs.
        field.is_nullable()
            || matches!(
                field.data_type(),
                DataType::Null | DataType::Dictionary(..) | DataType::RunEndEncoded(..)
            )
    });
    let replaced = source.filter(|_| output.replaces.is_some());
    let metadata = replaced.map(|field| notes.of_field(&output.name, field.metadata(), request));
    let mut metadata = metadata.unwrap_or_default();
    metadata.insert(METADATA_KEY.to_string(), output.metadata());
    Ok(Field::new(&output.name, data_type, nullable).with_metadata(metadata))
}

/// The only column of this name.
fn find(table: &dyn Columns, name: &str) -> Result<usize, Error> {
    let mut found = (0..table.count()).filter(|&index| table.is_named(index, name));
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(index),
        (None, _) => Err(Error::table(absent(name))),
        (Some(_), Some(_)) => Err(Error::table(format!("there are several columns {name}"))),
    }
}

/// The message for an absent column. `columns` takes `a:b` for a name if `b` is no type: the message then lists the types.
fn absent(name: &str) -> String {
    match name.rsplit_once(':') {
        Some((_, kind)) if kind.parse::<Type>().is_err() => {
            format!("there is no column {name}; {kind} is none of the types {}", Type::names_of_all())
        }
        _ => format!("there is no column {name}"),
    }
}

fn hasher(request: &Request, key: &ColumnKey, name: &str) -> Result<Box<ColumnHasher>, Error> {
    let context = match &request.context {
        Context::PerColumn => Some(name),
        Context::One(context) => Some(context.as_str()),
        Context::None => None,
    };
    if context == Some("") && request.context == Context::PerColumn {
        return Err(Error::request("a column without a name needs a context: choose one by --context"));
    }
    let subkey = match context {
        Some(context) => &key.derive(context).map_err(|error| {
            Error::request(format!("column {name}: {error}; choose another context by --context"))
        })?,
        None => key,
    };
    let hasher = ColumnHasher::new(subkey, request.algorithm).with_nulls(request.nulls);
    let hasher = hasher.with_form(request.form).map(Box::new);
    hasher.map_err(|error| Error::request(format!("column {name}: {error}")))
}
