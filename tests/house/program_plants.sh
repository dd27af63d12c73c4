# The wrong edits of planted_program_bugs.sh: the test, the file below examples/bankmodel, its right text and a wrong one.

parts=test_sanitized_command_line

# ---- data of global arrays ----
file=compiled/engine/global_data.cpp
plant $parts:global_data $file '(one.stored.time == now.time && one.stored.warp != now.warp)' 'false'
plant $parts:global_data $file 'value |= static_cast<std::uint64_t>(content) << (8 * byte);' 'value |= static_cast<std::uint64_t>(content) << byte;'
plant $parts:global_data $file 'throw data_change{{to->number}};' 'continue;'
file=compiled/engine/stored_arrays.cpp
plant $parts:global_data $file 'if (!distances_.empty()) {' 'if (false) {'
plant $parts:global_data $file 'case opcode::select: case opcode::shuffle: return true;' 'case opcode::shuffle: return true;'
plant $parts:global_data $file 'if (result.empty() || (from != nullptr && from->may_be_any)) return' 'if (result.empty()) return'
plant $parts:global_data $file '!(at == 0 && second && !first) && !(at == 1 && first && !second)' 'true'

# ---- running a kernel ----
file=compiled/engine/executor_branches.cpp
plant $parts:loop_passes $file 'loop.first_stays ? stays : lanes & ~stays & ~both' 'stays'
plant $parts:loop_passes $file 'of.passes.below(number, most, lanes) & ~stays' '0'
plant $parts:loop_passes $file 'of.passes.leave(does.blocks, block, active);' ''
plant $parts:loop_passes $file '(first_stays ? taken : not_taken) | how.both' 'taken | how.both'
file=compiled/engine/loop_passes.cpp
plant $parts:loop_passes $file 'if (stays[0] == stays[1]) continue;' ''
plant $parts:loop_passes $file 'passes[static_cast<std::size_t>(lane)] < times' 'passes[static_cast<std::size_t>(lane)] <= times'
plant $parts:loop_passes $file 'passes_[at][static_cast<std::size_t>(lane)] = 0;' ''
file=compiled/engine/executor_barriers.cpp
plant $parts:executor $file 'arrived_[at] = 0;' ''
plant $parts:executor $file 'threads[at] < std::min(needed[at] == 0 ? unfinished : needed[at], unfinished)' 'threads[at] < (needed[at] == 0 ? unfinished : needed[at])'
plant $parts:executor $file 'arrived_[number] += static_cast<std::uint64_t>(kernel_.lanes);' ''
plant $parts:executor $file 'if (has(value.unknown, lane))' 'if (false)'
file=compiled/engine/executor_memories.cpp
plant $parts:executor $file 'is_fixed ? static_cast<std::uint64_t>(bytes_as_written(memory)) : all' 'all'
plant $parts:executor $file 'load(address[lane] + element * size, memory.bytes)' 'load(address[lane], memory.bytes)'
plant $parts:executor $file 'const std::uint64_t to = address[lane] + element * size;' 'const std::uint64_t to = address[lane];'
plant $parts:executor $file 'too_wide != no_origin || has(given.unknown, lane) || is_possible_' 'too_wide != no_origin || is_possible_'
plant $parts:executor $file 'memory.sign_extends ? sign_extended(found.value, 8 * memory.bytes) : found.value' 'found.value'
plant $parts:ptx_reader $file 'if (size[lane] == 0) lanes' 'if (size[lane] == 1) lanes'
file=compiled/engine/known_alignment.cpp
plant $parts:known_alignment $file 'a.bits + b.bits}),' 'a.bits + b.bits + 1}),'
plant $parts:known_alignment $file 'zeros_of(a.value ^ b.value)' 'a.bits'
plant $parts:known_alignment $file 'cut(given.bits - count,' 'cut(given.bits,'
plant $parts:known_alignment $file 'if (writers[at] > 1) next' 'if (writers[at] > 2) next'

# ---- calls and instructions that are not modelled, accesses outside all arrays ----
file=compiled/engine/executor_unmodelled.cpp
plant $parts:unmodelled $file 'shared_.forget(0, shared_.size(), changed);' ''
plant $parts:unmodelled $file 'shared_times_.note(0, shared_.size(), time_, of.number);' ''
plant $parts:unmodelled $file 'recorder_.begin_stretch();' ''
plant $parts:unmodelled $file 'data_.store_anywhere();' ''
plant $parts:unmodelled $file 'does.may_access_shared && kernel_.local_bytes > 0' 'false'
plant $parts:unmodelled $file 'leaves_out_shared_ = true;' ''
file=compiled/engine/executor_shared.cpp
plant $parts:unmodelled $file 'if (address[lane] >= shared_.size()) return;' 'if (address[lane] + bytes > 0) return;'
plant $parts:unmodelled $file 'has_dynamic && how_.dynamic_shared_bytes == 0' 'false'
plant $parts:unmodelled $file 'found < 0 && outside < 0' 'found < 0 && outside < 0 && at > 4096'
plant $parts:global_data $file 'at > low_bits(31) && at <= low_bits(32)' 'false'
file=compiled/engine/prepared_kernel.cpp
plant $parts:unmodelled $file 'shared_.total > 0 || (one.does == opcode::unknown && one.from.empty())' 'shared_.total > 0'
file=compiled/code/control_flow.cpp
plant $parts:unmodelled $file 'one.does != opcode::unknown && may_access_shared(one, may_be_shared)' 'may_access_shared(one, may_be_shared)'
plant $parts:unmodelled $file 'if (!is_stored) is_stored = changed = true;' ''
plant $parts:unmodelled $file 'one.does == opcode::unknown && one.may_access_shared' 'false'
file=compiled/ptx/fused_products.cpp
plant $parts:ptx_reader $file 'side == 1 ? first : other' 'side == 0 ? first : other'
plant $parts:ptx_reader $file 'one.floating == floating_operation::negative' 'false'
plant $parts:ptx_reader $file 'if (!of.are_known) return either;' ''

# ---- compiled files ----
file=compiled/issued/line_table.cpp
plant $parts:issued $file 'adjusted % all_.line_range' 'adjusted / all_.line_range'

# ---- the notation ----
file=expression_reader.cpp
plant $parts:kernel_file $file 'if (binding < least || binding == 0) return left;' 'if (binding <= least || binding == 0) return left;'
file=utf8.cpp
plant $parts:formatted_text $file 'code < least || (code >= 0xd800 && code < 0xe000)' '(code >= 0xd800 && code < 0xe000)'
plant $parts:formatted_text $file 'one.is_valid && !is_control ?' 'one.is_valid ?'

# ---- index files ----
file=reorganize/index_file.cpp
plant test_index_files $file 'if (left / bytes / shape[0] != shape[1] ||' 'if ('
plant test_index_files $file "value_of(header, \"'fortran_order'\") != \"False\" ||" ''
plant test_index_files $file 'if (file_->size() % 4 != 0)' 'if (false)'
