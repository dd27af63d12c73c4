# Writes a test of every code example in the comments of the headers that it is given: a case each, with the comment's own lines.
#   awk -f examples.awk HEADER.. > examples.cpp
# The form of an example: lines that are indented by three blanks behind "//" and contain a statement. Its numbers are in
# static_assert(..), or in assert(..) for what is not constant. Several parts in one comment are one example: later parts see the
# names of earlier ones, and may declare them again. A part with "__global__", a structure, a template or a namespace is compiled
# at the scope of a namespace, any other one as the body of a function.
#
# Nothing is left out: it is an error, which the test prints, if "Example" is not followed by code (or by "see FILE" or "at the
# top"), if an example asserts nothing, if a number in a comment of an example is in none of its asserts, and if prose states the
# value of a call ("f(2) is 3").

function complain(line, text) {
  problems = problems "  FAIL_CHECK(\"" file ":" line ": " text "\");\n"
}

# ---- one example: code[1..lines] from line first on ----

function numbers_in(text, found,    rest, number) {
  rest = text
  while (match(rest, /[0-9][0-9,]*/)) {
    number = substr(rest, RSTART, RLENGTH)
    gsub(/,/, "", number)
    found[number] = 1
    rest = substr(rest, RSTART + RLENGTH)
  }
}
function write_example(    at, line, note, asserts, stated, checked, number, is_outer, body, includes) {
  while (lines > 0 && code[lines] == "") --lines
  asserts = ""
  body = ""
  is_outer = 0
  split("", stated)
  split("", checked)
  for (at = 1; at <= lines; ++at) {
    line = code[at]
    note = ""
    if (match(line, /(^|  )\/\/ /)) {
      note = substr(line, RSTART)
      line = substr(line, 1, RSTART - 1)
    }
    if (line ~ /^#include/) line = ""
    if (line ~ /^(__global__|struct |template|namespace [a-z_]+ [{])/) is_outer = 1
    asserts = asserts line " "
    numbers_in(note, stated)
    body = body line "\n"
  }
  numbers_in(asserts, checked)
  for (number in stated)
    if (!(number in checked) && !is_outer) complain(first, "the number " number " in a comment of the example is in no assert")
  if (asserts !~ /assert\(/ && !is_outer) complain(first, "an example without an assert")
  ++examples
  if (is_outer)
    outer = outer sprintf("namespace example_%d {\nusing namespace bankmodel;\nusing namespace bankmodel::detail;\n#line %d \"%s\"\n%s}\n", examples, first, file, body)
  else if (open++ > 0) {
    printf "{\n#line %d \"%s\"\n%s", first, file, body
  } else {
    printf "TEST_CASE(\"%s:%d\") {\n  using namespace bankmodel;\n  using namespace bankmodel::index;\n", file, first
    if (file ~ /\/reorganize/) printf "  using namespace bankmodel::reorganize;\n"
    printf "#line %d \"%s\"\n%s", first, file, body
  }
}
# The text that was gathered, without the tables before the code.
function end_of_code(    at, line, paragraph, begin) {
  begin = 0
  paragraph = 1
  for (at = 1; at <= lines && begin == 0; ++at) {
    line = code[at]
    if (line == "") paragraph = at + 1
    if (line ~ /^(#|[}])/ || line ~ /(;|[{])( *\/\/.*)?$/) begin = paragraph
  }
  if (begin > 0) {
    for (at = begin; at <= lines; ++at) code[at - begin + 1] = code[at]
    lines -= begin - 1
    first += begin - 1
    write_example()
    announced = 0
  }
  lines = 0
}

# ---- the prose around examples ----

function end_of_prose() {
  if (prose ~ /[a-z_>]\([^()]*[0-9][^()]*\)(\([^()]*\)|\[[^\]]*\]|\.[a-z_]+(\(\))?)*,? (==|is|are|gives|has|returns) [^a]/)
    complain(FNR, "prose states the value of a call; write an example of it")
  prose = ""
}
function end_of_comment() {
  end_of_code()
  end_of_prose()
  if (announced) complain(announced, "\\\"Example\\\" without code")
  announced = 0
  for (; open > 0; --open) print "}"
  printf "%s", outer
  outer = ""
}

BEGIN {
  print "// Written by tests/house/examples.awk."
  print "#include \"tests/house/examples.hpp\""
}
FNR == 1 {
  end_of_comment()
  file = FILENAME
  sub(/.*\/include\//, "include/", file)
}
/^ *\/\/   / && !/^ *\/\/ *$/ {
  line = $0
  sub(/^ *\/\/   /, "", line)
  if (lines == 0) first = FNR
  code[++lines] = line
  next
}
/^ *\/\/ *$/ {
  if (lines > 0) code[++lines] = ""
  end_of_prose()
  next
}
/^ *\/\// {
  end_of_code()
  line = $0
  sub(/^ *\/\/ */, "", line)
  if (line ~ /Example/) {
    ++words
    if (announced) complain(announced, "\\\"Example\\\" without code")
    announced = FNR
    if (line ~ /Example: (see|at the top)/) announced = 0
  }
  prose = prose " " line
  next
}
{
  end_of_comment()
}
END {
  end_of_comment()
  printf "TEST_CASE(\"each example of a comment is in this test\") {\n%s", problems
  printf "  CHECK(%d >= 150);\n  CHECK(%d >= 120);  // the word \"Example\"\n}\n", examples, words
}
