// The parameter types in mangled names. The names are those of g++ and NVRTC.
#include "jit/mangled_parameters.h"

#include <gmock/gmock.h>
#include <string>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(MangledParameters, OfPlainFunctions) {
  // plain(const float*, float*, int, float, double, bool, unsigned, long long, Map, E)
  EXPECT_THAT(mangled_parameters("_Z5plainPKfPfifdbjx3Map1E"),
              Optional(ElementsAre("", "", "int", "float", "double", "bool", "unsigned int", "long long", "", "")));
  EXPECT_THAT(mangled_parameters("_Z4nonev"), Optional(IsEmpty()));
  EXPECT_THAT(mangled_parameters("_ZL5innerf"), Optional(ElementsAre("float")));
  EXPECT_THAT(mangled_parameters("_Z4half6__half13__nv_bfloat16"), Optional(ElementsAre("", "")));
}

TEST(MangledParameters, OfFunctionsInNamespaces) {
  EXPECT_THAT(mangled_parameters("_ZN2ns4openEl"), Optional(ElementsAre("long")));
  // ns::(anonymous namespace)::hidden(float, int (*)(float), Box<float> const&)
  EXPECT_THAT(mangled_parameters("_ZN2ns12_GLOBAL__N_16hiddenEfPFifERK3BoxIfE"),
              Optional(ElementsAre("float", "", "")));
}

TEST(MangledParameters, OfTemplatesWithTheirArguments) {
  // two<int, float>(T, U, T*, U): the second U is a substitution, which the code does not resolve
  EXPECT_THAT(mangled_parameters("_Z3twoIifEvT_T0_PS0_S1_"), Optional(ElementsAre("int", "float", "", "")));
  // tmpl<float, 4, true>(const T*, T, int, Box<T>, std::remove_const<T>::type)
  EXPECT_THAT(mangled_parameters("_Z4tmplIfLi4ELb1EEvPKT_S0_i3BoxIS0_ENSt12remove_constIS0_E4typeE"),
              Optional(ElementsAre("", "", "int", "", "")));
  EXPECT_THAT(mangled_parameters("_ZN1n1tItEEvT_m"), Optional(ElementsAre("unsigned short", "unsigned long")));
}

TEST(MangledParameters, NothingRatherThanAGuess) {
  EXPECT_EQ(mangled_parameters("scale"), std::nullopt) << "extern C";
  EXPECT_EQ(mangled_parameters("_Z4packIJifEEvDpT_"), std::nullopt) << "a pack";
  EXPECT_EQ(mangled_parameters("_Z6sfinaeIfENSt9enable_ifIXeqstT_Li4EEvE4typeES1_i"), std::nullopt) << "an expression";
  EXPECT_EQ(mangled_parameters("_Z5fnargIXadL_Z1gfEEEvi"), std::nullopt) << "the address of a function";
}

TEST(MangledParameters, AnyTextEnds) {
  const std::string name = "_ZN2ns12_GLOBAL__N_16hiddenIfLi4EEEvPFifERK3BoxIfE";
  for (std::size_t size = 0; size < name.size(); ++size)
    for (const char* tail : {"", "E", "I", "N", "S", "T", "99999999999999999999x", "_"})
      (void)mangled_parameters(name.substr(0, size) + tail);
  EXPECT_EQ(mangled_parameters("_Z1f" + std::string(100000, 'P') + "i"), std::nullopt);
  EXPECT_EQ(mangled_parameters("_Z1fI" + std::string(100000, 'J')), std::nullopt);
  EXPECT_EQ(mangled_parameters("_Z99999999999999999999999f"), std::nullopt);
}

} // namespace
} // namespace warptune
