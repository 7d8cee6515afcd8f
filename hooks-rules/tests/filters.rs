//! `if`: the calls that a permission rule selects.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::path::Path;

use hooks_rules::{Aliases, Filter, Folders};
use proptest::prelude::*;
use serde_json::json;

fn selects(rule: &str, tool: &str, input: &serde_json::Value) -> bool {
    selects_in(Path::new("/home/me/repo"), rule, tool, input)
}

/// In a folder of the project `/home/me/repo`, for a rule of the user's settings.
fn selects_in(current: &Path, rule: &str, tool: &str, input: &serde_json::Value) -> bool {
    let roots = [Path::new("/home/me/repo"), Path::new("/home/me/.claude"), Path::new("/home/me")];
    let folders = Folders { current, roots: &roots };
    Filter::read(rule).unwrap().selects(&Aliases::default(), tool, input, Some(folders))
}

#[test]
fn every_command_of_a_line_is_matched_against_the_rule() {
    let table = [
        ("Bash", "anything at all", true),
        ("Bash(*)", "anything at all", true),
        ("Bash(git *)", "git status", true),
        ("Bash(git *)", "git", true),
        ("Bash(git *)", "gitk", false),
        ("Bash(rm -rf *)", "rm -fr x", false),
        ("Bash(git:*)", "git log", true),
        ("Bash(git*)", "gitk", true),
        ("Bash(git push *)", "git status", false),
        ("Bash(git push *)", "GIT_DIR=x CI='a b' git push origin", true),
        ("Bash(git push *)", "cargo test && git push origin", true),
        ("Bash(git push *)", "cargo test; git push origin", true),
        ("Bash(git push *)", "true | git push origin", true),
        ("Bash(git push *)", "true & git push origin", true),
        ("Bash(git push *)", "cd x\ngit push origin", true),
        ("Bash(git push *)", "(cd x && git push origin)", true),
        ("Bash(rm *)", "echo $(rm -rf x)", true),
        ("Bash(rm *)", "echo `rm -rf x`", true),
        ("Bash(rm *)", "echo \"$(rm -rf x)\"", true),
        ("Bash(rm *)", "echo 'rm -rf x; rm y'", false),
        ("Bash(rm *)", "echo \"a; rm y\"", false),
        ("Bash(rm *)", "echo a\\; rm y", false),
        // A pattern with arguments matches if the line computes parts of itself.
        ("Bash(git push *)", "$CMD", true),
        ("Bash(git push *)", "echo $(date)", true),
        ("Bash(git push *)", "echo `date`", true),
        ("Bash(rm *)", "echo $HOME", false),
        ("Bash(git push *)", "echo '$HOME'", false),
        ("Bash(git push *)", "echo costs 5$ today", false),
        // A line that cannot be parsed matches.
        ("Bash(git push *)", "echo 'open", true),
        ("Bash(git push *)", "echo \"open", true),
        ("Bash(git push *)", "echo $(open", true),
        ("Bash(npm run test)", "npm run test", true),
        ("Bash(npm run test)", "npm run test:e2e", false),
        ("run_shell_command(git *)", "git log", true),
        ("Read(git *)", "git log", false),
    ];
    for (rule, line, expected) in table {
        assert_eq!(selects(rule, "run_shell_command", &json!({"command": line})), expected, "{rule} against {line}");
    }
}

