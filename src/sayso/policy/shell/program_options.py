"""Options of well-known programs, as data (POL-38, POL-39).

One entry a program, indented where it goes on: names, a colon, and its options as
`option_syntax.syntax` reads them; `!` marks those by which it runs another program, loads code or writes a
file. Further words of an entry:

- `@1`: operands beyond the first are files that it writes.
- `-long`: long options have one dash, and short ones are not clustered.
- `ends`: options end at the first operand; `bundle`: the first word is a cluster without a dash.
- `front`: options that are listed count only before the first operand.
- `code`: it runs whatever code it is given, so that its options say little.
- `sed`, `awk`: the first operand is a script; `verbs`: it is a command, and options before it are listed.

All others with an entry here are known well enough for `allow shell(program *)`. Programs that run the
words behind their options have theirs in `wrapper_table`, what other programs do with the values of these
and with their operands stands in `program_table`.
"""

from __future__ import annotations

_TABLE = r"""
true false : ends
echo printf pwd test [ [[ basename dirname yes exit return break continue shift : ends
ls dir vdir : a d F 1 l h r R t S I/ignore= w/width= T/tabsize= hide= block-size= color? format= sort= time=
    indicator-style= quoting-style= time-style=
exa eza lsd : l a T/tree L/level= s/sort= I/ignore-glob= color= icons?
cat tac nl rev fold fmt expand unexpand pr od hexdump cksum sum paste comm join : n b s t v A E T
    d/delimiters= w= e= o= f= i= l= h= 1= 2= j=
head tail : n/lines= c/bytes= q v f F s/sleep-interval= pid= follow? retry
wc stat readlink realpath du df nproc uptime free id whoami uname who w groups users tty logname : c=
    t= f= B= d/max-depth= format= printf=
md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum md5 shasum : c/check b t a/algorithm=
which whereis type hash jobs fg bg wait times umask ulimit : a
grep egrep fgrep zgrep rgrep : e/regexp= f/file= A/after-context= B/before-context= C/context= m/max-count=
    D/devices= d/directories= r/recursive R/dereference-recursive i/ignore-case v/invert-match include=
    exclude= exclude-dir= exclude-from= label= binary-files= color? colour?
cut : d/delimiter= f/fields= c/characters= b/bytes= output-delimiter= s/only-delimited
tr : c d s t
seq sleep factor expr : f/format= s/separator= w
jq : arg= argjson= f/from-file= L= indent= slurpfile= rawfile= r/raw-output e/exit-status s/slurp
    n/null-input c/compact-output
column look tsort : s= t c= o= x J N= R= W= H= E=
diff cmp colordiff : x/exclude= X/exclude-from= I= U/unified? C/context? L/label= W= S= u r/recursive
    N/new-file q/brief color? from-file= to-file= i/ignore-initial= n/bytes=
cd pushd popd dirs set unset shopt local readonly export declare typeset let read mapfile readarray getopts
    : ends
ps pgrep pidof top : bundle u= p= o= C= t= G= U=
kill killall pkill : s= n= l
mkdir touch : p m/mode= v/verbose d/date= r/reference= t= a c
rmdir : p/parents v/verbose ignore-fail-on-non-empty
cp : a b/backup? f/force i/interactive l/link s/symbolic-link n/no-clobber p r/R/recursive d u/update?
    v/verbose x t/target-directory= S/suffix= T/no-target-directory preserve? no-preserve= reflink? sparse=
    attributes-only H L P backup? archive
mv : f/force i/interactive n/no-clobber u/update? v/verbose t/target-directory= S/suffix=
    T/no-target-directory backup? b
rm : f/force i I r/R/recursive d/dir v/verbose interactive? one-file-system no-preserve-root preserve-root?
ln : s/symbolic f/force n/no-dereference v/verbose t/target-directory= S/suffix= T/no-target-directory
    r/relative i/interactive b backup?
chmod chown chgrp : R/recursive v/verbose c/changes f/silent/quiet reference= from= H L P h/no-dereference
    preserve-root no-preserve-root
tee : a/append i/ignore-interrupts p output-error?
ping ping6 : c= i= W= w= s= t= I= q n 4 6
host nslookup dig whois : p= t= q= b= k=
cal : m= y
date : d/date= u/utc s/set=! f/file= r/reference= I? R iso-8601? rfc-3339=
hostname : F/file=! b!
tput clear reset : T= S
lsof lscpu lsblk lsmod lsusb lspci findmnt : p= i? u= c= o=
getent locale : s=
zcat bzcat xzcat : f
alias unalias : p a
sort gsort : k/key= t/field-separator= S/buffer-size= T/temporary-directory= batch-size= parallel=
    random-source= files0-from= sort= o/output=! compress-program=! r/reverse n/numeric-sort u/unique b f d
    g h M R V z/zero-terminated c m s i check?
uniq : @1 f/skip-fields= s/skip-chars= w/check-chars= c d u i group? all-repeated?
shuf : o/output=! n/head-count= e i/input-range= random-source= r z
split csplit : filter=! l= b= C= n= a= additional-suffix= t= f= suffix-format= k s
tree : P= I= L= o=! R! H= T= charset= filelimit= timefmt= fromfile sort= gitfile= infofile= a d f l x s h p
    u g D
file : m/magic-file=! C/compile! f/files-from= e/exclude= F/separator= P/parameter= b/brief i/mime z Z L h k
    r s N n v
sdiff : o/output=! diff-program=! w/width= I= W
diff3 : diff-program=! A e E x X m L= T i a 3
base64 base32 basenc : w/wrap= i= o/output=! d/decode D b=
xxd : @1 l= c= g= s= o= n= r p u i e E b R= name= cols= len=
strings : n/bytes= t/radix= o e/encoding= T/target= s/output-separator=
install ginstall : strip-program=! g= m= o= S= t/target-directory= d D s p C v
sed gsed ssed : sed e/expression= f/file=! i/in-place?! l/line-length= n/quiet E r s/separate u z sandbox
    posix debug follow-symlinks help version
awk gawk mawk nawk original-awk : awk ends f/file=! F/field-separator= v/assign= e/source= i/include=!
    l/load=! E/exec=! o/pretty-print?! p/profile?! d/dump-variables?! D/debug?! W=! b c C g h I k L? M n N O
    P r s S t V csv
find gfind bfs : -long delete! fprint=! fprint0=! fprintf=! fls=! exec execdir ok okdir files0-from=
    name= iname= path= ipath= wholename= iwholename= regex= iregex= regextype= type= xtype= size= user=
    group= uid= gid= perm= newer= anewer= cnewer= mtime= atime= ctime= mmin= amin= cmin= maxdepth= mindepth=
    printf= links= inum= samefile= lname= ilname= fstype= used= context= D=
fd fdfind : x/exec X/exec-batch l/list-details! H/hidden I/no-ignore u/unrestricted s/case-sensitive
    i/ignore-case g/glob F/fixed-strings a/absolute-path L/follow p/full-path 0/print0 q/quiet 1 h/help
    V/version and= d/max-depth= t/type= e/extension= E/exclude= S/size= o/owner= c/color= j/threads=
    max-results= min-depth= exact-depth= changed-within= changed-before= newer= older= changed-after=
    C/base-directory= path-separator= search-path= batch-size= ignore-file= format= hyperlink?
    strip-cwd-prefix? no-ignore-vcs no-ignore-parent no-require-git prune one-file-system show-errors regex
    relative-path no-follow no-hidden ignore ignore-vcs max-buffer-time= gen-completions?
    no-global-ignore-file
rg ripgrep : pre=! hostname-bin=! z/search-zip! e/regexp= f/file= g/glob= iglob= t/type= T/type-not=
    type-add= A/after-context= B/before-context= C/context= m/max-count= M/max-columns= d/max-depth=
    E/encoding= r/replace= j/threads= color= colors= sort= sortr= ignore-file= pre-glob= engine=
    max-filesize= context-separator= field-match-separator= path-separator= regex-size-limit=
    dfa-size-limit= hyperlink-format= stop-on-nonmatch i n l o v w c u U P F S s x L h H p q pretty
ag : pager=! G= A= B= C= m= p= W= i l n o v w
ack : pager=! A= B= C= m= g= ackrc=! type= i l n o v w
bat batcat : pager=! l/language= H/highlight-line= r/line-range= map-syntax= theme= style= color=
    decorations= paging= wrap= terminal-width= tabs= file-name= n p A
delta : pager=!
fzf : preview=! bind=! with-shell=! history=! listen?! f/filter= q/query= n/nth= d/delimiter= height=
man gman : P/pager=! H/html?! C/config-file=! X/gxditview?! T/troff-device?! Z p/preprocessor=! l/local-file!
    M/manpath=! L/locale= m/systems= S/sections= s= e/extension= r/prompt= E/encoding= R/recode= a f k w W 7
    t K
less zless : o/log-file=! O/LOG-FILE=! k/lesskey-file=! lesskey-src=! lesskey-content=! T/tag-file= t/tag=
    p/pattern= b/buffers= h= j= x= y= z= P/prompt= D/color= #= N S R F X i n q r
more : n/lines= d f l p c s u
tar gtar bsdtar : bundle f/file= C/directory= b/blocking-factor= T/files-from= X/exclude-from= V/label=
    N/newer= g/listed-incremental= L/tape-length= K/starting-file= H/format= to-command=!
    checkpoint-action=! use-compress-program=! I/use-compress-program=! F/info-script=! new-volume-script=!
    info-script=! rsh-command=! rmt-command=! index-file=! exclude= transform= xform= strip-components=
    owner= group= mode= mtime= checkpoint? suffix= volno-file=! warning= sort= s= c x t z j J v k p r u d O
    a h l m o P S w W
zip : unzip-command=! T O= b= t= n= x= i= P= logfile-path=! lf=! r q
curl : o/output=! O/remote-name! remote-name-all! J/remote-header-name! K/config=! x/proxy=! preproxy=!
    ssl-sessions=! socks4=! socks4a=! socks5=! socks5-hostname=! connect-to=! unix-socket=!
    abstract-unix-socket=!
    D/dump-header=! c/cookie-jar=! trace=! trace-ascii=! stderr=! libcurl=! hsts=! alt-svc=! etag-save=!
    output-dir=! engine=! create-dirs! w/write-out= A/user-agent= b/cookie= C/continue-at= d/data= data-raw=
    data-binary= data-ascii= data-urlencode= json= e/referer= E/cert= F/form= form-string= H/header= h?
    m/max-time= P/ftp-port= Q/quote= r/range= T/upload-file= t/telnet-option= u/user= U/proxy-user=
    X/request= y/speed-time= Y/speed-limit= z/time-cond= cacert= capath= cert-type= ciphers= key= key-type=
    pass= connect-timeout= retry= retry-delay= retry-max-time= limit-rate= max-filesize= max-redirs=
    resolve= url= interface= local-port= netrc-file= noproxy= oauth2-bearer= proto= proto-default=
    proto-redir= aws-sigv4= etag-compare= rate= variable= expand-data= a f g G i I j k l L M n N p q R s S v
    V Z 0 1 2 3 4 6
wget : use-askpass=! e/execute=! config=! o/output-file=! a/append-output=! O/output-document=!
    P/directory-prefix=! save-cookies=! hsts-file=! warc-file=! rejected-log=! i/input-file= t/tries=
    T/timeout= w/wait= Q/quota= U/user-agent= A/accept= R/reject= D/domains= B/base= l/level= header=
    post-data= post-file= body-data= body-file= method= user= password= load-cookies= b c q v nv S N r p k
scp : o= F=! S=! D=! i= J= P= c= l= X= r p q v C 3 O R T
sftp : o= F=! S=! D=! b=! s=! B= c= i= J= l= P= R= X= r p q v C
rsync : e/rsh=! rsync-path=! log-file=! config=! write-batch=! only-write-batch=! f/filter= exclude=
    include= exclude-from= include-from= files-from= daemon! B= T/temp-dir= backup-dir= suffix= bwlimit= port=
    timeout= chmod= chown= compare-dest= copy-dest= link-dest= partial-dir= out-format= info= password-file=
    M/remote-option=!
nc netcat ncat : e/exec=! c/sh-exec=! lua-exec=! o/output=! x= X= p= s= w= i= q= I= O= T=
vim vi nvim view ex gvim rvim : c/cmd=! S=! s=! u=! U=! w=! W=! i=! l! listen=! luamod-dev! T= t= r= q= p? o?
    O? R n e
emacs emacsclient : eval=! execute=! f/funcall=! l/load=! script=! e/eval=! a/alternate-editor=!
nano pico : s/speller=! o/operatingdir= r= T= Y= B/backup C/backupdir=! f/rcfile=!
ed red : p=
gdb lldb : -long ex=! eval-command=! x=! command=! ix=! init-command=! iex=! init-eval-command=! o=! s=! S=!
    O=! k=! one-line=! source=!
sqlite3 : -long cmd=! init=! separator= newline= nullvalue= vfs=
psql : c/command=! f/file=! o/output=! L/log-file=! v/set=! d= h= p= U= F= P= R= T=
mysql mariadb : e/execute=! tee=! pager=! init-command=! defaults-file=! defaults-extra-file=! login-path=
    plugin-dir=! default-auth= h= P= u= D= p?
gpg gpg2 : o/output=! gpgconf=! agent-program=! dirmngr-program=! photo-viewer=! exec-path=! log-file=!
    homedir=! options=! r= u= k K a b d e s c
openssl : -long out=! engine=! provider=! keyout=! writerand=! config=! in= inkey= passin= CAfile= connect=
    servername= days= subj= provider-path=!
tcpdump : w=! z=! Z= i= c= r= s= F= E= G= W= C= n v A X
nmap : -long oN=! oX=! oG=! oS=! oA=! script=! datadir=! servicedb= p= iL=
npm : verbs script-shell=! shell=! node-options=! git=! editor=! viewer=! browser=! userconfig=!
    globalconfig=! init-module=! onload-script=! node-gyp=! w/workspace= loglevel= registry= cache= tag=
    omit= include= C/prefix= s/silent g/global D/save-dev
pnpm : verbs script-shell=! shell=! node-options=! C/dir= F/filter= w/workspace-root r/recursive reporter=
    loglevel=
yarn : verbs use-yarnrc=! script-shell=! cwd= modules-folder= cache-folder= registry=
cargo : verbs config=! Z=! color= manifest-path= target-dir= j/jobs= F/features= p/package= target= profile=
    message-format= bin= example= test= bench= q/quiet v/verbose C=
go : verbs -long exec=! toolexec=! o=! vettool=! overlay=! modfile=! coverprofile=! cpuprofile=!
    memprofile=! blockprofile=! mutexprofile=! trace=! outputdir=! pkgdir=! w! u! C= run= bench= count=
    timeout= test.coverprofile=! test.cpuprofile=! test.memprofile=! test.blockprofile=!
    test.mutexprofile=! test.trace=! test.outputdir=! test.testlogfile=! tags= p= parallel= cpu= coverpkg=
    covermode= ldflags= gcflags= asmflags= buildmode= compiler=
    mod= f= skip= fuzz= fuzztime= list= shuffle= v= short= race= json= cover= x= n= a= i=
make gmake : eval=! E/eval=! f/file/makefile=! C/directory= I/include-dir= j/jobs? l/load-average?
    o/old-file= W/what-if= O/output-sync? B/always-make k/keep-going n/dry-run s/silent q/question
docker nerdctl : verbs front H/host=! c/context=! config=! l/log-level= tlscacert= tlscert= tlskey= D/debug
    tls tlsverify
    v/version
podman : verbs front url=! connection=! identity=! runtime=! conmon=! hooks-dir=! root=! runroot=! log-level=
    r/remote
kubectl oc : verbs kubeconfig=! s/server=! token= n/namespace= context= cluster= user= as= as-group=
    request-timeout= v= o/output= l/selector= f/filename= c/container= cache-dir=! profile-output=!
helm : verbs post-renderer=! kubeconfig=! kube-apiserver=! n/namespace= kube-context= f/values= set= version=
hg : verbs config=! R/repository=! cwd= encoding= debugger!
svn : diff-cmd=! diff3-cmd=! editor-cmd=! config-option=! config-dir=! merge-cmd=! m/message= F= r= c=
    username= password=
ctags : options=! o=! f=! optlib-dir=!
gcc g++ cc c++ clang clang++ : -long o=! wrapper=! B=! specs=! fplugin=! load=! dumpdir=! D= I= L= l= x=
    include= isystem= std= c S E
dmesg journalctl : cursor-file=! w u= n= S= U= p= o= t= b?
yq : i/inplace! in-place! s/split-exp=! split-exp-file=! f/front-matter= o/output-format= p/input-format= P
    r e n
patch : o/output=! r/reject-file=! p/strip= i/input= d/directory= D= F= b= z= B= V= Y=
bash rbash sh dash ash zsh ksh : code ends o= O= rcfile=! init-file=! login norc noprofile posix verbose version
    help c e l u x i s v f n p r a b h k m t B C D E H P T
python python2 python3 : code ends c= m= W= X= Q= check-hash-based-pycs= b B d E h i I O P q s S u v V x help
    version
node : code ends e/eval= p/print= r/require= import= loader= C/conditions= env-file= c/check i/interactive
    h/help
    v/version test watch inspect? input-type= title= stack-trace-limit= max-old-space-size=
perl : code ends e= E= I= M? m? F? i? l? 0? C? D= x? a c n p s S t T u U v V w W X
ruby : code ends e= I= r= C= E= F? K= T? W? x? i? 0? a c d h l n p s S v w
socat : -long r=! R=! lf=! L= W= t= T= b= d v x u U s h hh hhh V D
iconv : o/output=! f/from-code= t/to-code= c l/list s/silent verbose
pandoc : o/output=! F/filter=! L/lua-filter=! pdf-engine=! extract-media=! defaults=! d/defaults=! log=!
    data-dir=!
    D/print-default-template= t/to= w/to= f/from= r/from= M/metadata= V/variable= metadata-file= template=
    s/standalone N
pdflatex latex xelatex lualatex pdftex tex luatex latexmk : -long shell-escape! enable-write18!
    output-directory=!
    jobname=! interaction= halt-on-error
tmux : L= S=! f=! c=! 2 u v
screen crontab at batch : f=! e! r! l L v V
ip : -long b=! batch=! n= netns= family= f= s d j p br c color o
cpio : rsh-command=! i o p t v d O=! F= D= H= E= u m
cmake : -long P=! E! C=! G= S= B= build= install= target= preset= toolchain=! trace-redirect=! graphviz=! j=
aws : verbs profile= region= output= query= cli-binary-format=
gcloud : verbs project= zone= region= format= filter= flags-file=! quiet
pip pip3 : verbs python=! log=! r/requirement= c/constraint= e/editable= i/index-url= t/target= U/upgrade
    q/quiet
    v/verbose extra-index-url= root= prefix= d/dest= cache-dir= f/find-links=
conda mamba : verbs n/name= p/prefix= c/channel= y/yes q/quiet f/file=
pytest py.test : p=! c/config-file=! rootdir=! basetemp=! confcutdir= junitxml/junit-xml=! log-file=!
    k= m= n/numprocesses=
    W= o/override-ini= r= x v q s l lf/last-failed ff/failed-first tb= maxfail= durations= cov? cov-report=
    cov-config= capture= color= import-mode= deselect= ignore= ignore-glob= timeout= dist= collect-only co V h
eslint : o/output-file=! f/format=! rulesdir=! resolve-plugins-relative-to=! c/config=! ext= max-warnings= rule=
    ignore-path= ignore-pattern= cache-location= fix fix-type= quiet parser=! plugin= no-eslintrc env=
prettier : plugin=! plugin-search-dir=! config=! w/write c/check l/list-different ignore-path= parser=
    log-level=
mypy : python-executable=! install-types! p/package= m/module= c/command= config-file= python-version=
    cache-dir=
gh glab : verbs R/repo= t/title= b/body= F/body-file= B/base= H/head= l/label= a/assignee= r/reviewer=
    m/milestone= L/limit= q/jq= json= template= X/method= f/raw-field= S/search= s/state= A/author=
    p/project= c/comment= d web! hostname=
"""

