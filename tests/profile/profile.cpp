// SPDX-License-Identifier: MIT
// Profilers' exports compared with the model: every format, errors, and counters that others
// published.
#include <bankmodel/kernel/global_array.hpp>
#include <bankmodel/kernel/instructions.hpp>
#include <bankmodel/machines/amd.hpp>
#include <bankmodel/machines/nvidia.hpp>
#include <bankmodel/profile.hpp>

#include "breaks.hpp"
#include "catch.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace bm = bankmodel;
using namespace bm::index;
using bm::text;
using bm::nvidia::sm_90;

namespace {

constexpr auto tile = bm::shared_array<float>("tile", 32, 32);
constexpr auto transpose =
    bm::kernel(bm::block_dim{32, 32}, bm::store(tile[ty][tx]), bm::load(tile[tx][ty]));

// The counters of transpose, 100 blocks, as ncu --csv prints them.
const std::string row_of_transpose =
    "\"0\",\"4711\",\"transpose(float *, int)\",\"(32, 32, 1)\",\"(10, 10, 1)\",\"a\",";
const std::string ncu_long =
    "==PROF== Connected to process 4711 (/home/somebody/transpose)\n"
    "Matrix of 320 x 320, \"32 x 32\" a tile\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric "
    "Name\",\"Metric Unit\",\"Metric Value\"\n" +
    row_of_transpose +
    "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\",\"\",\"102,400\"\n" +
    row_of_transpose +
    "\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum\",\"\",\"99,200\"\n" +
    row_of_transpose + "\"smsp__inst_executed_op_shared_ld.sum\",\"inst\",\"3,200\"\n" +
    row_of_transpose + "\"gpu__time_duration.sum\",\"us\",\"9.12\"\n" + row_of_transpose +
    "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum\",\"\",\"3,207\"\n";

bm::profile_comparison compared(const std::string& csv, std::uint64_t blocks = 100) {
  return bm::compare_with_profile(sm_90, transpose, {.blocks = blocks}, csv);
}

// The lines as "counter measured expected".
std::vector<std::string> short_lines(const bm::profile_comparison& comparison) {
  std::vector<std::string> result;
  for (const auto& line : comparison.lines)
    result.push_back(line.counter + " " + text(line.measured) + " " + text(line.expected));
  return result;
}
using lines = std::vector<std::string>;

std::string replaced(std::string text, const std::string& old, const std::string& replacement) {
  for (std::size_t position = text.find(old); position != std::string::npos;
       position = text.find(old, position + replacement.size()))
    text.replace(position, old.size(), replacement);
  return text;
}

// A file of examples/profiles/.
std::string bundled(const char* name) {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() /
                     "examples" / "profiles" / name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// One counter of a kernel in ncu's format with this value.
std::string one_counter(const std::string& value,
                        const std::string& counter = "smsp__inst_executed_op_shared_ld.sum",
                        const std::string& unit = "inst") {
  return "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k," + counter + "," + unit +
         ",\"" + value + "\"\n";
}

}  // namespace

TEST_CASE("ncu --csv: a row for each metric, after lines of the program and the profiler") {
  const auto result = compared(ncu_long);
  CHECK(short_lines(result) ==
        lines{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum 102,400 102,400",
              "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum 99,200 99,200",
              "smsp__inst_executed_op_shared_ld.sum 3,200 3,200",
              "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum 3,207 3,200"});
  CHECK(!result.agrees());
  CHECK(result.lines[0].agrees());
  CHECK(result.lines[0].of == "transpose(float *, int)");
  CHECK(text(result.lines[3].difference()) == "7");
  CHECK(text(result) ==
        "transpose(float *, int)\n"
        "  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum      measured 102,400  expected "
        "102,400  agrees\n"
        "  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum  measured  99,200  expected  "
        "99,200  agrees\n"
        "  smsp__inst_executed_op_shared_ld.sum                      measured   3,200  expected   "
        "3,200  agrees\n"
        "  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum      measured   3,207  expected   "
        "3,200  differs by 7\n");
  CHECK(text(compared(one_counter("3,000")).lines[0].difference()) == "-200");
}

TEST_CASE("CR LF line ends, a byte order mark, and no quotes") {
  const auto expected = short_lines(compared(ncu_long));
  CHECK(short_lines(compared(replaced(ncu_long, "\n", "\r\n"))) == expected);
  const std::string table = ncu_long.substr(ncu_long.find("\"ID\""));
  CHECK(short_lines(compared("\xef\xbb\xbf" + table)) == expected);
  CHECK(short_lines(compared(replaced(table, "\n", "\n\n"))) == expected);
  CHECK(short_lines(compared("ID,Kernel Name,Metric Name,Metric Unit,Metric "
                             "Value\n0,k,smsp__inst_executed_op_shared_ld.sum,inst,3200")) ==
        lines{"smsp__inst_executed_op_shared_ld.sum 3,200 3,200"});
}

TEST_CASE("quoted values contain quotes, commas and newlines") {
  const auto launches = bm::launches_of(
      "ID,Kernel Name,Metric Name,Metric Value,Rule Description\n"
      "0,\"f<\"\"a\"\", 2>(int,\nint)\",,,\"first\nsecond \"\"line\"\"\"\n"
      "0,\"f<\"\"a\"\", 2>(int,\nint)\",shared_load,12,\n");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].kernel == "f<\"a\", 2>(int,\nint)");
  CHECK(launches[0].counters[0].value == bm::exact_number{12, 0});
  breaks("quotes_of_a_profile_must_be_closed", {"line 2 "}, [] {
    (void)bm::launches_of("ID,Kernel Name,Metric Name,Metric Value\n0,\"k,a,1\n1,k,a,1\n");
  });
}

