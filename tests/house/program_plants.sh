# The wrong edits of planted_program_bugs.sh: the test, the file below examples/bankmodel, its right text and a wrong one.

parts=test_sanitized_command_line

# ---- data of global arrays ----
file=compiled/engine/global_data.cpp
plant $parts:global_data $file 'if (from == nullptr || from->is_changed) return' 'if (from == nullptr) return'
plant $parts:global_data $file 'if (at >= size || size - at < static_cast<std::uint64_t>(bytes)) return' 'if (at >= size) return'
plant $parts:global_data $file '(one.stored.time == now.time && one.stored.warp != now.warp)' 'false'
plant $parts:global_data $file 'value |= static_cast<std::uint64_t>(content) << (8 * byte);' 'value |= static_cast<std::uint64_t>(content) << byte;'
plant $parts:global_data $file 'is_again ? several : now.warp' 'now.warp'
plant $parts:global_data $file 'throw data_change{{to->number}};' 'continue;'
plant $parts:global_data $file 'if (is_by_another) stored.stored.warp = several;' ''
plant $parts:global_data $file 'if (is_at_once && !is_same) stored.is_known = false;' 'if (is_by_another && !is_same) stored.is_known = false;'
plant $parts:global_data $file '!(made.is_known && made.value == read->second.value))' 'true)'
plant $parts:global_data $file 'if (to.was_loaded) loaded.arrays.insert(to.number);' ''
plant $parts:global_data $file 'if (to == nullptr || to->is_constant) return;' 'if (to == nullptr) return;'
file=compiled/engine/stored_arrays.cpp
plant $parts:global_data $file 'case opcode::select: case opcode::shuffle: return true;' 'case opcode::shuffle: return true;'
plant $parts:global_data $file 'if (!distances_.empty()) {' 'if (false) {'
plant $parts:global_data $file 'if (result.empty() || (from != nullptr && from->may_be_any)) return' 'if (result.empty()) return'
plant $parts:global_data $file '!(at == 0 && second && !first) && !(at == 1 && first && !second)' 'true'

# ---- running a kernel ----
file=compiled/engine/executor_branches.cpp
plant $parts:compiled_run $file 'if (at == meets_in || at == block || result' 'if (at == block || result'
plant $parts:compiled_run $file 'if (meets_in == the_end) of.live &= ~waiting;' ''
plant $parts:compiled_run $file 'if (arms[arm] == 0 || to == meets_in) continue;' 'if (arms[arm] == 0) continue;'
plant $parts:loop_passes $file 'loop.first_stays ? stays : lanes & ~stays & ~both' 'stays'
plant $parts:loop_passes $file 'of.passes.below(number, most, lanes) & ~stays' '0'
plant $parts:loop_passes $file 'of.passes.leave(does.blocks, block, active);' ''
plant $parts:loop_passes $file '(first_stays ? taken : not_taken) | how.both' 'taken | how.both'
file=compiled/engine/loop_passes.cpp
plant $parts:loop_passes $file 'if (stays[0] == stays[1]) continue;' ''
plant $parts:loop_passes $file 'passes[static_cast<std::size_t>(lane)] < times' 'passes[static_cast<std::size_t>(lane)] <= times'
plant $parts:loop_passes $file 'passes_[at][static_cast<std::size_t>(lane)] = 0;' ''
file=compiled/engine/executor_memories.cpp
plant $parts:compiled_run $file 'if (size[lane] == 0) lanes' 'if (size[lane] == 1) lanes'
plant $parts:compiled_run $file 'memory.sign_extends ? sign_extended(found.value, 8 * memory.bytes) : found.value' 'found.value'
plant $parts:compiled_run $file 'if (size <= 8 && at <= arguments.size()' 'if (at <= arguments.size()'
file=compiled/engine/executor_barriers.cpp
plant $parts:compiled_run $file 'std::min(needed[at] == 0 ? unfinished : needed[at], unfinished)' 'unfinished'
plant $parts:compiled_run $file 'if (!one->waits) continue; waiting = one.get();' 'waiting = one.get();'
plant $parts:global_data $file '++time_;' ''
file=compiled/engine/executor_accesses.cpp
plant $parts:compiled_run $file 'active & low_bits(8 * memory.matrices)' 'active'
plant $parts:compiled_run $file 'else if ((at[of_lane] & window_mask) == local_window)' 'else if (false)'
plant $parts:compiled_run $file 'if (at % alignment != 0)' 'if (false)'
file=compiled/engine/prepared_kernel.cpp
plant $parts:compiled_run $file 'if (one.is_pointer) value = global_base(number);' ''
plant $parts:compiled_run $file 'values.unknown = ~std::uint64_t{0};' ''
plant $parts:compiled_run $file 'content.value = shared_window + shared_.first.at(to.value);' 'content.value = shared_window;'
file=compiled/engine/recorder.cpp
plant $parts:ptx_reader $file 'else if (made.array != array) made.array = -1;' ''
plant $parts:global_data $file '++made.classes[to.last].times[static_cast<long long>(base)];' '++made.classes[0].times[static_cast<long long>(base)];'
file=compiled/engine/known_alignment.cpp
plant $parts:known_alignment $file 'a.bits + b.bits}),' 'a.bits + b.bits + 1}),'
plant $parts:known_alignment $file 'zeros_of(a.value ^ b.value)' 'a.bits'
plant $parts:known_alignment $file 'cut(given.bits - count,' 'cut(given.bits,'
plant $parts:known_alignment $file 'if (writers[at] > 1) next' 'if (writers[at] > 2) next'

