"""Programs of other kinds: images, sorting, graphs, dynamic programming, integers and bits, buffers."""
import jax
import jax.numpy as jnp
from jax import lax

from programs import program


@program('f32[8,8,2]', 'f32[2,3] unit')
def image_warped_by_affine_map(image, matrix):
    grid = jnp.stack(jnp.meshgrid(jnp.arange(8.0), jnp.arange(8.0), indexing='ij'), -1).astype(jnp.float32)
    at = grid @ (jnp.eye(2) + matrix[:, :2] * 0.2) + matrix[:, 2]
    low = jnp.floor(at)
    part = at - low
    total = jnp.zeros_like(image)
    for dy in (0, 1):
        for dx in (0, 1):
            y, x = low[..., 0].astype(jnp.int32) + dy, low[..., 1].astype(jnp.int32) + dx
            inside = (y >= 0) & (y < 8) & (x >= 0) & (x < 8)
            weight = (part[..., 0] if dy else 1 - part[..., 0]) * (part[..., 1] if dx else 1 - part[..., 1])
            pixel = image[jnp.clip(y, 0, 7), jnp.clip(x, 0, 7)]
            total += jnp.where(inside, weight, 0)[..., None] * pixel
    return total, jnp.mean(jnp.abs(total - image))


@program('u8[12,12] patterns')
def edges_and_blur(image):
    x = image.astype(jnp.float32) / 255
    near = jnp.pad(x, 1, mode='edge')
    dx = near[:-2, 2:] + 2 * near[1:-1, 2:] + near[2:, 2:] - near[:-2, :-2] - 2 * near[1:-1, :-2] - near[2:, :-2]
    dy = near[2:, :-2] + 2 * near[2:, 1:-1] + near[2:, 2:] - near[:-2, :-2] - 2 * near[:-2, 1:-1] - near[:-2, 2:]
    strength, angle = jnp.sqrt(dx * dx + dy * dy), jnp.arctan2(dy, dx)
    sector = jnp.round(angle * 4 / jnp.pi).astype(jnp.int32) % 4
    wide = jnp.pad(strength, 1)
    ahead = jnp.stack([wide[1:-1, 2:], wide[2:, 2:], wide[2:, 1:-1], wide[2:, :-2]])
    behind = jnp.stack([wide[1:-1, :-2], wide[:-2, :-2], wide[:-2, 1:-1], wide[:-2, 2:]])
    choose = sector[None] == jnp.arange(4)[:, None, None]
    edge = (strength >= jnp.sum(ahead * choose, 0)) & (strength > jnp.sum(behind * choose, 0))
    taps = jnp.exp(-0.5 * (jnp.arange(5.0) - 2)**2)
    taps = (taps / taps.sum()).astype(jnp.float32)
    blur = jax.vmap(lambda row: jnp.convolve(row, taps, mode='same'))
    blurred = blur(blur(x).T).T
    return edge, (jnp.clip(blurred, 0, 1) * 255 + 0.5).astype(jnp.uint8), sector


@program('u8[10,10] patterns')
def histogram_equalised(image):
    levels = image.astype(jnp.int32) // 16
    histogram = jnp.zeros(16, jnp.int32).at[levels.reshape(-1)].add(1)
    cumulative = jnp.cumsum(histogram)
    first = jnp.min(jnp.where(cumulative > 0, cumulative, 1000))
    table = (cumulative - first) * 255 // jnp.maximum(100 - first, 1)
    edges = jnp.searchsorted(cumulative, jnp.array([25, 50, 75]))
    means = jnp.cumsum(histogram * jnp.arange(16)) / jnp.maximum(cumulative, 1)
    weight = cumulative / 100
    between = weight * (1 - weight) * (means - (means[-1] - weight * means) / jnp.maximum(1 - weight, 0.01))**2
    return jnp.clip(table, 0, 255).astype(jnp.uint8)[levels], edges, jnp.argmax(between), histogram


