//! A grammar of lines that run `rm -rf x`, most of them in disguise. It is written from the manual of bash, and knows
//! nothing of the filter.

use super::Numbers;

/// Ways to write the command. `@STUBS@` is the folder of the program.
const CALLS: &[&str] = &[
    "rm -rf x",
    "rm x",
    "\\rm -rf x",
    "'rm' -rf x",
    "r\"m\" -rf x",
    "r''m -rf x",
    "$'\\x72m' -rf x",
    "$'\\162\\155' -rf x",
    "$\"rm\" -rf x",
    "r$\"\"m -rf x",
    "\"r\"$\"m\" -rf x",
    "@STUBS@/rm -rf x",
    "@STUBS@/r? -rf x",
    "r\\\nm -rf x",
    "{rm,-rf,x}",
    "{r,}m x",
    "X=rm; $X -rf x",
    "X='rm -rf x'; $X",
    "X=r; ${X}m -rf x",
    "X=rm; \"$X\" x",
    "X=rm n=X; ${!n} x",
    "x=$ rm -rf x",
    "x+=$ rm -rf x",
    "a[0]=$ rm -rf x",
    "x=a y=$ rm x",
    "a=(rm -rf x); \"${a[@]}\"",
    "set -- rm -rf x; \"$@\"",
    "set -- rm; $1 x",
    "OLDPWD=@STUBS@/rm; ~- -rf x",
    "PWD=@STUBS@/rm; ~+ -rf x",
    "HOME=@STUBS@/rm; ~ -rf x",
    "HOME=@STUBS@; ~/rm -rf x",
    "pushd -n @STUBS@/rm >/dev/null; ~1 x",
    "${Z:-rm} -rf x",
    "${Z=rm} x",
    "${PATH:+rm} x",
    "$(echo rm) -rf x",
    "`echo rm` -rf x",
    "\"$(printf %s rm)\" x",
    "hash -p @STUBS@/rm ls; ls -rf x",
    "alias q=rm; eval q x",
    "f() { rm \"$@\"; }; f -rf x",
    "function f { rm x; }; f",
    "cp @STUBS@/rm q; ./q x",
    "ln -s @STUBS@/rm q; ./q x",
    "ln -s @STUBS@/rm ls; PATH=.:$PATH; ls x",
    "cd @STUBS@ && ./rm x",
    "(exec -a ls rm x)",
    ": rm; $_ x",
    "D=X; declare $D=rm; $X x",
    "BASH_CMDS[q]=@STUBS@/rm; q x",
    "X=BASH_CMD; declare \"${X}S[q]=@STUBS@/rm\"; q x",
    "printf -v X rm; $X x",
    "read -r X <<< rm; $X x",
    "mapfile -t a <<< rm; ${a[0]} x",
    "for c in rm; do $c x; done",
    "select c in rm; do $c x; break; done <<< 1",
    "case rm in *) rm x;; esac",
    "trap 'rm x' EXIT",
    "trap 'rm x' DEBUG; :",
    "PROMPT_COMMAND='rm x'; bash -i -c :",
    "PS4='$(rm x)'; set -x; :",
    "BASH_ENV=<(echo rm x) bash -c :",
    "enable -n echo; rm x",
    "command rm x",
    "command -p @STUBS@/rm x",
    "builtin eval 'rm x'",
    "coproc rm x; wait",
    "coproc { rm x; }; wait",
    "rm x &\nwait",
    "! rm x",
    "time rm x",
    "time -p rm x",
    "[[ a == a ]] && rm x",
    "((1)) && rm x",
    "if rm x; then :; fi",
    "while rm x; do break; done",
    "rm<<<x -rf",
    "<<<x rm",
    "rm >/dev/null -rf x",
    "2>&1 rm x",
    "{fd}>/dev/null rm x",
    "rm -rf x #'",
    "ls |& rm x",
    "rm x;",
    "y=1 rm x",
    "y=$(date) rm x",
    "y=\"a b\" z='c' rm x",
    "y=(1 2); rm x",
    "echo $((${BASH_EXECUTION_STRING##*#})) # a[$(rm x)]",
    "echo 'a[$(rm x)]' | { read y; echo $((y)); }",
    "echo 'a[$(rm x)]' | { command read y; echo $((y)); }",
    "y='a[$(rm x)]'; echo $((y))",
    "y='a[$(rm x)]'; ((y))",
    "y='a[$(rm x)]'; [[ $y -eq 1 ]]",
    "y='a[$(rm x)]'; [[ -v $y ]]",
    "y='a[$(rm x)]'; test -v \"$y\"",
    "y='a[$(rm x)]'; declare -i z=$y",
    "y='a[$(rm x)]'; let z=y",
    "y='a[$(rm x)]'; echo ${a[y]}",
    "y='a[$(rm x)]'; echo ${PATH:y}",
    "y='a[$(rm x)]'; echo ${PATH:0:y}",
    "y='a[$(rm x)]'; printf -v \"$y\" z",
    "y='a[$(rm x)]'; unset \"$y\"",
    "y='a[$(rm x)]'; read -r \"$y\" <<< 1",
    "y='a[$(rm x)]'; for ((i=y;i<0;i++)); do :; done",
    "y='a[$(rm x)]'; a[y]=1",
    "y='$(rm x)'; echo ${y@P}",
    "y='a[$(rm x)]'; RANDOM=$y",
    "set -- 'a[$(rm x)]'; echo $(($1))",
    "f() { echo $(($1)); }; f 'a[$(rm x)]'",
    "getopts \"a[\\$(rm x)]\" q",
];

