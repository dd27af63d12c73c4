# The wrong edits of planted_program_bugs.sh: the test, the file below examples/bankmodel, its right text and a wrong one.

parts=test_command_line_parts

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
plant $parts:loop_passes $file 'of.passes.leave(to, now.block, now.lanes);' ''
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
plant $parts:ptx_reader $file 'if (size[lane] == 0) result.lanes' 'if (size[lane] == 1) result.lanes'
plant $parts:ptx_reader $file 'if (loads.unknown != 0) return std::nullopt;' ''
file=compiled/engine/memory.cpp
plant $parts:executor $file 'origin_.fill(at, bytes, origin);' 'origin_.fill(at, 1, origin);'
file=compiled/engine/kernel_analysis.cpp
plant $parts:executor $file 'needed_[has_data ? 1 : 0]' 'needed_[0]'
plant $parts:executor $file 'region_between(kernel_, block, meets_in(block), may_be_shared_)' 'region_between(kernel_, block, the_end, may_be_shared_)'
file=compiled/engine/known_alignment.cpp
plant $parts:known_alignment $file 'a.bits + b.bits}),' 'a.bits + b.bits + 1}),'
plant $parts:known_alignment $file 'zeros_of(a.value ^ b.value)' 'a.bits'
plant $parts:known_alignment $file 'cut(given.bits - count,' 'cut(given.bits,'
plant $parts:known_alignment $file 'if (writers[at] > 1) next' 'if (writers[at] > 2) next'

file=compiled/ptx/ptx_arithmetic.cpp
plant $parts:ptx_reader $file '{register_operand(between), c});' '{register_operand(between), b});'
plant $parts:ptx_reader $file 'if (words == 4) {' 'if (words >= 4) {'

# ---- calls and instructions that are not modelled, accesses outside all arrays ----
file=compiled/engine/executor_unmodelled.cpp
plant $parts:unmodelled $file 'shared_.forget(0, shared_.size(), changed);' ''
plant $parts:unmodelled $file 'shared_times_.note(0, shared_.size(), time_, of.number);' ''
plant $parts:unmodelled $file 'recorder_.begin_stretch();' ''
plant $parts:unmodelled $file 'data_.store_anywhere();' ''
plant $parts:unmodelled $file 'does.may_access_shared && kernel_.local_bytes > 0' 'false'
plant $parts:unmodelled $file 'leaves_out_shared_ = true;' ''
file=compiled/engine/executor_units.cpp
plant $parts:units $file 'recorder_.begin_stretch();' ''
plant $parts:units $file 'if (does.may_access_shared) forget_shared(of, changed);' ''
plant $parts:units $file 'if (is_object) forget_shared(of, changed);' ''
plant $parts:units $file 'std::min(object_bytes, shared_.size() - byte)' '0'
plant $parts:units $file 'if (array < 0) return;' ''
plant $parts:units $file 'arrays_of_units_.insert(array);' ''
file=compiled/ptx/ptx_units.cpp
plant $parts:units $file 'shared < global' 'true'
plant $parts:units $file 'if (global == statement.parts.end()) return {memory_unit::copy_engine, true};' ''
plant $parts:units $file 'if (has_part(statement, "prefetch")) return {};' ''
plant $parts:units $file 'if (memory.offset != 0)' 'if (memory.offset < 0)'
plant $parts:units $file '{constant_operand(1)}' '{constant_operand(0)}'
plant $parts:units $file '{register_operand(below), constant_operand(0)}' '{mask, constant_operand(0)}'
file=compiled/engine/executor_shared.cpp
plant $parts:unmodelled $file 'if (address[lane] >= shared_.size()) return;' 'if (address[lane] + bytes > 0) return;'
plant $parts:unmodelled $file 'has_dynamic && how_.dynamic_shared_bytes == 0' 'false'
plant $parts:global_data $file 'address > low_bits(31) && address <= low_bits(32)' 'false'
file=compiled/engine/memory.cpp
plant $parts:unmodelled $file 'found < 0 && result.outside < 0' 'found < 0 && result.outside < 0 && at > 4096'
file=compiled/engine/prepared_kernel.cpp
plant $parts:unmodelled $file 'shared_.total > 0 || (one.does == opcode::unknown && one.from.empty())' 'shared_.total > 0'
file=compiled/code/control_flow.cpp
plant $parts:unmodelled $file 'one.does != opcode::unknown && may_access_shared(one, may_be_shared)' 'may_access_shared(one, may_be_shared)'
plant $parts:unmodelled $file 'if (!is_stored) is_stored = changed = true;' ''
file=compiled/ptx/fused_products.cpp
plant $parts:ptx_reader $file 'side == 1 ? first : other' 'side == 0 ? first : other'
plant $parts:ptx_reader $file 'one.floating == floating_operation::negative' 'false'
plant $parts:ptx_reader $file 'if (!of.are_known) return either;' ''

# ---- compiled files ----
file=compiled/machine_code/line_table.cpp
plant $parts:issued $file 'adjusted % all_.line_range' 'adjusted / all_.line_range'

# ---- the notation ----
file=notation/expression_reader.cpp
plant $parts:kernel_file $file 'if (binding < least || binding == 0) return left;' 'if (binding <= least || binding == 0) return left;'
file=utf8.cpp
plant $parts:formatted_text $file 'code < least || (code >= 0xd800 && code < 0xe000)' '(code >= 0xd800 && code < 0xe000)'
plant $parts:formatted_text $file 'one.is_valid && !is_control ?' 'one.is_valid ?'

# ---- index files ----
file=reorganize/index_file.cpp
plant test_index_files $file 'if (left / bytes / shape[0] != shape[1] ||' 'if ('
plant test_index_files $file "value_of(header, \"'fortran_order'\") != \"False\" ||" ''
plant test_index_files $file 'if (file_->size() % 4 != 0)' 'if (false)'

