"""Programs of machine learning: attention, normalisation, convolutions, recurrent networks, optimizers, sampling, quantised
layers.
"""
import jax
import jax.numpy as jnp
from jax import lax

from programs import program


def softmax_attention(q, k, v, bias):
    scores = jnp.einsum('hqd,hkd->hqk', q, k) / jnp.sqrt(jnp.array(q.shape[-1], q.dtype)) + bias
    return jnp.einsum('hqk,hkd->hqd', jax.nn.softmax(scores, axis=-1), v)


def causal_bias(n, dtype=jnp.float32):
    return jnp.where(jnp.arange(n)[:, None] >= jnp.arange(n)[None, :], 0, -1e9).astype(dtype)


@program('f32[2,8,4]', 'f32[2,8,4]', 'f32[2,8,4]', 'f32[2,8,4] unit')
def attention_causal_gradients(q, k, v, target):
    def loss(q, k, v):
        return jnp.mean((softmax_attention(q, k, v, causal_bias(8)) - target)**2)
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(q, k, v)


def rotate(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None] * 10000.0**(-jnp.arange(half, dtype=x.dtype) / half)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), a * jnp.sin(angles) + b * jnp.cos(angles)], -1)


@program('f32[8,16]', 'f32[16,16] unit', 'f32[16,8] unit', 'f32[16,8] unit', 'f32[16,16] unit')
def attention_grouped_queries_rotary(x, wq, wk, wv, wo):
    positions = jnp.arange(8, dtype=x.dtype)
    q = rotate((x @ wq).reshape(8, 4, 4).transpose(1, 0, 2), positions)
    k = rotate((x @ wk).reshape(8, 2, 4).transpose(1, 0, 2), positions)
    v = (x @ wv).reshape(8, 2, 4).transpose(1, 0, 2)
    k, v = jnp.repeat(k, 2, axis=0), jnp.repeat(v, 2, axis=0)
    return softmax_attention(q, k, v, causal_bias(8)).transpose(1, 0, 2).reshape(8, 16) @ wo


@program('bf16[2,8,4]', 'bf16[2,8,4]', 'bf16[2,8,4]', 'bf16[2,8,4] unit')
def attention_linear_biases(q, k, v, target):
    distance = jnp.arange(8)[None, :] - jnp.arange(8)[:, None]
    slopes = jnp.array([0.5, 0.25], jnp.bfloat16)[:, None, None]
    bias = jnp.where(distance <= 0, slopes * distance.astype(jnp.bfloat16), jnp.bfloat16(-1e4))

    def loss(q, k, v):
        return jnp.sum((softmax_attention(q, k, v, bias) * target).astype(jnp.float32))
    return jax.grad(loss, argnums=(0, 1, 2))(q, k, v)


@program('f32[2,16,4]', 'f32[2,16,4]', 'f32[2,16,4]', 's32[2] indices low=3 high=15')
def attention_sliding_window_padded(q, k, v, lengths):
    i, j = jnp.arange(16)[:, None], jnp.arange(16)[None, :]
    near = (i - j < 5) & (i >= j)
    mask = near[None] & (j[None] <= lengths[:, None, None])
    scores = jnp.where(mask, jnp.einsum('hqd,hkd->hqk', q, k) * 0.5, -jnp.inf)
    top = jnp.max(scores, -1, keepdims=True)
    weights = jnp.exp(scores - jnp.where(jnp.isfinite(top), top, 0))
    total = jnp.sum(weights, -1, keepdims=True)
    out = jnp.einsum('hqk,hkd->hqd', weights / jnp.where(total == 0, 1, total), v)
    return jnp.where(i[None] <= lengths[:, None, None], out, 0), jnp.log(total) + top


@program('f32[2,12,4]', 'f32[2,12,4]', 'f32[2,12,4]')
def attention_by_kernel_features(q, k, v):
    def step(carry, inputs):
        state, norm = carry
        q, k, v = inputs
        q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
        state, norm = state + jnp.einsum('hd,he->hde', k, v), norm + k
        return (state, norm), jnp.einsum('hd,hde->he', q, state) / jnp.einsum('hd,hd->h', q, norm)[:, None]
    start = jnp.zeros((2, 4, 4)), jnp.zeros((2, 4))
    return lax.scan(step, start, tuple(x.transpose(1, 0, 2) for x in (q, k, v)))


