//! Disguises that were once missed, by what hides the command.

use super::selects;

/// What hides it, and lines that run `rm -rf x` or `git push origin`.
const ROWS: &[(&str, &[&str])] = &[
    (
        "a substitution within an expansion",
        &[
            "cat ${x:-<(rm -rf x)}",
            "cat ${x:->(rm -rf x)}",
            "echo ${x+$(rm -rf x)}",
            ": ${x/a/`rm -rf x`}",
            "echo ${a[$(rm -rf x)]}",
        ],
    ),
    (
        "a lone dollar sign",
        &[
            "x=$ rm -rf x",
            "x+=$ rm -rf x",
            "a[0]=$ rm -rf x",
            "x=a y=$ rm -rf x",
            "<<< $   rm -rf x",
            "> $ rm -rf x",
            "<<<$ rm -rf x",
            "x=$;rm -rf x",
        ],
    ),
    (
        "a word that the grammar ends early",
        &["a=0][$: rm -rf x", "a[0]=x]$: rm -rf x", ">0]$: rm -rf x", "<<<a]$: rm -rf x"],
    ),
    (
        "standard input of what starts others",
        &[
            "ssh host <<'A'\nrm -rf x\nA",
            "echo 'rm -rf x' | ssh host",
            "chroot / <<'A'\nrm -rf x\nA",
            "newgrp <<'A'\nrm -rf x\nA",
            "telnet host <<'A'\nrm -rf x\nA",
            "printf '\\162m -rf x' | ssh -p 22 host",
            "printf '\\162m -rf x' | ssh -i k -l u -o X=y host",
            "printf '\\162m -rf x' | ssh -vp 22 host -T",
            "printf '\\162m -rf x' | docker run -i img",
            "printf '\\162m -rf x' | vagrant ssh",
            "printf '\\162m -rf x' | kubectl exec -i pod -- sh",
        ],
    ),
    (
        "words that are read",
        &[
            "echo -rf x | sudo xargs rm",
            "echo x | timeout 5 xargs rm -rf",
            "echo x | busybox xargs rm",
            "X=rm; echo x | xargs $X -rf",
        ],
    ),
    ("a tilde", &["OLDPWD=/bin/rm; ~- -rf x", "PWD=/bin/rm; ~+ -rf x", "pushd -n /bin/rm; ~1 -rf x"]),
    (
        "an option that takes a command",
        &[
            "tar -xf t --to-command=\"$X\"",
            "zip -TT \"$X\" a b",
            "split --filter=\"$X\"",
            "make -f <(printf 'a:\\n\\trm -rf x\\n')",
            "docker exec c $X -rf x",
            "docker execc $X x",
            "git clone -u'rm -rf x' file:///r y",
            "git clone -qu'rm -rf x' file:///r y",
            "git clone -ccore.sshCommand='rm -rf x' ssh://h/r y",
            "git -ccore.sshCommand='rm -rf x' fetch ssh://h/r",
        ],
    ),
    (
        "other delimiters and shortened options",
        &[
            "sed 'sZaZrm -rf xZe' <<< a",
            "git ls-remote --upload-pac='rm -rf x' .",
            "gawk -E /dev/stdin <<'A'\nBEGIN{system(\"rm -rf x\")}\nA",
            "node --loader=data:text/javascript,x a.js",
            "vimdiff -c 'exe \"!r\".\"m -rf x\"' a b",
        ],
    ),
    (
        "arithmetic",
        &[
            "echo $((${BASH_EXECUTION_STRING##*#})) # a[$(rm -rf x)]",
            "X=BASH_CMD; declare \"${X}S[zap]=/bin/rm\"; zap -rf x",
            "echo 'a[$(rm -rf x)]' | { command read x; echo $((x)); }",
        ],
    ),
];

