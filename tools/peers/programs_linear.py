"""Programs of numerical mathematics: iterative solvers, factorisations, filters, integrators, inference in probabilistic
models.
"""
import jax
import jax.numpy as jnp
from jax import lax

from programs import program


@program('f32[8,8] definite', 'f32[8]')
def conjugate_gradients(a, b):
    def step(state):
        x, r, p, rr, k = state
        ap = a @ p
        alpha = rr / jnp.dot(p, ap)
        x, r = x + alpha * p, r - alpha * ap
        new = jnp.dot(r, r)
        return x, r, r + new / rr * p, new, k + 1
    start = jnp.zeros(8), b, b, jnp.dot(b, b), 0
    x, r, _, rr, k = lax.while_loop(lambda s: (s[3] > 1e-8) & (s[4] < 12), step, start)
    # The same with Jacobi's preconditioner, a fixed number of times.
    d = 1 / jnp.diag(a)

    def again(carry, _):
        x, r, z, p = carry
        ap = a @ p
        alpha = jnp.dot(r, z) / (jnp.dot(p, ap) + 1e-20)
        x, s = x + alpha * p, r - alpha * ap
        w = d * s
        return (x, s, w, w + jnp.dot(s, w) / (jnp.dot(r, z) + 1e-20) * p), jnp.linalg.norm(s)
    last, norms = lax.scan(again, (jnp.zeros(8), b, d * b, d * b), None, length=4)
    return x, rr, k, last[0], norms


@program('f64[8,8] definite', 'f64[8]')
def biconjugate_gradients_stabilised(a, b):
    a = a + jnp.triu(jnp.ones((8, 8)), 1) * 0.5

    def step(state):
        x, r, p, v, rho, alpha, omega, k = state
        new = jnp.dot(b, r)
        p = r + new / rho * alpha / omega * (p - omega * v)
        v = a @ p
        alpha = new / jnp.dot(b, v)
        s = r - alpha * v
        t = a @ s
        omega = jnp.dot(t, s) / jnp.dot(t, t)
        return x + alpha * p + omega * s, s - omega * t, p, v, new, alpha, omega, k + 1
    zero, one = jnp.zeros(8), jnp.ones(())
    start = zero, b, zero, zero, one, one, one, 0
    x, r, *_, k = lax.while_loop(lambda s: (jnp.linalg.norm(s[1]) > 1e-9) & (s[7] < 10), step, start)
    return x, r, k


@program('f64[12,4]', 'f64[12] unit')
def newton_for_logistic_regression(x, noise):
    y = (x[:, 0] + noise > 0).astype(x.dtype)

    def step(w, _):
        p = jax.nn.sigmoid(x @ w)
        gradient = x.T @ (p - y) + 0.5 * w
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 0.5 * jnp.eye(4)
        factor = lax.linalg.cholesky(hessian)
        z = lax.linalg.triangular_solve(factor, gradient[:, None], left_side=True, lower=True)
        move = lax.linalg.triangular_solve(factor, z, left_side=True, lower=True, transpose_a=True)
        return w - move[:, 0], jnp.sum(gradient * move[:, 0])
    w, decrements = lax.scan(step, jnp.zeros(4), None, length=5)
    return w, decrements, jnp.mean((x @ w > 0) == (y > 0.5))


@program('f32[6,6] definite', 'f32[6] positive')
def power_iteration_with_deflation(a, v):
    def largest(a):
        def step(state):
            v, value, _, k = state
            w = a @ v
            new = jnp.dot(v, w)
            return w / jnp.linalg.norm(w), new, jnp.abs(new - value), k + 1
        start = v / jnp.linalg.norm(v), jnp.float32(0), jnp.float32(1), 0
        return lax.while_loop(lambda s: (s[2] > 1e-5) & (s[3] < 40), step, start)
    vector, value, _, k = largest(a)
    second, other, _, n = largest(a - value * jnp.outer(vector, vector))
    return value, vector, other, second, k, n, jnp.linalg.norm(a @ second - other * second)


