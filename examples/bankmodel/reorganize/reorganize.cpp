// SPDX-License-Identifier: MIT
#include "reorganize.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bankmodel/reorganize.hpp>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "../known_machines.hpp"
#include "../sequences.hpp"
#include "index_file.hpp"
#include "new_files.hpp"

namespace reorganizing {

using command_line::input_error;
using command_line::joined;
namespace bm = bankmodel;

namespace {

struct options {
  std::string algorithm, machine = std::string(command_line::default_machine), output;
  std::vector<std::string> files;
  std::uint64_t elements = 0, byte_limit = ~std::uint64_t{0}, shared_bytes = 49152, seed = 0;
  int element_bytes = 4, block = 256, cores = 0;
  double ratio = 1;
  std::string clusters = "first-come";
  bool may_skip = false, missing_elements = false, keep_tiles = false;
};

const std::vector<std::string> algorithms = {"count",   "duplication",   "padding",
                                             "sharing", "repositioning", "swapping"};
const std::vector<std::string> clusterings = {"none", "first-come", "from-seeds", "hierarchical"};

void add_options(CLI::App& app, options& result) {
  app.add_option("algorithm", result.algorithm, "count (the traffic alone) or what to do")
      ->required()
      ->check(CLI::IsMember(algorithms));
  app.add_option("files", result.files,
                 "index arrays, an index for each thread: .npy, .txt or .csv, else raw integers of "
                 "32 bits; each one reference, or a .npy file several")
      ->required();
  app.add_option("--elements", result.elements, "elements of the data array")->required();
  app.add_option("--element-bytes", result.element_bytes, "1, 2, 4, 8 or 16 (4)");
  app.add_option("-m,--machine", result.machine,
                 "its warp, sectors, lines and banks are used (sm_90)");
  app.add_option("--block", result.block, "threads of a block (256)");
  app.add_flag("--skip", result.may_skip, "-1 means that a thread makes no access");
  app.add_option("-o,--out", result.output,
                 "write OUT.data_order.npy, OUT.indices.npy, OUT.thread_order.npy, "
                 "OUT.block_begin.npy and OUT.block_size.npy, those that there are");
  app.add_option("--byte-limit", result.byte_limit, "the most bytes of the new data");
  app.add_option("--ratio", result.ratio, "duplication: the part of the blocks, 0.5 for one half");
  app.add_flag("--missing-elements", result.missing_elements,
               "padding: fill a segment as long as the missing elements fit");
  app.add_option("--clusters", result.clusters,
                 "sharing: none, first-come, from-seeds, hierarchical")
      ->check(CLI::IsMember(clusterings));
  app.add_option("--seed", result.seed, "sharing: of from-seeds");
  app.add_option("--shared-bytes", result.shared_bytes, "sharing: of a block's tile (49152)");
  app.add_flag("--keep-tiles", result.keep_tiles, "sharing: elements of a tile as they come");
  app.add_option("--cores", result.cores, "threads of the CPU; the result is the same (all)");
}

// A line on the terminal while long work is done.
void tell(const std::string& doing) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K%s", doing.c_str());
}

void print(const char* name, const re::reference_traffic& traffic, std::uint64_t bytes) {
  std::printf("%-7s %16llu %16llu %16llu %16llu %16llu\n", name,
              static_cast<unsigned long long>(traffic.requests),
              static_cast<unsigned long long>(traffic.transactions),
              static_cast<unsigned long long>(traffic.non_coalesced),
              static_cast<unsigned long long>(traffic.bytes_moved),
              static_cast<unsigned long long>(bytes));
}
void print_head() {
  std::printf("%-7s %16s %16s %16s %16s %16s\n", "", "requests", "transactions", "non-coalesced",
              "bytes moved", "bytes of data");
}

class subcommand {
 public:
  explicit subcommand(const options& settings)
      : options_(settings), machine_(command_line::machine_of(settings.machine, {})) {
    for (const std::string& name : settings.files) {
      tell(joined("reading ", name));
      files_.emplace_back(name);
      for (const re::index_array& reference : files_.back().references())
        references_.references.push_back(reference);
    }
    references_.elements = settings.elements;
    references_.element_bytes = settings.element_bytes;
    references_.warp = machine_.lanes;
    references_.block = settings.block;
    references_.segment_bytes = machine_.global.sector_bytes;
    references_.line_bytes = machine_.global.line_bytes;
    references_.may_skip = settings.may_skip;
    references_.byte_limit = settings.byte_limit;
    references_.cores = settings.cores;
  }

  void run() {
    tell("counting");
    original_traffic_ = re::traffic(references_);
    const std::uint64_t bytes =
        references_.elements * static_cast<std::uint64_t>(references_.element_bytes);
    if (options_.algorithm == "count") return report(nullptr, bytes);
    tell(options_.algorithm);
    if (options_.algorithm == "duplication")
      return finish(re::duplicate(references_, options_.ratio));
    if (options_.algorithm == "padding")
      return finish(re::pad(references_, options_.missing_elements ? re::filling::missing_elements
                                                                   : re::filling::all_elements));
    if (options_.algorithm == "repositioning") return finish(re::reposition(references_));
    if (options_.algorithm == "swapping") return finish(re::swap_threads(references_));
    share();
  }

