# SPDX-License-Identifier: MIT
"""python3 protocol.py TOOL FOLDER: the language server as a client sees it that makes mistakes, changes documents faster than
they are counted, and has options."""
import json
import pathlib
import subprocess
import sys
import time

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
good = "__global__ void turn(float* p) {\n  __shared__ float t[32][33];\n  t[threadIdx.x][threadIdx.y] = 1;\n" \
       "  __syncthreads();\n  p[threadIdx.x] = t[threadIdx.y][threadIdx.x];\n}\n" \
       "void f(float* p) { turn<<<1, dim3(32, 8)>>>(p); }\n"
bad = good.replace("33", "32")


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([tool, "--lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=folder)
        self.last = 0
        self.seen = []  # notifications and requests that nobody waited for

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def read(self):
        length = None
        while (line := self.process.stdout.readline().strip()) or length is None:
            if not line:
                raise EOFError(self.process.stderr.read().decode())
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def request(self, method, **params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        return self.last

    def answer_to(self, number):
        while True:
            message = self.read()
            if message.get("id") == number and "method" not in message:
                return message
            self.seen.append(message)

    def ask(self, method, **params):
        return self.answer_to(self.request(method, **params))

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def diagnostics_of(self, version):
        while True:
            message = self.seen.pop(0) if self.seen else self.read()
            params = message.get("params", {})
            if message.get("method") == "textDocument/publishDiagnostics" and params.get("version") == version:
                return params["diagnostics"]

    def open(self, name, text, version=1):
        uri = (folder / name).as_uri()
        self.notify("textDocument/didOpen", textDocument={"uri": uri, "languageId": "cuda", "version": version, "text": text})
        return {"uri": uri}

    def change(self, document, text, version):
        self.notify("textDocument/didChange", textDocument={**document, "version": version}, contentChanges=[{"text": text}])

    def end(self):
        assert self.ask("shutdown")["result"] is None
        self.notify("exit")
        assert self.process.wait(60) == 0


def error_of(message):
    return message["error"]["code"]


def parent_of(process):
    try:
        return int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, ValueError):  # it has ended
        return None


# Its kernels take some ten seconds together.
slow = "".join(
    f"__global__ void slow{number}(float* p, int n) {{\n  __shared__ float a[32][32], b[32][64], c[16][16][16];\n"
    "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < 32; j++)\n      for (int q = 0; q < 32; q++) {\n"
    "        a[threadIdx.x][(j * q + i) % 32] = p[i * q + j];\n"
    "        b[q][threadIdx.x] += c[i % 16][threadIdx.x / 2][q % 16];\n      }\n"
    "  __syncthreads();\n  p[threadIdx.x] = a[0][threadIdx.x];\n}\n"
    f"void f{number}(float* p) {{ slow{number}<<<1, dim3(32, 8)>>>(p, 4096); }}\n" for number in range(12))
every_line = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}

# Mistakes of a client.
server = Server()
assert error_of(server.ask("textDocument/hover", textDocument={"uri": "file:///a.cu"}, position={})) == -32002
capabilities = server.ask("initialize", capabilities={})["result"]["capabilities"]
assert capabilities["inlayHintProvider"] and capabilities["positionEncoding"] == "utf-16"
assert error_of(server.ask("textDocument/rename")) == -32601
assert error_of(server.ask("textDocument/hover", textDocument={"uri": "file:///none.cu"}, position={})) == -32602
assert error_of(server.ask("textDocument/hover")) == -32602
server.write(b"Content-Length: 3\r\n\r\n{,}")
assert error_of(server.answer_to(None)) == -32700
server.write(b"content-length: 2\r\nContent-Type: x\r\n\r\n[]")
assert error_of(server.answer_to(None)) == -32600
server.notify("textDocument/didOpen")
server.notify("unknown/notification")
assert error_of(server.ask("initialize", capabilities={})) == -32600
for depth in (2000, 200000):
    body = b'{"jsonrpc":"2.0","method":"x","params":' + b"[" * depth + b"]" * depth + b"}"
    server.write(b"Content-Length: \t%d \r\n\r\n%s" % (len(body), body))
    assert error_of(server.answer_to(None)) == -32700

# A request waits for the text as it is at that moment; a document that changes is not counted to its end.
document = server.open("a.cu", good)
for version in range(2, 40):
    server.change(document, bad if version % 2 else good, version)
hints = server.ask("textDocument/inlayHint", textDocument=document, range=every_line)["result"]
assert [(one["position"]["line"], one["label"]) for one in hints] == [(2, "32-way, 256 of 8")], hints
assert server.ask("textDocument/inlayHint", textDocument=document,
                  range={"start": {"line": 3, "character": 0}, "end": {"line": 9, "character": 0}})["result"] == []
assert len(server.diagnostics_of(39)) == 1
actions = server.ask("textDocument/codeAction", textDocument=document, range=every_line, context={})["result"]
edit = actions[0]["edit"]["changes"][document["uri"]][0]
assert edit == {"newText": "33", "range": {"start": {"line": 1, "character": 25}, "end": {"line": 1, "character": 27}}}, edit

assert server.ask("textDocument/codeAction", textDocument=document, range=every_line, context={"only": ["source"]})["result"] == []
# What is no change: an empty list, a part of the text, which was not announced, and a document that is not open.
for changes in ([], {}, [{"range": every_line, "text": ""}]):
    server.notify("textDocument/didChange", textDocument={**document, "version": 39}, contentChanges=changes)
server.change({"uri": "file:///never/opened.cu"}, bad, 1)
assert len(server.ask("textDocument/inlayHint", textDocument=document, range=every_line)["result"]) == 1

# The count of a text that is no more ends.
server.change(document, slow, 39)
time.sleep(0.5)
begin = time.monotonic()
server.change(document, bad, 39)
hints = server.ask("textDocument/inlayHint", textDocument=document, range=every_line)["result"]
assert [one["position"]["line"] for one in hints] == [2] and time.monotonic() - begin < 3, hints

# A request that is cancelled, and one whose document is closed.
server.change(document, good + "\n", 40)
waiting = server.request("textDocument/codeAction", textDocument=document, range=every_line, context={})
server.notify("$/cancelRequest", id=waiting)
message = server.answer_to(waiting)
assert "result" in message or error_of(message) == -32800, message
server.change(document, bad, 41)
waiting = server.request("textDocument/codeAction", textDocument=document, range=every_line, context={})
server.notify("textDocument/didClose", textDocument=document)
message = server.answer_to(waiting)
assert "result" in message or error_of(message) == -32800, message

# An array of two kernels, and of instances of a template: one change, at all their lines.
shared = "#define N 32\ntemplate <int K> __global__ void turn(float* p) {\n  __shared__ float t[32][N];\n" \
         "  t[threadIdx.x][K] = 1;\n  p[threadIdx.x] = t[0][threadIdx.x];\n}\n" \
         "void f(float* p) { turn<1><<<1, 32>>>(p); turn<2><<<1, 32>>>(p); }\n"
document = server.open("template.cu", shared, 42)
actions = server.ask("textDocument/codeAction", textDocument=document, range=every_line, context={})["result"]
assert len(actions) == 1, actions
server.notify("textDocument/didClose", textDocument=document)

# The kernel that is changed is counted before the others of the document: what is published first is what is published last.
def kernel_text(name, columns, lines):
    return f"__global__ void __launch_bounds__(256)\n{name}(float* p) {{\n  __shared__ float t[32][{columns}];\n" + "  // a line\n" * lines + \
        "  t[threadIdx.x][threadIdx.y] = 1;\n  p[32 * threadIdx.x] = 1;\n}\n"


def text_of(columns, lines):
    names = ("first", "second", "third")
    return "".join(kernel_text(*one) for one in zip(names, columns, lines)) + \
        "void f(float* p) { " + "".join(f"{name}<<<1, dim3(32, 8)>>>(p); " for name in names) + "}\n"


def publications(version):
    """Those before an answer that needs the last one."""
    server.seen.clear()
    server.ask("textDocument/codeAction", textDocument=document, range=every_line, context={})
    all = [one["params"]["diagnostics"] for one in server.seen if one.get("params", {}).get("version") == version]
    server.seen.clear()
    return [sorted(json.dumps(one, sort_keys=True) for one in diagnostics) for diagnostics in all]


columns, lines = [32, 32, 33], [0, 1, 2]
document = server.open("several.cu", text_of(columns, lines), 100)
assert len(publications(100)) == 2
for version, (number, width, height) in enumerate([(0, 33, 0), (1, 33, 0), (0, 32, 5), (2, 32, 0), (1, 64, 9), (0, 33, 2), (2, 33, 4)], 101):
    columns[number], lines[number] = width, height
    server.change(document, text_of(columns, lines), version)
    published = publications(version)
    assert len(published) == 3, (version, len(published))
    assert published[0] == published[1] == published[2], (version, published[0], published[2])
    conflicts = sum("32-way" in one for one in published[0])
    assert conflicts == sum(one % 32 == 0 for one in columns), (version, conflicts)
# Two kernels, a line of the preprocessor, and a host function are no change of one kernel.
for version, text in enumerate([text_of([32, 32, 32], lines), text_of([32, 32, 32], lines).replace("  // a line\n", "#define X 1\n", 1),
                                text_of([32, 32, 32], lines).replace("dim3(32, 8)", "dim3(32, 4)", 1)], 120):
    server.change(document, text, version)
    assert len(publications(version)) == 2, version
# One that does not compile has its error at once, and hides no other.
server.change(document, text_of([33, 32, 32], [0, 0, 0]), 130)
publications(130)
server.change(document, text_of([33, 32, 32], [0, 0, 0]).replace("second(float* p) {\n", "second(float* p) {\n  missing();\n"), 131)
published = publications(131)
assert len(published) == 3 and any("missing" in one for one in published[0]), published
assert sum("32-way" in one and "third" in one for one in published[0]) == 1, published
server.notify("textDocument/didClose", textDocument=document)

# A kernel file, with its fix, and one that is wrong.
tile = "machine sm_90\nblock 32 8\nshared float t[32][32]\nstore t[ty][tx]\nload t[tx][ty]\n"
document = server.open("tile.kernel", tile, 140)
hints = server.ask("textDocument/inlayHint", textDocument=document, range=every_line)["result"]
assert [(one["position"]["line"], one["label"]) for one in hints] == [(4, "32-way, 256 of 8")], hints
[action] = server.ask("textDocument/codeAction", textDocument=document, range=every_line, context={})["result"]
assert action["edit"]["changes"][document["uri"]] == [
    {"newText": "[32][33]", "range": {"start": {"line": 2, "character": 14}, "end": {"line": 2, "character": 22}}}], action
server.change(document, tile.replace("load t[tx][ty]", "load t[tx][tt]"), 141)
server.seen.clear()
[wrong] = server.diagnostics_of(141)
assert wrong["range"]["start"] == {"line": 4, "character": 11} and "tt" in wrong["message"], wrong
# A kernel's sums are at its name, in a kernel file too.
text = "// a comment\n__global__ void k(float* p) {\n  __shared__ float t[32][32];\n  t[threadIdx.x][threadIdx.y] = 1;\n}\n"
document = server.open("name.kernel", text, 150)
hover = server.ask("textDocument/hover", textDocument=document, position={"line": 1, "character": 16})["result"]
assert "one block of" in hover["contents"]["value"], hover
server.notify("textDocument/didClose", textDocument=document)

# A server for one kernel publishes no other.
only = Server("--kernel", "second", "--no-plan")
only.ask("initialize", capabilities={})
document = only.open("only.cu", text_of([32, 32, 32], [0, 0, 0]), 1)
assert all("second" in one["message"] for one in only.diagnostics_of(1))
only.change(document, text_of([32, 32, 32], [3, 0, 0]), 2)
first = only.diagnostics_of(2)
assert first and all("second" in one["message"] for one in first), first
only.end()

# PTX without lines of source has its own.
ptx = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n  .reg .b32 %r<9>;\n" \
      "  .shared .align 4 .b8 s[8192];\n  mov.u32 %r1, %tid.x;\n  shl.b32 %r1, %r1, 7;\n  mov.u32 %r2, s;\n" \
      "  add.s32 %r1, %r1, %r2;\n  ld.shared.u32 %r3, [%r1];\n  ret;\n}\n"