/// Hosts of a substitution `%h`.
const HOSTS: &[&str] = &[
    "echo %h",
    "echo \"%h\"",
    "echo a\"b%h\"'c'",
    "echo a%hb",
    "cat ${y:-%h}",
    "cat ${y-%h}",
    "cat \"${y:-%h}\"",
    ": ${y:=%h}",
    ": ${PATH:+%h}",
    ": ${PATH+%h}",
    ": ${PATH/a/%h}",
    ": ${PATH//%h/b}",
    ": ${PATH#%h}",
    ": ${PATH##*%h}",
    ": ${PATH%%h}",
    ": ${PATH^%h}",
    ": ${PATH,,%h}",
    ": ${PATH:%h}",
    ": ${PATH:0:%h}",
    ": ${PATH@%h}",
    ": ${a[%h]}",
    ": \"${a[%h]:-b}\"",
    ": ${y:?%h}",
    ": ${y:-${z:-%h}}",
    ": ${y:-a %h b}",
    ": ${@:-%h}",
    ": ${*:+%h}${1:-%h}",
    ": ${#a[%h]}",
    ": ${!y:-%h}",
    "y=%h",
    "y=a%hb z=1",
    "y=(a %h)",
    "y+=(%h)",
    "y=([%h]=1)",
    "a[%h]=1",
    "[[ a == %h ]]",
    "[[ -n %h ]]",
    "[[ a =~ %h ]]",
    "[[ a =~ ^(b|%h)$ ]]",
    "[ -n %h ]",
    "test -f %h",
    "case %h in *) ;; esac",
    "case a in b|%h) ;; esac",
    "for i in a %h; do :; done",
    "for ((i=%h;i<0;i++)); do :; done",
    "cat <<E\na %h b\nE",
    "cat <<-E\n\t%h\n\tE",
    "cat <<E\n${y:-%h}\nE",
    "cat <<E\n\"%h\"\nE",
    "cat <<< %h",
    "cat <<< \"a %h\"",
    "cat < %h",
    "cat 3< %h",
    ": > %h",
    ": 2> %h",
    ": &> %h",
    ": $((1+%h))",
    ": $((a[%h]))",
    ": $[%h]",
    "((y=%h))",
    "let y=%h",
    ": {a,%h}",
    ": $'a'%h",
    ": $\"%h\"",
    "export y=%h",
    "export %h",
    "local y=%h",
    "declare -a y=(%h)",
    "readonly y%h",
    "unset y%h",
    "printf %s %h",
    "f() { : %h; }; f",
    "f() { :; } 2> %h; f",
    "{ :; } > %h",
    "( : ) > %h",
    "while : %h; do break; done",
    "until : %h; do :; done",
    "select i in %h; do break; done </dev/null",
    "return %h",
    "exec 3< %h",
    "ls @(%h|b)",
    "ls !(%h)",
    "shopt -s extglob\nls ?(%h)",
    "\"%h\"",
    "%h",
    "y=%h true",
    "echo \\\\%h",
    "echo \"\\\\%h\"",
    "echo \"`echo \\\"%h\\\"`\"",
    "echo $(echo $(echo %h))",
    ": # \n: %h",
    "time : %h",
    "! : %h",
    "coproc : %h",
    "cat <(cat %h)",
    "tee >(cat > %h) </dev/null",
    "make -f <(printf 'a:\\n\\t%h\\n')",
];

