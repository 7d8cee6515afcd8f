//! How programs use their arguments.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::pattern::base;
use super::word::{Word, is_short};

/// What a program does with its arguments.
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

/// Whether a word names a stream, such as standard input, as a file.
pub(super) fn is_a_stream(word: &str) -> bool {
    ["/dev/", "/proc/"].iter().any(|folder| word.contains(folder)) && word != "/dev/null"
}

/// Whether a word names the program that runs it.
pub(super) fn is_the_shell_itself(word: &str) -> bool {
    word.contains("/proc/") && word.ends_with("/exe")
}

/// Whether an option of the shell changes how it finds programs, or which words are arguments of one.
pub(super) fn is_a_mode_of_the_shell(option: &str) -> bool {
    matches!(option, "posix" | "--posix" | "history" | "keyword") || (is_short(option) && option.contains('k'))
}

/// Reserved words of the shell. As the name of a command, they mean that the line was misparsed.
pub(in super::super) fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "{", "}", "!", "[[", "]]", "do", "done", "then", "else", "elif", "fi", "if", "while", "until", "for", "case",
        "esac", "select", "in", "function",
    ];
    WORDS.contains(&name)
}

/// Whether the words of a command contain the beginning of a `case` statement. The grammar does not know that `time` is
/// followed by a statement, so the `)` of the first pattern ends a substitution and the rest becomes text.
pub(super) fn holds_a_case(command: &[Word]) -> bool {
    command.windows(3).any(|words| words[0].text == "case" && words[2].text == "in")
}

/// Whether an unknown program probably starts the argument after this word.
pub(super) fn announces(word: &str) -> bool {
    matches!(word, "--" | "run" | "exec" | "-exec" | "-c" | "-x" | "-e" | "--exec" | "--command" | "shell")
}

/// Whether a program executes the value of this variable, or looks there for code.
pub(super) fn is_run(variable: &str) -> bool {
    const NAMES: &str = "SHELLOPTS BASHOPTS PS0 PS1 PS2 PS4 ENV BASH_ENV VISUAL BROWSER PATH SHELL HOME ZDOTDIR XDG_CONFIG_HOME PERL5OPT PERL5DB \
                         PERL5LIB PYTHONPATH PYTHONSTARTUP PYTHONHOME NODE_PATH RUBYOPT RUBYLIB MAKE MAKEFILES \
                         LESSOPEN LESSCLOSE LESS MANOPT LUA_INIT PHPRC VIMINIT EXINIT GIT_SSH GIT_DIR GIT_EXEC_PATH \
                         GIT_TEMPLATE_DIR APT_CONFIG SVN_SSH CC CXX LD AR RUSTC CARGO RIPGREP_CONFIG_PATH LD_AUDIT LD_LIBRARY_PATH";
    const ENDS: &[&str] = &[
        "COMMAND", "PAGER", "EDITOR", "PRELOAD", "DIFF", "ASKPASS", "SHELL", "HOOK", "HOOKS", "FLAGS", "OPTIONS",
        "OPTS", "WRAPPER", "LAUNCHER", "RUNNER", "RSH",
    ];
    NAMES.split_whitespace().any(|name| name == variable)
        || variable.starts_with("GIT_CONFIG")
        || ENDS.iter().any(|end| variable.ends_with(end))
}

