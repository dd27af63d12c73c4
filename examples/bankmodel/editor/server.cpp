// SPDX-License-Identifier: MIT
#include "server.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bankmodel/version.hpp>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "../sequences.hpp"
#include "../several_files.hpp"
#include "../uri.hpp"
#include "changed_kernel.hpp"
#include "counting_process.hpp"
#include "document_notes.hpp"
#include "message_stream.hpp"

namespace editor {

using command_line::joined;
using nlohmann::json;

namespace {

// Of JSON-RPC and of the protocol.
constexpr int parse_error = -32700, invalid_request = -32600, method_not_found = -32601,
              invalid_params = -32602, not_initialized = -32002, request_cancelled = -32800;

constexpr int full_text = 1;  // TextDocumentSyncKind: a change has the whole text

struct request {
  json id, params;
  std::string method;
};

struct document {
  std::string text;
  json version = nullptr;
  counting_process counting;
  bool is_to_be_counted = false;  // when there is room for its process
  int results = 0;                // of the process: of the changed kernel, of all, with plans
  std::string noted_text;         // that `notes` are about
  json notes = {{"diagnostics", json::array()},
                {"hints", json::array()},
                {"hovers", json::array()},
                {"actions", json::array()}};
  std::vector<request> waiting;  // for the next results

  void forget_notes() {
    notes = document().notes;
    noted_text.clear();
  }
};

// Only files with kernels are read: editors send all of a language.
bool may_have_kernels(const std::string& path, const std::string& text) {
  if (std::filesystem::path(path).extension() == ".kernel") return true;
  return compiled::is_compiled(path) &&
         (text.find("__global__") != text.npos || text.find("<<<") != text.npos ||
          text.find(".entry") != text.npos);
}

bool is_within(const json& position, const json& range) {
  const auto place = [](const json& point) {
    return std::pair(point.at("line").get<int>(), point.at("character").get<int>());
  };
  return place(range.at("start")) <= place(position) && place(position) <= place(range.at("end"));
}

class server {
 public:
  explicit server(const std::function<compiled::question(const std::string&)>& question_about)
      : question_about_(question_about) {}

  int run() {
    ::signal(SIGPIPE, SIG_IGN);  // a client that is gone is seen where it is written to
    message_stream input;
    while (!has_exited_) {
      start_counting();
      std::vector<pollfd> waiting = {{STDIN_FILENO, POLLIN, 0}};
      std::vector<std::string> uris;
      for (const auto& [uri, entry] : documents_)
        if (entry->counting.is_running()) {
          waiting.push_back({entry->counting.pipe(), POLLIN, 0});
          uris.push_back(uri);
        }
      if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return 1;
      for (std::size_t i = 1; i < waiting.size(); ++i)
        if (waiting[i].revents != 0) take_results(uris[i - 1]);
      if (waiting[0].revents == 0) continue;
      char piece[1 << 16];
      const ssize_t size = ::read(STDIN_FILENO, piece, sizeof piece);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return 1;
      input.add(piece, static_cast<std::size_t>(size));
      for (std::optional<json> message = input.next(); message && !has_exited_;
           message = input.next())
        handle(*message);
      if (input.is_broken()) return 1;
    }
    return has_shut_down_ ? 0 : 1;
  }

