// SPDX-License-Identifier: MIT
// Shows what `bankmodel --lsp` says of open documents: diagnostics, hints beside accesses, hovers
// and fixes. One file without dependencies: a client of the few messages that this server has.
'use strict';
const { spawn } = require('node:child_process');

// The messages of a stream of bytes, and requests with their answers.
class Connection {
  constructor(write, onNotification, onRequest) {
    this.write = write;
    this.onNotification = onNotification;
    this.onRequest = onRequest;
    this.bytes = Buffer.alloc(0);
    this.waiting = new Map();
    this.last = 0;
    this.hasEnded = false;
  }

  send(message) {
    const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.write(Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]));
  }

  notify(method, params) { this.send({ method, params }); }

  // Resolves to the result, or to null if the server refuses it or ends. `token`: VS Code's.
  request(method, params, token) {
    if (this.hasEnded) return Promise.resolve(null);
    const id = ++this.last;
    return new Promise(resolve => {
      this.waiting.set(id, resolve);
      token?.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
      this.send({ id, method, params });
    });
  }

  receive(piece) {
    this.bytes = Buffer.concat([this.bytes, piece]);
    for (;;) {
      const end = this.bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const header = /content-length: *(\d+)/i.exec(this.bytes.toString('latin1', 0, end));
      if (header === null) return this.end();
      const length = Number(header[1]);
      if (this.bytes.length < end + 4 + length) return;
      const message = JSON.parse(this.bytes.toString('utf8', end + 4, end + 4 + length));
      this.bytes = this.bytes.subarray(end + 4 + length);
      if (message.method === undefined) {
        this.waiting.get(message.id)?.(message.result ?? null);
        this.waiting.delete(message.id);
      } else if (message.id === undefined) {
        this.onNotification(message.method, message.params);
      } else {
        this.onRequest(message.method);
        this.send({ id: message.id, result: null });
      }
    }
  }

  end() {
    this.hasEnded = true;
    for (const resolve of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }
}

// From the protocol's terms to VS Code's.
const positionOf = (vscode, one) => new vscode.Position(one.line, one.character);
const rangeOf = (vscode, one) =>
  new vscode.Range(positionOf(vscode, one.start), positionOf(vscode, one.end));

function diagnosticOf(vscode, one) {
  const severities = [
    vscode.DiagnosticSeverity.Error, vscode.DiagnosticSeverity.Warning,
    vscode.DiagnosticSeverity.Information, vscode.DiagnosticSeverity.Hint,
  ];
  const result = new vscode.Diagnostic(rangeOf(vscode, one.range), one.message, severities[one.severity - 1]);
  result.source = one.source;
  result.code = one.code;
  return result;
}

function actionOf(vscode, one) {
  const result = new vscode.CodeAction(one.title, vscode.CodeActionKind.QuickFix);
  result.edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(one.edit.changes))
    for (const edit of edits)
      result.edit.replace(vscode.Uri.parse(uri), rangeOf(vscode, edit.range), edit.newText);
  return result;
}

const selector = [
  { scheme: 'file', pattern: '**/*.{cu,cuh,hip,ptx,kernel}' },
  { scheme: 'file', language: 'cuda-cpp' },
  { scheme: 'file', language: 'cpp' },
];

