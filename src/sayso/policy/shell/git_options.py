"""Options of git: those before the verb, and those of each verb (POL-38, POL-39).

Written as in `program_options`. A verb without a line has no option that is known to run or to write.
"""

from __future__ import annotations

GLOBALS = (
    "C= c=! config-env=! git-dir=! work-tree=! exec-path?! namespace= super-prefix= attr-source= list-cmds= "
    "p/paginate P/no-pager no-pager bare no-replace-objects literal-pathspecs glob-pathspecs "
    "noglob-pathspecs icase-pathspecs no-optional-locks no-advice no-lazy-fetch html-path man-path "
    "info-path v/version h/help"
)

_DIFF = (
    "output=! ext-diff! textconv! output-indicator-new= output-indicator-old= output-indicator-context= "
    "U/unified= S= G= O= l= M? C? B? X? diff-filter= stat? color? word-diff? word-diff-regex= "
    "color-words? anchored= diff-algorithm= src-prefix= dst-prefix= line-prefix= inter-hunk-context= "
    "relative? submodule? ignore-submodules? ws-error-highlight= find-object= skip-to= rotate-to= "
    "no-ext-diff no-textconv no-prefix text stat-width= name-only name-status p/patch"
)
_LOG = (
    "n/max-count= skip= since/after= until/before= author= committer= grep= format= pretty? L= date= "
    "decorate? decorate-refs= encoding= exclude= glob= branches? tags? remotes? min-parents= "
    "max-parents= abbrev? graph oneline all no-merges merges first-parent reverse follow all-match "
)
_TRANSPORT = (
    "upload-pack=! u=! receive-pack=! exec=! o/server-option= j/jobs= depth= deepen= shallow-since= "
    "shallow-exclude= refmap= negotiation-tip= recurse-submodules? filter= "
)