TEST_CASE("ncu --csv --page raw: a row for each launch, below a row of units") {
  const std::string raw =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Grid "
      "Size\",\"dram__bytes_read.sum\",\"memory_l1_wavefronts_shared\","
      "\"memory_l1_wavefronts_shared_ideal\",\"derived__memory_l1_wavefronts_shared_excessive\","
      "\"sm__sass_inst_executed_op_shared_st.sum\"\n"
      "\"\",\"\",\"\",\"\",\"Mbyte\",\"\",\"\",\"\",\"inst\"\n"
      "\"0\",\"1\",\"copy(float *)\",\"(5, 5, 1)\",\"1.5\",\"50\",\"50\",\"0\",\"25\"\n"
      "\"1\",\"1\",\"transpose(float *, int)\",\"(10, 10, "
      "1)\",\"3.25\",\"105,600\",\"6,400\",\"99,200\",\"3,200\"\n"
      "\"2\",\"1\",\"transpose(float *, int)\",\"(10, 10, "
      "1)\",\"3.25\",\"105,600\",\"6,400\",\"99,200\",\"3,201\"\n";
  const auto first = bm::compare_with_profile(
      sm_90, transpose, {.blocks = 100, .named = "transpose", .number = 1}, raw);
  CHECK(first.agrees());
  CHECK(short_lines(first) == lines{"memory_l1_wavefronts_shared 105,600 105,600",
                                    "memory_l1_wavefronts_shared_ideal 6,400 6,400",
                                    "derived__memory_l1_wavefronts_shared_excessive 99,200 99,200",
                                    "sm__sass_inst_executed_op_shared_st.sum 3,200 3,200"});
  const auto second = bm::compare_with_profile(
      sm_90, transpose, {.blocks = 100, .named = "transpose", .number = 2}, raw);
  CHECK(!second.agrees());
  CHECK(second.lines[3].measured.digits == 3201);
  CHECK(bm::compare_with_profile(sm_90, transpose, {.blocks = 100, .named = "copy"}, raw)
            .lines[0]
            .of == "copy(float *)");
  CHECK(bm::launches_of(raw).size() == 3);
  CHECK(bm::launches_of(raw)[2].id == "2");

  const auto choose = [&](const bm::which_launch& choice) {
    (void)bm::compare_with_profile(sm_90, transpose, choice, raw);
  };
  breaks("one_launch_of_a_profile_must_be_chosen",
         {".number is 0,", "and 2 of", "profile's 3 launches"},
         [&] { choose({.blocks = 1, .named = "transpose"}); });
  breaks("one_launch_of_a_profile_must_be_chosen", {".number is 3,", "and 2 of"},
         [&] { choose({.blocks = 1, .named = "transpose", .number = 3}); });
  breaks("one_launch_of_a_profile_must_be_chosen", {".number is 0,", "and 0 of"},
         [&] { choose({.blocks = 1, .named = "reduce"}); });
  breaks("one_launch_of_a_profile_must_be_chosen", {".number is -1,"},
         [&] { choose({.blocks = 1, .named = "copy", .number = -1}); });
  breaks("one_launch_of_a_profile_must_be_chosen", {"and 3 of"}, [&] { choose({.blocks = 1}); });
  breaks("numbers_of_a_profile_must_be_exact", {"line 2 "},
         [&] { (void)bm::launches_of(replaced(raw, "\"inst\"", "\"Kinst\"")); });
}

TEST_CASE("nvprof --csv: metrics and events of all launches of a kernel") {
  const std::string csv =
      "==20858== NVPROF is profiling process 20858, command: ./transpose\n"
      "==20858== Event result:\n"
      "\"Device\",\"Kernel\",\"Invocations\",\"Event Name\",\"Min\",\"Max\",\"Avg\",\"Total\"\n"
      "\"Tesla K20c (0)\",\"transpose(float*, int)\",3,\"shared_load\",3200,3200,3200,9600\n"
      "\"Tesla K20c (0)\",\"transpose(float*, "
      "int)\",3,\"shared_load_replay\",99200,99200,99200,297600\n"
      "\"Tesla K20c (0)\",\"transpose(float*, "
      "int)\",3,\"shared_ld_bank_conflict\",99200,99200,99200,297600\n"
      "==20858== Metric result:\n"
      "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
      "Description\",\"Min\",\"Max\",\"Avg\"\n"
      "\"Tesla K20c (0)\",\"transpose(float*, int)\",3,\"shared_efficiency\",\"Shared Memory "
      "Efficiency\",6.06%,6.06%,6.06%\n"
      "\"Tesla K20c (0)\",\"transpose(float*, int)\",3,\"shared_load_transactions\",\"Shared Load "
      "Transactions\",102400,102400,102400\n"
      "\"Tesla K20c (0)\",\"transpose(float*, "
      "int)\",3,\"shared_load_transactions_per_request\",\"Shared "
      "Memory\",32.000000,32.000000,32.000000\n"
      "\"Tesla K20c (0)\",\"transpose(float*, "
      "int)\",3,\"shared_store_transactions_per_request\",\"Shared "
      "Memory\",1.000000,1.000000,1.000000\n";
  const auto result = compared(csv);
  CHECK(result.agrees());
  CHECK(short_lines(result) == lines{"shared_load 3,200 3,200", "shared_load_replay 99,200 99,200",
                                     "shared_ld_bank_conflict 99,200 99,200",
                                     "shared_efficiency 6.06 6.06",
                                     "shared_load_transactions 102,400 102,400",
                                     "shared_load_transactions_per_request 32.000000 32.000000",
                                     "shared_store_transactions_per_request 1.000000 1.000000"});
  breaks("a_counter_must_have_one_value_for_a_launch", {"line 4 "},
         [&] { (void)bm::launches_of(replaced(csv, "3200,3200,3200", "3200,3201,3200")); });
}

TEST_CASE("efficiencies and rates of instructions") {
  const auto expected = [](const bm::machine& gpu, const auto& kernel, const std::string& counter,
                           const std::string& value, const bm::grid_dim& grid = {7, 1, 1}) {
    const std::string csv =
        "Kernel,Metric Name,Avg\nk,inst_executed,64000\nk," + counter + "," + value + "\n";
    const auto lines = bm::compare_with_profile(gpu, kernel, {.grid = grid}, csv).lines;
    REQUIRE(lines.size() == 1);
    return text(lines[0].expected);
  };
  // Mungiello's presentation (2018), tables of TK1 and TX2: shared memory efficiency of a
  // transpose, and of convolutions whose accesses all are 32-way and 16-way.
  const auto rows = bm::shared_array<float>("rows", 64, 64),
             narrow = bm::shared_array<float>("narrow", 32, 32);
  const auto transposed =
      bm::kernel(bm::block_dim{32, 8}, bm::store(rows[ty][tx]), bm::load(rows[tx][ty]));
  const auto columns =
      bm::kernel(bm::block_dim{32, 8}, bm::store(rows[tx][ty]), bm::load(rows[tx][ty]));
  const auto halves = bm::kernel(bm::block_dim{32, 8}, bm::load(narrow[tx][ty]));
  const auto without = bm::kernel(bm::block_dim{32, 8}, bm::load(rows[ty][tx]));
  const std::string shared = "shared_efficiency";
  CHECK(expected(bm::nvidia::sm_32, transposed, shared, "3.00%") == "3.03");
  CHECK(expected(bm::nvidia::sm_62, transposed, shared, "6.1%") == "6.1");
  CHECK(expected(bm::nvidia::sm_32, columns, shared, "1.56%") == "1.56");
  CHECK(expected(bm::nvidia::sm_62, columns, shared, "3.1%") == "3.1");
  CHECK(expected(bm::nvidia::sm_32, halves, shared, "3.12%") == "3.12");
  CHECK(expected(bm::nvidia::sm_32, without, shared, "50.00%") == "50.00");
  CHECK(expected(bm::nvidia::sm_62, without, shared, "100.00%") == "100.00");
  CHECK(expected(bm::nvidia::sm_90, without,
                 "smsp__sass_average_data_bytes_per_wavefront_mem_shared.ratio",
                 "128.0") == "128.0");
  // 7 blocks, 8 and 8 * 32 wavefronts: 248 replays each.
  CHECK(expected(bm::nvidia::sm_32, transposed, "shared_replay_overhead", "0.027125") ==
        "0.027125");
  // A request of half a warp, of lanes that share addresses, and of a gather.
  const auto in = bm::global_array<float>("in", 1 << 20);
  const auto global = [&](const auto& access, const std::string& counter) {
    return expected(bm::nvidia::sm_70, bm::kernel(bm::block_dim{32}, access), counter, "1.00");
  };
  CHECK(global(bm::load(in[32 * bx + tx]), "gld_efficiency") == "100.00");
  CHECK(global(bm::load(in[8 * tx]), "gld_efficiency") == "12.50");
  CHECK(global(bm::load(in[bx]), "gld_efficiency") == "400.00");
  CHECK(global(bm::store(bm::if_threads(tx < 12, in[tx])), "gst_efficiency") == "75.00");
  CHECK(global(bm::load(in[2 * tx]),
               "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio") == "16.00");
  CHECK(global(bm::load(in[2 * tx]),
               "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct") == "50.00");
}

