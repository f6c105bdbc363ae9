// blend_db FILE GROUPS MIX: writes the small operator of the runtime's tests as a database, with cubins that the fake
// driver loads: tuned for n=1024 and, through a workspace in two launches, for n=2048. GROUPS: an operator with a list
// as a dim. MIX: one with arguments that exist only for some problems.
#include "unit/runtime/grouped_fixture.h"
#include "unit/runtime/mixed_fixture.h"

#include <cstdio>

int main(int argc, char** argv) {
  using namespace warptune::test;
  try {
    if (argc != 4) throw std::runtime_error("usage: blend_db FILE GROUPS MIX");
    add_tuned(argv[1], {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200", "fake image"},
                        {"n=2048;fp32;mode=plain", "WIDTH=4,SPLIT=2", "Fake H200", "fake image of two"}});
    add_grouped(argv[2]);
    add_mixed(argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "blend_db: %s\n", error.what());
    return 1;
  }
}