#[test]
fn what_was_missed_once_is_selected() {
    for (what, lines) in ROWS {
        for line in *lines {
            for rule in ["Bash(rm *)", "Bash(rm -rf *)", "Bash(rm:*)"] {
                assert!(selects(rule, line), "{what}: {rule} does not select {line:?}");
            }
        }
    }
}

/// Rules, and lines that run their program.
const RULES: &[(&str, &[&str])] = &[
    // The end of the command of `find` is no argument of it.
    (
        "Bash(npm publish)",
        &[
            "find . -maxdepth 0 -exec npm publish \\;",
            "find . -maxdepth 0 -execdir npm publish ';' -print",
            "find . -exec 'npm' publish {} +",
            "env npm publish ';'",
            "wrapper npm publish :::",
        ],
    ),
    // `$"` in a word.
    (
        "Bash(rm *)",
        &[
            "r$\"\"m x",
            "rm$\"\" x",
            "r$\"m\" x",
            "\"r\"$\"m\" x",
            "$\"r\"$\"m\" x",
            "/srv/bin/r$\"\"m x",
            "r$''$\"\"m x",
            "a=b r$\"\"m x",
            "cat <<A\n$(''r$\"m\"\\\n \"x\")\nA",
        ],
    ),
    // A glob or tilde in a place for commands.
    (
        "Bash(rm *)",
        &[
            "EDITOR='bin/r?' git commit --amend",
            "GIT_SSH_COMMAND='bin/[r]m' git fetch",
            "EDITOR='~-' git commit",
            "git -c core.editor='bin/r?' commit --amend",
            "git -c core.editor='~/../bin/r?' commit",
            "git config core.editor 'bin/r?'; git commit --amend",
            "git difftool -y -x 'bin/r?' HEAD~1",
            "git clone --config=core.sshCommand='r?' ssh://h/r",
            "tar -I 'bin/r?' -cf a.tar x",
            "tar --to-command='bin/r?' -xf a.tar",
            "split --filter='bin/r?' data",
            "zip -TT 'bin/r?' a.zip y",
        ],
    ),
    // Startup files that the line writes.
    (
        "Bash(rm *)",
        &[
            "printf '\\162m x' > ~/.bashrc; bash -ic :",
            "printf '\\162m x' > ~/.bashrc; exec bash -ic ls",
            "printf '\\162m x' > ~/.profile; sudo bash -lc ls",
            "printf '\\162m x' > ~/.profile; sudo -i ls",
            "printf '\\162m x' > ~/.profile; exec -l bash -c ls",
            "printf '\\162m x' > q; bash --rcfile q -ic :",
            "printf '\\162m x' > q; bash --init-file q -ic :",
        ],
    ),
    // A file that the line writes as a value.
    (
        "Bash(rm *)",
        &[
            "printf 'r\\m x' > h; chmod +x h; tar -I ./h -cf /tmp/a x",
            "printf 'r\\m x' > h; chmod +x h; split --filter=./h data",
            "printf 'r\\m x' > prof; chmod +x prof; tar -I./prof -cf /tmp/a x",
            "printf 'r\\m x' > h; chmod +x h; zip -qT -TT ./h a.zip y",
            "printf 'r\\m x' > h; chmod +x h; sort --compress-program=./h data",
            "printf 'r\\m x' > h; chmod +x h; git -c core.fsmonitor=./h status",
            "printf 'r\\m x' > h; chmod +x h; git config core.fsmonitor ./h; git status",
            "printf 'r\\m x' > h; chmod +x h; git -c diff.external=./h diff HEAD~1",
            "printf 'r\\m x' > h; chmod +x h; sh -c 'tar -I ./h -cf /tmp/a x'",
            "printf -- '-wrapper r\\m,x' > q; touch q.c; gcc @q -c q.c",
            "printf 'r\\m x' > \"$a\"; tar -I ./h -cf /tmp/a x",
        ],
    ),
    // What an unknown program starts.
    (
        "Bash(rm *)",
        &[
            "frobrun bin/r? x",
            "frobrun timeout 5 bin/r[m] x",
            "printf '\\162m x' | xargs frobrun",
            "printf '\\162m x' | xargs -0 frobsh",
            "find bin/ -name 'r?' | xargs frobrun",
            "frobrun perl -e 'system \"\\x72m x\"'",
            "frobrun env perl -e 'system \"\\x72m x\"'",
            "frobrun python3 <<< $'import os\\nos.system(\"\\\\x72m x\")'",
            "frobrun xargs env <<< $'\\\\x72m x'",
            "frobrun env $a x",
            "frobrun sudo \"$a\" x",
            "frobrun nice $a x",
            "frobrun script -qc \"$a\" /dev/null",
            "frobrun sh <(echo '$a x')",
            "frobrun sh /dev/stdin < h",
            "frobrun awk -f <(echo $a)",
            "frobrun perl <(echo $a)",
            "frobrun make -f <(echo $a)",
            "frobsh \"cd .; $a\"",
            "frobsh \"env $a x\"",
        ],
    ),
    // A subcommand that starts others.
    (
        "Bash(git push *)",
        &["git -c maint.repo=. for-each-repo --config=maint.repo push", "git for-each-repo --config maint.repo push"],
    ),
    // A test.
    ("Bash([ *)", &["[ a ]", "if [ -n a ]; then :; fi"]),
];