TEST_CASE("a ratio agrees if it is the nearest with the same number of places") {
  const auto comparison = [](const std::string& value, int loads) {
    const auto line = bm::shared_array<float>("line", 64);
    // conflict-free requests, and one that is two-way
    const auto kernel =
        bm::kernel(bm::block_dim{32}, bm::load(bm::for_loop(i, bm::range(0, loads), line[tx])),
                   bm::load(line[2 * tx]));
    const std::string csv =
        "Device,Kernel,Metric Name,Min,Max,Avg\nd,k,shared_load_transactions_per_request," + value +
        "," + value + "," + value + "\n";
    return bm::compare_with_profile(sm_90, kernel, {.blocks = 7}, csv).lines.at(0);
  };
  CHECK(comparison("1.333333", 2).agrees());
  CHECK(!comparison("1.333334", 2).agrees());
  CHECK(text(comparison("1.333334", 2).difference()) == "0.000001");
  CHECK(comparison("1.166667", 5).agrees());
  CHECK(!comparison("1.166666", 5).agrees());
  CHECK(comparison("1.12", 7).agrees());  // 1.125 is in the middle
  CHECK(comparison("1.13", 7).agrees());
  CHECK(!comparison("1.14", 7).agrees());
  CHECK(comparison("1", 7).agrees());
  const auto none = bm::compare_with_profile(
      sm_90, bm::kernel(bm::block_dim{32}, bm::store(tile[ty][tx])), {.blocks = 1},
      "Kernel,Metric Name,Avg\nk,shared_load_transactions_per_request,0.000000\n");
  CHECK(none.agrees());
}

TEST_CASE("rocprof: a row for each counter, or a column") {
  const auto line = bm::shared_array<float>("line", 64, 32);
  const auto kernel = bm::kernel(bm::block_dim{64}, bm::load(line[tx][0]));
  const std::string third =
      "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Grid_Size\",\"Kernel_Name\",\"Workgroup_"
      "Size\",\"Counter_Name\",\"Counter_Value\","
      "\"Start_Timestamp\"\n"
      "1,1,4,640,\"column(float*)\",64,\"SQ_LDS_BANK_CONFLICT\",620.000000,1569088135380312\n"
      "1,1,4,640,\"column(float*)\",64,\"SQ_INSTS_LDS\",10.000000,1569088135380312\n"
      "1,1,4,640,\"column(float*)\",64,\"SQ_LDS_IDX_ACTIVE\",660.000000,1569088135380312\n"
      "2,2,4,640,\"other(float*)\",64,\"SQ_INSTS_LDS\",4.34259040e-02,1569088135380312\n";
  const auto result = bm::compare_with_profile(bm::amd::gfx942, kernel, {.blocks = 10},
                                               third.substr(0, third.find("2,2,4")));
  CHECK(result.agrees());
  CHECK(short_lines(result) == lines{"SQ_LDS_BANK_CONFLICT 620 620", "SQ_INSTS_LDS 10 10"});
  breaks("numbers_of_a_profile_must_be_exact", {"line 5 "}, [&] { (void)bm::launches_of(third); });

  for (const std::string csv :
       {"Index,KernelName,gpu-id,grd,wgr,SQ_LDS_BANK_CONFLICT,DispatchNs\n0,\"column(float*) "
        "[clone .kd]\",0,640,64,620.0000000000,7\n",
        "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Kernel_Name,SQ_LDS_BANK_CONFLICT\n0,0,640,64,"
        "column(float*),620\n"})
    CHECK(short_lines(bm::compare_with_profile(bm::amd::gfx942, kernel, {.blocks = 10}, csv)) ==
          lines{"SQ_LDS_BANK_CONFLICT 620 620"});
  const std::string two_columns = "Kernel_Name,Counter_Name,Counter_Value\n";
  CHECK(bm::launches_of(two_columns + "k,SQC_LDS_BANK_CONFLICT,1.08134400e+06\n")[0]
            .counters[0]
            .value.digits == 1081344);

  // Both halves of ds_read2 are one instruction.
  const auto halves =
      bm::kernel(bm::block_dim{64}, bm::ds_read2(line[0][tx % 32], line[2][tx % 32]));
  CHECK(short_lines(bm::compare_with_profile(bm::amd::gfx942, halves, {.blocks = 10},
                                             two_columns + "k,SQ_INSTS_LDS,10\n")) ==
        lines{"SQ_INSTS_LDS 10 10"});
}

