"""The functions that warptune.torch shares with torch take torch's arguments: the same names, in the same order. Without
torch (fake_torch.py), so torch's signatures are listed here."""
import inspect
import unittest

from glue import wt

# The arguments of torch.* and torch.nn.functional.*. "*" also stands for the deprecated size_average and reduce, which
# warptune.torch does not have: it takes the arguments after them only by name.
TORCH = """
softmax(input, dim, dtype)
log_softmax(input, dim, dtype)
matmul(input, other)
linear(input, weight, bias)
layer_norm(input, normalized_shape, weight, bias, eps)
rms_norm(input, normalized_shape, weight, eps)
cross_entropy(input, target, weight, *, ignore_index, reduction, label_smoothing)
add(input, other, *, alpha)
mul(input, other)
relu(input, inplace)
leaky_relu(input, negative_slope, inplace)
elu(input, alpha, inplace)
selu(input, inplace)
gelu(input, approximate)
silu(input, inplace)
sigmoid(input)
hardsigmoid(input, inplace)
hardtanh(input, min_val, max_val, inplace)
tanh(input)
softplus(input, beta, threshold)
softsign(input)
sum(input, dim, keepdim, *, dtype)
mean(input, dim, keepdim, *, dtype)
prod(input, dim, keepdim, *, dtype)
amax(input, dim, keepdim)
amin(input, dim, keepdim)
argmax(input, dim, keepdim)
argmin(input, dim, keepdim)
norm(input, p, dim, keepdim, *, dtype)
var(input, dim, *, correction, keepdim, unbiased)
permute(input, dims)
transpose(input, dim0, dim1)
mse_loss(input, target, *, reduction, weight)
l1_loss(input, target, *, reduction, weight)
smooth_l1_loss(input, target, *, reduction, beta)
huber_loss(input, target, reduction, delta, weight)
kl_div(input, target, *, reduction, log_target)
binary_cross_entropy_with_logits(input, target, weight, *, reduction, pos_weight)
hinge_embedding_loss(input, target, margin, *, reduction)
max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)
avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
adaptive_avg_pool1d(input, output_size)
adaptive_avg_pool2d(input, output_size)
adaptive_avg_pool3d(input, output_size)
adaptive_max_pool1d(input, output_size, return_indices)
adaptive_max_pool2d(input, output_size, return_indices)
adaptive_max_pool3d(input, output_size, return_indices)
batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
group_norm(input, num_groups, weight, bias, eps)
instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
index_select(input, dim, index)
index_add(input, dim, index, source, *, alpha)
gather(input, dim, index, *, sparse_grad)
scatter_add(input, dim, index, src)
cumsum(input, dim, *, dtype)
cumprod(input, dim, *, dtype)
topk(input, k, dim, largest, sorted)
slice_copy(input, dim, start, end, step)
narrow_copy(input, dim, start, length)
select_copy(input, dim, index)
slice_scatter(input, src, dim, start, end, step)
select_scatter(input, src, dim, index)
cat(tensors, dim)
concat(tensors, dim)
cosine_embedding_loss(input1, input2, target, margin, *, reduction)
normalize(input, p, dim, eps)
triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, *, reduction)
"""
OWN = {"use", "library", "kernel", "reduce_sum", "axpy", "axpy_", "masked_softmax", "quantise", "dequantise", "rotary",
       "adam_", "adamw_", "sgd_", "slice_scatter_", "layer_norm_quantised", "rms_norm_quantised", "expression", "to"}


def arguments(function):
    """Returns the names that can be passed by position, and those that can only be passed by name."""
    parameters = inspect.signature(function).parameters.values()
    return ([p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD],
            [p.name for p in parameters if p.kind is p.KEYWORD_ONLY])


class NamesTest(unittest.TestCase):
    def test_arguments_have_the_names_and_the_order_of_torch(self):
        listed = set()
        for line in TORCH.split("\n")[1:-1]:
            name, theirs = line[:-1].split("(")
            theirs = theirs.split(", ")
            listed.add(name)
            by_position, by_name = arguments(getattr(wt, name))
            with self.subTest(name):
                self.assertEqual(by_position, theirs[:len(by_position)])
                own = set(by_name) - set(theirs)
                self.assertLessEqual(own, {"activation", "residual", "bias", "relu", "exclusive", "reverse", "mask"})
        self.assertEqual(listed, set(wt.__all__) - OWN, "each function is either torch's or warptune's own")


if __name__ == "__main__":
    unittest.main()
