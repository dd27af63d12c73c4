// SPDX-License-Identifier: MIT
#include "several_files.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "file_content.hpp"
#include "included_headers.hpp"
#include "sequences.hpp"
#include "source.hpp"

namespace command_line {

namespace {

namespace fs = std::filesystem;

bool defines_kernel(const std::string& text) {
  for (std::size_t kernel = text.find("__global__"); kernel != text.npos;
       kernel = text.find("__global__", kernel + 1)) {
    // A declaration ends before a body begins.
    const std::size_t end = text.find_first_of(";{", kernel);
    if (end != text.npos && text[end] == '{') return true;
  }
  return false;
}

// True if a header beside the file, or one that such a header includes, defines a kernel.
bool has_kernel_in_headers(const fs::path& file, const std::string& text) {
  return any_header(file.string(), text, {}, [](const included_header&, const std::string& path) {
    return !path.empty() && defines_kernel(file_content(path));
  });
}

bool is_unit(const fs::path& file) {
  static const std::set<std::string> endings = {".cu", ".hip", ".cpp", ".cc", ".cxx"};
  return endings.count(file.extension().string()) > 0;
}
bool is_header(const fs::path& file) {
  static const std::set<std::string> endings = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl"};
  return endings.count(file.extension().string()) > 0;
}

bool has_kernel(const fs::path& file) {
  if (file.extension() == ".ptx" || file.extension() == ".kernel") return true;
  if (!is_unit(file)) return false;
  const std::string text = file_content(file);
  return text.find("__global__") != text.npos ||
         (text.find("<<<") != text.npos && has_kernel_in_headers(file, text));
}

// The files of a folder that are read. Headers are read with the files that include them.
class folder_files {
 public:
  explicit folder_files(const fs::path& folder) {
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                           failure);
    for (; entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
      if (failure) break;
      const bool is_hidden = entry->path().filename().string().starts_with('.');
      if (is_hidden && entry->is_directory(failure)) entry.disable_recursion_pending();
      if (!is_hidden && entry->is_regular_file(failure)) add(entry->path());
    }
    for (const std::string& file : files_) cover_headers_of(file);
    // Those whose kernels a function in a header launches.
    for (const std::string& unit : other_units_)
      if (cover_headers_of(unit)) files_.insert(unit);
    // Those that nothing here includes. They may include each other.
    while (!headers_.empty()) {
      const auto [path, name] = *headers_.begin();
      headers_.erase(headers_.begin());
      files_.insert(name);
      cover_headers_of(name);
    }
  }
  const std::set<std::string>& files() const { return files_; }

 private:
  void add(const fs::path& file) {
    if (has_kernel(file))
      files_.insert(file.string());
    else if (is_unit(file))
      other_units_.insert(file.string());
    else if (is_header(file) && defines_kernel(file_content(file.string())))
      headers_.emplace(canonical_file(file), file.string());
  }

  // Takes those that the file includes out of the headers; true if there are any.
  bool cover_headers_of(const std::string& file) {
    if (headers_.empty()) return false;
    const std::size_t previous = headers_.size();
    any_header(file, file_content(file), {}, [&](const included_header&, const std::string& path) {
      headers_.erase(path);
      return headers_.empty();
    });
    return headers_.size() < previous;
  }

  std::set<std::string> files_, other_units_;
  std::map<std::string, std::string> headers_;  // with kernels: the names by the canonical paths
};

// ---- an answer in a pipe: numbers and texts, each text with its length before it ----

void add(std::string& result, std::uint64_t number) { result += joined(number, "\n"); }
void add(std::string& result, const std::string& text) {
  add(result, text.size());
  result += text;
}

std::string packed(const answer& reply) {
  std::string result;
  add(result, static_cast<std::uint64_t>(reply.code));
  add(result, reply.output);
  add(result, reply.error);
  add(result, reply.report);
  add(result, reply.kernels.size());
  for (const kernel_row& kernel : reply.kernels) {
    add(result, kernel.conflicts);
    add(result, kernel.transactions);
    add(result, kernel.is_assumed ? 1 : 0);
    add(result, kernel.shown.line);
    add(result, kernel.shown.text);
    add(result, kernel.shown.cell.size());
    for (const std::string& cell : kernel.shown.cell) add(result, cell);
  }
  add(result, reply.notes.size());
  for (const std::string& note : reply.notes) add(result, note);
  return result;
}

// Reads what add() wrote. Where the text ends too early, `is_whole` becomes false.
class unpacker {
 public:
  explicit unpacker(const std::string& text) : text_(text) {}

  std::uint64_t number() {
    const std::size_t end = text_.find('\n', next_);
    if (end == text_.npos || !is_whole) {
      is_whole = false;
      return 0;
    }
    const std::uint64_t result = std::strtoull(text_.c_str() + next_, nullptr, 10);
    next_ = end + 1;
    return result;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (!is_whole || size > text_.size() - next_) {
      is_whole = false;
      return {};
    }
    next_ += size;
    return text_.substr(next_ - size, size);
  }
  bool is_whole = true;

