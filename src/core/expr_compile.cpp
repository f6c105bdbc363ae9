// Compiles a formula to an IntegerProgram: jumps become choices.
#include "core/expr.h"

#include <vector>

namespace warptune {
namespace {

using Op = IntegerProgram::Op;
using Register = IntegerProgram::Register;

// An operator or `?:` that still lacks its last operand; complete at the target of its jump.
struct Open {
  enum class Kind { both, either, condition, choose } kind;
  std::int64_t end;
  Register first, second;
};

} // namespace

class ExprCompiler {
 public:
  ExprCompiler(IntegerProgram& out, std::span<const std::int64_t> fixed) : out_(out), fixed_(fixed) {}

  Register compile(const Expr& expr) {
    std::vector<Register> stack;
    std::vector<Open> open;
    const auto pop = [&] {
      const Register top = stack.back();
      stack.pop_back();
      return top;
    };
    const auto count = static_cast<std::int64_t>(expr.ops_.size());
    for (std::int64_t at = 0; at <= count; ++at) {
      for (; !open.empty() && open.back().end == at; open.pop_back()) {
        const Open o = open.back();
        const Register last = pop();
        stack.push_back(o.kind == Open::Kind::choose ? out_.apply(Op::choose, o.first, o.second, last)
                        : o.kind == Open::Kind::both ? out_.apply(Op::both, o.first, last)
                                                     : out_.apply(Op::either, o.first, last));
      }
      if (at == count) break;
      const Expr::Op& op = expr.ops_[static_cast<std::size_t>(at)];
      switch (op.code) {
      case Expr::Code::constant:
        stack.push_back(out_.constant(op.value));
        break;
      case Expr::Code::slot:
        stack.push_back(static_cast<std::size_t>(op.value) < fixed_.size()
                            ? out_.constant(fixed_[static_cast<std::size_t>(op.value)])
                            : out_.slot(static_cast<int>(op.value)));
        break;
      case Expr::Code::derived:
        stack.push_back(compile(*expr.derived_[static_cast<std::size_t>(op.value)]));
        break;
      case Expr::Code::and_jump:
        open.push_back({Open::Kind::both, op.value, pop(), 0});
        break;
      case Expr::Code::or_jump:
        open.push_back({Open::Kind::either, op.value, truth(pop()), 0});
        break;
      case Expr::Code::jump_if_zero:
        open.push_back({Open::Kind::condition, op.value, pop(), 0});
        break;
      case Expr::Code::jump: // at the end of the part after '?'
        open.back() = {Open::Kind::choose, op.value, open.back().first, pop()};
        break;
      default:
        if (op.code < Expr::Code::add) {
          stack.push_back(unary(op.code, pop()));
        } else {
          const Register right = pop();
          stack.push_back(binary(op.code, pop(), right));
        }
      }
    }
    return pop();
  }

 private:
  Register truth(Register a) { return out_.apply(Op::ne, a, out_.constant(0)); }

  Register unary(Expr::Code code, Register a) {
    switch (code) {
    case Expr::Code::negate:
      return out_.apply(Op::sub, out_.constant(0), a);
    case Expr::Code::logical_not:
      return out_.apply(Op::eq, a, out_.constant(0));
    case Expr::Code::boolean:
      return truth(a);
    case Expr::Code::abs:
      return out_.apply(Op::max, a, out_.apply(Op::sub, out_.constant(0), a));
    default:
      break;
    }
    std::int64_t result = 0;
    const std::int64_t* known = out_.find_constant(a);
    return known && !Expr::apply(code, *known, *known, result) ? out_.constant(result) : -1;
  }

  Register binary(Expr::Code code, Register a, Register b) {
    switch (code) {
    case Expr::Code::add:
      return out_.apply(Op::add, a, b);
    case Expr::Code::sub:
      return out_.apply(Op::sub, a, b);
    case Expr::Code::mul:
      return out_.apply(Op::mul, a, b);
    case Expr::Code::div:
      return out_.apply(Op::div, a, b);
    case Expr::Code::mod:
      return out_.apply(Op::mod, a, b);
    case Expr::Code::eq:
      return out_.apply(Op::eq, a, b);
    case Expr::Code::ne:
      return out_.apply(Op::ne, a, b);
    case Expr::Code::lt:
      return out_.apply(Op::lt, a, b);
    case Expr::Code::le:
      return out_.apply(Op::le, a, b);
    case Expr::Code::gt:
      return out_.apply(Op::gt, a, b);
    case Expr::Code::ge:
      return out_.apply(Op::ge, a, b);
    case Expr::Code::min:
      return out_.apply(Op::min, a, b);
    case Expr::Code::max:
      return out_.apply(Op::max, a, b);
    case Expr::Code::ceil_div:
      return out_.apply(Op::ceil_div, a, b);
    case Expr::Code::round_up:
      return out_.apply(Op::mul, out_.apply(Op::ceil_div, a, b), b);
    default:
      return -1;
    }
  }

  IntegerProgram& out_;
  std::span<const std::int64_t> fixed_;
};

IntegerProgram::Register Expr::compile(IntegerProgram& out, std::span<const std::int64_t> fixed) const {
  return ExprCompiler(out, fixed).compile(*this);
}

} // namespace warptune
