"""What known programs do to the files and hosts that their words name, as data (POL-36).

An entry is a line, continued on those that are indented: names, a colon, and what is done to the operands,
one use for each in order (`programs.py: Use`); `read*` means any number of them, `read* into` that the last
is something else. `use=-o,--output` are options whose value is used so; with `!` one stands in for the
fixed operands (`grep -e x` has no other pattern), with `?` its value can only be glued to it. Where an
option may or may not take a value it is left out: the word behind it then counts as an operand, which
loses nothing. Further words:

- `quiet`: no word names a file. `ends`: options end at the first operand. `sub`: the first operand is a
  command with an entry of its own (`git-add`).
- `pipes`: it reads its input instead of walking where that is a pipe.
- `makes=file`: it writes a file of that name into its folder, unless its output is redirected;
  `unnamed=file` where no operand names another.
- `walks`: it reads all below a folder, `walks=-r,-R` only with one of these options, and then the current
  folder where it names none. `wipes=-r`: what it deletes goes with all below. `writes=-i`: what it would
  read it also changes. `saves`: it writes a file named like the address. `anything`:
  what it reads tells it which files to change. `tells=-v`: with it alone it
  says something of itself and reads no script.

A program that has no entry here may do anything to any of its words. Which options run programs or write,
so that a rule has to name them, stands in `program_options` and `git_options`; both tables have to agree on
which options take the next word for their value.
"""

from __future__ import annotations

