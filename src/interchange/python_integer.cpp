// If a formula of integer params needs only integers, compiles it to an IntegerProgram, which core evaluates faster.
#include "core/integer_program.h"
#include "interchange/python_program.h"

namespace warptune {
namespace {

using Op = IntegerProgram::Op;
using Register = IntegerProgram::Register;

class Compiler {
 public:
  Compiler(const PythonExpr::Program& program, IntegerProgram& out, int first_slot)
      : p_(program), out_(out), first_slot_(first_slot) {}

  Register compile(std::int32_t n) {
    const PyNode& node = p_.nodes[static_cast<std::size_t>(n)];
    switch (node.op) {
    case PyNode::Op::constant:
      return node.value.is_integer() ? out_.constant(node.value.integer) : -1;
    case PyNode::Op::param:
      return p_.names->params[static_cast<std::size_t>(node.index)].by_position ? -1
                                                                                : out_.slot(first_slot_ + node.index);
    case PyNode::Op::negate:
      return out_.apply(Op::sub, out_.constant(0), operand(node, 0));
    case PyNode::Op::plus:
      return operand(node, 0);
    case PyNode::Op::logical_not:
      return out_.apply(Op::eq, operand(node, 0), out_.constant(0));
    case PyNode::Op::arithmetic:
      return arithmetic(node);
    case PyNode::Op::compare:
      return compare(node);
    case PyNode::Op::all_of:
    case PyNode::Op::any_of:
      return chain(node, node.op == PyNode::Op::all_of ? Op::both : Op::either);
    case PyNode::Op::choose:
      return out_.apply(Op::choose, operand(node, 0), operand(node, 1), operand(node, 2));
    case PyNode::Op::call:
      return call(node);
    default:
      return -1;
    }
  }

 private:
  std::int32_t raw(const PyNode& node, std::int32_t i) const {
    return p_.operands[static_cast<std::size_t>(node.first + i)];
  }
  Register operand(const PyNode& node, std::int32_t i) { return compile(raw(node, i)); }

  Register chain(const PyNode& node, Op op) {
    Register all = operand(node, 0);
    for (std::int32_t i = 1; i < node.count; ++i) all = out_.apply(op, all, operand(node, i));
    return all;
  }

  Register arithmetic(const PyNode& node) {
    switch (static_cast<PyOperator>(node.index)) {
    case PyOperator::add:
      return chain(node, Op::add);
    case PyOperator::sub:
      return chain(node, Op::sub);
    case PyOperator::mul:
      return chain(node, Op::mul);
    case PyOperator::floor_div:
      return chain(node, Op::floor_div);
    case PyOperator::mod:
      return chain(node, Op::floor_mod);
    default:
      return -1; // the result may not be an integer
    }
  }

  Register compare(const PyNode& node) {
    Register all = -1, left = operand(node, 0);
    for (std::int32_t i = 1; i < node.count; i += 2) {
      const std::int32_t how = raw(node, i);
      Register holds = -1, right = -1;
      if (how >= kIn) {
        holds = contained(left, raw(node, i + 1));
        if (how == kNotIn) holds = out_.apply(Op::eq, holds, out_.constant(0));
      } else {
        right = operand(node, i + 1);
        holds = out_.apply(static_cast<Op>(static_cast<std::int32_t>(Op::eq) + how), left, right);
      }
      all = i == 1 ? holds : out_.apply(Op::both, all, holds);
      left = right;
    }
    return all;
  }

  Register contained(Register what, std::int32_t where) {
    constexpr std::size_t kMaxValues = 16;
    const PyNode& list = p_.nodes[static_cast<std::size_t>(where)];
    if (what < 0 || list.op != PyNode::Op::constant_list) return -1;
    const std::vector<PyValue>& values = p_.lists[static_cast<std::size_t>(list.index)];
    if (values.size() > kMaxValues) return -1;
    Register any = out_.constant(0);
    for (const PyValue& value : values)
      if (value.is_integer())
        any = out_.apply(Op::either, any, out_.apply(Op::eq, what, out_.constant(value.integer)));
      else if (!value.is_text())
        return -1;
    return any;
  }

  Register call(const PyNode& node) {
    const auto function = static_cast<PyFunction>(node.index);
    const bool several = node.count > 1;
    if (function == PyFunction::min && several) return chain(node, Op::min);
    if (function == PyFunction::max && several) return chain(node, Op::max);
    if (function == PyFunction::int_of) return operand(node, 0);
    if (function != PyFunction::abs) return -1;
    const Register value = operand(node, 0);
    return out_.apply(Op::max, value, out_.apply(Op::sub, out_.constant(0), value));
  }

  const PythonExpr::Program& p_;
  IntegerProgram& out_;
  int first_slot_;
};

} // namespace

IntegerProgram::Register PythonExpr::compile(IntegerProgram& out, int first_slot) const {
  return Compiler(*program_, out, first_slot).compile(root_);
}

} // namespace warptune