VERBS: dict[str, str] = {
    "add": "chmod= pathspec-from-file= A/all u/update p/patch f/force n/dry-run N/intent-to-add",
    "am": "",
    "annotate": f"{_DIFF} L= S= contents= ignore-rev= ignore-revs-file= date= M? C? abbrev=",
    "apply": "unsafe-paths! C= p= build-fake-ancestor=! exclude= include= directory= whitespace=",
    "archive": "o/output=! exec=! remote= format= prefix= add-file= add-virtual-file=",
    "bisect": "run!",
    "blame": f"{_DIFF} L= S= contents= ignore-rev= ignore-revs-file= date= M? C? abbrev=",
    "branch": (
        "u/set-upstream-to= contains= no-contains= merged= no-merged= points-at= sort= format= color? "
        "d/delete D m/move M c/copy C l/list a/all r/remotes v/verbose q/quiet f/force t/track? "
        "show-current edit-description! i/ignore-case"
    ),
    "bugreport": "o/output-directory=! s/suffix=",
    "bundle": "",
    "cat-file": "textconv! filters! path= batch? batch-check? batch-command? e p t s",
    "checkout": "b= B= orphan= conflict= pathspec-from-file= q/quiet f/force t/track? d/detach ours theirs",
    "checkout-index": "prefix=! a/all f/force q/quiet u/index stage= temp",
    "cherry-pick": "m/mainline= s= X/strategy-option= strategy= cleanup= S/gpg-sign? e/edit n/no-commit x",
    "clean": "e/exclude= d f/force i/interactive n/dry-run q/quiet x X",
    "clone": (
        f"{_TRANSPORT} u/upload-pack=! c/config=! template=! separate-git-dir=! bundle-uri=! reference= "
        "reference-if-able= b/branch= o/origin= q/quiet v/verbose bare mirror n/no-checkout l/local "
        "s/shared single-branch recursive"
    ),
    "commit": (
        "m/message= F/file= t/template= C/reuse-message= c/reedit-message= author= date= cleanup= fixup= "
        "squash= trailer= pathspec-from-file= S/gpg-sign? u/untracked-files? a/all p/patch "
        "n/no-verify no-verify amend s/signoff q/quiet v/verbose e/edit no-edit o/only i/include "
        "allow-empty allow-empty-message dry-run short porcelain long z/null reset-author verify status"
    ),
    "config": (
        "f/file=! blob= default= t/type= comment= value= get get-all get-regexp get-urlmatch list l/list "
        "show-origin show-scope name-only z/null includes no-includes get-color get-colorbool "
        "global system local worktree add! replace-all! unset! unset-all! rename-section! "
        "remove-section! e/edit!"
    ),
    "daemon": "",
    "describe": "match= exclude= abbrev= candidates= dirty? broken?",
    "diagnose": "o/output-directory=! s/suffix= mode=",
    "diff": _DIFF,
    "diff-files": _DIFF,
    "diff-index": _DIFF,
    "diff-tree": _DIFF,
    "difftool": f"{_DIFF} x/extcmd=! t/tool=! tool-help",
    "fast-export": "export-marks=! import-marks= import-marks-if-exists= all signed-tags= refspec=",
    "fast-import": "export-marks=! import-marks= allow-unsafe-features! export-pack-edges=! quiet",
    "fetch": f"{_TRANSPORT} a/append all multiple p/prune P/prune-tags t/tags f/force k/keep q/quiet v/verbose",
    "fetch-pack": _TRANSPORT,
    "format-patch": (
        f"{_DIFF} {_LOG} o/output-directory=! signature-file= signature= v/reroll-count= "
        "subject-prefix= in-reply-to= to= cc= from? base= start-number= suffix= cover-letter"
    ),
    "for-each-ref": "count= sort= format= color? points-at= merged= no-merged= contains= no-contains=",
    "grep": (
        "O/open-files-in-pager?! ext-grep! textconv! f= e= A/after-context= B/before-context= C/context= "
        "m/max-count= max-depth= threads= and or not color? parent-basename= no-ext-grep no-textconv "
        "i/ignore-case n/line-number l/files-with-matches w/word-regexp v/invert-match"
    ),
    "help": "w/web! a/all g/guides m/man i/info",
    "index-pack": "o=! v stdin keep? strict? threads=",
    "init": "template=! separate-git-dir=! b/initial-branch= object-format= shared? bare q/quiet",
    "interpret-trailers": "in-place! trailer= where= if-exists= if-missing= only-trailers only-input parse",
    "log": f"{_LOG} {_DIFF}",
    "ls-files": "x/exclude= X/exclude-from= exclude-per-directory= with-tree= abbrev? format=",
    "ls-remote": f"{_TRANSPORT} sort= h/heads t/tags q/quiet",
    "ls-tree": "abbrev? format=",
    "merge": (
        "m= F/file= s/strategy=! X/strategy-option= cleanup= into-name= S/gpg-sign? log? n/no-stat "
        "no-verify ff ff-only no-ff squash abort continue quit e/edit no-edit q/quiet v/verbose"
    ),
    "mergetool": "t/tool=! O= tool-help",
    "notes": "m/message= F/file= C= c= ref=",
    "pull": f"{_TRANSPORT} s/strategy=! X/strategy-option= r/rebase? cleanup= S/gpg-sign? q/quiet v/verbose",
    "push": (
        "receive-pack=! exec=! o/push-option= repo= force-with-lease? recurse-submodules= signed? f/force "
        "u/set-upstream d/delete n/dry-run no-verify all mirror tags follow-tags prune atomic "
        "force-if-includes q/quiet v/verbose 4/ipv4 6/ipv6 thin porcelain progress branches"
    ),
    "range-diff": _DIFF,
    "filter-branch": (
        "setup=! env-filter=! tree-filter=! index-filter=! parent-filter=! msg-filter=! commit-filter=! "
        "tag-name-filter=! subdirectory-filter= prune-empty f/force d= original= state-branch= "
        "remap-to-ancestor"
    ),
    "rebase": (
        "x/exec=! s/strategy=! X/strategy-option= onto= C= whitespace= S/gpg-sign? r/rebase-merges? empty= "
        "autosquash autostash i/interactive abort continue skip quit root q/quiet v/verbose m/merge "
        "no-verify keep-base update-refs"
    ),
    "reflog": f"{_LOG} {_DIFF} expire= expire-unreachable=",
    "remote": "t= m= mirror? v/verbose f",
    "reset": "pathspec-from-file= hard soft mixed merge keep q/quiet p/patch N",
    "restore": "s/source= conflict= pathspec-from-file= S/staged W/worktree q/quiet p/patch",
    "rev-list": f"{_LOG} {_DIFF}",
    "rev-parse": "default= prefix= git-path= resolve-git-dir= glob= branches? tags? remotes? exclude= short?",
    "revert": "m/mainline= s X/strategy-option= strategy= cleanup= S/gpg-sign? n/no-commit e/edit",
    "rm": "pathspec-from-file= f/force n/dry-run r cached q/quiet",
    "send-pack": f"{_TRANSPORT} all dry-run force mirror",
    "send-email": "sendmail-cmd=! smtp-server=! to= from= cc= subject=",
    "shortlog": f"{_LOG} group= w?",
    "show": f"{_LOG} {_DIFF}",
    "show-ref": "exclude-existing?",
    "stash": f"m/message= pathspec-from-file= {_DIFF} k/keep-index u/include-untracked a/all q/quiet",
    "status": "u/untracked-files? ignore-submodules? column? find-renames? s/short b/branch porcelain? z",
    "submodule": "b/branch= name= reference= depth= j/jobs= foreach! q/quiet recursive init",
    "switch": "c/create= C/force-create= orphan= conflict= t/track? d/detach f/force",
    "tag": (
        "m/message= F/file= u/local-user= contains= no-contains= points-at= sort= format= cleanup= n? "
        "merged? no-merged? a/annotate s/sign d/delete v/verify f/force l/list color? column? e/edit"
    ),
    "upload-pack": "",
    "whatchanged": f"{_LOG} {_DIFF}",
    "worktree": "b= B= reason= f/force d/detach",
}

RUNNING_VERBS = frozenset(
    [
        "archimport",
        "citool",
        "credential",
        "credential-cache",
        "credential-store",
        "cvsexportcommit",
        "cvsimport",
        "cvsserver",
        "daemon",
        "difftool",
        "filter-branch",
        "filter-repo",
        "for-each-repo",
        "gui",
        "hook",
        "http-backend",
        "imap-send",
        "instaweb",
        "mailinfo",
        "mailsplit",
        "merge-file",
        "merge-index",
        "merge-one-file",
        "mergetool",
        "p4",
        "quiltimport",
        "receive-pack",
        "remote-ext",
        "remote-fd",
        "send-email",
        "shell",
        "svn",
        "upload-archive",
        "upload-pack",
        "web--browse",
    ]
)
"""Verbs that run what the configuration or their operands name, hand out secrets, or write other files."""

RUNNING_WORDS: dict[str, frozenset[str]] = {
    "bisect": frozenset({"run", "view", "visualize"}),
    "bundle": frozenset({"create"}),
    "maintenance": frozenset({"start", "register"}),
    "submodule": frozenset({"foreach"}),
    "config": frozenset({"set", "unset", "edit", "rename-section", "remove-section"}),
}
"""First operands of verbs that run what follows, or write a file or settings by which git runs programs."""
