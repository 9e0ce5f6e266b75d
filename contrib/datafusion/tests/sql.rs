//! Keys, plans and queries as users write them.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_schema::DataType;
use datafusion::error::Result;
use datafusion::physical_plan::displayable;
use datafusion::prelude::{SessionConfig, SessionContext};
use keylane_datafusion::{ColumnKey, Key, KeyRegistry, functions, register};
use std::sync::Arc;

const KEY: [u8; 16] =
    [0x9e, 0x37, 0x79, 0xb9, 0x7f, 0x4a, 0x7c, 0x15, 0xf3, 0x9c, 0xc0, 0x60, 0x5c, 0xed, 0xc8, 0x34];
const HEX: &str = "9e3779b97f4a7c15f39cc0605cedc834";
const BASE64: &str = "njd5uX9KfBXznMBgXO3INA==";
const USERS: &str = "(VALUES ('a@example.com', 30), (NULL, 40), ('a@example.com', 50)) AS users (email, age)";

fn context() -> (SessionContext, Arc<KeyRegistry>) {
    let keys = Arc::new(KeyRegistry::new());
    keys.bind(ColumnKey::new("users-2026", Key::from_bytes(KEY))).expect("a name");
    let context = SessionContext::new_with_config(SessionConfig::new().with_information_schema(true));
    register(&context, &keys);
    (context, keys)
}

async fn error(context: &SessionContext, query: &str) -> String {
    let found = match context.sql(query).await {
        Ok(frame) => frame.collect().await.map(|_| ()),
        Err(error) => Err(error),
    };
    let error = found.expect_err(query);
    format!("{error}\n{error:?}")
}

/// Text in which no form of the key may stand.
fn without_key(text: &str) {
    let low = text.to_lowercase();
    let numbers = KEY.map(|byte| byte.to_string()).join(", ");
    for form in [HEX, BASE64.trim_end_matches('='), &numbers] {
        assert!(!low.contains(&form.to_lowercase()), "{text}");
    }
}

#[tokio::test]
async fn types_and_nulls() -> Result<()> {
    let (context, _) = context();
    let query = format!(
        "SELECT keylane_hash('users-2026', email), keylane_hash128('users-2026', email),
                keylane_pseudonym('users-2026', email), keylane_hash_rows('users-2026', email, age),
                keylane_hash_rows('users-2026', NULL, email) FROM {USERS}"
    );
    let frame = context.sql(&query).await?;
    let types: Vec<_> = frame
        .schema()
        .fields()
        .iter()
        .map(|field| (field.data_type().clone(), field.is_nullable()))
        .collect();
    let wanted = [
        (DataType::UInt64, true),
        (DataType::FixedSizeBinary(16), true),
        (DataType::Utf8, true),
        (DataType::UInt64, false),
        (DataType::UInt64, false),
    ];
    assert_eq!(types, wanted);
    let batches = frame.collect().await?;
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 3);
    let nulls: Vec<usize> = batches[0].columns().iter().map(|tags| tags.null_count()).collect();
    assert_eq!(nulls, [1, 1, 1, 0, 0]);
    Ok(())
}

#[tokio::test]
async fn a_field_without_nulls_gives_one() -> Result<()> {
    let (context, _) = context();
    let query = "SELECT keylane_hash('users-2026', 1) AS one, keylane_hash('users-2026', NULL) AS null";
    let frame = context.sql(query).await?;
    let nullable: Vec<bool> = frame.schema().fields().iter().map(|field| field.is_nullable()).collect();
    assert_eq!(nullable, [false, true]);
    assert!(frame.collect().await?[0].column(1).is_null(0));
    Ok(())
}

#[tokio::test]
async fn tags_filter_join_and_group() -> Result<()> {
    let (context, _) = context();
    let queries = [
        "SELECT count(*) FROM u WHERE keylane_hash('users-2026', email) <= 18446744073709551615",
        "SELECT count(*) FROM (SELECT keylane_hash128('users-2026', email) AS tag FROM u) a
             JOIN (SELECT keylane_hash128('users-2026', email) AS tag FROM u) b ON a.tag = b.tag",
        "SELECT count(DISTINCT keylane_pseudonym('users-2026/users.email', email)) FROM u",
        "SELECT count(*) FROM (SELECT keylane_hash_rows('users-2026', email, age) AS tag FROM u GROUP BY tag)",
    ];
    for (query, wanted) in queries.iter().zip([2, 4, 1, 3]) {
        let found =
            context.sql(&format!("WITH u AS (SELECT * FROM {USERS}) {query}")).await?.collect().await?;
        let count = found[0].column(0).as_primitive::<arrow_array::types::Int64Type>().value(0);
        assert_eq!(count, wanted, "{query}");
    }
    Ok(())
}

