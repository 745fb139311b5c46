"""Programs that run another program, as data (POL-32).

What options there are is taken from the manuals of coreutils, util-linux, findutils, sudo, OpenSSH,
Docker and the other projects, with those of BSD and macOS where they differ. An option that is missing
here costs a question, never an unseen command.
"""

from __future__ import annotations

from msgspec import Struct


class Wrapper(Struct, frozen=True):
    """How a program that runs another one is called.

    `options` are those before the inner command, as `option_syntax.syntax` reads them (a `!` marks those
    by which the wrapper itself writes a file or runs yet another program), `operands` the words that stand
    between both. `transparent` names the options with which it only changes how the
    inner command runs, None where an allow has to cover the wrapper too. With `assigns` variables may
    be set before the inner command. `idle` are options with which nothing is run, `folder` the one that
    says where. With `joined` the inner words are put
    together and read by a shell. `elsewhere` tells that the inner command runs in a container, `program`
    is the option that names the program which is given those words.
    """

    options: str = ""
    operands: int = 0
    transparent: frozenset[str] | None = None
    assigns: bool = False
    idle: frozenset[str] = frozenset({"help", "version"})
    folder: str | None = None
    joined: bool = False
    elsewhere: bool = False
    one_dash: bool = False
    program: str | None = None


_HELP = " help version"
_ALWAYS = frozenset(
    [
        "adjustment",
        "error",
        "foreground",
        "input",
        "kill-after",
        "output",
        "p",
        "preserve-status",
        "signal",
        "verbose",
    ]
)


def _idle(names: str) -> frozenset[str]:
    return frozenset(names.split()) | {"help", "version"}


_CONTAINER_RUN = (
    "d/detach i/interactive t/tty P/publish-all q/quiet rm init privileged read-only no-healthcheck "
    "oom-kill-disable sig-proxy? disable-content-trust? help replace rmi env-host http-proxy? no-hosts "
    "no-hostname passwd? unsetenv-all read-only-tmpfs? rootfs tls-verify? sdnotify= systemd= "
    "a/attach= c/cpu-shares= e/env= h/hostname= l/label= m/memory= p/publish= u/user= v/volume= "
    "w/workdir= add-host= annotation= blkio-weight= blkio-weight-device= cap-add= cap-drop= "
    "cgroup-parent= cgroupns= cidfile= cpu-count= cpu-percent= cpu-period= cpu-quota= cpu-rt-period= "
    "cpu-rt-runtime= cpus= cpuset-cpus= cpuset-mems= detach-keys= device= device-cgroup-rule= "
    "device-read-bps= device-read-iops= device-write-bps= device-write-iops= dns= dns-opt= dns-option= "
    "dns-search= domainname= entrypoint= env-file= expose= gpus= group-add= health-cmd= "
    "health-interval= health-retries= health-start-interval= health-start-period= health-timeout= "
    "hostuser= image-volume= io-maxbandwidth= io-maxiops= ip= ip6= ipc= isolation= kernel-memory= "
    "label-file= link= link-local-ip= log-driver= log-opt= mac-address= memory-reservation= "
    "memory-swap= memory-swappiness= mount= name= net= net-alias= network= network-alias= "
    "oom-score-adj= pid= pids-limit= platform= pod= pull= requires= restart= runtime= secret= "
    "security-opt= shm-size= stop-signal= stop-timeout= storage-opt= subgidname= subuidname= sysctl= "
    "timeout= tmpfs= tz= uidmap= gidmap= ulimit= umask= userns= uts= volume-driver= volumes-from= "
    "authfile= arch= os= variant= use-api-socket no-deps service-ports T/no-TTY build "
    "remove-orphans use-aliases"
)
_CONTAINER_EXEC = (
    "d/detach i/interactive t/tty privileged l/latest e/env= env-file= u/user= w/workdir= detach-keys= "
    "preserve-fds= cidfile= index= T/no-TTY"
)

