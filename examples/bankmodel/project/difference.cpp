// SPDX-License-Identifier: MIT
#include "difference.hpp"

#include <map>
#include <set>
#include <tuple>

#include "../compiled/code/short_names.hpp"

namespace project {

namespace {

// Pairs what has the same key on both sides, in order, and takes it out of both lists.
template <class Side, class Key, class Use>
void pair_by(std::vector<const Side*>& previous, std::vector<const Side*>& current, const Key& key,
             const Use& use) {
  std::multimap<decltype(key(*previous[0])), const Side*> known;
  for (const Side* const item : previous) known.emplace(key(*item), item);
  std::set<const Side*> used;
  for (const Side*& item : current) {
    const auto same = known.find(key(*item));  // the first of those that were added
    if (same == known.end()) continue;
    use(same->second, item);
    used.insert(same->second);
    known.erase(same);
    item = nullptr;
  }
  std::erase(current, nullptr);
  std::erase_if(previous, [&](const Side* const item) { return used.count(item) > 0; });
}

// The same where one alone has the key on each side: of several nobody knows which became which.
template <class Side, class Key, class Use>
void pair_where_single(std::vector<const Side*>& previous, std::vector<const Side*>& current,
                       const Key& key, const Use& use) {
  const auto without_repeated = [&](const std::vector<const Side*>& list) {
    std::map<decltype(key(*list[0])), int> count;
    for (const Side* const item : list) ++count[key(*item)];
    std::vector<const Side*> result;
    for (const Side* const item : list)
      if (count[key(*item)] == 1) result.push_back(item);
    return result;
  };
  std::vector<const Side*> single_before = without_repeated(previous),
                           single_after = without_repeated(current);
  std::set<const Side*> used;
  pair_by(single_before, single_after, key, [&](const Side* const left, const Side* const right) {
    use(left, right);
    used.insert({left, right});
  });
  for (auto* const side : {&previous, &current})
    std::erase_if(*side, [&](const Side* const item) { return used.count(item) > 0; });
}

template <class Side>
std::vector<const Side*> pointers_to(const std::vector<Side>& list) {
  std::vector<const Side*> result;
  for (const Side& item : list) result.push_back(&item);
  return result;
}

bool takes_the_same(const reported_access& left, const reported_access& right) {
  return std::tie(left.requests, left.units, left.ideal) ==
         std::tie(right.requests, right.units, right.ideal);
}

std::vector<access_change> changed_accesses(const reported_kernel* previous,
                                            const reported_kernel* current) {
  auto old = previous ? pointers_to(previous->accesses) : std::vector<const reported_access*>();
  auto newer = current ? pointers_to(current->accesses) : std::vector<const reported_access*>();
  std::map<const reported_access*, const reported_access*> before_of;
  const auto use = [&](const reported_access* const left, const reported_access* const right) {
    before_of[right] = left;
  };
  pair_by(
      old, newer,
      [](const reported_access& access) {
        return std::tie(access.is_global, access.array, access.operation, access.bytes,
                        access.source);
      },
      use);
  pair_by(
      old, newer,
      [](const reported_access& access) {
        return std::tie(access.is_global, access.array, access.operation);
      },
      use);
  std::vector<access_change> result;
  if (current)
    for (const reported_access& access : current->accesses) {
      const auto same = before_of.find(&access);
      if (same == before_of.end())
        result.push_back({nullptr, &access});
      else if (!takes_the_same(*same->second, access))
        result.push_back({same->second, &access});
    }
  for (const reported_access* const access : old) result.push_back({access, nullptr});
  return result;
}

// The name without namespaces, template arguments and parameters: "gemm" of
// ns::gemm<float>(float*).
std::string bare_name(const std::string& name) {
  const std::string own = compiled::unqualified_name(name);
  return own.substr(0, own.find_first_of("<("));
}

// The same with the namespaces and classes around it: "ns::gemm".
std::string qualified_name(const std::string& name) {
  return name.substr(0, name.size() - compiled::unqualified_name(name).size()) + bare_name(name);
}

// Which of its kernel's arms each one is, from 0.
std::map<const reported_kernel*, int> arms_of(const report& side) {
  std::map<std::tuple<std::string, std::string, std::string>, int> next;
  std::map<const reported_kernel*, int> result;
  for (const reported_kernel& kernel : side.kernels)
    result[&kernel] = kernel.arm.empty() ? 0 : next[{kernel.file, kernel.machine, kernel.symbol}]++;
  return result;
}

std::size_t files_of(const report& side) {
  std::set<std::string> files;
  for (const reported_kernel& kernel : side.kernels) files.insert(kernel.file);
  return files.size();
}

}  // namespace

std::uint64_t kernel_change::excessive_before(bool is_global) const {
  return previous ? previous->excessive(is_global) : 0;
}

std::uint64_t kernel_change::excessive_after(bool is_global) const {
  return current ? current->excessive(is_global) : 0;
}

bool kernel_change::is_worse() const {
  return excessive_after(false) > excessive_before(false) ||
         excessive_after(true) > excessive_before(true);
}

bool kernel_change::is_better() const {
  return !is_worse() && (excessive_after(false) < excessive_before(false) ||
                         excessive_after(true) < excessive_before(true));
}

bool kernel_change::is_same() const { return previous && current && accesses.empty(); }

std::vector<kernel_change> differences_of(const report& previous, const report& current,
                                          renaming files) {
  auto old = pointers_to(previous.kernels), newer = pointers_to(current.kernels);
  const bool is_of_one_file =
      files == renaming::possible && files_of(previous) == 1 && files_of(current) == 1;
  std::map<const reported_kernel*, const reported_kernel*> before_of;
  const auto use = [&](const reported_kernel* const left, const reported_kernel* const right) {
    before_of[right] = left;
  };
  std::map<const reported_kernel*, int> arms = arms_of(previous);
  arms.merge(arms_of(current));
  // By a name of the kernel in its file, on its machine.
  const auto key_of = [&](const auto& name) {
    return [&, name](const reported_kernel& candidate) {
      return std::tuple(is_of_one_file ? "" : candidate.file, candidate.machine, name(candidate));
    };
  };
  using kernel = reported_kernel;
  pair_by(old, newer, key_of([](const kernel& item) { return std::pair(item.symbol, item.arm); }),
          use);
  pair_where_single(old, newer,
                    key_of([](const kernel& item) { return std::pair(item.name, item.arm); }), use);
  pair_where_single(old, newer, key_of([&](const kernel& item) {
                      return std::pair(qualified_name(item.name), arms[&item]);
                    }),
                    use);
  pair_where_single(old, newer, key_of([&](const kernel& item) {
                      return std::pair(bare_name(item.name), arms[&item]);
                    }),
                    use);
  if (is_of_one_file)
    pair_where_single(old, newer, [](const kernel& item) { return item.machine; }, use);

  std::vector<kernel_change> result;
  std::set<const reported_kernel*> used;
  for (const reported_kernel& entry : current.kernels) {
    const auto same = before_of.find(&entry);
    const reported_kernel* const earlier = same == before_of.end() ? nullptr : same->second;
    used.insert(earlier);
    result.push_back({earlier, &entry, changed_accesses(earlier, &entry)});
  }
  for (const reported_kernel& entry : previous.kernels)
    if (used.count(&entry) == 0)
      result.push_back({&entry, nullptr, changed_accesses(&entry, nullptr)});
  return result;
}

}  // namespace project
