// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_SEARCH_DETAIL_EDGE_COLOURING_HPP
#define BANKMODEL_SEARCH_DETAIL_EDGE_COLOURING_HPP

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

// The edges of a bipartite multigraph, coloured with as many colours as a vertex has edges at
// most, those at one vertex all differently (D. König, "Über Graphen und ihre Anwendung auf
// Determinantentheorie und Mengenlehre", Math. Annalen 77, 1916). Two colours alone form paths and
// rings; exchanging them along a path that has more of the one evens them out, until no two
// colours differ by more than one edge (C. McDiarmid, "The solution of a timetabling problem",
// 1972).
namespace bankmodel::detail {

constexpr int no_number = -1;  // of a vertex, an edge or a colour

// A colour below `colours` for each edge of a graph, so that the edges at one vertex all differ
// and no two colours have numbers of edges that differ by more than one. Required: the vertices
// fall into two sides, and no edge has both ends in one; no vertex has more edges than there are
// colours. An end that is `no_number` is a vertex of its own.
class edge_colouring {
 public:
  using ends = std::array<int, 2>;

  edge_colouring(const std::vector<ends>& edges, int vertices, int colours)
      : edges_(edges),
        colours_(colours),
        colour_(edges.size(), no_number),
        at_(static_cast<std::size_t>(vertices) * static_cast<std::size_t>(colours), no_number),
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
  int& edge_at(int vertex, int of) {
    return at_[static_cast<std::size_t>(vertex) * static_cast<std::size_t>(colours_) +
               static_cast<std::size_t>(of)];
  }
  bool is_free(int of, int vertex) {
    return vertex == no_number || edge_at(vertex, of) == no_number;
  }
  int free_colour(int vertex) {
    int of = 0;
    while (!is_free(of, vertex)) ++of;
    return of;
  }

  void set(int edge, int to) {
    colour_[static_cast<std::size_t>(edge)] = to;
    ++size_[static_cast<std::size_t>(to)];
    for (const int vertex : edges_[static_cast<std::size_t>(edge)])
      if (vertex != no_number) edge_at(vertex, to) = edge;
  }
  void clear(int edge) {
    --size_[static_cast<std::size_t>(colour(edge))];
    for (const int vertex : edges_[static_cast<std::size_t>(edge)])
      if (vertex != no_number) edge_at(vertex, colour(edge)) = no_number;
  }

  // The edges that follow one another from `edge` over `vertex`, in its own colour and `second` by
  // turns. Required: at its other end there is none of `second`, so that they are no ring.
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
    const int from = end(edge, 0), to = end(edge, 1);
    int both = 0;
    while (both < colours_ && !(is_free(both, from) && is_free(both, to))) ++both;
    if (both == colours_) {
      // What is free at one end is made free at the other. The path that this exchanges comes to
      // the side of `from` by edges of that colour only, of which `from` has none: so it does not
      // end there.
      both = free_colour(from);
      const int second = free_colour(to), first_edge = edge_at(to, both);
      exchange(path(first_edge, other_end(first_edge, to), second), both, second);
    }
    set(edge, both);
  }

  // Of two colours whose numbers of edges differ, there are at least as many paths that begin and
  // end in the larger.
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
  std::vector<int> colour_, at_;  // of each edge; the edge of each colour at each vertex
  std::vector<int> size_;         // edges of each colour
};

}  // namespace bankmodel::detail

#endif
