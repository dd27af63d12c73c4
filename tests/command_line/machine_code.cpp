// SPDX-License-Identifier: MIT
// Machine code alone: what is read of cubins is what nvdisasm prints of them, and assembly for AMD.
#include "examples/bankmodel/compiled/machine_code/amd_assembly.hpp"
#include "examples/bankmodel/compiled/machine_code/cubin.hpp"
#include "examples/bankmodel/compiled/machine_code/sass_text.hpp"
#include "examples/bankmodel/file_content.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"

namespace cc = compiled;

namespace {

std::string content_of(const std::string& name) {
  return command_line::file_content(std::filesystem::path(__FILE__).parent_path() / "machine_code" /
                                    name);
}

std::string text_of(const cc::machine_access& access) {
  const char* const names[] = {"load", "store", "atomic", "ldmatrix", "stmatrix", "copy"};
  return access.file + ":" + std::to_string(access.line) + " " +
         names[static_cast<std::size_t>(access.operation)] + (access.is_shared ? " shared" : "") +
         (access.is_global ? " global" : "") + " " + std::to_string(access.bytes) +
         (access.is_repeated ? " in a loop" : "");
}

std::map<std::string, std::vector<std::string>> texts_of(const cc::machine_file& file) {
  std::map<std::string, std::vector<std::string>> result;
  for (const cc::machine_kernel& kernel : file.kernels)
    for (const cc::machine_access& access : kernel.code.accesses)
      result[kernel.name + " " + kernel.linkage].push_back(text_of(access));
  return result;
}

}  // namespace

TEST_CASE("A cubin has the accesses that nvdisasm prints of it") {
  for (const std::string machine : {"80", "90", "120"}) {
    const cc::machine_file cubin =
                               cc::kernels_in_cubin(content_of("accesses_" + machine + ".cubin")),
                           sass = cc::kernels_in_sass(content_of("accesses_" + machine + ".sass"));
    CHECK(cubin.machine == "sm_" + machine);
    CHECK(sass.machine == cubin.machine);
    CHECK(cubin.kernels.size() == 2);
    CHECK(texts_of(sass) == texts_of(cubin));
    std::set<int> widths;
    std::set<cc::access_does> kinds;
    std::size_t accesses = 0;
    for (const cc::machine_kernel& kernel : cubin.kernels)
      for (const cc::machine_access& access : kernel.code.accesses) {
        widths.insert(access.bytes);
        kinds.insert(access.operation);
        ++accesses;
      }
    CHECK(widths == std::set<int>{1, 2, 4, 8, 16});
    CHECK(kinds.size() == (machine == "80" ? 5 : 6));
    CHECK(accesses > 50);
  }
}

TEST_CASE("The accesses of a kernel in a cubin") {
  const std::string cubin = content_of("accesses_90.cubin");
  const cc::machine_code copies = cc::read_cubin(cubin, "_Z6copiesPfPKfPji");
  std::multiset<std::string> texts;
  for (const cc::machine_access& access : copies.accesses)
    if (access.line < 38) texts.insert(text_of(access).substr(std::string("accesses.cu:").size()));
  CHECK(texts == std::multiset<std::string>{
                     "12 store shared 1", "13 load shared 1", "13 store shared 2",
                     "14 copy shared global 4", "15 copy shared global 8",
                     "16 copy shared global 16", "22 ldmatrix shared 16", "23 store global 4",
                     "26 ldmatrix shared 8", "27 ldmatrix shared 4", "30 stmatrix shared 16",
                     "31 stmatrix shared 4", "33 store global 4", "35 load shared 2",
                     "37 load shared 4 in a loop"});
  // Every beginning of it is refused or read.
  for (std::size_t size = 0; size < cubin.size(); size += 7) {
    std::size_t kernels = 0;
    std::string what_to_do = "read";
    try {
      kernels = cc::kernels_in_cubin(std::string_view(cubin).substr(0, size)).kernels.size();
    } catch (const cc::machine_code_error& error) {
      what_to_do = error.right;
    }
    CHECK(kernels <= 2);
    CHECK(!what_to_do.empty());
  }
}

