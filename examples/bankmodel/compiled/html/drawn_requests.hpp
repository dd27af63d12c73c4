// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "../page/page.hpp"

namespace compiled {

// The pictures of the worst requests of a document, by their accesses. A picture takes about 20 kB:
// where they would take more than 180 kB together, it is those of the accesses that take most
// beyond their ideal.
class drawn_requests {
 public:
  explicit drawn_requests(const std::vector<page>& pages);

  // Empty where no request is known. Error: what cannot be drawn, as for picture_of().
  std::string draw(const page& shown_page, const priced_access& access) const;
  // The document has no room for its picture.
  bool leaves_out(const priced_access& access) const;

 private:
  std::map<const priced_access*, std::string> drawn_;
  std::set<const priced_access*> left_out_;
};

}  // namespace compiled