# ---- reading CUDA and HIP with Clang's libraries ----
reader=test_clang_reader
file=clang_reader/unread_launches.cpp
plant $reader $file '*error > file_.begin(mark)) return false;' 'true) return false;'
plant $reader $file 'replace({name, index + 1}, "(void)0");' 'replace({name, index}, "(void)0");'
plant $reader $file 'return line.compare(caller, std::string::npos, " __host__ function") != 0;' 'return false;'
file=clang_reader/source_reader.cpp
plant $reader $file 'if (!launch.is_by_device || kernel.name != launch.kernel) continue;' 'continue;'
file=clang_reader/front_end.cpp
plant $reader $file 'if (before.is_by_device) again.unread_launches.push_back(before);' ''
plant $reader $file 'if (options.reads_once) return result;' ''
plant $reader:clang_dialect $file 'options.reads_once ? 0 : 5' '5'
file=clang_reader/later_members.cpp
plant $reader $file 'if (instances.empty()) return;' 'return;'
plant $reader $file '!llvm::isa<clang::NamespaceDecl>(declaration)' 'true'
file=clang_reader/cast_alignment.cpp
plant $reader $file 'cast->getCastKind() == clang::CK_LValueBitCast' 'false'
plant test_clang_fix $file 'hidden.cast->setSubExpr(hidden.operand);' ''
file=clang_reader/unset_values.cpp
plant $reader $file 'llvm::isa<llvm::ICmpInst>(given) ||' ''
plant $reader $file 'if (!computes_integer(given)) continue;' 'continue;'
file=clang_reader/lowering.cpp
plant $reader:clang_reader $file 'round < 2 || (has_new_calls' 'round < 1 || (has_new_calls'
plant $reader:clang_accesses $file 'from.getParamAlign(from.arg_size() - 1)' 'from.getParamAlign(0)'
file=clang_reader/accesses.cpp
plant $reader:clang_accesses $file '(from == memory_kind::constant && !is_initialized(load->getPointerOperand()))' 'from == memory_kind::constant'
file=clang_reader/arithmetic.cpp
plant $reader:clang_accesses $file 'case predicate::ICMP_UGE: return integers(opcode::less_equal_unsigned, right, left);' 'case predicate::ICMP_UGE: return integers(opcode::less_equal_unsigned, left, right);'
plant $reader:clang_accesses $file 'case predicate::FCMP_ULE: return negated(numbers(number::greater));' 'case predicate::FCMP_ULE: return numbers(number::less_equal);'
plant $reader:clang_accesses $file 'constant(part * static_cast<std::uint64_t>(from_bits))' 'constant((parts - 1 - part) * static_cast<std::uint64_t>(from_bits))'
plant $reader:clang_accesses $file '{is_it, first[i], found}' '{is_it, found, first[i]}'
plant $reader:clang_accesses $file 'side == 1 ? first[i] : other[i]' 'side == 0 ? first[i] : other[i]'
plant $reader:clang_accesses $file 'case llvm::Instruction::FPToUI: to.push_back(number(floating_operation::to_unsigned)); break;' 'case llvm::Instruction::FPToUI: to.push_back(number(floating_operation::to_signed)); break;'
file=clang_reader/warp_calls.cpp
plant $reader:clang_accesses $file 'if (each.kind != shuffle_kind::up)' 'if (true)'
plant $reader:clang_accesses $file '{control, constant(8)}' '{control, constant(16)}'
plant $reader:clang_accesses $file 'if (each.mask >= 0)' 'if (false)'
plant $reader:clang_accesses $file '{lane, constant(32)}' '{lane, constant(31)}'
file=clang_reader/calls.cpp
plant $reader:clang_launches $file 'for (const llvm::AllocaInst* const each : variables) forget_variable(*each);' ''
plant $reader:clang_launches $file '|| starts_with(name, "surf")' ''
plant $reader:clang_launches $file 'one.may_access_global = one.may_access_global || memory == memory_kind::global;' ''
plant $reader:clang_reader $file "if (text[end] == ' ' && depth == 0) first" "if (text[end] == ' ') first"
file=clang_reader/known_calls.cpp
plant $reader:clang_accesses $file '{less, others}' '{less, in}'
plant $reader:clang_accesses $file 'constant(0x0123)' 'constant(0x3210)'
plant $reader:clang_accesses $file 'left ? opcode::funnel_left : opcode::funnel_right' 'left ? opcode::funnel_right : opcode::funnel_left'
file=compiled/engine/executor_groups.cpp
plant $reader:clang_rejoin $file 'awaited |= group.waits_for & lanes.live;' ''
file=compiled/engine/needed_registers.cpp
plant test_needed_registers:needed_registers $file '(may_be_local(one.memory) && needed_.local)' 'false'
plant test_needed_registers:needed_registers $file 'if (may_be_local(one.memory)) set(needed_.local);' ''
plant test_needed_registers:needed_registers $file 'return !needed.local;' 'return false;'
file=clang_reader/assumed_instances.cpp
plant $reader:clang_launches $file 'std::to_string(assumed_integer)' 'std::to_string(16)'
plant $reader:clang_launches $file '!has_default(parameters.getParam(number)) &&' ''
file=clang_reader/excluded_functions.cpp
plant $reader:clang_launches $file 'if (text.empty()) text = text_of(base.getType());' ''
plant $reader:clang_launches $file '!field->getType()->isPointerType() &&' ''
file=clang_reader/launches.cpp
plant $reader:clang_launches $file 'number + (is_operator ? 1 : 0)' 'number'
plant $reader:clang_launches $file 'if (way.front().function->isMain()) return way;' ''
plant $reader:clang_launches $file 'std::find(result.begin(), result.end(), 0u) != result.end()' 'false'
plant $reader:clang_launches $file 'std::bit_cast<std::uint32_t>(static_cast<float>(value.real))' 'static_cast<std::uint32_t>(value.real)'
plant $reader:clang_launches $file 'kernel->getNumParams() == call->getNumArgs() || called == kernel' 'true'
file=clang_reader/host_run.cpp
plant $reader:clang_host_code $file 'was_in_loop = was_in_loop || std::any_of(on_the_way_.begin(), on_the_way_.end(), is_loop);' ''
plant $reader:clang_host_code $file 'is_true ? clang::BO_LAnd : clang::BO_LOr' 'is_true ? clang::BO_LOr : clang::BO_LAnd'
plant $reader:clang_host_code $file 'capture.getCaptureKind() == clang::LCK_ByRef' 'capture.getCaptureKind() != clang::LCK_ByRef'
plant $reader:clang_host_code $file 'forget_written(in->getBody());' ''
plant $reader:clang_launches $file 'static_cast<long long>(arguments_.size()) + 1)' 'static_cast<long long>(arguments_.size()))'
file=clang_reader/host_values.cpp
plant $reader:clang_host_code $file 'static_cast<unsigned long long>(right) < bits' 'static_cast<unsigned long long>(right) <= bits'
plant $reader:clang_launches $file 'is_based && arguments.size() > 2' 'is_based && arguments.size() > 3'
file=clang_reader/host_effects.cpp
plant $reader:clang_host_code $file 'may_be_written_through(type) && (is_named || !prints)' 'may_be_written_through(type)'
plant $reader:clang_host_code $file 'to.breaks || !(in_loop || in_switch)' 'to.breaks || !in_loop'
plant $reader:clang_host_code $file 'method != nullptr && method->isVirtual()' 'false'
plant $reader:clang_host_code $file 'if (is_of_user && record->isLambda()) found_.writes_anywhere = true;' ''
plant $reader:clang_host_code $file 'if (found_.written.count(each) != 0) found_.addressed.insert(each);' ''
file=clang_reader/host_memory.cpp
plant $reader:clang_host_code $file 'else if (!each->getName().empty())' 'else'
plant $reader:clang_launches $file 'pointer.place.path.size() != 2' 'pointer.place.path.size() != 1'
file=clang_reader/host_expressions.cpp
plant $reader:clang_host_code $file 'if (!left.is_known()) forget_written(of->getRHS());' ''
plant $reader:clang_launches $file 'of->isPrefix() ? after : before' 'of->isPrefix() ? before : after'
plant $reader:clang_host_code $file 'what == clang::BO_Sub ? -by.integer : by.integer' 'by.integer'
file=clang_reader/unrolling.cpp
plant $reader:clang_accesses $file 'if (option("llvm.loop.unroll.disable")) return;' ''
file=clang_reader/source_conditions.cpp
plant $reader:clang_loops $file 'clang::ContinueStmt, clang::BreakStmt>' 'clang::ContinueStmt>'
file=clang_reader/argument_fields.cpp
plant $reader:clang_accesses $file 'at + i * bytes' 'at + i'
plant $reader:clang_accesses $file 'if (field->isBitField()) continue;' ''
file=clang_reader/constant_bytes.cpp
plant $reader:clang_accesses $file 'bits.extractBitsAsZExtValue(8, 8 * i)' 'bits.extractBitsAsZExtValue(8, 8 * (bytes - 1 - i))'
file=clang_reader/translation.cpp
plant $reader:clang_accesses $file 'if (is_target && moves.size() > 1) source = computed(opcode::move, 64, {source});' ''
file=clang_reader/assembly.cpp
plant $reader:clang_accesses $file 'if (!goes_on_here) block_ = after;' ''
plant $reader:clang_accesses $file 'one.unit == memory_unit::warp &&' ''
file=clang_reader/prelude.cpp
plant $reader:clang_accesses $file 'enumerations_prelude() +' 'enumerations_prelude() + "\n#define __umul24(a, b) ((a) * (b))\n" +'
plant $reader:clang_accesses $file 'enumerations_prelude() +' 'enumerations_prelude() + "\n#define __ffs(v) (31 - __clz((v) & -(v)))\n" +'

file=clang_reader/optimizing.cpp
plant test_issued_from_source:issued_from_source $file '{used == 3u ? 0u : 2u, 2u}' '{0u, 2u}'
plant test_issued_from_source:issued_from_source $file 'if (!add_stores(each, stores)) continue;' 'add_stores(each, stores);'

