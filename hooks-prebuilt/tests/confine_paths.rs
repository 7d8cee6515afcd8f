#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use hooks_prebuilt::ConfinePaths;
use serde_json::json;

fn paths(roots: &[&str]) -> ConfinePaths {
    serde_json::from_value(json!({ "fields": { "*": ["path"] }, "roots": roots })).unwrap()
}

#[test]
fn a_path_stays_below_its_root_whatever_links_say() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path();
    for name in ["root/sub/deep", "outside/sub", "root/.env.d", "rooted"] {
        fs::create_dir_all(base.join(name)).unwrap();
    }
    for name in ["root/file", "root/.env", "root/key.PEM", "outside/secret", "root/sub/.env.local"] {
        fs::write(base.join(name), "x").unwrap();
    }
    let link = |target: &Path, name: &str| symlink(target, base.join(name)).unwrap();
    link(&base.join("outside"), "root/out");
    link(&base.join("outside/secret"), "root/to_secret");
    link(&base.join("outside/not_yet"), "root/dangling_out");
    link(&base.join("root/not_yet"), "root/dangling_in");
    link(Path::new("../outside"), "root/relative_out");
    link(Path::new("sub"), "root/in");
    link(Path::new("loop"), "root/loop");
    link(&base.join("root"), "linked_root");
    link(Path::new(".env"), "root/plain_name");
    link(Path::new("file"), "root/.env.link");
    link(Path::new("/"), "root/top");
    link(Path::new("dangling_out"), "root/chain");
    let table = [
        ("file", true),
        ("./sub/../file", true),
        ("new", true),
        ("sub/[id].tsx", true),
        ("sub/**/*.rs", true),
        ("**/*", false),
        (".e*", false),
        (".[e]nv", false),
        ("sub/.?nv", false),
        ("{.env,x}", false),
        ("new/deep/er", true),
        ("in/new", true),
        ("in/../file", true),
        ("dangling_in", true),
        (".", true),
        ("..", false),
        ("../outside/secret", false),
        ("../rooted", false),
        ("out/secret", false),
        ("out/new", false),
        ("to_secret", false),
        ("dangling_out", false),
        ("dangling_out/x", false),
        ("chain", false),
        ("relative_out/secret", false),
        ("loop", false),
        ("top/etc/passwd", false),
        ("new/../../outside/secret", false),
        ("new/../file", false),
        ("file/../../outside", false),
        (".env", false),
        (".ENV", false),
        (".env.", false),
        ("sub/.env.local", false),
        ("key.PEM", false),
        ("plain_name", false),
        (".env.link", false),
        (".ssh/config", false),
        (".\u{17f}sh/config", false),
        ("keys/app.P12", false),
        ("~/x", false),
        ("$HOME/x", false),
        ("file://x", false),
        ("a\\..\\b", false),
        ("a\0b", false),
        ("", false),
        ("/etc/passwd", false),
    ];
    for root in ["root", "linked_root"] {
        let workspace = base.join(root);
        let (absolute, relative) = (paths(&[workspace.to_str().unwrap()]), paths(&["."]));
        for (path, expected) in table {
            let input = json!({ "path": path });
            for paths in [&absolute, &relative] {
                assert_eq!(paths.judge("read", &input, Some(&workspace)).is_ok(), expected, "{path} in {root}");
            }
            if !path.starts_with('/') && !path.is_empty() {
                let written = json!({ "path": workspace.join(path).to_str() });
                let by_folder = expected || ["~/x", "$HOME/x"].contains(&path);
                assert_eq!(absolute.judge("read", &written, None).is_ok(), by_folder, "{written}");
            }
        }
    }
    assert!(paths(&["."]).judge("read", &json!({ "path": "file" }), None).is_err(), "relative to nothing");
    assert!(paths(&["."]).judge("read", &json!({ "path": [["file"]] }), Some(base)).is_err());
    assert!(paths(&["."]).judge("read", &json!({}), Some(base)).is_err());
    assert!(paths(&["."]).judge("read", &json!({ "path": ["rooted", "root/file"] }), Some(base)).is_ok());
}

/// `/proc/self` leads this process to another place than the tool.
#[cfg(target_os = "linux")]
#[test]
fn what_leads_each_process_elsewhere_is_denied() {
    let here = std::env::current_dir().unwrap();
    let root = here.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    symlink("/proc/self/cwd", folder.path().join("there")).unwrap();
    let linked = folder.path().join("there/file");
    let through =
        [format!("/proc/self/root{root}/file"), "/proc/self/cwd/file".to_owned(), "/proc/thread-self/cwd/x".to_owned()];
    for path in through.iter().map(String::as_str).chain([linked.to_str().unwrap(), "/dev/fd/0", "/dev/stdin"]) {
        let denied = paths(&[root, "/proc", "/dev"]).judge("x", &json!({ "path": path }), Some(&here)).unwrap_err();
        assert!(denied.contains("`/proc`"), "{path}: {denied}");
    }
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "roots": [], "field": { "x": ["y"] }, "deny": ["a/b"] });
    let error = serde_json::from_value::<ConfinePaths>(wrong).unwrap_err().to_string();
    for part in ["`fields` is missing", "`roots` is empty", "`a/b` is not the name", "did you mean `fields`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