TEST_CASE("numbers are read exactly or are errors") {
  const auto value = [](const char* written) {
    return bm::launches_of(one_counter(written))[0].counters[0].value.digits;
  };
  CHECK(value("0") == 0);
  CHECK(value("3200") == 3200);
  CHECK(value("3,200") == 3200);
  CHECK(value("1,234,567") == 1234567);
  CHECK(value(" 12 ") == 12);
  CHECK(value("12.0") == 12);
  CHECK(value("16384.000000") == 16384);
  CHECK(value("9300000000000.000000") == 9300000000000);
  CHECK(value("9,223,372,036,854,775,807.000000") == 9223372036854775807);
  CHECK(value("1,024.00") == 1024);
  CHECK(value("1.5e+01") == 15);
  CHECK(value("9223372036854775807") == 9223372036854775807);
  for (const char* written : {"",
                              "n/a",
                              "-",
                              "-5",
                              "+5",
                              "12.5",
                              "9,00",
                              "1,23",
                              "1234,567",
                              ",123",
                              "12,",
                              "1,,234",
                              "27.595.520",
                              "1.000",
                              "12.",
                              ".5",
                              "3.2 K",
                              "1e+06",
                              "1.5e+02",
                              "1.5e-01",
                              "1.5e",
                              "1.5e+",
                              "1.5e+x",
                              "6.06%",
                              "0x10",
                              "1.0000000000000",
                              "9223372036854775808",
                              "99999999999999999999"}) {
    INFO(written);
    breaks("numbers_of_a_profile_must_be_exact", {"line 2 "}, [&] { (void)value(written); });
  }
  breaks("numbers_of_a_profile_must_be_exact", {"line 2 "},
         [&] { (void)bm::launches_of(one_counter("3", "shared_load", "Kinst")); });
  breaks("numbers_of_a_profile_must_be_exact", {"line 2 "}, [&] {
    (void)bm::launches_of(one_counter("1.500", "shared_load_transactions_per_request"));
  });
  CHECK(text(bm::exact_number{-88, 0}) == "-88");
  CHECK(text(bm::exact_number{1500000, 6}) == "1.500000");
  CHECK(text(bm::exact_number{-1, 6}) == "-0.000001");
}

TEST_CASE("a file that is not a profile, or is incomplete, is an error") {
  const auto refused = [](const std::string& csv) {
    breaks("a_profile_must_have_known_counters", {}, [&] { (void)bm::launches_of(csv); });
  };
  refused("");
  refused("hello, world\n");
  refused(one_counter("12", "dram__bytes_read.sum", "byte"));
  refused("ID,Kernel Name,dram__bytes_read.sum\n0,k,12\n");
  refused("ID,Kernel Name,Metric Name\n0,k,shared_load\n");            // no values
  refused("ID,Metric Name,Metric Value\n0,shared_load,12\n");          // no kernel
  refused(one_counter("12", "smsp__inst_executed_op_shared_ld.avg"));  // of one multiprocessor
  breaks("a_profile_must_have_known_counters", {"2 lines"},
         [&] { (void)compared(one_counter("12", "dram__bytes_read.sum")); });
  breaks("rows_of_a_profile_must_have_all_columns", {"line 3 ", "1 values", "column 3"},
         [] { (void)bm::launches_of(one_counter("12") + "what a program printed\n"); });
  breaks("rows_of_a_profile_must_have_all_columns", {"line 2 ", "3 values"}, [] {
    (void)bm::launches_of("ID,Kernel Name,Metric Name,Metric Value\n0,k,shared_load\n");
  });

  // A metric in several sections is used once; two values are an error.
  const std::string row = "0,k,smsp__inst_executed_op_shared_ld.sum,inst,12\n";
  CHECK(bm::launches_of(one_counter("12") + row)[0].counters.size() == 1);
  breaks("a_counter_must_have_one_value_for_a_launch", {"line 3 "},
         [&] { (void)bm::launches_of(one_counter("13") + row); });
}

TEST_CASE("blocks must be given, and the counts of a launch must fit in 64 bits") {
  breaks("a_compared_launch_must_have_blocks", {"blocks is 0"},
         [] { (void)compared(ncu_long, 0); });
  breaks("counts_must_fit_in_64_bits", {},
         [] { (void)compared(ncu_long, ~std::uint64_t{0} / 1000); });
  CHECK(text(compared(ncu_long, 1'000'000'000'000).lines[0].expected) == "1,024,000,000,000,000");
  // of 63 bits
  breaks("counts_must_fit_in_64_bits", {},
         [] { (void)compared(ncu_long, ~std::uint64_t{0} / 1056); });
}

TEST_CASE(
    "each known counter counts its part; matrix loads are in the wavefronts of loads but not in "
    "their instructions") {
  const auto rows = bm::shared_array<short>("rows", 16, 64);
  const auto kernel =
      bm::kernel(bm::block_dim{32}, bm::ldmatrix<4>(rows[lane % 16][lane / 16 * 8]),
                 bm::load(tile[0][tx]), bm::load(tile[1][tx]), bm::atomic(tile[0][tx / 8]),
                 bm::store(tile[0][tx]), bm::stmatrix<1>(rows[lane % 8][0]));
  // Loads: 3 requests (1 of matrices), 34 wavefronts, ideal 6. Stores: 2 (1), 9, ideal 2.
  // Atomics: 1, 8, ideal 8.
  const std::map<std::string, int> expected = {
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared", 51},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", 34},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", 9},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom", 8},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared", 35},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", 28},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st", 7},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom", 0},
      {"smsp__inst_executed_op_shared_ld", 2},
      {"smsp__inst_executed_op_shared_st", 1},
      {"smsp__sass_inst_executed_op_shared_ld", 2},
      {"smsp__sass_inst_executed_op_shared_st", 1},
      {"sm__sass_inst_executed_op_shared_ld", 2},
      {"sm__sass_inst_executed_op_shared_st", 1},
      {"sass__inst_executed_shared_loads", 2},
      {"sass__inst_executed_shared_stores", 1},
      {"smsp__inst_executed_op_ldsm", 1},
      {"memory_l1_wavefronts_shared", 51},
      {"memory_l1_wavefronts_shared_ideal", 16},
      {"derived__memory_l1_wavefronts_shared_excessive", 35},
      {"shared_load_transactions", 34},
      {"shared_store_transactions", 9},
      {"shared_load_transactions_per_request", 11},  // 34 / 3 without places
      {"shared_store_transactions_per_request", 5},  // 9 / 2, of which 4 is as near
      {"inst_executed_shared_loads", 3},
      {"inst_executed_shared_stores", 2},
      {"shared_ld_transactions", 34},
      {"shared_st_transactions", 9},
      {"shared_ld_bank_conflict", 28},
      {"shared_st_bank_conflict", 7},
      {"shared_load", 3},
      {"shared_store", 2},
      {"l1_shared_load_transactions", 34},
      {"l1_shared_store_transactions", 9},
      {"shared_load_replay", 31},
      {"shared_store_replay", 7},
      {"SQ_LDS_BANK_CONFLICT", 35},
      {"SQC_LDS_BANK_CONFLICT", 35},
      {"SQ_INSTS_LDS", 6},
      // 512 + 128 bytes of matrices, 256 of loads, 128 of a store and of atomics.
      {"shared_efficiency", 18},
      {"smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", 18},
      {"smsp__sass_average_data_bytes_per_wavefront_mem_shared", 23}};
  // Two more need each other.
  CHECK(std::size(bm::detail::known_counters) == expected.size() + 2);
  for (const auto& [counter, value] : expected)
    for (const char* ending : {"", ".sum"}) {
      const auto result = bm::compare_with_profile(
          sm_90, kernel, {.blocks = 1}, one_counter(std::to_string(value), counter + ending));
      INFO(text(result));
      CHECK(result.lines.size() == 1);
      CHECK(result.agrees());
    }
}

