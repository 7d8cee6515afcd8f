//! Exports row by row.

use hook_sdk::data::{Message, Role};
use hooks_agent::store::{Append, Fold, MessageStore, StoreError};
use hooks_store::{ExportedRow, ExportedRows};
use sqlx::Executor;

use crate::databases;

/// Longer than what is read ahead.
const ROWS: usize = 1_000;

fn messages(count: usize) -> Append {
    Append::new((0..count).map(|number| Message::new(Role::User, format!("row {number}"))))
}

async fn rest(mut rows: ExportedRows) -> Vec<Result<ExportedRow, StoreError>> {
    let mut read = Vec::new();
    while let Some(row) = rows.next().await {
        read.push(row);
    }
    read
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_a_snapshot() {
    for database in databases::all().await {
        let store = &database.store;
        store.append("c", messages(ROWS)).await.unwrap();
        let mut rows = store.rows("c");
        let first = rows.next().await.unwrap().unwrap();
        assert!(first.is_read && first.message.text() == "row 0", "{first:?}");
        let written = store.append("c", messages(3)).await.unwrap();
        store.fold("c", Fold::new(written.version, [])).await.unwrap();
        let others = rest(rows).await;
        assert_eq!(others.len(), ROWS - 1, "{}", database.name);
        assert!(others.iter().all(|row| row.as_ref().unwrap().is_read), "{}", database.name);

        let now: Vec<_> = rest(store.rows("c")).await.into_iter().map(Result::unwrap).collect();
        let export = store.export("c").await.unwrap();
        let ids: Vec<_> = now.iter().map(|row| &row.id).collect();
        assert_eq!(ids, export.rows.iter().map(|row| &row.id).collect::<Vec<_>>(), "{}", database.name);
        assert!(now.iter().all(|row| !row.is_read), "{}: all rows are folded away", database.name);

        // Exports that are dropped early, in any number, leave the connections free.
        for _ in 0..20 {
            assert!(store.rows("c").next().await.is_some());
        }
        store.delete("c").await.unwrap();
        assert!(store.rows("c").next().await.is_none(), "{}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_row_is_reported_and_hides_no_other_row() {
    for database in databases::all().await {
        let rows = database.store.append("c", messages(3)).await.unwrap().rows;
        let mut connection = databases::connect(&database.url).await;
        let torn = format!("UPDATE hooks_messages SET message = '{{' WHERE id = '{}'", rows[1].id);
        connection.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(torn))).await.unwrap();
        let read = rest(database.store.rows("c")).await;
        assert_eq!(read.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true], "{}", database.name);
        assert!(read[1].as_ref().unwrap_err().to_string().contains(&rows[1].id));
        database.store.close().await.unwrap();
        assert!(database.store.rows("c").next().await.unwrap().is_err(), "{}", database.name);
    }
}