 private:
  void report(const re::reference_traffic* changed, std::uint64_t bytes) const {
    tell("");
    print_head();
    print("before", original_traffic_,
          references_.elements * static_cast<std::uint64_t>(references_.element_bytes));
    if (changed != nullptr) print("after", *changed, bytes);
  }
  void write(const char* suffix, const std::vector<std::uint32_t>& numbers) {
    if (options_.output.empty() || numbers.empty()) return;
    new_file& file = new_.add(joined(options_.output, ".", suffix, ".npy"));
    file.append(numbers);
    file.finish({numbers.size()});
  }
  void finish(const re::duplication& result) {
    const re::reference_traffic changed = re::traffic_after(references_, result);
    write("data_order", result.data_order);
    new_.place();
    report(&changed, re::data_bytes(references_, result));
    std::printf("threads below %llu read place reference * %llu + thread\n",
                static_cast<unsigned long long>(result.copied_threads),
                static_cast<unsigned long long>(result.stride));
  }
  void finish(const re::reorganization& result) {
    const re::reference_traffic changed = re::traffic_after(references_, result);
    write("data_order", result.data_order);
    write("thread_order", result.thread_order);
    if (!options_.output.empty()) {
      new_file& file = new_.add(options_.output + ".indices.npy");
      for (const std::vector<std::uint32_t>& indices : result.indices) file.append(indices);
      file.finish({result.indices.size(), references_.threads()});
    }
    new_.place();
    report(&changed, re::data_bytes(references_, result));
  }

  // Without clustering, chunks of blocks are shared one after the other, so that the memory does
  // not grow with the launch.
  void share() {
    re::sharing_options rules{re::clustering::none, options_.seed, options_.shared_bytes};
    while (clusterings[static_cast<std::size_t>(rules.clusters)] != options_.clusters)
      rules.clusters = static_cast<re::clustering>(static_cast<int>(rules.clusters) + 1);
    const std::uint64_t blocks = references_.blocks();
    const std::uint64_t step =
        rules.clusters == re::clustering::none
            ? std::max<std::uint64_t>(1, (1 << 22) / static_cast<std::uint64_t>(references_.block))
            : blocks;
    const bool writes = !options_.output.empty();
    new_file* const data = writes ? &new_.add(options_.output + ".data_order.npy") : nullptr;
    new_file* const indices = writes ? &new_.add(options_.output + ".indices.npy") : nullptr;
    std::vector<std::uint32_t> begins, sizes, thread_order;
    re::reference_traffic changed;
    bm::cost tiles;
    std::uint64_t places = 0;
    for (std::uint64_t first = 0; first < blocks; first += step) {
      tell(joined("sharing: block ", first, " of ", blocks));
      re::irregular_references chunk = references_.part(first, std::min(step, blocks - first));
      re::shared_blocks shared = re::share(chunk, rules);
      if (!options_.keep_tiles) re::lower_conflicts(machine_, chunk, shared);
      changed.add(re::traffic_after(chunk, shared));
      tiles = tiles + re::tile_cost(machine_, chunk, shared);
      references_.require_places(places + shared.data_order.size());
      for (const std::uint32_t begin : shared.block_begin)
        begins.push_back(begin + static_cast<std::uint32_t>(places));
      command_line::append(sizes, shared.block_size);
      places += shared.data_order.size();
      if (writes) {
        data->append(shared.data_order);
        for (std::size_t reference = 0; reference < shared.indices.size(); ++reference)
          indices->write(reference * references_.threads() +
                             first * static_cast<std::uint64_t>(references_.block),
                         shared.indices[reference]);
      }
      thread_order = std::move(shared.thread_order);
    }
    if (writes) {
      data->finish({places});
      indices->finish({references_.references.size(), references_.threads()});
    }
    write("block_begin", begins);
    write("block_size", sizes);
    write("thread_order", thread_order);
    new_.place();
    report(&changed, places * static_cast<std::uint64_t>(references_.element_bytes));
    std::printf("tiles: %llu wavefronts, %llu conflicts, at most %u elements\n",
                static_cast<unsigned long long>(tiles.wavefronts),
                static_cast<unsigned long long>(tiles.conflicts()),
                sizes.empty() ? 0u : *std::ranges::max_element(sizes));
  }

  const options& options_;
  bm::machine machine_;
  std::deque<index_file> files_;
  re::irregular_references references_;
  re::reference_traffic original_traffic_;
  new_files new_;
};

}  // namespace

int run(int count, char** arguments) {
  CLI::App app(
      "Puts irregular references A[P[tid]] in order: reads their index arrays and writes new "
      "orders of data and threads. An output file appears whole or not at all.",
      "bankmodel reorganize");
  options settings;
  add_options(app, settings);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    throw input_error(error.what(), "bankmodel reorganize --help lists the arguments");
  }
  try {
    subcommand(settings).run();
  } catch (const bm::error& failure) {
    tell("");
    std::fprintf(stderr, "%s\n", failure.what());
    return 2;
  }
  if (std::fflush(stdout) != 0) throw input_error("cannot write to standard output", "");
  return 0;
}

}  // namespace reorganizing