namespace {

// ncu --page source --csv: of instructions, and of sources with their instructions.
const std::string sass_page =
    "\"Kernel Name\",\"transpose(float *, int)\"\n"
    "\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"Address Space\",\"L1 "
    "Conflicts Shared N-Way\","
    "\"L1 Wavefronts Shared Excessive\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared Ideal\"\n"
    "\"0x7fc48541d900\",\"      S2R R0, SR_TID.X \",\"4\",\"3,200\",\"-\",\"0\",\"0\",\"0\",\"0\"\n"
    "\"0x7fc48541d910\",\"      STS [R2], R4 "
    "\",\"4\",\"3,200\",\"Shared\",\"1\",\"0\",\"3,200\",\"3,200\"\n"
    "\"0x7fc48541d920\",\"      BAR.SYNC.DEFER_BLOCKING 0x0 "
    "\",\"4\",\"3,200\",\"-\",\"0\",\"0\",\"0\",\"0\"\n"
    "\"0x7fc48541d930\",\"@!P0  LDS.U R5, [R3] "
    "\",\"4\",\"3,200\",\"Shared\",\"32\",\"99,200\",\"102,400\",\"3,200\"\n";

const std::string lines_page =
    "\"File Path\",\"/home/somebody/transpose.cu\"\n"
    "\"Function Name\",\"transpose\"\n"
    "\"Line No\",\"Source\",\"Address\",\"Source\",\"Instructions Executed\",\"L1 Wavefronts "
    "Shared\",\"L1 Wavefronts Shared Ideal\"\n"
    "\"7\",\"  tile[ty][tx] = in[i];\",\"-\",\"-\",\"6400\",\"3200\",\"3200\"\n"
    "\"\",\"\",\"0x10\",\"STS [R2], R4\",\"1600\",\"1600\",\"1600\"\n"
    "\"\",\"\",\"0x20\",\"STS [R2+0x1000], R5\",\"1600\",\"1600\",\"1600\"\n"
    "\"8\",\"  __syncthreads();\",\"-\",\"-\",\"3200\",\"0\",\"0\"\n"
    "\"9\",\"  out[i] = tile[tx][ty];\",\"-\",\"-\",\"6400\",\"102400\",\"3200\"\n"
    "\"\",\"\",\"0x30\",\"LDS R5, [R3]\",\"1600\",\"51200\",\"1600\"\n"
    "\"\",\"\",\"0x40\",\"LDS R6, [R3+0x40]\",\"1600\",\"51200\",\"1600\"\n";

}  // namespace

TEST_CASE("the source page of instructions, access by access") {
  const auto result = compared(sass_page);
  CHECK(result.agrees());
  CHECK(text(result) ==
        "store tile[ty][tx]    (0x7fc48541d910 STS [R2], R4)\n"
        "  Instructions Executed           measured   3,200  expected   3,200  agrees\n"
        "  L1 Wavefronts Shared            measured   3,200  expected   3,200  agrees\n"
        "  L1 Wavefronts Shared Ideal      measured   3,200  expected   3,200  agrees\n"
        "  L1 Wavefronts Shared Excessive  measured       0  expected       0  agrees\n"
        "load tile[tx][ty]    (0x7fc48541d930 @!P0  LDS.U R5, [R3])\n"
        "  Instructions Executed           measured   3,200  expected   3,200  agrees\n"
        "  L1 Wavefronts Shared            measured 102,400  expected 102,400  agrees\n"
        "  L1 Wavefronts Shared Ideal      measured   3,200  expected   3,200  agrees\n"
        "  L1 Wavefronts Shared Excessive  measured  99,200  expected  99,200  agrees\n");
  CHECK(!compared(replaced(sass_page, "102,400", "102,401")).agrees());
  CHECK(compared(replaced(sass_page, "\n", "\r\n")).agrees());
  CHECK(compared("==PROF== Connected\n" + sass_page).agrees());

  // Stores are matched with stores: the order of loads and stores may change.
  std::vector<std::string> rows;
  for (std::size_t position = 0; position < sass_page.size(); position += rows.back().size())
    rows.push_back(sass_page.substr(position, sass_page.find('\n', position) + 1 - position));
  CHECK(compared(rows[0] + rows[1] + rows[5] + rows[3]).agrees());
  // Titles with other options, and missing ones.
  const std::string by_names =
      replaced(sass_page, "L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal");
  CHECK(compared(replaced(by_names, "L1 Wavefronts Shared\"", "memory_l1_wavefronts_shared\""))
            .agrees());
  CHECK(compared(replaced(replaced(sass_page, "Instructions Executed", "Something"),
                          "L1 Wavefronts Shared Ideal", "Else"))
            .lines.size() == 4);
  // An access of which no thread issues a request has no instruction to count.
  const auto idle =
      bm::kernel(transpose.block, bm::store(tile[ty][tx]),
                 bm::if_threads(tx < 0, bm::load(tile[0][tx])), bm::load(tile[tx][ty]));
  CHECK(bm::compare_with_profile(sm_90, idle, {.blocks = 100}, sass_page).agrees());
}

TEST_CASE("several launches on a source page") {
  const auto launches =
      bm::sources_of(sass_page + replaced(sass_page, "transpose", "reduce") + sass_page);
  REQUIRE(launches.size() == 3);
  CHECK(launches[1].kernel == "reduce(float *, int)");
  CHECK(launches[2].instructions.size() == 2);
  const std::string two = sass_page + replaced(sass_page, "transpose", "reduce");
  CHECK(
      bm::compare_with_profile(sm_90, transpose, {.blocks = 100, .named = "reduce"}, two).agrees());
  breaks("one_launch_of_a_profile_must_be_chosen", {"and 2 of"}, [&] { (void)compared(two); });
  breaks("a_compared_launch_must_have_blocks", {}, [] { (void)compared(sass_page, 0); });
  // Two files of one launch, and the same files of the next.
  const std::string files =
      lines_page + replaced(replaced(lines_page, "transpose.cu", "tile.hpp"), "0x", "0x7");
  CHECK(bm::sources_of(files).size() == 1);
  CHECK(bm::sources_of(files)[0].instructions.size() == 8);
  CHECK(bm::sources_of(files + files).size() == 2);
  // each once
  CHECK(bm::sources_of(lines_page + replaced(lines_page, "transpose.cu", "tile.hpp"))[0]
            .instructions.size() == 4);
}

