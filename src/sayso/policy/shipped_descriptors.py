"""The descriptors that ship: sayso's own tools, those of other agents and of common MCP servers (POL-2)."""

from __future__ import annotations

from sayso.core.operation import Operation
from sayso.policy.descriptors import Descriptors, PathArgument, ToolDescriptor, ToolKind

_READ, _WRITE, _DELETE = Operation.READ, Operation.WRITE, Operation.DELETE


def _reads(tool: str, name: str = "path", default: str | None = None) -> ToolDescriptor:
    return ToolDescriptor(
        tool, ToolKind.READ_FILE, "filesystem", paths=(PathArgument(name, _READ, default=default),)
    )


def _lists(tool: str, pattern: str | None = None) -> ToolDescriptor:
    paths = [PathArgument("path", _READ, default=".")]
    if pattern is not None:
        paths.append(PathArgument(pattern, _READ, optional=True, base="path"))
    return ToolDescriptor(tool, ToolKind.READ_FILE, "filesystem", paths=tuple(paths))


def _searches(tool: str, *names: str) -> ToolDescriptor:
    """It tells what the files below a folder hold, the working directory unless it is named another."""
    default = "." if len(names) == 1 else None
    optional = default is None
    paths = [PathArgument(n, _READ, default=default, optional=optional, walks=True) for n in names]
    return ToolDescriptor(tool, ToolKind.READ_FILE, "filesystem", paths=tuple(paths))


def _writes(tool: str, name: str = "path") -> ToolDescriptor:
    return ToolDescriptor(
        tool, ToolKind.WRITE_FILE, "filesystem", paths=(PathArgument(name, _WRITE),)
    )


def _moves(tool: str) -> ToolDescriptor:
    return ToolDescriptor(
        tool,
        ToolKind.WRITE_FILE,
        "filesystem",
        paths=(PathArgument("source", _DELETE), PathArgument("destination", _WRITE)),
    )


def _plain(tool: str, category: str) -> ToolDescriptor:
    return ToolDescriptor(tool, category=category)


_OWN = [
    _reads("read_file"),
    _reads("get_ast_outline"),
    _lists("list_files", "pattern"),
    _searches("grep_files", "path"),
    _lists("search_file", "pattern"),
    _writes("write_file"),
    _writes("edit_file"),
    _writes("insert_at_line"),
    _writes("replace_lines"),
    ToolDescriptor(
        "delete_file", ToolKind.DELETE_FILE, "filesystem", paths=(PathArgument("path", _DELETE),)
    ),
    _moves("move_file"),
    ToolDescriptor("execute_cmd", ToolKind.RUN_COMMAND, "shell", command="command"),
    ToolDescriptor("web_fetch", ToolKind.NETWORK, "network", urls=("url",)),
    ToolDescriptor("execute_task", category="plan", agent="agent"),
    ToolDescriptor(
        "show_file_to_user",
        ToolKind.READ_FILE,
        "ui",
        paths=(PathArgument("path", _READ, optional=True),),
    ),
    *(
        _plain(tool, "plan")
        for tool in ("todo", "write_todos", "enter_plan_mode", "exit_plan_mode")
    ),
    *(_plain(tool, "ui") for tool in ("notify", "ask_user", "ask_approval", "image_generate")),
    _plain("activate_tools", "dynamic"),
    *(_plain(tool, "memory") for tool in ("remember", "recall", "forget")),
]

_CLAUDE_CODE = [
    _reads("Read", "file_path"),
    _reads("NotebookRead", "notebook_path"),
    _reads("LS", default="."),
    _lists("Glob", "pattern"),
    _searches("Grep", "path"),
    _writes("Write", "file_path"),
    _writes("Edit", "file_path"),
    _writes("MultiEdit", "file_path"),
    _writes("NotebookEdit", "notebook_path"),
    ToolDescriptor("Bash", ToolKind.RUN_COMMAND, "shell", command="command"),
    ToolDescriptor("WebFetch", ToolKind.NETWORK, "network", urls=("url",)),
    ToolDescriptor("WebSearch", ToolKind.NETWORK, "network"),
    ToolDescriptor("Task", category="plan", agent="subagent_type"),
    ToolDescriptor("Agent", category="plan", agent="subagent_type"),
    ToolDescriptor("Skill", category="dynamic", skill="skill"),
    *(_plain(tool, "plan") for tool in ("TodoWrite", "EnterPlanMode", "ExitPlanMode")),
    _plain("AskUserQuestion", "ui"),
    _plain("BashOutput", "shell"),
    _plain("KillShell", "shell"),
]