/// The substitution of a command `%c`.
const SUBSTITUTIONS: &[&str] = &[
    "$(%c)",
    "`%c`",
    "<(%c)",
    ">(%c)",
    "$(%c\n)",
    "$( %c; )",
    "$( (%c) )",
    "$(\n%c)",
    "$({ %c; })",
    "<( %c )",
    "$(cat < <(%c))",
];

/// Lines around a command `%c`.
const AROUND: &[&str] = &[
    "{ %c; }",
    "(%c)",
    "( %c )",
    "! %c",
    "true && %c",
    "false || %c",
    "true; %c",
    "true | %c",
    "%c | cat",
    "%c &\nwait",
    "true\n%c",
    "%c && true",
    "if true; then %c; fi",
    "if %c\nthen :; fi",
    "if false; then :; elif %c; then :; else %c; fi",
    "for i in 1; do %c; done",
    "for ((i=0;i<1;i++)); do %c; done",
    "for ((i=0;i<1;i++)) { %c; }",
    "while :; do %c; break; done",
    "until %c; do break; done",
    "case y in y) %c;; esac",
    "case y in (y) %c\n;; esac",
    "case y in y) ;& z) %c;; esac",
    "case y in *) %c; esac",
    "f() { %c; }; f",
    "f() ( %c ); f",
    "function f { %c; }; f",
    "function f() { %c; } >/dev/null; f",
    "f() if true; then %c; fi; f",
    "cat <<'A'\nit's\nA\n%c",
    "cat <<A; %c\n\"\nA",
    "cat <<-A\n\t'\n\tA\n%c",
    "cat <<'A' <<'B'\n'\nA\n\"\nB\n%c",
    "cat <<\"A B\"\n'\nA B\n%c",
    "# it's\n%c",
    "true # \"\n%c",
    "true # `\n%c",
    "true#`true`\n%c",
    "[[ a =~ [#] ]]; %c",
    "[[ a =~ (a|b) ]] && %c",
    "echo ${#x} $#; %c",
    "echo ${x#\\'}; %c",
    "echo $'\\''; %c",
    "echo \"a 'b\"; %c",
    "echo a\\'b; %c",
    "echo 'a\\'; %c",
    "echo \"$(echo ')')\"; %c",
    "echo $(echo '(' # )\n); %c",
    "y=#; %c",
    "echo a#b; %c",
    "echo $((1<<2)); %c",
    "echo $((2>1)) && %c",
    "((1<2)) && %c",
    "echo \\\\; %c",
    "echo 1 2>&1; %c",
    "echo >&2 a; %c",
    "exec 3>&1; %c",
    "set -e; %c",
    "set -- a b; %c",
    "shift 0; %c",
    "y=(a 'b' \"c\"); %c",
    "y[1]=a; %c",
    "\\\n%c",
    "true && \\\n%c",
    "  \t%c",
    "true &&\n# a\n%c",
    "{ # it's\n%c\n}",
    "echo {a,b} {1..3}; %c",
    "echo *.rs ?; %c",
    "echo ~ ~root; %c",
    "true;\r\n%c",
    "eval %s",
    "eval \"$(echo %s)\"",
    "eval -- %s",
    "sh -c %s",
    "bash -c %s",
    "bash -ec %s",
    "bash --norc -c %s a b",
    "bash -c '\"$@\"' a %c",
    "bash -c '$0' %s",
    "sh -c \"$(cat <<'E'\n%c\nE\n)\"",
    "sh -c 'eval \"$1\"' a %s",
    "dash -c %s",
    "env -S %w",
    "env -i PATH=\"$PATH\" sh -c %s",
    "trap %s EXIT",
    "trap -- %s 0",
    "find /dev/null -exec sh -c %s \\;",
    "find /dev/null -exec env sh -c %s {} +",
    "xargs -I{} sh -c %s <<< a",
    "echo a | xargs sh -c %s",
    "echo %s | xargs -0 sh -c",
    "echo %s | xargs -d '\\n' -I_ sh -c _",
    "perl -e 'system(@ARGV)' sh -c %s",
    "awk -v c=%s 'BEGIN { system(c) }'",
    "awk 'BEGIN { system(ARGV[1]) }' %s",
    "echo %s | awk '{ system($0) }'",
    "echo %s | sed 's/^/ /e'",
    "echo a | sed \"1e $(echo %s)\"",
    "sed '1e '%s <<< a",
    "echo %s | sed 'sZ.*Z&Ze'",
    "echo %s | sed -n 's,a,a,;e'",
    "split --filter=%s <<< a",
    "split --filt=%s <<< a",
    "Y=%s; split --filter=\"$Y\" <<< a",
    "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=%s /etc/hostname",
    "Y=%s; tar -cf a.tar /etc/hostname; tar -xf a.tar --to-command=\"$Y\"",
    "tar -cf a.tar /etc/hostname; tar -xf a.tar --to-comm=%s",
    "sort --compress-program=sh -S1 /dev/null; %c",
    "git -c alias.q='!'%s q",
    "git -c core.pager=%s -p log",
    "GIT_SSH_COMMAND=%s git ls-remote ssh://a/b",
    "git ls-remote --upload-pack=%s .",
    "git ls-remote --upload-pac=%s .",
    "git clone -u%s file:///r y",
    "git clone -qu%s file:///r y",
    "git -ccore.sshCommand=%s clone ssh://h/r y",
    "git clone -ccore.sshCommand=%s ssh://h/r y",
    "git -c core.sshCommand=%s fetch ssh://h/r",
    "make -f - <<'E'\na:\n\t%c\nE",
    "make --eval=\"a:;\"%s a",
    "printf 'a:\\n\\t%%s\\n' %s > Makefile; make",
    "vim -es -c '!'%s -c q",
    "ed -s <<'E'\n!%c\nq\nE",
    "sqlite3 :memory: '.shell '%s",
    "node -e 'require(\"child_process\").execSync(process.argv[1])' %s",
    "script -qc %s /dev/null",
    "nice sh -c %s",
    "timeout 5 sh -c %s",
    "sudo sh -c %s",
    "sudo -u root sh -c %s",
    "ssh host %s",
    "ssh -t host %s",
    "docker exec c sh -c %s",
    "watch %s",
    "parallel ::: %s",
    "command eval %s",
    "exec sh -c %s",
    "printf %s%%s %s > q; sh q; :",
    "echo %s > q; . ./q",
    "echo %s > q; chmod +x q; ./q",
    "echo %s | tee q >/dev/null; bash q",
    "cat > q <<'E'\n%c\nE\nsh ./q",
    "source <(echo %s)",
    ". /dev/stdin <<< %s",
    "sh <(echo %s)",
    "bash <<< %s",
    "BASH_ENV=q; echo %s > q; export BASH_ENV; bash -c :",
    "env %c",
    "env -u A B=1 %c",
    "nice -n 1 %c",
    "timeout 5 %c",
    "nohup %c",
    "stdbuf -oL %c",
    "setsid -w %c",
    "sudo %c",
    "sudo -u root %c",
    "doas %c",
    "busybox %c",
    "command %c",
    "command -- %c",
    "exec %c",
    "wrapper %c",
    "wrapper -- %c",
    "strace -f %c",
    "xargs %c </dev/null",
    "xargs -r %c <<< a",
    "xargs -I% %c <<< a",
    "find /dev/null -exec %c \\;",
    "time %c",
    "X=1 %c",
];