@program('f32[8,4]', 'f32[16,4]', 'f32[16,4]')
def attention_in_blocks(q, k, v):
    def step(carry, block):
        top, total, out = carry
        k, v = block
        scores = q @ k.T * 0.5
        new = jnp.maximum(top, scores.max(-1))
        scale, weights = jnp.exp(top - new), jnp.exp(scores - new[:, None])
        return (new, total * scale + weights.sum(-1), out * scale[:, None] + weights @ v), new
    start = jnp.full(8, -jnp.inf, q.dtype), jnp.zeros(8, q.dtype), jnp.zeros_like(q)
    (top, total, out), tops = lax.scan(step, start, (k.reshape(4, 4, 4), v.reshape(4, 4, 4)))
    return out / total[:, None], top + jnp.log(total), tops


def layer_norm(x, gain, shift):
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + shift


@program('f32[6,16]', 'f32[16] positive', 'f32[16]', 'f32[6,16] unit')
def layer_norm_gradients(x, gain, shift, target):
    return jax.value_and_grad(lambda *a: jnp.sum(layer_norm(*a) * target), argnums=(0, 1, 2))(x, gain, shift)


@program('f32[6,16]', 'f32[16] positive', 'f32[16,24] unit', 'f32[16,24] unit', 'f32[24,16] unit')
def root_mean_square_norm_gated_unit(x, gain, w, gate, out):
    def block(x, gain, w, gate, out):
        y = x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gain
        return jnp.sum((x + (jax.nn.silu(y @ gate) * (y @ w)) @ out)**2)
    return jax.value_and_grad(block, argnums=(0, 1, 2, 3, 4))(x, gain, w, gate, out)


@program('f32[2,6,6,8]', 'f32[8] positive', 'f32[8]', 'f32[2,6,6,8] unit')
def group_norm_gradients(x, gain, shift, target):
    def loss(x, gain, shift):
        groups = x.reshape(2, 36, 2, 4)
        mean, variance = groups.mean((1, 3), keepdims=True), groups.var((1, 3), keepdims=True)
        y = ((groups - mean) / jnp.sqrt(variance + 1e-5)).reshape(x.shape) * gain + shift
        return jnp.sum(jax.nn.relu(y) * target)
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(x, gain, shift)


def conv(x, w, stride=1, padding='SAME', **more):
    return lax.conv_general_dilated(x, w, (stride, ) * (x.ndim - 2), padding,
                                    dimension_numbers=('NHWC', 'HWIO', 'NHWC') if x.ndim == 4 else ('NWC', 'WIO', 'NWC'), **more)


def batch_norm(x, gain, shift):
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-3) * gain + shift, mean, variance


@program('f32[2,8,8,3]', 'f32[3,3,3,4] unit', 'f32[4] positive', 'f32[4]')
def conv_batch_norm_relu_training(x, w, gain, shift):
    def loss(w, gain, shift):
        y, mean, variance = batch_norm(conv(x, w), gain, shift)
        return jnp.mean(jax.nn.relu(y)**2), (mean, variance)
    (value, moments), gradients = jax.value_and_grad(loss, argnums=(0, 1, 2), has_aux=True)(w, gain, shift)
    return value, moments, [p - 0.1 * g for p, g in zip((w, gain, shift), gradients)]


@program('f32[1,8,8,4]', 'f32[3,3,4,8] unit', 'f32[3,3,8,8] unit', 'f32[1,1,4,8] unit', 'f32[8] positive', 'f32[8]',
         'f32[8,10] unit')
def residual_block_and_head(x, w1, w2, skip, gain, shift, head):
    y = jax.nn.relu(batch_norm(conv(x, w1, 2), gain, shift)[0])
    y = jax.nn.relu(batch_norm(conv(y, w2), gain, shift)[0] + conv(x, skip, 2))
    y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
    logits = y.mean((1, 2)) @ head
    return jax.nn.log_softmax(logits), jnp.argmax(logits, -1)


@program('f32[1,6,6,4]', 'f32[3,3,1,4] unit', 'f32[1,1,4,6] unit', 'f32[1,6,6,6] unit')
def separable_convolution_gradients(x, depthwise, pointwise, target):
    def loss(x, depthwise, pointwise):
        y = jnp.clip(conv(x, depthwise, feature_group_count=4), 0, 6)
        squeeze = jax.nn.sigmoid(y.mean((1, 2), keepdims=True))
        return jnp.mean((jax.nn.hard_swish(conv(y * squeeze, pointwise)) - target)**2)
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(x, depthwise, pointwise)


