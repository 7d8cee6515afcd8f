//! Files that belong to other people.

use std::fs;
use std::path::{Path, PathBuf};

use hooks_hosts::Host;

/// The file of a host that several programs share.
pub(crate) fn shared(host: &Host, folder: &Path) -> Option<PathBuf> {
    let name = host.place.project;
    (!name.contains('$')).then(|| folder.join(name))
}

pub(crate) fn put(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Files of others, with their entries at the same events, comments, and every layout.
pub(crate) fn others(host: &Host) -> Vec<String> {
    let first = host.events().find(|event| event.kind.is_gate()).unwrap().name;
    let root = host.place.root.unwrap_or("theirs");
    let texts = vec![
        format!(
            "{{\n    // theirs\n    \"model\": \"x\", /* kept */\n    \"{root}\": {{\n        \"{first}\": [\n            \
             {{\"matcher\": \"Bash\", \"hooks\": [{{\"type\": \"command\", \"command\": \"./guard.sh host {0} --event {first}\"}}]}}, // why\n        ]\n    }},\n    \"z\": [1, 2]\n}}",
            host.name
        ),
        format!("{{\"{root}\":{{\"{first}\":[{{\"command\":\"./a.sh\"}}]}},\"b\":\"\\u00e4 \\\" {{\"}}"),
        format!("{{\r\n\t\"{root}\": {{}},\r\n\t\"x\": null\r\n}}\r\n"),
        format!("{{\"{root}\": {{\"{first}\": []}}}}\n"),
        "{}".to_owned(),
        "{ }\n".to_owned(),
        "{\n  \"only\": true,\n}\n".to_owned(),
        "{\n}\n".to_owned(),
    ];
    // Without its head, a file is none for the host.
    let head = if host.place.strict { format!("{{{}, ", host.place.head) } else { "{".to_owned() };
    let texts = texts.into_iter().map(|text| text.replacen('{', &head, 1));
    let is_read = |text: &String| host.place.comments || serde_json::from_str::<serde_json::Value>(text).is_ok();
    texts.filter(is_read).collect()
}