/// What reads commands that are fed to it.
const READERS: &[&str] = &[
    "sh",
    "bash",
    "bash -s",
    "bash -s -- a",
    "bash /dev/stdin",
    "sh -",
    "dash",
    "sudo sh",
    "sudo -s",
    "sudo -i",
    "sudo -u root bash",
    "env bash",
    "env -i PATH=\"$PATH\" sh",
    "nice sh",
    "timeout 5 bash",
    "nohup sh",
    "setsid -w sh",
    "stdbuf -o0 sh",
    "command sh",
    "exec sh",
    "busybox sh",
    "ssh host",
    "ssh -T host",
    "ssh -p 22 host",
    "ssh -i k -l u -o X=y host",
    "ssh -vp 22 host",
    "ssh -p22 host",
    "ssh host -p 22",
    "ssh -J a host sh",
    "docker run -i img",
    "docker run --rm -i img sh",
    "vagrant ssh",
    "ssh host sh",
    "sudo ssh host",
    "timeout 5 ssh host",
    "chroot /",
    "sudo chroot /",
    "newgrp a",
    "telnet host",
    "unshare -r",
    "rlogin host",
    "(sh)",
    "{ sh; }",
    "if true; then sh; fi",
    "for i in 1; do sh; done",
    "cat | sh",
    "tee /dev/null | sh",
    "sed 's/^//' | bash",
    "tr a a | env sh",
    "while read -r l; do eval \"$l\"; done",
    "while read -r l; do $l; done",
    "while read -r a b; do $a $b; done",
    "{ read -r l; $l; }",
    "{ IFS= read -r l; sh -c \"$l\"; }",
    "{ mapfile -t m; eval \"${m[0]}\"; }",
    "eval \"$(cat)\"",
    "$(cat)",
    "sh -c \"$(cat)\"",
    "bash -c 'sh'",
    "bash -c 'ssh host'",
    "sh -c 'eval \"$(cat)\"'",
    "xargs -I{} sh -c {}",
    "xargs -d '\\n' sh -c",
    "xargs env",
    "xargs sudo",
    "xargs -n 9 timeout 5",
    "sudo xargs env",
    "env xargs command env",
    "parallel -j1",
    "awk '{ system($0) }'",
    "awk '{ print | \"sh\" }'",
    "perl -ne 'system $_'",
    "perl -e 'system(<STDIN>)'",
    "node -e 'require(\"child_process\").execSync(require(\"fs\").readFileSync(0)+\"\")'",
    "sed e",
    "sed -n 'e'",
    "source /dev/stdin",
    ". /dev/fd/0",
    "docker exec -i c sh",
    "strace sh",
];