/// The roles of known programs.
const PROGRAMS: &[(Role, &str)] = &[
    (Role::Shell, "sh bash dash zsh ksh ksh93 mksh ash fish rbash yash posh csh tcsh source . su runuser"),
    (Role::Joins, "eval trap watch ssh autossh"),
    (Role::Feeds, "xargs find fd fdfind"),
    // The last ones type into another terminal, have their own syntax, or build commands from their input.
    (
        Role::Obscure,
        "alias hash enable shopt coproc bind at batch crontab fc history tmux screen pwsh powershell cmd.exe nu xonsh \
         elvish parallel rush",
    ),
    (Role::Evaluates, "let declare typeset local readonly export unset read printf test [ wait"),
    (
        Role::Launches,
        "env nice nohup timeout time sudo doas setsid stdbuf unbuffer ionice chrt taskset chroot unshare \
         nsenter strace ltrace valgrind perf entr flock script logsave jobs command builtin exec busybox \
         toybox setarch linux32 linux64 i386 x86_64 setpriv capsh systemd-run systemd-inhibit \
         start-stop-daemon daemonize firejail bwrap proot fakeroot dbus-run-session xvfb-run torify \
         torsocks proxychains proxychains4 rlwrap cgexec numactl prlimit hyperfine direnv npx bunx pnpx \
         chronic ts ifne sem catchsegv caffeinate arch gtimeout genv gnice mapfile readarray compgen \
         complete gosu su-exec login tini dumb-init dotenv chpst softlimit setuidgid pkexec run0 sg newgrp \
         faketime eatmydata cpulimit ld-linux-x86-64.so.2 ld.so",
    ),
    (
        Role::Interprets,
        "python pypy perl ruby node nodejs deno bun php lua luajit tclsh wish Rscript R julia osascript vi vim \
         nvim ex view emacs ed sqlite3 mysql psql dc m4 ghci guile racket sbcl groovy scala jshell elixir erl \
         swift ts-node tsx gdb lldb expect gnuplot octave irb pry ipython iex lftp vimdiff gvim rvim rview \
         nvim-qt mysqlsh mongosh redis-cli clisp ocaml gforth bsh jrunscript",
    ),
    (Role::Awk, "awk gawk mawk nawk original-awk"),
    (Role::Sed, "sed gsed"),
    (
        Role::Tool,
        "make gmake just ninja tar gtar bsdtar zip rsync scp sftp socat nc ncat split sort less more man ftp \
         run-parts logrotate telnet rsh rlogin mosh cpio pax rename",
    ),
    (Role::Git, "git"),
    (
        Role::Quiet,
        "echo true false : cat ls grep egrep fgrep rg head tail wc cd pwd mkdir rmdir touch cp mv ln rm \
         chmod chown diff cmp stat file which type basename dirname realpath readlink date sleep seq tr \
         cut uniq paste tee jq curl kill set shift return exit break continue umask pushd popd du df ps id \
         whoami uname od base64 base32 md5sum sha1sum sha256sum sha512sum cksum nl tac rev fold fmt expand unexpand \
         join comm shuf factor expr nproc hostname uptime free netstat ss ping dig host printenv groups users who \
         mktemp sync truncate column zcat gzip gunzip bzip2 xz zstd strings nm readelf size tree cloc yq diffstat \
         black ruff mypy flake8 gofmt rustfmt clang-format tsc",
    ),
];

/// Programs that write files without a redirection.
const WRITERS: &str = "cp mv ln tee dd install tar gtar bsdtar unzip gunzip gzip xz bzip2 zstd cpio curl wget patch split csplit \
                       rsync scp xxd openssl gpg ar cc gcc clang mkfifo uniq sponge \
                       pax jar shuf yq bunzip2 unxz unlzma unzstd lz4 brotli 7z uudecode dos2unix";

/// Whether a command probably writes a file, by itself or with a command line or code among its arguments.
pub(super) fn writes(command: &[Word]) -> bool {
    let is_writer = |word: &str| is_one_of(word, WRITERS);
    let tells_where = |word: &Word| {
        let text = word.text.as_str();
        (is_short(text) && text.contains('o'))
            || ["--out", "-fprint", "-fls"].iter().any(|start| text.starts_with(start))
    };
    let is_known = command.first().is_some_and(|name| role(&name.text) != Role::Launches && !is_writer(&name.text));
    let within = |word: &Word| {
        // The name of a subcommand, or of a package.
        if is_known && matches!(word.text.as_str(), "install" | "openssl" | "patch" | "curl" | "wget") {
            return false;
        }
        let text = word.text.replace(['"', '\'', '\\'], "");
        text.contains('>') || text.split([' ', '\t', '\n', ';', '&', '|', '(', ')']).any(is_writer)
    };
    let role = command.first().map_or(Role::Quiet, |name| role(&name.text));
    command.iter().any(within)
        || match role {
            Role::Quiet | Role::Evaluates => false,
            Role::Git => {
                let is_one = |text: &str| matches!(text, "apply" | "am" | "-o") || text.starts_with("--output");
                command.iter().any(|word| is_one(&word.text))
            }
            Role::Feeds => command.iter().any(|word| word.text != "-o" && tells_where(word)),
            Role::Launches if command.iter().any(|word| ["script", "logsave"].contains(&base(&word.text))) => true,
            Role::Interprets => command.iter().any(|word| word.text.contains(char::is_whitespace)),
            Role::Sed => command.iter().any(|word| word.text.contains('w') || word.text.starts_with("-i")),
            _ => command.iter().any(tells_where),
        }
}