TABLE = r"""
echo printf true false : quiet
test [ [[ basename dirname seq sleep yes expr id whoami uname pwd kill pkill killall tr :
    quiet
export readonly declare typeset local unset set shopt alias unalias type hash read wait exit return : quiet
break continue shift ulimit umask times jobs fg bg which whereis apropos locale tput clear tty : quiet
nproc uptime ps top free groups ping host nslookup cd pushd popd locate getopts let : quiet

date : text* read=-f,--file,-r,--reference
hostname : text* read=-F,--file
dig : text* read=-f,-k
man : name* read=-C,--config-file name=-M

cat tac nl rev fold fmt expand unexpand pr strings od hexdump cksum sum md5sum sha1sum sha224sum : read*
sha256sum sha384sum sha512sum b2sum md5 shasum paste comm join column zcat bzcat xzcat zless bzless : read*
zmore more most bat batcat pygmentize jless lsof fuser readlink realpath stat df ls dir vdir exa eza : read*
head tail : read* text=-n,-c,--lines,--bytes
wc : read* read=--files0-from
cut : read* text=-d,-f,-c,-b,--delimiter,--fields,--characters
tree : read* write=-o text=-P,-I,-L
du : read* read=--files0-from,-X,--exclude-from text=--exclude
file : read* read=-m,--magic-file,-f,--files-from text=-F
diff colordiff : read* walks text=-x,--exclude,-I,--label read=-X,--exclude-from
sdiff : read* walks write=-o,--output
cmp diff3 : read* write=-o,--output
sort : read* write=-o,--output,-T,--temporary-directory text=-k,--key,-t,-S
    read=--files0-from,--random-source any=--compress-program
uniq : read write text=-f,-s,-w
shuf : read* write=-o,--output text=-n,-i read=--random-source
less : read* write=-o,-O,--log-file read=-k,-T text=-p
xxd : read write text=-l,-s,-c,-g,-o,-n
base32 base64 basenc : read* text=-w,--wrap read=-i write=-o
grep egrep fgrep zgrep rgrep : text read* walks=-r,-R,--recursive,--dereference-recursive,-d,--directories
    text=-e!,--regexp!,-A,-B,-C,-m,-D,-d,--after-context,--before-context,--context,--max-count
    text=--include,--exclude,--exclude-dir,--color?,--colour?,--label,--binary-files
    read=-f!,--file!,--exclude-from
rg ripgrep : text read* walks pipes
    text=-e!,--regexp!,-g,--glob,--iglob,-t,--type,-T,--type-not,--type-add,-A,-B,-C,-m,-M,-E,-r
    text=--replace,--color,--colors,--sort,--sortr,--pre-glob,--encoding,--engine
    read=-f!,--file!,--ignore-file any=--pre,--hostname-bin
ag ack : text read* walks text=-G,-A,-B,-C,-m read=-p
fd fdfind : text read* text=-e,--extension,-t,--type,-d,-E,--exclude,-x,-X,--exec,--exec-batch
    place=--base-directory read=--ignore-file,--search-path
jq yq : text read* writes=-i,--inplace read=-f!,--from-file!,-L second=--slurpfile,--rawfile
    both=--arg,--argjson
sed gsed : sed read* writes=-i,--in-place sed=-e!,--expression! read=-f!,--file! text=-i?,--in-place?
awk gawk mawk nawk : awk read* ends read=-f!,--file!,-E!,--exec! text=-F,--field-separator,-v,--assign
    awk=-e!,--source! any=-i,--include write=-o?,-p?,-d?
find gfind bfs : find

touch : write* read=-r,--reference text=-d,-t,--date
mkdir mkfifo mknod : write* text=-m,--mode
truncate fallocate : write* text=-s,--size,-l read=-r,--reference
tee sponge : write*
rm shred : delete* wipes=-r,-R,--recursive
rmdir unlink : delete*
trash trash-put gio : delete* wipes
cp gcp : read* into walks=-r,-R,-a,--recursive,--archive into=-t!,--target-directory! text=-S,--suffix
mv gmv : move* into walks into=-t!,--target-directory! text=-S,--suffix
install ginstall : read* into writes=-d,--directory into=-t!,--target-directory! text=-m,-o,-g,--mode,--owner,--group,-S
ln gln link : read* into into=-t!,--target-directory! text=-S
chmod chattr chown chgrp : text write* walks=-R,--recursive read=--reference!
setfacl : write* text=-m,-x read=-M,-X,--restore
dd : pair*
tar gtar bsdtar : tar
zip : write read* walks=-r,-R text=-x,-i write=-b
unzip : read any* into=-d
gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress : any* text=-S
7z 7za 7zr : text any* walks
cpio pax : any* place=-D
rsync : remote* remote-into walks text=-e,--rsh,-f,--filter,--exclude,--include,--chmod,--chown
    read=--exclude-from,--include-from,--files-from,--password-file,--compare-dest,--copy-dest
    read=--link-dest write=--log-file,--temp-dir,-T,--backup-dir,--partial-dir
scp sftp : remote* remote-into walks=-r read=-i,-F,-b any=-S text=-c,-l,-o,-P,-J
ssh : text ends read=-i,-F write=-E any=-S text=-o,-p,-l,-J,-L,-R,-D,-W,-b,-c,-e,-I,-m,-O,-Q,-w,-B
patch : any* anything read=-i,--input write=-o,--output place=-d,--directory text=-p,--strip
split csplit : read write text=-b,-l,-n,-a,-C
sqlite3 : any sql* sql=-cmd read=-init

curl : url* saves=-O,--remote-name,--remote-name-all
    write=-o,--output,-c,--cookie-jar,-D,--dump-header,--trace,--trace-ascii,--stderr,--etag-save
    write=--libcurl place=--output-dir
    read=-T,--upload-file,-K,--config,-E,--cert,--key,--cacert,--capath,--crlfile,--netrc-file
    read=--etag-compare,--proxy-key,--proxy-cert,--proxy-cacert,--proxy-capath,--pubkey,--proxy-crlfile
    data=-d,--data,--data-ascii,--data-binary,--json,-H,--header,--proxy-header,-w,--write-out
    form=--data-urlencode,-F,--form,--variable
    text=--data-raw,--form-string,-X,--request,-A,--user-agent,-e,--referer,-u,--user,-U
    text=--proxy-user,-m,--max-time,--connect-timeout,--retry,--retry-delay,-r,--range,-C,-y,-Y,-Q
    text=-P,-t,--interface,--limit-rate,--max-redirs,--ciphers,--oauth2-bearer,--aws-sigv4
    any=-b,--cookie,--hsts,--alt-svc,--unix-socket,--abstract-unix-socket,-z
    url=--url,--proxy,-x,--preproxy,--socks5,--socks5-hostname,--socks4,--socks4a,--doh-url
    connect=--connect-to,--resolve
wget : url* saves write=-O,--output-document,-o,--output-file,-a,--append-output,--save-cookies,--warc-file
    read=-i,--input-file,--post-file,--body-file,--config,--load-cookies,--ca-certificate
    read=--certificate,--private-key,--ca-directory,--crl-file,--pinnedpubkey place=-P,--directory-prefix
    text=--post-data,--body-data,--header,-U,--user-agent,--method,-e,--execute,-t,--tries,-T
    text=--timeout,-w,--wait,-l,-A,-R,-D,-I,-X,--user,--password,--referer,-Q url=-B,--base
http https httpie xh : name name any* write=-o,--output any=--session read=--cert text=-a
nc ncat netcat telnet : socket* text=-p,-s,-w,-X,-q url=-x write=-o
socat : connect*

git : sub place=-C setup=--git-dir,--work-tree any=--exec-path?
    text=-c,--config-env,--namespace,--super-prefix,--attr-source
git-add git-stage : read* walks read=--pathspec-from-file text=--chmod
git-rm : delete* wipes=-r read=--pathspec-from-file
git-mv : move* into
git-commit : read* text=-m,--message,-C,-c,--author,--date,--fixup,--squash,--reuse-message,--reedit-message
    text=--trailer,--cleanup,-S?,-u? read=-F,--file,-t,--template,--pathspec-from-file
git-checkout git-restore : write* text=-b,-B,-s,--source,--orphan,--conflict read=--pathspec-from-file
git-diff git-log git-show git-whatchanged git-difftool git-reflog git-shortlog : revision* write=--output
    read=-O? text=--format,--pretty?,--grep,--author,--committer,--since,--until,--after,--before,-n,-S,-G
    text=--diff-filter,--word-diff?,--color?,--date,--max-count,--skip,-I revision=-L
git-blame git-annotate : revision* read=--contents,-S,--ignore-revs-file text=--ignore-rev,--since,-L,--date
git-grep : text revision* walks text=-e!,-O?,--open-files-in-pager?,-A,-B,-C,-m,--max-depth,--threads
    read=-f!
git-apply git-am : read* anything text=-p,-C,--directory,--exclude,--include
git-archive : revision* write=-o,--output text=--format,--prefix,--exec url=--remote read=--add-file
git-bundle : text any*
git-update-index : any*
git-stash : name any* text=-m,--message read=--pathspec-from-file
git-cat-file git-ls-tree git-rev-parse git-rev-list : revision*
git-ls-files : read* text=-x,--exclude,--exclude-per-directory,--format read=-X,--exclude-from
git-hash-object : read* text=-t,--path
git-clean : any* text=-e,--exclude
git-clone : name write
    text=-b,--branch,-o,-u,--upload-pack,--depth,-c,--config,-j,--jobs,--filter,--shallow-since
    text=--shallow-exclude,--origin read=--template,--reference,--reference-if-able write=--separate-git-dir
git-init : write* read=--template write=--separate-git-dir text=-b,--initial-branch
git-fetch git-pull git-push git-ls-remote : name text*
    text=--upload-pack,--receive-pack,--exec,-o,--push-option,--depth name=--repo
git-remote git-submodule git-subtree git-worktree : name* read=--reference text=-b,-B
git-config : text* any=-f,--file
git-branch git-tag git-merge git-rebase git-cherry-pick git-revert git-reset git-status git-describe : text*
    read=-F,--file,--pathspec-from-file
git-switch git-bisect git-notes git-gc git-fsck git-for-each-ref git-symbolic-ref git-name-rev :
    text* read=-F,--file
git-merge-base git-check-ignore git-check-attr git-credential git-help git-version git-var : text*
git-format-patch : text* write=-o,--output-directory,--output

python python2 python3 ipython pypy pypy3 : script any* tells=-V,--version,-h,--help ends code=-c! text=-m!,-W,-X
node nodejs : script any* tells=-v,--version,-h,--help ends code=-e!,--eval!,-p!,--print!
    read=-r,--require,--import,--loader,--experimental-loader,--env-file text=-C
perl : script any* tells=-v,-V,--version,-h,--help writes=-i ends
    code=-e!,-E! read=-I text=-M?,-m?,-F?,-x?,-i?
ruby : script any* tells=-v,--version,-h,--help writes=-i ends code=-e! read=-r,-I place=-C text=-F?,-i?,-x?
php : script any* tells=-v,--version,-h,--help ends
    code=-r!,-B!,-R!,-E! read=-f!,-F!,-c,-z text=-d,-S place=-t
lua luajit Rscript R osascript tclsh wish octave julia ghci irb iex scala groovy guile :
    script any* tells=--version,--help ends
    code=-e!,--eval!,-E! read=-f!,--file! text=-l
racket sbcl swipl jshell elixir erl expect : script any* ends code=-e!,--eval!,-eval!,-c!,-g!
deno : sub
deno-test deno-bench : any*
    read=-c,--config,--import-map,--env-file any=--lock text=-A?
deno-run : script any* tells=-h,--help ends read=-c,--config,--import-map,--env-file any=--lock
    text=-A?
deno-eval deno-repl : code*
bash sh dash zsh ksh ash rbash mksh fish : read any* ends text=-c!,-o,-O read=--rcfile,--init-file
psql mysql mariadb sqlcmd : name* sql=-c,--command,-e,--execute
    text=-h,--host,-U,--username,-u,--user,-p?,-P,--port,-d,--dbname,-D,-v read=-f,--file write=-o,--output,-L
vim vi nvim view nano emacs ed ex code : any* code=-c,--cmd,--eval read=-S,-u,-s write=-w,-W any=-i

npm pnpm yarn bun : name name any* place=--prefix,-C,--dir,--cwd read=--userconfig,--globalconfig
    write=--cache name=-w,--workspace text=--filter,--tag,--otp url=--registry any=--script-shell
npx pnpx bunx : name any* ends name=-p,--package text=-c,--call
make gmake : name* setup=-f,--file,--makefile place=-C,--directory read=-I,--include-dir text=-o,-W
    code=--eval
cargo : name any* name=-p,--package,--bin,--example,--test,--bench,--target setup=--manifest-path
    write=--target-dir place=-C text=--features,-F,-j,--profile,--color,--message-format,--exclude
    any=--config
go : name any* place=-C text=-run,-bench,-count,-timeout,-tags,-ldflags,-gcflags
    write=-o,-coverprofile,-cpuprofile,-memprofile read=-modfile,-overlay
pip pip3 : name any* read=-r,--requirement,-c,--constraint
    write=-t,--target,--prefix,--root,--src,-d,--dest,--log,--cache-dir url=-i,--index-url,--extra-index-url
uv poetry pdm hatch tox nox pipenv : name name any* read=-r place=--directory,--project,-C
    text=-m,-p,--extra,--group name=--python url=--index-url
pytest : any* text=-k,-m,-n,-p,-W,-o read=-c,--rootdir write=--junitxml,--junit-xml,--basetemp,--log-file
docker podman nerdctl : name name any* mount=-v,--volume,--mount,--secret,--ssh
    read=--env-file,-f,--file,--label-file,--config,--tlscacert,--tlscert,--tlskey
    text=-e,--env,-w,--workdir,--name,-p,--publish,--tag,-l,--label,--network,--net,-u,--user
    text=--entrypoint,-h,--build-arg,--target,--platform,--format,--filter write=--cidfile,--iidfile
    url=-H,--host name=--context
kubectl oc helm : name name any* read=-f,--filename,-k,--kustomize,--kubeconfig,--values
    text=-n,--namespace,-l,--selector,-o,--output,--set,--context,-c any=--set-file
gh glab hub : name name any*
    text=-t,--title,-b,--body,-m,--message,-R,--repo,-B,--base,-H,--head,-l,--label,-a,--assignee
    text=--reviewer,-q,--jq,--json,--raw-field,-X,--method,--template,-n,--notes
    read=-F,--body-file,--input,--notes-file form=--field write=-D,--dir
terraform tofu : name any* place=-chdir read=-var-file text=-var,-target any=-state write=-out
brew apt apt-get dnf yum apk pacman systemctl service snap : name* any=-f read=-c
cmake ninja meson bazel gradle gradlew mvn dotnet rake just task : name any* place=-C,-p,--project-dir
    read=-f,-S write=-B text=-D
rustc gcc g++ clang clang++ cc c++ tsc javac : any* write=-o text=-D,-x

dotenvx : name* read=-f,--env-file
xargs gxargs : text ends read=-a,--arg-file text=-I,-n,-L,-P,-s,-d,-E
env : text ends read=-C,--chdir text=-u,--unset,-S,--split-string
sudo doas : text ends read=-D,--chdir,-R text=-u,-g,-h,-p,-C,-T,-U,-r,-t
flock : read text* ends text=-c
chroot unshare nsenter : read text* ends
timeout nice stdbuf command builtin exec setsid ionice chrt taskset su runuser pkexec eval : quiet
trap coproc watch busybox devbox direnv : quiet
nohup : text ends makes=nohup.out
time gtime : text ends write=-o,--output text=-f,--format
strace : text ends write=-o,--output
    text=-a,-b,-e,-E,-I,-O,-p,-P,-s,-S,-u,-U,-X,--attach,--trace,--env,--user,--expr,--columns,--string-limit
ltrace : text ends write=-o,--output read=-F,--config text=-a,-A,-D,-e,-l,-n,-p,-s,-u,-w,-x
valgrind : text ends write=--log-file,--xml-file read=--suppressions
parallel : text ends read=-a,--arg-file write=--joblog,--results,--tmpdir
    text=-j,--jobs,-P,-N,-n,-L,-I,-C,-d,-s,--colsep,--delay,--timeout,--retries,--halt,--memfree,--load,--tagstring
script : write text* unnamed=typescript write=-O,-B,-T,--log-out,--log-io,--log-timing,-I,--log-in,-t?,--timing?
    text=-c,--command,-E,--echo,-m,-o
hyperfine : text* write=--export-json,--export-csv,--export-markdown,--export-asciidoc,--export-orgmode,--output
    read=--input text=-w,--warmup,-m,-M,-r,--runs,-s,--setup,-p,--prepare,-c,--cleanup,-S,-n,-u,-C,--sort,--style
rlwrap : text ends any=-H,--history-filename read=-f,--file write=-l,--logfile text=-b,-C,-D,-e,-g,-O,-P,-q,-s,-S,-t
proxychains proxychains4 : text ends read=-f
xvfb-run : text ends write=-e,--error-file any=-f,--auth-file text=-n,-p,-s,-w
fakeroot : text ends write=-s read=-i any=-l,--lib text=-b,--faked
dbus-run-session : text ends read=--config-file
op : sub
op-run : text* ends read=--env-file text=--account,--environment
doppler : sub
doppler-run : text* ends any=--fallback text=-p,-c,-t,--project,--config,--token,--command
source . : script any* ends
pandoc : any* write=-o,--output text=-f,-t,--from,--to,--metadata,-M,-V read=--template
"""