SAFE_TABLE = r"""
php deno bun java lua Rscript tclsh : x
pip pip3 pipx poetry pipenv uv pdm hatch rye conda mamba brew apt apt-get dnf yum pacman apk snap : verbs
terraform tofu pulumi ansible ansible-playbook aws gcloud az systemctl service : verbs
pytest tox nox mypy ruff black flake8 isort eslint prettier tsc jest vitest mocha webpack vite next : x
rustc rustup rustfmt gradle gradlew mvn ant bazel cmake ninja meson bundle gem rake rails composer : verbs
swift xcodebuild dotnet msbuild zig nim ghc stack cabal mix elixir iex erl rebar3 lein sbt scala kotlin : verbs
git-lfs gh-copilot code subl open xdg-open pbcopy pbpaste xclip : x
unzip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 7z 7za 7zr cpio ar : x
"""
"""Programs whose names are known, so that words after them are no commands; their options are not."""


def table() -> dict[str, str]:
    """What is said of each program whose options are known."""
    return _read(_TABLE)


def known_names() -> frozenset[str]:
    """Programs of which it is known at least that they are none that run the words after them."""
    return frozenset(_read(_TABLE)) | frozenset(_read(SAFE_TABLE))


def _read(text: str) -> dict[str, str]:
    found = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        names, _, rest = line.partition(" : ")
        for name in names.split():
            found[name] = rest
    return found
