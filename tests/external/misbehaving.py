"""The example adapter in Python, but for one thing, over unsigned bytes: ``python misbehaving.py MODE``.

``MMASPEC_TEST_STATE`` names a folder in which one that misbehaves once remembers that it has.
"""

import io
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "adapters" / "python"))
import adapter

MODE = sys.argv.pop(1)
right = adapter.answer


def first_time():
    try:
        (Path(os.environ["MMASPEC_TEST_STATE"]) / MODE).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def astray(head, replies):
    """Something else than the reply; False: the reply follows all the same."""
    reply = {"type": "product", "id": head["id"], "body": 4}
    match MODE:
        case "crashes-once" | "crashes" if MODE == "crashes" or first_time():
            os._exit(3)
        case "hangs-once" | "hangs" if MODE == "hangs" or first_time():
            time.sleep(600)
        case "refuses":
            reply = {"type": "refused", "id": head["id"], "reason": "not this one"}
        case "fails":
            reply = {"type": "error", "id": head["id"], "text": "out of registers"}
        case "lies-about-sizes":
            replies.write(json.dumps(reply).encode() + b"\n1234")
            return True
        case "prints":
            os.write(1, b'{"type": "product", "id": 1, "body": 0}\n' * 9)
            return False
        case _:
            return False
    replies.write(json.dumps(reply).encode() + b"\n")
    return True


def answer(head, requests, replies):
    if head["type"] == "mma" and head["types"] == ["u8", "u8", "s32"]:
        body = io.BytesIO(requests.read(head["body"]))
        if not astray(head, replies):
            right(head, body, replies)
        return
    right(head, requests, replies)


adapter.answer = answer

if __name__ == "__main__":
    adapter.main()
