//! Programs that only record how they were called, and a shell that finds nothing else under their names.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Programs that start what follows their options, for machines without them.
const STARTERS: &[&str] = &["doas", "strace", "npx", "wrapper", "poetry", "busybox", "setpriv", "chrt"];

/// Programs that start a shell if they are told nothing else: it reads what is fed to them.
const SHELLS: &[&str] = &["chroot", "newgrp", "telnet", "unshare", "rlogin"];

/// Starts the line behind the host, or a shell. Options and their values may stand before and behind the host.
const SSH: &str = r#"#!/bin/sh
host=
while [ $# -gt 0 ]; do
    case $1 in
        -[BbcDEeFIiJLlmOoPpQRSWw]) shift; shift ;;
        -[BbcDEeFIiJLlmOoPpQRSWw]*) shift ;;
        -*[BbcDEeFIiJLlmOoPpQRSWw]) shift; shift ;;
        -*) shift ;;
        *) [ -n "$host" ] && break; host=$1; shift ;;
    esac
done
[ $# -gt 0 ] && exec sh -c "$*"
exec sh
"#;

/// Starts what is behind its options and a name, or a shell.
const FRONT: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        -*) shift ;;
        exec | run) shift; while [ "${1#-}" != "$1" ]; do shift; done; shift; [ $# -gt 0 ] && exec "$@"; exec sh ;;
        ssh) shift; [ $# -gt 0 ] && exec sh -c "$*"; exec sh ;;
        *) shift ;;
    esac
done
"#;

/// Starts what its options name, with the arguments behind them.
const RIPGREP: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        --pre | --hostname-bin) shift; exec "$@" ;;
        --pre=*) program=${1#*=}; shift; exec "$program" "$@" ;;
    esac
    shift
done
"#;

/// Runs its words, with `{}` replaced by the word behind `:::` or followed by it.
const PARALLEL: &str = r#"#!/bin/bash
words=()
while [ $# -gt 0 ]; do
    case $1 in
        -j) shift ;;
        -j*) ;;
        :::) shift; break ;;
        *) words+=("$1") ;;
    esac
    shift
done
line="${words[*]}"
case $line in *{}*) line=${line//\{\}/$1} ;; *) line="$line $1" ;; esac
exec sh -c "$line"
"#;

/// Starts its arguments behind its options, or a shell.
const SUDO: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        -u) shift 2 ;;
        -s | -i) shift; [ $# -gt 0 ] && exec sh -c "$*"; exec sh ;;
        -* | *=*) shift ;;
        *) exec "$@" ;;
    esac
done
"#;

/// A folder with programs that record their arguments.
pub(super) struct Stubs {
    root: PathBuf,
    /// What starts the shell.
    guard: Vec<String>,
    /// How many lines ran. Each has a folder of its own, in which one that goes on in the background may still write.
    count: AtomicUsize,
}

impl Stubs {
    pub(super) fn new(root: PathBuf) -> Self {
        let (bin, real) = (root.join("bin"), root.join("realbin"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&real).unwrap();
        symlink("/usr/bin/env", real.join("env")).unwrap();
        let log = root.join("log");
        for name in ["git", "rm"] {
            put(&bin.join(name), &format!("#!/bin/sh\necho \"{name} $*\" >> '{}'\n", log.display()));
        }
        for name in STARTERS {
            let skip = "while [ $# -gt 0 ]; do case $1 in git|rm|sh|bash|env|xargs|timeout|nice|eval) exec \"$@\";; esac; shift; done";
            put(&bin.join(name), &format!("#!/bin/sh\n{skip}\n"));
        }
        for name in SHELLS {
            put(&bin.join(name), "#!/bin/sh\nshift\n[ $# -gt 0 ] && exec sh -c \"$*\"\nexec sh\n");
        }
        put(&bin.join("sudo"), SUDO);
        put(&bin.join("ssh"), SSH);
        for name in ["docker", "vagrant"] {
            put(&bin.join(name), FRONT);
        }
        put(&bin.join("watch"), "#!/bin/sh\nfor last; do :; done; exec sh -c \"$last\"\n");
        put(&bin.join("git-push"), "#!/bin/sh\nexec git push \"$@\"\n");
        put(&bin.join("rg"), RIPGREP);
        put(&bin.join("parallel"), PARALLEL);
        Self { root, guard: Vec::new(), count: AtomicUsize::new(0) }
    }

    /// Without the program that only records, for lines that are not about git.
    pub(super) fn with_git_itself(self) -> Self {
        std::fs::remove_file(self.root.join("bin/git")).unwrap();
        self
    }

    /// The line with the folders of this machine.
    pub(super) fn line(&self, line: &str) -> String {
        let line = line.replace("@STUBS@", &self.root.join("bin").display().to_string());
        line.replace("/tmp/hooks_rules_", &format!("{}/", self.root.display()))
    }

    /// How the recorded programs were called when bash ran the line.
    pub(super) fn calls(&self, line: &str) -> Vec<String> {
        let log = self.root.join("log");
        // Files of one line do not affect the next.
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = |number: usize| self.root.join(format!("cwd{number}"));
        let _ = std::fs::remove_dir_all(folder(number.wrapping_sub(1)));
        let folder = folder(number);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&log, "").unwrap();
        for path in [&folder, &log] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
        }
        let path = format!("{}:{}", self.root.join("bin").display(), std::env::var("PATH").unwrap());
        let mut bash = Command::new("timeout");
        bash.args(["-k", "1", "10"]).args(&self.guard).args(["bash", "-c", line]).current_dir(&folder);
        bash.env("PATH", path).env("HOME", &folder).env_remove("BASH_ENV").env("SHELL", "/bin/sh");
        bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        bash.status().unwrap();
        let log = std::fs::read_to_string(log).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Lets the lines neither write nor end anything of this machine, where it can be had: lines that nobody has read.
    pub(super) fn guarded(mut self) -> Self {
        // With its folder, because `setpriv` is one of the programs that only start what follows.
        let guard =
            "/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups prlimit --nproc=400 --fsize=1000000 --cpu=5";
        let guard: Vec<String> = guard.split(' ').map(str::to_owned).collect();
        let works = Command::new(&guard[0]).args(&guard[1..]).arg("true").stderr(Stdio::null()).status();
        if works.is_ok_and(|status| status.success()) {
            let open = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755));
            self.root.ancestors().take(2).for_each(|path| open(path).unwrap());
            self.guard = guard;
        }
        self
    }
}

fn put(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
