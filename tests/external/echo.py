"""A tiny adapter that returns what it was given, unless it misbehaves: ``python echo.py MODE [REQUEST REPLY]``.

It imports neither mmaspec nor numpy. ``MMASPEC_TEST_STATE`` names a file that exists once it has crashed.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

MODE = sys.argv[1]
CAPS = {"amd-rdna3-wmma": {"builtins": []}}


def connect():
    if len(sys.argv) == 4:
        return Path(sys.argv[2]).open("rb"), Path(sys.argv[3]).open("wb")
    if "MMASPEC_IN" not in os.environ:
        return sys.stdin.buffer, sys.stdout.buffer
    numbers = int(os.environ["MMASPEC_IN"]), int(os.environ["MMASPEC_OUT"])
    if os.name == "nt":
        import msvcrt

        numbers = msvcrt.open_osfhandle(numbers[0], os.O_BINARY), msvcrt.open_osfhandle(numbers[1], os.O_BINARY)
    return os.fdopen(numbers[0], "rb"), os.fdopen(numbers[1], "wb")


REQUESTS, REPLIES = connect()


def send(data=b"", /, **head):
    REPLIES.write(json.dumps(head).encode() + b"\n" + data)
    REPLIES.flush()


def hello(head):
    if MODE == "strict-old" and head["protocol"] != 1:
        return send(type="error", text="only protocol 1 here")
    introduction = {"type": "hello", "protocol": 2, "name": "echo", "version": "3", "caps": CAPS}
    changes = {
        "future": {"protocol": 3},
        "old": {"protocol": 1},
        "strict-old": {"protocol": 1},
        "old-sparse": {"protocol": 1, "sparse": 1 << 30},
        "sparse": {"sparse": 1 << 30},
        "unknown-spec": {"caps": {"hlsl-wavematrix": {}}},
        "unknown-type": {"level": "mma", "types": [["f16", "f16", "f23"]]},
        "no-level": {"types": [["f16", "f16", "f32"]]},
        "no-types": {"level": "mma"},
        "no-caps": {"caps": {"amd-rdna3-wmma": {"builtins": 7}}},
        "field": {"colour": "red"},
        "parts": {"max_batch": 2},
        "bytes": {"max_body": 250_000},
        "too-small": {"max_body": 5000},
        "several": {"max_requests": 4},
        "several-crash": {"max_requests": 4},
        "many": {"max_requests": 1000},
        "several-long": {"max_requests": 4},
        "several-other": {"max_requests": 4},
        "several-lie": {"max_requests": 4},
    }
    if MODE == "no-device" or (MODE == "lost-device" and not first_time()):
        return send(type="error", text="no device\nfound")
    if MODE == "mute":
        time.sleep(600)
    if MODE == "deep":
        REPLIES.write(b'{"type":' * 100_000 + b"\n")
        return REPLIES.flush()
    if MODE == "changing" and not first_time():
        return send(**introduction | {"version": "4"})
    return send(**introduction | changes.get(MODE, {}))


def first_time():
    state = Path(os.environ["MMASPEC_TEST_STATE"])
    first = not state.exists()
    state.touch()
    return first


def run(head, body):  # noqa: C901 - a case for every way to go astray
    ran = {"type": "ran", "id": head["id"], "buffers": head["buffers"], "body": len(body)}
    match MODE:
        case "crash":
            sys.stderr.write("about\nto fall\n")
            sys.stderr.flush()
            os._exit(17)
        case "several-crash" if head["batch"] == 3:
            os._exit(9)
        case "several-long" if head["batch"] == 3:
            send(**ran | {"body": 1 << 39})
        case "several-other" if head["batch"] == 3:
            send(type="error", id=head["id"] + 1, text="late")
        case "several-lie" if head["batch"] == 3:
            send(body[:8], **ran | {"body": 8})
        case "changing" | "lost-device":
            os._exit(3)
        case "crash-once" if first_time():
            os._exit(3)
        case "abort":
            os.abort()
        case "hang":
            time.sleep(600)
        case "drip":
            send(body[:100], **ran)
            time.sleep(600)
        case "garbage":
            REPLIES.write(b"launching kernel 7")
            REPLIES.flush()
            time.sleep(600)
        case "half-line":
            REPLIES.write(b'{"type":')
        case "no-json":
            send(type="ran")
        case "folder":
            Path(sys.argv[3]).unlink()
            Path(sys.argv[3]).mkdir()
        case "cut":
            send(body[:100], **ran)
            sys.exit(0)
        case "refuse":
            send(type="refused", id=head["id"], reason="not\nthis one", clauses=["A-CLAUSE", "B-CLAUSE"])
        case "refuse-other":
            send(type="refused", id=head["id"] + 1, reason="late")
        case "fail":
            send(type="error", id=head["id"], text="out of\nregisters")
        case "fail-other":
            send(type="error", id=head["id"] + 1, text="late")
        case "late" if len(sys.argv) == 4 and head["batch"] == 1:
            # An orphan, which answers wrongly once the next request is under way.
            script = "import sys, time; time.sleep(1); open(sys.argv[1], 'wb').write(b'late')"
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.Popen([sys.executable, "-c", script, sys.argv[3]], **quiet)
            time.sleep(600)
        case "late":
            send(body, **ran)
            time.sleep(2)
        case "short":
            send(body[:8], **ran | {"buffers": [{"name": "first", "bytes": 4}], "body": 8})
        case "contradicts":
            send(body[:8], **ran | {"body": 8})
        case "long":
            send(**ran | {"body": 1 << 39})
        case "negative":
            send(**ran | {"body": -1})
        case "surplus":
            send(body + b"more", **ran)
        case "flood":
            while True:
                os.write(2, b"y" * 65536)
        case "prints":
            os.write(1, b'{"type":"ran"}\n' * 9999)
            os.write(2, b"and more\n")
            assert sys.stdin.read() == ""
            send(body, **ran)
        case _:
            send(body, **ran)


while line := REQUESTS.readline():
    request = json.loads(line)
    if request["type"] == "hello":
        hello(request)
    else:
        run(request, REQUESTS.read(request["body"]))