@program('f64[8,8] definite', 'f64[8]')
def jacobi_and_gauss_seidel(a, b):
    d = jnp.diag(a)
    rest = a - jnp.diag(d)

    def jacobi(state):
        x, _, k = state
        new = (b - rest @ x) / d
        return new, jnp.max(jnp.abs(new - x)), k + 1
    x, change, k = lax.while_loop(lambda s: (s[1] > 1e-10) & (s[2] < 60), jacobi, (jnp.zeros(8), jnp.float64(1), 0))

    def sweep(y, _):
        def row(i, y):
            return y.at[i].add(1.1 * (b[i] - jnp.dot(a[i], y)) / a[i, i])
        y = lax.fori_loop(0, 8, row, y)
        return y, jnp.linalg.norm(b - a @ y)
    y, residuals = lax.scan(sweep, jnp.zeros(8), None, length=6)
    return x, change, k, y, residuals


@program('f64[6,6] definite', 'f64[6]')
def generalised_minimal_residuals(a, b):
    a = a + jnp.tril(jnp.ones((6, 6)), -1)
    beta = jnp.linalg.norm(b)

    def arnoldi(j, state):
        q, h = state
        w = a @ q[:, j]
        coefficients = jnp.where(jnp.arange(5) <= j, q.T @ w, 0)
        w = w - q @ coefficients
        norm = jnp.linalg.norm(w)
        h = h.at[:, j].set(coefficients).at[j + 1, j].set(norm)
        return q.at[:, j + 1].set(w / norm), h
    q, h = lax.fori_loop(0, 4, arnoldi, (jnp.zeros((6, 5)).at[:, 0].set(b / beta), jnp.zeros((5, 4))))

    def rotate(j, state):
        h, g = state
        r = jnp.hypot(h[j, j], h[j + 1, j])
        c, s = h[j, j] / r, h[j + 1, j] / r
        top, low = c * h[j] + s * h[j + 1], c * h[j + 1] - s * h[j]
        return h.at[j].set(top).at[j + 1].set(low), g.at[j + 1].set(-s * g[j]).at[j].set(c * g[j])
    h, g = lax.fori_loop(0, 4, rotate, (h, jnp.zeros(5).at[0].set(beta)))
    y = lax.linalg.triangular_solve(h[:4], g[:4, None], left_side=True, lower=False)[:, 0]
    x = q[:, :4] @ y
    return x, jnp.abs(g[4]), jnp.linalg.norm(b - a @ x)


@program('f64[8,5]')
def householder_factorisation(a):
    def reflect(j, state):
        q, r = state
        x = jnp.where(jnp.arange(8) >= j, r[:, j], 0)
        alpha = -jnp.where(x[j] >= 0, 1, -1) * jnp.linalg.norm(x)
        v = x.at[j].add(-alpha)
        v = v / jnp.linalg.norm(v)
        return q - 2 * jnp.outer(q @ v, v), r - 2 * jnp.outer(v, v @ r)
    q, r = lax.fori_loop(0, 5, reflect, (jnp.eye(8), a))
    r = jnp.triu(r)
    x = lax.linalg.triangular_solve(r[:5], (q.T @ jnp.arange(8.0))[:5, None], left_side=True, lower=False)
    return q, r, x[:, 0], jnp.max(jnp.abs(q @ r - a)), jnp.prod(jnp.diag(r[:5]))


@program('f64[6,6]', 'f64[6]')
def elimination_with_pivots(a, b):
    def step(k, state):
        a, order, sign = state
        column = jnp.where(jnp.arange(6) >= k, jnp.abs(a[:, k]), -1)
        pivot = jnp.argmax(column)
        swap = jnp.arange(6).at[k].set(pivot).at[pivot].set(k)
        a, order = a[swap], order[swap]
        factors = jnp.where(jnp.arange(6) > k, a[:, k] / a[k, k], 0)
        row = jnp.where(jnp.arange(6) > k, a[k], 0)
        a = a - jnp.outer(factors, row)
        below = (jnp.arange(6)[:, None] > k) & (jnp.arange(6)[None] == k)
        return jnp.where(below, factors[:, None], a), order, jnp.where(pivot == k, sign, -sign)
    lu, order, sign = lax.fori_loop(0, 6, step, (a, jnp.arange(6), jnp.float64(1)))
    y = lax.linalg.triangular_solve(lu, b[order][:, None], left_side=True, lower=True, unit_diagonal=True)
    x = lax.linalg.triangular_solve(lu, y, left_side=True, lower=False)
    return lu, order, x[:, 0], sign * jnp.prod(jnp.diag(lu))