WRAPPERS: dict[str, Wrapper] = {
    "timeout": Wrapper(
        "k/kill-after= s/signal= f/foreground p/preserve-status v/verbose" + _HELP, 1, _ALWAYS
    ),
    "gtimeout": Wrapper(
        "k/kill-after= s/signal= f/foreground p/preserve-status v/verbose" + _HELP, 1, _ALWAYS
    ),
    "nohup": Wrapper(_HELP, 0, _ALWAYS),
    "stdbuf": Wrapper("i/input= o/output= e/error=" + _HELP, 0, _ALWAYS),
    "time": Wrapper(
        "p a/append v/verbose q/quiet h l V/version f/format= o/output=!" + _HELP, 0, frozenset("p")
    ),
    "builtin": Wrapper(_HELP, 0, _ALWAYS),
    "command": Wrapper("p v V", 0, _ALWAYS, idle=frozenset("vV")),
    "exec": Wrapper("c l a="),
    "env": Wrapper(
        "i/ignore-environment 0/null v/debug u/unset= C/chdir= S/split-string= P= argv0= a/argv0= "
        "block-signal? default-signal? ignore-signal? list-signal-handling" + _HELP,
        0,
        frozenset(),
        assigns=True,
        folder="chdir",
    ),
    "sudo": Wrapper(
        "A/askpass b/background B/bell E/preserve-env preserve-env? e/edit H/set-home i/login "
        "K/remove-timestamp k/reset-timestamp l/list N/no-update n/non-interactive P/preserve-groups "
        "S/stdin s/shell V/version v/validate help a/auth-type= C/close-from= c/login-class= D/chdir= "
        "g/group= h/host= p/prompt= R/chroot= r/role= T/command-timeout= t/type= U/other-user= u/user=",
        assigns=True,
        idle=_idle("edit list validate"),
        folder="chdir",
    ),
    "doas": Wrapper("L n s a= C= u=", assigns=True),
    "pkexec": Wrapper("disable-internal-agent keep-cwd u/user=" + _HELP),
    "setsid": Wrapper("c/ctty f/fork w/wait h/help V/version"),
    "ionice": Wrapper(
        "t/ignore c/class= n/classdata= p/pid= P/pgid= u/uid= h/help V/version",
        idle=_idle("pid pgid uid"),
    ),
    "watch": Wrapper(
        "b/beep c/color C/no-color d/differences? e/errexit f/follow g/chgexit p/precise r/no-rerun "
        "t/no-title w/no-wrap x/exec n/interval= q/equexit= s/shotsdir= h/help v/version",
        joined=True,
    ),
    "flock": Wrapper(
        "s/shared x/exclusive e/exclusive u/unlock n/nonblock nb o/close F/no-fork verbose fcntl "
        "w/timeout= wait= E/conflict-exit-code= h/help V/version c/command=",
        1,
    ),
    "chroot": Wrapper("groups= userspec= skip-chdir u= g= G= n" + _HELP, 1),
    "unshare": Wrapper(
        "m/mount? u/uts? i/ipc? n/net? p/pid? U/user? C/cgroup? T/time? f/fork r/map-root-user "
        "c/map-current-user map-auto map-user= map-group= map-users= map-groups= owner= kill-child? "
        "mount-proc? mount-binfmt? propagation= setgroups= keep-caps R/root= w/wd= S/setuid= G/setgid= "
        "monotonic= boottime= load-interp= l h/help V/version",
        folder="wd",
    ),
    "nsenter": Wrapper(
        "a/all t/target= m/mount? u/uts? i/ipc? n/net? p/pid? U/user? C/cgroup? T/time? S/setuid= "
        "G/setgid= preserve-credentials keep-caps r/root? w/wd? W/wdns= e/env F/no-fork c/join-cgroup "
        "N/net-socket= Z/follow-context user-parent h/help V/version",
        folder="wd",
    ),
    "strace": Wrapper(
        "c/summary-only C/summary d/debug D/daemonize? daemonize? f/follow-forks F "
        "output-separately h/help i/instruction-pointer k/stack-trace n/syscall-number q/quiet? "
        "r/relative-timestamps? t/absolute-timestamps? T/syscall-times? v/no-abbrev V/version w "
        "x y/decode-fds? Y/decode-pids? z/successful-only Z/failed-only a/columns= b/detach-on= e/expr= "
        "E/env= I/interruptible= o/output=! A/output-append-mode O/summary-syscall-overhead= "
        "p/attach= P/trace-path= s/string-limit= S/summary-sort-by= u/user= U/summary-columns= "
        "X/const-print-style= trace= seccomp-bpf argv0= tips?"
    ),
    "ltrace": Wrapper(
        "b/no-signals c C/demangle f i L r S t T V/version h/help a/align= A= D/debug= e= "
        "F/config= l/library= n/indent= o/output=! p= s= u= w/where= x="
    ),
    "valgrind": Wrapper(
        "h/help q/quiet v/verbose d version tool= leak-check= show-leak-kinds= leak-resolution= track-origins= "
        "num-callers= error-exitcode= errors-for-leak-kinds= trace-children= child-silent-after-fork= "
        "track-fds= gen-suppressions= suppressions= undef-value-errors= show-reachable= log-fd= xml= "
        "log-file=! xml-file=!"
    ),
    "chrt": Wrapper(
        "a/all-tasks m/max p/pid v/verbose b/batch d/deadline e/ext f/fifo i/idle o/other r/rr "
        "R/reset-on-fork T/sched-runtime= P/sched-period= D/sched-deadline= h/help V/version",
        1,
        idle=_idle("max pid"),
    ),
    "taskset": Wrapper("a/all-tasks p/pid c/cpu-list h/help V/version", 1, idle=_idle("pid")),
    "cpulimit": Wrapper(
        "b f k m q r s v z d i l/limit= c/cpu= e/exe= p/pid= P/path= background foreground kill "
        "monitor-forks quiet lazy verbose include-children resume" + _HELP,
        idle=_idle("pid exe path"),
    ),
    "prlimit": Wrapper(
        "o/output= p/pid= noheadings raw verbose c/core? d/data? e/nice? f/fsize? i/sigpending? "
        "l/memlock? m/rss? n/nofile? q/msgqueue? r/rtprio? s/stack? t/cpu? u/nproc? v/as? x/locks? "
        "y/rttime? h/help V/version",
        idle=_idle("pid"),
    ),
    "setpriv": Wrapper(
        "d/dump clear-groups init-groups keep-groups inh-caps= ambient-caps= bounding-set= "
        "list-caps no-new-privs nnp rgid= egid= regid= ruid= euid= reuid= securebits= pdeathsig= "
        "selinux-label= apparmor-profile= groups= reset-env h/help V/version"
    ),
    "numactl": Wrapper(
        "a/all i/interleave= w/weighted-interleave= N/cpunodebind= C/physcpubind= m/membind= p/preferred= "
        "P/preferred-many= b/balancing l/localalloc s/show H/hardware"
    ),
    "setarch": Wrapper(
        "B/32bit F/fdpic-funcptrs I/short-inode L/addr-compat-layout R/addr-no-randomize S/whole-seconds "
        "T/sticky-timeouts X/read-implies-exec Z/mmap-page-zero 3/3gb 4gb uname-2.6 v/verbose list show? "
        "p/pid= h/help V/version",
        1,
    ),
    "arch": Wrapper("x86_64 arm64 arm64e i386 32 64 c d= e= h" + _HELP, one_dash=True),
    "torify": Wrapper("v/verbose V/version h/help"),
    "torsocks": Wrapper(
        "u/user= p/pass= i/isolate a/address= P/port= d/debug q/quiet shell" + _HELP
    ),
    "proxychains": Wrapper("q f="),
    "proxychains4": Wrapper("q f="),
    "tsocks": Wrapper(),
    "fakeroot": Wrapper("u/unknown-is-real l/lib= faked= s= i= b= h v"),
    "eatmydata": Wrapper(),
    "faketime": Wrapper("m f p= exclude-monotonic date-prog=" + _HELP, 1),
    "caffeinate": Wrapper("d i m s u t= w="),
    "unbuffer": Wrapper("p"),
    "catchsegv": Wrapper(_HELP),
    "tini": Wrapper("s v w g p= e= h version"),
    "dumb-init": Wrapper("c/single-child r/rewrite= v/verbose V/version h/help"),
    "rlwrap": Wrapper(
        "a? A? c/complete-filenames D/history-no-dupes= e/extra-char-after-completion= E= f/file= "
        "g/forget-matching= h/help H/history-filename= i/case-insensitive I/pass-sigint-as-sigterm "
        "l/logfile= m? M/multi-line-ext= n/no-warnings N/no-children o/one-shot O/only-cook= p? "
        "P/pre-given= q/quote-characters= r/remember R/renice s/histsize= S/substitute-prompt= "
        "t/set-term-name= U/mirror-arguments v/version w/wait-before-prompt= W? z/filter="
    ),
    "dbus-run-session": Wrapper("config-file= dbus-daemon=" + _HELP),
    "xvfb-run": Wrapper(
        "a/auto-servernum e/error-file= f/auth-file= h/help n/server-num= l/listen-tcp "
        "p/xauth-protocol= s/server-args= w/wait="
    ),
    "systemd-run": Wrapper(
        "user system no-ask-password scope r/remain-after-exit q/quiet no-block wait P/pipe t/pty "
        "pty-late S/shell G/collect d/same-dir v/verbose send-sighup ignore-failure on-clock-change "
        "on-timezone-change H/host= M/machine= u/unit= p/property= description= slice= slice-inherit "
        "expand-environment= E/setenv= uid= gid= nice= service-type= working-directory= root-directory= "
        "on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= "
        "path-property= socket-property= timer-property= background= json= C/capsule= job-mode= h/help "
        "version",
        folder="working-directory",
    ),
    "systemd-inhibit": Wrapper(
        "no-pager no-legend what= who= why= mode= list no-ask-password h/help version"
    ),
    "firejail": Wrapper(
        "noprofile quiet c x? net= profile= private? whitelist= blacklist= read-only="
    ),
    "gosu": Wrapper("v/version", 1),
    "su-exec": Wrapper("", 1),
    "setuidgid": Wrapper("", 1),
    "entr": Wrapper("a c d n p r s z x"),
    "busybox": Wrapper("list list-full install? s"),
    "toybox": Wrapper("long"),
    "ssh": Wrapper(
        "4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E=! e= F=! I=! i= J= L= l= m= O= o= P= "
        "p= Q= R= S=! W= w=",
        1,
        joined=True,
        idle=frozenset("GVOQ"),
    ),
    "xargs": Wrapper(
        "0/null o/open-tty p/interactive r/no-run-if-empty t/verbose x/exit e? i? l? eof? "
        "replace? max-lines? show-limits a/arg-file= d/delimiter= E/eof= I/replace= L/max-lines= "
        "n/max-args= P/max-procs= s/max-chars= J= R= S= process-slot-var=" + _HELP,
        0,
        frozenset(),
    ),
    "parallel": Wrapper(
        "k/keep-order u/ungroup group dry-run dryrun verbose v t/verbose q/quote X m r/no-run-if-empty "
        "0/null bar progress eta lb line-buffer tag will-cite pipe x/exit "
        "j/jobs= P/max-procs= max-procs= N/max-replace-args= n/max-args= L/max-lines= I/replace= "
        "C/colsep= d/delimiter= a/arg-file= delay= timeout= retries= halt= joblog= results= memfree= "
        "load= nice= tagstring= s/max-chars= block= recstart= recend= tmpdir= h/help V/version"
    ),
}
"""Wrappers whose options come first, by the name of the program."""

