# Converts a header for Doxygen: the comments of the headers are plain `//`, and descriptions become `///` here.
#   a block directly above a declaration      describes it
#   a block above a namespace or an #include  describes the file
#   the end of a line, outside of functions   describes the code before it
# Inside a comment, lines that are indented by more than one blank are kept, and so is text between backticks or quotes; in other
# text, characters that Doxygen would read as commands are escaped.

function escaped(text,    result, at, sign, word) {
  result = ""
  for (at = 1; at <= length(text); ++at) {
    sign = substr(text, at, 1)
    word = substr(text, at)
    if (sign == "`" && !quoted) code = !code
    if (sign == "\"" && !code) quoted = !quoted
    if (code || quoted) {
      result = result sign
    } else if (match(word, /^__[a-z]+__/)) {  # no emphasis
      result = result "`" substr(word, 1, RLENGTH) "`"
      at += RLENGTH - 1
    } else if (word ~ /^::/) {  # no link
      result = result "\\::"
      ++at
    } else {
      result = result (index("\\@<>&#%$", sign) > 0 ? "\\" : "") sign
    }
  }
  return result
}

function flush_plain(    at) {
  for (at = 1; at <= held; ++at) print comment[at]
  held = 0
}

# The block as a description, its first sentence as the brief one; `opening` is its first command, or empty.
function flush_described(indent, opening,    at, text, inside, ended, brief, end) {
  code = quoted = 0
  if (opening != "") print indent "/// " opening
  inside = 0
  brief = 1
  for (at = 1; at <= held; ++at) {
    text = comment[at]
    sub(/^ *\/\/ ?/, "", text)
    if (text ~ /^ / && !inside) { print indent "///\n" indent "/// \\verbatim"; inside = 1; brief = 0 }
    ended = 0
    if (text !~ /^ / && text != "" && inside) { print indent "/// \\endverbatim"; inside = 0; ended = 1 }
    if (at > 1 && !inside && !ended && text ~ /^(Returns|Requires|Error|Example|Complexity|Source)[^.:]*:/) print indent "///"  # a paragraph
    if (at == 1 && brief) printf "%s", indent "/// \\brief "
    else if (at == 1 || text != "" || inside) printf "%s", indent "/// "
    else printf "%s", indent "///"
    if (brief && match(text, /[^. ]\.( [A-Z`]|$)/)) {
      end = RSTART + 1
      print escaped(substr(text, 1, end)) "\n" indent "///"
      text = substr(text, end + 2)
      if (text != "") print indent "/// " escaped(text)
      brief = 0
    } else {
      print (inside ? text : escaped(text))
    }
  }
  if (inside) print indent "/// \\endverbatim"
  held = 0
}

{
  match($0, /^ */)
  indent = substr($0, 1, RLENGTH)
}

# The body of a function, up to the brace below its first letter, contains no descriptions.
in_body {
  print
  if ($0 == body "}") in_body = 0
  next
}

/^ *\/\/ SPDX/ { next }
/^ *\/\/ ----/ && held == 0 { print; next }

/^ *\/\// {
  comment[++held] = $0
  next
}

{
  if (held > 0) {
    if ($0 ~ /^ *namespace/ || $0 ~ /^#include/) flush_described("", "\\file")
    else if ($0 ~ /^ *$/ || $0 ~ /^ *#/ || $0 ~ /^ *}/) flush_plain()
    else flush_described(indent, "")
  }
  line = $0
  # A comment after code: `int W;  // bytes`. Not one inside a string.
  at = index(line, "  // ")
  if (at > 0 && line !~ /^ *#/ && line !~ /[{] *\/\//) {
    before = substr(line, 1, at - 1)
    if (gsub(/"/, "\"", before) % 2 == 0 && before !~ /^ *}/) { code = quoted = 0; line = before "  ///< " escaped(substr(line, at + 5)) }
  }
  print line

  # A function's body is opened by the last line of its declaration and closed below the first letter of the first line.
  sub(/  \/\/.*/, "")
  gsub(/"[^"]*"/, "")
  if (parentheses == 0 && $0 !~ /^ *:/) first = indent
  parentheses += gsub(/\(/, "(") - gsub(/\)/, ")")
  if (parentheses == 0 && /\) *(const *)?[{]$/ && !/(namespace|struct|class|enum|union) /) { in_body = 1; body = first }
}

END { flush_plain() }