@program('f64[5,5] definite')
def eigenvalues_by_rotations(a):
    def rotate(state, pair):
        a, v = state
        p, q = pair[0], pair[1]
        theta = (a[q, q] - a[p, p]) / (2 * jnp.where(a[p, q] == 0, 1e-300, a[p, q]))
        t = jnp.sign(theta + 1e-300) / (jnp.abs(theta) + jnp.sqrt(theta * theta + 1))
        t = jnp.where(a[p, q] == 0, 0, t)
        c = lax.rsqrt(t * t + 1)
        s = t * c
        g = jnp.eye(5).at[p, p].set(c).at[q, q].set(c).at[p, q].set(s).at[q, p].set(-s)
        return (g.T @ a @ g, v @ g), jnp.abs(a[p, q])
    pairs = jnp.array([(p, q) for p in range(5) for q in range(p + 1, 5)] * 2)
    (d, v), off = lax.scan(rotate, (a, jnp.eye(5)), pairs)
    order = jnp.argsort(jnp.diag(d))
    return jnp.diag(d)[order], v[:, order], off


@program('f32[32]', 'f32[5] unit')
def low_pass_filters(x, taps):
    spectrum = jnp.fft.rfft(x * (0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(32) / 32)))
    frequency = jnp.arange(17) / 32
    gain = 1 / jnp.sqrt(1 + (frequency / 0.2)**8)
    smooth = jnp.fft.irfft(spectrum * gain, 32)
    power = jnp.abs(spectrum)**2
    centroid = jnp.sum(power * frequency) / jnp.sum(power)
    direct = jnp.convolve(x, taps, mode='same')

    def recursive(state, x):
        y1, y2 = state
        y = 0.2 * x + 1.2 * y1 - 0.5 * y2
        return (y, y1), y
    return smooth, centroid, jnp.angle(spectrum), direct, lax.scan(recursive, (jnp.float32(0), jnp.float32(0)), x)[1]


@program('f32[8,8]', 'f32[3,3] unit')
def convolution_by_fourier_transform(image, kernel):
    padded = jnp.zeros((8, 8)).at[:3, :3].set(kernel)
    padded = jnp.roll(padded, (-1, -1), (0, 1))
    transform = jnp.fft.fft2(image)
    response = jnp.fft.fft2(padded)
    blurred = jnp.real(jnp.fft.ifft2(transform * response))
    restored = jnp.real(jnp.fft.ifft2(jnp.fft.fft2(blurred) * jnp.conj(response) / (jnp.abs(response)**2 + 0.1)))
    shifted = jnp.fft.fftshift(jnp.log1p(jnp.abs(transform)))
    correlation = jnp.real(jnp.fft.ifft2(transform * jnp.conj(jnp.roll(transform, 1, 0)))) / 64
    return blurred, restored, shifted, jnp.argmax(correlation), jnp.mean((restored - image)**2)


@program('c64[16]', 'c64[4,4]')
def complex_signal_and_unitary_step(z, h):
    h = (h + h.conj().T) / 2
    eye = jnp.eye(4, dtype=z.dtype)
    term, total = eye, eye
    for k in range(1, 7):
        term = term @ (h * -0.1j) / k
        total = total + term
    state = z[:4] / jnp.sqrt(jnp.sum(jnp.abs(z[:4])**2))
    moved, history = lax.scan(lambda s, _: (total @ s, jnp.abs(total @ s)**2), state, None, length=4)
    phase = jnp.cumsum(jnp.angle(z * jnp.conj(jnp.roll(z, 1))))
    baseband = z * jnp.exp(-1j * phase.astype(z.dtype))
    return moved, history, phase, jnp.mean(baseband), jnp.fft.ifft(jnp.fft.fft(z) * (jnp.arange(16) < 8))