# ---- changes of the source ----
file=clang_reader/array_uses.cpp
plant test_clang_fix:clang_fix $file 'name.rfind("atomic", 0) == 0 && !is_of_user' 'name.rfind("atomic", 0) == 0'
plant test_clang_fix:clang_fix $file 'record != nullptr && !is_given' 'record != nullptr'
plant test_clang_fix:clang_fix $file 'with_bases = llvm::dyn_cast<clang::CXXRecordDecl>(&record)' 'with_bases = llvm::dyn_cast_or_null<clang::CXXRecordDecl>((const clang::RecordDecl*)nullptr)'
plant test_clang_fix:clang_fix $file 'if (record != nullptr) casts.emplace(record, cast->getBeginLoc());' ''
file=clang_reader/shared_members.cpp
plant test_clang_fix:clang_fix $file 'if (unused == 0) return true;' 'return true;'
plant test_clang_fix:clang_fix $file '!field->isBitField() && ' ''
file=clang_reader/accesses.cpp
plant test_clang_fix:clang_fix $file 'code_.shared[number].members == 1' 'true'
file=clang_reader/declarations.cpp
plant test_clang_fix:clang_fix $file 'if (other != variable.getCanonicalDecl())' 'if (other == nullptr)'
file=compiled/plan/array_plans.cpp
plant test_clang_fix:clang_fix $file '*found < first + of.kernel->shared[number].members' '*found == first'
plant test_clang_fix:clang_fix $file 'return tried.required_size() < than[0].layout.required_size();' 'return tried.required_size() > than[0].layout.required_size();'
file=compiled/plan/carved_plans.cpp
plant test_clang_fix:clang_fix $file 'if (rows.first < first || one.first < rows.end) continue;' 'continue;'
file=compiled/plan/plan_edits.cpp
plant test_clang_fix:clang_fix $file '"xyzw"[given.size() - 1 - at]' '"xyzw"[at]'
file=compiled/verified_plans.cpp
plant test_clang_fix:clang_fix $file 'if (then > now)' 'if (now > then)'
plant test_clang_fix:clang_fix $file '!one.refusal.empty() && !is_a_declaration) continue;' '!one.refusal.empty()) continue;'
plant test_clang_fix:clang_fix $file 'if (const std::string other = other_use_of(arrays_[index]); !other.empty())' 'if (const std::string other = other_use_of(arrays_[index]); other.empty())'
plant test_clang_fix:clang_fix $file 'if (arrays_.size() > 1 && to.after.wavefronts > to.before.wavefronts)' 'if (false)'
plant test_clang_fix:clang_fix $file 'if (code.assumed_templates.count(kernel.name) != 0)' 'if (false)'
plant test_clang_fix:clang_fix $file 'if (launch.is_call || may_have_it(launch.kernel))' 'if (false)'
plant test_clang_fix:clang_fix $file 'return !source.is_of_one_kernel || name.empty() ||' 'return name.empty() ||'
plant test_clang_fix:clang_fix $file 'if (array.bytes == 0 && other.how.dynamic_shared_bytes != planned.how.dynamic_shared_bytes)' 'if (false)'
plant test_clang_fix:clang_fix $file 'if (has_several_launches(kernel))' 'if (false)'
plant test_clang_fix:clang_fix $file 'joined(other, ", and line ", line, " is not executed by this block")' 'std::string()'
plant test_clang_fix:clang_fix $file 'wavefronts += one.after.wavefronts;' 'wavefronts += 0;'
file=compiled/recounts.cpp
plant test_clang_fix:clang_fix $file '!have_common(some.kernels, others.kernels) &&' ''
plant test_clang_fix:clang_fix $file '!have_common(some.lines, others.edited_lines) &&' ''
plant test_clang_fix:clang_fix $file '!have_common(others.lines, some.edited_lines) &&' ''
plant test_clang_fix:clang_fix $file 'count_batch(changes, {middle, numbers.end()}, take);' ''
plant test_clang_fix:clang_fix $file 'if (dynamic_bytes > 0) result.dynamic_shared_bytes' 'if (false) result.dynamic_shared_bytes'
plant test_clang_fix:clang_fix $file 'some.is_local && others.is_local && some.file' 'some.file'
plant test_clang_fix:clang_fix $file 'if (error_count(result->errors) > error_count(before.errors))' 'if (false)'
plant test_clang_fix:clang_fix $file 'if (unread == unread_kernels::are_as_before) kernel' 'kernel'
plant test_clang_fix:clang_fix $file 'unread = std::min(unread, unread_kernels_after(change));' ''
plant test_clang_fix:clang_fix $file 'change.is_local ? unread_kernels::are_as_before' 'true ? unread_kernels::are_as_before'
file=known_machines.cpp
plant $parts:kernel_file $file '&& !is_memory_size(word)' ''
plant $parts:kernel_file $file '!is_family(word) &&' ''
file=compiled/page/lane_distances.cpp
plant $parts:compiled_page $file '(lanes.active >> number & 1) != 0' 'number < 32'
plant $parts:compiled_page $file 'after != 0 &&' ''
plant $parts:compiled_page $file 'segments_touched(lanes, request.bytes, segment, after) <= ideal' 'false'
plant $parts:compiled_page $file 'groups->step == request.bytes' 'groups->step > 0'
plant $parts:compiled_page $file 'if (lengths[group] != longest) return std::nullopt;' ''
plant $parts:compiled_page $file 'std::min(lengths[0], lengths[1]) < 2' 'false'
plant $parts:compiled_page $file '(lane.number - first.number) * step' '(&lane - &first) * step'
file=compiled/page/cycle_bounds.cpp
plant $parts:compiled_page $file 'traffic.ideal * sector);' 'traffic.ideal);'
plant $parts:compiled_page $file 'shared.wavefronts += least;' ''
plant $parts:compiled_page $file 'shared.ideal += least;' ''
plant $parts:compiled_page $file 'traffic.ideal += costs.bounded_traffic.least;' ''
plant $parts:compiled_page $file 'without_conflicts.wavefronts = shared.ideal;' ''
plant $parts:compiled_page $file 'now.cycles == then.ideal' 'now.of == then.of'
file=compiled/fixes.cpp
plant test_clang_fix:clang_fix $file 'if (overlaps(other, edit))' 'if (false)'
plant test_clang_fix:clang_fix $file 'if (std::any_of(to.begin(), to.end(), has_it)) continue;' ''
file=compiled/plan/plan_edits.cpp
plant test_clang_fix:clang_fix $file 'if (is_permuted && !other.is_access)' 'if (false)'
plant test_clang_fix:clang_fix $file 'if (array.source.skipped_line > 0)' 'if (false)'
plant test_clang_fix:clang_fix $file 'array.source.behind.line == 0' 'false'
plant test_clang_fix:clang_fix $file 'first <= plan.declared.rank' 'first < plan.declared.rank'
plant test_clang_fix:clang_fix $file 'plan.fix.push_back(longer(pitch, more));' ''
plant test_clang_fix:clang_fix $file 'array.element_bytes % row_bytes != 0' 'array.element_bytes % row_bytes == 1'
plant test_clang_fix:clang_fix $file '} else if (length > longest_use) {' '} else if (false) {'
plant test_clang_fix:clang_fix $file '(plan.is_flat || effect != source.uses.end() || length > longest_readable_use)) {' '(plan.is_flat || length > longest_readable_use)) {'
plant test_clang_fix:clang_fix $file 'plan.planned.required_size() <= plan.declared.required_size();' 'false;'
file=clang_reader/array_uses.cpp
plant test_clang_fix:clang_fix $file 'type->isReferenceType() && !type->getPointeeType()->isArrayType()' 'type->isReferenceType()'
plant test_clang_fix:clang_fix $file 'return is_identifier(text) && of.getBeginLoc().isMacroID() && !is_whole' 'return false'
plant test_clang_fix:clang_fix $file 'number != nullptr && number->getValue() == 0 &&' ''
plant test_clang_fix:clang_fix $file 'is_address && type->isIntegerType()' 'false'
file=clang_reader/source_text.cpp
plant test_clang_fix:clang_fix $file 'if (is_digits && value.getActiveBits() < 32)' 'if (where && value.getActiveBits() < 32)'
file=clang_reader/declarations.cpp
plant test_clang_fix:clang_fix $file 'kernel == nullptr || another == nullptr || kernel == another' 'kernel == another'
plant test_clang_fix:clang_fix $file 'add_uses_of_instances(uses.found);' ''
file=clang_reader/array_uses.cpp
plant test_clang_fix:clang_fix $file 'return pointed_to.isNull() || context.getAsArrayType(pointed_to) != nullptr;' 'return false;'
file=compiled/page/plan_text.cpp
plant test_clang_fix:clang_fix $file 'return takes_joins_apart && !refusal.empty();' 'return false;'
file=compiled/unified_diff.cpp
plant test_clang_fix:clang_fix $file 'change <= end + around' 'change < end'
file=compiled/page/plan_text.cpp
plant test_clang_fix:clang_fix $file '+ line.size() - original.size()' ''

# ---- --describe ----
file=compiled/description/form_ranges.cpp
plant $parts:compiled_description $file 'case operation::minimum: return {std::min(a.least, b.least)' 'case operation::minimum: return {std::max(a.least, b.least)'
file=compiled/description/conditions.cpp
plant $parts:compiled_description $file 'if (difference.least >= 0) return constant(true);' 'if (difference.least >= -1) return constant(true);'
file=compiled/description/index_writer.cpp
plant test_clang_describe:clang_describe $file '++bound.constant; of.does = operation::less_equal;' 'of.does = operation::less_equal;'
plant $parts:compiled_description $file '(block_.z == 1 || of_thread[2] == x * y * of_thread[0])' 'true'
file=compiled/description/subscripts.cpp
plant test_clang_describe:clang_describe $file 'value >= 0 ? value / by : -((-value + by - 1) / by)' 'value / by'
file=compiled/description/symbolic_trips.cpp
plant test_clang_describe:clang_describe $file '? *first && *second : *first || *second' '? *first || *second : *first && *second'

# ---- formulas ----
file=compiled/nest/access_counter.cpp
plant test_nest:nest $file 'sum.add((now - before) * times);' 'sum.add((now - counts{}) * times);'
plant test_nest:nest $file 'its = checked_sum(its, times);' 'its = times;'
plant test_nest:nest $file 'if (alone.constant() != 0) sum.add' 'sum.add'
plant test_nest:nest $file 'of_source && *of_source % copied_from == 0' 'of_source'
plant test_nest:nest $file 'return below <= 0 ? 0 : (below - 1) / by + 1;' 'return below <= 0 ? 0 : below / by + 1;'
file=compiled/plan/request_comparison.cpp
plant test_nest:nest $file '(result.base % global_period + global_period) % global_period' 'result.base'
plant test_nest:nest $file 'if (access.is_global && merges_)' 'if (access.is_global)'
file=compiled/nest/recorded_nest.cpp
plant test_nest:nest $file 'if (kind != bm::access_kind::load && !is_near_one) in.begin(kind);' ''
plant test_nest:nest $file 'if (kind != in.kind) in.begin(kind);' ''
plant test_nest:nest $file 'if (item.does == opcode::barrier) require_uniform(block, item);' ''
plant test_nest:nest $file 'if (!how_.requires_arguments) throw inexpressible{wrong};' 'throw inexpressible{wrong};'
plant test_nest:nest $file 'if (found.outside >= 0)' 'if (false)'
plant test_nest:nest $file 'arm == 0 ? taken : opposite(taken)' 'arm == 1 ? taken : opposite(taken)'
plant test_nest:nest $file 'item.memory.does == access_does::copy && is_global ? access.source' 'is_global ? access.source'
file=compiled/nest/separated_lanes.cpp
plant test_nest:nest $file 'result[one] || (behind[one] && around[one])' 'result[one]'
file=compiled/nest/formula.cpp
plant test_nest:nest $file 'value % by > 0 ? 1 : 0' 'value % by != 0 ? 1 : 0'

# ---- values, needed registers and bounds ----
file=compiled/engine/global_data.cpp
plant $parts:global_data $file 'is_by_another || stored.stored.instruction == now.instruction' 'is_by_another'
plant $parts:global_data $file 'from->was_loaded = true;' ''
plant $parts:global_data $file 'if (to.was_loaded) loaded.arrays.insert(to.number);' ''
file=compiled/engine/needed_registers.cpp
plant test_needed_registers:needed_registers $file '(at == 0 || !has_values || needs_values)' '(at == 0 || needs_values)'
file=compiled/engine/known_ranges.cpp
plant test_compiled_bounds:compiled_bounds $file 'std::max(one.high, other.high), one.array' 'one.high, one.array'
plant test_compiled_bounds:compiled_bounds $file 'std::max(std::abs(by.low), std::abs(by.high)) - 1' 'std::abs(by.low) - 1'
plant test_compiled_bounds:compiled_bounds $file 'case operand::kind::argument_bytes: return argument(given.value, bits);' ''
file=compiled/page/priced.cpp
plant test_compiled_bounds:compiled_bounds $file 'to.least += of.is_possible ? 0 : wavefronts;' 'to.least += wavefronts;'
plant test_compiled_bounds:compiled_bounds $file 'next += std::max<long long>(lanes.bytes, banks.N);' 'next += 4;'
plant $parts:ptx_reader $file 'to.most += copied.most - copied.least;' ''
plant $parts:ptx_reader $file 'one.cached = of.lanes.kind == bm::access_kind::copy;' ''

