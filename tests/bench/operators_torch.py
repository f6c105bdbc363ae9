"""The operators of operators_figures.py in PyTorch, by name: each makes a Problem from its dims, dtype and flags."""
import operators_convnet as convnet
import operators_elements as elements
import operators_language as language
import operators_rows as rows
import operators_selection as selection

MAKERS = {make.__name__: make for make in (
    rows.row_norm, rows.row_norm_backward, rows.row_norm_quantise, rows.normalise, rows.normalise_backward, rows.cross_entropy,
    rows.cross_entropy_backward, rows.masked_softmax, rows.masked_softmax_backward, elements.reduce, elements.quantise,
    elements.dequantise, elements.quantise_groups, elements.dequantise_groups, elements.quantise_tensor, elements.permute,
    elements.elementwise, elements.elementwise_backward, elements.broadcast, elements.broadcast_backward,
    language.rotary, language.embedding, language.embedding_backward, language.adam, language.adam_list, convnet.pool,
    convnet.pool_backward, convnet.batch_norm, convnet.batch_norm_backward, convnet.group_norm, convnet.group_norm_backward,
    language.loss, language.loss_backward, language.scan, selection.top_k, selection.slice, selection.concat, selection.row_loss,
    selection.row_loss_backward)}
