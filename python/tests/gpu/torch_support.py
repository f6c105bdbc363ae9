"""What the tests on torch's tensors share: torch with a device, one database of recorded results, tensors, tolerances."""
import atexit
import functools

from support import Folder, recorded_database, require_torch

torch = require_torch()

import warptune.torch as wt  # noqa: E402

FLOATS = (torch.float32, torch.bfloat16, torch.float16)
ROUNDING = {torch.float32: 2e-6, torch.bfloat16: 8e-3, torch.float16: 1e-3}


@functools.lru_cache(maxsize=None)
def use_recorded():
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    folder = Folder()
    wt.use(recorded_database(folder.__enter__()))
    atexit.register(folder.__exit__)


def randn(*shape, dtype=torch.float32, grad=False):
    return torch.randn(*shape, device="cuda", dtype=dtype).requires_grad_(grad)


def close(found, expected, dtype=torch.float32, atol=1e-6):
    torch.testing.assert_close(found.float(), expected.float(), rtol=2 * ROUNDING[dtype], atol=atol)