function start(vscode, context) {
  const settings = vscode.workspace.getConfiguration('bankmodel');
  const program = settings.get('path', 'bankmodel');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = spawn(program, ['--lsp', ...settings.get('arguments', [])], { cwd: folder });
  const diagnostics = vscode.languages.createDiagnosticCollection('bankmodel');
  const output = vscode.window.createOutputChannel('bankmodel');
  const hintsChanged = new vscode.EventEmitter();
  let isStopping = false;
  const connection = new Connection(
    bytes => server.stdin.write(bytes),
    (method, params) => {
      if (method !== 'textDocument/publishDiagnostics') return;
      diagnostics.set(vscode.Uri.parse(params.uri),
                      params.diagnostics.map(one => diagnosticOf(vscode, one)));
      hintsChanged.fire();
    },
    () => hintsChanged.fire());
  const ended = text => {
    if (!connection.hasEnded && !isStopping) vscode.window.showErrorMessage(text);
    connection.end();
    diagnostics.clear();
    hintsChanged.fire();
  };
  server.on('error', why => ended(
    `bankmodel does not start (${why.message}): build it, and name it in the setting bankmodel.path`));
  server.on('exit', (code, signal) => ended(
    `bankmodel ended (${signal ?? code}), see its output; reload the window to start it again`));
  server.stdin.on('error', () => {});
  server.stdout.on('data', piece => connection.receive(piece));
  server.stderr.on('data', piece => output.append(piece.toString()));

  const isMeant = document => vscode.languages.match(selector, document) > 0;
  const nameOf = document => ({ uri: document.uri.toString() });
  const positionIn = at => ({ line: at.line, character: at.character });
  const rangeIn = at => ({ start: positionIn(at.start), end: positionIn(at.end) });
  const opened = document => isMeant(document) && connection.notify('textDocument/didOpen', {
    textDocument: {
      ...nameOf(document), languageId: document.languageId, version: document.version, text: document.getText(),
    },
  });
  const ready = connection.request('initialize', {
    processId: process.pid, rootUri: null,
    capabilities: { workspace: { inlayHint: { refreshSupport: true } } },
  }).then(() => {
    connection.notify('initialized', {});
    vscode.workspace.textDocuments.forEach(opened);
  });
  const asks = (method, params, token) => ready.then(() => connection.request(method, params, token));

  context.subscriptions.push(
    diagnostics, output, hintsChanged,
    vscode.workspace.onDidOpenTextDocument(document => ready.then(() => opened(document))),
    vscode.workspace.onDidChangeTextDocument(({ document }) => ready.then(() => isMeant(document) &&
      connection.notify('textDocument/didChange', {
        textDocument: { ...nameOf(document), version: document.version },
        contentChanges: [{ text: document.getText() }],
      }))),
    vscode.workspace.onDidSaveTextDocument(document => ready.then(() => isMeant(document) &&
      connection.notify('textDocument/didSave', { textDocument: nameOf(document) }))),
    vscode.workspace.onDidCloseTextDocument(document => ready.then(() => isMeant(document) &&
      connection.notify('textDocument/didClose', { textDocument: nameOf(document) }))),
    vscode.languages.registerHoverProvider(selector, {
      provideHover: (document, position, token) =>
        asks('textDocument/hover', { textDocument: nameOf(document), position: positionIn(position) }, token)
          .then(found => found && new vscode.Hover(new vscode.MarkdownString(found.contents.value))),
    }),
    vscode.languages.registerInlayHintsProvider(selector, {
      onDidChangeInlayHints: hintsChanged.event,
      provideInlayHints: (document, range, token) =>
        asks('textDocument/inlayHint', { textDocument: nameOf(document), range: rangeIn(range) }, token)
          .then(found => (found ?? []).map(one => {
            const hint = new vscode.InlayHint(positionOf(vscode, one.position), one.label);
            hint.paddingRight = one.paddingRight;
            return hint;
          })),
    }),
    vscode.languages.registerCodeActionsProvider(selector, {
      provideCodeActions: (document, range, _, token) =>
        asks('textDocument/codeAction',
             { textDocument: nameOf(document), range: rangeIn(range), context: { diagnostics: [] } }, token)
          .then(found => (found ?? []).map(one => actionOf(vscode, one))),
    }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }));
  return {
    stop: async () => {
      isStopping = true;
      await connection.request('shutdown');
      connection.notify('exit');
    },
  };
}

let running;
exports.activate = context => { running = start(require('vscode'), context); };
exports.deactivate = () => running?.stop();
exports.start = start;  // for tests, which have no `vscode`
exports.Connection = Connection;