@program('f32[1,8,8,2]', 'f32[3,3,2,4] unit', 'f32[3,3,4,8] unit', 'f32[2,2,8,4] unit', 'f32[3,3,8,1] unit', 'f32[1,8,8,1] unit')
def encoder_decoder_with_skip(x, w1, w2, up, last, target):
    def loss(w1, w2, up, last):
        a = jax.nn.leaky_relu(conv(x, w1))
        b = jax.nn.leaky_relu(conv(a, w2, 2))
        c = lax.conv_transpose(b, up, (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
        y = conv(jnp.concatenate([a, c], -1), last)
        return jnp.mean(jnp.maximum(y, 0) - y * target + jnp.log1p(jnp.exp(-jnp.abs(y))))
    return jax.value_and_grad(loss, argnums=(0, 1, 2, 3))(w1, w2, up, last)


@program('f32[1,16,4]', 'f32[2,4,8] unit', 'f32[2,4,8] unit', 'f32[2,4,8] unit')
def dilated_causal_convolutions(x, w1, w2, w4):
    total = jnp.zeros_like(x)
    for dilation, w in ((1, w1), (2, w2), (4, w4)):
        y = conv(jnp.pad(x, ((0, 0), (dilation, 0), (0, 0))), w, padding='VALID', rhs_dilation=(dilation, ))
        gated = jnp.tanh(y[..., :4]) * jax.nn.sigmoid(y[..., 4:])
        x, total = x + gated, total + gated
    return jax.nn.log_softmax(jax.nn.relu(total), -1), x, jnp.cumsum(total, 1), jnp.argmax(total, -1), jnp.std(x, 1)


@program('f32[2,8,8,2]', 'f32[2,4,4,2] unit')
def pooling_gradients(x, target):
    def loss(x):
        highest = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), 'SAME')
        mean = lax.reduce_window(x, 0., lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') / 4
        norm = jnp.sqrt(lax.reduce_window(x * x, 0., lax.add, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID') + 1e-3)
        weights = jax.nn.softmax(highest.reshape(2, 16, 2), 1).reshape(2, 4, 4, 2)
        spread = jax.nn.softplus(highest - mean) * weights + jax.nn.elu(mean)
        return jnp.sum((jnp.tanh(highest) + spread - jnp.log(norm)) * target)
    return jax.value_and_grad(loss)(x)


@program('f32[6,2,4]', 'f32[4,32] unit', 'f32[8,32] unit', 'f32[32]', 'f32[2,8] unit')
def lstm_gradients(x, wx, wh, b, target):
    def loss(wx, wh, b):
        def step(carry, x):
            h, c = carry
            i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, axis=-1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
        (h, _), _ = lax.scan(step, (jnp.zeros((2, 8)), jnp.zeros((2, 8))), x)
        return jnp.mean((h - target)**2)
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(wx, wh, b)


@program('f32[8,2,4]', 'f32[4,18] unit', 'f32[6,18] unit', 'f32[18]', 's32[2] indices low=1 high=8')
def gru_both_directions(x, wx, wh, b, lengths):
    def run(x, alive):
        def step(h, inputs):
            x, alive = inputs
            a, u = x @ wx + b, h @ wh
            r, z = jax.nn.sigmoid(a[:, :6] + u[:, :6]), jax.nn.sigmoid(a[:, 6:12] + u[:, 6:12])
            new = z * h + (1 - z) * jnp.tanh(a[:, 12:] + r * u[:, 12:])
            h = jnp.where(alive[:, None], new, h)
            return h, h
        return lax.scan(step, jnp.zeros((2, 6)), (x, alive))
    alive = jnp.arange(8)[:, None] < lengths[None, :]
    last, forward = run(x, alive)
    first, backward = run(x[::-1], alive[::-1])
    return last, first, jnp.concatenate([forward, backward[::-1]], -1)


PARAMETERS = ('f32[4,8]', 'f32[8]')


@program(*PARAMETERS, *PARAMETERS, *PARAMETERS, 'f32[6,4]', 'f32[6,8] unit')
def stochastic_gradient_descent_nesterov(w, b, mw, mb, aw, ab, x, target):
    def loss(w, b):
        return jnp.mean(jnp.abs(jnp.tanh(x @ w + b) - target)) + 1e-2 * (jnp.sum(w * w) + jnp.sum(b * b))
    value, gradients = jax.value_and_grad(loss, argnums=(0, 1))(w, b)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
    out = [value, norm]
    for p, m, average, g in zip((w, b), (mw, mb), (aw, ab), gradients):
        g = g * jnp.minimum(1, 0.5 / norm)
        m = 0.9 * m + g
        p = p - 0.1 * (g + 0.9 * m)
        out += [p, m, average + 0.01 * (p - average)]
    return out


@program(*PARAMETERS, *PARAMETERS, 'f32[4,8] positive', 'f32[8] positive', 's32[] indices low=1 high=9', 'f32[6,4]',
         'f32[6,8] unit')
def adam_with_decay_and_schedule(w, b, mw, mb, vw, vb, step, x, target):
    gradients = jax.grad(lambda w, b: jnp.mean(jax.nn.gelu(x @ w + b) * target), argnums=(0, 1))(w, b)
    t = (step + 1).astype(jnp.float32)
    rate = 1e-2 * jnp.where(t < 4, t / 4, 0.5 * (1 + jnp.cos(jnp.pi * (t - 4) / 10)))
    out = [step + 1]
    for p, m, v, g in zip((w, b), (mw, mb), (vw, vb), gradients):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        step_size = m / (1 - 0.9**t) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8)
        out += [p - rate * (step_size + 0.01 * p), m, v]
    return out


@program('f32[4,8]', 'f32[8]', 'f32[4] positive', 'f32[8] positive', 'f32[8] positive', 'f32[4,8] unit', 'f32[8] unit',
         'f32[] positive')
def adafactor_step(w, b, rows, columns, vb, gw, gb, t):
    decay = 1 - t**-0.8
    squares = gw * gw + 1e-30
    rows = decay * rows + (1 - decay) * squares.mean(1)
    columns = decay * columns + (1 - decay) * squares.mean(0)
    update = gw * lax.rsqrt(rows / rows.mean())[:, None] * lax.rsqrt(columns)[None, :]
    update = update / jnp.maximum(1, jnp.sqrt(jnp.mean(update * update)))
    vb = decay * vb + (1 - decay) * (gb * gb + 1e-30)
    small = gb * lax.rsqrt(vb)
    small = small / jnp.maximum(1, jnp.sqrt(jnp.mean(small * small)))

    def scale(p):
        return jnp.minimum(1e-2, lax.rsqrt(t)) * jnp.maximum(1e-3, jnp.sqrt(jnp.mean(p * p)))
    return w - scale(w) * update, b - scale(b) * small, rows, columns, vb


@program(*PARAMETERS, *PARAMETERS, 'f32[6,4]', 's32[6] indices low=0 high=7')
def lion_step_of_classifier(w, b, mw, mb, x, labels):
    def loss(w, b):
        logits = jax.nn.relu(x @ w + b)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))
    value, gradients = jax.value_and_grad(loss, argnums=(0, 1))(w, b)
    out = [value]
    for p, m, g in zip((w, b), (mw, mb), gradients):
        out += [p - 0.01 * (jnp.sign(0.9 * m + 0.1 * g) + 0.1 * p), 0.99 * m + 0.01 * g]
    return out