def _file_tool(tool: str, operation: Operation, *names: str) -> ToolDescriptor:
    """A file tool of another agent; other frameworks may have one of that name with other arguments."""
    kind = ToolKind.READ_FILE if operation is _READ else ToolKind.WRITE_FILE
    paths = tuple(PathArgument(name, operation, optional=True) for name in names)
    return ToolDescriptor(tool, kind, "filesystem", paths=paths)


_GEMINI_CLI = [
    ToolDescriptor("run_shell_command", ToolKind.RUN_COMMAND, "shell", command="command"),
    _file_tool("list_directory", _READ, "path", "dir_path"),
    _searches("search_file_content", "path", "dir_path"),
    _searches("grep_search", "path", "dir_path"),
    _file_tool("replace", _WRITE, "file_path"),
]

_OPENCODE = [
    ToolDescriptor("bash", ToolKind.RUN_COMMAND, "shell", command="command"),
    ToolDescriptor("webfetch", ToolKind.NETWORK, "network", urls=("url",)),
    ToolDescriptor("task", category="plan", agent="subagent_type"),
    ToolDescriptor("skill", category="dynamic", skill="name"),
    _file_tool("read", _READ, "filePath"),
    _file_tool("list", _READ, "path"),
    _file_tool("glob", _READ, "path"),
    _searches("grep", "path"),
    _file_tool("edit", _WRITE, "filePath"),
    _file_tool("write", _WRITE, "filePath"),
]

_CODEX = [ToolDescriptor("exec_command", ToolKind.RUN_COMMAND, "shell", command="cmd")]


def _mcp(tool: str, *paths: PathArgument, urls: tuple[str, ...] = ()) -> ToolDescriptor:
    return ToolDescriptor(tool, ToolKind.MCP_TOOL, server="*", paths=paths, urls=urls)


def _one(operation: Operation, name: str = "path", *, many: bool = False) -> PathArgument:
    # Servers of any make may have a tool of this name, so the argument may be absent.
    return PathArgument(name, operation, many=many, optional=True)


_MCP = [
    *(
        _mcp(tool, _one(_READ))
        for tool in (
            "read_file",
            "read_text_file",
            "read_media_file",
            "list_directory",
            "list_directory_with_sizes",
            "directory_tree",
            "search_files",
            "get_file_info",
        )
    ),
    _mcp("read_multiple_files", _one(_READ, "paths", many=True)),
    *(_mcp(tool, _one(_WRITE)) for tool in ("write_file", "edit_file", "create_directory")),
    *(_mcp(tool, _one(_DELETE)) for tool in ("delete_file", "delete_directory", "remove_file")),
    *(_mcp(tool, _one(_DELETE, "source"), _one(_WRITE, "destination")) for tool in ("move_file",)),
    *(_mcp(tool, _one(_READ, "source"), _one(_WRITE, "destination")) for tool in ("copy_file",)),
    *(
        _mcp(f"git_{tool}", _one(_READ, "repo_path"))
        for tool in ("status", "diff_unstaged", "diff_staged", "diff", "log", "show", "branch")
    ),
    *(
        _mcp(f"git_{tool}", _one(Operation.ANY, "repo_path"))
        for tool in ("commit", "reset", "create_branch", "checkout", "init")
    ),
    _mcp(
        "git_add",
        _one(Operation.ANY, "repo_path"),
        PathArgument("files", _READ, many=True, optional=True, base="repo_path"),
    ),
    _mcp("fetch", urls=("url",)),
    _mcp("convert_to_markdown", urls=("uri",)),
    _mcp("attach_database", _one(Operation.ANY)),
    _mcp("open_database", _one(Operation.ANY, "db_path")),
]

SHIPPED = Descriptors([*_OWN, *_CLAUDE_CODE, *_GEMINI_CLI, *_OPENCODE, *_CODEX, *_MCP])
"""Every descriptor that ships with sayso."""