# ---- the page of compiled code ----
plant $parts:compiled_page $file 'excess(one) > excess(bm::traffic(m, worst))' 'one.transactions > bm::traffic(m, worst).transactions'
plant $parts:compiled_page $file 'if (one.array < 0 && one.is_partial) next.array = one.array;' ''
file=compiled/page/page_data.cpp
plant $parts:compiled_formats $file 'error.empty() ? "" : json_string(error)' 'error.empty() ? "" : error'
file=compiled/counted_kernel.cpp
plant $parts:compiled_formats $file '*next == *last + 1' '*next <= *last + 2'
file=compiled/page/as_sarif.cpp
plant $parts:compiled_formats $file '(!all.empty() || others.empty())' 'true'
plant $parts:compiled_formats uri.cpp 'digits[byte >> 4], digits[byte & 15]' 'digits[byte & 15], digits[byte >> 4]'
plant $parts:compiled_formats $file 'characters + 1' 'characters'
file=compiled/page/source_functions.cpp
plant $parts:formatted_text $file 'if (is("el") && !arms_.empty()) open_ = arms_.back();' ''
file=compiled/page/call_chains.cpp
plant test_issued_from_source:issued_from_source $file 'chain.front() == shown ?' 'chain.front() != shown ?'
plant test_issued_from_source:issued_from_source $file 'chains.size() > most_chains ? most_chains - 1' 'chains.size() > most_chains ? most_chains'
plant test_issued_from_source:issued_from_source $file 'number += left_out - 1;' 'number += left_out;'
file=compiled/page/diagnostics.cpp
plant $parts:compiled_formats $file '(said.insert(one.reason).second || one.most > 0)' 'said.insert(one.reason).second'
plant $parts:compiled_formats $file 'line.substr(0, column - 1)' 'line.substr(0, column)'

# ---- what is issued ----
file=compiled/issued/issued.cpp
plant $parts:issued $file '(loads && bytes == 16 && accessed == 12)' '(bytes == 16 && accessed == 12)'
file=compiled/issued/confirmed.cpp
plant $parts:issued $file '{4, 2, 1}' '{4}'
plant $parts:issued $file 'other.is_global ? one.is_global : one.is_shared' 'one.is_global || one.is_shared'

# ---- PTX ----
file=compiled/ptx/ptx_composed.cpp
plant $parts:ptx_reader $file '{before, register_operand(result)}' '{register_operand(result), before}'
plant $parts:ptx_reader $file 'is_left ? low : high' 'is_left ? high : low'
file=compiled/ptx/ptx_conversions.cpp
plant $parts:ptx_reader $file '{register_operand(is_negative), no, yes}' '{register_operand(is_negative), yes, no}'
plant $parts:ptx_reader $file '0x3f800000u : 0xffffffffu' '0x3f800000u : 1u'
plant $parts:ptx_reader $file 'if (has_part(one, "rmi")) rounded(floating_operation::floor);' 'if (has_part(one, "rmi")) rounded(floating_operation::truncate);'

# ---- options of all inputs ----
file=compiled/code/short_names.cpp
plant $parts:compiled_formats $file 'all.emplace_back(without_tags(name));' 'all.emplace_back(name);'
plant $parts:compiled_formats $file 'result = std::max(result, same + 1);' 'result = std::max(result, same);'
plant $parts:compiled_formats $file 'if (kernels[kernel].size() > 1) kernel = one.kernel;' ''
plant $parts:compiled_formats $file 'names_of[forms[index][chosen[index]]].size() < 2' 'true'
plant $parts:compiled_formats $file "text[at - 1] != ' ' &&" ''
file=compiled/plan/array_plans.cpp
plant $parts:compiled_page $file 'if (arrays.limit() > 0 && !arrays.fits()) {' 'if (false) {'
plant $parts:compiled_page $file '.effort = how_.effort});' '.effort = 0});'
plant $parts:compiled_page $file '|| !how_.layouts.contain(bm::layouts::padding)' ''

# ---- the explorer ----
file=../../examples/explorer/explored.cpp
plant $parts:explored $file 'layout.padding(layout.rank - 2)' 'layout.padding(0)'
plant $parts:explored $file 'if (chosen_ == heads_.end()) chosen_ = heads_.begin();' ''
plant $parts:explored $file 'if (kernels.has_number(name)) question' 'question'
plant $parts:explored $file 'if (has_cross || at < block.size())' 'if (at < block.size())'
plant $parts:explored $file 'result += is_ours ? in_words' 'result += true ? in_words'
plant $parts:explored $file 'text.replace(at, last + end.size() - at, "; its field gives another</dd>");' 'break;'
plant $parts:explored $file 'one.description.memory != bm::memory_space::shared || layout.rank < 2' 'layout.rank < 2'

# ---- text, tables and notes ----
file=json.cpp
plant $parts:formatted_text $file '0xd800 + ((one.code - 0x10000) >> 10)' '0xd800 + (one.code >> 10)'
file=compiled/page/joint_plan.cpp
plant $parts:kernel_file $file 'if (plan.changes_nothing) return within(result);' ''
plant $parts:kernel_file $file 'shape.is_terminal ? command_line::within(lines, shape.width) : lines' 'command_line::within(lines, 40)'
plant $parts:kernel_file $file 'if (!of.joint) return "null";' 'if (!of.joint) return "0";'
file=compiled/page/worst_request.cpp
plant $parts:kernel_file $file 'if (one.explained == nullptr) return {};' 'return {};'
plant $parts:compiled_formats $file 'bm::traffic(m, one.worst)' 'bm::traffic(of.machine, bm::request())'
file=compiled/page/cost_rows.cpp
plant $parts:kernel_file $file 'if (const auto& grid = of.costs.of_grid)' 'if (const auto& grid = of.costs.of_grid; grid && false)'
file=compiled/page/global_advice.cpp
plant $parts:kernel_file $file 'if (one.is == advice_kind::tile && one.wavefronts_after != 0)' 'if (one.is == advice_kind::tile)'
file=compiled/counted_kernel_file.cpp
plant $parts:kernel_file $file 'if (!read->reads_warp_size || m.lanes == how.lanes) return read;' 'return read;'
plant $parts:kernel_file $file 'one.of_grid = grid_cost{' 'if (false) one.of_grid = grid_cost{'
plant $parts:kernel_file $file 'if (asked_.plan) add_advice' 'if (false) add_advice'
plant $parts:kernel_file $file 'if (names.size() == 1) throw;' ''
plant $parts:kernel_file $file 'why.where.size != 0 || why.where.first == asked.text.size();' 'why.where.size != 0;'
plant $parts:kernel_in_cpp $file 'is_name ? is_it(name) : has_it(name)' 'has_it(name)'
plant $parts:kernel_in_cpp $file 'if (result.size() == before)' 'if (false)'
plant $parts:kernel_in_cpp $file 'is_unnamed || heads.size() == 1 ? std' 'false ? std'
plant $parts:kernel_in_cpp $file 'one.why = {{}, with_place(asked, why), why.right};' 'one.why = why;'
plant $parts:kernel_file $file 'if (is_unnamed && asked.measured) return {""};' ''
file=known_machines.cpp
plant $parts:kernel_file $file 'else if (!is_each_known)' 'else if (false)'
plant $parts:kernel_file $file 'm.other_bank_width == 0 || machine_of(name, {}).bank_width == m.bank_width' 'm.other_bank_width == 0'
file=compiled/compared_profile.cpp
plant $parts:kernel_file $file 'of.kernel->is_unnamed ? one.kernel.find(asked.measured->kernel)' 'of.kernel->is_unnamed ? one.kernel.find(of.kernel->name)'
plant $parts:kernel_file $file 'has_grid_of(of, blocks) ? one.of_grid->traffic' 'false ? one.of_grid->traffic'
file=notation/kernel_file.cpp
plant $parts:kernel_in_cpp $file 'head.body == 0 || is_other_kernel(at, head)' 'head.body == 0'
file=table.cpp
plant $parts:kernel_file $file 'cost.degree <= 1 ? "-"' 'cost.degree < 1 ? "-"'
plant $parts:kernel_file $file 'length(line) + 1 + length(word) > width' 'length(line) + length(word) > width'
file=notation/kernel_file_notes.cpp
plant $parts:kernel_file $file 'lines.empty() || lines.back() != line' 'true'
plant $parts:kernel_file $file 'all.size() - most' 'all.size()'

# ---- addresses from an unknown base on ----
bounds=test_compiled_bounds
file=compiled/engine/executor_bases.cpp
plant $bounds:compiled_bounds $file 'zeros + (is_same ? 1 : 0)' 'zeros + 1'
plant $bounds:compiled_bounds $file 'its.zeros + std::countr_zero(by)' 'its.zeros + std::countr_zero(by) + 1'
plant $bounds:compiled_bounds $file 'if (has_base[number] && (active & ~based) != 0) return {};' ''
plant $bounds:compiled_bounds $file 'if (!has_single || !is_uniform(factor, active)) return uniform_result();' 'if (!has_single) return uniform_result();'
plant $bounds:compiled_bounds $file 'is_wider ? sign_extended(from[0][lane], does.from_bits) : from[0][lane]' 'from[0][lane]'
file=compiled/page/priced.cpp
plant $bounds:compiled_bounds $file 'if (costs.size() == 1 && !each.is_possible) {' 'if (!costs.empty() && !each.is_possible) {'
plant $bounds:compiled_bounds $file 'has_thirds ? transactions(apart, m.global.sector_bytes - 4) : 0' '0'

