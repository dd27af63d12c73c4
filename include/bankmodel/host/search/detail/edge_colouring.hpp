// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_HOST_SEARCH_DETAIL_EDGE_COLOURING_HPP
#define BANKMODEL_HOST_SEARCH_DETAIL_EDGE_COLOURING_HPP

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <bankmodel/core/hide_macros.hpp>

// Colours the edges of a bipartite multigraph with as many colours as the largest number of
// edges at a vertex, so that all edges at one vertex have different colours (D. König, "Über
// Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre", Math. Annalen 77,
// 1916). The edges of two colours form paths and rings. Exchanging the colours along a path
// that has more edges of one evens them out, until no two colours differ by more than one edge
// (C. McDiarmid, "The solution of a timetabling problem", 1972).
namespace bankmodel::detail {

constexpr int no_number = -1;  // no vertex, edge or colour

// Returns a colour in 0 .. colours - 1 for each edge, so that the edges at one vertex have
// different colours and the numbers of edges of any two colours differ by at most one.
// Requires: the vertices form two sides, and no edge has both ends in one side; no vertex has
// more edges than there are colours. An end that is `no_number` is a vertex of its own.
class edge_colouring {
 public:
  using ends = std::array<int, 2>;

  edge_colouring(const std::vector<ends>& edges, int vertices, int colours)
      : edges_(edges),
        colours_(colours),
        colour_(edges.size(), no_number),
        edge_(static_cast<std::size_t>(vertices) * static_cast<std::size_t>(colours), no_number),
        size_(static_cast<std::size_t>(colours), 0) {
    for (int edge = 0; edge < count(); ++edge) add(edge);
    balance();
  }

  const std::vector<int>& colour_of_each() const { return colour_; }

 private:
  int count() const { return static_cast<int>(edges_.size()); }
  int colour(int edge) const { return colour_[static_cast<std::size_t>(edge)]; }
  int end(int edge, int side) const {
    return edges_[static_cast<std::size_t>(edge)][static_cast<std::size_t>(side)];
  }
  int other_end(int edge, int vertex) const { return end(edge, end(edge, 0) == vertex ? 1 : 0); }
  int& edge_at(int vertex, int colour_index) {
    return edge_[static_cast<std::size_t>(vertex) * static_cast<std::size_t>(colours_) +
                 static_cast<std::size_t>(colour_index)];
  }
  bool is_free(int colour_index, int vertex) {
    return vertex == no_number || edge_at(vertex, colour_index) == no_number;
  }
  int free_colour(int vertex) {
    int candidate = 0;
    while (!is_free(candidate, vertex)) ++candidate;
    return candidate;
  }

  void set(int edge, int new_colour) {
    colour_[static_cast<std::size_t>(edge)] = new_colour;
    ++size_[static_cast<std::size_t>(new_colour)];
    for (const int vertex : edges_[static_cast<std::size_t>(edge)])
      if (vertex != no_number) edge_at(vertex, new_colour) = edge;
  }
  void clear(int edge) {
    --size_[static_cast<std::size_t>(colour(edge))];
    for (const int vertex : edges_[static_cast<std::size_t>(edge)])
      if (vertex != no_number) edge_at(vertex, colour(edge)) = no_number;
  }

  // The path from `edge` over `vertex` whose edges have its own colour and `second` by turns.
  // Requires: at its other end there is no edge of colour `second`, so it is not a ring.
  std::vector<int> path(int edge, int vertex, int second) {
    std::vector<int> edges{edge};
    for (int first = colour(edge); !is_free(second, vertex); std::swap(first, second)) {
      edge = edge_at(vertex, second);
      vertex = other_end(edge, vertex);
      edges.push_back(edge);
    }
    return edges;
  }
  void exchange(const std::vector<int>& edges, int first, int second) {
    for (const int edge : edges) clear(edge);
    for (const int edge : edges) set(edge, first + second - colour(edge));
  }

  void add(int edge) {
    const int left = end(edge, 0), right = end(edge, 1);
    int common = 0;
    while (common < colours_ && !(is_free(common, left) && is_free(common, right))) ++common;
    if (common == colours_) {
      // Makes the colour that is free at one end free at the other end too. The exchanged path
      // reaches the side of `left` only by edges of that colour, and `left` has none, so the
      // path does not end there.
      common = free_colour(left);
      const int second = free_colour(right), first_edge = edge_at(right, common);
      exchange(path(first_edge, other_end(first_edge, right), second), common, second);
    }
    set(edge, common);
  }

  // If two colours have different numbers of edges, paths that begin and end in the larger one
  // exist at least as often as the difference.
  void balance() {
    for (;;) {
      const auto [least, most] = std::minmax_element(size_.begin(), size_.end());
      int moves = (*most - *least) / 2;
      if (moves == 0) return;
      const int small = static_cast<int>(least - size_.begin()),
                large = static_cast<int>(most - size_.begin());
      for (int edge = 0; moves > 0; ++edge)
        for (int side = 0; side < 2 && colour(edge) == large; ++side) {
          if (!is_free(small, end(edge, side))) continue;
          const std::vector<int> edges = path(edge, end(edge, 1 - side), small);
          if (edges.size() % 2 == 0) continue;
          exchange(edges, large, small);
          --moves;
        }
    }
  }

  const std::vector<ends>& edges_;
  int colours_;
  // colour_: of each edge; edge_: the edge of each colour at each vertex
  std::vector<int> colour_, edge_;
  std::vector<int> size_;  // number of edges of each colour
};

}  // namespace bankmodel::detail

#include <bankmodel/core/restore_macros.hpp>

#endif
