// SPDX-License-Identifier: MIT
// Host code that is followed to a launch: the kernel's argument is the one that a run of the
// program would pass, or it is absent. Each program here launches with one number.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "examples/bankmodel/clang_reader/source_reader.hpp"

namespace c = compiled;

namespace {

// A program with one launch, and what it passes; absent if that is not known.
struct program {
  std::string text;
  std::optional<long long> number;
  bool is_passed_over = false;
};

// Of main()'s statements, which launch with n at their end; `prefix` is in front of main().
program gives(long long number, const std::string& statements, const std::string& prefix = "") {
  return {prefix + "\nint main() { " + statements + " launch<<<1, 32>>>(n); }\n", number};
}
program is_absent(const std::string& statements, const std::string& prefix = "") {
  program result = gives(0, statements, prefix);
  result.number.reset();
  return result;
}

// All programs are in one file, each in a namespace of its own, which takes less time.
void check(const std::vector<program>& programs) {
  std::string text =
      "#include <algorithm>\n#include <cstdlib>\n#include <cstdio>\n#include <cstring>\n#include "
      "<utility>\n"
      "__global__ void launch(int n) { if (n > 100) __trap(); }\n"
      "int read_size(); bool ask(); void change(int*);\n";
  for (std::size_t index = 0; index < programs.size(); ++index)
    text += "namespace program_" + std::to_string(index) + " {\n" + programs[index].text + "}\n";
  const auto folder =
      std::filesystem::temp_directory_path() / ("bankmodel_host_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "kernels.cu").string();
  std::ofstream(path) << text;
  const c::read_source result = c::read_cuda(path, {});
  std::filesystem::remove_all(folder);
  INFO(result.diagnostics);
  REQUIRE(result.launches.size() == programs.size());
  for (std::size_t index = 0; index < programs.size(); ++index) {
    INFO(programs[index].text);
    const c::found_launch& launch = result.launches[index];
    REQUIRE(launch.arguments.size() == 1);
    std::optional<long long> value;
    if (launch.arguments[0]) value = static_cast<int>(*launch.arguments[0]);
    CHECK(value == programs[index].number);
    CHECK(launch.is_passed_over == programs[index].is_passed_over);
  }
}

}  // namespace

TEST_CASE("Host code: writes through pointers and references", "[clang_reader]") {
  check({
      gives(5, "int n = 4; int* p = &n; p[0] = 5;"),
      gives(9, "int n = 4; int* p = &n; int** q = &p; **q = 9;"),
      is_absent("int n = 4, m = 3; int* p = ask() ? &n : &m; *p = 5;"),
      is_absent("int n = 4; int* p = &n; change(p);"),
      is_absent("int n = 4; int* p = &n; if (ask()) *p = 7;"),
      is_absent("int n = 4; int* p = &n; for (int i = 0; i < read_size(); ++i) *p = i;"),
      is_absent("int n = 4; int* p = &n; for (int i = 0; i < 2000; ++i) *p = i;"),
      is_absent("int n = 4, m = 5; int& r = pick(n, m); n = 4; r = 9;", "int& pick(int&, int&);"),
      is_absent("int k = 4; refers s{k}; s.r = 9; int n = k;", "struct refers { int& r; };"),
      gives(4, "int n = 4; int* h = (int*)malloc(64); change(h); h[read_size()] = 7;"),
      gives(4, "int n = 4; int* h = new int[64]; for (int i = 0; i < read_size(); ++i) h[i] = 7;"),
      gives(4, "int n = 4; int* d; cudaMalloc(&d, 64); int* e = &n; (void)e; d[rand()] = 7;"),
      // Elements, and pointers that are moved.
      gives(9, "int a[4] = {1, 2, 3, 4}; int* p = a; *(p + 1) = 9; int n = a[1];"),
      gives(3, "int a[4] = {1, 2, 3, 4}; int* p = a; ++p; p += 1; int n = *p;"),
      gives(9, "int a[2][2] = {{1, 2}, {3, 4}}; int(*p)[2] = a; p[1][0] = 9; int n = a[1][0];"),
      is_absent("int a[2][2] = {{1, 2}, {3, 4}}; int* p = &a[0][0]; p[2] = 9; int n = a[1][0];"),
      is_absent("int a[2] = {3, 4}; a[read_size()]++; int n = a[1];"),
      gives(4, "pair s[2] = {{4, 1}, {5, 2}}; pair* p = s; int n = p->a;",
            "struct pair { int a, b; };"),
      is_absent("int i = 1065353216; float f = *(float*)&i; int n = (int)f;"),
      is_absent("int a[2] = {3, 4}; memset(a, 0, sizeof a); int n = a[1];"),
      gives(2, "int a[3] = {1, 2, 3}; int* p = a + 2; p = p - 1; int n = *p;"),
      gives(4, "int n = 4; int* p = &n; if (rand() > 5) printf(\"%p\", p);"),
      is_absent("int n = 4; sscanf(\"5\", \"%d\", &n);"),
  });
}

TEST_CASE("Host code: control flow that is not known", "[clang_reader]") {
  check({
      is_absent("int n = pick();", "int pick() { if (ask()) return 5; return 7; }\n"),
      is_absent("int n = pick();",
                "int pick() { if (ask()) { if (ask()) return 5; } return 7; }\n"),
      is_absent("int n = pick();",
                "int pick() { for (int i = 0; i < 4; ++i) if (ask()) return i; return 7; }\n"),
      is_absent(
          "int n = pick(read_size());",
          "int pick(int k) { switch (k) { case 1: return 5; case 2: return 6; } return 7; }\n"),
      is_absent("int n = 0; for (int i = 0; i < 10; ++i) { if (ask()) break; n = i; }"),
      is_absent("int n = 0; for (int i = 0; i < 10; ++i) { if (ask()) continue; n = i; }"),
      is_absent("int n = 0; ask() ? n = 3 : 0;"),
      is_absent("int n = 0; bool both = ask() && (n = 3);"),
      is_absent("int n = 0; again: n++; if (n < 5) goto again;"),
      is_absent("int n = 3; if (ask()) goto end; n = 4; end:;"),
      is_absent("int n = 5; try { n = half(4); } catch (...) { n = 8; }",
                "int half(int k) { if (k > 2) throw 1; return 3; }\n"),
      gives(6, "int n = 6; if (ask()) { n = 1; return 1; } if (ask()) exit(1);"),
      gives(7, "int n = pick(3);",
            "int pick(int k) { switch (k) { case 1 ... 3: k = 7; break; default: k = 1; } return "
            "k; }"),
      is_absent("int n = 3; switch (read_size()) { case 1: n = 4; break; case 2: n = 5; }"),
      // What leaves the switch does not leave the loop.
      gives(1,
            "int n = 0; for (int i = 0; i < 2; ++i) { if (ask()) switch (read_size()) { case 1: "
            "break; } n = "
            "i; }"),
      is_absent("int n = 0; for (int i = 0; i < 2; ++i) { while (ask()) break; if (ask()) break; n "
                "= i; }"),
  });
}

TEST_CASE("Host code: functions that change variables", "[clang_reader]") {
  const std::string set = "int k = 4; void set() { k = 7; }\n";
  check({
      gives(7, "set(); int n = k;", set),
      is_absent("if (ask()) set(); int n = k;", set),
      is_absent("void (*f)() = set; f(); int n = k;", set),
      is_absent("init(); int n = k;", "int k = 4; void init();\n"),
      gives(4, "init(); int n = k;", "const int k = 4; void init();\n"),
      is_absent("down(3); int n = k;",
                "int k = 4; void down(int i) { if (i) { k++; down(i - 1); } }\n"),
      is_absent("int n = 4; parse_arguments(n);"),
      is_absent("int n = 4; auto f = [&] { n = 7; }; f();"),
      is_absent("int n = 4; each(3, [&](int i) { n += i; });",
                "template <class F> void each(int k, F f) { for (int i = 0; i < k; ++i) f(i); }\n"),
      gives(9, "counter s; s.set(); int n = s.a;",
            "struct counter { int a = 1; void set() { this->a = 9; } };\n"),
      is_absent("counter s; counter* p = &s; change(p); int n = s.a;",
                "struct counter { int a = 1; }; void change(counter*);\n"),
      gives(4, "int n = 3; grow(n++);", "int grow(int k) { return k; }\n"),
      gives(4, "int n = 4; auto f = [&] { return n + 1; }; keep(f);",
            "template <class F> void keep(const F&);\n"),
      is_absent("int n = 4; auto f = [&] { n = 7; }; keep(f);",
                "template <class F> void keep(const F&);\n"),
      gives(4, "int k = 10; int n = log2(k);",
            "int log2(int x) { int r = 0; while ((1 << r) < x) ++r; return r; }\n"),
      gives(5, "next(); int n = next();", "int next() { static int k = 3; return ++k; }\n"),
      is_absent("int n = 4; { at_end d{n}; }", "struct at_end { int& r; ~at_end() { r = 9; } };\n"),
      is_absent("other s; shape& t = s; if (rand() > 5) t.set(); int n = k;",
                "int k = 4; struct shape { virtual void set() {} };\n"
                "struct other : shape { void set() override { k = 7; } };\n"),
      is_absent("int n, a[3] = {}; auto f = [&](int) { n = 7; }; n = 4; if (rand() > 5) "
                "std::for_each(a, a + 3, f);"),
      program{"void log(int k, ...) { launch<<<1, 32>>>(k); }\nint main() { log(5, 6, 7); }\n", 5},
  });
}

TEST_CASE("Host code: structures", "[clang_reader]") {
  check({
      gives(6, "made s; int n = s.a;", "struct made { int a; made() : a(3) { a *= 2; } };\n"),
      gives(7, "made s; int n = s.a;",
            "struct made { int a; made(int k) : a(k) {} made() : made(7) {} };\n"),
      gives(1, "derived s; int n = s.a;",
            "struct base { int a = 1; }; struct derived : base { int b = 2; };\n"),
      is_absent("both s; s.a = 5; s.b = 9; int n = s.a;", "union both { int a; unsigned b; };\n"),
      is_absent("bits s; s.a = 9; int n = s.a;", "struct bits { unsigned a : 3; };\n"),
      is_absent("ten s = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; s = get(); int n = s.j;",
                "struct ten { int a, b, c, d, e, f, g, h, i, j; }; ten get();\n"),
      is_absent(
          "one s{1}, t{5}; s = t; int n = s.a;",
          "struct one { int a; one& operator=(const one& o) { a = o.a + 1; return *this; } };\n"),
      program{"struct one { int a; one(int k) : a(k) {} one(const one& o) : a(o.a + 1) {} };\n"
              "void go(one s) { launch<<<1, 32>>>(s.a); }\nint main() { one s(4); go(s); }\n",
              5},
      gives(8, "int m = 4; int n{m * 2};"),
      is_absent("pair s{1, 2}; auto& [x, y] = s; x = 9; int n = s.a;",
                "struct pair { int a, b; };\n"),
      gives(2, "bits s = {1, 2}; int n = s.b;", "struct bits { int a; int : 3; int b; };\n"),
  });
}

TEST_CASE("Host code: numbers", "[clang_reader]") {
  check({
      gives(4, "unsigned char k = 250; k += 10; int n = k;"),
      gives(-56, "char k = 200; int n = k;"),
      gives(2, "unsigned long long a = 1ull << 63; double d = a; int n = (int)(d / (1ll << 62));"),
      gives(5, "unsigned long long a = 1ull << 63; int n = (int)std::min(a, 5ull);"),
      gives(7, "int n = std::max(3, 7);"),
      gives(7, "int n = std::max(7, 3);"),
      gives(1, "long long a = (1ll << 53) + 1, b = a + 1; int n = (int)(std::min(a, b) & 3);"),
      is_absent("long double x = 0.1L; x *= 3; int n = (int)(x * 10);"),
      is_absent("int n = 1 / (read_size() - read_size());"),
      is_absent("int z = 0; int n = 1 / z;"),
      is_absent("int s = 32; int n = 1 << s;"),
      gives(-2147483647 - 1, "int s = 31; int n = 1 << s;"),
      gives(6, "int n = k;", "int a = 3; int k = a * 2;\n"),
      gives(6, "a = 10; int n = k;", "int a = 3; int k = a * 2;\n"),
      is_absent("int n = 3; int k = ({ n = 1; read_size(); });"),
      gives(12, "int n = sizeof(int[3]);"),
      // A library's function returns its argument.
      gives(5, "int a = 5; int n = std::move(a);"),
      gives(6, "int a = 5; const int& r = std::as_const(a); a = 6; int n = r;"),
      gives(7, "pair p = {3, 4}; pair q = std::move(p); int n = q.a + q.b;",
            "struct pair { int a, b; };\n"),
      // One of another name, or of the program's own.
      is_absent("int a = 5; int n = std::exchange(a, 6);"),
      gives(12, "int a = 5; int n = own::move(a);",
            "namespace own { int move(int& a) { return a + 7; } }\n"),
  });
  check(
      {{"template <class... A> void go(A&&... a) { launch<<<1, 32>>>(std::forward<A>(a)...); }\n"
        "int main() { go(11); }\n",
        11}});
}

TEST_CASE("Host code: the iteration of a loop that launches, and launches that are passed over",
          "[clang_reader]") {
  const auto launches = [](long long number, bool is_passed_over, const std::string& host) {
    return program{"int main() { " + host + " }\n", number, is_passed_over};
  };
  check({
      launches(4, false, "int n = 5; while (--n > 0) launch<<<1, 32>>>(n);"),
      launches(1, false, "int n = 0; do { n++; launch<<<1, 32>>>(n); } while (n < 5);"),
      launches(2, false,
               "for (int n = 0; n < 8; ++n) { if (n < 2) continue; launch<<<1, 32>>>(n); }"),
      launches(3, false, "for (int n = 0; n < 8; ++n) if (n > 2) launch<<<1, 32>>>(n);"),
      launches(3, false, "for (int n = 0; n < 8; ++n) if (n == 3) launch<<<1, 32>>>(n);"),
      launches(5, true, "for (int n = 5; n < 5; ++n) launch<<<1, 32>>>(n);"),
      // A later iteration comes to it.
      {"void go(int k) { if (k == 0) return; launch<<<1, 32>>>(7); }\n"
       "int main() { for (int k = 0; k < 3; ++k) go(k); }\n",
       7},
      launches(0, true, "for (int n = 0; n < 8; ++n) { if (n < 2) break; launch<<<1, 32>>>(n); }"),
      launches(50, true, "int n = 50; if (n < 100) return 1; launch<<<1, 32>>>(n);"),
      launches(50, true, "int n = 50; if (n < 100) exit(1); launch<<<1, 32>>>(n);"),
      launches(3, false, "int n = 3; if (ask()) goto end; launch<<<1, 32>>>(n); end: return 0;"),
      // For one value of a variable, from its start only if nothing else writes it.
      launches(8, false, "int k = read_size(), n = k / 2; if (k == 16) launch<<<1, 32>>>(n);"),
      launches(8, false,
               "int k = read_size(), n = k / 2; if (k == 16 && ask()) launch<<<1, 32>>>(n);"),
      {"int main() { int k = read_size(), n = k / 2; if (k == 16 || ask()) launch<<<1, 32>>>(n); }",
       {}},
      launches(512, false,
               "int k = read_size(), n = 512; if (ask()) k = 3; if (k == 256) launch<<<1, 32>>>(n "
               "+ k - 256);"),
      {"int main() { int k = 32, n = k / 2; if (ask()) k = 256;\n"
       "  if (ask()) n += k; if (k == 256) launch<<<1, 32>>>(n); }\n",
       {}},
  });
}

TEST_CASE("Host code: launches in lambdas", "[clang_reader]") {
  const auto main_does = [](const std::string& host, std::optional<long long> number,
                            const std::string& prefix = "") {
    return program{prefix + "int main() { " + host + " }\n", number};
  };
  const std::string call = "template <class F> void call(F f) { f(); }\n";
  check({
      main_does("int n = 3; auto f = [&n] { launch<<<1, 32>>>(n); }; n = 4; f();", 4),
      main_does("int n = 3; auto f = [n] { launch<<<1, 32>>>(n); }; f();", 3),
      // Its copy is older than what is written before its call.
      main_does("int n = 3; auto f = [n] { launch<<<1, 32>>>(n); }; n = 4; f();", {}),
      main_does("int n = 3; auto f = [&](int k) { launch<<<1, 32>>>(n + k); }; n = 4; f(5);", 9),
      main_does("auto f = [](auto k) { launch<<<1, 32>>>(k); }; f(5);", 5),
      main_does("int n = 3; call([&] { launch<<<1, 32>>>(n); });", 3, call),
      main_does("for (int i = 0; i < 4; ++i) call([&] { launch<<<1, 32>>>(i); });", 0, call),
      main_does("int n = 3; auto f = [&] { auto g = [&] { launch<<<1, 32>>>(n); }; g(); }; f();",
                3),
      // Nobody is seen to call it: it has the value of what is written once, or copied.
      main_does("int n = 3; keep([&] { launch<<<1, 32>>>(n); });", 3,
                "template <class F> void "
                "keep(const F&);\n"),
      main_does("int n = 3; auto f = [&] { launch<<<1, 32>>>(n); }; n = 4; keep(f);", {},
                "template <class F> void keep(const F&);\n"),
      main_does("int n = 3; auto f = [n] { launch<<<1, 32>>>(n); }; n = 4; keep(f);", 3,
                "template <class F> void keep(const F&);\n"),
  });
}