# ---- which kernels are read ----
file=compiled/counted_kernel.cpp
plant test_build_flags:build_flags $file 'share_steps(all.size(), about);' ''
file=processors.cpp
plant $parts:all_processors $file 'if (error) std::rethrow_exception(error);' ''
plant $parts:all_processors $file 'next = parts;' ''
file=compiled/chosen_kernels.cpp
plant $parts:chosen_kernels $file 'is_number = is_digit && (is_number || !is_word);' 'is_number = is_digit;'
plant $parts:chosen_kernels $file '"uUlL"' '"u"'
plant $parts:chosen_kernels $file 'if (is_found) return;' ''
plant $parts:chosen_kernels $file 'if (std::none_of(all.begin(), all.end(), holds)) return;' ''
plant $parts:chosen_kernels $file 'kernel.is_launched || !is_of_a_library(kernel.file, asked.file)' '!is_of_a_library(kernel.file, asked.file)'
plant $parts:chosen_kernels $file 'if (number > most_instances)' 'if (number >= most_instances)'
plant $parts:chosen_kernels $file 'sum <= most_instructions || kernel == by_size.front()' 'sum <= most_instructions'
plant $parts:chosen_kernels $file 'sum -= kernel->instructions;' ''
plant $parts:chosen_kernels $file 'if (number > 1) further.insert(&kernel);' ''
plant $parts:chosen_kernels $file 'if (kernel.why != passed_over::unasked)' 'if (true)'

# ---- the options of a build ----
build=test_build_flags
file=compiled/build/compiler_flags.cpp
plant $build:build_flags $file 'remove_macro(name_of_macro(text), to.defines);' ''
plant $build:build_flags $file 'remove_macro(name_of_macro(text), to.undefines);' ''
plant $build:build_flags $file 'if (text != "NDEBUG") add_once' 'add_once'
plant $build:build_flags $file 'find_first_of("=(")' 'find_first_of("=")'
plant $build:build_flags $file 'std::pair(number_of(one), one) > std::pair(number_of(result), result)' 'one > result'
plant $build:build_flags $file 'if (directory.empty() || name.empty()) return name;' 'return name;'
plant $build:build_flags $file 'if (one.is_without || is_other)' 'if (one.is_without)'
plant $build:build_flags $file 'if (is_own && !is_standard) {' 'if (is_own) {'
plant $build:build_flags $file 'if (!has(name_of_macro(one))) added' 'added'
plant $build:build_flags $file 'if (to.standard.empty()) to.standard' 'to.standard'
plant $build:build_flags $file 'word.size() == kind.size()) continue;' 'false) continue;'
file=compiled/build_flags.cpp
plant $build:build_flags $file 'if (is_language_of_kernels(one)) near.push_back(&one);' 'near.push_back(&one);'
plant $build:build_flags $file 'is_of_language)' 'true)'
plant $build:build_flags $file 'if (found.how == relation::includes) result.unit = command.file;' ''
file=compiled/build/project_headers.cpp
plant $build:build_flags $file 'if (common == most) nearest.clear();' ''
plant $build:build_flags $file 'if (folder.filename() != left.filename()) return {};' ''
plant $build:build_flags $file 'if (above <= most_above && describes_build(folder)) result = folder;' ''
plant $build:build_flags $file 'entry.disable_recursion_pending();' ''
plant $build:build_flags $file 'if (path != whole &&' 'if (false &&'
file=compiled/build/paths.cpp
plant $build:build_flags $file 'if (has_its_name(left) != has_its_name(right)) return has_its_name(left);' ''
file=included_headers.cpp
plant $build:build_flags $file 'line.compare(word, 7, "include") != 0' 'false'
plant $build:build_flags $file 'condition_(header, path) || any(path, headers_of(path))' 'condition_(header, path)'
plant $build:build_flags $file 'index < folders_.size()' 'index < 0'
plant $build:build_flags $file 'if (header.is_quoted) result' 'result'
file=clang_reader/triton_launch.cpp
plant $build:build_flags $file 'if (target != nullptr && !lanes) lanes = target->getInteger("warp_size");' ''
plant $build:build_flags $file 'if (of_warp * *warps > most_threads) return std::nullopt;' ''
plant $build:build_flags $file 'if (*bytes < 0 || *bytes > most_bytes) return std::nullopt;' ''
file=clang_reader/compile_commands.cpp
plant $build:build_flags $file 'depth == most_nested_files' 'depth == 1'
plant $build:build_flags $file 'if (result.empty()) fault = "\"command\" has no words";' ''
plant $build:build_flags $file 'absolute_in(directory->str(), file->str())' 'file->str()'

# ---- PyTorch's headers ----
file=clang_reader/prelude_torch.cpp
plant $reader:clang_launches $file '" AT_DISPATCH_CASE(" + further + ", __VA_ARGS__)"' '""'
plant $reader:clang_launches $file '__has_include(<ATen/core/TensorBase.h>)' '0'
file=clang_reader/launches.cpp
plant $reader:clang_launches $file 'files.getFileLoc(step->calls' 'files.getExpansionLoc(step->calls'

# ---- kernels that are in the text alone ----
file=clang_reader/unread_kernels.cpp
plant $reader:clang_launches $file 'index = after_directive(file, index) - 1;' ''
plant $reader:clang_launches $file 'if (!is_found) result = index;' 'result = index;'
plant $reader:clang_launches $file 'file.begin(index) >= begin;' 'true;'
plant $reader:clang_launches $file 'if (kernel.body == 0) continue;' ''
plant $reader:clang_launches $file 'functions.found.count(file.begin(kernel.name)) == 0' 'true'
plant $reader:clang_launches $file 'if (place.second >= begin) return one.text;' ''
file=compiled/plan/array_plans.cpp
plant test_clang_fix:clang_fix $file 'if (elements <= 1) return true;' 'return true;'
file=compiled/plan/request_comparison.cpp
plant test_clang_fix:clang_fix $file 'return element > 0 && bytes % element == 0 ? element : bytes;' 'return bytes;'
file=compiled/plan/carved_plans.cpp
plant test_clang_fix:clang_fix $file 'plan_.has_subscripts_alone = has_subscripts_alone();' ''
plant test_clang_fix:clang_fix $file 'const size_form result = product(*number, rows.more);' 'const size_form result = {{{}, rows.all_more()}};'
file=compiled/launch_edits.cpp
plant test_clang_fix:clang_fix $file 'if (launch.bytes_written.empty()) return false;' 'if (launch.bytes_written.empty()) continue;'
plant test_clang_fix:clang_fix $file 'return is_known ? std::optional(result) : std::nullopt;' 'return result;'
file=compiled/plan/size_text.cpp
plant test_clang_fix:clang_fix $file 'magnitude == 1 && !names.empty()' 'magnitude == 1'
file=clang_reader/carved_arrays.cpp
plant test_clang_fix:clang_fix $file 'if (seen.count(use) == 0 && refusal.empty())' 'if (false)'
plant test_clang_fix:clang_fix $file 'if (changed_.count(variable) != 0 && !variable->getType().isConstQualified()) return false;' ''
plant test_clang_fix:clang_fix $file 'return cast->getCastKind() == clang::CK_LValueToRValue;' 'return true;'
plant test_clang_fix:clang_fix $file 'one.is_value = outer' 'one.is_value = true || outer'
file=clang_reader/array_uses.cpp
plant test_clang_fix:clang_fix $file 'return assembly.getAsmString()->getString().find('"'+'"') == llvm::StringRef::npos;' 'return true;'
plant test_clang_fix:clang_fix $file 'are_all = are_all && assembly != nullptr && accesses_one_piece(*assembly);' 'are_all = true;'

# ---- what nvcc takes and Clang refuses ----
file=clang_reader/excluded_functions.cpp
plant $reader:clang_dialect $file 'if (error->instances.empty() || is_within_any(function, error->instances)) text' 'text'
file=clang_reader/collected_errors.cpp
plant $reader:clang_dialect $file 'sema_->CurContext != nullptr && sema_->CurContext->isDependentContext()' 'sema_->CurContext != nullptr'
file=clang_reader/percent_signs.cpp
plant $reader:clang_dialect $file 'if (!is_escape(text.substr(index + 1)))' 'if (true)'
plant $reader:clang_dialect $file 'if (is_letter(behind[0])) behind.remove_prefix(1);' 'if (is_letter(behind[0])) return true;'
plant $reader:clang_dialect $file 'if (text.substr(index, 2) == "//")' 'if (false)'
file=clang_reader/missing_tokens.cpp
plant $reader:clang_dialect $file 'if (text.substr(0, 2) == "->" || text.substr(0, 2) == "::") return 2;' 'if (text.substr(0, 2) == "->") return 2;'
plant $reader:clang_dialect $file 'index = behind_blanks(text, behind_name(text, name));' 'index = behind_name(text, name);'
plant $reader:clang_dialect $file 'if (depth != 1) return {};' 'return {};'
plant $reader:clang_dialect $file 'files.getDecomposedSpellingLoc(given.getLocation())' 'files.getDecomposedExpansionLoc(given.getLocation())'
file=clang_reader/collecting_consumer.cpp
plant $reader:clang_dialect $file 'record->getDecl()->setCompleteDefinition(false);' 'record->getDecl()->getKind();'
plant $reader:clang_declarations $file 'result[axis++] = static_cast<int>(number);' 'result[0] = static_cast<int>(number);'
file=clang_reader/excluded_functions.cpp
plant $reader:clang_dialect $file 'finder.has_errors_within(*each)' 'false'
file=clang_reader/front_end.cpp
plant $reader:clang_dialect $file 'add({"-Wno-c++11-narrowing"});' ''
plant $reader:clang_dialect $file 'tokens.insert(result.missing_tokens.begin(), result.missing_tokens.end());' ''