/// Whether a builtin sets a variable that affects how programs are found, creates an alias of such a variable, or sets
/// one whose name is computed, which may be any.
pub(super) fn sets_what_is_run(name: &Word, words: &[Word]) -> bool {
    let named = |word: &Word| is_run(word.text.split(['[', '=']).next().unwrap_or_default());
    let is_any = |word: &Word| word.computed && !word.prefix().contains('=');
    match name.text.as_str() {
        "declare" | "typeset" | "local" => {
            words.iter().any(|word| is_any(word) || (is_short(&word.text) && word.text.contains('n')))
        }
        "export" | "readonly" => words.iter().any(is_any),
        "read" | "mapfile" | "readarray" | "getopts" => words.iter().any(|word| named(word) || is_any(word)),
        "printf" => {
            words.iter().any(named)
                || (words.first().is_some_and(Word::may_be_an_option) && words.iter().take(2).any(is_any))
        }
        "unset" => words.iter().any(named),
        _ => false,
    }
}

/// Programs that start what their arguments name, and nothing before it. What is fed to them is fed to that.
const DIRECT: &str = "env nice nohup timeout time sudo doas setsid stdbuf unbuffer ionice chrt taskset command builtin exec \
                      busybox toybox chronic gtimeout genv gnice";

/// Whether a program that starts others may read what is fed to it as commands: it starts a shell if it is given nothing
/// else to start.
pub(super) fn may_read_commands(program: &str, words: &[Word]) -> bool {
    let has_shell = |word: &Word| {
        matches!(word.text.as_str(), "--login" | "--shell") || (is_short(&word.text) && word.text.contains(['s', 'i']))
    };
    if !is_one_of(program, DIRECT)
        || (matches!(base(program), "sudo" | "doas")
            && words.iter().take_while(|word| is_short(&word.text)).any(has_shell))
    {
        return true;
    }
    started(words).is_none_or(|first| role(&first.text) == Role::Unknown)
}

/// What such a program starts: the first word that is neither an option, nor its value, a measure, or an assignment.
fn started(words: &[Word]) -> Option<&Word> {
    let mut before = "";
    words.iter().find(|word| {
        let is_value = matches!(before, "-u" | "-g" | "-n" | "-s" | "-k" | "-p" | "-h" | "-C" | "-U" | "-c");
        before = &word.text;
        let is_measure = word.text.starts_with(|c: char| c.is_ascii_digit());
        !(is_value || is_measure || word.text.starts_with('-') || word.text.contains('='))
    })
}

/// Whether a program starts a shell that reads files in the home folder first.
pub(super) fn starts_a_login(program: &str, words: &[Word]) -> bool {
    let options = || words.iter().take_while(|word| is_short(&word.text));
    is_one_of(program, "sudo doas exec") && options().any(|word| word.text.contains(['i', 'l', 'a']))
}

/// Whether an option of a tool takes a pattern for files, or an archive or output, and no command.
pub(super) fn takes_a_file_or_pattern(option: &str) -> bool {
    ["--exclude", "--include", "--output"].iter().any(|start| option.starts_with(start))
        || (option.ends_with(['f', 'o', 'x', 'i'])
            && is_short(option)
            && option[1..].chars().all(char::is_alphanumeric))
}

/// Whether what a program starts is known to start nothing itself: `sudo tee file`.
pub(super) fn starts_a_quiet_one(program: &str, words: &[Word]) -> bool {
    is_one_of(program, DIRECT)
        && started(words).is_some_and(|first| !first.computed && role(&first.text) == Role::Quiet)
}

/// Whether a program runs its line on another machine, or as another user, and without one what is fed to it.
pub(super) fn is_remote(program: &str) -> bool {
    is_called(program, "ssh") || is_called(program, "autossh")
}

/// Whether such a program is given a line behind its host, so that what is fed to it goes to that line. The value of an
/// option is no line.
pub(super) fn has_a_line(words: &[Word]) -> bool {
    const TAKE_A_VALUE: &str = "BbcDEeFIiJLlmOoPpQRSWw";
    let mut is_value = false;
    let operands = words.iter().filter(|word| {
        let is_operand = !std::mem::take(&mut is_value) && !word.text.starts_with('-');
        // The first letter that takes a value takes the rest of its word, or else the next one.
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        is_value = letters.find(|letter| TAKE_A_VALUE.contains(letter)).is_some_and(|at| at + 1 == letters.len());
        is_operand
    });
    operands.count() > 1
}