TEST_CASE("instructions of one line count as one if there are more of them than accesses") {
  const auto result = compared(lines_page);
  INFO(text(result));
  CHECK(result.agrees());
  REQUIRE(result.lines.size() == 6);
  CHECK(result.lines[0].where == "line 7");
  CHECK(result.lines[3].where == "line 9");
  CHECK(text(result.lines[4].measured) == "102,400");
  // Four accesses are four instructions, each compared alone.
  const auto separate =
      bm::kernel(bm::block_dim{32, 16}, bm::store(tile[ty][tx]), bm::store(tile[ty + 16][tx]),
                 bm::load(tile[tx][ty]), bm::load(tile[tx][ty + 16]));
  const auto compared_apart =
      bm::compare_with_profile(sm_90, separate, {.blocks = 100}, lines_page);
  CHECK(compared_apart.agrees());
  CHECK(compared_apart.lines.size() == 12);
  CHECK(compared_apart.lines[3].where == "0x20 STS [R2+0x1000], R5");

  breaks("a_source_page_must_have_an_instruction_for_each_access",
         {"4 instructions", "2 lines", "3 accesses"}, [&] {
           const auto three = bm::kernel(transpose.block, bm::store(tile[ty][tx]),
                                         bm::load(tile[tx][ty]), bm::load(tile[ty][tx]));
           (void)bm::compare_with_profile(sm_90, three, {.blocks = 100}, lines_page);
         });
  // On one line each kind is counted separately.
  const auto of_one_line = bm::sources_of(
      replaced(replaced(lines_page, "\"9\",", "\"7\","), "out[i] = ", "tile[0][0] = "));
  CHECK(bm::compare_with_source(sm_90, transpose, 100, of_one_line.at(0)).agrees());
  CHECK(bm::compare_with_source(sm_90, transpose, 100, of_one_line.at(0)).lines.size() == 6);
  // The same number, but of other kinds; and instructions without lines.
  breaks("a_source_page_must_have_an_instruction_for_each_access",
         {"3 instructions", "3 lines", "2 accesses"}, [&] {
           (void)compared(sass_page +
                          "\"0x7fc48541d940\",\"LDS.U R6, "
                          "[R3]\",\"4\",\"3,200\",\"Shared\",\"1\",\"0\",\"3,200\",\"3,200\"\n");
         });
  breaks("a_source_page_must_have_an_instruction_for_each_access",
         {"2 instructions", "2 lines", "2 accesses"}, [&] {
           const auto two_loads =
               bm::kernel(transpose.block, bm::load(tile[ty][tx]), bm::load(tile[tx][ty]));
           (void)bm::compare_with_profile(sm_90, two_loads, {.blocks = 100}, sass_page);
         });
  breaks("a_source_page_must_have_an_instruction_for_each_access", {"2 instructions", "1 accesses"},
         [&] {
           (void)bm::compare_with_profile(sm_90,
                                          bm::kernel(transpose.block, bm::load(tile[tx][ty])),
                                          {.blocks = 100}, sass_page);
         });
}

TEST_CASE("a source page without instructions, line by line") {
  std::string page =
      replaced(replaced(lines_page, "\"Address\",\"Source\",", ""), "\"-\",\"-\",", "");
  for (const char* instruction : {"STS", "LDS"})
    for (std::size_t position = page.find(instruction); position != std::string::npos;
         position = page.find(instruction)) {
      const std::size_t begin = page.rfind('\n', position) + 1;
      page.erase(begin, page.find('\n', position) + 1 - begin);
    }
  const auto result = compared(page);
  INFO(page << text(result));
  CHECK(result.agrees());
  // A line's instructions include others than those of shared memory.
  CHECK(result.lines.size() == 4);
  CHECK(result.lines[0].where == "line 7: tile[ty][tx] = in[i];");
}

TEST_CASE("the kinds of instructions") {
  using kind = bm::profiled_instruction::kind;
  const auto kind_of = [](const std::string& instruction) {
    const auto launches = bm::sources_of(
        "Kernel Name,k\nAddress,Source,L1 Wavefronts Shared\n0x10," + instruction + ",4\n");
    return launches.at(0).instructions.at(0).does;
  };
  CHECK(kind_of("LDS.128 R4 [R2]") == kind::load);
  CHECK(kind_of("@P0 LDS R4 [R2]") == kind::load);
  CHECK(kind_of("LDSM.16.M88.4 R4 [R2]") == kind::load_matrix);
  CHECK(kind_of("STS.64 [R2] R4") == kind::store);
  CHECK(kind_of("STSM.16.M88 [R2] R4") == kind::store_matrix);
  CHECK(kind_of("LDGSTS.E.BYPASS.128 [R2] [R4]") == kind::store);
  CHECK(kind_of("ATOMS.ADD RZ [R2] R4") == kind::atomic);
  CHECK(kind_of("LD.E R4 [R2]") == kind::load);
  CHECK(kind_of("ST.E [R2] R4") == kind::store);
  CHECK(kind_of("ATOM.E.ADD R4 [R2]") == kind::atomic);
  for (const char* unknown : {"UTMALDG [R2]", "LDG R4 [R2]", "@P0", "", "-"})
    breaks("instructions_of_shared_memory_must_be_known", {"line 3 "},
           [&] { (void)kind_of(unknown); });
  CHECK(bm::sources_of("Kernel Name,k\nAddress,Source,L1 Wavefronts Shared\n0x10,LDG "
                       "R4,0\n0x20,NOP,-\n0x30,NOP,\n")
            .at(0)
            .instructions.empty());
  const std::string titles = "a,b\nAddress,Source,L1 Wavefronts Shared\n";
  breaks("numbers_of_a_profile_must_be_exact", {"line 3 "},
         [&] { (void)bm::sources_of(titles + "0x10,LDS,many\n"); });
  breaks("rows_of_a_profile_must_have_all_columns", {"line 3 "},
         [&] { (void)bm::sources_of(titles + "0x10,LDS\n"); });
}

// ---- global memory ----

