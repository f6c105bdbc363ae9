#!/usr/bin/env python3
"""A model block on warptune's operators: trained for a step, compiled with torch.compile, captured in a CUDA graph.

torch_block.py [OPS.wtpack]             exits with 77 without torch or a GPU
"""
import sys

try:
    import torch
except ImportError:
    print("no torch here")
    sys.exit(77)
if not torch.cuda.is_available():
    print("no GPU here")
    sys.exit(77)

import warptune.torch as wt


class Block(torch.nn.Module):
    """softmax(linear(rms_norm(x)))"""

    def __init__(self, width, classes):
        super().__init__()
        self.norm = torch.nn.RMSNorm(width)
        self.weight = torch.nn.Parameter(torch.randn(classes, width) / width**0.5)

    def forward(self, x):
        return wt.log_softmax(wt.linear(self.norm(x), self.weight))


def main():
    if len(sys.argv) > 1:
        wt.use(sys.argv[1])
    torch.manual_seed(0)
    block = Block(1024, 512).cuda()
    x = torch.randn(256, 1024, device="cuda")
    expected = torch.log_softmax(torch.nn.functional.linear(block.norm(x), block.weight), -1)

    optimiser = torch.optim.SGD(block.parameters(), lr=0.1)
    labels = torch.randint(512, (256,), device="cuda")
    before = torch.nn.functional.nll_loss(block(x), labels)
    before.backward()
    with torch.no_grad():
        print("eager:    largest difference", (block(x) - expected).abs().max().item())
        compiled = torch.compile(block, fullgraph=True)
        print("compiled: largest difference", (compiled(x) - expected).abs().max().item())

        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # the eager call above loaded everything
            captured = block(x)
        graph.replay()
        print("captured: largest difference", (captured - expected).abs().max().item())

    optimiser.step()
    after = torch.nn.functional.nll_loss(block(x), labels)
    print(f"loss {before.item():.4f}, after one step {after.item():.4f}")


if __name__ == "__main__":
    main()
