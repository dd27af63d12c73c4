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
  const rz::index_file indices(file);
  std::vector<std::vector<std::uint32_t>> result;
  for (const re::index_array& array : indices.references()) {
    result.emplace_back();
    for (std::size_t element = 0; element < array.size(); ++element)
      result.back().push_back(array[element]);
  }
  return result;
}
void refuses(const std::string& file, const std::string& wrong) {
  INFO(file);
  try {
    (void)read(file);
  } catch (const command_line::refusal& reason) {
    INFO(reason.wrong);
    CHECK(reason.wrong.find(wrong) != reason.wrong.npos);
    CHECK(reason.wrong.find(file) != reason.wrong.npos);
    CHECK(!reason.right.empty());
    return;
  }
  FAIL_CHECK("the file is read");
}

using lists = std::vector<std::vector<std::uint32_t>>;

}  // namespace

TEST_CASE("index arrays of each form") {
  const folder directory;
  const lists single = {{3, 1, 4}}, two = {{3, 1, 4}, {1, 5, 9}};
  CHECK(read(directory.write("a.txt", "3, 1\n4\n")) == single);
  CHECK(read(directory.write("a.csv", "3,1,4")) == single);
  CHECK(read(directory.write("b.txt", "-1 0")) == lists{{re::no_element, 0}});
  CHECK(read(directory.write("a.raw", bytes_of<int>({3, 1, 4}))) == single);
  CHECK(read(directory.write("a.npy", npy("<i4", "(3,)", bytes_of<int>({3, 1, 4})))) == single);
  CHECK(read(directory.write("b.npy", npy("<u4", "(2, 3)", bytes_of<int>({3, 1, 4, 1, 5, 9})))) ==
        two);
  CHECK(read(directory.write(
            "c.npy", npy("<i8", "(2, 3)", bytes_of<long long>({3, 1, 4, 1, 5, 9})))) == two);
  CHECK(read(directory.write("d.npy", npy("<i2", "(2, 3)", bytes_of<short>({3, 1, 4, 1, 5, 9})))) ==
        two);
  CHECK(read(directory.write("e.npy", npy("<i8", "(2,)", bytes_of<long long>({-1, 0xfffffffe})))) ==
        lists{{re::no_element, 0xfffffffe}});
  CHECK(read(directory.write("f.npy", npy("<u2", "(1,)", bytes_of<unsigned short>({65535})))) ==
        lists{{65535}});
}

TEST_CASE("malformed files") {
  const folder directory;
  refuses(directory / "none.txt", "cannot read");
  refuses(directory.path.string(), "cannot read");
  refuses(directory.write("empty.txt", ""), "no indices");
  refuses(directory.write("empty.raw", ""), "no indices");
  refuses(directory.write("space.txt", " \n,"), "no indices");
  refuses(directory.write("word.txt", "1 2\nthree"), ":2: `three`");
  refuses(directory.write("minus.txt", "1 -2"), ":1: `-2`");
  refuses(directory.write("large.txt", "4294967295"), "`4294967295`");
  refuses(directory.write("huge.txt", "99999999999999999999"), "is no index");
  refuses(directory.write("point.txt", "1.5"), "`1.5`");
  refuses(directory.write("odd.raw", "12345"), "5 bytes");
  refuses(directory.write("text.npy", "1 2 3"), "does not begin");
  refuses(directory.write("begin.npy", "\x93NUMPY"), "no such header");
  refuses(directory.write("header.npy", std::string("\x93NUMPY\x01\x00\xff\xff{", 11)),
          "no such header");
  for (const char version : {'\1', '\2', '\3'})  // cut off in the length of the header
    for (std::size_t bytes = 7; bytes < (version == 1 ? 10 : 12); ++bytes)
      refuses(directory.write("cut.npy",
                              std::string("\x93NUMPY") + version + std::string(bytes - 7, '\0')),
              "no such header");
  refuses(directory.write("float.npy", npy("<f4", "(1,)", "1234")), "<f4");
  refuses(directory.write("big.npy", npy(">i4", "(1,)", "1234")), ">i4");
  refuses(directory.write("columns.npy", npy("<i4", "(1, 1)", "1234", "True")), "order of C");
  refuses(directory.write("three.npy", npy("<i4", "(1, 1, 1)", "1234")), "one or two");
  refuses(directory.write("scalar.npy", npy("<i4", "()", "1234")), "one or two");
  refuses(directory.write("cut.npy", npy("<i4", "(2,)", "1234")), "4 bytes");
  refuses(directory.write("left.npy", npy("<i4", "(1,)", "12345678")), "8 bytes");
  refuses(directory.write("wrap.npy", npy("<i4", "(4611686018427387905, 4)", "1234567890123456")),
          "16");
  refuses(directory.write("nothing.npy", npy("<i4", "(0,)", "")), "no indices");
  refuses(directory.write("negative.npy", npy("<i8", "(1,)", bytes_of<long long>({-2}))),
          "number -2");
  refuses(directory.write("wide.npy", npy("<i8", "(1,)", bytes_of<long long>({1ll << 40}))),
          "number");
  refuses(directory.write("unsigned.npy", npy("<u8", "(1,)", bytes_of<long long>({-1}))), "number");
}

TEST_CASE("new files are read back") {
  const folder directory;
  rz::new_files files;
  rz::new_file& first = files.add(directory / "one.npy");
  rz::new_file& two = files.add(directory / "two.npy");
  const std::vector<std::uint32_t> numbers = {1, 2, re::no_element};
  first.append(numbers);
  first.append(numbers);
  first.finish({6});
  two.write(3, numbers);
  two.write(0, numbers);
  two.finish({2, 3});
  CHECK(!std::filesystem::exists(directory / "one.npy"));
  files.place();
  CHECK(read(directory / "one.npy") == lists{{1, 2, re::no_element, 1, 2, re::no_element}});
  CHECK(read(directory / "two.npy") == lists{numbers, numbers});
  CHECK(directory.files() == 2);
}

TEST_CASE("files that are not placed leave nothing") {
  const folder directory;
  {
    rz::new_files files;
    files.add(directory / "one.npy").append(std::vector<std::uint32_t>{1});
    CHECK(directory.files() == 1);
  }
  CHECK(directory.files() == 0);
  CHECK_THROWS_AS(rz::new_file(directory / "missing/one.npy"), command_line::refusal);
  // The second name is that of a folder, so that the first file is removed again.
  std::filesystem::create_directories(directory.path / "two.npy" / "x");
  {
    rz::new_files files;
    for (const char* name : {"one.npy", "two.npy"}) {
      rz::new_file& file = files.add(directory / name);
      file.append(std::vector<std::uint32_t>{1});
      file.finish({1});
    }
    CHECK_THROWS_AS(files.place(), command_line::refusal);
  }
  CHECK(directory.files() == 1);
}
