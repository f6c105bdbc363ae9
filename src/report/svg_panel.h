// The two panels of the picture. Each draws in its own rectangle, independently of the other.
#pragma once

#include "report/svg_axis.h"
#include "report/view.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::report {

struct Panel {
  double left = 0, right = 0, top = 0, bottom = 0; // the plot area, without the axis labels
};

std::string roofline_panel(const View& view, const Panel& panel);
std::string rank_panel(const View& view, const Panel& panel);

// Returns a panel's frame: grid, ticks and titles. `x_ticks`: whether the x axis shows values.
std::string frame(const Panel& panel, const LogAxis& x, const LogAxis& y, bool x_ticks, std::string_view x_title,
                  std::string_view y_title);
// Draws many points as one path of dots. Where dots overlap, only the first is drawn.
class Dots {
 public:
  void add(double x, double y);
  bool is_new() const { return is_new_; } // whether the last added point became a dot
  std::string path(std::string_view css_class) const;

 private:
  std::set<std::pair<long, long>> places_; // where dots are, in half pixels
  bool is_new_ = false;
};

Labels::Area around(double x, double y, double radius);

inline constexpr double kMarkRadius = 6; // pixels

enum class Mark { best, fastest, fallback, vendor };

// Returns a disc, ring, square or diamond: marks differ in shape and not only in colour.
std::string mark_at(Mark mark, double x, double y);

struct MarkedPoint {
  Mark mark;
  const Point& point; // a point of the view
  const char* name;
};
// Returns the marks, most important first: the winner, configurations that were faster during the search, the default.
std::vector<MarkedPoint> marked_points(const View& view);

// Returns "best 136.0 us, 93 % of the roof".
std::string best_label(const View& view);

} // namespace warptune::report
