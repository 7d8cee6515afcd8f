//! The README lists the folders of the repository.

use std::fs;
use std::path::Path;

#[test]
fn the_readme_lists_every_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let listed: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| [`")?.split_once("`]("))
        .map(|(folder, _)| folder)
        .collect();
    // What has no manifest is named here; other folders are what tools leave behind.
    let is_ours = |folder: &Path| {
        folder.join("Cargo.toml").exists()
            || ["adapters", "docs", "examples", "scripts"].iter().any(|name| folder.ends_with(name))
    };
    for entry in fs::read_dir(root).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert!(
            !is_ours(&folder) || listed.contains(&name),
            "README.md, What is in this repository: no row is about `{name}`"
        );
    }
    for folder in listed {
        assert!(root.join(folder).is_dir(), "README.md lists `{folder}`, which is no folder");
    }
}
