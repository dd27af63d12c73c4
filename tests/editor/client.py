# SPDX-License-Identifier: MIT
"""python3 client.py TOOL FOLDER: the language server with a client of others, pygls, which reads every answer into the types of the
protocol. Prints SKIPPED without it: pip install pygls."""
import asyncio
import pathlib
import sys

try:
    from lsprotocol import types as lsp
    from pygls.lsp.client import LanguageClient
except ImportError:
    print("SKIPPED: no pygls; pip install pygls")
    sys.exit(0)

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
good = "__global__ void turn(float* p) {\n  __shared__ float t[32][33];\n  t[threadIdx.x][threadIdx.y] = 1;\n" \
       "  __syncthreads();\n  p[threadIdx.x] = t[threadIdx.y][threadIdx.x];\n}\n" \
       "void f(float* p) { turn<<<1, dim3(32, 8)>>>(p); }\n"
bad = good.replace("33", "32")


def same(found, wanted, what):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} is not {wanted!r}")


class Client(LanguageClient):
    def __init__(self):
        super().__init__("bankmodel-test", "1")
        self.published = asyncio.Queue()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def keep(params):
            self.published.put_nowait(params)

    async def diagnostics(self, version):
        while True:
            params = await asyncio.wait_for(self.published.get(), 60)
            if params.version == version:
                return params.diagnostics


async def run():
    client = Client()
    await client.start_io(tool, "--lsp", cwd=str(folder))
    started = await client.initialize_async(lsp.InitializeParams(
        process_id=None, root_uri=folder.as_uri(), capabilities=lsp.ClientCapabilities(
            text_document=lsp.TextDocumentClientCapabilities(
                code_action=lsp.CodeActionClientCapabilities(
                    code_action_literal_support=lsp.ClientCodeActionLiteralOptions(
                        lsp.ClientCodeActionKindOptions([lsp.CodeActionKind.QuickFix])))))))
    can = started.capabilities
    same(bool(can.hover_provider) and bool(can.inlay_hint_provider) and bool(can.code_action_provider), True, "capabilities")
    client.initialized(lsp.InitializedParams())
    uri = (folder / "turn.cu").as_uri()
    document = lsp.TextDocumentIdentifier(uri)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "cuda-cpp", 1, bad)))
    found = await client.diagnostics(1)
    same([one.code for one in found if "32-way" in one.message], ["bank-conflict"], "diagnostics")
    same(found[0].range.start.line, 2, "the line of the conflict")

    everything = lsp.Range(lsp.Position(0, 0), lsp.Position(8, 0))
    hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(document, everything))
    same([hint.label for hint in hints if hint.position.line == 2 and "32-way" in str(hint.label)], ["32-way, 256 of 8"], "hints")

    hover = await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(2, 4)))
    same("32-way" in hover.contents.value and "|  0[0]!!" in hover.contents.value, True, hover.contents.value)

    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(document, found[0].range, lsp.CodeActionContext(found)))
    fixes = [one for one in actions if isinstance(one, lsp.CodeAction) and one.edit is not None]
    same(len(fixes) > 0, True, "code actions")
    edit = fixes[0].edit
    edits = edit.changes[uri] if edit.changes else edit.document_changes[0].edits
    lines = bad.split("\n")
    for one in sorted(edits, key=lambda e: -e.range.start.character):
        line = lines[one.range.start.line]
        lines[one.range.start.line] = line[:one.range.start.character] + one.new_text + line[one.range.end.character:]
    same("\n".join(lines), good, "the text after the code action")

    # The diagnostics of the mended text are fewer.
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(
        lsp.VersionedTextDocumentIdentifier(version=2, uri=uri), [lsp.TextDocumentContentChangeWholeDocument(good)]))
    same([one for one in await client.diagnostics(2) if one.code == "bank-conflict"], [], "diagnostics after the change")
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))
    await asyncio.wait_for(client.shutdown_async(None), 30)
    client.exit(None)
    await asyncio.wait_for(client.stop(), 30)
    print("pygls: all as wanted")


asyncio.run(asyncio.wait_for(run(), 200))