# ---- names in PTX ----
file=compiled/source_names.cpp
plant $parts:formatted_text $file 'if (head.find("__global__") == head.npos) return {};' ''
plant $parts:formatted_text $file 'if (!result.empty() && names != result) return {};' ''
plant $parts:formatted_text $file 'depth += kind < 4 ? 1 : -1;' ''
plant $parts:formatted_text $file 'return has_type ? text.substr(first, last + 1 - first) : std::string();' 'return text.substr(first, last + 1 - first);'
plant $parts:formatted_text $file 'const bool begins_word = place == 0 || !is_of_a_name(code[place - 1]);' 'const bool begins_word = true;'

# ---- machine code alone ----
file=compiled/machine_code/cubin.cpp
plant $parts:machine_code $file 'if ((low >> 12 & 15) == never) return std::nullopt;' ''
plant $parts:machine_code $file 'model < 100 ? of_older_copies : of_copies' 'of_copies'
plant $parts:machine_code $file '(high >> 12 & 1) != 0 ? of_floats : of_halves' 'of_floats'
plant $parts:machine_code $file 'access->is_repeated = repeated.has(offset);' ''
file=compiled/machine_code/sass_text.cpp
plant $parts:machine_code $file ' || is_never) return;' ') return;'
plant $parts:machine_code $file 'code.accesses[number].is_repeated = repeated_.has(places_[number]);' ''
plant $parts:machine_code $file 'if (name == unknown) repeated_.add_unknown_jump();' '(void)unknown;'
file=compiled/machine_code/amd_assembly.cpp
plant $parts:machine_code $file 'if (kernels_.empty() || kernels_.count(function.linkage) != 0)' 'if (kernels_.empty())'
plant $parts:machine_code $file 'repeated_.add_jump(target);' ''

# ---- threadIdx, and classes without a definition ----
file=clang_reader/thread_indices.cpp
plant $reader:clang_dialect $file 'builder.CreateStructGEP(type, local, axis)' 'builder.CreateStructGEP(type, local, 0)'
plant $reader:clang_dialect $file 'if (depends(*operand)) made->setOperand' 'if (false) made->setOperand'
file=clang_reader/excluded_functions.cpp
plant $reader:clang_dialect $file 'if (has_type_without_layout(function)) return' 'if (false) return'
file=clang_reader/source_conditions.cpp
plant test_issued_from_source:issued_from_source $file 'else if (is_new && given.getElse() != nullptr)' 'else if (false)'
file=compiled/engine/branch_arms.cpp
plant test_issued_from_source:issued_from_source $file 'std::all_of(all.begin(), all.end(), is_else)' 'true'
plant $parts:executor $file 'result.first_line[arm] = own[arm][0].line' 'result.first_line[arm] = 0'
plant $reader:clang_dialect $file 'if (own_depth <= depth) return code;' 'return code;'
file=compiled/engine/executor_branches.cpp
plant $parts:executor $file 'return fails[0] ? 0 : lanes;' 'return taken;'
plant $parts:executor $file 'fails[0] ? taken : lanes & ~taken' 'fails[0] ? 0 : lanes'
file=compiled/engine/executor.cpp
plant $parts:executor $file 'undecided_lines_.count(where.line) == 0' 'true'
plant $parts:executor $file 'return assumed_.insert_or_assign(where.line, *made).first;' 'assumed_.insert_or_assign(where.line, *made);'
file=clang_reader/argument_fields.cpp
plant $reader:clang_dialect $file 'count > many && !is_last_' 'false'
plant $reader:clang_dialect $file 'bytes_of(first->getType()) != bytes_of(type)' 'false'
file=clang_reader/warp_calls.cpp
plant $reader:clang_accesses $file 'static_cast<int>(layout_.getTypeStoreSize(call.getType()).getFixedValue())' '8'
file=compiled/source_names.cpp
plant $parts:formatted_text $file ' && name.size() > result.size()' ''

# ---- names of captures and packs, attributes behind __device__, readings for launches ----
file=clang_reader/argument_fields.cpp
plant $reader:clang_dialect $file 'own.empty() ? name' 'true ? name'
plant $reader:clang_dialect $file 'captures_begin()[field.getFieldIndex()]' 'captures_begin()[0]'
file=clang_reader/collecting_consumer.cpp
plant $reader:clang_dialect $file 'total[each->getName()] > 1' 'false'
file=clang_reader/collected_errors.cpp
plant $reader:clang_dialect $file '== clang::diag::err_attributes_not_allowed' '== 0'
plant $reader:clang_dialect $file 'if (given.getID() == clang::diag::note_ovl_builtin_candidate) return;' ''
file=clang_reader/source_reader.cpp
plant $reader:clang_dialect $file 'result.added_tokens.merge(source.missing_tokens);' ''
plant $reader:clang_dialect $file ' || result.is_incomplete) return' ') return'
file=compiled/chosen_kernels.cpp
plant $parts:chosen_kernels $file 'matches_pattern(comparable_name(unqualified_name(name))) ||' ''
file=compiled/code/short_names.cpp
plant $parts:compiled_formats $file 'begin = place + unnamed.size();' 'break;'
plant $parts:compiled_formats $file 'if (depth > 0) continue;' ''
file=compiled/ptx/ptx_emitter.cpp
plant $parts:ptx_places $file 'made.where.shows_call = true;' ''
plant $parts:executor $file 'made.where.calls = number->second;' 'made.where.calls = -1;'
file=compiled/counted_kernel.cpp
plant $reader:clang_declarations $file 'if (++trials > most_trials) break;' ''
file=clang_reader/front_end.cpp
plant $reader:clang_dialect $file 'ours.emplace(name, text);' 'ours.emplace(name, "");'
file=clang_reader/calls.cpp
plant $reader:clang_dialect $file 'if (!starts_with(text, own)) return text + "()";' 'return text + "()";'
file=compiled/issued/issued_recording.cpp
plant test_issued_from_source:issued_from_source $file 'same->second = number_in(wanted.calls, calls);' 'same->second = where.calls;'
plant test_issued_from_source:issued_from_source $file 'for (place& call : calls) renumber_file(call);' ''
file=clang_reader/collected_errors.cpp
plant $reader:clang_dialect $file 'err_cuda_ovl_target && is_in_system' 'err_cuda_ovl_target && false'
plant $reader:clang_dialect $file 'err_cuda_ovl_target && is_in_system' 'err_cuda_ovl_target'
file=clang_reader/lowering.cpp
plant $reader:clang_dialect $file 'if (calls_itself(function))' 'if (false)'
file=clang_reader/warp_calls.cpp
plant $reader:clang_accesses $file 'return shuffle_from(given(0), lowest_bit(mask, static_cast<int>(lanes)));' 'return shuffle_from(given(0), constant(0));'
plant $reader:clang_accesses $file 'return shuffle_from(given(0), given(1));' 'return shuffle_from(given(0), constant(40));'
file=compiled/code/block_order.cpp
plant $reader:clang_rejoin $file 'if (!ends_here)' 'if (true)'
plant $reader:clang_rejoin $file 'if (loop < 0) add_ends_of_loops(next, ends);' ''
file=clang_reader/launches.cpp
plant $reader:clang_launches $file 'to.known_axes = known_dimensions_of(parts.block, run);' ''
file=compiled/engine/executor.cpp
plant $parts:executor $file 'std::max(std::popcount(now.lanes), launch::fewest_steps)' 'std::popcount(now.lanes)'
file=clang_reader/left_out_instances.cpp
plant $reader:clang_launches $file 'launched.count(kernel->getCanonicalDecl()) != 0' 'true'
plant $reader:clang_launches $file 'if (its == nullptr || with_code.insert(its).second)' 'if (its == nullptr)'
file=clang_reader/source_reader.cpp
plant $reader:clang_launches $file 'for (const llvm::Function* const code : others) refuse_changes(*code, kernel.name, source);' ''
plant $reader:clang_launches $file 'kernel.why = known->second;' ''
file=clang_reader/collecting_consumer.cpp
plant $reader:clang_launches $file 'linkage_names linkage = left_out_;' 'linkage_names linkage;'
file=clang_reader/unread_launches.cpp
plant $reader:clang_launches $file 'return !function.isTemplateInstantiation() || !is_device_code(function);' 'return !is_device_code(function);'
file=clang_reader/launches.cpp
plant $reader:clang_launches $file 'if (contains(left_out, *launch.kernel))' 'if (false)'
file=clang_reader/excluded_functions.cpp
plant $reader $file '(declaration->doesThisDeclarationHaveABody() || declaration->isInvalidDecl())' 'declaration->isInvalidDecl()'
file=clang_reader/launches.cpp
plant $reader:clang_launches $file '->getNameAsString() == "__bankmodel_clustered"' '->getNameAsString() == "none"'
plant $reader:clang_launches $file 'left.cluster == right.cluster &&' ''
file=clang_reader/collecting_consumer.cpp
plant $reader:clang_launches $file 'return !launch.cluster || launch.cluster != blocks;' 'return !launch.cluster;'
plant $reader:clang_launches $file 'result_.cluster ? result_.cluster : cluster_of_launches(kernel)' 'cluster_of_launches(kernel)'
file=compiled/chosen_kernels.cpp
plant $parts:chosen_kernels $file 'other.file == launch->file && other.reason == launch->reason' 'other.file == launch->file'
plant $parts:chosen_kernels $file 'other.kernel == launch->kernel && other.is_call' 'other.is_call'
file=clang_reader/host_expressions.cpp
plant $reader:clang_host_code $file '!called->isInStdNamespace() ||' ''
plant $reader:clang_host_code $file 'name == "forward" || name == "move"' 'name == "move"'
file=clang_reader/missing_tokens.cpp
plant $reader:clang_dialect $file "behind == text.size() || text[behind] != '('" 'behind == text.size()'
plant $reader:clang_dialect $file 'if (begin > 0 && text[begin - 1] == '"'>'"') begin = before_arguments(text, begin - 1);' ''
plant $reader:clang_dialect $file 'std::string_view("(,={")' 'std::string_view("(,{")'
file=clang_reader/launches.cpp
plant $reader:clang_launches $file 'found.sets_clusters = true;' ''