@program(*PARAMETERS, *PARAMETERS, 'f32[4,8] positive', 'f32[8] positive', 'f32[4,8] unit', 'f32[8] unit')
def lamb_step(w, b, mw, mb, vw, vb, gw, gb):
    out = []
    for p, m, v, g in ((w, mw, vw, gw), (b, mb, vb, gb)):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        update = m / 0.1 / (jnp.sqrt(v / 0.001) + 1e-6) + 0.01 * p
        size, length = jnp.linalg.norm(p), jnp.linalg.norm(update)
        trust = jnp.where((size > 0) & (length > 0), size / length, 1.0)
        out += [p - 0.01 * jnp.clip(trust, 0.1, 10) * update, m, v]
    return out


@program('f32[5,12]', 'f32[12,12]')
def beam_search(start, transition):
    def step(carry, t):
        scores, tokens, alive = carry
        logits = jax.nn.log_softmax(transition[tokens[:, t]] + start[t % 5], axis=-1)
        held = jnp.where(jnp.arange(12) == 0, 0.0, -1e9)
        total = scores[:, None] + jnp.where(alive[:, None], logits, held)
        scores, flat = lax.top_k(total.reshape(-1), 4)
        parent, token = flat // 12, flat % 12
        tokens = lax.dynamic_update_slice(tokens[parent], token[:, None], (0, t + 1))
        return (scores, tokens, alive[parent] & (token != 0)), parent
    first = jnp.array([0.0, -1e9, -1e9, -1e9]), jnp.zeros((4, 6), jnp.int32), jnp.ones(4, bool)
    return lax.scan(step, first, jnp.arange(5))