#[test]
fn a_line_selects_the_rule_of_the_program_that_it_runs() {
    for (rule, lines) in RULES {
        for line in *lines {
            assert!(selects(rule, line), "{rule} does not select {line:?}");
        }
    }
}

/// What takes too long counts as not understood.
#[test]
fn a_long_line_is_judged_in_time() {
    for (begin, part, count) in [
        ("find . ", "-exec echo {} \\; ", 400),
        ("", "find . -exec echo {} \\;\n", 100),
        ("", "env ", 5_000),
        ("", "frob ", 5_000),
        ("frob ", "'a b' ", 300),
        ("env x ", "'a b' ", 300),
        ("", "timeout 5 ", 100),
        ("git ", "-c a.b=c ", 800),
        ("", "bash -c 'a b' ", 300),
    ] {
        let line = begin.to_owned() + &part.repeat(count) + "x";
        let began = std::time::Instant::now();
        selects("Bash(rm *)", &line);
        selects("Bash(git push *)", &line);
        selects("Bash(*rm*)", &line);
        assert!(began.elapsed() < std::time::Duration::from_secs(20), "{begin}{part}: {:?}", began.elapsed());
    }
}

/// The program that the option names gets the address.
#[test]
fn a_program_in_an_option_is_selected() {
    assert!(selects("Bash(rm *)", "git clone -urm file:///r y"));
}

/// What these programs do on ordinary days selects no guard of another program.
#[test]
fn ordinary_lines_of_such_programs_are_not_selected() {
    for line in [
        "ssh -p 22 host uptime",
        "cat a.sql | ssh -p 22 db /opt/restore",
        "docker stop $(docker ps -q)",
        "docker logs \"$name\"",
        "npm install \"$package\"",
        "kubectl get pods -n \"$ns\"",
        "cat pod.yaml | kubectl apply -f -",
        "git clone -q https://example.com/r y",
        "git status -uno",
        "git commit -am 'remove x'",
        "git push -u origin main",
        "git config user.name",
        "echo \"it costs 5$\" > a; [ -f a ]",
        "cp a.txt out/ && tar --exclude='out/*' -czf out/a.tgz src",
        "rsync -av --exclude 'target/*' dist/ host:/srv > log",
        "zip -r a.zip . -x '*.git/*'",
        "git ls-files -z | xargs -0 -n 5 wc -l",
        "bash -c 'wc a' > log",
        "GREP_OPTIONS='--include=*.rs' grep x",
        "apt-get install -y python3 nodejs",
        "npm run watch",
        "prettier src/*.ts",
    ] {
        assert!(!selects("Bash(shred *)", line), "{line}");
    }
}