/// What prints the line `%s`.
const PRINTERS: &[&str] = &[
    "echo %s",
    "printf '%s\\n' %s",
    "printf %s %s",
    "printf '%b\\n' %s",
    "cat <<< %s",
    "cat <<'P'\n%c\nP\n",
    "printf '\\162\\155 x\\n'",
    "printf 'r%s' 'm x'",
    "echo 'x mr' | rev",
    "echo qm x | tr q r",
    "echo cm0geAo= | base64 -d",
    "echo rm; echo x; } | paste -sd ' ' | {",
    "Y=%s; echo \"$Y\"",
    "echo $'\\x72m x'",
    "bash -c 'echo rm x'",
];

/// One that does not show what it prints.
const ENCODED: &str = "printf '\\162\\155 x\\n'";

/// What joins a reader `%r` and what it reads.
const FEEDS: &[&str] = &[
    "{ %p; } | %r",
    "%r < <(%p)",
    "%r <<< \"$(%p)\"",
    "%r <<'F'\n%c\nF",
    "%r <<F\n%c\nF",
    "<<'F' %r\n%c\nF",
    "{ %p; } > q; %r < q",
    "{ %p; } |& %r",
    "coproc %r; { %p; } >&\"${COPROC[1]}\"; exec {COPROC[1]}>&-; wait",
    "exec 0< <(%p); %r",
    "%r 0<<'F'\n%c\nF",
    "true | { %p; } | (%r)",
    "if true; then %r; fi <<'F'\n%c\nF",
    "{ %r; } <<'F'\n%c\nF",
];