#[tokio::test]
async fn contexts_are_subkeys() -> Result<()> {
    let (context, keys) = context();
    let users = keys.find("users-2026/users.email").expect("the key").key;
    keys.bind(ColumnKey::new("subkey", users.key().clone())).expect("a name");
    let query = "SELECT keylane_hash('users-2026/users.email', 'a') = keylane_hash('subkey', 'a'),
                        keylane_hash('users-2026', 'a') = keylane_hash('subkey', 'a')";
    let found = context.sql(query).await?.collect().await?;
    assert!(found[0].column(0).as_boolean().value(0));
    assert!(!found[0].column(1).as_boolean().value(0));
    for call in ["keylane_hash", "keylane_hash_rows"] {
        let text = error(&context, &format!("SELECT {call}('users-2026/KCE-1 row', 'a')")).await;
        assert!(text.contains("contexts that begin with KCE- are reserved"), "{text}");
    }
    Ok(())
}

#[tokio::test]
async fn names_are_literals_or_parameters() -> Result<()> {
    let (context, _) = context();
    let frame = context.sql(&format!("SELECT keylane_hash($1, email) AS tag FROM {USERS}")).await?;
    let bound = frame.with_param_values(vec![datafusion::common::ScalarValue::from("users-2026")])?;
    assert_eq!(bound.collect().await?[0].column(0).as_primitive::<UInt64Type>().len(), 3);

    let query =
        "SELECT keylane_hash(concat_name, 1) FROM (VALUES ('users-2026'), ('other')) AS t (concat_name)";
    assert!(error(&context, query).await.contains("one constant for all rows"));
    for null in ["NULL", "CAST(NULL AS TEXT)"] {
        let text = error(&context, &format!("SELECT keylane_hash({null}, email) FROM {USERS}")).await;
        assert!(text.contains("the name of a key is null"), "{text}");
    }
    Ok(())
}

#[tokio::test]
async fn a_key_is_refused_and_not_shown() {
    let (context, _) = context();
    let spaced = HEX.as_bytes().chunks(4).map(|four| std::str::from_utf8(four).expect("ASCII"));
    let spaced = spaced.collect::<Vec<_>>().join("-");
    let texts = [HEX.into(), HEX.to_uppercase(), format!("0x{HEX}"), BASE64.into(), spaced];
    for call in ["keylane_hash", "keylane_hash128", "keylane_pseudonym", "keylane_hash_rows"] {
        for key in &texts {
            let text = error(&context, &format!("SELECT {call}('{key}', email) FROM {USERS}")).await;
            without_key(&text);
            assert!(text.contains("may be a key") || text.contains("looks like a key"), "{text}");
            assert!(!text.contains(key.as_str()), "{text}");
        }
        let text = error(&context, &format!("SELECT {call}(X'{HEX}', email) FROM {USERS}")).await;
        without_key(&text);
        assert!(text.contains("a key itself has no place in SQL"), "{text}");
        let text = error(&context, &format!("SELECT {call}(7, email) FROM {USERS}")).await;
        assert!(text.contains("a key itself has no place in SQL"), "{text}");
    }
}

/// Runs itself with the variable that names a folder.
#[tokio::test]
async fn keys_in_the_folder() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let query = "SELECT keylane_hash('in-a-file', 'a'), keylane_hash('users-2026', 'a')";
    if std::env::var_os("KEYLANE_KEY_DIR").is_some() {
        let (context, _) = context();
        let found = context.sql(query).await?.collect().await?;
        assert_eq!(found[0].column(0), found[0].column(1));
        let text = error(&context, "SELECT keylane_hash('not-in-a-file', 1)").await;
        assert!(
            text.contains("not-in-a-file") && text.contains("$KEYLANE_KEY_DIR has no such file"),
            "{text}"
        );
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("in-a-file"), HEX)?;
    let status = std::process::Command::new(std::env::current_exe()?)
        .args(["--exact", "keys_in_the_folder"])
        .env("KEYLANE_KEY_DIR", folder.path())
        .status()?;
    assert!(status.success());
    Ok(())
}

