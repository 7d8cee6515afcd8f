//! How programs use their arguments.

use super::is_short;
use super::word::Word;

/// What a program does with its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It runs none of them.
    Quiet,
    /// A shell builtin that may evaluate arithmetic in them, which can run commands.
    Evaluates,
    /// A shell: it runs the line after `-c`, a file, or standard input.
    Shell,
    /// It starts the program that they name, or interprets one of them as a command line.
    Launches,
    /// It joins them to a command line.
    Joins,
    /// It starts a program with arguments that it reads.
    Feeds,
    /// It runs code of another language: from an option, from standard input, or from a file.
    Interprets,
    /// Like [`Interprets`](Self::Interprets), but the program among its arguments is often harmless: `awk`.
    Awk,
    /// The same for `sed`.
    Sed,
    /// It starts what one of its options or files names.
    Tool,
    /// It changes what later commands of the line mean.
    Obscure,
    /// It runs none of them, except with some subcommands.
    Git,
    /// Unknown.
    Unknown,
}

/// Whether a word names the standard input as a file.
pub(super) fn is_a_stream(word: &str) -> bool {
    ["/dev/", "/proc/"].iter().any(|folder| word.contains(folder)) && word != "/dev/null"
}

/// Reserved words of the shell. As the name of a command, they mean that the line was misparsed.
pub(super) fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "{", "}", "!", "[[", "]]", "do", "done", "then", "else", "elif", "fi", "if", "while", "until", "for", "case",
        "esac", "select", "in", "function",
    ];
    WORDS.contains(&name)
}

/// Whether an unknown program probably starts the argument after this word.
pub(super) fn announces(word: &str) -> bool {
    matches!(word, "--" | "run" | "exec" | "-exec" | "-c" | "-x" | "-e" | "--exec" | "--command" | "shell")
}

/// Whether a program or a shell executes the value of this variable.
pub(super) fn is_run(variable: &str) -> bool {
    const NAMES: &[&str] = &[
        "PS0",
        "PS1",
        "PS2",
        "PS4",
        "ENV",
        "BASH_ENV",
        "VISUAL",
        "BROWSER",
        "PATH",
        "SHELL",
        "HOME",
        "PERL5OPT",
        "PERL5DB",
        "PERL5LIB",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "NODE_OPTIONS",
        "NODE_PATH",
        "RUBYOPT",
        "RUBYLIB",
        "MAKEFLAGS",
        "MAKEFILES",
        "TAR_OPTIONS",
        "LESSOPEN",
        "LESSCLOSE",
        "RSYNC_RSH",
        "GIT_SSH",
    ];
    const ENDS: &[&str] = &["COMMAND", "PAGER", "EDITOR", "PRELOAD", "DIFF", "ASKPASS", "SHELL", "HOOK"];
    NAMES.contains(&variable) || variable.starts_with("GIT_CONFIG") || ENDS.iter().any(|end| variable.ends_with(end))
}

/// Whether git runs, or saves for later, what follows this word.
pub(super) fn starts_from_git(word: &str) -> bool {
    const COMMANDS: &[&str] = &[
        "bisect",
        "submodule",
        "rebase",
        "filter-branch",
        "for-each-repo",
        "difftool",
        "mergetool",
        "config",
        "send-email",
        "remote-ext",
        "shell",
        "-c",
        "-u",
        "-x",
        "--exec",
        "--upload-pack",
        "--receive-pack",
        "--config",
        "--config-env",
    ];
    const STARTS: &[&str] =
        &["-O", "--open-files", "--exec=", "--upload-pack=", "--receive-pack=", "--config", "ext::", "--sendmail"];
    COMMANDS.contains(&word) || word.contains("alias.") || STARTS.iter().any(|start| word.starts_with(start))
}

/// Whether this word can change the names of git's subcommands.
pub(super) fn renames_git(word: &str) -> bool {
    word.contains("alias.")
        || word.contains("autocorrect")
        || word.contains("include.")
        || word.contains("includeif.")
        || word == "--config-env"
}

