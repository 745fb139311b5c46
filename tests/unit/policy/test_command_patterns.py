"""What a rule for commands matches: an allow strictly, a deny or ask liberally (POL-13, POL-38, POL-39)."""

from __future__ import annotations

import pytest

from sayso.policy.patterns.command import compile_command
from sayso.policy.patterns.command_allow import allows
from sayso.policy.patterns.command_deny import Fit, fit
from sayso.policy.shell.options import read
from sayso.policy.shell.reaching import is_known_program, is_option_safe, reaches
from sayso.policy.shell.scripts import Deed, awk_effects, sed_effects
from tests.unit.policy.shell_words import command, words


@pytest.mark.spec("POL-13", "POL-38")
@pytest.mark.parametrize(
    ("pattern", "line", "covered"),
    [
        ("*", "anything at all", True),
        ("npm test", "npm test", True),
        ("npm test", "npm test -- x", False),
        ("npm test", "npm  tes", False),
        ("npm test *", "npm test", True),
        ("npm test:*", "npm test -- x", True),
        ("ls *", "lsof -i", False),
        ("git push origin *", "git push -f origin x", False),
        ("cat src/*", "cat src/a/b", True),
        ("cat src/*", "cat src/a b", False),
        ("cat src/*", "cat etc/a", False),
        ("* --version", "node --version", True),
        ("* --version", "/tmp/node --version", False),
        ("npm*", "npm", True),
        ("ls *", "/bin/ls -l", True),
        ("ls *", "/usr/bin/ls -l", True),
        ("ls *", "/tmp/evil/ls -l", False),
        ("ls *", "/usr/bin/../bin/ls", False),
        ("ls *", "./ls", False),
        ("./run.sh *", "./run.sh x", True),
        ("./run.sh *", "run.sh x", False),
        ("./bin/*", "./bin/tool", True),
        ("./bin/*", "./bin/../evil", False),
        ("/usr/bin/git *", "/usr/bin/git log", True),
        ("ls *", "LS -l", False),
        ("ls *", "$X -l", False),
        ("ls *", "ls $X", True),
        ("ls *", "ls $X%", True),
        ("ls src", "ls $X", False),
        ("ls src/*", "ls src/$X", True),
        ("ls src/*", "ls src/$X%", False),
        ("ls src/*", "ls $X", False),
        ("rm build/*", "rm build/*", True),
        ("rm build/*", "rm b*", False),
        ("ls *.ts", "ls *.ts", True),
        ("ls *.ts x", "ls *.ts x", False),
        ("npm test *", "CI=1 LC_ALL=C npm test", True),
        ("npm test *", "LD_PRELOAD=x npm test", False),
        ("/git (log|status)/", "git log", True),
        ("/git (log|status)/", "git log x", False),
        ("/sort .*/", "sort -o x y", False),
        ("/sort -o .*/", "sort -o x y", True),
        ("/sort .*/", "sort x", True),
        ("/sort .*/", "sort $X", False),
    ],
)
def test_what_an_allow_covers(pattern: str, line: str, covered: bool) -> None:
    assert allows(compile_command(pattern), command(line)) is covered


@pytest.mark.spec("POL-33")
def test_an_allow_is_void_where_a_variable_was_set_before() -> None:
    pattern = compile_command("git log *")
    assert allows(pattern, command("git log"))
    assert not allows(pattern, command("git log", inherited=("PAGER",)))
    assert allows(compile_command("*"), command("git log", inherited=("PAGER",)))