namespace {

const auto input = bm::global_array<float>("in", 1024, 1024);
const auto bins = bm::global_array<int>("bins", 256);
// 8 loads of 8 sectors, 8 stores of 5, 8 atomics of 4; one load of shared memory without conflict.
const auto both_memories =
    bm::kernel(bm::block_dim{32, 8}, bm::load(input[ty][2 * tx]), bm::store(input[ty][tx + 1]),
               bm::atomic(bins[tid]), bm::load(tile[ty][tx]));

}  // namespace

TEST_CASE("every counter of global memory") {
  const std::map<std::string, long long> expected = {
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld", 8},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st", 8},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld", 64},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st", 40},
      {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld", 8},
      {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st", 5},
      {"lts__t_sectors_srcunit_tex_op_read", 64},
      {"lts__t_sectors_srcunit_tex_op_write", 40},
      {"smsp__inst_executed_op_global_ld", 8},
      {"smsp__inst_executed_op_global_st", 8},
      {"smsp__sass_inst_executed_op_global_ld", 8},
      {"smsp__sass_inst_executed_op_global_st", 8},
      {"sm__sass_inst_executed_op_global_ld", 8},
      {"sm__sass_inst_executed_op_global_st", 8},
      {"sass__inst_executed_global_loads", 8},
      {"sass__inst_executed_global_stores", 8},
      {"memory_l2_theoretical_sectors_global", 136},
      {"gld_transactions", 64},
      {"gst_transactions", 40},
      {"gld_transactions_per_request", 8},
      {"gst_transactions_per_request", 5},
      {"global_load_requests", 8},
      {"global_store_requests", 8},
      {"inst_executed_global_loads", 8},
      {"inst_executed_global_stores", 8},
      {"gld_efficiency", 50},
      {"gst_efficiency", 80},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 50},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", 80},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld", 16},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st", 26}};
  CHECK(std::size(bm::detail::known_global_counters) == expected.size());
  for (const auto& [counter, value] : expected)
    for (const char* ending : {"", ".sum", ".ratio"}) {
      const auto result =
          bm::compare_with_profile(bm::nvidia::sm_70, both_memories, {.blocks = 1},
                                   one_counter(std::to_string(value), counter + ending, ""));
      INFO(text(result));
      CHECK(result.lines.size() == 1);
      CHECK(result.agrees());
    }
}

