"""Which variables change what a command does, as data (POL-33)."""

from __future__ import annotations

from typing import Final

from sayso.core.shell_command import Assignment


def names_in(text: str) -> frozenset[str]:
    """The names in a text with blanks between them."""
    return frozenset(text.split())


HARMLESS: Final = names_in(
    "CI TZ LANG LANGUAGE TERM COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR "
    "CLICOLOR_FORCE NODE_ENV RAILS_ENV RACK_ENV APP_ENV FLASK_ENV DJANGO_ENV MIX_ENV GO_ENV "
    "RUST_LOG RUST_BACKTRACE LOG_LEVEL LOGLEVEL LOG_FORMAT VERBOSE QUIET PYTHONUNBUFFERED "
    "PYTHONDONTWRITEBYTECODE PYTHONUTF8 PYTHONIOENCODING PYTHONHASHSEED PY_COLORS "
    "CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN npm_config_loglevel NPM_CONFIG_LOGLEVEL "
    "npm_config_color NPM_CONFIG_COLOR GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS DEBIAN_FRONTEND "
    "NEXT_TELEMETRY_DISABLED DO_NOT_TRACK HOMEBREW_NO_AUTO_UPDATE PORT DEBUG GOOS GOARCH GOARM CGO_ENABLED "
    "DOCKER_BUILDKIT BUILDKIT_PROGRESS CARGO_INCREMENTAL NODE_NO_WARNINGS PYTHONFAULTHANDLER "
    "GIT_LFS_SKIP_SMUDGE GH_PROMPT_DISABLED PIP_DISABLE_PIP_VERSION_CHECK PGPASSWORD"
)
"""Variables that change nothing but looks and wording; `LC_…` are harmless too."""

SHELL_RUNS: Final = names_in("BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND")
"""Variables whose value a shell expands or runs: what it runs cannot be seen in the line."""

SPECIAL: Final = names_in(
    "BASH BASHOPTS BASH_ALIASES BASH_ARGV0 BASH_CMDS BASH_COMPAT BASH_LOADABLES_PATH "
    "BASH_XTRACEFD CDPATH CHILD_MAX COMP_WORDBREAKS EMACS EXECIGNORE FCEDIT FIGNORE FPATH "
    "FUNCNEST GLOBIGNORE HISTFILE HISTFILESIZE HISTSIZE HISTTIMEFORMAT HOME HOSTFILE "
    "IFS IGNOREEOF INPUTRC INSIDE_EMACS MAIL MAILCHECK MAILPATH NULLCMD READNULLCMD OLDPWD OPTIND "
    "OPTERR PATH POSIXLY_CORRECT PPID PWD SHELL SHELLOPTS TIMEFORMAT TMOUT TMPDIR "
    "ZDOTDIR fpath path cdpath module_path"
)
"""Variables that are special to a shell, or exported by every login."""

SET_BY_THE_SHELL: Final = names_in(
    "_ ARGC BASHPID BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_LINENO BASH_MONOSECONDS BASH_REMATCH "
    "BASH_SOURCE BASH_SUBSHELL BASH_TRAPSIG COLUMNS COMP_CWORD COMP_KEY COMP_LINE COMP_POINT COMP_TYPE COMP_WORDS "
    "COMPREPLY COPROC COPROC_PID DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GID GROUPS HISTCMD LINENO "
    "LINES MAPFILE MATCH MBEGIN MEND OLDPWD OPTARG OPTIND PIPESTATUS PPID PWD RANDOM READLINE_LINE READLINE_MARK "
    "READLINE_POINT REPLY SECONDS SHLVL SRANDOM UID argv dirstack manpath match mbegin mend pipestatus psvar "
    "reply status"
)
"""Variables that a shell gives values itself, be it after another command: they do not hold what a line says."""

DANGEROUS: Final = names_in(
    "ANT_ARGS AWKPATH AWKLIBPATH BROWSER BUNDLE_GEMFILE CC CXX CFLAGS CLASSPATH COLORFGBG CPPFLAGS "
    "CURL_HOME CXXFLAGS DISPLAY EDITOR FC FFLAGS GCONV_PATH GEM_HOME GEM_PATH GOFLAGS GOPROXY "
    "GOTOOLCHAIN GPG_TTY GREP_OPTIONS HOSTALIASES HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY "
    "IRBRC JAVA_HOME KUBECONFIG LESS LESSCLOSE LESSOPEN LESSKEY LIBPATH LOCPATH LOGNAME "
    "MAKE MAKEFLAGS MAKEFILES MAKESHELL MANPAGER MANPATH MANROFFOPT MALLOC_TRACE MAVEN_ARGS MFLAGS "
    "NLSPATH OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES PAGER PERLLIB PERL5DB "
    "PERL5LIB PERL5OPT PERL5SHELL PHPRC PHP_INI_SCAN_DIR PROCFS R_HOME "
    "RES_OPTIONS RSYNC_RSH RUBYLIB RUBYOPT RUSTC RUSTC_WRAPPER RUSTFLAGS SED SHLIB_PATH SSH_ASKPASS "
    "SSH_AUTH_SOCK SSLKEYLOGFILE SSL_CERT_DIR SSL_CERT_FILE SUDO_ASKPASS SUDO_EDITOR SVN_EDITOR "
    "SYSTEMD_EDITOR SYSTEMD_PAGER TAR_OPTIONS TERMCAP TERMINFO TERMINFO_DIRS TMP TEMP TEMPDIR TAPE "
    "TZDIR UNZIP USER VIMINIT VISUAL WGETRC XAUTHORITY XDG_CONFIG_DIRS XDG_CONFIG_HOME XDG_DATA_DIRS "
    "XDG_DATA_HOME XDG_RUNTIME_DIR ZIPOPT VIRTUAL_ENV _JAVA_OPTIONS"
)
"""Variables by which well-known programs run another one, load code, or read another configuration."""

