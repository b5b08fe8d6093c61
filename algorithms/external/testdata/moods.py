"""A program that misbehaves on demand: the parameter mood."""
import json, os, signal, subprocess, sys, time

print(json.dumps({"protocol": 1}), flush=True)
sys.stdin.readline()
served = 0
for line in sys.stdin:
    q = json.loads(line)
    mood = q["params"]["mood"]
    path = os.path.join(q["folder"], "out.csv")
    rows = open(q["rows"]).read()
    answer = {"id": q["id"], "file": "out.csv",
              "spent": [{"purpose": "all", "mechanism": "none", "amount": q["total"]}]}
    header, _, body = rows.partition("\n")
    first = body.split("\n")[0]
    if mood == "crash":
        raise RuntimeError("a mistake of its own \x1b[31m")
    if mood == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mood == "late crash" and served > 0:  # not in a fresh process
        sys.exit(7)
    if mood == "flood":
        sys.stderr.write("flood " * 2_000_000 + "the end")
    if mood == "hang" or mood == "late hang" and served > 0:
        time.sleep(1000)
    if mood == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        with open("child", "w") as f:
            f.write(str(child.pid))
        time.sleep(1000)
    if mood == "memory":
        kept = [bytearray(b"x") * (1 << 20) for _ in range(4000)]
    if mood == "memory of children":
        eat = "x = [bytearray(b'x') * (1 << 20) for _ in range(50)]; import time; time.sleep(1000)"
        children = [subprocess.Popen([sys.executable, "-c", eat]) for _ in range(4)]
        time.sleep(1000)
    if mood == "garbage":
        print("Loading model...", flush=True)
    if mood == "half line":
        sys.stdout.write('{"id": "')
        sys.stdout.flush()
        os._exit(0)
    if mood == "long line":
        print("x" * (3 << 20), flush=True)
    if mood == "wrong id":
        answer["id"] = "another"
    if mood == "own count":
        answer["id"] = str(served + 1)
    if mood == "unknown key":
        answer["epsilon"] = 1
    if mood == "error":
        answer = {"id": q["id"], "error": "no such degree"}
    if mood == "outside":
        path = os.path.join(q["folder"], "..", "outside.csv")
        answer["file"] = "../outside.csv"
    if mood == "absolute":
        answer["file"] = "/etc/passwd"
    if mood == "link":
        os.symlink(q["rows"], path)
    elif mood == "folder":
        os.mkdir(path)
    elif mood == "pipe":
        os.mkfifo(path)
    elif mood != "no file":
        text = {"wrong columns": "a,b\n1,2\n", "missing column": "x\n1\n",
                "one column more": header + ",more\n" + first + ",1\n",
                "outside the domain": header + "\n" + first.replace(first.split(",")[0], "1e9", 1) + "\n",
                "outside in every row": header + "\n" + ("1e9," + first.partition(",")[2] + "\n") * 300,
                "not a number": header + "\n" + first.replace(first.split(",")[0], "NaN", 1) + "\n",
                "missing value": header + "\n" + first.replace(first.split(",")[0], "", 1) + "\n",
                "too many rows": header + "\n" + (first + "\n") * 200_000,
                "empty file": ""}.get(mood, rows)
        with open(path, "w") as f:
            f.write(text)
    if mood == "silent about its budget":
        answer["spent"] = []
    if mood == "greedy":
        answer["spent"][0]["amount"] = 2 * q["total"]
    if mood == "spends less than nothing":
        answer["spent"][0]["amount"] = -1
    if mood == "many mechanisms":
        answer["spent"] = [{"purpose": str(i), "mechanism": "m", "amount": 0.001} for i in range(20)]
    if mood == "closes its input":
        os.close(0)
    print(json.dumps(answer), flush=True)
    served += 1
    if mood == "closes its input":
        time.sleep(1000)
    if mood == "removes its file":
        until = time.time() + 0.05
        while time.time() < until:
            pass
        os.remove(path)
    if mood == "two lines":
        print(json.dumps(answer), flush=True)
    if mood == "one answer":
        break
