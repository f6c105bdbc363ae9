#!/bin/sh
# Runs a compiler through ccache if it is installed. The script looks for ccache at every call: if the build's commands
# named ccache, installing it (make test does, make demo does not) would recompile everything.
command -v ccache >/dev/null || exec "$@"
# Relative paths let several checkouts share a cache. ccache asks for the two sloppinesses where headers are precompiled;
# with the inode cache it hashes such a header (100 MB) once instead of for every file.
CCACHE_BASEDIR=${0%/cmake/*} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=1 exec ccache "$@"