/// The plan is made, and does not run.
#[tokio::test]
async fn a_missing_key_is_named() -> Result<()> {
    let (context, keys) = context();
    let query = format!("SELECT keylane_pseudonym('orders-2026', email) FROM {USERS}");
    assert!(error(&context, &query).await.contains(r#"no key is loaded under the name "orders-2026""#));
    let frame = context.sql(&query).await?;
    keys.bind(ColumnKey::new("orders-2026", Key::from_bytes([7; 16]))).expect("a name");
    assert_eq!(frame.collect().await?[0].num_rows(), 3);
    Ok(())
}

#[tokio::test]
async fn arguments_are_counted() {
    let (context, _) = context();
    for call in ["keylane_hash('users-2026')", "keylane_hash('users-2026', 1, 2)", "keylane_hash_rows()"] {
        let text = error(&context, &format!("SELECT {call}")).await;
        assert!(text.contains("keylane_hash"), "{text}");
    }
    let text = error(&context, "SELECT keylane_hash_rows('users-2026')").await;
    assert!(text.contains("needs the name of a key and a value"), "{text}");
    let text = error(&context, "SELECT keylane_hash('users-2026', INTERVAL '1 day')").await;
    assert!(text.contains("is not hashed"), "{text}");
}

#[tokio::test]
async fn no_plan_has_a_key() -> Result<()> {
    let (context, keys) = context();
    let query = format!("SELECT keylane_pseudonym('users-2026/users.email', email) FROM {USERS}");
    let frame = context.sql(&query).await?;
    let logical = frame.logical_plan().clone();
    let optimized = frame.clone().into_optimized_plan()?;
    let physical = frame.create_physical_plan().await?;
    let mut text = format!("{logical:?} {} {optimized:#?} {physical:?}", logical.display_indent_schema());
    text += &displayable(&*physical).indent(true).to_string();
    for explain in ["EXPLAIN VERBOSE", "EXPLAIN ANALYZE VERBOSE", "EXPLAIN FORMAT TREE"] {
        let found = context.sql(&format!("{explain} {query}")).await?.collect().await?;
        text += &format!("{found:?}");
    }
    text += &format!("{:?} {keys:?} {:?}", functions(&keys), context.state());
    assert!(text.contains("users-2026/users.email"));
    without_key(&text);
    // Nor the check value of the subkey.
    let email = keys.find("users-2026/users.email").expect("the key").key;
    assert!(!text.contains(&email.check()));
    Ok(())
}

#[tokio::test]
async fn functions_are_described() {
    let (context, _) = context();
    for function in functions(&Arc::new(KeyRegistry::new())) {
        let about = function.documentation().expect("a description");
        assert!(about.syntax_example.starts_with(function.name()));
        assert_eq!(about.arguments.as_ref().map(Vec::len), Some(2));
        // The description's own example runs.
        let query =
            about.sql_example.as_ref().expect("an example").replace("users.email', email", "e', email");
        let query = query.replace("FROM users", &format!("FROM {USERS}"));
        context.sql(&query).await.expect("a plan").collect().await.expect("tags");
    }
}

/// Two registries in one process: a function finds the keys of its own.
#[tokio::test]
async fn registries_are_apart() -> Result<()> {
    let (one, _) = context();
    let (other, keys) = (SessionContext::new(), Arc::new(KeyRegistry::new()));
    keys.bind(ColumnKey::new("users-2026", Key::from_bytes([7; 16]))).expect("a name");
    register(&other, &keys);
    let mut tags = Vec::new();
    for context in [&one, &other] {
        let found = context.sql("SELECT keylane_hash('users-2026', 1)").await?.collect().await?;
        tags.push(found[0].column(0).as_primitive::<UInt64Type>().value(0));
    }
    assert_ne!(tags[0], tags[1]);
    let equal = functions(&keys)[0] == functions(&keys)[0];
    assert!(equal && functions(&keys)[0] != functions(&Arc::default())[0]);
    assert!(functions(&keys)[0] != functions(&keys)[3]);
    Ok(())
}

/// Two batches in each of several partitions give the tags of one.
#[tokio::test]
async fn partitions() -> Result<()> {
    let (context, _) = context();
    let query = "SELECT count(*) FROM (SELECT value, keylane_hash('users-2026', value) AS tag FROM n) a
                 JOIN (SELECT value, keylane_hash('users-2026', value) AS tag FROM n) b ON a.tag = b.tag
                 WHERE a.value = b.value";
    let schema =
        Arc::new(arrow_schema::Schema::new(vec![arrow_schema::Field::new("value", DataType::Int64, false)]));
    let batch = |start: i64| {
        let values = Arc::new(arrow_array::Int64Array::from_iter_values(start..start + 5000));
        arrow_array::RecordBatch::try_new(Arc::clone(&schema), vec![values as _]).expect("a batch")
    };
    let partitions = vec![vec![batch(0), batch(5000)], vec![batch(10_000)], vec![batch(15_000)]];
    let table = datafusion::datasource::MemTable::try_new(Arc::clone(&schema), partitions)?;
    context.register_table("n", Arc::new(table))?;
    let found = context.sql(query).await?.collect().await?;
    assert_eq!(found[0].column(0).as_primitive::<arrow_array::types::Int64Type>().value(0), 20_000);
    Ok(())
}