# ---- rows that subscripts name ----
file=compiled/plan/carved_plans.cpp
plant test_clang_fix:clang_fix $file 'has_one = has_one && size.is_of_same_term;' ''
plant test_clang_fix:clang_fix $file 'if (size.where.text == planned.spelled)' 'if (false)'
file=compiled/plan/word_padding.cpp
plant test_clang_fix:clang_fix $file '*words * elements_of_word(instance)' '*words'
plant test_clang_fix:clang_fix $file 'if (elements == 0 || more % elements != 0 || more / elements < 1)' 'if (elements == 0)'
file=compiled/plan/plan_edits.cpp
plant test_clang_fix:clang_fix $file 'joined(all, " + (", all, " - 1) / ", planned.interval, padding)' 'joined(all, " + ", all, " / ", 2 * planned.interval, padding)'
plant test_clang_fix:clang_fix $file 'text_edit declaration{array.source.extents.front().whole, ""};' 'text_edit declaration{array.source.extents.front().where, ""};'
file=compiled/verified_plans.cpp
plant test_clang_fix:clang_fix $file 'bytes == 0 || bytes >= needed' 'true'
plant test_clang_fix:clang_fix $file 'joined(rows, ", and line ", line, " is not executed by this block")' 'std::string()'
plant test_clang_fix:clang_fix $file 'if (one.option.rfind("--block", 0) == 0)' 'if (false)'
plant test_clang_fix:clang_fix $file 'has_launch_with(kernel, &found_launch::has_block_of_caller)' 'false'
plant test_clang_fix:clang_fix $file '!is_right_by_itself && is_known(*before, before->how, of.number)' 'false'
plant test_clang_fix:clang_fix $file '!is_known(*before, of_all, of.number)' 'false'
plant test_clang_fix:clang_fix $file '!is_known(before, of_all, of.number)' 'false'
plant test_clang_fix:clang_fix $file 'has_formula || !one.has_simple_rows()' 'has_formula || one.has_simple_rows()'
plant test_clang_fix:clang_fix $file '&found_launch::has_arguments_of_caller' '&found_launch::has_block_of_caller'
file=compiled/kernel_formulas.cpp
plant test_clang_fix:clang_fix $file '!has_most_lanes(nest, of, access, *recorded)' 'false'
file=clang_reader/carved_arrays.cpp
plant test_clang_fix:clang_fix $file 'if (!variable.getType()->isUnsignedIntegerType() && !is_not_negative(variable.getInit()))' 'if (false)'
plant test_clang_fix:clang_fix $file 'names_it(more->getLHS()) && is_not_negative(more->getRHS())' 'names_it(more->getLHS())'
plant test_clang_fix:clang_fix $file 'changed.found.count(&variable) == 0 ? std::optional(end) : std::nullopt' 'std::optional(end)'
plant test_clang_fix:clang_fix $file '(remainder->getType()->isUnsignedIntegerType() || is_not_negative(remainder->getLHS()))' 'true'
file=compiled/plan/carved_plans.cpp
plant test_clang_fix:clang_fix $file 'has_all = has_all && (has_one || !is_last);' ''
plant test_clang_fix:clang_fix $file '(use.column_end->empty() || *use.column_end == row->value)' 'true'
file=compiled/description/symbolic_values.cpp
plant test_clang_fix:clang_fix $file 'if (!how_.is_any_block)' 'if (true)'

# ---- advice about global memory ----
file=compiled/page/global_advice.cpp
plant test_clang_advice:clang_advice $file 'its.wavefronts > shared.wavefronts' 'false'
plant test_clang_advice:clang_advice $file '!has_exchanged_ || then.transactions >= now.transactions' '!has_exchanged_'
plant test_clang_advice:clang_advice $file 'saved_by_vectors_[lowest.array] += now - then;' ''
plant test_clang_advice:clang_advice $file 'if (!are_multiples(lowest, wide)) return;' ''
plant test_clang_advice:clang_advice $file 'if (all.transactions == all.ideal) return;' ''
plant test_clang_advice:clang_advice $file 'if (distance != next ||' 'if ('
plant test_clang_advice:clang_advice $file 'if (then >= least) continue;' 'if (then > least) continue;'
plant test_clang_advice:clang_advice $file 'if (access.array < 0 || !has_exact_requests(access)) return {};' 'if (access.array < 0 || !has_exact_requests(access)) continue;'
plant test_clang_advice:clang_advice $file 'if (bytes >= apart || member + bytes > apart) return;' 'if (member + bytes > apart) return;'
plant test_clang_advice:clang_advice $file 'apart == 0 || apart > longest_structure' 'apart == 0'
plant test_clang_advice:clang_advice $file 'apart == 0 || apart > longest_structure' 'apart > longest_structure'
plant test_clang_advice:clang_advice $file 'if (other->traffic.bytes_used != other->lanes * static_cast<std::uint64_t>(bytes)) return;' ''
plant test_clang_advice:clang_advice $file 'other->traffic.transactions + saved_by_exchange_ >= row.traffic.transactions' 'other->traffic.transactions >= row.traffic.transactions'
plant test_clang_advice:clang_advice $file 'now < least) {' 'now > least) {'
file=compiled/exchanged_threads.cpp
plant test_clang_advice:clang_advice $file 'case special::threads_x: return special::threads_y;' 'case special::threads_x: return which;'
plant test_clang_advice:clang_advice $file 'case special::threads_y: return special::threads_x;' 'case special::threads_y: return which;'
plant test_clang_advice:clang_advice $file 'if (is_of_warps(code)) return std::nullopt;' ''
plant test_clang_advice:clang_advice $file 'std::swap(there.block.x, there.block.y);' ''
file=compiled/neighbour_blocks.cpp
plant test_clang_blocks:clang_blocks $file 'depends(access.path.items, is_index);' 'false;'
plant test_clang_blocks:clang_blocks $file 'else if (forms.has(atom_form(atom), is_index) ||' 'else if ('
plant test_clang_blocks:clang_blocks $file '++(there.at.*axis.at);' ''
plant test_clang_blocks:clang_blocks $file 'if (reads_special(kernel_, {axis.number}))' 'if (true)'
plant test_clang_blocks:clang_blocks $file 'to.found.overlap_bytes > 0 ?' 'to.found.overlap_bytes < 0 ?'
plant test_clang_blocks:clang_blocks $file '(first + lanes.bytes - 1) / bytes' 'first / bytes - 1'
file=compiled/plan/array_plans.cpp
plant test_clang_fix:clang_fix $file 'if (cost.empty() || cost[0].wavefronts >= least) continue;' 'if (cost.empty()) continue;'
plant test_clang_fix:clang_fix $file 'changed.set_bytes(at, made.bytes);' ''
file=compiled/page/request_picture.cpp
plant test_clang_fix:clang_fix $file 'if (!plan.rows.empty()) return moved_byte(plan.rows, byte);' ''
plant test_clang_fix:clang_fix $file 'return plan.planned(place) * element_bytes + byte % element_bytes;' 'return byte;'
file=compiled/changed_files.cpp
plant test_clang_fix:clang_fix $file 'file != compiled_file && users_of(canonical(file)) != std::vector{canonical(compiled_file)}' 'false'
plant test_build_flags:build_flags $file 'return asked.unit.empty() ? asked.file : asked.unit;' 'return asked.file;'
file=compiled/replaced_file.cpp
plant test_clang_fix:clang_fix $file 'if (text == expected.at(name)) continue;' 'if (text != expected.at(name)) continue;'
plant test_clang_fix:clang_fix $file 'replace_file(name, texts.at(name), expected.at(name));' ''
file=clang_reader/declarations.cpp
plant test_clang_fix:clang_fix $file 'if (within != nullptr && is_outside(range)) continue;' ''
plant test_clang_fix:clang_fix $file 'files.isBeforeInTranslationUnit(code.getEnd(), range.getBegin())' 'true'
file=compiled/page/placed_arrays.cpp
plant test_clang_fix:clang_fix $file 'if (all.size() == 1 && all[0].element_bytes == array.element_bytes)' 'if (false)'
plant test_clang_fix:clang_fix $file 'touched->first - start >= one.first && touched->last - start < one.end' 'touched->first - start >= one.first && touched->first - start < one.end'
plant test_clang_fix:clang_fix $file 'if (result[at].first == result[at - 1].first) return {};' ''