@program('f32[12,2]', 'f32[3,2]')
def k_means_iterations(points, centres):
    def step(centres, _):
        distance = jnp.sum((points[:, None] - centres[None])**2, -1)
        nearest = jnp.argmin(distance, 1)
        count = jax.ops.segment_sum(jnp.ones(12), nearest, 3)
        sums = jax.ops.segment_sum(points, nearest, 3)
        new = jnp.where(count[:, None] > 0, sums / jnp.maximum(count, 1)[:, None], centres)
        return new, (jnp.sum(jnp.min(distance, 1)), nearest)
    centres, (inertia, nearest) = lax.scan(step, centres, None, length=4)
    distance = jnp.sqrt(jnp.sum((points[:, None] - points[None])**2, -1))
    same = nearest[-1][:, None] == nearest[-1][None]
    inside = jnp.sum(distance * same, 1) / jnp.maximum(jnp.sum(same, 1) - 1, 1)
    outside = jnp.min(jnp.where(same, jnp.inf, distance), 1)
    return centres, inertia, jnp.mean((outside - inside) / jnp.maximum(outside, inside))


@program('f64[2] unit', 'f64[] positive')
def runge_kutta_with_step_control(y, mu):
    def slope(y):
        return jnp.stack([y[1], mu * (1 - y[0]**2) * y[1] - y[0]])

    def step(state):
        t, h, y, taken, refused = state
        k1 = slope(y)
        k2 = slope(y + h * k1 / 2)
        k3 = slope(y + h * 3 * k2 / 4)
        new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        error = jnp.max(jnp.abs(h * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * slope(new)) / 72)) / 1e-4
        good = error <= 1
        h_next = h * jnp.clip(0.9 * error**(-1 / 3), 0.2, 5)
        return (jnp.where(good, t + h, t), jnp.minimum(h_next, 1 - jnp.where(good, t + h, t) + 1e-12), jnp.where(good, new, y),
                taken + good, refused + ~good)
    return lax.while_loop(lambda s: (s[0] < 1) & (s[3] + s[4] < 40), step, (jnp.float64(0), jnp.float64(0.1), y, 0, 0))


@program('f64[6,3]', 'f64[6,3] unit', 'f64[6] positive')
def bodies_under_gravity(x, v, mass):
    def acceleration(x):
        difference = x[None] - x[:, None]
        square = jnp.sum(difference**2, -1) + 0.01
        return jnp.sum(mass[None, :, None] * difference * (square**-1.5)[..., None], 1)

    def energy(x, v):
        distance = jnp.sqrt(jnp.sum((x[None] - x[:, None])**2, -1) + 0.01)
        pairs = jnp.triu(mass[:, None] * mass[None] / distance, 1)
        return 0.5 * jnp.sum(mass * jnp.sum(v * v, -1)) - jnp.sum(pairs)

    def step(state, _):
        x, v, a = state
        v = v + 0.005 * a
        x = x + 0.01 * v
        a = acceleration(x)
        v = v + 0.005 * a
        return (x, v, a), energy(x, v)
    return lax.scan(step, (x, v, acceleration(x)), None, length=6)


@program('f32[10,10]', 'f32[10,10] positive')
def heat_and_waves_on_a_grid(u, speed):
    def laplacian(u):
        return jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u

    def inner(u):
        return u.at[0].set(0).at[-1].set(0).at[:, 0].set(0).at[:, -1].set(0)

    def step(state, _):
        heat, wave, before = state
        heat = inner(heat + 0.1 * speed * laplacian(heat))
        wave, before = inner(2 * wave - before + 0.05 * speed * laplacian(wave)), wave
        return (heat, wave, before), (jnp.sum(heat), jnp.sum((wave - before)**2))
    return lax.scan(step, (inner(u), inner(u), inner(u)), None, length=5)


@program('f32[10,2]', 'f32[10]', 'f32[3] unit')
def gaussian_process_likelihood_gradients(x, y, parameters):
    def loss(parameters):
        amplitude, length, noise = jnp.exp(parameters)
        square = jnp.sum((x[:, None] - x[None])**2, -1)
        k = amplitude * jnp.exp(-0.5 * square / length**2) + (noise + 1e-3) * jnp.eye(10)
        factor = lax.linalg.cholesky(k)
        z = lax.linalg.triangular_solve(factor, y[:, None], left_side=True, lower=True)
        return 0.5 * jnp.sum(z * z) + jnp.sum(jnp.log(jnp.diag(factor))) + 5 * jnp.log(2 * jnp.pi)
    return jax.value_and_grad(loss)(parameters)