@program('f32[12] unique', 's32[12] indices low=0 high=3')
def ranking_by_sorting(scores, relevance):
    order = jnp.argsort(-scores)
    ranked = relevance[order]
    discount = 1 / jnp.log2(jnp.arange(12) + 2.0)
    gain = jnp.sum((2.0**ranked - 1) * discount)
    ideal = jnp.sum((2.0**jnp.sort(relevance)[::-1] - 1) * discount)
    relevant = ranked > 1
    precision = jnp.sum(jnp.cumsum(relevant) / jnp.arange(1, 13) * relevant) / jnp.maximum(jnp.sum(relevant), 1)
    rank = jnp.zeros(12, jnp.int32).at[order].set(jnp.arange(12))
    ties, _ = lax.sort((relevance, jnp.arange(12)), num_keys=1, is_stable=True)
    return gain / jnp.maximum(ideal, 1e-6), precision, rank, ties, lax.top_k(scores, 3), jnp.median(relevance)


@program('s32[16] indices low=0 high=5', 'f32[16]')
def groups_by_runs(keys, values):
    order = jnp.argsort(keys, stable=True)
    keys, values = keys[order], values[order]
    first = jnp.concatenate([jnp.ones(1, bool), keys[1:] != keys[:-1]])
    group = jnp.cumsum(first) - 1
    count = jax.ops.segment_sum(jnp.ones(16, jnp.int32), group, 16)
    total = jax.ops.segment_sum(values, group, 16)
    highest, lowest = jax.ops.segment_max(values, group, 16), jax.ops.segment_min(values, group, 16)
    names = jnp.full(16, -1).at[group].set(keys)
    mean = total / jnp.maximum(count, 1)
    variance = jax.ops.segment_sum((values - mean[group])**2, group, 16) / jnp.maximum(count, 1)
    _, running = lax.associative_scan(lambda a, b: (a[0] | b[0], jnp.where(b[0], b[1], a[1] + b[1])), (first, values))
    return names, count, mean, variance, jnp.where(count > 0, highest - lowest, 0), running


@program('f32[6,4]', 's32[10] indices low=0 high=5', 's32[10] indices low=0 high=5', 'f32[4,4] unit', 'f32[8] unit')
def graph_attention_layer(x, source, target, w, a):
    h = x @ w
    score = jax.nn.leaky_relu(h[source] @ a[:4] + h[target] @ a[4:], 0.2)
    top = jax.ops.segment_max(score, target, 6)
    weight = jnp.exp(score - top[target])
    total = jax.ops.segment_sum(weight, target, 6)
    alpha = weight / total[target]
    out = jax.nn.elu(jax.ops.segment_sum(alpha[:, None] * h[source], target, 6))
    degree = jax.ops.segment_sum(jnp.ones(10), target, 6)
    pooled = jnp.where((degree > 0)[:, None], out, -jnp.inf).max(0)
    return out, alpha, pooled, degree


@program('s32[14] indices low=0 high=7', 's32[14] indices low=0 high=7')
def page_rank(source, target):
    source, target = source % 8, target % 8
    out = jnp.zeros(8).at[source].add(1.0)

    def step(state):
        rank, _, k = state
        sent = rank[source] / out[source]
        lost = jnp.sum(jnp.where(out == 0, rank, 0))
        new = 0.15 / 8 + 0.85 * (jnp.zeros(8).at[target].add(sent) + lost / 8)
        return new, jnp.sum(jnp.abs(new - rank)), k + 1
    rank, change, k = lax.while_loop(lambda s: (s[1] > 1e-6) & (s[2] < 30), step, (jnp.full(8, 0.125), jnp.float32(1), 0))

    def reach(seen, _):
        return seen.at[target].max(seen[source]), jnp.sum(seen)
    seen, sizes = lax.scan(reach, jnp.zeros(8, jnp.int32).at[0].set(1), None, length=5)
    return rank, change, k, seen, sizes, jnp.argsort(-rank)