@program('f32[2,16]', 'u32[2] patterns')
def sample_from_top_k(logits, key):
    values, indices = lax.top_k(logits, 5)
    chosen = jax.random.categorical(jax.random.wrap_key_data(key), values, axis=-1)
    return jnp.take_along_axis(indices, chosen[:, None], 1), jax.nn.softmax(values)


@program('f32[2,16]', 'u32[2] patterns', 'f32[] positive')
def sample_from_nucleus(logits, key, temperature):
    order = jnp.argsort(-logits, axis=-1)
    sorted_logits = jnp.take_along_axis(logits, order, -1) / temperature
    cumulative = jnp.cumsum(jax.nn.softmax(sorted_logits), -1)
    kept = jnp.where(cumulative - jax.nn.softmax(sorted_logits) < 0.9, sorted_logits, -jnp.inf)
    uniform = jax.random.uniform(jax.random.wrap_key_data(key), (2, 1))
    place = jnp.sum(jnp.cumsum(jax.nn.softmax(kept), -1) < uniform, -1)
    return jnp.take_along_axis(order, place[:, None], -1), kept


@program('f32[4,6]', 'u32[2] patterns', 'f32[6,3] unit')
def gumbel_softmax_straight_through(logits, key, w):
    noise = jax.random.gumbel(jax.random.wrap_key_data(key), (4, 6))

    def loss(logits):
        soft = jax.nn.softmax((logits + noise) / 0.7)
        hard = jax.nn.one_hot(jnp.argmax(soft, -1), 6)
        return jnp.sum(((hard + soft - lax.stop_gradient(soft)) @ w)**2)
    return jax.value_and_grad(loss)(logits)


@program('f32[4,8]', 'f32[8,6]', 'f32[6]')
def quantised_linear_layers(x, w, b):
    def quantise(x, axis):
        scale = jnp.max(jnp.abs(x), axis, keepdims=True) / 127
        return jnp.clip(jnp.round(x / jnp.where(scale == 0, 1, scale)), -127, 127).astype(jnp.int8), scale
    outs = []
    for _ in range(2):
        qx, sx = quantise(x, 1)
        qw, sw = quantise(w, 0)
        y = lax.dot_general(qx, qw, (((1, ), (0, )), ((), ())), preferred_element_type=jnp.int32)
        out = y.astype(jnp.float32) * sx * sw + b
        outs += [y, out]
        x = jax.nn.relu(x + jnp.pad(out, ((0, 0), (0, 2))))
    return outs