/// The roles of known programs.
const PROGRAMS: &[(Role, &str)] = &[
    (Role::Shell, "sh bash dash zsh ksh ksh93 mksh ash fish rbash yash csh tcsh source . pwsh su runuser"),
    (Role::Joins, "eval trap watch ssh"),
    (Role::Feeds, "xargs parallel find fd fdfind rush"),
    (Role::Obscure, "alias hash enable shopt coproc bind at batch crontab fc history"),
    (Role::Evaluates, "let declare typeset local readonly export unset read printf test [ wait"),
    (
        Role::Launches,
        "env nice nohup timeout time sudo doas setsid stdbuf unbuffer ionice chrt taskset chroot unshare \
         nsenter strace ltrace valgrind perf entr flock script expect command builtin exec busybox \
         toybox setarch linux32 linux64 i386 x86_64 setpriv capsh systemd-run systemd-inhibit \
         start-stop-daemon daemonize screen tmux firejail bwrap proot fakeroot dbus-run-session xvfb-run torify \
         torsocks proxychains proxychains4 rlwrap cgexec numactl prlimit hyperfine direnv npx bunx pnpx \
         chronic ts ifne sem catchsegv caffeinate arch gtimeout genv gnice mapfile readarray compgen \
         complete gosu su-exec tini dumb-init dotenv chpst softlimit setuidgid pkexec run0 sg newgrp \
         faketime eatmydata cpulimit ld-linux-x86-64.so.2 ld.so",
    ),
    (
        Role::Interprets,
        "python pypy perl ruby node nodejs deno bun php lua luajit tclsh wish Rscript R julia osascript vi vim \
         nvim ex view emacs ed sqlite3 mysql psql dc m4 ghci guile racket sbcl groovy scala jshell elixir erl \
         swift ts-node tsx gdb lldb",
    ),
    (Role::Awk, "awk gawk mawk nawk original-awk"),
    (Role::Sed, "sed gsed"),
    (
        Role::Tool,
        "make gmake just ninja tar gtar bsdtar zip rsync scp sftp socat nc ncat split sort less more man ftp \
         run-parts logrotate",
    ),
    (Role::Git, "git"),
    (
        Role::Quiet,
        "echo true false : cat ls grep egrep fgrep rg head tail wc cd pwd mkdir rmdir touch cp mv ln rm \
         chmod chown diff cmp stat file which type basename dirname realpath readlink date sleep seq tr \
         cut uniq paste tee jq kill set shift return exit break continue umask pushd popd du df ps id \
         whoami uname",
    ),
];

/// Programs that write files without a redirection.
const WRITERS: &str = "cp mv ln tee dd install tar gtar bsdtar unzip gunzip gzip xz bzip2 zstd cpio curl wget patch split csplit \
                       rsync scp xxd openssl gpg ar cc gcc clang mkfifo uniq sponge \
                       pax jar bunzip2 unxz unlzma unzstd lz4 brotli 7z uudecode dos2unix";

/// Whether a command is likely to write a file that it names, or one of its words does so where that is run as a line or as code.
pub(super) fn writes(command: &[Word]) -> bool {
    let is_writer = |word: &str| WRITERS.split_whitespace().any(|known| known == name(word));
    let tells_where = |word: &Word| {
        let text = word.text.as_str();
        (is_short(text) && text.contains('o'))
            || ["--out", "-fprint", "-fls"].iter().any(|start| text.starts_with(start))
    };
    let within = |word: &Word| {
        let text = word.text.replace(['"', '\'', '\\'], "");
        text.contains('>') || text.split([' ', '\t', '\n', ';', '&', '|', '(', ')']).any(is_writer)
    };
    let role = command.first().map_or(Role::Quiet, |name| role(&name.text));
    command.iter().any(within)
        || match role {
            Role::Quiet | Role::Evaluates => false,
            Role::Git => command.iter().any(|word| matches!(word.text.as_str(), "apply" | "am")),
            Role::Interprets => command.iter().any(|word| word.text.contains(char::is_whitespace)),
            Role::Sed => command.iter().any(|word| word.text.contains('w') || word.text.starts_with("-i")),
            _ => command.iter().any(tells_where),
        }
}

/// Whether nothing but options stands before what `parallel` is fed with.
pub(super) fn has_no_command(words: &[Word]) -> bool {
    words.iter().find(|word| !word.text.starts_with('-')).is_none_or(|first| first.text.starts_with(":::"))
}

/// Whether a word of the shell sets a variable by which programs find other programs, or gives it another name.
pub(super) fn sets_what_is_run(command: &[Word]) -> bool {
    let Some((name, words)) = command.split_first() else { return false };
    let named = |word: &Word| is_run(word.text.split(['[', '=']).next().unwrap_or_default());
    match name.text.as_str() {
        "declare" | "typeset" | "local" => words.iter().any(|word| is_short(&word.text) && word.text.contains('n')),
        "read" | "mapfile" | "readarray" | "printf" | "getopts" | "unset" => words.iter().any(named),
        _ => false,
    }
}

/// Whether a tool runs commands from a file that it finds by itself.
pub(super) fn is_told_by_a_file(program: &str) -> bool {
    const TOLD: &[&str] = &[
        "make",
        "gmake",
        "just",
        "ninja",
        "npm",
        "yarn",
        "pnpm",
        "cargo",
        "go",
        "rake",
        "tox",
        "pytest",
        "composer",
        "mvn",
        "gradle",
        "ant",
        "cmake",
        "bazel",
        "run-parts",
        "logrotate",
    ];
    TOLD.contains(&name(program))
}

/// The system folders. A program elsewhere can have any name.
const FOLDERS: &[&str] = &["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];

/// The role of a program, by its name or path.
pub(super) fn role(program: &str) -> Role {
    let name = name(program);
    let known = PROGRAMS.iter().find(|(_, names)| names.split(' ').any(|known| known == name));
    let role = known.map_or(Role::Unknown, |(role, _)| *role);
    let is_of_the_system = program.rsplit_once('/').is_none_or(|(folder, _)| FOLDERS.contains(&folder));
    match role {
        Role::Quiet | Role::Evaluates | Role::Awk | Role::Sed if !is_of_the_system => Role::Unknown,
        role => role,
    }
}

/// The name of a program, without its folder and version number.
fn name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_known = PROGRAMS.iter().any(|(_, names)| names.split(' ').any(|known| known == name));
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    if is_known || bare.is_empty() { name } else { bare }
}