#[test]
fn paths_of_files_are_matched_against_patterns() {
    let table = [
        ("Edit(*.ts)", "Edit", "/home/me/repo/src/a.ts", true),
        ("Edit(*.ts)", "Write", "/home/me/repo/a.ts", true),
        ("edit(*.ts)", "Write", "/home/me/repo/a.ts", true),
        ("Edit(*.ts)", "Read", "/home/me/repo/a.ts", false),
        ("Edit(*.ts)", "Edit", "/home/me/repo/a.tsx", false),
        ("Edit(src/**)", "Edit", "/home/me/repo/src/a/b.rs", true),
        ("Edit(src/**)", "Edit", "/home/me/repo/lib/src/a.rs", false),
        ("Edit(**/src/**)", "Edit", "/home/me/repo/lib/src/a.rs", true),
        ("Edit(src/*.rs)", "Edit", "/home/me/repo/src/a/b.rs", false),
        ("Edit(src/**)", "Edit", "/elsewhere/src/a.rs", false),
        ("Read(//etc/**)", "read_file", "/etc/passwd", true),
        ("Read(//etc/**)", "read_file", "/home/etc/passwd", false),
        ("Edit(src/**)", "replace", "src/a.rs", true),
        ("Edit(a?.rs)", "Edit", "/x/ab.rs", true),
        ("Read(secrets)", "Read", "/home/me/repo/secrets/key", true),
        ("Read(secrets/)", "Read", "/home/me/repo/lib/secrets/a/key", true),
        ("Read(secrets)", "Read", "/home/me/repo/secrets.txt", false),
        ("Read(config/secrets)", "Read", "/home/me/repo/config/secrets/key", true),
        ("Read(.env[0-9])", "Read", "/home/me/repo/.env1", true),
    ];
    for (rule, tool, file, expected) in table {
        assert_eq!(selects(rule, tool, &json!({"file_path": file})), expected, "{rule} against {tool} {file}");
    }
    assert!(selects(
        "WebFetch(domain:desk.example.com)",
        "WebFetch",
        &json!({"url": "https://me@desk.example.com:443/a?b"})
    ));
    assert!(!selects(
        "WebFetch(domain:desk.example.com)",
        "web_fetch",
        &json!({"url": "https://desk.example.com.evil.example/"})
    ));
    assert!(selects("mcp__memory__*", "mcp__memory__read", &json!({})));
    assert!(selects("mcp__memory", "mcp__memory__read", &json!({})), "all tools of the server");
    assert!(!selects("mcp__memory", "mcp__memory_two__read", &json!({})));
    assert!(selects("bash(git *)", "Bash", &json!({"command": "git push"})), "another case is no other tool");
    assert!(selects("Other(x)", "Other", &json!({"a": 1})), "what is not understood runs");
}

/// The working directory of a tool changes the meaning of relative patterns, but not that of patterns of the project.
#[test]
fn the_prefix_of_a_pattern_selects_its_base_folder() {
    let home = std::env::var("HOME").unwrap();
    let table = [
        ("Edit(/src/**)", "/home/me/repo/src/a.rs", true),
        ("Edit(/src/**)", "/home/me/repo/web/src/a.rs", false),
        ("Edit(/src/**)", "src/a.rs", false),
        ("Edit(/src/**)", "../src/a.rs", true),
        ("Edit(/src/**)", "/home/me/.claude/src/a.rs", true),
        ("Edit(/src/**)", "/home/me/src/a.rs", true),
        ("Edit(/src/**)", "/src/a.rs", false),
        ("Edit(//src/**)", "/src/a.rs", true),
        ("Edit(//src/**)", "/home/me/repo/src/a.rs", false),
        ("Edit(src/**)", "/home/me/repo/web/src/a.rs", true),
        ("Edit(src/**)", "src/a.rs", true),
        ("Edit(src/**)", "/home/me/repo/src/a.rs", false),
        ("Edit(./src/**)", "src/a.rs", true),
        ("Edit(./src/**)", "../src/a.rs", false),
        ("Edit(../src/**)", "../src/a.rs", true),
        ("Edit(../src/**)", "/home/me/repo/src/a.rs", true),
        ("Edit(**/src/**)", "/elsewhere/src/a.rs", true),
        ("Edit(/**/src/**)", "/elsewhere/src/a.rs", false),
        ("Edit(/**/src/**)", "/home/me/repo/lib/src/a.rs", true),
        ("Edit(/.env)", "/home/me/repo/.env", true),
        ("Edit(/.env)", "/home/me/repo/web/.env", false),
        ("Edit(.env)", "/home/me/repo/web/.env", true),
        ("Edit(~/.ssh/**)", "~/.ssh/config", true),
        ("Edit(~/.ssh/**)", "HOME/.ssh/config", true),
        ("Edit(~/.ssh/**)", "/home/me/repo/.ssh/config", false),
    ];
    let current = Path::new("/home/me/repo/web");
    for (rule, file, expected) in table {
        let file = file.replace("HOME", &home);
        assert_eq!(selects_in(current, rule, "Edit", &json!({"file_path": file})), expected, "{rule} against {file}");
    }
}

