// Linear equations with a symmetric positive definite matrix. Knows nothing of where they come from; its loop is most
// of what learning from times costs.
#pragma once

#include <vector>

namespace warptune {

// Solves matrix * x = side by Cholesky's factors (Golub and Van Loan, Matrix Computations, 4.2); x stands in `side`.
// `matrix` row by row, of which the lower triangle is read and overwritten. n^3 / 6 multiplications; NaN where it is
// not positive definite.
void solve_positive(std::vector<double>& matrix, std::vector<double>& side);

} // namespace warptune
