"""O = softmax(Q·Kᵀ/√Dh)·V over the keys of each sequence."""

import math
from typing import Any

from layabridge.kernels.factory import check_dtype, check_sizes, factory


@factory(bm=32, bn=32)
def attn_kernel(
    B: int | None,
    L: int | None,
    H: int,
    Dh: int,
    window: int = 0,
    bm: int = 64,
    bn: int = 64,
    stages: int = 1,
    threads: int = 128,
    dtype: str = "bfloat16",
    *,
    cpu: bool = False,
) -> Any:
    """O[B, L, H*Dh] = softmax(Q·Kᵀ/√Dh)·V of QKV[B, L, 3, H, Dh] with lens[B] int32; B and L dynamic where None.

    Call order QKV, lens, O; QKV and O are of `dtype`. A query sees the keys j < lens[b] (lens is clamped to 0..L) and,
    with window > 0, of those the ones with |i - j| <= window. Padded queries, i >= lens[b], are computed like any
    other. A query that sees no key gives 0. Sums are fp32; softmax is taken online in base 2, as FlashAttention does
    (Dao et al., arXiv 2205.14135): keys out of sight are -inf, so that no logit, however low, can lose to them. Blocks
    of bm queries × bn keys.
    """
    check_sizes(H=H, Dh=Dh, bm=bm, bn=bn, stages=stages, threads=threads)
    check_sizes(minimum=0, window=window)
    for name, size in (("B", B), ("L", L)):
        if size is not None:
            check_sizes(**{name: size})
    check_dtype(dtype, cpu)
    import tilelang.language as T

    from layabridge.kernels.attention import Attention

    on = Attention(bm, bn, Dh, dtype, cpu)
    scale = math.log2(math.e) / math.sqrt(Dh)
    B = T.dynamic("B") if B is None else B
    L = T.dynamic("L") if L is None else L

    @T.prim_func
    def attn(QKV: T.Tensor((B, L, 3, H, Dh), dtype), lens: T.Tensor((B,), "int32"), O: T.Tensor((B, L, H * Dh), dtype)):
        with T.Kernel(T.ceildiv(L, bm), H, B, threads=on.threads(threads)) as (bx, head, batch):
            Q_s = on.queries()
            K_s = on.keys()
            V_s = on.keys()
            s = on.scores()
            s_c = on.weights()
            o_c = on.output()
            highest = on.column()
            total = on.column()
            pivot = on.column()
            correction = on.column()
            added = on.column()
            on.load_queries(QKV, batch, bx * bm, head, Q_s)
            T.fill(o_c, 0.0)
            T.fill(highest, on.never)
            T.fill(total, 0.0)
            length = T.min(T.max(lens[batch], 0), L)
            first = T.max(bx * bm - window, 0) // bn if window else 0
            last = T.ceildiv(T.min(length, bx * bm + bm + window) if window else length, bn)
            for k in on.pipelined(T.max(last - first, 0), stages):
                on.load_keys(QKV, batch, (first + k) * bn, 1, head, K_s)
                on.score(Q_s, K_s, s)
                if window:
                    on.mask(
                        lambda i, j: (
                            (first + k) * bn + j < length
                            and bx * bm + i - ((first + k) * bn + j) <= window
                            and (first + k) * bn + j - (bx * bm + i) <= window
                        ),
                        scale,
                        s,
                    )
                else:
                    on.mask(lambda i, j: (first + k) * bn + j < length, scale, s)
                on.softmax(s, o_c, (highest, total), (pivot, correction, added))
                on.load_keys(QKV, batch, (first + k) * bn, 2, head, V_s)
                on.accumulate(s, s_c, V_s, o_c)
            on.store(o_c, total, O, batch, bx * bm, head * Dh)

    return attn