document = server.open("k.ptx", ptx, 43)
hints = server.ask("textDocument/inlayHint", textDocument=document, range=every_line)["result"]
assert [one["position"]["line"] for one in hints] == [11], hints
server.notify("textDocument/didClose", textDocument=document)

# A #line beyond the document.
document = server.open("line.cu", "#line 5000\n" + bad, 44)
assert server.diagnostics_of(44) == []
server.notify("textDocument/didClose", textDocument=document)

# Many documents at once: each has its numbers.
documents = [server.open(f"many{number}.cu", bad, 100 + number) for number in range(30)]
for document in documents:
    server.notify("textDocument/didSave", textDocument=document)
for document in documents:
    assert len(server.ask("textDocument/inlayHint", textDocument=document, range=every_line)["result"]) == 1
    server.notify("textDocument/didClose", textDocument=document)

# Text without kernels, files that cannot be read, PTX, a header that another document includes.
other = server.open("host.cpp", "int main() {}\n")
assert server.diagnostics_of(1) == []
wrong = server.open("wrong.cu", "__global__ void k() {\n  missing();\n}\n", 50)
[found] = server.diagnostics_of(50)
assert found["code"] == "not-counted" and found["range"]["start"]["line"] == 1 and "missing" in found["message"], found
(folder / "rows.cuh").write_text("#define ROW 32\n")
including = good.replace("33", "ROW")
document = server.open("b.cu", '#include "rows.cuh"\n' + including, 60)
assert len(server.diagnostics_of(60)) == 1
(folder / "rows.cuh").write_text("#define ROW 33\n")
server.seen.clear()
server.notify("textDocument/didSave", textDocument=document)
assert server.diagnostics_of(60) == []
server.end()