 private:
  void send(const json& message) const {
    if (!command_line::write_all(STDOUT_FILENO, bytes_of(message))) ::_exit(1);
  }
  void notify(const char* method, const json& params) const {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  void answer(const json& id, const json& result) const {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  }
  void refuse(const json& id, int code, const std::string& reason) const {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", reason}}}});
  }

  void handle(const json& message) {
    if (message.is_null()) return refuse(nullptr, parse_error, "the message is no JSON");
    const json id = message.is_object() && message.contains("id") ? message["id"] : json();
    if (!message.is_object() ||
        (!message.contains("method") && !message.contains("result") && !message.contains("error")))
      return refuse(id, invalid_request, "the message has no method");
    if (!message.contains("method")) return;  // an answer to a request of ours
    try {
      const auto method = message.at("method").get<std::string>();
      const json params = message.value("params", json::object());
      if (message.contains("id"))
        handle_request({id, params, method});
      else
        handle_notification(method, params);
    } catch (const json::exception& reason) {
      if (message.contains("id")) refuse(id, invalid_params, reason.what());
    }
  }

  void handle_request(const request& asked) {
    if (asked.method == "initialize") {
      if (is_initialized_) return refuse(asked.id, invalid_request, "it is initialized");
      return initialize(asked);
    }
    if (!is_initialized_) return refuse(asked.id, not_initialized, "initialize comes first");
    if (has_shut_down_) return refuse(asked.id, invalid_request, "exit comes after shutdown");
    if (asked.method == "shutdown") {
      has_shut_down_ = true;
      documents_.clear();
      return answer(asked.id, nullptr);
    }
    if (asked.method != "textDocument/hover" && asked.method != "textDocument/inlayHint" &&
        asked.method != "textDocument/codeAction")
      return refuse(asked.id, method_not_found, joined("there is no ", asked.method));
    const auto entry = documents_.find(asked.params.at("textDocument").at("uri"));
    if (entry == documents_.end())
      return refuse(asked.id, invalid_params, "the document is not open");
    // It is about the text as it is now.
    if (has_results_for(*entry->second, asked))
      answer_about(*entry->second, asked);
    else
      entry->second->waiting.push_back(asked);
  }

  // Plans take longer than costs.
  static bool has_results_for(const document& opened, const request& asked) {
    return (!opened.counting.is_running() && !opened.is_to_be_counted) ||
           (opened.results > 0 && asked.method != "textDocument/codeAction");
  }

  void initialize(const request& asked) {
    is_initialized_ = true;
    const json::json_pointer refresh("/capabilities/workspace/inlayHint/refreshSupport");
    refreshes_hints_ = asked.params.contains(refresh) && asked.params.at(refresh) == true;
    answer(asked.id,
           {{"capabilities",
             {{"positionEncoding", "utf-16"},
              {"textDocumentSync", {{"openClose", true}, {"change", full_text}, {"save", true}}},
              {"hoverProvider", true},
              {"inlayHintProvider", true},
              {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}}},
            {"serverInfo", {{"name", "bankmodel"}, {"version", BANKMODEL_VERSION_STRING}}}});
  }

  void handle_notification(const std::string& method, const json& params) {
    if (method == "exit") {
      has_exited_ = true;
    } else if (!is_initialized_ || has_shut_down_) {
      return;
    } else if (method == "textDocument/didOpen") {
      const json& opened = params.at("textDocument");
      open(opened.at("uri"), opened.at("text"), opened.value("version", json()));
    } else if (method == "textDocument/didChange") {
      change(params.at("textDocument"), params.at("contentChanges"));
    } else if (method == "textDocument/didSave") {
      // Other documents may include it. One that is counted is counted again afterwards.
      for (const auto& [uri, entry] : documents_) entry->is_to_be_counted = true;
    } else if (method == "textDocument/didClose") {
      close(params.at("textDocument").at("uri"));
    } else if (method == "$/cancelRequest") {
      cancel(params.at("id"));
    }
  }

  // Changes have the whole text, as was announced; of several the last one counts.
  void change(const json& identifier, const json& changes) {
    if (!changes.is_array() || changes.empty() || changes.back().contains("range") ||
        documents_.count(identifier.at("uri")) == 0)
      return;
    open(identifier.at("uri"), changes.back().at("text"), identifier.value("version", json()));
  }

  void open(const std::string& uri, const std::string& text, const json& version) {
    std::unique_ptr<document>& slot = documents_[uri];
    if (slot == nullptr) slot = std::make_unique<document>();
    slot->text = text;
    slot->version = version;
    count(uri, *slot);
  }

  void close(const std::string& uri) {
    const auto entry = documents_.find(uri);
    if (entry == documents_.end()) return;
    for (const request& pending : entry->second->waiting)
      refuse(pending.id, request_cancelled, "the document was closed");
    documents_.erase(entry);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", json::array()}});
  }

  void cancel(const json& id) {
    for (const auto& [uri, entry] : documents_) {
      const auto is_it = [&](const request& pending) { return pending.id == id; };
      const auto match = std::find_if(entry->waiting.begin(), entry->waiting.end(), is_it);
      if (match == entry->waiting.end()) continue;
      entry->waiting.erase(match);
      return refuse(id, request_cancelled, "it was cancelled");
    }
  }

  // What was counted of the text before is of no use.
  void count(const std::string& uri, document& opened) {
    const std::string path = command_line::path_of_uri(uri);
    opened.results = 0;
    opened.counting.stop();
    opened.is_to_be_counted = !path.empty() && may_have_kernels(path, opened.text);
    if (opened.is_to_be_counted) return;
    opened.forget_notes();
    publish(uri, opened);
    answer_waiting(opened);
  }

  // As many at once as there are processors.
  void start_counting() {
    auto free = static_cast<long>(std::max(1u, std::thread::hardware_concurrency()));
    for (const auto& [uri, entry] : documents_) free -= entry->counting.is_running() ? 1 : 0;
    for (const auto& [uri, entry] : documents_) {
      if (free <= 0) return;
      document& opened = *entry;
      const std::string path = command_line::path_of_uri(uri);
      if (!opened.is_to_be_counted || opened.counting.is_running()) continue;
      opened.is_to_be_counted = false;
      opened.results = 0;
      if (may_have_kernels(path, opened.text) &&
          opened.counting.start([&](const auto& write) { write_notes(path, opened, write); }))
        --free;
      else
        answer_waiting(opened);
    }
  }

  // In a process of its own: the costs, first of the kernel that was changed, and then again with
  // plans.
  void write_notes(const std::string& path, const document& opened,
                   const std::function<void(const std::string&)>& write) const {
    const std::string& text = opened.text;
    const auto line_of = [](const json& notes) {
      return notes.dump(-1, ' ', false, json::error_handler_t::replace);
    };
    try {
      compiled::question asked = question_about_(path);
      asked.text = text;
      if (path.size() < 4 || path.substr(path.size() - 4) != ".ptx") asked.contents = text;
      const bool plan = asked.plan;
      asked.plan = false;
      const auto changed = asked.kernels.empty() ? changed_kernel_of(opened.noted_text, text)
                                                 : std::optional<changed_kernel>();
      if (changed) {
        compiled::question first = asked;
        first.kernels = {changed->name};
        write(line_of(with_notes_of_kernel(opened.notes, notes_of_document(first), *changed)));
      }
      write(line_of(notes_of_document(asked)));
      asked.plan = plan;
      if (plan) write(line_of(notes_of_document(asked)));
    } catch (const command_line::refusal& reason) {
      json notes = document().notes;
      const json start = {{"line", 0}, {"character", 0}};
      notes["diagnostics"].push_back({{"range", {{"start", start}, {"end", start}}},
                                      {"severity", 1},
                                      {"source", "bankmodel"},
                                      {"message", command_line::text_without_place(reason)}});
      write(line_of(notes));
    }
  }

  void take_results(const std::string& uri) {
    document& opened = *documents_.at(uri);
    std::istringstream lines(opened.counting.lines());
    for (std::string line; std::getline(lines, line);) {
      const json notes = json::parse(line, nullptr, false);
      if (notes.is_discarded()) continue;
      ++opened.results;
      opened.notes = notes;
      opened.noted_text = opened.text;
      publish(uri, opened);
      answer_waiting(opened);
    }
    if (opened.counting.is_running()) return;
    // The compiler may have ended it.
    if (opened.results == 0) {
      opened.forget_notes();
      publish(uri, opened);
    }
    answer_waiting(opened);
  }

  void publish(const std::string& uri, const document& opened) {
    json params = {{"uri", uri}, {"diagnostics", opened.notes["diagnostics"]}};
    if (!opened.version.is_null()) params["version"] = opened.version;
    notify("textDocument/publishDiagnostics", params);
    if (!refreshes_hints_) return;
    send({{"jsonrpc", "2.0"},
          {"id", joined("bankmodel-", ++requests_)},
          {"method", "workspace/inlayHint/refresh"}});
  }

  void answer_waiting(document& opened) {
    std::vector<request> left;
    for (const request& pending : opened.waiting)
      if (has_results_for(opened, pending))
        answer_about(opened, pending);
      else
        left.push_back(pending);
    opened.waiting = std::move(left);
  }

  void answer_about(const document& opened, const request& asked) {
    try {
      if (asked.method == "textDocument/hover")
        answer(asked.id, hover(opened, asked.params));
      else if (asked.method == "textDocument/inlayHint")
        answer(asked.id, hints(opened, asked.params));
      else
        answer(asked.id, actions(opened, asked.params));
    } catch (const json::exception& reason) {
      refuse(asked.id, invalid_params, reason.what());
    }
  }

  static json hover(const document& opened, const json& params) {
    const json& line = params.at("position").at("line");
    for (const json& note : opened.notes["hovers"])
      if (note["line"] == line)
        return {{"contents", {{"kind", "markdown"}, {"value", note["text"]}}}};
    return nullptr;
  }

  static json hints(const document& opened, const json& params) {
    const json range = params.at("range");
    json result = json::array();
    for (const json& note : opened.notes["hints"])
      if (is_within(note["position"], range))
        result.push_back(
            {{"position", note["position"]}, {"label", note["label"]}, {"paddingRight", true}});
    return result;
  }

  // A client may ask for some kinds alone, such as "quickfix" or "source".
  static bool wants_fixes(const json& params) {
    const json::json_pointer kind_filter("/context/only");
    if (!params.contains(kind_filter) || !params.at(kind_filter).is_array()) return true;
    const json& kinds = params.at(kind_filter);
    return command_line::includes(kinds, "quickfix");
  }

  static json actions(const document& opened, const json& params) {
    const json range = params.at("range");
    if (!wants_fixes(params)) return json::array();
    const int first = range.at("start").at("line"), last = range.at("end").at("line");
    json result = json::array();
    for (const json& note : opened.notes["actions"]) {
      const auto is_there = [&](const json& line) { return first <= line && line <= last; };
      if (std::any_of(note["lines"].begin(), note["lines"].end(), is_there))
        result.push_back({{"title", note["title"]}, {"kind", "quickfix"}, {"edit", note["edit"]}});
    }
    return result;
  }

  const std::function<compiled::question(const std::string&)>& question_about_;
  std::map<std::string, std::unique_ptr<document>> documents_;  // by their URIs
  bool is_initialized_ = false, has_shut_down_ = false, has_exited_ = false;
  bool refreshes_hints_ = false;
  std::uint64_t requests_ = 0;  // of ours
};

}  // namespace

int serve(const std::function<compiled::question(const std::string& file)>& question_about) {
  return server(question_about).run();
}

}  // namespace editor