@program('u8[1,6,6,3]', 's8[3,3,3,4]', 's32[4]', 'f32[4] positive', type='s8')
def quantised_convolution(x, w, b, scale):
    centred = x.astype(jnp.int32) - 7
    y = conv(centred, w.astype(jnp.int32)) + b
    out = jnp.clip(jnp.round(y.astype(jnp.float32) * scale * 0.05) + 3, -128, 127).astype(jnp.int8)
    fixed = (y * 1_340_000 + (1 << 23)) >> 24
    saturated = jnp.clip(fixed, -128, 127).astype(jnp.int8)
    pooled = lax.reduce_window(out, jnp.int8(-128), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')
    mean = jnp.sum(saturated.astype(jnp.int32), (1, 2)) // 36
    entropy = jnp.sum(jnp.where(out > 0, out.astype(jnp.float32) * jnp.log(jnp.maximum(out, 1).astype(jnp.float32)), 0))
    return out, saturated, pooled, mean.astype(jnp.int8), entropy


@program('bf16[4,16]', 's4[16,8]', 'bf16[2,8] positive', 's8[2,8]', 'bf16[8]')
def four_bit_weights_by_group(x, w, scales, zeros, b):
    groups = w.astype(jnp.int8).reshape(2, 8, 8)
    weights = ((groups - zeros[:, None, :]).astype(jnp.bfloat16) * scales[:, None, :]).reshape(16, 8)
    y = jnp.dot(x, weights, preferred_element_type=jnp.float32) + b.astype(jnp.float32)
    scale = jnp.max(jnp.abs(y), -1, keepdims=True) / 7
    again = jnp.clip(jnp.round(y / scale), -8, 7).astype(jnp.int4)
    error = y - again.astype(jnp.float32) * scale
    z = jax.nn.gelu(y.astype(jnp.bfloat16))
    moments = jnp.mean(z.astype(jnp.float32)), jnp.var(z.astype(jnp.float32))
    return z, again, error, moments, jnp.sqrt(jnp.mean(error**2)), jax.nn.softmax(z, -1)


@program('f32[4,8]', 'f32[8,6] unit', 'f32[4] positive', 'f32[4] positive')
def eight_bit_float_training_matmul(x, w, history_x, history_w):
    def cast(x, history, largest):
        scale = jnp.max(history) / largest
        return jnp.clip(x / scale, -largest, largest).astype(jnp.float8_e4m3fn), scale

    def loss(x, w):
        qx, sx = cast(x, history_x, 448.0)
        qw, sw = cast(w, history_w, 448.0)
        y = (qx.astype(jnp.float32) @ qw.astype(jnp.float32)) * (sx * sw)
        return jnp.sum(y * jnp.tanh(y))
    value, (gx, gw) = jax.value_and_grad(loss, argnums=(0, 1))(x, w)
    narrow = (gx / 8).astype(jnp.float8_e5m2).astype(jnp.float32) * 8
    update = [jnp.roll(h, 1).at[0].set(jnp.max(jnp.abs(t))) for h, t in ((history_x, x), (history_w, w))]
    return value, gw, narrow, update


@program('f32[12,8] unit', 's32[3,5] indices low=0 high=11', 'f32[3,8] unit')
def embedding_bag_gradients(table, words, target):
    def loss(table):
        rows = table[words]
        weight = (words != 0)[..., None]
        mean = jnp.sum(rows * weight, 1) / jnp.maximum(jnp.sum(weight, 1), 1)
        unit = mean * lax.rsqrt(jnp.sum(mean * mean, -1, keepdims=True) + 1e-6)
        return jnp.sum(jax.nn.logsumexp(unit @ target.T, -1) - jnp.sum(unit * target, -1))
    value, gradient = jax.value_and_grad(loss)(table)
    return value, gradient, table.at[words.reshape(-1)].add(-0.1)


@program('f32[8,6]', 'f32[6,4] unit', 'f32[4,6,5] unit', 'f32[4,5,6] unit')
def mixture_of_experts(x, router, up, down):
    probabilities = jax.nn.softmax(x @ router)
    gates, experts = lax.top_k(probabilities, 2)
    gates = gates / gates.sum(-1, keepdims=True)
    hot = jax.nn.one_hot(experts, 4, dtype=jnp.int32).reshape(16, 4)
    place = jnp.sum((jnp.cumsum(hot, 0) - hot) * hot, -1).reshape(8, 2)
    fits = place < 5
    dispatch = jnp.einsum('tke,tkc->tec', jax.nn.one_hot(experts, 4) * fits[..., None], jax.nn.one_hot(place, 5))
    combine = jnp.einsum('tke,tkc,tk->tec', jax.nn.one_hot(experts, 4), jax.nn.one_hot(place, 5), gates * fits)
    hidden = jax.nn.relu(jnp.einsum('ecd,edh->ech', jnp.einsum('tec,td->ecd', dispatch, x), up))
    balance = jnp.sum(hot.reshape(8, 2, 4).mean((0, 1)) * probabilities.mean(0)) * 4
    return x + jnp.einsum('tec,ecd->td', combine, jnp.einsum('ech,ehd->ecd', hidden, down)), balance, place


@program('f32[12,4]', 'f32[12,4]', 'f32[4,3] unit', 'f32[12,3] unit', 'f32[12,3] unit', 'f32[4]')
def selective_state_space_scan(x, delta, a, b, c, skip):
    delta = jax.nn.softplus(delta)
    decay = jnp.exp(-delta[..., None] * jnp.exp(a))
    drive = (delta * x)[..., None] * b[:, None, :]
    _, states = lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (decay, drive))
    y = jnp.einsum('tds,ts->td', states, c) + skip * x
    return y * jax.nn.silu(x), states[-1], jnp.max(jnp.abs(y), 0)


