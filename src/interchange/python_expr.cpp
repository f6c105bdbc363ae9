#include "interchange/python_expr.h"

#include "core/text.h"
#include "interchange/python_program.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::int64_t kMaxListSteps = 10'000'000; // limit for computing the values of a param

// Params and operations below a node.
void collect(const PythonExpr::Program& p, std::int32_t root, std::vector<int>& params, std::int64_t& operations) {
  const PyNode& top = p.nodes[static_cast<std::size_t>(root)];
  for (std::int32_t n = top.begin; n <= root; ++n) {
    const PyNode& node = p.nodes[static_cast<std::size_t>(n)];
    if (node.op == PyNode::Op::param) params.push_back(node.index);
    // Comprehensions and ranges that folding leaves depend on params, and may take any number of steps.
    if (node.op == PyNode::Op::comprehension || node.op == PyNode::Op::range) operations += kMaxLoopSteps;
    // `in` compares the values one by one, or searches a text.
    if (node.op == PyNode::Op::constant_list)
      operations += static_cast<std::int64_t>(p.lists[static_cast<std::size_t>(node.index)].size());
    if (node.op == PyNode::Op::constant && node.value.is_text())
      operations += static_cast<std::int64_t>(node.value.text->size());
    ++operations;
  }
  std::sort(params.begin(), params.end());
  params.erase(std::unique(params.begin(), params.end()), params.end());
}

} // namespace

PythonExpr::PythonExpr(std::shared_ptr<const Program> program, int root) : program_(std::move(program)), root_(root) {
  collect(*program_, root_, params_, operations_);
}

const std::string& PythonExpr::text() const { return program_->text; }

bool PythonExpr::is_list() const { return program_->nodes[static_cast<std::size_t>(root_)].is_list; }

PyFault PythonExpr::evaluate(const std::int64_t* slots, PyValue& result) const {
  PyEvaluation evaluation(*program_, slots, kMaxLoopSteps);
  evaluation.scalar(root_, result);
  return evaluation.fault();
}

std::string PythonExpr::explain(const std::int64_t* slots) const {
  PyEvaluation evaluation(*program_, slots, kMaxLoopSteps);
  PyValue result;
  if (evaluation.scalar(root_, result)) return "";
  return with_column(evaluation.fault(), static_cast<std::size_t>(evaluation.column()), text());
}

Result<std::vector<PyValue>> PythonExpr::list() const {
  PyEvaluation evaluation(*program_, nullptr, kMaxListSteps);
  std::vector<PyValue> values;
  if (evaluation.list(root_, values)) return values;
  return fail(ErrorKind::bad_input,
              with_column(evaluation.fault(), static_cast<std::size_t>(evaluation.column()), text()));
}

std::vector<PythonExpr> PythonExpr::conjuncts() const {
  const PyNode& root = program_->nodes[static_cast<std::size_t>(root_)];
  if (root.op != PyNode::Op::all_of) return {*this};
  std::vector<PythonExpr> parts;
  for (std::int32_t i = 0; i < root.count; ++i)
    for (PythonExpr& part :
         PythonExpr(program_, program_->operands[static_cast<std::size_t>(root.first + i)]).conjuncts())
      parts.push_back(std::move(part));
  return parts;
}

} // namespace warptune