DANGEROUS_STARTS: Final = (
    "ANSIBLE_",
    "AWS_",
    "AZURE_",
    "BASH_FUNC_",
    "BUNDLE_",
    "CARGO_",
    "COMPOSER_",
    "COREPACK_",
    "CONDA_",
    "DOCKER_",
    "DOTNET_",
    "DYLD_",
    "ELECTRON_",
    "GEM_",
    "GH_",
    "GIT_",
    "GLIBC_",
    "GOOGLE_",
    "GPG_",
    "GRADLE_",
    "HELM_",
    "JAVA_",
    "JDK_",
    "KUBE",
    "LD_",
    "MALLOC_",
    "NODE_",
    "NPM_",
    "NVM_",
    "OPENSSL_",
    "PERL",
    "PIP_",
    "PNPM_",
    "PYTEST_",
    "PYTHON",
    "RBENV_",
    "RUBY",
    "RUST",
    "SSH_",
    "TF_",
    "TOX_",
    "UV_",
    "VIRTUALENV_",
    "YARN_",
    "npm_config_",
)
"""What names of such families begin with."""

DANGEROUS_ENDS: Final = (
    "_ASKPASS",
    "_BROWSER",
    "_CMD",
    "_COMMAND",
    "_CONFIG",
    "_EDITOR",
    "_FLAGS",
    "_HOME",
    "_INIT",
    "_OPTIONS",
    "_OPTS",
    "_PAGER",
    "_PATH",
    "_PRELOAD",
    "_PROXY",
    "_RSH",
    "_SHELL",
    "_proxy",
)
"""What they end with, whatever the program."""

_KNOWN: Final = (
    SHELL_RUNS | SPECIAL | DANGEROUS | {name.lower() for name in DANGEROUS if "PROXY" in name}
)


def is_harmless(name: str) -> bool:
    """Whether an allow may hold although this variable is set for the command."""
    return name in HARMLESS or (name.startswith("LC_") and name[3:].isalpha())


_NAMING: Final = names_in(
    "PAGER MANPAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER PSQL_PAGER EDITOR VISUAL FCEDIT SYSTEMD_EDITOR SUDO_EDITOR "
    "GH_EDITOR KUBE_EDITOR PSQL_EDITOR SVN_EDITOR HGEDITOR BROWSER SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH "
    "SVN_SSH LESSOPEN LESSCLOSE RUSTC RUSTC_WRAPPER CARGO_BUILD_RUSTC_WRAPPER CC CXX MAKESHELL KUBECTL_EXTERNAL_DIFF "
    "GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS "
    "GIT_PROXY_COMMAND"
)


def names_a_program(name: str) -> bool:
    """Whether a well-known program runs what this variable holds."""
    return name in _NAMING or name.startswith("GIT_CONFIG_VALUE_")


_PAGERS: Final = ("PAGER", "GIT_PAGER", "MANPAGER", "GH_PAGER", "SYSTEMD_PAGER", "AWS_PAGER")
_EDITORS: Final = ("EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR")
_HARMLESS_VALUES: Final = {
    **dict.fromkeys(_PAGERS, frozenset({"", "cat"})),
    **dict.fromkeys(_EDITORS, frozenset({":", "true"})),
}
"""Values with which a variable that names a program has it do nothing."""


def sets_harmless(assignment: Assignment) -> bool:
    """Whether an allow may hold although this is set for the command, by the variable or its value."""
    if is_harmless(assignment.name):
        return True
    value = assignment.value
    if value is None or value.value is None or value.pattern is not None or value.splits:
        return False
    return value.value in _HARMLESS_VALUES.get(assignment.name, ())


def is_dangerous(name: str) -> bool:
    """Whether setting a variable changes later commands even if the line does not export it.

    A shell's own variables do so at once; the others are often exported already, and then keep that.
    """
    if is_harmless(name):
        return False
    return name in _KNOWN or name.startswith(DANGEROUS_STARTS) or name.endswith(DANGEROUS_ENDS)
