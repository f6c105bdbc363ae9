"""Prints the answers of libwarptune to an application's calls on a file: use_library.py LIBRARY FILE. Needs no driver.
Exit code: the status of the first call that fails, as the command line's codes."""
import ctypes
import sys


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.wt_last_error.restype = library.wt_kernel_name.restype = ctypes.c_char_p

    def check(status):
        if status != 0:
            print(library.wt_last_error().decode(), file=sys.stderr)
            sys.exit(status)

    opened = ctypes.c_void_p()
    check(library.wt_open(sys.argv[2].encode(), ctypes.byref(opened)))
    for i in range(library.wt_kernel_count(opened)):
        kernel = ctypes.c_void_p()
        check(library.wt_find_kernel(opened, library.wt_kernel_name(opened, i), None, None, ctypes.byref(kernel)))
        count = library.wt_kernel_dim_count(kernel)
        for size in (256, 4096, 65536):
            text = ctypes.c_char_p()
            check(library.wt_kernel_explain(kernel, (ctypes.c_int64 * count)(*[size] * count), count, ctypes.c_size_t(0),
                                            b"NVIDIA H200", None, ctypes.byref(text)))
            print(text.value.decode())
    library.wt_close(opened)


main()