@program('f32[6,6] positive')
def shortest_paths(weights):
    distance = jnp.where(jnp.eye(6, dtype=bool), 0, jnp.where(weights > 1.5, jnp.inf, weights))

    def through(k, state):
        distance, follow = state
        via = distance[:, k][:, None] + distance[k][None]
        better = via < distance
        return jnp.where(better, via, distance), jnp.where(better, follow[:, k][:, None], follow)
    follow = jnp.where(jnp.isfinite(distance), jnp.arange(6)[None], -1)
    distance, follow = lax.fori_loop(0, 6, through, (distance, follow))

    def grow(state, _):
        inside, best, total = state
        nearest = jnp.argmin(jnp.where(inside, jnp.inf, best))
        total = total + jnp.where(jnp.isfinite(best[nearest]), best[nearest], 0)
        inside = inside.at[nearest].set(True)
        return (inside, jnp.minimum(best, weights[nearest]), total), nearest
    start = jnp.zeros(6, bool).at[0].set(True), weights[0], jnp.float32(0)
    (_, _, tree), order = lax.scan(grow, start, None, length=5)
    return distance, follow, tree, order


@program('s32[8] indices low=0 high=3', 's32[6] indices low=0 high=3')
def edit_distance_and_alignment(a, b):
    def row(before, letter):
        def cell(left, inputs):
            up, corner, other = inputs
            value = jnp.minimum(jnp.minimum(left, up) + 1, corner + (letter != other))
            return value, value
        first = before[0] + 1
        _, rest = lax.scan(cell, first, (before[1:], before[:-1], b))
        now = jnp.concatenate([first[None], rest])
        return now, now
    last, table = lax.scan(row, jnp.arange(7), a)

    def align(before, letter):
        match = before[:-1] + jnp.where(letter == b, 2, -1)
        best = jnp.maximum(0, jnp.maximum(match, before[1:] - 1))
        best = lax.associative_scan(jnp.maximum, best + jnp.arange(6)) - jnp.arange(6)
        return jnp.concatenate([jnp.zeros(1, jnp.int32), best]), jnp.max(best)
    _, scores = lax.scan(align, jnp.zeros(7, jnp.int32), a)
    return last[-1], table, jnp.max(scores)


@program('u8[10,10] patterns')
def game_of_life(cells):
    alive = (cells & 1).astype(jnp.int32)

    def step(alive, _):
        around = sum(jnp.roll(alive, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)) - alive
        alive = ((around == 3) | ((alive == 1) & (around == 2))).astype(jnp.int32)
        return alive, jnp.sum(alive)
    last, counts = lax.scan(step, alive, None, length=6)
    rows = jnp.sum(last << jnp.arange(10), 1)
    return last, counts, rows, lax.population_count(rows), 31 - lax.clz(rows.astype(jnp.int32))


@program('u8[16] patterns', 'u32[4] patterns', type='u32')
def checksums_and_hashes(data, words):
    def table(i):
        return lax.fori_loop(0, 8, lambda _, c: jnp.where(c & 1, (c >> 1) ^ jnp.uint32(0xEDB88320), c >> 1), i)
    lookup = jax.vmap(table)(jnp.arange(256, dtype=jnp.uint32))
    crc, _ = lax.scan(lambda c, byte: ((c >> 8) ^ lookup[(c ^ byte) & 255], None), jnp.uint32(0xFFFFFFFF),
                      data.astype(jnp.uint32))

    def fletcher(state, byte):
        a = (state[0] + byte) % 65521
        return (a, (state[1] + a) % 65521), None
    (a, b), _ = lax.scan(fletcher, (jnp.uint32(1), jnp.uint32(0)), data.astype(jnp.uint32))

    def mix(h, w):
        w = w * jnp.uint32(0xCC9E2D51)
        w = (w << 15) | (w >> 17)
        h = h ^ (w * jnp.uint32(0x1B873593))
        h = (h << 13) | (h >> 19)
        return h * 5 + jnp.uint32(0xE6546B64), h
    h, steps = lax.scan(mix, jnp.uint32(42), words)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h = (h ^ (h >> shift)) * jnp.uint32(factor)
    return ~crc, (b << 16) | a, h, steps