CONTAINERS: dict[str, Wrapper] = {
    **dict.fromkeys(
        ("run", "create"),
        Wrapper(_CONTAINER_RUN, 1, elsewhere=True, idle=frozenset({"help"}), program="entrypoint"),
    ),
    "exec": Wrapper(_CONTAINER_EXEC, 1, idle=frozenset({"help"})),
}
CONTAINER_PROGRAMS = frozenset({"docker", "podman", "nerdctl"})
CONTAINER_GLOBALS = (
    "c/context= D/debug H/host= l/log-level= config= tls tlscacert= tlscert= tlskey= tlsverify "
    "v/version help r/remote connection= url= identity= root= runroot= storage-driver= storage-opt= "
    "tmpdir= events-backend= cgroup-manager= conmon= hooks-dir= imagestore= module= network-config-dir= "
    "namespace= n= address= a= syslog runtime= runtime-flag= volumepath= noout transient-store"
)
COMPOSE_GLOBALS = (
    "f/file= p/project-name= profile= env-file= project-directory= parallel= ansi= progress= "
    "compatibility dry-run all-resources verbose v/version help"
)

RUNNERS: dict[tuple[str, ...], str] = {
    ("devbox", "run"): "c/config= e/env= env-file= q/quiet pure list l/list",
    ("direnv", "exec"): "",
    ("uv", "run"): (
        "p/python= with= with-editable= with-requirements= extra= group= no-group= only-group= package= "
        "directory= project= env-file= m/module s/script all-extras all-groups all-packages no-dev "
        "only-dev dev no-sync frozen locked isolated active exact offline q/quiet v/verbose no-project "
        "no-config refresh no-cache n/no-cache no-env-file index= default-index= i/index-url= "
        "extra-index-url= f/find-links= U/upgrade"
    ),
    ("poetry", "run"): "q/quiet n/no-interaction",
    ("pipenv", "run"): "q/quiet",
    ("pdm", "run"): "q/quiet v/verbose",
    ("hatch", "run"): "",
    ("rye", "run"): "",
    ("pixi", "run"): "e/environment= q/quiet frozen locked manifest-path=",
    ("conda", "run"): "n/name= p/prefix= v/verbose no-capture-output live-stream cwd= dev",
    ("mamba", "run"): "n/name= p/prefix= v/verbose no-capture-output live-stream cwd= dev",
    ("micromamba", "run"): "n/name= p/prefix= a/attach= cwd= e/env= clean-env detach label=",
    ("bundle", "exec"): "keep-file-descriptors gemfile=",
    ("pnpm", "exec"): "r/recursive parallel no-reporter-hide-prefix resume-from= report-summary",
    ("yarn", "exec"): "",
    ("npm", "exec"): "y/yes no package= p/package= w/workspace= workspaces",
    ("mise", "exec"): "j/jobs= raw C/cd= q/quiet v/verbose y/yes",
    ("asdf", "exec"): "",
    ("rbenv", "exec"): "",
    ("pyenv", "exec"): "",
    ("nodenv", "exec"): "",
    ("op", "run"): "env-file= no-masking account= environment=",
    ("doppler", "run"): "p/project= c/config= t/token= preserve-env? fallback= command=",
    ("dotenvx", "run"): "f/env-file= e/env= overload q/quiet v/verbose convention=",
    (
        "infisical",
        "run",
    ): "env= path= projectId= watch command= token= secret-overriding? expand? tags=",
    ("heroku", "run"): "a/app= x/exit-code no-tty s/size= e/env= r/remote=",
    ("flox", "activate"): "d/dir= r/remote= c/command=",
    ("tsh", "ssh"): "l/login= proxy= user= i/identity= t/tty cluster=",
}
"""Task runners that run the words after a verb, with the options of the verb."""

