// What a drawing needs and a library would bring: logarithmic axes with ticks, and labels that do not cover each other.
// Knows pixels and no kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::report {

// From a value to a pixel; `first` and `last` are the pixels of `low` and `high`.
struct LogAxis {
  double low = 1, high = 10, first = 0, last = 1;
  double at(double value) const;     // clamped to the axis
  std::vector<double> ticks() const; // about five: powers of ten, or 1-2-5 steps where few powers fit
};

std::string tick_text(double value); // "0.5", "20", "4k"

// Labels that cover neither each other nor what is to stay free. Of two labels one above the other the upper is that of
// the upper point or line, unless no other place is left; where there is none at all, the label is left out.
class Labels {
 public:
  struct Area {
    double left = 0, right = 0, top = 0, bottom = 0;
  };
  explicit Labels(Area bounds) : bounds_(bounds) {}
  void keep_free(Area area) { taken_.push_back(area); }
  // Asks for text beside a point at (x, y) whose mark has this radius; the most important one first.
  void beside(double x, double y, double radius, std::string text, std::string css_class);
  // The markup of all that was asked for since the last time.
  std::string place();
  // Text along a line: its middle at (x, y), above it, turned by `degrees`. Markup; empty where there is no room.
  std::string along(double x, double y, double degrees, std::string_view text, std::string_view css_class);
  // The same under a level line.
  std::string under(double x, double y, std::string_view text, std::string_view css_class);

 private:
  struct Label {
    Area area;
    double y = 0; // of its point or line
  };
  struct Request {
    double x = 0, y = 0, radius = 0;
    std::string text, css_class;
  };
  bool claim(Area area);
  bool keeps_order(Area area, double y) const;
  std::string find_place(const Request& request, bool in_order);
  Area bounds_;
  std::vector<Area> taken_;
  std::vector<Label> labels_;
  std::vector<Request> requests_;
};

} // namespace warptune::report