# ---- reports, baselines and limits ----
file=project/difference.cpp
plant $parts:reports $file 'for (const Side* const one : before) known.emplace(key(*one), one);' 'for (const Side* const one : before) known.emplace_hint(known.begin(), key(*one), one);'
plant $parts:reports $file 'if (count[key(*one)] == 1) result' 'if (count[key(*one)] >= 1) result'
plant $parts:reports $file 'files_of(before) == 1 && files_of(after) == 1;' 'files_of(before) == 1;'
plant $parts:reports $file 'excessive_after(true) > excessive_before(true);' 'false;'
plant $parts:reports $file 'std::tie(one.is_global, one.array, one.does, one.bytes, one.source);' 'std::tie(one.is_global, one.array, one.does, one.bytes, one.array);'
plant $parts:reports $file 'else if (!takes_the_same(*same->second, one))' 'else if (same->second->taken != one.taken)'
file=project/difference_text.cpp
plant $parts:reports $file '(one.before && one.before->is_partial)) continue;' '!one.before) continue;'
plant $parts:reports $file 'if (!one.after) continue;' ''
plant $parts:reports $file 'known.name == one.name && known.machine == one.machine;' 'known.name == one.name;'
plant $parts:reports $file 'number < std::min(changed.size(), most_kernels)' 'number < changed.size()'
plant $parts:reports $file "if (letter == '|') result += '\\\\';" ''
file=project/report.cpp
plant $parts:reports $file 'if (result.taken < result.ideal)' 'if (false)'
plant $parts:reports $file "path[0] != '<'" 'true'
plant $parts:reports $file 'all.at("bankmodel_report") != version' 'false'
file=project/settings_file.cpp
plant $parts:reports $file 'number->get() < 0' 'false'
plant $parts:reports $file 'if (!is_known)' 'if (false)'
plant $parts:reports $file 'if (!result.most.has_any())' 'if (false)'
plant $parts:reports limits.cpp 'if (!result.conflicts) result.conflicts = by.conflicts;' 'if (by.conflicts) result.conflicts = by.conflicts;'
plant test_compiled_bounds:compiled_bounds compiled/page/reported.cpp 'known + one.most' 'known'
plant $parts:reports compiled/page/reported.cpp 'lines.line_of(*of.kernel, access.where)' '""'
file=project/difference.cpp
plant $parts:reports $file 'std::pair(one.symbol, one.arm)' 'std::pair(one.name, one.arm)'
plant $parts:reports $file 'files == renaming::possible && files_of(before) == 1' 'files_of(before) == 1'
plant $parts:reports $file 'const std::string own = compiled::unqualified_name(name);' 'const std::string own = name;'
plant $parts:reports $file 'return name.substr(0, name.size() - compiled::unqualified_name(name).size()) + bare_name(name);' 'return name.substr(0, name.find_first_of("<("));'
file=compiled/page/side_by_side.cpp
plant $parts:compiled_page $file 'command_line::cells(pages.size(), "-")});' 'command_line::cells(pages.size(), "0")});'
plant $parts:compiled_page $file '> shape.width) return {};' '> 999) return {};'
plant $parts:compiled_page $file 'if (row_of.emplace(key, rows.size()).second) {' 'if (row_of.emplace(key, 1).second) {'

# ---- pages in HTML ----
file=compiled/html/syntax_colours.cpp
plant $parts:html_listing $file 'in_comment_ ? at_ : at_ + 2' 'at_'
plant $parts:html_listing $file 'if (!in_comment_ && first' 'if (first'
plant $parts:html_listing $file "end += line_[end] == '\\\\' ? 2 : 1;" '++end;'
file=compiled/html/listing.cpp
plant $parts:compiled_formats $file 'if (most_excessive(one) == 0) return {};' ''
plant $parts:compiled_formats $file '", column ", column)' '", column ", 0)'
plant $parts:html_listing $file 'drawn_[number] = folded_after(*worst, plan);' ''
plant $parts:html_listing $file 'at_a_plan_[worst] = home_id(plan);' ''
plant $parts:html_listing $file 'if (is_home) result_.plans.insert(number);' ''
plant $parts:html_listing $file 'each.where.file == file && each.where.line == line' 'each.where.file == file'
plant $parts:html_listing $file 'is_explained = true;' ''
file=compiled/html/as_html.cpp
plant $parts:compiled_formats $file 'most > ideal ? "b class=' 'least > ideal ? "b class='
plant $parts:compiled_formats $file 'ideal += data.least;' ''
plant $parts:html_listing $file 'if (listing_.plans.count(number) == 0)' ''
plant $parts:compiled_formats $file 'pages.size() < 2 || ' ''
file=compiled/counted_kernel_file.cpp
plant $parts:html_listing $file '!is_alone || ' ''
plant $parts:html_listing $file 'joined(old[rank], " + ", then - now)' 'joined(old[rank], " + ", then)'
plant $parts:html_listing $file '.traffic = costs.traffic[number];' '.traffic = costs.traffic[0];'
plant $parts:html_listing $file 'result.before = result.before + plan.before(in_plan);' ''
file=compiled/html/drawn_requests.cpp
plant $parts:html_listing $file 'bytes > most_bytes_of_pictures && !drawn_.empty()' 'false'
plant $parts:html_listing $file 'most_excessive(*left.access) > most_excessive(*right.access)' 'most_excessive(*left.access) < most_excessive(*right.access)'
file=progress_line.cpp
plant $parts:formatted_text $file '!is_held_ && ' ''
file=html.cpp
plant $parts:formatted_text $file 'found == other.end() || found->second == rule.second' 'true'
plant $parts:formatted_text $file 'to = &result.dark;' ''

# ---- kernels in C++ that are read as notation ----
file=notation/kernel_heads.cpp
plant $parts:kernel_in_cpp $file 'stars == 1 && references == 0' 'references == 0'
plant $parts:kernel_in_cpp $file 'if (value + 2 == end) result' 'if (false) result'
plant $parts:kernel_in_cpp $file 'return at == end ? result : std::nullopt;' 'return result;'
plant $parts:kernel_in_cpp $file 'return declarations == 1 ? result : std::nullopt;' 'return result;'
plant $parts:kernel_in_cpp $file 'if (one.is("bool") || one.is("char") || one.is("short")) return false;' ''
plant $parts:kernel_in_cpp $file 'is_kernel && function.body != 0' 'is_kernel'
file=notation/expression_reader.cpp
plant $parts:kernel_in_cpp $file 'if (is_array(here().text) && !peek(1).is("[")) address_is_used(here());' ''
plant $parts:kernel_in_cpp $file '!(has_subscripts || tokens_[end + 1].is("["))' '!has_subscripts'
file=notation/declaration_reader.cpp
plant $parts:kernel_in_cpp $file 'names_.back().is_memory = true;' ''
file=notation/access_reader.cpp
plant $parts:kernel_in_cpp $file 'if (conditional_depth_ > 0 || lazy_ > 0 ||' 'if ('
plant $parts:kernel_in_cpp $file 'symbol.is("++") ? "+" : "-", one' '"+", one'
file=notation/variable_reader.cpp
plant $parts:kernel_in_cpp $file 'names_.back().is_pointer = is_pointer && !has_extents;' 'names_.back().is_pointer = is_pointer || has_extents;'
file=notation/statement_reader.cpp
plant $parts:kernel_in_cpp $file 'file_.arrays[at].is_over = true;' 'file_.arrays[at].is_over = false;'
plant $parts:kernel_in_cpp $file 'if (read_outer_braces() || read_type_definition()) return;' 'if (read_type_definition()) return;'
file=notation/statement_scan.cpp
plant $parts:kernel_in_cpp $file 'return next.first_of_line || is_value || ' 'return '
file=notation/macros.cpp
plant $parts:replaced_macros $file 'hidden.push_back(use.is.text);' ''
plant $parts:replaced_macros $file 'if (depth == 1 && one.is(",") && !is_of_rest)' 'if (one.is(",") && !is_of_rest)'
plant $parts:replaced_macros $file 'begins_line_ = begins_line_ || use.is.first_of_line;' ''
plant $parts:replaced_macros $file 'one.is.where = where;' ''
plant $parts:replaced_macros $file 'made_ > most_tokens' 'false'
plant $parts:replaced_macros $file 'if (!has(one.hidden, name)) one.hidden.push_back(name);' ';'
plant $parts:replaced_macros $file 'if (text_.substr(at, 2) == "//") return false;' ''
file=notation/readings.cpp
plant $parts:kernel_in_cpp $file 'if (bytes <= most_declared_bytes) result' 'result'
plant $parts:kernel_in_cpp $file 'one.is == kernel_parameter::kind::pointer && is_used(one.name.text)' 'one.is == kernel_parameter::kind::pointer'
plant $parts:kernel_in_cpp $file 'if (!why_not(how, with(name))) pointers_.push_back(name);' ''
plant $parts:kernel_in_cpp $file 'one.is_block_assumed = true;' ''
plant $parts:kernel_in_cpp $file 'result.has_y = reads("threadIdx", "y") || reads("blockDim", "y");' ''
plant $parts:kernel_in_cpp $file 'to.assumed_number = numbers.argument;' ''
plant $parts:kernel_in_cpp $file 'to.assumed_template_number = numbers.of_template;' ''
file=notation/kernel_parameters.cpp
plant $parts:kernel_in_cpp $file 'if (uses > 0) file_.assumed' 'file_.assumed'
plant $parts:kernel_in_cpp $file 'number = *one.value;' 'number = 2;'
plant $parts:kernel_in_cpp $file 'file_.arrays.back().is_argument = true;' ''
plant $parts:kernel_in_cpp $file 'known.is_integer = true;' ''
file=notation/candidate_blocks.cpp
plant $parts:kernel_in_cpp $file '(width == columns || width == rows)' 'false'