/// A rule of another form, or one that can match nothing, is told, and its handler runs for everything.
#[test]
fn an_if_contains_exactly_one_rule_that_can_match() {
    for bad in [
        "",
        "Bash(git *",
        "Bash(a) || Bash(b",
        "Bash(a) || Bash(b)",
        "Bash(ls) or Bash(rm *)",
        "Bash(ls) Bash(rm *)",
        "Bash(ls)|Bash(rm *)",
        "Bash(ls)\nBash(rm *)",
        "Bash(a),Edit(b)",
        "Bash(a $(b)) | Bash(c)",
        "Bash, Read",
        "(x)",
        "Bash Read",
        "Bash(ls|rm *)",
        "Bash(ls | rm *)",
        "Bash(ls && rm *)",
        "Bash(ls; rm *)",
        "Bash(rm * > x)",
        "Bash(^rm .*)",
        "Bash(rm.*)",
        "Bash(rm\\s+.*)",
        "Bash((rm|mv) *)",
        "Bash({rm,mv} *)",
        "Bash(rm *, mv *)",
        "Bash(case x) *)",
        "Bash(echo $(date) || true)",
        "run_shell_command(ls|rm *)",
        "WebFetch(https://evil.com/*)",
        "WebFetch(evil.com)",
        "Read(.env|.npmrc)",
        "Read({.env,.npmrc})",
        "Edit(*.ts, *.js)",
        "Edit(^src/.*\\.ts)",
        "Bash(ls or rm *)",
        "Bash(\"rm *\")",
        "Bash('rm *')",
        "Bash(a=b rm *)",
        "Bash(FOO=* rm *)",
        "Bash(a=*)",
        "Bash(! rm *)",
        "Bash(if rm *)",
        "Bash({ rm *)",
        "Bash([[ *)",
        "Bash(for * in *)",
        "Bash(# rm)",
        "Bash(npm:publish)",
        "Bash(curl:https://*)",
        "Bash(ｒｍ *)",
        "Ｂash(rm *)",
        "Bash(/rm .*/)",
        "Bash([r]m *)",
        "Bash(r? *)",
        "WebFetch(domain:https://example.com)",
        "WebFetch(domain:example.com/path)",
        "WebFetch(domain:example.com:443)",
        "WebFetch(Domain:example.com)",
        "Read($HOME/x)",
        "Read(\"secrets/**\")",
        "Read(file:secrets)",
    ] {
        assert!(Filter::read(bad).is_err(), "{bad}");
        let text = json!({"hooks": {"PreToolUse": [{"matcher": "Bash|Read|WebFetch|Edit", "hooks": [
            {"type": "command", "command": "./guard.sh", "if": bad, "onFailure": "block"}]}]}});
        let file = hooks_rules::RuleFile::read("hooks.json", &text.to_string());
        assert!(file.rules[0].filter.is_none(), "{bad}: its handler runs for everything");
        assert_eq!(file.defects.len(), 1, "{bad}: {:?}", file.defects);
    }
    for good in [
        "Bash",
        "Bash(*)",
        "Bash(echo $(date))",
        "Bash(git commit -m \"a; b | c\")",
        "Bash(rm .*)",
        "Bash(git:*)",
        "Bash(npm run test:e2e)",
        "Bash([ -f *)",
        "Bash(find . -name '*.rs')",
        "mcp__github__*",
        "WebFetch(domain:*.example.com)",
        "Edit(**/*.ts)",
        "Read(~/.ssh/**)",
        "Agent(Explore)",
        "Agent(model:opus)",
        "Bash(run_in_background:*)",
        "Bash(timeout:*)",
        "Bash(docker run x=y *)",
        "Edit(src/$types.ts)",
        "Read(file_path:*secrets*)",
        "Read(it's.txt)",
    ] {
        assert!(Filter::read(good).is_ok(), "{good}");
    }
}

