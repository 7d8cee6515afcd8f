//! The examples of the page are lists that a registry takes.

use hook_sdk::prelude::*;
use hooks_prebuilt::*;
use serde_json::{Value, json};

#[test]
fn every_list_of_the_page_can_be_built() {
    let page = include_str!("../../docs/ready-made.md");
    let registry = Registry::empty().with(hooks![ask_for, budget, cap_results, confine_paths, confine_urls]).unwrap();
    let registry = registry.with(hooks![deny_secrets, limit_calls, mask_pii, mask_secrets, retry_tools]).unwrap();
    let registry = registry.with(hooks![strip_images, strip_invisible]).unwrap();
    #[cfg(feature = "shell")]
    let registry = registry.with(hooks![confine_commands]).unwrap();
    #[cfg(feature = "schema")]
    let registry = registry.with(hooks![check_input]).unwrap();
    #[cfg(feature = "sql")]
    let registry = registry.with(hooks![read_only_sql]).unwrap();
    let mut built = 0;
    for block in page.split("```json\n").skip(1) {
        let hooks: Value = serde_json::from_str(block.split("```").next().unwrap()).unwrap();
        let hooks = if hooks.is_array() { hooks } else { json!([hooks]) };
        let text = hooks.to_string();
        let is_missing = |id: &str, has: bool| text.contains(id) && !has;
        let features = [
            ("read_only_sql", cfg!(feature = "sql")),
            ("confine_commands", cfg!(feature = "shell")),
            ("check_input", cfg!(feature = "schema")),
        ];
        if features.into_iter().any(|(id, has)| is_missing(id, has)) {
            continue;
        }
        let agent = json!({ "name": "a", "hooks": hooks }).to_string();
        registry.scope(&AgentDef::from_json("a.json", &agent).unwrap(), None).unwrap();
        built += 1;
    }
    assert!(built >= 7, "{built}");
}
