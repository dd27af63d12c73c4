// SPDX-License-Identifier: MIT
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace bench {
namespace {

constexpr double left = 84, right = 620, top = 66, bottom = 386, width = 820, height = 446;

// Its own background, so that it is legible wherever it is shown; colours that differ in lightness
// too, and a shape of marker for each series.
constexpr const char* style = R"(<style>
text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:13px;fill:#1f2328}
.h{font-size:15px;font-weight:700}.e{text-anchor:end}.m{text-anchor:middle}
.page{fill:#fff;stroke:#d1d9e0}.grid{stroke:#d1d9e0}.line{fill:none;stroke-width:2}
.l0{stroke:#bc4c00}.f0{fill:#bc4c00}.l1{stroke:#0969da}.f1{fill:#0969da}.l2{stroke:#1a7f37}.f2{fill:#1a7f37}
@media (prefers-color-scheme:dark){
text{fill:#f0f6fc}.page{fill:#0d1117;stroke:#3d444d}.grid{stroke:#3d444d}
.l0{stroke:#f0883e}.f0{fill:#f0883e}.l1{stroke:#58a6ff}.f1{fill:#58a6ff}.l2{stroke:#56d364}.f2{fill:#56d364}
}
</style>
)";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// A logarithmic axis from one power of ten to another, on the pixels from `begin` to `end`.
struct axis {
  int low, high;
  double begin, end;
  double pixel(double value) const {
    return begin + (end - begin) * (std::log10(value) - low) / (high - low);
  }
};

axis axis_of(const std::vector<series>& curves, bool sizes, double begin, double end) {
  double minimum = 1e300, maximum = 0;
  for (const series& curve : curves)
    for (const auto& [size, ns] : curve.points) {
      minimum = std::min(minimum, sizes ? size : ns);
      maximum = std::max(maximum, sizes ? size : ns);
    }
  // A little tolerance, since log10(1000) may be less than 3.
  const int low = static_cast<int>(std::floor(std::log10(minimum) + 1e-9));
  const int high = static_cast<int>(std::ceil(std::log10(maximum) - 1e-9));
  return {low, std::max(high, low + 1), begin, end};
}

std::string text(double x, double y, const char* classes, const std::string& words) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + classes + "\">" +
         words + "</text>\n";
}
std::string line(double x, double y, double to_x, double to_y) {
  return "<line class=\"grid\" x1=\"" + number(x) + "\" y1=\"" + number(y) + "\" x2=\"" +
         number(to_x) + "\" y2=\"" + number(to_y) + "\"/>\n";
}

std::string power_of_ten(int exponent) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = "10";
  for (const char digit : std::to_string(exponent)) result += digits[digit - '0'];
  return exponent == 0 ? "1" : exponent == 1 ? "10" : exponent == 2 ? "100" : result;
}
std::string time_of_ten(int exponent) {
  static constexpr const char* units[] = {" ns", " µs", " ms", " s"};
  const int unit = std::clamp(exponent / 3, 0, 3);
  return "1" + std::string(static_cast<std::size_t>(exponent - 3 * unit), '0') + units[unit];
}

std::string marker(std::size_t index, double x, double y) {
  const std::string fill = " class=\"f" + std::to_string(index) + "\"/>\n";
  if (index == 0) return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"4\"" + fill;
  if (index == 1)
    return "<rect x=\"" + number(x - 4) + "\" y=\"" + number(y - 4) +
           "\" width=\"8\" height=\"8\"" + fill;
  return "<path d=\"M" + number(x) + " " + number(y - 5) + "l5 9h-10z\"" + fill;
}

}  // namespace

std::string log_log(const std::string& title, const std::string& sizes,
                    const std::vector<series>& curves) {
  const axis x = axis_of(curves, true, left, right), y = axis_of(curves, false, bottom, top);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) +
                    " " + number(height) + "\" role=\"img\">\n<title>" + title + "</title>\n" +
                    style + "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"" +
                    number(width - 1) + "\" height=\"" + number(height - 1) + "\" rx=\"6\"/>\n" +
                    text(16, 26, "h", title);
  for (int power = x.low; power <= x.high; ++power) {
    const double position = x.pixel(std::pow(10.0, power));
    svg += line(position, top, position, bottom) +
           text(position, bottom + 18, "m", power_of_ten(power));
  }
  for (int power = y.low; power <= y.high; ++power) {
    const double position = y.pixel(std::pow(10.0, power));
    svg += line(left, position, right, position) +
           text(left - 8, position + 4, "e", time_of_ten(power));
  }
  svg += text((left + right) / 2, bottom + 42, "m", sizes) + text(16, 48, "", "CPU time");
  for (std::size_t index = 0; index < curves.size(); ++index) {
    std::string points, markers;
    for (const auto& [size, ns] : curves[index].points) {
      points += (points.empty() ? "" : " ") + number(x.pixel(size)) + "," + number(y.pixel(ns));
      markers += marker(index, x.pixel(size), y.pixel(ns));
    }
    svg += "<polyline class=\"line l" + std::to_string(index) + "\" points=\"" + points + "\"/>\n" +
           markers;
    const double key = top + 12 + 24 * static_cast<double>(index);
    svg += marker(index, right + 24, key) + text(right + 36, key + 4, "", curves[index].name);
  }
  return svg + "</svg>\n";
}

}  // namespace bench