/// Whether a tool reads commands from its standard input.
pub(super) fn reads_commands(program: &str) -> bool {
    const READERS: &str = "telnet rsh rlogin mosh ftp sftp";
    is_one_of(program, READERS)
}

/// Whether a program starts what one of its arguments names behind one of its own words: `docker exec`.
pub(super) fn is_a_front(program: &str) -> bool {
    const FRONTS: &str = "docker podman nerdctl docker-compose lxc kubectl oc crictl ctr flatpak snap poetry pipenv pdm hatch uv \
                          conda mamba micromamba nix nix-shell guix rbenv pyenv nodenv asdf mise vagrant heroku fly flyctl \
                          gcloud bundle yarn pnpm npm op chamber aws-vault doppler";
    is_one_of(program, FRONTS)
}

/// Whether the subcommand of such a program starts nothing that its words name.
pub(super) fn starts_nothing_else(words: &[Word]) -> bool {
    const QUIET: &str = "ps logs log stop start restart kill rm rmi build pull push tag images inspect cp info version status stats \
                         top get describe delete apply scale rollout expose label config context install i ci add remove \
                         uninstall update upgrade list ls show search init new login logout publish pack view outdated audit \
                         lock sync up down halt suspend resume destroy env which whoami cache store projects compute";
    let subcommand = words.iter().find(|word| !word.prefix().starts_with('-'));
    subcommand.is_none_or(|word| word.computed || QUIET.split_whitespace().any(|known| known == word.text))
        && !words.iter().any(|word| fronts(&word.text))
}

/// The word behind which such a program starts something.
pub(super) fn fronts(word: &str) -> bool {
    matches!(
        word,
        "exec" | "run" | "shell" | "x" | "dlx" | "ssh" | "-c" | "--command" | "--run" | "develop" | "rsh" | "--"
    )
}

/// Whether a tool runs commands from a configuration file, which it finds by itself or by an option.
pub(super) fn is_told_by_a_file(program: &str) -> bool {
    const TOLD: &str = "make gmake just ninja npm yarn pnpm cargo go rake tox pytest composer mvn gradle ant cmake ctest bazel \
                        run-parts logrotate ssh scp sftp man pip uv poetry nox pre-commit ansible ansible-playbook \
                        terraform bundle mix sbt lein stack cabal dune meson scons gulp grunt webpack vite jest vitest \
                        mocha eslint latexmk pdflatex bats docker-compose npx bunx pnpx supervisord";
    is_one_of(program, TOLD)
}

/// The system folders. A program elsewhere can have any name.
const FOLDERS: &[&str] = &["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];

/// The role of a program, by its name or path.
pub(super) fn role(program: &str) -> Role {
    static ROLES: LazyLock<HashMap<&str, Role>> = LazyLock::new(|| {
        // A program that is in several roles has the first one.
        let names = PROGRAMS.iter().rev().flat_map(|(role, names)| names.split(' ').map(|name| (name, *role)));
        names.collect()
    });
    let of = |name: &str| ROLES.get(name).copied();
    let is_of_the_system = program.rsplit_once('/').is_none_or(|(folder, _)| FOLDERS.contains(&folder));
    match of(base(program)) {
        Some(Role::Quiet | Role::Evaluates) if !is_of_the_system => Role::Unknown,
        Some(role) => role,
        // A version suffix is ignored only for programs that start others, so that no unknown program counts as harmless.
        None => match of(unversioned(program)) {
            None | Some(Role::Quiet | Role::Evaluates) => Role::Unknown,
            Some(role) => role,
        },
    }
}

fn is_one_of(program: &str, names: &str) -> bool {
    let (name, unversioned) = (base(program), unversioned(program));
    names.split_whitespace().any(|known| name == known || unversioned == known)
}

pub(super) fn is_called(program: &str, name: &str) -> bool {
    base(program) == name || unversioned(program) == name
}

/// The name of a program without version and platform: `python3.11`, `perl5.36-x86_64-linux-gnu`.
fn unversioned(program: &str) -> &str {
    let name = base(program);
    &name[..name.find(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')).unwrap_or(name.len())]
}