@program('f32[6,8]', 's32[6] indices low=0 high=7', 'pred[6]', 'f32[8] positive')
def smoothed_cross_entropy_gradients(logits, labels, keep, weights):
    def loss(logits):
        targets = jax.nn.one_hot(labels, 8) * 0.9 + 0.1 / 8
        logp = jax.nn.log_softmax(logits)
        focal = (1 - jnp.exp(logp))**2
        each = -jnp.sum(targets * logp * focal * weights, -1)
        return jnp.sum(jnp.where(keep, each, 0)) / jnp.maximum(jnp.sum(keep), 1)
    value, gradient = jax.value_and_grad(loss)(logits)
    correct = jnp.argmax(logits, -1) == labels
    return value, gradient, jnp.mean(correct & keep), jnp.sum(lax.top_k(logits, 3)[1] == labels[:, None])


@program('f32[8,5]', 's32[3] indices low=1 high=4')
def connectionist_temporal_classification(logits, labels):
    def loss(logits):
        logp = jax.nn.log_softmax(logits)
        path = jnp.zeros(7, jnp.int32).at[1::2].set(labels)
        skip = (jnp.arange(7) % 2 == 1) & (jnp.roll(path, 2) != path)

        def step(alpha, row):
            one = jnp.concatenate([jnp.full(1, -1e30), alpha[:-1]])
            two = jnp.where(skip, jnp.concatenate([jnp.full(2, -1e30), alpha[:-2]]), -1e30)
            alpha = jnp.logaddexp(jnp.logaddexp(alpha, one), two) + row[path]
            return alpha, alpha
        start = jnp.where(jnp.arange(7) < 2, logp[0][path], -1e30)
        last, _ = lax.scan(step, start, logp[1:])
        return -jnp.logaddexp(last[-1], last[-2])
    return jax.value_and_grad(loss)(logits)


@program('f32[6,8]', 'f32[6,8]', 'f32[] unit')
def contrastive_loss_gradients(a, b, temperature):
    def loss(a, b, temperature):
        a = a / jnp.linalg.norm(a, axis=-1, keepdims=True)
        b = b / jnp.linalg.norm(b, axis=-1, keepdims=True)
        logits = a @ b.T * jnp.exp(temperature)
        return -jnp.mean(jnp.diag(jax.nn.log_softmax(logits, 0)) + jnp.diag(jax.nn.log_softmax(logits, 1))) / 2
    return jax.value_and_grad(loss, argnums=(0, 1, 2))(a, b, temperature)


@program('f32[4,8]', 'f32[8,16] unit', 'f32[16,8] unit', 'u32[2] patterns')
def dropout_perceptron_gradients(x, up, down, key):
    keep = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.8, (4, 16))

    def loss(up, down):
        hidden = jnp.where(keep, jax.nn.gelu(x @ up, approximate=False) / 0.8, 0)
        return jnp.mean(jnp.square(x + hidden @ down))
    return jax.value_and_grad(loss, argnums=(0, 1))(up, down)


@program('bf16[6,8]', 'f32[8,16] unit', 'f32[16,8] unit', 'f32[] positive', 's32[] indices low=0 high=9')
def mixed_precision_step_with_loss_scale(x, up, down, scale, good):
    scale = scale * 1024

    def loss(up, down):
        y = jnp.dot(jax.nn.relu(x @ up.astype(jnp.bfloat16)), down.astype(jnp.bfloat16))
        return jnp.mean(jnp.square(y.astype(jnp.float32) - 1)) * scale
    value, gradients = jax.value_and_grad(loss, argnums=(0, 1))(up, down)
    gradients = [g / scale for g in gradients]
    finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(g)) for g in gradients]))
    updated = [jnp.where(finite, p - 0.1 * g, p) for p, g in zip((up, down), gradients)]
    scale = jnp.where(finite, jnp.where(good >= 8, scale * 2, scale), scale / 2)
    return value / scale, updated, scale, jnp.where(finite & (good < 8), good + 1, 0)
