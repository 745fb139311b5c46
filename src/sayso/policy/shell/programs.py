"""What known programs do to the files and hosts that their words name, as data (POL-36).

One line a program: names, a colon, and what is done to its operands, one use for each in order; `read*`
means any number of them, `read* into` that the last is something else. Behind a bar stand the options
that take a value (`-o=write`); with `!` one stands in for the fixed operands (`grep -e x` has no other
pattern), with `?` its value can only be glued to it. Where an option may or may not take a value it is left
out: the word behind it then counts as an operand, which loses nothing. Further words:

- `quiet`: no word names a file. `ends`: options end at the first operand. `sub`: the first operand is a
  command with a line of its own (`git-add`).
- `walks`: it reads all below a folder, `walks=-r,-R` only with one of these options, and then the current
  folder where it names none. `wipes=-r`: what it deletes goes with all below. `writes=-i`: what it would
  read it also changes. `saves`: it writes a file named like the address.

A program that has no line here may do anything to any of its words.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum


class Use(StrEnum):
    """What a program does with one of its words."""

    TEXT = "text"
    """Nothing: it is no file."""
    NAME = "name"
    """A task, a package, a branch; a file or an address only where it is written like one."""
    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    ANY = "any"
    MOVE = "move"
    """It is read and goes away."""
    INTO = "into"
    """It is written, or is the folder of what is."""
    URL = "url"
    """An address, also without a scheme."""
    SOCKET = "socket"
    """A host, and its port in the next operand."""
    CONNECT = "connect"
    """Hosts and ports, or files, between colons."""
    CODE = "code"
    """A program in a language that is not read here: it can touch anything."""
    SCRIPT = "script"
    """A file with such a program; without it the program comes from the input."""
    SED = "sed"
    AWK = "awk"
    FIND = "find"
    TAR = "tar"
    PLACE = "place"
    """The folder that other words are relative to."""
    SETUP = "setup"
    """A file or folder that tells the program what to run."""
    DATA = "data"
    """Text, or the file behind an `@`."""
    FORM = "form"
    """`name=value` and `name@file`, where the value may begin with `@` or `<` and a file."""
    PAIR = "pair"
    """`if=file` and `of=file`."""
    MOUNT = "mount"
    """A folder of this machine before a colon, or behind `source=`."""
    REMOTE = "remote"
    """A file here, or one of another machine where a colon comes before any slash."""
    REMOTE_INTO = "remote-into"
    REVISION = "revision"
    """A file, a revision, or a file in a revision behind a colon."""


@dataclass(frozen=True, slots=True)
class Program:
    """How the words of one program are read; see the head of this module.

    `fixed` are the uses of the first operands, `last` that of the last of several, `rest` that of all
    others. `marks` are the further words; the options that a mark is bound to, if it is.
    """

    fixed: tuple[Use, ...]
    rest: Use
    last: Use | None
    options: Mapping[str, Use]
    instead: frozenset[str]
    glued: frozenset[str]
    marks: Mapping[str, frozenset[str]]

    def does(self, mark: str, given: Set[str] = frozenset()) -> bool:
        """Whether a mark holds where these options are given."""
        bound = self.marks.get(mark)
        return bound is not None and (not bound or not bound.isdisjoint(given))


_TABLE = r"""
echo printf true false : quiet
test [ [[ basename dirname seq sleep yes date expr id whoami uname hostname pwd kill pkill killall tr : quiet
export readonly declare typeset local unset set shopt alias unalias type hash read wait exit return : quiet
break continue shift ulimit umask times jobs fg bg which whereis man apropos locale tput clear tty : quiet
nproc uptime ps top free groups ping dig host nslookup cd pushd popd locate getopts let : quiet

cat tac nl rev fold fmt expand unexpand pr strings od hexdump cksum sum md5sum sha1sum sha224sum : read*
sha256sum sha384sum sha512sum b2sum md5 shasum paste comm join column zcat bzcat xzcat zless bzless : read*
zmore more most bat batcat pygmentize jless lsof fuser readlink realpath stat df ls dir vdir exa eza : read*
head tail : read* | -n=text -c=text --lines=text --bytes=text
wc : read* | --files0-from=read
cut : read* | -d=text -f=text -c=text -b=text --delimiter=text --fields=text --characters=text
tree : read* | -o=write -P=text -I=text -L=text
du : read* | --files0-from=read -X=read --exclude-from=read --exclude=text
file : read* | -m=read --magic-file=read -f=read --files-from=read -F=text
diff : read* | -x=text --exclude=text -X=read --exclude-from=read -I=text --label=text walks=-r,--recursive
cmp diff3 sdiff colordiff : read* | -o=write --output=write
sort : read* | -o=write --output=write -k=text --key=text -t=text -S=text -T=write --temporary-directory=write --files0-from=read --compress-program=any --random-source=read
uniq : read write | -f=text -s=text -w=text
shuf : read* | -o=write --output=write -n=text -i=text --random-source=read
less : read* | -o=write -O=write --log-file=write -k=read -T=read -p=text
xxd : read write | -l=text -s=text -c=text -g=text -o=text -n=text
base32 base64 basenc : read* | -w=text --wrap=text -i=read -o=write
grep egrep fgrep zgrep rgrep : text read* | -e=text! --regexp=text! -f=read! --file=read! -A=text -B=text -C=text -m=text -D=text -d=text --after-context=text --before-context=text --context=text --max-count=text --include=text --exclude=text --exclude-dir=text --exclude-from=read --color=text --colour=text --label=text --binary-files=text walks=-r,-R,--recursive,--dereference-recursive,-d,--directories
rg ripgrep : text read* | -e=text! --regexp=text! -f=read! --file=read! -g=text --glob=text --iglob=text -t=text --type=text -T=text --type-not=text --type-add=text -A=text -B=text -C=text -m=text -M=text -E=text -r=text --replace=text --color=text --colors=text --sort=text --sortr=text --ignore-file=read --pre=any --pre-glob=text --hostname-bin=any --encoding=text --engine=text walks
ag ack : text read* | -G=text -A=text -B=text -C=text -m=text -p=read walks
fd fdfind : text read* | -e=text --extension=text -t=text --type=text -d=text -E=text --exclude=text -x=text -X=text --exec=text --exec-batch=text --base-directory=place --ignore-file=read --search-path=read
jq yq : text read* | -f=read! --from-file=read! --slurpfile=any --rawfile=any -L=read writes=-i,--inplace
sed gsed : sed read* | -e=sed! --expression=sed! -f=read! --file=read! -i=text? --in-place=text? writes=-i,--in-place
awk gawk mawk nawk : awk read* | -f=read! --file=read! -F=text --field-separator=text -v=text --assign=text -e=awk! --source=awk! -i=any --include=any -o=write? -p=write? -d=write? -E=read! --exec=read! ends
find gfind : find

touch : write* | -r=read --reference=read -d=text -t=text --date=text
mkdir mkfifo mknod : write* | -m=text --mode=text
truncate fallocate : write* | -s=text --size=text -r=read --reference=read -l=text
tee sponge : write*
rm shred : delete* | wipes=-r,-R,--recursive
rmdir unlink : delete*
trash trash-put gio : delete* | wipes
cp gcp : read* into | -t=into! --target-directory=into! -S=text --suffix=text walks=-r,-R,-a,--recursive,--archive
mv gmv : move* into | -t=into! --target-directory=into! -S=text --suffix=text walks
install ginstall : read* into | -t=into! --target-directory=into! -m=text -o=text -g=text --mode=text --owner=text --group=text -S=text
ln gln link : read* into | -t=into! --target-directory=into! -S=text
chmod chattr chown chgrp : text write* | --reference=read! walks=-R,--recursive
setfacl : write* | -m=text -x=text -M=read -X=read --restore=read
dd : pair*
tar gtar bsdtar : tar
zip : write read* | -x=text -i=text -b=write walks=-r,-R
unzip : read text* | -d=into
gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress : any* | -S=text
7z 7za 7zr : text any* | walks
cpio pax : any* | -D=place
rsync : remote* remote-into | -e=text --rsh=text -f=text --filter=text --exclude=text --include=text --exclude-from=read --include-from=read --files-from=read --password-file=read --log-file=write --temp-dir=write -T=write --backup-dir=write --partial-dir=write --compare-dest=read --copy-dest=read --link-dest=read --chmod=text --chown=text walks
scp sftp : remote* remote-into | -i=read -F=read -S=any -b=read -c=text -l=text -o=text -P=text -J=text walks=-r
ssh : text | -i=read -F=read -E=write -S=any -o=text -p=text -l=text -J=text -L=text -R=text -D=text -W=text -b=text -c=text -e=text -I=text -m=text -O=text -Q=text -w=text -B=text ends
patch : any* | -i=read --input=read -o=write --output=write -d=place --directory=place -p=text --strip=text
split csplit : read write | -b=text -l=text -n=text -a=text -C=text
sqlite3 : any code* | -cmd=code -init=read

curl : url* | -o=write --output=write --output-dir=place -T=read --upload-file=read -K=read --config=read -d=data --data=data --data-ascii=data --data-binary=data --data-urlencode=form --json=data --data-raw=text -F=form --form=form --form-string=text -H=data --header=data --proxy-header=data -b=any --cookie=any -c=write --cookie-jar=write -D=write --dump-header=write -E=read --cert=read --key=read --cacert=read --capath=read --crlfile=read --netrc-file=read --trace=write --trace-ascii=write --stderr=write -w=data --write-out=data --etag-save=write --etag-compare=read --hsts=any --alt-svc=any --libcurl=write --unix-socket=any --abstract-unix-socket=any --url=url --proxy=url -x=url --preproxy=url --socks5=url --socks5-hostname=url --socks4=url --socks4a=url --doh-url=url --connect-to=connect --resolve=connect -X=text --request=text -A=text --user-agent=text -e=text --referer=text -u=text --user=text -U=text --proxy-user=text -m=text --max-time=text --connect-timeout=text --retry=text --retry-delay=text -r=text --range=text -C=text -y=text -Y=text -z=any -Q=text -P=text -t=text --interface=text --limit-rate=text --max-redirs=text --ciphers=text --oauth2-bearer=text --aws-sigv4=text --variable=form saves=-O,--remote-name,--remote-name-all
wget : url* | -O=write --output-document=write -o=write --output-file=write -a=write --append-output=write -i=read --input-file=read -P=place --directory-prefix=place --post-file=read --body-file=read --post-data=text --body-data=text --header=text -U=text --user-agent=text --method=text -e=text --execute=text --config=read --load-cookies=read --save-cookies=write --ca-certificate=read --certificate=read --private-key=read --warc-file=write -t=text --tries=text -T=text --timeout=text -w=text --wait=text -l=text -A=text -R=text -D=text -I=text -X=text --user=text --password=text --referer=text -B=url --base=url -Q=text saves
http https httpie xh : name any* | -o=write --output=write --session=any --cert=read -a=text
nc ncat netcat telnet : socket* | -p=text -s=text -w=text -x=url -X=text -o=write -q=text
socat : connect*

git : sub | -C=place --git-dir=setup --work-tree=setup --exec-path=any? -c=text --config-env=text --namespace=text --super-prefix=text --attr-source=text
git-add git-stage : read* | --pathspec-from-file=read --chmod=text walks
git-rm : delete* | --pathspec-from-file=read wipes=-r
git-mv : move* into
git-commit : read* | -m=text --message=text -F=read --file=read -t=read --template=read -C=text -c=text --author=text --date=text --fixup=text --squash=text --reuse-message=text --reedit-message=text --trailer=text --cleanup=text --pathspec-from-file=read -S=text? -u=text?
git-checkout git-restore : write* | -b=text -B=text -s=text --source=text --orphan=text --conflict=text --pathspec-from-file=read
git-diff git-log git-show git-whatchanged git-difftool git-reflog git-shortlog : revision* | --output=write -O=read? --format=text --pretty=text --grep=text --author=text --committer=text --since=text --until=text --after=text --before=text -n=text -S=text -G=text -L=revision --diff-filter=text --word-diff=text --color=text --date=text --max-count=text --skip=text -I=text
git-blame git-annotate : revision* | --contents=read -S=read --ignore-revs-file=read --ignore-rev=text --since=text -L=text --date=text
git-grep : text revision* | -e=text! -f=read! -O=text? --open-files-in-pager=text? -A=text -B=text -C=text -m=text --max-depth=text --threads=text walks
git-apply git-am : read* | -p=text -C=text --directory=text --exclude=text --include=text
git-archive : revision* | -o=write --output=write --format=text --prefix=text --remote=url --exec=text --add-file=read
git-bundle git-update-index : text any*
git-cat-file git-ls-tree git-rev-parse git-rev-list : revision*
git-ls-files : read* | -x=text -X=read --exclude=text --exclude-from=read --exclude-per-directory=text --format=text
git-hash-object : read* | -t=text --path=text
git-clean : any* | -e=text --exclude=text
git-clone : name write | -b=text --branch=text -o=text -u=text --upload-pack=text --template=read --reference=read --reference-if-able=read --separate-git-dir=write --depth=text -c=text --config=text -j=text --jobs=text --filter=text --shallow-since=text --shallow-exclude=text --origin=text
git-init : write* | --template=read --separate-git-dir=write -b=text --initial-branch=text
git-fetch git-pull git-push git-ls-remote : name text* | --upload-pack=text --receive-pack=text --exec=text --repo=name -o=text --push-option=text --depth=text
git-remote git-submodule git-subtree git-worktree : name* | --reference=read -b=text -B=text
git-config : text* | -f=any --file=any
git-branch git-tag git-merge git-rebase git-cherry-pick git-revert git-reset git-status git-describe : text* | -F=read --file=read --pathspec-from-file=read
git-switch git-stash git-bisect git-notes git-gc git-fsck git-for-each-ref git-symbolic-ref git-name-rev : text* | -F=read --file=read
git-merge-base git-check-ignore git-check-attr git-credential git-help git-version git-var : text*
git-format-patch : text* | -o=write --output-directory=write --output=write

python python2 python3 pypy pypy3 : script any* | -c=code! -m=text! -W=text -X=text ends
node nodejs : script any* | -e=code! --eval=code! -p=code! --print=code! -r=read --require=read --import=read --loader=read --experimental-loader=read --env-file=read -C=text ends
perl : script any* | -e=code! -E=code! -I=read -M=text? -m=text? -F=text? -x=text? -i=text? writes=-i ends
ruby : script any* | -e=code! -r=read -I=read -C=place -F=text? -i=text? -x=text? writes=-i ends
php : script any* | -r=code! -B=code! -R=code! -E=code! -f=read! -F=read! -c=read -d=text -t=place -S=text -z=read ends
lua luajit Rscript R osascript tclsh wish octave julia ghci irb iex scala groovy : script any* | -e=code! --eval=code! -E=code! -f=read! --file=read! -l=text ends
deno : sub
deno-run deno-test deno-bench : script any* | -c=read --config=read --import-map=read --env-file=read --lock=any -A=text? ends
deno-eval deno-repl : code*
bash sh dash zsh ksh ash rbash mksh fish : read any* | -c=text! -o=text -O=text --rcfile=read --init-file=read ends
psql mysql mariadb sqlcmd : name* | -c=code --command=code -e=code --execute=code -f=read --file=read -o=write --output=write -L=write
vim vi nvim view nano emacs ed ex code : any* | -c=code --cmd=code -S=read -u=read -s=read -w=write -W=write -i=any --eval=code

npm pnpm yarn bun : name name any* | --prefix=place -C=place --dir=place --cwd=place --userconfig=read --globalconfig=read --cache=write -w=name --workspace=name --filter=text --registry=url --script-shell=any --tag=text --otp=text
npx pnpx bunx : name any* | -p=name --package=name -c=text --call=text ends
make gmake : name* | -f=setup --file=setup --makefile=setup -C=place --directory=place -I=read --include-dir=read -o=text -W=text --eval=code
cargo : name any* | -p=name --package=name --manifest-path=setup --target-dir=write -C=place --features=text -F=text --bin=name --example=name --test=name --bench=name -j=text --target=name --profile=text --color=text --message-format=text --config=any --exclude=text
go : name any* | -C=place -run=text -bench=text -count=text -timeout=text -tags=text -ldflags=text -gcflags=text -o=write -modfile=read -overlay=read -coverprofile=write -cpuprofile=write -memprofile=write
pip pip3 : name any* | -r=read --requirement=read -c=read --constraint=read -t=write --target=write --prefix=write --root=write --src=write -d=write --dest=write --log=write --cache-dir=write -i=url --index-url=url --extra-index-url=url
uv poetry pdm hatch tox nox pipenv : name name any* | -r=read --directory=place --project=place -C=place -m=text -p=text --python=name --index-url=url --extra=text --group=text
pytest : any* | -k=text -m=text -n=text -p=text -W=text -o=text -c=read --rootdir=read --junitxml=write --junit-xml=write --basetemp=write --log-file=write
docker podman nerdctl : name name any* | -v=mount --volume=mount --mount=mount --env-file=read -e=text --env=text -f=read --file=read -w=text --workdir=text --name=text -p=text --publish=text --tag=text -l=text --label=text --network=text --net=text -u=text --user=text --entrypoint=text -h=text --build-arg=text --target=text --platform=text --cidfile=write --iidfile=write --label-file=read --secret=mount --ssh=mount --format=text --filter=text -H=url --host=url --config=read --tlscacert=read --tlscert=read --tlskey=read --context=name
kubectl oc helm : name name any* | -f=read --filename=read -k=read --kustomize=read --kubeconfig=read -n=text --namespace=text -l=text --selector=text -o=text --output=text --values=read --set=text --set-file=any --context=text -c=text
gh glab hub : name name any* | -t=text --title=text -b=text --body=text -F=read --body-file=read -m=text --message=text -R=text --repo=text -B=text --base=text -H=text --head=text -l=text --label=text -a=text --assignee=text --reviewer=text -q=text --jq=text --json=text --raw-field=text --field=form --input=read -X=text --method=text --template=text -n=text --notes=text --notes-file=read -D=write --dir=write
terraform tofu : name any* | -chdir=place -var-file=read -var=text -state=any -out=write -target=text
brew apt apt-get dnf yum apk pacman systemctl service snap : name* | -f=any -c=read
cmake ninja meson bazel gradle gradlew mvn dotnet rake just task : name any* | -C=place -f=read -B=write -S=read -D=text -p=place --project-dir=place
rustc gcc g++ clang clang++ cc c++ tsc javac : any* | -o=write -D=text -x=text

xargs gxargs : text | -a=read --arg-file=read -I=text -n=text -L=text -P=text -s=text -d=text -E=text ends
env : text | -C=read --chdir=read -u=text --unset=text -S=text --split-string=text ends
sudo doas : text | -D=read --chdir=read -u=text -g=text -h=text -p=text -C=text -R=read -T=text -U=text -r=text -t=text ends
flock : read text* | -c=text ends
chroot unshare nsenter : read text* | ends
timeout nice nohup stdbuf time command builtin exec setsid ionice chrt taskset su runuser pkexec eval : quiet
trap coproc parallel watch strace ltrace script busybox devbox direnv : quiet
source . : script any* | ends
pandoc : any* | -o=write --output=write -f=text -t=text --from=text --to=text --template=read --metadata=text -M=text -V=text
"""

_MARKS = frozenset({"quiet", "ends", "sub", "walks", "wipes", "writes", "saves"})


def _program(operands: list[str], more: list[str]) -> Program:
    marks: dict[str, frozenset[str]] = {}
    options: dict[str, Use] = {}
    instead: set[str] = set()
    glued: set[str] = set()
    uses: list[str] = []
    for word in (*operands, *more):
        name, _, value = word.partition("=")
        if name in _MARKS:
            marks[name] = frozenset(value.split(",")) if value else frozenset()
        elif word.startswith("-"):
            options[name] = Use(value.rstrip("!?"))
            if value.endswith("!"):
                instead.add(name)
            elif value.endswith("?"):
                glued.add(name)
        else:
            uses.append(word)
    many = next((word for word in uses if word.endswith("*")), None)
    fixed, rest, last = uses, Use.TEXT, None
    if many is not None:
        place = uses.index(many)
        fixed, rest = uses[:place], Use(many[:-1])
        last = Use(uses[place + 1]) if place + 1 < len(uses) else None
    first = tuple(map(Use, fixed))
    return Program(first, rest, last, options, frozenset(instead), frozenset(glued), marks)


def _read_table() -> dict[str, Program]:
    programs: dict[str, Program] = {}
    for line in filter(None, _TABLE.splitlines()):
        names, _, how = line.partition(" : ")
        operands, _, more = how.partition("|")
        program = _program(operands.split(), more.split())
        programs.update(dict.fromkeys(names.split(), program))
    return programs


READS_ITS_PLACE = frozenset(
    "git npm pnpm yarn bun npx pnpx bunx make gmake cargo go just task rake gradle gradlew mvn tox nox "
    "poetry pdm hatch uv pre-commit composer bundle terraform tofu cmake meson ninja bazel dotnet deno "
    "direnv mise devbox hg svn jj".split()
)
"""The programs that run what a file in their folder, or in one above it, tells them to."""

PROGRAMS: Mapping[str, Program] = _read_table()
"""The programs by their base name; a command of git as `git-add`."""