/// Arguments that come from somewhere else.
const ARGUMENTS: &[&str] = &[
    "echo x | xargs rm",
    "echo -rf x | sudo xargs rm",
    "echo rm x | xargs env",
    "echo x | timeout 5 xargs rm -rf",
    "echo x | env nice xargs rm",
    "echo x | command xargs -n1 rm",
    "echo x | busybox xargs rm",
    "echo rm | xargs -I% % x",
    "echo m | xargs -I% env r% x",
    "X=rm; echo x | xargs $X -rf",
    "X=rm; echo x | sudo xargs $X",
    "X=rm; sudo $X x",
    "X=rm; env $X x",
    "X=rm; docker exec c $X x",
    "X='env rm'; timeout 5 $X x",
    "X=rm; find /dev/null -exec $X x \\;",
    "X='-exec rm x ;'; find /dev/null $X",
    "X=-exec; find /dev/null \"$X\" rm x \\;",
    "X=rm; wrapper $X x",
    "X=rm; nice -n 1 \"$X\" x",
    "X='rm x'; split --filter=\"$X\" <<< a",
    "X='rm x'; sh -c \"$X\"",
    "X='-c'; sh $X 'rm x'",
    "X='s/a/rm x/e'; sed $X <<< a",
    "X='s/a/rm x/e'; sed -e \"$X\" <<< a",
    "X='BEGIN{system(\"rm x\")}'; awk \"$X\"",
    "X='rm x'; awk -v y=\"$X\" 'BEGIN{system(y)}'",
    "X='system(\"rm x\")'; perl -e \"$X\"",
    "X='rm x'; eval $X",
    "X='rm x'; trap \"$X\" EXIT",
    "X='rm x'; ssh host $X",
    "X=rm; exec $X x",
    "X=rm; command $X x",
    "X=rm; time $X x",
    "X=rm; coproc $X x",
    "tar -cf a.tar /etc/hostname; X='rm x'; tar -xf a.tar --to-command=\"$X\"",
    "tar -cf a.tar /etc/hostname; X='--to-command=rm x'; tar -xf a.tar \"$X\"",
    "sudo env timeout 5 nice rm x",
    "sudo -u root env A=1 sh -c 'exec rm x'",
    "printf '%s\\0' rm x | xargs -0 sudo",
    "echo x > list; xargs -a list rm",
    "find . -maxdepth 0 -exec rm x {} +",
    "find . -maxdepth 0 -ok rm x \\; <<< y",
    "find /dev/null -execdir env rm x \\;",
];

/// Makes lines.
pub(super) struct Grammar(pub(super) Numbers);

impl Grammar {
    /// Each entry once, in the simplest line.
    pub(super) fn each() -> Vec<String> {
        let line = "rm x";
        let host = |host: &&str, substitution: &str| host.replace("%h", &substitution.replace("%c", line));
        let feed = |feed: &str, reader: &str, printer: &str| {
            filled(&feed.replace("%r", reader), line).replace("%p", &filled(printer, line))
        };
        let hosts = HOSTS.iter().flat_map(|one| [host(one, "$(%c)"), host(one, "`%c`"), host(one, "<(%c)")]);
        let substitutions = SUBSTITUTIONS.iter().map(|one| host(&"echo %h", one));
        let read = READERS.iter().flat_map(|one| [feed(FEEDS[0], one, PRINTERS[0]), feed(FEEDS[0], one, ENCODED)]);
        let printers = PRINTERS.iter().map(|one| feed(FEEDS[0], "sh", one));
        let feeds = FEEDS.iter().map(|one| feed(one, "sh", ENCODED));
        let others = CALLS.iter().chain(ARGUMENTS).map(|one| (*one).to_owned());
        let around = AROUND.iter().map(|one| filled(one, line));
        others.chain(around).chain(hosts).chain(substitutions).chain(read).chain(printers).chain(feeds).collect()
    }