TEST_CASE("SASS as cuobjdump prints it") {
  const std::string text =
      "Fatbin elf code:\n================\narch = sm_86\n\tcode for sm_86\n"
      "\t\tFunction : _Z1kPf\r\n\t.headerflags\t@\"EF_CUDA_SM86\"\n"
      "        /*0000*/                   MOV R1, c[0x0][0x28] ;   /* 0x00000a0000017a02 */\n"
      "                                                            /* 0x000fe20000000f00 */\n"
      "        /*0010*/                   LDS.U.U16 R2, [R3+0x10] ;   /* 0x0 */\n"
      "        /*0020*/              @!PT LDS RZ, [RZ] ;\n"
      "        /*0030*/               @P0 STG.E.128 [R2.64], R4 ;\n"
      "        /*0040*/                   LDSM.16.MT88.2 R2, [R3] ;\n"
      "        /*0050*/              @!P0 BRA P1, 0x30 ;\n"
      "        /*0060*/                   BRA 0x60;\n"
      "\t\t..........\n\n\t\tFunction : other\n"
      "        /*0000*/                   CALL.REL.NOINC 0x0 ;\n"
      "        /*0010*/                   ATOMS.CAS.64 R2, [R3], R4, R6 ;\n";
  const cc::machine_file sass = cc::kernels_in_sass(text);
  CHECK(sass.machine == "sm_86");
  CHECK(texts_of(sass) == std::map<std::string, std::vector<std::string>>{
                              {"k _Z1kPf",
                               {":0 load shared 2", ":0 store global 16 in a loop",
                                ":0 ldmatrix shared 8 in a loop"}},
                              // What a call comes back to is not known.
                              {"other other", {":0 atomic shared 8 in a loop"}}});
  CHECK(cc::kernels_in_sass("").kernels.empty());
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK(cc::kernels_in_sass(std::string_view(text).substr(0, size)).kernels.size() <= 2);
}

TEST_CASE("Assembly for AMD") {
  const std::string text = content_of("tile.s");
  const cc::machine_file assembly = cc::kernels_in_amd_assembly(text);
  CHECK(assembly.machine == "gfx90a");
  CHECK(texts_of(assembly) ==
        std::map<std::string, std::vector<std::string>>{
            {"tile tile",
             {"tile.cl:5 load global 16", "tile.cl:6 store shared 4", "tile.cl:5 store shared 16",
              "tile.cl:10 load shared 4 in a loop", "tile.cl:13 atomic shared 4",
              "tile.cl:14 load shared 4", "tile.cl:14 store global 4"}}});
  CHECK(cc::accesses_in_assembly(text, "tile").size() == 7);
  CHECK(cc::accesses_in_assembly(text, "other").empty());
  for (std::size_t size = 0; size < text.size(); size += 3)
    CHECK(cc::kernels_in_amd_assembly(std::string_view(text).substr(0, size)).kernels.size() <= 1);
  const auto named = [](const std::string& instruction) {
    const cc::machine_file file = cc::kernels_in_amd_assembly(
        "\t.type k,@function\nk:\n\t" + instruction + " v0, v1\n.Lfunc_end0:\n");
    const std::vector<cc::machine_access>& found_there = file.kernels.at(0).code.accesses;
    return found_there.empty() ? "none" : text_of(found_there[0]).substr(3);
  };
  CHECK(named("ds_read_u8_d16") == "load shared 1");
  CHECK(named("ds_read2st64_b64") == "load shared 8");
  CHECK(named("ds_add_rtn_f32") == "atomic shared 4");
  CHECK(named("ds_cmpst_b64") == "atomic shared 8");
  CHECK(named("ds_bpermute_b32") == "none");
  CHECK(named("global_atomic_add") == "atomic global 4");
  CHECK(named("global_atomic_add_x2") == "atomic global 8");
  CHECK(named("global_atomic_pk_add_f16") == "atomic global 4");
  CHECK(named("buffer_load_dwordx4") == "load 16");
  CHECK(named("global_load_lds_dword") == "none");
  CHECK(named("v_add_f32") == "none");
}
