// Compiles the functions of the system's fmt 9 into a static archive: Debian ships fmt only as headers and a shared
// library, and header-only use adds 1.5 s to every file that formats anything. The instantiations are those that the
// headers declare and leave to the library.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);

} // namespace detail
FMT_END_NAMESPACE