PACKAGE_RUNNERS: dict[tuple[str, ...], str] = {
    ("pnpm", "dlx"): "c/shell-mode package= allow-build= s/silent reporter= C/dir=",
    ("yarn", "dlx"): "p/package= q/quiet",
    ("yarn", "run"): "T/top-level B/binaries-only inspect? inspect-brk? require= s/silent",
    ("bun", "x"): "bun p/package= verbose silent no-install y/yes",
    (
        "bun",
        "run",
    ): "bun b silent watch hot smol i inspect? env-file= cwd= config? if-present no-install F/filter=",
}
"""Programs and verbs that run a script of the project or a program of a package: an allow of them means it."""

RUNNER_TEXTS = {
    ("doppler", "run"): "command",
    ("flox", "activate"): "command",
    ("infisical", "run"): "command",
}
"""The option of a runner whose value a shell reads, in place of words to run."""

FIRST_OPERAND = frozenset({("direnv", "exec"), ("tsh", "ssh")})
"""Runners with one operand before the inner command."""

RUNNER_FOLDERS = {
    ("conda", "run"): "cwd",
    ("mamba", "run"): "cwd",
    ("micromamba", "run"): "cwd",
    ("mise", "exec"): "cd",
    ("uv", "run"): "directory",
}
"""The option of a runner that says where the inner command runs."""

EXEC_ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
FIND_PROGRAMS = frozenset({"find", "gfind", "bfs"})
FD_PROGRAMS = frozenset({"fd", "fdfind"})
FD_ACTIONS = frozenset({"exec", "exec-batch"})

SHELLS: dict[str, str] = {
    "sh": "posix",
    "dash": "posix",
    "ash": "posix",
    "bash": "bash",
    "rbash": "bash",
    "zsh": "zsh",
    "ksh": "bash",
    "ksh93": "bash",
    "mksh": "bash",
    "yash": "posix",
}
"""Shells and the dialect of the texts they read."""

OTHER_SHELLS = frozenset(
    {"fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "powershell", "cmd"}
)
"""Shells with a grammar of their own."""

HALF_KNOWN_SHELLS = frozenset({"ksh", "ksh93", "mksh", "yash"})
"""Shells that read some texts in other ways than the dialect they are taken for."""