@program('u64[4] patterns')
def wide_random_generators(state):
    def xorshift(s, _):
        result = ((s[1] * 5 << 7) | (s[1] * 5 >> 57)) * 9
        t = s[1] << 17
        s2, s3 = s[2] ^ s[0], s[3] ^ s[1]
        s1, s0 = s[1] ^ s2, s[0] ^ s3
        return jnp.stack([s0, s1, s2 ^ t, (s3 << 45) | (s3 >> 19)]), result
    state, words = lax.scan(xorshift, state, None, length=6)
    uniform = (words >> 11).astype(jnp.float64) * 2.0**-53
    pair = jnp.sqrt(-2 * jnp.log(1 - uniform[:3])) * jnp.cos(2 * jnp.pi * uniform[3:])
    low, high = words & 0xFFFFFFFF, words >> 32
    product = low * high
    bounded = ((words >> 32) * 10) >> 32
    reversed_bits = words
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        mask = jnp.uint64(mask)
        reversed_bits = ((reversed_bits >> shift) & mask) | ((reversed_bits & mask) << shift)
    return state, words, pair, product, bounded, reversed_bits, lax.population_count(words), lax.clz(words)


@program('f32[4,8,4]', 'f32[4,8,4]', 's32[] indices low=0 high=12', 'f32[3,4]', 'f32[3,4]', 'f32[3,4]')
def decoding_with_ring_buffer(keys, values, position, q, k, v):
    def step(state, inputs):
        keys, values, position = state
        q, k, v = inputs
        slot = position % 8
        keys = lax.dynamic_update_slice(keys, jnp.broadcast_to(k, (4, 1, 4)), (jnp.int32(0), slot, jnp.int32(0)))
        values = lax.dynamic_update_slice(values, jnp.broadcast_to(v, (4, 1, 4)), (jnp.int32(0), slot, jnp.int32(0)))
        age = (position - jnp.arange(8)) % 8
        scores = jnp.where(age <= position, jnp.einsum('d,hkd->hk', q, keys) * 0.5 - 0.1 * age, -jnp.inf)
        out = jnp.einsum('hk,hkd->hd', jax.nn.softmax(scores), values)
        return (keys, values, position + 1), out
    (keys, values, position), out = lax.scan(step, (keys, values, position), (q, k, v))
    return out, position, lax.dynamic_slice(keys, (0, position % 8, 0), (4, 2, 4)), values.sum((0, 2))


@program('f32[16]')
def wavelet_transform_and_threshold(x):
    details, smooth = [], x
    for _ in range(3):
        even, odd = smooth[::2], smooth[1::2]
        detail = odd - (even + jnp.roll(even, -1)) / 2
        smooth = even + (detail + jnp.roll(detail, 1)) / 4
        details.append(detail)
    noise = jnp.median(jnp.abs(details[0])) / 0.6745
    limit = noise * jnp.sqrt(2 * jnp.log(16.0))
    back = smooth
    for detail in reversed(details):
        kept = jnp.sign(detail) * jnp.maximum(jnp.abs(detail) - limit, 0)
        even = back - (kept + jnp.roll(kept, 1)) / 4
        odd = kept + (even + jnp.roll(even, -1)) / 2
        back = jnp.stack([even, odd], 1).reshape(-1)
    return smooth, details, back, limit


@program('s32[8] indices low=1 high=30', 's32[8] indices low=1 high=30', 's32[] indices low=0 high=60')
def knapsack_and_coins(weight, value, capacity):
    def take(best, item):
        w, v = item
        moved = jnp.where(jnp.arange(61) >= w, jnp.roll(best, w) + v, -1)
        use = moved > best
        return jnp.where(use, moved, best), use
    best, used = lax.scan(take, jnp.zeros(61, jnp.int32), (weight, value))

    def back(left, item):
        use, w = item
        chosen = use[left]
        return jnp.where(chosen, left - w, left), chosen
    left, chosen = lax.scan(back, capacity, (used, weight), reverse=True)

    def gcd(pair):
        return lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), pair)[0]
    divisors = jax.vmap(lambda a, b: gcd((a, b)))(weight, value)
    powers = lax.fori_loop(0, 16, lambda _, x: x * x % 30011, weight)
    sieve = lax.fori_loop(2, 8, lambda p, s: s & ~((jnp.arange(61) % p == 0) & (jnp.arange(61) > p)), jnp.arange(61) > 1)
    return best[capacity], chosen, left, divisors, powers, jnp.sum(sieve)
