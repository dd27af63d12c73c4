# Names are nouns for things and verbs for actions: at most 1 % of the identifiers in the code are function words (`at`, `one`, `of`).
#   awk -f names.awk FILE..        FILE: C++; prints the share, the ten words that occur most, and where; exit code 1 above 1 %
# Comments, strings and preprocessor lines are left out, and C++'s own words.
BEGIN {
  limit = 1.0  # percent
  split("at of one to all which by each from how most as before found here apart least in made where together both more now after " \
        "behind given along others what any above there further below up on taken with only less still down within beyond between " \
        "many every does its without few over it those these then else why out around into onto near than so such no when while " \
        "until since per via again once ever anew wherever whatever", listed, " ")
  for (number in listed) is_function_word[listed[number]] = 1
  split("alignas alignof and asm auto bool break case catch char class concept const consteval constexpr constinit const_cast continue " \
        "co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false final float for " \
        "friend goto if inline int long mutable namespace new noexcept not nullptr operator or override private protected public " \
        "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this " \
        "thread_local throw true try typedef typeid typename union unsigned using virtual void volatile while", listed, " ")
  for (number in listed) is_keyword[listed[number]] = 1
}
FNR == 1 { in_comment = 0; in_raw = 0; is_continued = 0 }
{
  line = $0
  if (is_continued || line ~ /^[ \t]*#/) {
    is_continued = line ~ /\\$/
    next
  }
  code = ""
  while (line != "") {
    if (in_comment) {
      end = index(line, "*/")
      if (end == 0) break
      line = substr(line, end + 2)
      in_comment = 0
    } else if (in_raw) {
      end = index(line, raw_end)
      if (end == 0) break
      line = substr(line, end + length(raw_end))
      in_raw = 0
    } else if (match(line, /\/\/|\/\*|R"[^ ()\\]*\(|"|'/)) {
      sign = substr(line, RSTART, RLENGTH)
      previous = substr(line, RSTART - 1, 1)
      code = code substr(line, 1, RSTART - 1) " "
      line = substr(line, RSTART + RLENGTH)
      if (sign == "//") break
      if (sign == "/*") {
        in_comment = 1
      } else if (sign ~ /^R"/) {
        raw_end = ")" substr(sign, 3, length(sign) - 3) "\""
        in_raw = 1
      } else if (sign == "'" && previous ~ /[0-9A-Fa-f]/) {
        # a digit separator
      } else {
        pattern = sign == "\"" ? "^([^\\\\\"]|\\\\.)*\"" : "^([^\\\\']|\\\\.)*'"
        if (match(line, pattern)) line = substr(line, RLENGTH + 1)
        else line = ""
      }
    } else {
      code = code line
      break
    }
  }
  while (match(code, /[A-Za-z_][A-Za-z_0-9]*/)) {
    name = substr(code, RSTART, RLENGTH)
    isolated = RSTART == 1 || substr(code, RSTART - 1, 1) !~ /[0-9]/
    code = substr(code, RSTART + RLENGTH)
    if (!isolated || name in is_keyword) continue
    ++identifiers
    sub(/^_+/, "", name)
    sub(/_+$/, "", name)
    if (!(name in is_function_word)) continue
    ++function_words
    ++count[name]
    ++count_in[name, FILENAME]
    if (count_in[name, FILENAME] > count_in[name, place[name]]) place[name] = FILENAME
  }
}
END {
  share = identifiers > 0 ? 100 * function_words / identifiers : 0
  printf "%d identifiers, %.2f %% of them function words (at most %.1f %%)\n", identifiers, share, limit
  for (shown = 0; shown < 10; ++shown) {
    worst = ""
    for (name in count)
      if (worst == "" || count[name] > count[worst]) worst = name
    if (worst == "") break
    printf "  %5d %s, %d of them in %s\n", count[worst], worst, count_in[worst, place[worst]], place[worst]
    delete count[worst]
  }
  if (identifiers == 0 || share > limit) exit 1
}