 private:
  const std::string& text_;
  std::size_t next_ = 0;
};

answer unpacked(const std::string& text, const std::string& file) {
  unpacker input(text);
  answer result;
  result.code = static_cast<exit_code>(input.number());
  result.output = input.text();
  result.error = input.text();
  result.report = input.text();
  for (std::uint64_t count = input.number(); count > 0 && input.is_whole; --count) {
    kernel_row kernel;
    kernel.conflicts = input.number();
    kernel.transactions = input.number();
    kernel.is_assumed = input.number() != 0;
    kernel.shown.line = input.text();
    kernel.shown.text = input.text();
    for (std::uint64_t cells = input.number(); cells > 0 && input.is_whole; --cells)
      kernel.shown.cell.push_back(input.text());
    result.kernels.push_back(std::move(kernel));
  }
  for (std::uint64_t count = input.number(); count > 0 && input.is_whole; --count)
    result.notes.push_back(input.text());
  if (input.is_whole) return result;
  return {bad_input,
          {},
          joined("bankmodel: error: ", file,
                 ": the program ended while it was read; please report it\n")};
}

struct running {
  std::size_t file = 0;
  pid_t process = -1;
  std::string text;
};

}  // namespace

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return true;
}

bool is_without_kernel(const std::string& file) {
  std::error_code failure;
  return is_unit(file) && fs::is_regular_file(file, failure) && !has_kernel(file);
}

std::vector<std::string> expanded_files(const std::vector<std::string>& named) {
  std::vector<std::string> result;
  for (const std::string& name : named) {
    std::error_code failure;
    if (!fs::exists(name, failure))
      throw input_error(joined("cannot read ", name, ": no such file"), "name a file or a folder");
    if (!fs::is_directory(name, failure)) {
      result.push_back(name);
      continue;
    }
    const folder_files folder(name);
    if (folder.files().empty())
      throw input_error(joined(name, " has no file with a kernel"),
                        "name a folder with .cu, .hip, .ptx or .kernel files");
    append(result, folder.files());
  }
  return result;
}

std::vector<answer> answers_of(const std::vector<std::string>& files,
                               const std::function<answer(const std::string& file)>& answer_about,
                               const std::function<void(std::size_t done)>& tell) {
  std::vector<answer> result(files.size());
  std::map<int, running> processes;  // by the end of the pipe that is read
  const std::size_t limit = std::max(1u, std::thread::hardware_concurrency());
  std::size_t next = 0, done = 0;
  while (done < files.size()) {
    while (next < files.size() && processes.size() < limit) {
      int ends[2];
      if (::pipe(ends) != 0) throw input_error("no pipe for another process", "close programs");
      const pid_t process = ::fork();
      if (process == 0) {
        ::close(ends[0]);
        (void)write_all(ends[1], packed(answer_about(files[next])));
        ::_exit(0);
      }
      ::close(ends[1]);
      if (process < 0) throw input_error("no process for another file", "close programs");
      processes[ends[0]] = {next++, process, {}};
    }
    std::vector<pollfd> waiting;
    for (const auto& [pipe, child] : processes) waiting.push_back({pipe, POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), -1);
    for (const pollfd& ready : waiting) {
      if (ready.revents == 0) continue;
      running& child = processes[ready.fd];
      char piece[1 << 16];
      const ssize_t size = ::read(ready.fd, piece, sizeof piece);
      if (size > 0) {
        child.text.append(piece, static_cast<std::size_t>(size));
        continue;
      }
      if (size < 0 && errno == EINTR) continue;
      ::close(ready.fd);
      ::waitpid(child.process, nullptr, 0);
      result[child.file] = unpacked(child.text, files[child.file]);
      processes.erase(ready.fd);
      ++done;
      if (tell) tell(done);
    }
  }
  return result;
}

std::string text_of_notes(const std::vector<std::string>& files, const std::vector<answer>& answers,
                          std::size_t width) {
  constexpr std::size_t most_files_named = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> files_of_note;
  for (std::size_t file = 0; file < answers.size(); ++file)
    for (const std::string& note : answers[file].notes) {
      const auto same = std::ranges::find_if(
          files_of_note, [&](const auto& known) { return known.first == note; });
      (same == files_of_note.end() ? files_of_note.emplace_back(note, std::vector<std::string>())
                                   : *same)
          .second.push_back(files[file]);
    }
  std::string result;
  for (const auto& [note, names] : files_of_note) {
    std::string about;
    for (std::size_t file = 0; file < std::min(names.size(), most_files_named); ++file)
      about += joined(file == 0 ? "" : ", ", names[file]);
    if (names.size() > most_files_named)
      about += joined(" and ", names.size() - most_files_named, " more");
    result += wrapped(joined("note: ", about, ": ", note), "", width);
  }
  return result;
}

}  // namespace command_line
