"""Words after which a program runs another one, or changes by which programs it does so (POL-39).

Data, written as the programs of `program_options.py` are: names, a colon, and the first operands, in lists
between bars; `*` is any operand at all.
"""

from __future__ import annotations

_TABLE = r"""
npm pnpm yarn : config set | config edit | c set | set | explore | edit | pkg set | set-script
go : generate
kubectl oc : config set | config set-credentials | config set-cluster | config set-context | cp | edit | plugin
helm : plugin install | plugin update
docker podman nerdctl : plugin install | plugin set | context use | context create
gh glab : extension exec | extension install | ext exec | ext install | extensions exec | extensions install
    | alias set | alias import | config set | codespace ssh | cs ssh
aws : configure set
gcloud : compute ssh | config set
pip pip3 : config set | config edit
conda mamba : config
ip : netns exec | vrf exec
tmux : new-session * | new * | new-window * | neww * | split-window * | splitw * | send-keys | send | run-shell | run
    | if-shell | if | pipe-pane | pipep | respawn-pane | respawnp | respawn-window | respawnw | display-popup
    | popup | source-file | source | set-hook | bind-key | bind | command-prompt | confirm-before | confirm
    | display-menu | menu | set-option | set
screen crontab at batch : *
hostname : *
"""


def _read() -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for line in _TABLE.strip().replace("\n    ", " ").splitlines():
        names, _, rest = line.partition(" : ")
        lists = tuple(tuple(words.split()) for words in rest.split("|"))
        found |= dict.fromkeys(names.split(), lists)
    return found


RUNNING_OPERANDS = _read()
"""By the name of the program, the operands with which it runs something or is told to later."""
