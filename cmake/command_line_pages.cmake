# Writes the man page and the completions of the command line from what its --help prints:
#   cmake -DTOOL=bankmodel -DFOLDER=where to -P command_line_pages.cmake
cmake_minimum_required(VERSION 3.22)

# What --help does not say: the options whose values are files or folders. Each must be one of the options.
set(with_files --svg --plan-header --profile --cubin --html --out --baseline --write-baseline --config)
set(with_folders -I --cuda-path)

# The groups of options, and the text before and after them, for each of the two commands.
set(names "") # of all options

function(print_of output)
  execute_process(COMMAND ${TOOL} ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${TOOL} ${ARGN} does not run: ${printed}")
  endif()
  set(${output} "${printed}" PARENT_SCOPE)
endfunction()

# Text for troff: its special characters are escaped, and so is what begins a line of commands.
function(escape_troff text output)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# TEXT:{a,b} is `a|b`, UINT:NUMBER is NUMBER.
function(value_of type output)
  string(REGEX REPLACE " *(REQUIRED|\\.\\.\\.)" "" type "${type}")
  string(STRIP "${type}" type)
  if(type MATCHES "{(.*)}")
    string(REPLACE "," "|" type "${CMAKE_MATCH_1}")
  endif()
  string(REGEX REPLACE "^[A-Z]+:" "" type "${type}")
  string(REGEX REPLACE "^U?INT$" "NUMBER" type "${type}")
  set(${output} "${type}" PARENT_SCOPE)
endfunction()

# What the value of an option is completed with: `files`, `folders`, `nothing`, words, or "" if it takes no value.
function(completion_of option_names value output)
  set(result nothing)
  foreach(name IN LISTS option_names)
    if(name IN_LIST with_files)
      set(result files)
    elseif(name IN_LIST with_folders)
      set(result folders)
    elseif(name STREQUAL "--machine")
      set(result "${machines}")
    endif()
  endforeach()
  if("${value}" STREQUAL "")
    set(result "")
  elseif("${value}" MATCHES "[|]")
    string(REPLACE "|" " " result "${value}")
  endif()
  set(${output} "${result}" PARENT_SCOPE)
endfunction()

# Appends an option's line to `fish` and, if it takes a value, its case to `cases` of bash.
macro(append_completions option_names value description condition)
  set(in_fish "")
  foreach(name IN ITEMS ${option_names})
    string(REGEX REPLACE "^--" " -l " name "${name}")
    string(REGEX REPLACE "^-" " -s " name "${name}")
    string(APPEND in_fish "${name}")
  endforeach()
  completion_of("${option_names}" "${value}" completion)
  string(REPLACE ";" "|" pattern "${option_names}")
  if(completion STREQUAL "files")
    string(APPEND cases "    ${pattern}) return ;;\n")
    string(APPEND in_fish " -r -F")
  elseif(completion STREQUAL "folders")
    string(APPEND cases "    ${pattern}) COMPREPLY=($(compgen -d -- \"$current\")); return ;;\n")
    string(APPEND in_fish " -x -a \"(__fish_complete_directories)\"")
  elseif(completion STREQUAL "nothing")
    string(APPEND cases "    ${pattern}) compopt +o bashdefault +o default; return ;;\n")
    string(APPEND in_fish " -x")
  elseif(NOT completion STREQUAL "")
    string(APPEND cases "    ${pattern}) COMPREPLY=($(compgen -W \"${completion}\" -- \"$current\")); return ;;\n")
    string(APPEND in_fish " -x -a \"${completion}\"")
  endif()
  string(REPLACE "\\" "\\\\" in_quotes "${description}")
  string(REPLACE "'" "\\'" in_quotes "${in_quotes}")
  string(APPEND fish "complete -c bankmodel -n '${condition}'${in_fish} -d '${in_quotes}'\n")
endmacro()

# Appends one option, its value and its description to `man`, `fish`, `cases`, and its names to `words` and `names`.
macro(append_option text type description condition)
  value_of("${type}" value)
  escape_troff("${text}" written)
  escape_troff("${description}" described)
  string(REPLACE "," ", " written "${written}")
  string(APPEND man ".TP\n\\fB${written}\\fR \\fI${value}\\fR\n${described}\n")
  string(REPLACE "," ";" option_names "${text}")
  list(APPEND names ${option_names})
  string(REPLACE "," " " in_words "${text}")
  string(APPEND words " ${in_words}")
  append_completions("${option_names}" "${value}" "${description}" "${condition}")
endmacro()

# Appends the option that was read last.
macro(append_pending condition)
  if(NOT "${pending}" STREQUAL "")
    append_option("${pending}" "${pending_type}" "${pending_text}" "${condition}")
    set(pending "")
  endif()
endmacro()

# An option's line, whose description is in this line or indented in the next ones.
macro(read_option name type_and_text)
  string(REPLACE " " "" pending "${name}")
  set(tail "${type_and_text}")
  set(pending_type "${tail}")
  set(pending_text "")
  if("${tail}" MATCHES "^(( [^ ]+)*)  +(.+)$")
    set(pending_type "${CMAKE_MATCH_1}")
    set(pending_text "${CMAKE_MATCH_3}")
  elseif(NOT "${tail}" MATCHES "REQUIRED *$" AND "${tail}" MATCHES "^( [^ ]+) ([A-Z0-9].*)$")
    set(pending_type "${CMAKE_MATCH_1}")
    set(pending_text "${CMAKE_MATCH_2}")
  endif()
endmacro()

# Reads one --help: the lines before the first empty one are `summary`; groups and options are appended; text after the last group is `notation`.
macro(append_help text condition)
  set(rest "${text}")
  foreach(variable words cases notation summary pending)
    set(${variable} "")
  endforeach()
  set(in_summary TRUE)
  set(in_group FALSE)
  while(NOT "${rest}" STREQUAL "")
    string(FIND "${rest}" "\n" end)
    string(SUBSTRING "${rest}" 0 ${end} line)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${rest}" ${end} -1 rest)
    if(NOT "${pending}" STREQUAL "" AND "${line}" MATCHES "^                    +(.*)$") # more of it
      string(APPEND pending_text " ${CMAKE_MATCH_1}")
      string(STRIP "${pending_text}" pending_text)
      continue()
    endif()
    append_pending("${condition}")
    if("${line}" STREQUAL "" OR "${line}" MATCHES "^Usage")
      set(in_summary FALSE)
    endif()
    if(in_summary)
      string(APPEND summary "${line}\n")
    elseif("${line}" MATCHES "^(Usage|Positionals|POSITIONALS)")
    elseif("${line}" MATCHES "^(Options[^:]*|OPTIONS):$")
      set(in_group TRUE)
      string(APPEND man ".SS ${CMAKE_MATCH_1}\n")
    elseif(in_group AND "${line}" MATCHES "^ +(-[A-Za-z]|--[a-z-]+)(, *--[a-z-]+)?({[a-z]+})?(.*)$")
      set(option "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
      set(after_option "${CMAKE_MATCH_4}")
      read_option("${option}" "${after_option}")
    elseif(in_group AND ("${notation}" OR NOT "${line}" STREQUAL ""))
      string(APPEND notation "${line}\n")
    endif()
  endwhile()
  append_pending("${condition}")
  if("${words}" STREQUAL "")
    message(FATAL_ERROR "${TOOL} --help lists no options in a form that ${CMAKE_CURRENT_LIST_FILE} reads:\n${text}")
  endif()
endmacro()

print_of(version --version)
string(STRIP "${version}" version)
# The known machines are in the first column of all tables.
print_of(table --all-machines --csv --no-plan -e "block 32" -e "shared float a[32]" -e "load a[tx]")
string(REGEX MATCHALL "(^|\n)[a-z]+_?[0-9][a-z0-9_]*" machines "${table}")
string(REPLACE "\n" "" machines "${machines}")
list(REMOVE_DUPLICATES machines)
list(JOIN machines " " machines)
if(NOT machines MATCHES "sm_90")
  message(FATAL_ERROR "${TOOL} --all-machines does not list sm_90:\n${table}")
endif()

print_of(help --help)
print_of(reorganize_help reorganize --help)
set(fish "# Completions of ${version} for fish, made from its --help.\n")
string(APPEND fish "complete -c bankmodel -n '__fish_is_first_token' -a reorganize -d 'Put irregular references in order'\n")
set(man "")
append_help("${help}" "not __fish_seen_subcommand_from reorganize")
set(words_of_kernels "${words}")
set(cases_of_kernels "${cases}")
escape_troff("${notation}" notation_in_man)
escape_troff("${summary}" summary_in_man)
set(options_in_man "${man}")

set(man "")
append_help("${reorganize_help}" "__fish_seen_subcommand_from reorganize")
escape_troff("${summary}" reorganize_in_man)
string(REGEX MATCH "algorithm TEXT:{([a-z,]+)}" ignored "${reorganize_help}")
string(REPLACE "," " " algorithms "${CMAKE_MATCH_1}")
foreach(name IN LISTS with_files with_folders)
  if(NOT name IN_LIST names)
    message(FATAL_ERROR "${TOOL} has no option ${name}; mend the lists with_files and with_folders in ${CMAKE_CURRENT_LIST_FILE}")
  endif()
endforeach()
if(algorithms STREQUAL "")
  message(FATAL_ERROR "${TOOL} reorganize --help lists no algorithms")
endif()

file(WRITE ${FOLDER}/bankmodel.1 ".\\\" Made from bankmodel --help.
.TH BANKMODEL 1 \"\" \"${version}\" \"User Commands\"
.SH NAME
bankmodel \\- exact bank conflicts and memory transactions of GPU kernels
.SH SYNOPSIS
.B bankmodel
[\\fIoptions\\fR] [\\fIfile\\fR]
.br
.B bankmodel reorganize
[\\fIoptions\\fR] \\fIalgorithm\\fR \\fIfiles\\fR...
.SH DESCRIPTION
${summary_in_man}.P
The file is a kernel file, compiled code (.ptx) or CUDA or HIP source (.cu, .cuh, .hip, .cpp);
\\- or no file reads standard input.
.SH OPTIONS
${options_in_man}.SH KERNEL FILES
.nf
${notation_in_man}.fi
.SH REORGANIZE
${reorganize_in_man}The algorithms: ${algorithms}.
${man}.SH EXIT STATUS
0; 1 if \\-\\-max\\-conflicts is exceeded; 2 for an error in the input or an argument; 3 if
\\-\\-max\\-conflicts is kept by all that was read, and something was not read.
")

file(WRITE ${FOLDER}/bankmodel.fish "${fish}complete -c bankmodel -n '__fish_seen_subcommand_from reorganize' -a '${algorithms}'\n")
file(WRITE ${FOLDER}/_bankmodel "#compdef bankmodel\n# Completions of ${version} for zsh, which reads --help itself.\n_gnu_generic\n")
file(WRITE ${FOLDER}/bankmodel.bash "# Completions of ${version} for bash, made from its --help.
_bankmodel() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} words=\"${words_of_kernels}\"
  COMPREPLY=()
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ \${COMP_WORDS[1]} == reorganize && $COMP_CWORD -gt 1 ]]; then
    words=\"${words}\"
    [[ $COMP_CWORD -eq 2 && $current != -* ]] && words=\"${algorithms}\"
    case $previous in
${cases}    esac
  else
    case $previous in
${cases_of_kernels}    esac
  fi
  if [[ $current == -* || $words == \"${algorithms}\" ]]; then
    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))
  elif [[ $COMP_CWORD -eq 1 && -n $current && reorganize == \"$current\"* ]]; then
    COMPREPLY=(reorganize $(compgen -f -- \"$current\"))
  fi
}
complete -o bashdefault -o default -F _bankmodel bankmodel
")