    /// A line that runs the program, if the disguise holds.
    pub(super) fn line(&mut self) -> String {
        let mut line = match self.0.below(10) {
            0..4 => self.one_of(CALLS).to_owned(),
            4..6 => self.fed(),
            _ => self.one_of(ARGUMENTS).to_owned(),
        };
        for _ in 0..[0, 1, 1, 1, 2, 2, 3][self.0.below(7)] {
            line = match self.0.below(8) {
                0..3 => self.substituted(&line),
                3 => {
                    let reader = self.one_of(READERS);
                    self.feed(reader, &line)
                }
                _ => filled(self.one_of(AROUND), &line),
            };
        }
        line
    }

    fn fed(&mut self) -> String {
        let reader = self.one_of(READERS);
        self.feed(reader, "rm x")
    }

    fn feed(&mut self, reader: &str, line: &str) -> String {
        let printer = filled(self.one_of(PRINTERS), line);
        let feed = self.one_of(FEEDS).replace("%r", reader);
        filled(&feed, line).replace("%p", &printer)
    }

    fn substituted(&mut self, line: &str) -> String {
        let substitution = self.one_of(SUBSTITUTIONS).replace("%c", line);
        self.one_of(HOSTS).replace("%h", &substitution)
    }

    fn one_of(&mut self, of: &[&'static str]) -> &'static str {
        of[self.0.below(of.len())]
    }

    /// Another line with a few of its parts moved, doubled, left out, or replaced by those of a second one.
    pub(super) fn mixed(&mut self, line: &str, other: &str) -> String {
        let mut parts = parts(line);
        let others = self::parts(other);
        for _ in 0..=self.0.below(3) {
            if parts.is_empty() || others.is_empty() {
                break;
            }
            let (at, from) = (self.0.below(parts.len()), self.0.below(others.len()));
            match self.0.below(5) {
                0 => drop(parts.remove(at)),
                1 => parts.insert(at, others[from]),
                2 => parts[at] = others[from],
                3 => parts.insert(at, SIGNS[self.0.below(SIGNS.len())]),
                _ => {
                    let to = self.0.below(parts.len());
                    parts.swap(at, to);
                }
            }
        }
        parts.concat()
    }
}

const SIGNS: &[&str] = &[
    " ",
    "\n",
    ";",
    "&",
    "|",
    "&&",
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "$(",
    ")",
    "(",
    "{",
    "}",
    "#",
    " #",
    "<",
    ">",
    "<(",
    "<<A\n",
    "<<<",
    "${x#",
    "[[ ",
    " ]]",
    "((",
    "))",
    "=",
    "+=",
    "[",
    "]",
    "!",
    "~",
    "*",
    "?",
    "@",
    "%",
    "\\\n",
    "\t",
    "rm x",
    "rm",
    "eval ",
    "sh ",
    "-c ",
    "$'",
    "$\"",
    "esac",
    "in ",
    "do ",
    "done",
    "fi",
    "then ",
    "time ",
    "coproc ",
    "function ",
];

/// The words and signs of a line.
fn parts(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '-' {
            1
        } else if c == ' ' {
            2
        } else {
            3
        }
    };
    let mut last = 0;
    for (at, c) in line.char_indices() {
        if at > start && (kind(c) != last || last == 3) {
            parts.push(&line[start..at]);
            start = at;
        }
        last = kind(c);
    }
    parts.push(&line[start..]);
    parts
}

/// The template with the line as it is (`%c`), as one word (`%s`), and as one word in double quotes (`%w`).
fn filled(template: &str, line: &str) -> String {
    let word = format!("'{}'", line.replace('\'', "'\\''"));
    let double: String =
        line.chars().flat_map(|c| if "\"\\$`".contains(c) { vec!['\\', c] } else { vec![c] }).collect();
    // A here-document or a comment ends with its line.
    let line = if line.contains(['#', '<', '&']) { format!("{line}\n") } else { line.to_owned() };
    let template = template
        .replace("'%s\\n'", "'%\u{1}\\n'")
        .replace("printf %s %s", "printf %\u{1} %s")
        .replace("'r%s'", "'r%\u{1}'");
    let line = template.replace("%c", &line).replace("%w", &format!("\"{double}\"")).replace("%s", &word);
    line.replace("%\u{1}", "%s").replace("%%", "%")
}