# ---- PTX ----
file=compiled/ptx/ptx_arithmetic.cpp
plant $parts:ptx_reader $file 'if (has_any_part(one, {"sat", "relu"})) return false;' ''
file=compiled/ptx/ptx_conversions.cpp
plant $parts:ptx_reader $file '{register_operand(is_negative), no, yes}' '{register_operand(is_negative), yes, no}'

# ---- compiled files ----
file=compiled/issued/line_table.cpp
plant $parts:issued $file '(255 - all_.first_special) / all_.line_range * all_.step' 'all_.step'
plant $parts:issued $file 'adjusted % all_.line_range' 'adjusted / all_.line_range'
plant $parts:issued $file 'if (section_ != code_) return;' ''

# ---- the notation ----
file=counted_loop.cpp
plant $parts:kernel_file $file 'if (each.is_sum()) return value == before + by;' 'if (each.is_sum()) return true;'
plant $parts:kernel_file $file 'const bool is_negative = !type.is_unsigned && (low >> (type.bits - 1)) != 0;' 'const bool is_negative = false;'
plant $parts:kernel_file $file 'if (type == size_type && next < 0) return false;' ''
file=loop_bounds.cpp
plant $parts:kernel_file $file 'until.symbol == ">=" ? plus(until.last, -1)' 'until.symbol == ">=" ? until.last'
plant $parts:kernel_file $file 'if (until.symbol != "!=" && up != (until.symbol[0] == '"'<'"'))' 'if (false)'
file=expression_reader.cpp
plant $parts:kernel_file $file 'if (binding < least || binding == 0) return left;' 'if (binding <= least || binding == 0) return left;'
plant $parts:kernel_file_in_cpp $file 'return selected(test, symbol.where, left, right);' 'return selected(test, symbol.where, right, left);'
file=utf8.cpp
plant $parts:formatted_text $file 'code < least || (code >= 0xd800 && code < 0xe000)' '(code >= 0xd800 && code < 0xe000)'
plant $parts:formatted_text $file 'one.is_valid && !is_control ?' 'one.is_valid ?'

# ---- index files ----
file=reorganize/index_file.cpp
plant test_index_files $file 'if (left / bytes / shape[0] != shape[1] ||' 'if ('
plant test_index_files $file 'version < 1 || version > 3 || begin > text.size() ||' 'version < 1 || version > 3 ||'
plant test_index_files $file "value_of(header, \"'fortran_order'\") != \"False\" ||" ''
plant test_index_files $file 'if (file_->size() % 4 != 0)' 'if (false)'