# Options, and the project's file.
server = Server("-D", "ROW=32", "-m", "sm_80")
server.ask("initialize", capabilities={"workspace": {"inlayHint": {"refreshSupport": True}}})
server.open("c.cu", including)
[found] = server.diagnostics_of(1)
assert "turn on sm_80" in found["message"], found
assert server.read()["method"] == "workspace/inlayHint/refresh"
server.end()
(folder / "bankmodel.toml").write_text('machine = "sm_90"\n')
server = Server()
server.ask("initialize", capabilities={})
server.open("d.cu", bad)
[found] = server.diagnostics_of(1)
assert "bankmodel.toml:1: there is no key machine" in found["message"] and found["severity"] == 1, found
server.end()
(folder / "bankmodel.toml").unlink()

# Streams that break, and an editor that ends without a word.
for data in [b"Content-Length: x\r\n\r\n", b"\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n", b""]:
    server = Server()
    server.write(data)
    server.process.stdin.close()
    assert server.process.wait(60) == 1, data
# Words that are wrong for each document, and a server that is ended while it counts: its processes end too.
for words, said in ((["x.cu"], b"--lsp is given with a file"), (["--bogus"], b"--bogus")):
    wrong = subprocess.run([tool, "--lsp", *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert wrong.returncode == 2 and said in wrong.stderr, wrong
server = Server()
server.ask("initialize", capabilities={})
server.open("slow.cu", slow)
time.sleep(0.5)
children = [one.name for one in pathlib.Path("/proc").iterdir()
            if one.name.isdigit() and parent_of(one) == server.process.pid]
assert children
server.process.terminate()
server.process.wait(60)
# A process that has ended is there until it is waited for, by a parent that is not ours.
def runs(process):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


for step in range(100):
    left = [child for child in children if runs(child)]
    if not left:
        break
    time.sleep(0.1)
assert not left, left
server = Server()
server.notify("exit")
assert server.process.wait(60) == 1
print("the protocol is kept")