@program('f64[4,4] positive', 'f64[4,3] positive', 's32[8] indices low=0 high=2')
def hidden_markov_model(transition, emission, seen):
    transition = transition / transition.sum(1, keepdims=True)
    emission = emission / emission.sum(1, keepdims=True)

    def forward(alpha, o):
        alpha = (alpha @ transition) * emission[:, o]
        return alpha / alpha.sum(), (alpha / alpha.sum(), alpha.sum())

    def backward(beta, o):
        beta = transition @ (emission[:, o] * beta)
        return beta / beta.sum(), beta / beta.sum()

    def viterbi(score, o):
        paths = score[:, None] + jnp.log(transition)
        score = jnp.max(paths, 0) + jnp.log(emission[:, o])
        return score, jnp.argmax(paths, 0)
    _, (alphas, scales) = lax.scan(forward, jnp.full(4, 0.25), seen)
    _, betas = lax.scan(backward, jnp.ones(4), seen, reverse=True)
    posterior = alphas[:-1] * betas[1:]
    score, back = lax.scan(viterbi, jnp.log(jnp.full(4, 0.25)), seen)
    last, path = lax.scan(lambda s, row: (row[s], s), jnp.argmax(score), back, reverse=True)
    return posterior / posterior.sum(1, keepdims=True), jnp.sum(jnp.log(scales)), path, last


@program('f64[6,2]', 'f64[2,2] definite', 'f64[4] unit')
def kalman_filter_and_smoother(seen, noise, start):
    f = jnp.eye(4) + jnp.eye(4, k=2) * 0.5
    h = jnp.eye(2, 4)
    q = 0.1 * jnp.eye(4)

    def inverse(s):
        determinant = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
        return jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / determinant, determinant

    def step(state, z):
        x, p = state
        x, p = f @ x, f @ p @ f.T + q
        s_inverse, determinant = inverse(h @ p @ h.T + noise)
        residual = z - h @ x
        gain = p @ h.T @ s_inverse
        x, p = x + gain @ residual, (jnp.eye(4) - gain @ h) @ p
        return (x, p), (x, jnp.log(determinant) + residual @ s_inverse @ residual)
    (x, p), (states, terms) = lax.scan(step, (start, jnp.eye(4)), seen)
    return x, p, states, -0.5 * jnp.sum(terms)


@program('f32[2,5]', 'f32[] positive', 'u32[2] patterns')
def barrier_option_by_simulation(parameters, rate, key):
    normal = jax.random.normal(jax.random.wrap_key_data(key), (8, 16))

    def price(parameters):
        spot, volatility = jnp.exp(parameters[0] * 0.1), 0.1 + jnp.abs(parameters[1]) * 0.1
        drift = (0.01 * rate - 0.5 * volatility**2) / 8
        steps = drift[:, None, None] + volatility[:, None, None] * jnp.sqrt(1 / 8) * normal[None]
        path = spot[:, None, None] * jnp.exp(jnp.cumsum(steps, 1))
        alive = jnp.max(path, 1) < 1.5
        payoff = jnp.where(alive, jnp.maximum(path[:, -1] - 1, 0), 0)
        return jnp.sum(jnp.exp(-0.01 * rate) * payoff.mean(1)), (payoff.std(1), alive.mean(1))
    (value, more), greeks = jax.value_and_grad(price, has_aux=True)(parameters)
    return value, more, greeks


@program('f64[3] positive', 'f64[12] sorted', 'f64[12]')
def curve_fit_by_levenberg_marquardt(p, t, y):
    t = t * 0.2

    def model(p):
        return p[0] * jnp.exp(-p[1] * t * t * 0.1) + p[2] * jnp.cos(t) - y

    def step(state, _):
        p, damping = state
        r, jacobian = model(p), jax.jacfwd(model)(p)
        normal = jacobian.T @ jacobian
        factor = lax.linalg.cholesky(normal + damping * jnp.diag(jnp.diag(normal) + 1e-6))
        z = lax.linalg.triangular_solve(factor, (jacobian.T @ r)[:, None], left_side=True, lower=True)
        new = p - lax.linalg.triangular_solve(factor, z, left_side=True, lower=True, transpose_a=True)[:, 0]
        better = jnp.sum(model(new)**2) < jnp.sum(r * r)
        return (jnp.where(better, new, p), jnp.where(better, damping / 3, damping * 2)), jnp.sum(r * r)
    return lax.scan(step, (p, jnp.float64(1)), None, length=4)