@pytest.mark.spec("POL-39")
@pytest.mark.parametrize(
    ("pattern", "line", "covered"),
    [
        ("sort *", "sort -k2 a", True),
        ("sort *", "sort -o x a", False),
        ("sort -o *", "sort -o x a", True),
        ("sort -o x *", "sort -o x a", True),
        ("sort -o x *", "sort -o x -o y a", False),
        ("sort -r *", "sort -r -o x", False),
        ("sort --output=*", "sort --output=x", True),
        ("git *", "git -c core.pager=x log", False),
        ("git -c color.ui=false *", "git -c color.ui=false log", True),
        ("git -c color.ui=false *", "git -c color.ui=false -c core.pager=x log", False),
        ("git log *", "git log --output x", False),
        ("git log *", "git log --outp=x", False),
        ("git log *", "git log --output-indicator-new=x", True),
        ("git commit *", "git commit -m $X", True),
        ("git commit *", "git commit -am $X", True),
        ("git log *", "git log $X", False),
        ("git log *", "git log v$X", True),
        ("git log *", "git log -- $X", True),
        ("git add *", "git add $X", True),
        ("git *", "git $X", False),
        ("sed -i *", "sed -i s/a/b/ x", True),
        ("sed *", "sed $X f", False),
        ("find *", "find . -delete", False),
        ("find * -delete", "find . -delete", True),
        ("find *", "find . -exec grep -delete {} +", True),
        ("uniq *", "uniq a b", False),
        ("uniq *", "uniq -f 1 a", True),
        ("uniq a b *", "uniq a b", True),
        ("uniq *", "uniq $X", True),
        ("uniq *", "uniq $X%", False),
        ("tar *", "tar cIf prog a.tar x", False),
        ("tar *", "tar czf a.tar x", True),
        ("docker *", "docker -H tcp://x ps", False),
        ("docker *", "docker $X ps", False),
        ("docker *", "docker run -v $X% alpine", True),
        ("docker *", "docker run -H x", True),
        ("ls *", "ls *.ts", True),
        ("sort *", "sort *.ts", False),
        ("sort *", "sort ./*.ts", True),
    ],
)
def test_a_wildcard_does_not_stretch_to_what_reaches_further(
    pattern: str, line: str, covered: bool
) -> None:
    assert allows(compile_command(pattern), command(line)) is covered


Y, M, L, N = Fit.YES, Fit.MAYBE, Fit.LOOKS, Fit.NO


@pytest.mark.spec("POL-13", "POL-38")
@pytest.mark.parametrize(
    ("pattern", "line", "how"),
    [
        ("*", "anything", Y),
        ("rm *", "rm -rf build", Y),
        ("rm *", "rm", Y),
        ("rm", "rm", Y),
        ("rm", "rm x", N),
        ("rm", "rm $X%", M),
        ("rm *", "rmdir build", N),
        ("rm *", "git rm x", N),
        ("rm *", "/bin/rm x", Y),
        ("rm *", "/tmp/rm x", Y),
        ("rm *", "rm.exe x", Y),
        ("rm *", "FOO=bar LD_PRELOAD=x rm x", Y),
        ("rm *", "RM x", L),
        ("rm *", "гm x", N),
        ("ls *", "lѕ x", L),
        ("/bin/rm *", "rm x", Y),
        ("./deploy.sh *", "deploy.sh x", N),
        ("./deploy.sh *", "/srv/deploy.sh x", Y),
        ("rm -rf *", "rm -fr x", Y),
        ("rm -rf *", "rm -r -f x", Y),
        ("rm -rf *", "rm -rfv x", Y),
        ("rm -rf *", "rm -R --force x", Y),
        ("rm -rf *", "rm --recursive --for x", Y),
        ("rm -rf *", "rm x -rf", Y),
        ("rm -rf *", "rm -r x", N),
        ("rm -rf *", "rm -- -rf", N),
        ("rm -rf *", "rm $X", M),
        ("rm -rf *", "rm -r $X", M),
        ("rm -rf *", "rm ./$X", N),
        ("rm -rf /", "rm -rf /", Y),
        ("rm -rf /", "rm -fr /", Y),
        ("rm -rf /", "rm -rf /x", N),
        ("rm -rf /", "rm -rf $X", M),
        ("git push *", "git -C . --no-pager push x", Y),
        ("git push *", "git -c a=push log", N),
        ("git push *", "git log --grep push", N),
        ("git push *", "git log --grep=push", N),
        ("git push *", "git $X", M),
        ("git push *", "git p$X", M),
        ("git push *", "git l$X", N),
        ("git push *", "git $X push", M),
        ("git push *", "git status $X", N),
        ("git push", "git -C x push", Y),
        ("git push", "git push x", N),
        ("git push --force *", "git push x --force", Y),
        ("git push --force *", "git push -uf x", Y),
        ("git push --force *", "git push --forc x", Y),
        ("git push --force *", "git push --force-with-lease x", N),
        ("git push --force *", "git push x $B", M),
        ("git push --force *", "git push x main$B", N),
        ("git push --force *", "git push -f x $B%", Y),
        ("git push -f *", "git push origin batch/obs-fixes", N),
        ("git commit --amend *", "git commit -m --amend", N),
        ("git commit --amend *", "git commit -m x --amend", Y),
        ("git -c *", "git -c a=b log", Y),
        ("curl -X DELETE *", "curl -s -XDELETE http://x", Y),
        ("curl -X DELETE *", "curl --request=DELETE http://x", Y),
        ("curl -X DELETE *", "curl -X GET http://x", N),
        ("curl -X DELETE *", "curl -X $M http://x", M),
        ("curl --output=/etc/*", "curl -o /etc/x", Y),
        ("curl *", "curl", Y),
        ("npm publish *", "npm --registry x publish", Y),
        ("npm publish *", "npm --unheard x publish", Y),
        ("npm publish *", "npm run publish", N),
        ("tool --force *", "tool x --forc", M),
        ("tool -f *", "tool -vf", M),
        ("tool -f *", "tool -verbose-file", N),
        ("tool --f* *", "tool --force", Y),
        ("tool deploy *", "tool -e prod deploy", Y),
        ("tool * prod", "tool deploy prod", Y),
        ("bash -c *", "bash -lc x", Y),
        ("bash -c *", "bash x.sh -c", N),
        ("python3 -c *", "python3 -Ic x", Y),
        ("node -e *", "node --eval=x", Y),
        ("/rm .*-rf/", "rm x -rf", Y),
        ("/^rm /", "r'm' x", Y),
        ("/^rm /", "arm x", N),
        ("/^rm x/", "'rm' x", Y),
    ],
)
def test_what_a_deny_or_ask_is_about(pattern: str, line: str, how: Fit) -> None:
    assert fit(compile_command(pattern), command(line), ignores_case=False) is how


