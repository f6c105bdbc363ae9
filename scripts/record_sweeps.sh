#!/usr/bin/env bash
# Tunes all shipped kernels exhaustively on this machine's GPU, and writes the sessions as recordings.
# Usage: record_sweeps.sh WARPTUNE_BINARY OUTPUT_DIRECTORY [KERNEL]...     KERNEL...: sweep only these kernels
# To resume after an interruption, run the same command again. All kernels of an output directory share a database, so
# that the roofs of the GPU are measured once.
set -euo pipefail
warptune=$1
out=$2
only=("${@:3}")
mkdir -p "$out"
export WARPTUNE_DB=$out/sweeps.db
profile=all
variant=  # the part of the file's name that tells apart problems of one shape with different flags

sweep() {
  local kernel=$1 shape=$2 dtype=$3 file name
  name=${shape//[,=(]/_}  # without the parentheses of a list
  shift 3
  [[ ${#only[@]} == 0 || " ${only[*]} " == *" $kernel "* ]] || return 0
  file=$out/${kernel}__${name//)/}__${dtype}${variant:+__$variant}.json
  [[ -e $file ]] && return
  "$warptune" tune "$kernel" --shape "$shape" --dtype "$dtype" --device cuda:0 --profile "$profile" --resume "$@" ||
    return
  "$warptune" record "$kernel" --shape "$shape" --dtype "$dtype" -o "$file" "$@"
}

# Recordings that the demo, the reports and the tests replay.
for n in 268435456 67108864 4194304; do sweep axpy n=$n fp32; done
sweep axpy n=67108864 bf16
for n in 268435456 33554432 1048576; do sweep reduce_sum n=$n fp32; done
sweep reduce_sum n=268435456 bf16
for shape in rows=32768,cols=4096 rows=65536,cols=1024 rows=16384,cols=8192 rows=4096,cols=32768 rows=1024,cols=131072; do
  sweep softmax "$shape" bf16
done
for shape in rows=16384,cols=16384 rows=4096,cols=4096 rows=65536,cols=1024; do sweep transpose "$shape" bf16; done
for size in 4096 1024 2048; do sweep sgemm "m=$size,n=$size,k=$size" fp32; done

# Shapes between and around them, to judge the choice for untuned shapes (tests/bench/leave_one_out).
profile=none
for n in 65536 262144 1048576 16777216; do sweep axpy n=$n fp32; done
for n in 262144 4194304 134217728; do sweep reduce_sum n=$n fp32; done
for shape in rows=256,cols=4096 rows=8192,cols=2048 rows=65536,cols=512 rows=8192,cols=16384 rows=2048,cols=65536; do
  sweep softmax "$shape" bf16
done
for shape in rows=2048,cols=2048 rows=8192,cols=8192 rows=1024,cols=65536 rows=4096,cols=512; do sweep transpose "$shape" bf16; done
for shape in m=512,n=512,k=512 m=1536,n=1536,k=1536 m=3072,n=3072,k=3072 m=4096,n=1024,k=1024 m=256,n=4096,k=4096; do
  sweep sgemm "$shape" fp32
done
for shape in m=24,n=6144,k=4096 m=32,n=4096,k=4096 m=32,n=28672,k=4096 m=48,n=2048,k=2048 m=64,n=4096,k=4096 m=64,n=14336,k=4096 \
  m=64,n=4096,k=14336 m=64,n=24576,k=1536 m=128,n=4096,k=4096 m=128,n=7168,k=2048 m=1024,n=1024,k=1024 m=1000,n=1016,k=4096 \
  m=128,n=128,k=64,batch=256; do
  sweep gemm "$shape" bf16 --set layout=nt
done

# Row operators.
rms=(--set norm=rms --set weight=1)
layer=(--set norm=layer --set weight=1 --set bias=1)
for kernel in row_norm row_norm_backward; do
  variant=rms
  for shape in 32768,4096 16384,8192 65536,1024 4096,32768 2048,5120 512,2048; do
    sweep $kernel "rows=${shape/,/,cols=}" bf16 "${rms[@]}"
  done
  variant=layer
  for shape in 65536,1024 4096,32768 32768,4096 8192,768 2048,2048; do
    sweep $kernel "rows=${shape/,/,cols=}" bf16 "${layer[@]}"
  done
done
sweep row_norm_backward rows=64,cols=1024 bf16 "${layer[@]}"
variant=rms
for shape in rows=32,cols=4096 rows=128,cols=2048; do sweep row_norm_backward $shape bf16 "${rms[@]}"; done
variant=int8
for shape in 32768,4096 65536,1024; do sweep row_norm_quantise "rows=${shape/,/,cols=}" bf16 --set weight=1; done
variant=e4m3_residual
for shape in 16384,5120 8192,4096 2048,8192 128,4096; do
  sweep row_norm_quantise "rows=${shape/,/,cols=}" bf16 --set to=e4m3 --set weight=1 --set residual=1
done
variant=
for kernel in normalise normalise_backward; do
  for shape in outer=32768,n=4096 outer=65536,n=1024 outer=16,n=16384 outer=64,n=512,inner=784 outer=1,n=262144,inner=384 \
    outer=1,n=33554432; do
    sweep $kernel "$shape" bf16
  done
done
for kernel in cross_entropy cross_entropy_backward; do
  for shape in 8192,32000 4096,128256 65536,1000 2048,50257 16384,8192 512,151936; do
    sweep $kernel "rows=${shape/,/,cols=}" bf16
  done
done
for shape in rows=1024,cols=1024,heads=32,batch=4 rows=2048,cols=2048,heads=32 rows=4096,cols=4096,heads=16 \
  rows=512,cols=512,heads=16,batch=16; do
  sweep masked_softmax "$shape" bf16 --set causal=upper_left
done
sweep masked_softmax rows=512,cols=512,heads=16,batch=32 bf16 --set mask=bool --set mask_rows=one
for shape in rows=2048,cols=2048,batch=32 rows=1024,cols=1024,batch=128 rows=4096,cols=4096,batch=16 rows=512,cols=512,batch=256; do
  sweep masked_softmax_backward "$shape" bf16 --set causal=upper_left
done
for shape in rows=32768,cols=4096 rows=65536,cols=1024 rows=4096,cols=32768 rows=16384,cols=8192; do
  sweep masked_softmax_backward "$shape" bf16
done

# Elementwise operators, reductions, quantisation, permutes.
for kernel in elementwise elementwise_backward; do
  for shape in rows=8192,cols=14336 rows=4096,cols=11008 rows=16384,cols=4096 rows=512,cols=4096; do
    sweep $kernel "$shape" bf16 --set function=silu --set other=mul
  done
done
for kernel in broadcast broadcast_backward; do
  variant=columns
  for shape in rows=8192,cols=4096 rows=16384,cols=8192 rows=16,cols=4096; do sweep $kernel "$shape" bf16; done
  variant=rows
  for shape in rows=512,cols=784,batch=128 rows=65536,cols=1024 rows=64,cols=4096; do
    sweep $kernel "$shape" bf16 --set along=rows
  done
  variant=matrices
  sweep $kernel rows=4096,cols=1152,batch=16 bf16 --set along=matrices
done
variant=
for shape in outer=32768,n=4096 outer=65536,n=1024 outer=1024,n=131072 outer=32,n=4096,inner=1024 outer=64,n=196,inner=2048; do
  sweep reduce "$shape" bf16
done
for shape in rows=32768,cols=4096 rows=8192,cols=14336 rows=65536,cols=1024 rows=4096,cols=32768 rows=262144,cols=512 \
  rows=1048576,cols=128; do
  sweep quantise "$shape" bf16
  sweep dequantise "$shape" bf16
done
sweep dequantise rows=32,cols=4096 bf16
for groups in 1048576 917504 131072 32768; do
  sweep quantise_groups groups=$groups bf16
  sweep dequantise_groups groups=$groups bf16
done
for n in 134217728 33554432 8388608 524288 131072 16384; do sweep quantise_tensor n=$n bf16 --set to=e4m3; done
for shape in rows=16384,cols=16384 rows=64,cols=12544,batch=64 rows=12544,cols=64,batch=64 rows=3,cols=50176,batch=64 \
  rows=50176,cols=3,batch=64 rows=4,cols=65536,batch=16 \
  rows=2048,cols=49,batch=256 \
  rows=512,cols=256 rows=128,cols=8,run=128 rows=256,cols=49,batch=4; do
  sweep permute "$shape" bf16
done

# Rotary embeddings, scans, embeddings.
for shape in seq=4096,q_heads=32,k_heads=8,head_dim=128,batch=4 seq=8192,q_heads=64,k_heads=8,head_dim=128 \
  seq=2048,q_heads=16,k_heads=16,head_dim=64,batch=16 seq=1,q_heads=32,k_heads=8,head_dim=128,batch=64; do
  sweep rotary "$shape" bf16
done
for shape in 32768,4096 65536,1024 262144,256 1048576,64 4096,32768 1024,131072 512,2048; do
  sweep scan "rows=${shape/,/,cols=}" bf16
done
variant=mask
for shape in 32768,4096 262144,256; do sweep scan "rows=${shape/,/,cols=}" bf16 --set mask=1; done
variant=
for shape in tokens=16384,rows=128256,cols=4096 tokens=32768,rows=50257,cols=1024 tokens=8192,rows=32000,cols=768; do
  sweep embedding "$shape" bf16
done

# Images, losses, optimiser steps, the gradient of embeddings.
image=stride_h=2,stride_w=2,pad_h=1,pad_w=1
for shape in batch=256,channels=64,height=112,width=112,window_h=3,window_w=3,$image \
  batch=128,channels=128,height=56,width=56,window_h=3,window_w=3,$image \
  batch=32,channels=256,height=28,width=28,window_h=2,window_w=2,stride_h=2,stride_w=2; do
  sweep pool "$shape" bf16
  sweep pool_backward "$shape" bf16
done
for shape in batch=256,channels=64,pixels=12544 batch=256,channels=512,pixels=784 batch=32,channels=256,pixels=3136 \
  batch=256,channels=2048,pixels=49; do
  sweep batch_norm "$shape" bf16 --set relu=1
done
for shape in batch=256,channels=512,pixels=784 batch=32,channels=256,pixels=3136 batch=256,channels=2048,pixels=49; do
  sweep batch_norm_backward "$shape" bf16 --set after=relu
done
for shape in batch=16,channels=320,pixels=4096 batch=16,channels=1280,pixels=1024 batch=64,channels=256,pixels=3136; do
  sweep group_norm "$shape" bf16
  sweep group_norm_backward "$shape" bf16
done
for n in 268435456 67108864 4194304; do sweep adam n=$n bf16; done
for sizes in 'spread(148,124439808,38597376,768)' 'spread(161,25557032,2359296,64)' 'equal(300,1000)'; do
  sweep adam_list "sizes=$sizes" fp32
done
for shape in rows=16384,cols=16384 rows=16384,cols=4096 rows=65536,cols=1000; do
  sweep loss "$shape" bf16
  sweep loss_backward "$shape" bf16
done
sweep loss_backward rows=128,cols=1000 bf16
for shape in tokens=16384,rows=128256,cols=4096 tokens=1048576,rows=1000000,cols=64 tokens=8192,rows=32000,cols=768; do
  sweep embedding_backward "$shape" bf16
done
# Selection, copies, losses of pairs of rows.
for shape in rows=32768,cols=4096,k=8 rows=65536,cols=1000,k=5 rows=65536,cols=1024,k=32 rows=32768,cols=4096,k=64 \
  rows=1048576,cols=64,k=6 rows=262144,cols=256,k=8; do
  sweep top_k "$shape" bf16 --set index=int32
done
for shape in outer=32768,n0=4096,n1=1024,n2=1024 outer=65536,n0=1000,n1=1 outer=1048576,n0=64,n1=64 outer=32768,n0=1001,n1=503; do
  sweep concat "$shape" bf16
done
for shape in outer=32768,n=12288,count=4096 outer=131072,n=1001,count=1000,from=1 outer=64,n=512,count=256,inner=3136 \
  outer=4096,n=50304,count=50257; do
  sweep slice "$shape" bf16
done
for kernel in row_loss row_loss_backward; do
  for shape in rows=65536,cols=1024 rows=262144,cols=256 rows=32768,cols=4096; do sweep $kernel "$shape" bf16; done
done
