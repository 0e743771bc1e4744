"""A loop of your own around any agent, with the breaker asked over a pipe.

    python3 loop.py ./agent.sh

Needs nothing but Python 3.8 and `fusebox` on PATH. Ends with the exit code that
`fusebox check` would have ended with: 42 is an open breaker.
"""

import json
import subprocess
import sys


class Refused(Exception):
    """fusebox could not answer, and why. Never go on after this."""


class Fusebox:
    """`fusebox serve --stdio`: a JSON-RPC request a line, an answer a line."""

    def __init__(self, *options):
        self._process = subprocess.Popen(
            ["fusebox", *options, "serve", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._asked = 0

    def ask(self, method, **params):
        self._asked += 1
        request = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise Refused("fusebox has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"]["message"])
        return answer["result"]

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def loop(command):
    fusebox = Fusebox()
    try:
        while True:
            answer = fusebox.ask("check", from_git=True)
            if answer["gate"] == "deny":
                break
            ended = subprocess.run(command)
            report = {"exit_code": ended.returncode}
            answer = fusebox.ask("record", from_git=True, report=report)
            if answer["gate"] == "deny":
                break
        print(f"stopped: {answer['reason']}", file=sys.stderr)
        return answer["exit_code"]
    except Refused as why:
        print(f"stopped: {why}", file=sys.stderr)
        return 4
    finally:
        fusebox.close()


if __name__ == "__main__":
    sys.exit(loop(sys.argv[1:] or ["./agent.sh"]))