/// The forms of permission rules that the documentation of Claude Code has.
#[test]
fn the_documented_forms_select() {
    let url = |url: &str| json!({ "url": url });
    let table = [
        ("WebFetch(domain:*.evil.com)", "WebFetch", url("https://a.evil.com/x"), true),
        ("WebFetch(domain:*.evil.com)", "WebFetch", url("https://a.b.evil.com/x"), true),
        ("WebFetch(domain:*.evil.com)", "WebFetch", url("https://evil.com/x"), true),
        ("WebFetch(domain:*.evil.com)", "WebFetch", url("https://notevil.com/x"), false),
        ("WebFetch(domain:*.evil.com)", "WebFetch", url("https://evil.com.example.com/x"), false),
        ("WebFetch(domain:*)", "WebFetch", url("https://desk.example.com/"), true),
        ("WebFetch(domain:evil.*)", "web_fetch", url("https://evil.org/"), true),
        ("Bash(run_in_background:true)", "Bash", json!({"command": "ls", "run_in_background": true}), true),
        ("Bash(run_in_background:true)", "Bash", json!({"command": "ls", "run_in_background": false}), false),
        ("Bash(run_in_background:true)", "Bash", json!({"command": "ls"}), false),
        ("Bash(run_in_background:false)", "Bash", json!({"command": "ls"}), true),
        ("Bash(timeout:*000)", "Bash", json!({"command": "ls", "timeout": 60000}), true),
        ("Bash(run_in_background:*)", "Bash", json!({"command": "ls"}), true),
        ("Bash(timeout:*)", "Bash", json!({"command": "ls"}), false),
        ("Bash(timeout:*)", "Bash", json!({"command": "timeout 5 ls"}), true),
        ("Read(file_path:*secrets*)", "Read", json!({"file_path": "secrets/key"}), true),
        ("Read(file_path:*secrets*)", "Read", json!({"file_path": "notes/key"}), false),
        ("Read(~)", "Read", json!({"file_path": "~/x"}), true),
        ("Read(~/)", "Read", json!({"file_path": "~/x"}), true),
        ("Read(~)", "Read", json!({"file_path": "/etc/x"}), false),
        ("Read(~/x)", "Read", json!({"file_path": "~//x"}), true),
        ("PowerShell(rm *)", "PowerShell", json!({"command": "ls"}), true),
        ("Agent(Explore)", "Agent", json!({"subagent_type": "Explore"}), true),
        ("Agent(Explore)", "Task", json!({"subagent_type": "Explore"}), true),
        ("Task(Explore)", "Agent", json!({"subagent_type": "Plan"}), false),
        ("Agent(model:opus)", "Agent", json!({"model": "opus"}), true),
        ("Agent(model:opus)", "Agent", json!({"model": "haiku"}), false),
        ("mcp__shop__order(kind:refund*)", "mcp__shop__order", json!({"kind": "refund_all"}), true),
        ("mcp__shop__order(kind:refund*)", "mcp__shop__order", json!({"kind": "buy"}), false),
        ("Read(./.env)", "Grep", json!({"pattern": "KEY"}), true),
        ("Read(./.env)", "Grep", json!({"pattern": "KEY", "path": "/home/me/repo"}), true),
        ("Read(./.env)", "Grep", json!({"pattern": "KEY", "path": "/home/me"}), true),
        ("Read(./.env)", "Grep", json!({"pattern": "KEY", "path": ".env"}), true),
        ("Read(./.env)", "Grep", json!({"pattern": "KEY", "path": "src"}), false),
        ("Read(./.env)", "search_file_content", json!({"pattern": "KEY", "path": "/home/you"}), false),
        ("Read(//etc/**)", "Glob", json!({"pattern": "*", "path": "/etc/ssh"}), true),
        ("Read(//etc/**)", "Glob", json!({"pattern": "*"}), false),
        ("Read(.env)", "Glob", json!({"pattern": "**/*", "path": "src"}), true),
        ("Read(secret/**)", "Read", json!({"file_path": "**/*", "pattern": "**/*"}), true),
        ("Read(secret/**)", "Read", json!({"file_path": ".", "pattern": "."}), true),
        ("Read(secret/**)", "Read", json!({"file_path": "SECRET/KEY", "pattern": "SECRET/KEY"}), true),
        ("Read(secret/**)", "Read", json!({"file_path": "sec*/key", "pattern": "sec*/key"}), true),
        ("Read(.env)", "Read", json!({"file_path": "{.env,x}", "pattern": "{.env,x}"}), true),
        ("Read(.env)", "Read", json!({"file_path": ".ENV", "pattern": ".ENV"}), true),
        ("Read(secret/**)", "Read", json!({"file_path": "src/**/*.rs", "pattern": "src/**/*.rs"}), false),
        ("Read(secret/**)", "Read", json!({"file_path": "README.md", "pattern": "README.md"}), false),
        ("Read(//etc/**)", "Glob", json!({"pattern": "/etc/ssh/*"}), true),
        ("Read(//etc/**)", "Glob", json!({"pattern": "/e*c/ssh"}), true),
        ("Read(//etc/**)", "Glob", json!({"pattern": "../../../etc/*"}), true),
        ("Read(//etc/**)", "Glob", json!({"pattern": "{a,../../../etc}/*"}), true),
        ("Read(//etc/**)", "Glob", json!({"pattern": "src/**/*.rs"}), false),
        ("Read(//etc/**)", "Glob", json!({"pattern": "*", "target_directory": "/etc/ssh"}), true),
        ("Read(//etc/**)", "Grep", json!({"pattern": "KEY", "paths": ["src", "/etc/ssh"]}), true),
        ("Read(//etc/**)", "Grep", json!({"pattern": "/etc/ssh"}), false),
        ("Read(//etc/**)", "Read", json!({"file_path": "/etc"}), true),
        ("Read(//etc/**)", "Read", json!({"file_path": "/etcetera"}), false),
        ("Edit(.env)", "Grep", json!({"pattern": "KEY"}), false),
        ("WebSearch(rust)", "WebSearch", json!({"query": "go"}), true),
        ("mcp__fs__list(src/**)", "mcp__fs__list", json!({"path": "src/a"}), true),
        ("mcp__fs__list(src/**)", "mcp__fs__list", json!({"path": "docs"}), false),
    ];
    for (rule, tool, input, expected) in table {
        assert_eq!(selects(rule, tool, &input), expected, "{rule} against {tool} {input}");
    }
}

