//! The contract that `hooks_agent` defines for message stores.

use hooks_agent::testing::hold_store;

use crate::databases;

#[tokio::test(flavor = "multi_thread")]
async fn a_store_keeps_the_contract() {
    for database in databases::all().await {
        if let Err(breaches) = hold_store(&database.store).await {
            panic!("{}:\n{breaches}", database.name);
        }
    }
}
