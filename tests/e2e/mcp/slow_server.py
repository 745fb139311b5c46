"""An MCP server with one tool that writes a line to a file, takes its time, and answers."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path


def work(message: dict, path: str) -> None:
    arguments = message["params"].get("arguments", {})
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(arguments, sort_keys=True) + "\n")
    time.sleep(float(arguments.get("seconds", 0)))
    say(message["id"], {"content": [{"type": "text", "text": f"did {arguments.get('n')}"}]})


def say(request_id: object, result: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}) + "\n")
    sys.stdout.flush()


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "tools/call":
            thread = threading.Thread(target=work, args=(message, sys.argv[1]), daemon=True)
            thread.start()
        elif message.get("method") == "tools/list":
            say(message["id"], {"tools": [{"name": "work", "inputSchema": {"type": "object"}}]})


if __name__ == "__main__":
    main()