proptest! {
    /// No line panics or takes long, and quoted text is never taken for a command.
    #[test]
    fn parsing_any_line_never_panics(line in "[a-z $`\"'();|&\\\\=\n]{0,200}", rule in "[a-z* :]{1,20}") {
        if let Ok(filter) = Filter::read(&format!("Bash({rule})")) {
            filter.selects(&Aliases::default(), "Bash", &json!({"command": line}), None);
        }
    }
}

/// It is unknown which of several fields a tool uses. A host has several spellings.
#[test]
fn other_fields_and_other_spellings_of_a_host_do_not_bypass_a_guard() {
    let decoy = json!({"file_path": "notes.txt", "notebook_path": "/home/me/repo/secret.ipynb"});
    assert!(selects("Edit(secret.ipynb)", "NotebookEdit", &decoy));
    assert!(!selects("Edit(other.ipynb)", "NotebookEdit", &decoy));
    assert!(selects("Read(secret.txt)", "Read", &json!({"file_path": ["secret.txt"]})));
    for (domain, url, selected) in [
        ("bücher.example", "https://xn--bcher-kva.example/", true),
        ("bücher.example", "https://books.example/", false),
        ("127.0.0.1", "http://2130706433/", true),
        ("127.0.0.1", "http://0x7f.1:80/", true),
        ("127.0.0.1", "http://[::1]/", true),
        ("127.0.0.1", "http://desk.example.com/", false),
        ("desk.example.com", "https://DESK.example.com./", true),
        ("desk.example.com", "https://desk.example.com\\@evil.example/", true),
        ("desk.example.com", "https:/desk.example.com", true),
        ("desk.example.com", "https://d%65sk.example.com", true),
    ] {
        assert_eq!(selects(&format!("WebFetch(domain:{domain})"), "WebFetch", &json!({"url": url})), selected, "{url}");
    }
}

/// Programs that contain code, and a file that a line writes and runs, for a pattern of one word.
#[test]
fn the_guard_runs_for_code_that_cannot_be_parsed() {
    let table = [
        ("awk '{print $1}' x", false),
        ("awk '$1 == 2 || $2 == 3' x", false),
        ("awk 'BEGIN{system(\"\\162m x\")}'", true),
        ("awk '{print | \"s\" \"h\"}' x", true),
        ("awk -F'|' '{print $2}' x", false),
        ("sort a > b", false),
        ("tar xzf a.tgz", false),
        ("rsync -a a/ b/", false),
        ("cp a b && make", true),
        ("sed -n '1,5p' x", false),
        ("sed -i 's/tests/best/g' x", false),
        ("sed 's/a/b/e' x", true),
        ("sed '1e\\162m x' x", true),
        ("perl -e '1'", true),
        ("perl script.pl", false),
        ("python3 -m pytest", false),
        ("python3 build.py", false),
        ("python3 -c 'print(1)'", true),
        ("node --version", false),
        ("make test", false),
        ("./build.sh", false),
        ("cp a b", false),
        ("printf x > build.sh; ./build.sh", true),
        ("cargo build > log; ./target/debug/x", true),
        ("cargo build 2>&1 >/dev/null; ./target/debug/x", false),
        ("unknown rm x", true),
        ("git commit -m 'rm the file'", false),
        ("git config core.pager 'rm x'; git log", true),
        ("printf 'rm x' > .git/hooks/pre-commit; git commit", true),
        ("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm x' git x", true),
        ("git clone -u 'rm x' . y", true),
        ("git fetch --upload-pack='rm x' .", true),
        ("git -c include.path=c x", false),
        ("printf x > c; git -c include.path=c x", true),
        ("printf x > ~/.gitconfig; git x", true),
        ("X=$'!\\162m x' git --config-env=alias.z=X z", true),
        ("GIT_PAGER=$'\\162m x' git log", true),
        ("GIT_PAGER=cat git log", false),
        ("git ls-remote 'ext::r%m x'", true),
        ("git status", false),
        ("git push origin main", false),
        ("rg --pre 'rm x' a", true),
        ("rg --pre ./x a", false),
        ("rg -i 'rm x' src", false),
        ("RIPGREP_CONFIG_PATH=c rg a", false),
        ("printf x > c; RIPGREP_CONFIG_PATH=c rg a", true),
        ("socat - EXEC:$'\\162m x'", true),
        ("flatpak run --command=rm org.x y", true),
        ("rm.exe x", true),
        ("expect -c 'spawn r[format m] x'", true),
        ("php -B '(\"sys\".\"tem\")(\"r\".\"m x\");' x", true),
        ("tmux send-keys r 'm x' Enter", true),
        ("pwsh -EncodedCommand cgBtACAAeAA=", true),
        ("printf x > c; ssh -F c host", true),
        ("ssh host uptime", false),
        ("python3 -m pytest -k unit", false),
        ("bash -k -c 'echo x'", true),
        ("set -e; echo x", false),
        ("set -k; echo x", true),
        ("cat2 x", false),
    ];
    for (line, selected) in table {
        assert_eq!(selects("Bash(rm *)", "Bash", &json!({"command": line})), selected, "{line}");
    }
}

