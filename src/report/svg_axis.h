// Helpers for drawing: logarithmic axes with ticks, and labels that do not overlap. They handle only pixels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::report {

// Maps a value to a pixel. `first` is the pixel of `low`, and `last` that of `high`.
struct LogAxis {
  double low = 1, high = 10, first = 0, last = 1;
  double at(double value) const;     // clamped to the axis
  std::vector<double> ticks() const; // about five: powers of ten, or 1-2-5 steps if too few powers fit
};

std::string tick_text(double value); // formats a tick: "0.5", "20", "4k"

// Places labels so that they overlap neither each other nor reserved areas. If there is room, labels above each other
// have the order of their points or lines, and no label crosses a line. A label for which there is no place is left
// out.
class Labels {
 public:
  struct Area {
    double left = 0, right = 0, top = 0, bottom = 0;
  };
  explicit Labels(Area bounds) : bounds_(bounds) {}
  struct Line {
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  };
  void keep_free(Area area) { taken_.push_back(area); }
  // Labels of points do not cross this line. Labels along lines may cross it, because they belong to a line.
  void keep_clear_of(Line line) { lines_.push_back(line); }
  // Requests a text next to a point at (x, y), whose mark has this radius. Request the most important text first.
  void beside(double x, double y, double radius, std::string text, std::string css_class);
  // Places all texts requested since the last call, and returns their markup.
  std::string place();
  // Places a text along a line, centred at (x, y) and rotated by `degrees`. Returns its markup; empty if there is no
  // room.
  enum class Side { above, below };
  std::string along(double x, double y, double degrees, std::string_view text, std::string_view css_class,
                    Side side = Side::above);
  // Places a text below a horizontal line. Returns its markup; empty if there is no room.
  std::string under(double x, double y, std::string_view text, std::string_view css_class);

 private:
  struct Label {
    Area area;
    double y = 0; // y coordinate of the label's point or line
  };
  struct Request {
    double x = 0, y = 0, radius = 0;
    std::string text, css_class;
  };
  struct Strictness {
    bool in_order = true, clear_of_lines = true;
  };
  bool claim(Area area);
  bool keeps_order(Area area, double y) const;
  bool crosses_a_line(Area area) const;
  std::string find_place(const Request& request, Strictness strictness);
  Area bounds_;
  std::vector<Area> taken_;
  std::vector<Label> labels_;
  std::vector<Line> lines_;
  std::vector<Request> requests_;
};

} // namespace warptune::report