@pytest.mark.spec("POL-38")
def test_where_the_file_system_ignores_case_so_does_a_deny() -> None:
    pattern = compile_command("rm *")
    assert fit(pattern, command("RM -rf build"), ignores_case=True) is Fit.YES


@pytest.mark.spec("POL-39")
@pytest.mark.parametrize(
    ("script", "further"),
    [
        ("s/a/b/", False),
        ("s/write/e/g", False),
        ("1,5p", False),
        ("/x/,$d", False),
        ("$!N;P;D", False),
        ("s|/w|/e|gp", False),
        ("y/abc/wed/", False),
        ("s/[/]/x/", False),
        ("/a/{s/x/y/;p}", False),
        ("a\\\nw file", False),
        (":a;N;$!ba;s/\\n/ /g", False),
        ("w /dev/stdout", False),
        ("w out", True),
        ("s/a/b/w out", True),
        ("s/a/b/e", True),
        ("s/a/b/gew out", True),
        ("1e id", True),
        ("e", True),
        ("/x/w out", True),
        ("/a/,/b/ W out", True),
        ("2{p;w out\n}", True),
        ("s/a/b", True),
        ("k", True),
        ("s/[w]/x/;w out", True),
    ],
)
def test_what_a_sed_script_does_beyond_editing(script: str, further: bool) -> None:
    assert any(effect.deed is not Deed.READS for effect in sed_effects(script)) is further


@pytest.mark.spec("POL-39")
@pytest.mark.parametrize(
    ("program", "further"),
    [
        ("{print $1}", False),
        ("$3 > 1000 {print $1}", False),
        ("$1 > 5 || $2 > 6", False),
        ('{print ($1 > 5) ? "a" : "b"}', False),
        ('{ if ($1 > 5) print "x > y | z" }', False),
        ("/a|b>c/ {n++} END {print n/2}", False),
        ("{print $1 / $2 / $3}", False),
        ("BEGIN{while((getline l < ARGV[1])>0)print l}", False),
        ('{print > "/dev/stderr"}', False),
        ('{print | "sh"}', True),
        ('{print > "out"}', True),
        ('{printf "%s", $1 >> "out"}', True),
        ('BEGIN{"id" | getline x}', True),
        ('BEGIN{system("id")}', True),
        ("BEGIN{@f()}", True),
        ('{print "a}', True),
        ('{print "a" |& "sh"}', True),
    ],
)
def test_what_an_awk_program_does_beyond_printing(program: str, further: bool) -> None:
    assert any(effect.deed is not Deed.READS for effect in awk_effects(program)) is further


@pytest.mark.spec("POL-39")
def test_which_programs_are_known() -> None:
    assert is_option_safe("sort")
    assert is_option_safe("git")
    assert not is_option_safe("terraform")
    assert not is_option_safe("python3")
    assert is_known_program("terraform")
    assert not is_known_program("my-own-tool")
    assert reaches(words("my-own-tool -o x")) == frozenset()


def test_a_cluster_a_glued_value_and_the_end_of_options_are_read() -> None:
    reading = read(words("sort -rk2 -ofile --reverse -- -n"))
    assert [(o.name, o.value and o.value.value) for o in reading.options] == [
        ("reverse", None),
        ("key", "2"),
        ("output", "file"),
        ("reverse", None),
    ]
    assert [o.word.value for o in reading.operands] == ["-n"]
