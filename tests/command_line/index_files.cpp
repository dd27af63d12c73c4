// SPDX-License-Identifier: MIT
// bankmodel reorganize: index arrays from files, malformed files, and files that appear whole or
// not at all.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/reorganize/index_file.hpp"
#include "examples/bankmodel/reorganize/new_files.hpp"
#include "examples/bankmodel/source.hpp"

namespace {

namespace rz = reorganizing;
namespace re = bankmodel::reorganize;

// A folder that is removed with its files.
struct folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("bankmodel_index_files_" + std::to_string(getpid()));
  folder() { std::filesystem::create_directories(path); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& fortran = "False") {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + '\0' + header + data;
}
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}
std::vector<std::vector<std::uint32_t>> read(const std::string& file) {
  const rz::index_file from(file);
  std::vector<std::vector<std::uint32_t>> result;
  for (const re::index_array& one : from.references()) {
    result.emplace_back();
    for (std::size_t at = 0; at < one.size(); ++at) result.back().push_back(one[at]);
  }
  return result;
}
void refuses(const std::string& file, const std::string& wrong) {
  INFO(file);
  try {
    (void)read(file);
  } catch (const command_line::refusal& why) {
    INFO(why.wrong);
    CHECK(why.wrong.find(wrong) != why.wrong.npos);
    CHECK(why.wrong.find(file) != why.wrong.npos);
    CHECK(!why.right.empty());
    return;
  }
  FAIL_CHECK("the file is read");
}

using lists = std::vector<std::vector<std::uint32_t>>;

}  // namespace

TEST_CASE("index arrays of each form") {
  const folder in;
  const lists one = {{3, 1, 4}}, two = {{3, 1, 4}, {1, 5, 9}};
  CHECK(read(in.write("a.txt", "3, 1\n4\n")) == one);
  CHECK(read(in.write("a.csv", "3,1,4")) == one);
  CHECK(read(in.write("b.txt", "-1 0")) == lists{{re::no_element, 0}});
  CHECK(read(in.write("a.raw", bytes_of<int>({3, 1, 4}))) == one);
  CHECK(read(in.write("a.npy", npy("<i4", "(3,)", bytes_of<int>({3, 1, 4})))) == one);
  CHECK(read(in.write("b.npy", npy("<u4", "(2, 3)", bytes_of<int>({3, 1, 4, 1, 5, 9})))) == two);
  CHECK(read(in.write("c.npy", npy("<i8", "(2, 3)", bytes_of<long long>({3, 1, 4, 1, 5, 9})))) ==
        two);
  CHECK(read(in.write("d.npy", npy("<i2", "(2, 3)", bytes_of<short>({3, 1, 4, 1, 5, 9})))) == two);
  CHECK(read(in.write("e.npy", npy("<i8", "(2,)", bytes_of<long long>({-1, 0xfffffffe})))) ==
        lists{{re::no_element, 0xfffffffe}});
  CHECK(read(in.write("f.npy", npy("<u2", "(1,)", bytes_of<unsigned short>({65535})))) ==
        lists{{65535}});
}

TEST_CASE("malformed files") {
  const folder in;
  refuses(in / "none.txt", "cannot read");
  refuses(in.path.string(), "cannot read");
  refuses(in.write("empty.txt", ""), "no indices");
  refuses(in.write("empty.raw", ""), "no indices");
  refuses(in.write("space.txt", " \n,"), "no indices");
  refuses(in.write("word.txt", "1 2\nthree"), ":2: `three`");
  refuses(in.write("minus.txt", "1 -2"), ":1: `-2`");
  refuses(in.write("large.txt", "4294967295"), "`4294967295`");
  refuses(in.write("huge.txt", "99999999999999999999"), "is no index");
  refuses(in.write("point.txt", "1.5"), "`1.5`");
  refuses(in.write("odd.raw", "12345"), "5 bytes");
  refuses(in.write("text.npy", "1 2 3"), "does not begin");
  refuses(in.write("begin.npy", "\x93NUMPY"), "no such header");
  refuses(in.write("header.npy", std::string("\x93NUMPY\x01\x00\xff\xff{", 11)), "no such header");
  for (const char version : {'\1', '\2', '\3'})  // cut off in the length of the header
    for (std::size_t bytes = 7; bytes < (version == 1 ? 10 : 12); ++bytes)
      refuses(
          in.write("cut.npy", std::string("\x93NUMPY") + version + std::string(bytes - 7, '\0')),
          "no such header");
  refuses(in.write("float.npy", npy("<f4", "(1,)", "1234")), "<f4");
  refuses(in.write("big.npy", npy(">i4", "(1,)", "1234")), ">i4");
  refuses(in.write("columns.npy", npy("<i4", "(1, 1)", "1234", "True")), "order of C");
  refuses(in.write("three.npy", npy("<i4", "(1, 1, 1)", "1234")), "one or two");
  refuses(in.write("scalar.npy", npy("<i4", "()", "1234")), "one or two");
  refuses(in.write("cut.npy", npy("<i4", "(2,)", "1234")), "4 bytes");
  refuses(in.write("left.npy", npy("<i4", "(1,)", "12345678")), "8 bytes");
  refuses(in.write("wrap.npy", npy("<i4", "(4611686018427387905, 4)", "1234567890123456")), "16");
  refuses(in.write("nothing.npy", npy("<i4", "(0,)", "")), "no indices");
  refuses(in.write("negative.npy", npy("<i8", "(1,)", bytes_of<long long>({-2}))), "number -2");
  refuses(in.write("wide.npy", npy("<i8", "(1,)", bytes_of<long long>({1ll << 40}))), "number");
  refuses(in.write("unsigned.npy", npy("<u8", "(1,)", bytes_of<long long>({-1}))), "number");
}

TEST_CASE("new files are read back") {
  const folder in;
  rz::new_files files;
  rz::new_file& one = files.add(in / "one.npy");
  rz::new_file& two = files.add(in / "two.npy");
  const std::vector<std::uint32_t> numbers = {1, 2, re::no_element};
  one.append(numbers);
  one.append(numbers);
  one.finish({6});
  two.write(3, numbers);
  two.write(0, numbers);
  two.finish({2, 3});
  CHECK(!std::filesystem::exists(in / "one.npy"));
  files.place();
  CHECK(read(in / "one.npy") == lists{{1, 2, re::no_element, 1, 2, re::no_element}});
  CHECK(read(in / "two.npy") == lists{numbers, numbers});
  CHECK(in.files() == 2);
}

TEST_CASE("files that are not placed leave nothing") {
  const folder in;
  {
    rz::new_files files;
    files.add(in / "one.npy").append(std::vector<std::uint32_t>{1});
    CHECK(in.files() == 1);
  }
  CHECK(in.files() == 0);
  CHECK_THROWS_AS(rz::new_file(in / "missing/one.npy"), command_line::refusal);
  // The second name is that of a folder, so that the first file is removed again.
  std::filesystem::create_directories(in.path / "two.npy" / "x");
  {
    rz::new_files files;
    for (const char* name : {"one.npy", "two.npy"}) {
      rz::new_file& file = files.add(in / name);
      file.append(std::vector<std::uint32_t>{1});
      file.finish({1});
    }
    CHECK_THROWS_AS(files.place(), command_line::refusal);
  }
  CHECK(in.files() == 1);
}
