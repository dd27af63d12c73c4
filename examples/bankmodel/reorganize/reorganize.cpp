// SPDX-License-Identifier: MIT
#include "reorganize.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <bankmodel/reorganize.hpp>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "../known_machines.hpp"
#include "index_file.hpp"
#include "new_files.hpp"

namespace reorganizing {

using command_line::joined;
using command_line::refusal;
namespace bm = bankmodel;

namespace {

struct options {
  std::string algorithm, machine = std::string(command_line::default_machine), out;
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

void add_options(CLI::App& app, options& to) {
  app.add_option("algorithm", to.algorithm, "count (the traffic alone) or what to do")
      ->required()
      ->check(CLI::IsMember(algorithms));
  app.add_option("files", to.files,
                 "index arrays, an index for each thread: .npy, .txt or .csv, else raw integers of "
                 "32 bits; each one reference, or a .npy file several")
      ->required();
  app.add_option("--elements", to.elements, "elements of the data array")->required();
  app.add_option("--element-bytes", to.element_bytes, "1, 2, 4, 8 or 16 (4)");
  app.add_option("-m,--machine", to.machine, "its warp, sectors, lines and banks are used (sm_90)");
  app.add_option("--block", to.block, "threads of a block (256)");
  app.add_flag("--skip", to.may_skip, "-1 means that a thread makes no access");
  app.add_option("-o,--out", to.out,
                 "write OUT.data_order.npy, OUT.indices.npy, OUT.thread_order.npy, "
                 "OUT.block_begin.npy and OUT.block_size.npy, those that there are");
  app.add_option("--byte-limit", to.byte_limit, "the most bytes of the new data");
  app.add_option("--ratio", to.ratio, "duplication: the part of the blocks, 0.5 for one half");
  app.add_flag("--missing-elements", to.missing_elements,
               "padding: fill a segment as long as the missing elements fit");
  app.add_option("--clusters", to.clusters, "sharing: none, first-come, from-seeds, hierarchical")
      ->check(CLI::IsMember(clusterings));
  app.add_option("--seed", to.seed, "sharing: of from-seeds");
  app.add_option("--shared-bytes", to.shared_bytes, "sharing: of a block's tile (49152)");
  app.add_flag("--keep-tiles", to.keep_tiles, "sharing: elements of a tile as they come");
  app.add_option("--cores", to.cores, "threads of the CPU; the result is the same (all)");
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
  explicit subcommand(const options& given)
      : given_(given), machine_(command_line::machine_of(given.machine, {})) {
    for (const std::string& name : given.files) {
      tell(joined("reading ", name));
      files_.emplace_back(name);
      for (const re::index_array& one : files_.back().references()) of_.references.push_back(one);
    }
    of_.elements = given.elements;
    of_.element_bytes = given.element_bytes;
    of_.warp = machine_.lanes;
    of_.block = given.block;
    of_.segment_bytes = machine_.global.sector_bytes;
    of_.line_bytes = machine_.global.line_bytes;
    of_.may_skip = given.may_skip;
    of_.byte_limit = given.byte_limit;
    of_.cores = given.cores;
  }

  void run() {
    tell("counting");
    before_ = re::traffic(of_);
    const std::uint64_t bytes = of_.elements * static_cast<std::uint64_t>(of_.element_bytes);
    if (given_.algorithm == "count") return report(nullptr, bytes);
    tell(given_.algorithm);
    if (given_.algorithm == "duplication") return finish(re::duplicate(of_, given_.ratio));
    if (given_.algorithm == "padding")
      return finish(re::pad(of_, given_.missing_elements ? re::filling::missing_elements
                                                         : re::filling::all_elements));
    if (given_.algorithm == "repositioning") return finish(re::reposition(of_));
    if (given_.algorithm == "swapping") return finish(re::swap_threads(of_));
    share();
  }

 private:
  void report(const re::reference_traffic* after, std::uint64_t bytes) const {
    tell("");
    print_head();
    print("before", before_, of_.elements * static_cast<std::uint64_t>(of_.element_bytes));
    if (after != nullptr) print("after", *after, bytes);
  }
  void write(const char* what, const std::vector<std::uint32_t>& numbers) {
    if (given_.out.empty() || numbers.empty()) return;
    new_file& to = new_.add(joined(given_.out, ".", what, ".npy"));
    to.append(numbers);
    to.finish({numbers.size()});
  }
  void finish(const re::duplication& result) {
    const re::reference_traffic after = re::traffic_after(of_, result);
    write("data_order", result.data_order);
    new_.place();
    report(&after, re::data_bytes(of_, result));
    std::printf("threads below %llu read place reference * %llu + thread\n",
                static_cast<unsigned long long>(result.copied_threads),
                static_cast<unsigned long long>(result.stride));
  }
  void finish(const re::reorganization& result) {
    const re::reference_traffic after = re::traffic_after(of_, result);
    write("data_order", result.data_order);
    write("thread_order", result.thread_order);
    if (!given_.out.empty()) {
      new_file& to = new_.add(given_.out + ".indices.npy");
      for (const std::vector<std::uint32_t>& one : result.indices) to.append(one);
      to.finish({result.indices.size(), of_.threads()});
    }
    new_.place();
    report(&after, re::data_bytes(of_, result));
  }

  // Without clustering, chunks of blocks are shared one after the other, so that the memory does
  // not grow with the launch.
  void share() {
    re::sharing_options how{re::clustering::none, given_.seed, given_.shared_bytes};
    while (clusterings[static_cast<std::size_t>(how.clusters)] != given_.clusters)
      how.clusters = static_cast<re::clustering>(static_cast<int>(how.clusters) + 1);
    const std::uint64_t all = of_.blocks();
    const std::uint64_t step =
        how.clusters == re::clustering::none
            ? std::max<std::uint64_t>(1, (1 << 22) / static_cast<std::uint64_t>(of_.block))
            : all;
    const bool writes = !given_.out.empty();
    new_file* const data = writes ? &new_.add(given_.out + ".data_order.npy") : nullptr;
    new_file* const indices = writes ? &new_.add(given_.out + ".indices.npy") : nullptr;
    std::vector<std::uint32_t> begins, sizes, thread_order;
    re::reference_traffic after;
    bm::cost tiles;
    std::uint64_t places = 0;
    for (std::uint64_t first = 0; first < all; first += step) {
      tell(joined("sharing: block ", first, " of ", all));
      re::irregular_references chunk = of_.part(first, std::min(step, all - first));
      re::shared_blocks made = re::share(chunk, how);
      if (!given_.keep_tiles) re::lower_conflicts(machine_, chunk, made);
      after.add(re::traffic_after(chunk, made));
      tiles = tiles + re::tile_cost(machine_, chunk, made);
      of_.require_places(places + made.data_order.size());
      for (const std::uint32_t one : made.block_begin)
        begins.push_back(one + static_cast<std::uint32_t>(places));
      sizes.insert(sizes.end(), made.block_size.begin(), made.block_size.end());
      places += made.data_order.size();
      if (writes) {
        data->append(made.data_order);
        for (std::size_t reference = 0; reference < made.indices.size(); ++reference)
          indices->write(reference * of_.threads() + first * static_cast<std::uint64_t>(of_.block),
                         made.indices[reference]);
      }
      thread_order = std::move(made.thread_order);
    }
    if (writes) {
      data->finish({places});
      indices->finish({of_.references.size(), of_.threads()});
    }
    write("block_begin", begins);
    write("block_size", sizes);
    write("thread_order", thread_order);
    new_.place();
    report(&after, places * static_cast<std::uint64_t>(of_.element_bytes));
    std::printf("tiles: %llu wavefronts, %llu conflicts, at most %u elements\n",
                static_cast<unsigned long long>(tiles.wavefronts),
                static_cast<unsigned long long>(tiles.conflicts()),
                sizes.empty() ? 0u : *std::max_element(sizes.begin(), sizes.end()));
  }

  const options& given_;
  bm::machine machine_;
  std::deque<index_file> files_;
  re::irregular_references of_;
  re::reference_traffic before_;
  new_files new_;
};

}  // namespace

int run(int count, char** arguments) {
  CLI::App app(
      "Puts irregular references A[P[tid]] in order: reads their index arrays and writes new "
      "orders of data and threads. An output file appears whole or not at all.",
      "bankmodel reorganize");
  options given;
  add_options(app, given);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& why) {
    throw refusal{{}, why.what(), "bankmodel reorganize --help lists the arguments"};
  }
  try {
    subcommand(given).run();
  } catch (const bm::error& why) {
    tell("");
    std::fprintf(stderr, "%s\n", why.what());
    return 2;
  }
  if (std::fflush(stdout) != 0) throw refusal{{}, "cannot write to standard output", ""};
  return 0;
}

}  // namespace reorganizing