TEST_CASE("a launch with counters of both memories") {
  const std::string csv =
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"k\",\"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio\","
      "\"sector/request\",\"5.00\"\n"
      "\"0\",\"k\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"sector\",\"6,400\"\n"
      "\"0\",\"k\",\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\",\"\",\"800\"\n"
      "\"0\",\"k\",\"lts__t_sectors_srcunit_tex_op_read.sum\",\"sector\",\"6,000\"\n";
  const auto result = bm::compare_with_profile(sm_90, both_memories, {.blocks = 100}, csv);
  CHECK(text(result) ==
        "k\n"
        "  l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio  measured  5.00  "
        "expected  5.00  agrees\n"
        "  l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum                        measured 6,400  "
        "expected 6,400  agrees\n"
        "  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum                  measured   800  "
        "expected   800  agrees\n"
        "  lts__t_sectors_srcunit_tex_op_read.sum                                measured 6,000  "
        "expected 6,400  differs by -400\n");

  // Counters of shared memory need no record of global memory.
  bm::machine machine = sm_90;
  machine.global = {};
  CHECK(bm::compare_with_profile(
            machine, both_memories, {.blocks = 1},
            one_counter("8", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", ""))
            .agrees());
  breaks("sectors_and_lines_must_be_powers_of_two", {},
         [&] { (void)bm::compare_with_profile(machine, both_memories, {.blocks = 1}, csv); });
}

TEST_CASE("global accesses that read the block are counted over the grid") {
  const auto row = bm::global_array<float>("row", 4096);
  // 132 bytes from block to block: 4 sectors in the first of 8 blocks, and 5 in the others.
  const auto kernel = bm::kernel(bm::block_dim{32}, bm::load(row[33 * bx + tx]));
  const auto sectors = [&](const std::string& value) {
    return one_counter(value, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector");
  };
  CHECK(bm::compare_with_profile(sm_90, kernel, {.grid = {8}}, sectors("39")).agrees());
  CHECK(bm::compare_with_profile(sm_90, kernel, {.grid = {1}}, sectors("4")).agrees());
  CHECK(
      bm::compare_with_profile(sm_90, kernel, {.blocks = 3, .grid = {8}}, sectors("39")).agrees());
  breaks("global_accesses_that_read_the_block_need_the_grid", {".grid"},
         [&] { (void)bm::compare_with_profile(sm_90, kernel, {.blocks = 8}, sectors("39")); });
  // The tile's wavefronts are those of one block, 1,024 times.
  const auto transposed = bm::kernel(
      bm::block_dim{32, 32}, bm::load(input[32 * by + ty][32 * bx + tx]), bm::load(tile[tx][ty]));
  CHECK(
      bm::compare_with_profile(sm_90, transposed, {.grid = {32, 32}}, sectors("131,072")).agrees());
  CHECK(bm::compare_with_profile(
            sm_90, transposed, {.grid = {32, 32}},
            one_counter("1,048,576", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", ""))
            .agrees());
  breaks("a_compared_launch_must_have_blocks", {},
         [&] { (void)bm::compare_with_profile(sm_90, transposed, {}, sectors("1")); });
  breaks("a_grid_must_have_blocks", {}, [&] {
    (void)bm::compare_with_profile(sm_90, transposed, {.grid = {2, 0}}, sectors("1"));
  });
}

TEST_CASE("nvprof's transactions of global memory are sectors from 7.0 on") {
  const std::string csv =
      "Kernel,Metric Name,Min,Max,Avg\nk,gld_transactions,128,128,128\n"
      "k,gst_transactions_per_request,5.000000,5.000000,5.000000\n";
  const std::string requests = "k,inst_executed_global_loads,8,8,8\n";
  const auto lines_on = [&](const bm::machine& gpu, const std::string& text) {
    return short_lines(bm::compare_with_profile(gpu, both_memories, {.blocks = 1}, text));
  };
  CHECK(lines_on(bm::nvidia::sm_70, csv) ==
        lines{"gld_transactions 128 64", "gst_transactions_per_request 5.000000 5.000000"});
  CHECK(lines_on(bm::nvidia::sm_61, csv + requests) == lines{"inst_executed_global_loads 8 8"});
  breaks("a_launch_must_have_counters_to_compare", {"2 known counters", "7.0"},
         [&] { (void)lines_on(bm::nvidia::sm_61, csv); });
  // Counters of global memory are not compared with a kernel without accesses to it.
  CHECK(short_lines(compared(csv + "k,shared_load_transactions,102400,102400,102400\n")) ==
        lines{"shared_load_transactions 102,400 102,400"});
  breaks("a_launch_must_have_counters_to_compare", {"3 known counters", "global accesses"},
         [&] { (void)compared(csv + requests); });
  // AMD's accesses of the first cache are neither lines nor sectors.
  breaks("a_profile_must_have_known_counters", {}, [&] {
    (void)lines_on(bm::amd::gfx942,
                   "Kernel_Name,Counter_Name,Counter_Value\nk,TCP_TOTAL_ACCESSES,16\n");
  });
}

// ---- counters that others measured and published ----

TEST_CASE("16-byte loads of 8,844,480 instructions: forums.developer.nvidia.com/t/359822") {
  const auto line = bm::shared_array<float>("line", 32, 32);
  const auto good =
      bm::kernel(bm::block_dim{32}, bm::load(bm::vectorized<4>(line[tx / 8][tx % 8 * 4])));
  const auto bad = bm::kernel(bm::block_dim{32}, bm::load(bm::vectorized<4>(line[tx][0])));
  const std::string published = bundled("lds_128.csv");
  for (const auto& machine : {bm::nvidia::sm_75, bm::nvidia::sm_80, bm::nvidia::sm_90}) {
    CHECK(bm::totals(machine, bad).loads.wavefronts == 32);
    CHECK(bm::totals(machine, bad).loads.conflicts() == 28);
    CHECK(bm::totals(machine, good).loads.wavefronts == 4);
    CHECK(bm::totals(machine, good).loads.conflicts() == 0);
    CHECK(bm::compare_with_profile(machine, bad, {.blocks = 8'844'480, .named = "bad"}, published)
              .agrees());
    CHECK(bm::compare_with_profile(machine, good, {.blocks = 8'844'480, .named = "good"}, published)
              .agrees());
  }
}

TEST_CASE(
    "a transpose of doubles: wavefronts and conflicts differ by the same number, "
    "forums.developer.nvidia.com/t/217015") {
  const auto smem_array = bm::shared_array<double>("smemArray", 32, 32);
  const auto kernel = bm::kernel(bm::block_dim{32, 32}, bm::store(smem_array[tx][ty]),
                                 bm::load(smem_array[ty][tx]));
  const auto result = bm::compare_with_profile(bm::nvidia::sm_70, kernel, {.blocks = 128 * 128},
                                               bundled("transpose.csv"));
  REQUIRE(result.lines.size() == 4);
  CHECK(result.lines[0].expected.digits == 0);
  CHECK(result.lines[1].expected.digits == 15'728'640);
  CHECK(result.lines[0].difference() == result.lines[2].difference());
  CHECK(result.lines[1].difference() == result.lines[3].difference());
  CHECK(result.lines[1].difference().digits == 283'822);

  // With its accesses to global memory: 129 x 129 blocks, of which 128 x 128 are in the matrix. A
  // warp's load of 8 bytes for each lane is one request.
  const auto a = bm::global_array<double>("a", 4096, 4096),
             c = bm::global_array<double>("c", 4096, 4096);
  const auto inside = 32 * bx + tx < 4096 && 32 * by + ty < 4096;
  const auto copy = bm::kernel(bm::block_dim{32, 32},
                               bm::load(bm::if_threads(inside, a[32 * by + ty][32 * bx + tx])),
                               bm::store(tile[tx][ty]), bm::load(tile[ty][tx]),
                               bm::store(bm::if_threads(inside, c[32 * bx + ty][32 * by + tx])));
  const auto compared_copy = bm::compare_with_profile(
      bm::nvidia::sm_70, copy, {.blocks = 128 * 128, .grid = {129, 129}}, bundled("transpose.csv"));
  REQUIRE(compared_copy.lines.size() == 5);
  CHECK(compared_copy.lines[4].agrees());
  CHECK(compared_copy.lines[4].expected.digits == 524'288);
}

TEST_CASE(
    "a float2 of four addresses takes two transactions and has no conflict on sm_60: "
    "forums.developer.nvidia.com/t/154784") {
  const auto line = bm::shared_array<float>("sbuf", 64);
  const auto read = bm::kernel(bm::block_dim{32}, bm::load(bm::vectorized<2>(line[tx % 4 * 2])));
  const std::string published =
      "Kernel,Event "
      "Name,Min,Max,Avg\nk,shared_ld_bank_conflict,0,0,0\nk,shared_ld_transactions,2,2,2\n";
  CHECK(bm::compare_with_profile(bm::nvidia::sm_60, read, {.blocks = 1}, published).agrees());
}

TEST_CASE("an MI300X: 1015808 cycles of conflicts are 62 for each of 16384 reads of a column") {
  const auto line = bm::shared_array<float>("line", 64, 32);
  const auto column = bm::kernel(bm::block_dim{64}, bm::load(line[tx][0]));
  CHECK(bm::totals(bm::amd::gfx942, column).loads.conflicts() == 62);
  const std::string published = bundled("lds_mi300x.csv");
  CHECK(bm::compare_with_profile(bm::amd::gfx942, column, {.blocks = 16384, .named = "conflicting"},
                                 published)
            .agrees());
  // The remainder of SQ_LDS_IDX_ACTIVE is 4 cycles per read, which the model does not have:
  // 15.50 = 62 / 4.
  CHECK(1081344 - 1015808 == 4 * 16384);
}

TEST_CASE("reading a profile takes time in proportion to its launches and instructions") {
  // A header and `rows` rows of one number each. Returns the processor's time.
  const auto seconds = [](long long rows, const std::string& header, const char* prefix,
                          const char* suffix) {
    std::string csv = header;
    for (long long row = 0; row < rows; ++row) csv += prefix + std::to_string(row) + suffix;
    const std::clock_t begin = std::clock();
    if (header.find("Source") != std::string::npos)
      CHECK(bm::sources_of(csv).at(0).instructions.size() == static_cast<std::size_t>(rows));
    else
      CHECK(bm::launches_of(csv).size() == static_cast<std::size_t>(rows));
    return static_cast<double>(std::clock() - begin);
  };
  const auto of_launches = [&](long long rows) {
    return seconds(rows, "Kernel Name,ID,Metric Name,Metric Value\n", "k,",
                   ",smsp__inst_executed_op_shared_ld.sum,7\n");
  };
  const auto of_instructions = [&](long long rows) {
    return seconds(rows, "Address,Source,L1 Wavefronts Shared\n", "0x", ",LDS R0 [R1],3\n");
  };
  // Eight times the rows take eight times the time, and took about sixty-four times.
  CHECK(of_launches(16000) < 24 * of_launches(2000));
  CHECK(of_instructions(16000) < 24 * of_instructions(2000));
}