/// A guard that runs for every line is switched off by its users.
#[test]
fn everyday_lines_select_no_guard() {
    let lines = [
        "CFLAGS=-O2 make -j4",
        "PYTHONPATH=src pytest -q",
        "NODE_OPTIONS=--max-old-space-size=4096 npm test",
        "RUSTFLAGS='-C target-cpu=native' cargo build --release",
        "GIT_EDITOR=true git rebase --continue",
        "EDITOR=vim git commit",
        "npm run build && npm test",
        "git add -A && git commit -m 'fix the parser'",
        "git log --oneline -20 | head",
        "git -C sub status --short",
        "git stash pop",
        "git diff --stat HEAD~3",
        "git fetch origin && git rebase origin/main",
        "git clone https://desk.example.com/repo.git",
        "git show HEAD:src/lib.rs > old.rs",
        "rg -n 'fn main' src | head -5",
        "rg --files -g '*.rs'",
        "find . -name '*.rs' -newer Cargo.toml",
        "find . -name '*.rs' | xargs wc -l",
        "find . -type f -exec grep -l foo {} +",
        "find . -name '*.o' -exec ls -l {} \\;",
        "xargs --null -I% echo % < files",
        "sed -i 's/foo/bar/g' src/*.rs",
        "sed -n '10,20p' src/lib.rs",
        "awk '{print $1, $NF}' log | sort | uniq -c",
        "tar czf out.tar.gz dir",
        "python3 -m venv .venv",
        "python3 -m http.server 8000",
        "python3 scripts/build.py --release",
        "node scripts/build.js",
        "docker compose up -d",
        "docker run --rm image",
        "cargo run -- --help",
        "cargo test -p desk -- --nocapture",
        "gh pr list --state open",
        "ssh host uptime",
        "jq '.name' package.json",
        "curl -s https://desk.example.com/x | jq .",
        "ls -la && pwd",
        "mkdir -p a/b && touch a/b/c",
        "cd src; wc -l *.rs",
        "set -euo pipefail; make test",
        "if [ -f x ]; then cat x; fi",
        "for f in *.rs; do echo done; done",
        "echo 'text' > notes.txt",
        "cat <<'A' > notes.txt\ntext\nA",
        "kill %1 2>/dev/null || true",
        "timeout 60 cargo test",
        "env RUST_LOG=debug cargo run",
        "nohup ./server > log 2>&1 &",
        "sleep 1; ps aux | grep desk",
    ];
    let selected = |rule: &str| -> Vec<_> {
        let selects = |line: &&&str| selects(rule, "Bash", &json!({"command": line}));
        lines.iter().filter(selects).copied().collect()
    };
    // The program may be what the line writes.
    let open = ["nohup ./server > log 2>&1 &"];
    assert_eq!(selected("Bash(terraform destroy *)"), open);
    assert_eq!(selected("Bash(git push *)"), open);
    assert_eq!(selected("Bash(shutdown *)"), open);
}
