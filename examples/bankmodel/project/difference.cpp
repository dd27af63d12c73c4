// SPDX-License-Identifier: MIT
#include "difference.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "../compiled/code/short_names.hpp"

namespace project {

namespace {

// Pairs what has the same key on both sides, in order, and takes it out of both lists.
template <class Side, class Key, class Use>
void pair_by(std::vector<const Side*>& before, std::vector<const Side*>& after, const Key& key,
             const Use& use) {
  std::multimap<decltype(key(*before[0])), const Side*> known;
  for (const Side* const one : before) known.emplace(key(*one), one);
  std::set<const Side*> used;
  for (const Side*& one : after) {
    const auto same = known.find(key(*one));  // the first of those that were added
    if (same == known.end()) continue;
    use(same->second, one);
    used.insert(same->second);
    known.erase(same);
    one = nullptr;
  }
  std::erase(after, nullptr);
  std::erase_if(before, [&](const Side* const one) { return used.count(one) > 0; });
}

// The same where one alone has the key on each side: of several nobody knows which became which.
template <class Side, class Key, class Use>
void pair_where_single(std::vector<const Side*>& before, std::vector<const Side*>& after,
                       const Key& key, const Use& use) {
  const auto without_repeated = [&](const std::vector<const Side*>& all) {
    std::map<decltype(key(*all[0])), int> count;
    for (const Side* const one : all) ++count[key(*one)];
    std::vector<const Side*> result;
    for (const Side* const one : all)
      if (count[key(*one)] == 1) result.push_back(one);
    return result;
  };
  std::vector<const Side*> single_before = without_repeated(before),
                           single_after = without_repeated(after);
  std::set<const Side*> used;
  pair_by(single_before, single_after, key, [&](const Side* const left, const Side* const right) {
    use(left, right);
    used.insert({left, right});
  });
  for (auto* const side : {&before, &after})
    std::erase_if(*side, [&](const Side* const one) { return used.count(one) > 0; });
}

template <class Side>
std::vector<const Side*> pointers_to(const std::vector<Side>& all) {
  std::vector<const Side*> result;
  for (const Side& one : all) result.push_back(&one);
  return result;
}

bool takes_the_same(const reported_access& left, const reported_access& right) {
  return std::tie(left.requests, left.taken, left.ideal) ==
         std::tie(right.requests, right.taken, right.ideal);
}

std::vector<access_change> changed_accesses(const reported_kernel* before,
                                            const reported_kernel* after) {
  auto old = before ? pointers_to(before->accesses) : std::vector<const reported_access*>();
  auto now = after ? pointers_to(after->accesses) : std::vector<const reported_access*>();
  std::map<const reported_access*, const reported_access*> before_of;
  const auto use = [&](const reported_access* const left, const reported_access* const right) {
    before_of[right] = left;
  };
  pair_by(
      old, now,
      [](const reported_access& one) {
        return std::tie(one.is_global, one.array, one.does, one.bytes, one.source);
      },
      use);
  pair_by(
      old, now,
      [](const reported_access& one) { return std::tie(one.is_global, one.array, one.does); }, use);
  std::vector<access_change> result;
  if (after)
    for (const reported_access& one : after->accesses) {
      const auto same = before_of.find(&one);
      if (same == before_of.end())
        result.push_back({nullptr, &one});
      else if (!takes_the_same(*same->second, one))
        result.push_back({same->second, &one});
    }
  for (const reported_access* const one : old) result.push_back({one, nullptr});
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
std::map<const reported_kernel*, int> arms_of(const report& of) {
  std::map<std::tuple<std::string, std::string, std::string>, int> next;
  std::map<const reported_kernel*, int> result;
  for (const reported_kernel& one : of.kernels)
    result[&one] = one.arm.empty() ? 0 : next[{one.file, one.machine, one.symbol}]++;
  return result;
}

std::size_t files_of(const report& of) {
  std::set<std::string> files;
  for (const reported_kernel& one : of.kernels) files.insert(one.file);
  return files.size();
}

}  // namespace

std::uint64_t kernel_change::excessive_before(bool is_global) const {
  return before ? before->excessive(is_global) : 0;
}

std::uint64_t kernel_change::excessive_after(bool is_global) const {
  return after ? after->excessive(is_global) : 0;
}

bool kernel_change::is_worse() const {
  return excessive_after(false) > excessive_before(false) ||
         excessive_after(true) > excessive_before(true);
}

bool kernel_change::is_better() const {
  return !is_worse() && (excessive_after(false) < excessive_before(false) ||
                         excessive_after(true) < excessive_before(true));
}

bool kernel_change::is_same() const { return before && after && accesses.empty(); }

std::vector<kernel_change> differences_of(const report& before, const report& after,
                                          renaming files) {
  auto old = pointers_to(before.kernels), now = pointers_to(after.kernels);
  const bool is_of_one_file =
      files == renaming::possible && files_of(before) == 1 && files_of(after) == 1;
  std::map<const reported_kernel*, const reported_kernel*> before_of;
  const auto use = [&](const reported_kernel* const left, const reported_kernel* const right) {
    before_of[right] = left;
  };
  std::map<const reported_kernel*, int> arms = arms_of(before);
  arms.merge(arms_of(after));
  // By a name of the kernel in its file, on its machine.
  const auto by = [&](const auto& name) {
    return [&, name](const reported_kernel& one) {
      return std::tuple(is_of_one_file ? "" : one.file, one.machine, name(one));
    };
  };
  using kernel = reported_kernel;
  pair_by(old, now, by([](const kernel& one) { return std::pair(one.symbol, one.arm); }), use);
  pair_where_single(old, now, by([](const kernel& one) { return std::pair(one.name, one.arm); }),
                    use);
  pair_where_single(
      old, now,
      by([&](const kernel& one) { return std::pair(qualified_name(one.name), arms[&one]); }), use);
  pair_where_single(
      old, now, by([&](const kernel& one) { return std::pair(bare_name(one.name), arms[&one]); }),
      use);
  if (is_of_one_file)
    pair_where_single(old, now, [](const kernel& one) { return one.machine; }, use);

  std::vector<kernel_change> result;
  std::set<const reported_kernel*> used;
  for (const reported_kernel& one : after.kernels) {
    const auto same = before_of.find(&one);
    const reported_kernel* const earlier = same == before_of.end() ? nullptr : same->second;
    used.insert(earlier);
    result.push_back({earlier, &one, changed_accesses(earlier, &one)});
  }
  for (const reported_kernel& one : before.kernels)
    if (used.count(&one) == 0) result.push_back({&one, nullptr, changed_accesses(&one, nullptr)});
  return result;
}

}  // namespace project
