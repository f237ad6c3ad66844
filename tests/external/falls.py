"""An adapter behind files, which falls: ``python falls.py ADAPTER REQUEST REPLY``.

``MMASPEC_TEST_STATE`` names a file that exists once it has fallen; it falls over its third request, once, and where
``MMASPEC_TEST_AGAIN`` names another such file, over the first request of the next start. Or ``MMASPEC_TEST_DOOMED`` is
the program, as sorted JSON, over which it falls each time.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

adapter, requests, replies = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])


def heads(data):
    """The lines of messages, and where each message ends."""
    end = 0
    while end < len(data):
        line = data[end : data.index(b"\n", end)]
        end += len(line) + 1 + json.loads(line).get("body", 0)
        yield json.loads(line), end


def falls_over(number, head):
    if doomed := os.environ.get("MMASPEC_TEST_DOOMED"):
        return json.dumps(head.get("program"), sort_keys=True) == doomed
    if again := os.environ.get("MMASPEC_TEST_AGAIN") if Path(os.environ["MMASPEC_TEST_STATE"]).exists() else None:
        first = not Path(again).exists()
        Path(again).touch()
        return first
    return number == 2 and not Path(os.environ["MMASPEC_TEST_STATE"]).exists()


subprocess.run([adapter, requests, replies], check=True)
ends = [0, *(end for _, end in heads(replies.read_bytes()))]
for number, (head, _) in enumerate(heads(requests.read_bytes())):
    if falls_over(number, head):
        with replies.open("r+b") as file:
            file.truncate(ends[number] + 10)
        if "MMASPEC_TEST_STATE" in os.environ:
            Path(os.environ["MMASPEC_TEST_STATE"]).touch()
        sys.exit(9)
