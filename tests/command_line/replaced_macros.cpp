// SPDX-License-Identifier: MIT
// What macros stand for, as the preprocessor of C has it.
#include "examples/bankmodel/notation/macros.hpp"

#include <random>
#include <string>
#include <vector>

#include "answer_about.hpp"
#include "catch.hpp"

namespace cc = compiled;
namespace cl = command_line;

namespace {

// The tokens with blanks between.
std::string replaced(const std::string& text) {
  const cl::source document{"k.cu", text};
  std::string result;
  for (const cl::token& piece : cl::with_macros_replaced(document, cl::tokens_of(document)))
    result += (result.empty() || piece.text.empty() ? "" : " ") + std::string(piece.text);
  return result;
}

}  // namespace

TEST_CASE("macros are what they stand for") {
  CHECK(replaced("#define AT(r, c) a[(r) * n + (c)]\nAT(i + 1, f(2, j)) = AT(0, 1);") ==
        "a [ ( i + 1 ) * n + ( f ( 2 , j ) ) ] = a [ ( 0 ) * n + ( 1 ) ] ;");
  CHECK(replaced("#define ROW (ty + 1)\n#define real float\n#define EMPTY\nEMPTY real x = ROW;") ==
        "float x = ( ty + 1 ) ;");
  // Of numbers alone: constants, which have names of their own.
  CHECK(replaced("#define N 32\n#define M (N * 2)\nM") == "define N 32 define M ( N * 2 ) M");
  CHECK(replaced("#define SQ(x) ((x) * (x))\n#define FOUR SQ(2)\nFOUR") == "( ( 2 ) * ( 2 ) )");
  // One within another, and one within itself, which stays as it is.
  CHECK(replaced("#define F(x) G(x, 1)\n#define G(x, y) x + y + H\n#define H h\nF(F(2))") ==
        "2 + 1 + h + 1 + h");
  CHECK(replaced("#define F(x) F(x + 1)\nF(1)") == "F ( 1 + 1 )");
  CHECK(replaced("#define A B\n#define B A\nA B") == "A B");
  // A name without its arguments, or with another number of them, is no use.
  CHECK(replaced("#define F(x) 1\nF + F(1, 2) + F(3)") == "F + F ( 1 , 2 ) + 1");
  CHECK(replaced("#define F() 7\nF() F(1)") == "7 F ( 1 )");
  CHECK(replaced("#define F(x) x\nF(a[i, j], b)") == "F ( a [ i , j ] , b )");
  // Before its definition a name is none, and a later definition is another.
  CHECK(replaced("A\n#define A a + 1\nA\n#define A b\nA") == "A a + 1 b");
  // A line that goes on, and one with a comment.
  CHECK(replaced("#define F(x) \\\n  x + \\\n  1 // one\nF(2)") == "2 + 1");
  // What # does is not seen, so it stays.
  CHECK(replaced("#define CAT(a, b) a##b\nCAT(x, y)").find("define CAT") == 0);
  CHECK(replaced("#define S(a) #a\nS(x)").find("define S") == 0);
  // Any number of arguments.
  CHECK(replaced("#define V(...) f(__VA_ARGS__)\nV() V(1) V(1, (2, 3))") ==
        "f ( ) f ( 1 ) f ( 1 , ( 2 , 3 ) )");
  CHECK(replaced("#define V(a, ...) a(__VA_ARGS__)\nV(f) V(f, 1, 2)") == "f ( ) f ( 1 , 2 )");
  // What a macro becomes is read again with what follows, and not by itself.
  CHECK(replaced("#define LD(i) a[i]\n#define L LD\nL(1) + L") == "a [ 1 ] + LD");
  CHECK(replaced("#define LD(i) a[i]\n#define W(q) LD\nW(1)(2)") == "a [ 2 ]");
  CHECK(replaced("#define F(x) x\n#define n (n + 1)\nF(n) F(F(n))") == "( n + 1 ) ( n + 1 )");
  // A line of the preprocessor behind it, or a comment with #, is not its text.
  CHECK(replaced("#define LD(i) a[i]\n#include <cstdio>\nLD(1)") == "a [ 1 ]");
  CHECK(replaced("#define T float /* # */ // #\n#pragma once\nT x;") == "float x ;");
  // The notation's own word defines nothing but numbers.
  CHECK(replaced("define n tx\nn") == "define n tx n");
}

TEST_CASE("a use of a macro is where it is written, and reads as it is written") {
  const cl::source document{
      "k.kernel",
      "#define AT(r, c) a[(r) * 32 + (c)]\nblock 32\nshared int a[1024]\nAT(tx,\n   "
      "0) = 1; load AT(1, tx)\n"};
  cc::question asked;
  asked.plan = false;
  const std::string output = answer_about(document.name, document.text, asked).output;
  INFO(output);
  CHECK(output.find("    4  store a  AT(tx,") != std::string::npos);
  CHECK(output.find("    5  load a   0) = 1; load AT(1, tx)") != std::string::npos);
  CHECK(output.find("32-way") != std::string::npos);
  // A line that begins with an empty macro begins there.
  CHECK(answer_about("k.kernel",
                     "#define EMPTY\nEMPTY block 32\nEMPTY shared int a[32]\nload a[tx] "
                     "EMPTY\n",
                     asked)
            .code == cl::fine);
  const std::string error =
      answer_about("k.kernel", "#define F(x) (x + q)\nblock 32\nshared int a[32]\nload a[F(tx)]\n",
                   asked)
          .error;
  CHECK(error.find("k.kernel:4:8: error: the name q is not known") == 0);
}

TEST_CASE("macros that grow without end are refused") {
  std::string text = "#define A0(x) x x x x\n";
  for (int depth = 1; depth < 12; ++depth)
    text += cl::joined("#define A", depth, "(x) A", depth - 1, "(x) A", depth - 1, "(x) A",
                       depth - 1, "(x)\n");
  cc::question asked;
  const std::string error = answer_about("k.kernel", text + "A11(1)\n", asked).error;
  CHECK(error.find("a macro that becomes more than 4096 words") != std::string::npos);
  // Whatever somebody writes is read, or refused.
  std::mt19937 random(11);
  const std::vector<std::string> words = {
      "#define A(x) ", "#define B ", "\n",         "A", "B", "(", ")", ",", "x", "1", "[", "]",
      "A(x)",          "B B",        "#define A ", "{", "}"};
  for (int times = 0; times < 5000; ++times) {
    std::string some;
    for (std::size_t length = random() % 20; length > 0; --length)
      some += words[random() % words.size()] + " ";
    try {
      (void)replaced(some);
    } catch (const cl::refusal&) {
    }
  }
}
