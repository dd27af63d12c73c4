// SPDX-License-Identifier: MIT
#include "replaced_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "../common_names.hpp"

namespace compiled {

namespace {

// A file beside another, which is removed unless it takes the other's place.
class temporary_file {
 public:
  explicit temporary_file(const std::string& beside)
      : name_(joined(beside, ".XXXXXX")), number_(mkstemp(name_.data())) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    if (number_ >= 0) (void)close(number_);
    if (number_ >= 0 && !is_placed_) (void)unlink(name_.c_str());
  }

  bool write_all(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(number_, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      done += static_cast<std::size_t>(written);
    }
    return fsync(number_) == 0;
  }
  // The owner first: a change of it takes away special permissions.
  bool takes_after(const struct stat& other) const {
    struct stat own = {};
    if (fstat(number_, &own) != 0) return false;
    if ((own.st_uid != other.st_uid || own.st_gid != other.st_gid) &&
        fchown(number_, other.st_uid, other.st_gid) != 0)
      return false;
    return fchmod(number_, other.st_mode & 07777) == 0;
  }
  bool place(const std::string& target) {
    is_placed_ = std::rename(name_.c_str(), target.c_str()) == 0;
    return is_placed_;
  }
  bool is_open() const { return number_ >= 0; }

 private:
  std::string name_;
  int number_;
  bool is_placed_ = false;
};

}  // namespace

void replace_file(const std::string& name, const std::string& expected, const std::string& text) {
  const auto cannot = [&] {
    return input_error(joined("cannot write ", name, ": ", std::strerror(errno)),
                       "give it write permission, or see the change with --fix=dry-run");
  };
  std::error_code wrong;
  const std::string real = std::filesystem::canonical(name, wrong).string();
  errno = wrong.value();
  struct stat old = {};
  if (wrong || access(real.c_str(), W_OK) != 0 || stat(real.c_str(), &old) != 0) throw cannot();
  temporary_file replacement(real);
  if (!replacement.is_open() || !replacement.write_all(text) || !replacement.takes_after(old))
    throw cannot();
  std::ifstream stream(real, std::ios::binary);
  if (std::string(std::istreambuf_iterator<char>(stream), {}) != expected)
    throw input_error(joined(name, " changed while it was read"), "run --fix again");
  if (!replacement.place(real)) throw cannot();
}

void replace_files(const std::map<std::string, std::string>& expected,
                   const std::map<std::string, std::string>& texts) {
  std::vector<std::string> written;
  try {
    for (const auto& [name, text] : texts) {
      if (text == expected.at(name)) continue;
      replace_file(name, expected.at(name), text);
      written.push_back(name);
    }
  } catch (const refusal&) {
    for (const std::string& name : written) replace_file(name, texts.at(name), expected.at(name));
    throw;
  }
}

}  // namespace compiled
