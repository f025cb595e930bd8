/*
Try it, third part: the step-size tuners (metatrace/tuning), with the same operations in the same order.

A tuner's `update` gets a step: `z`, `gradU` and `gradDelta` by weight, `active` and `actual`, where these two are not 0,
the TD error `delta`, and `n`, how many weights have been met so far. It answers with the step-size of each weight. Weights
that have not been met have h = 0, and all the same β.
*/

const dot = (places, one, other) => {
  let sum = 0;
  for (const i of places) sum += one[i] * other[i];
  return sum;
};
const dense = (n, one, other) => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += one[i] * other[i];
  return sum;
};
const runningMaximum = (maximum, value, rate) => Math.max(value, maximum + rate * (value - maximum));
const divisor = (v) => (v > 0 ? v : 1);
const isNumber = Number.isFinite;

/* No tuning. */
class Constant {
  constructor(nWeights, { alpha, mu, gammaLambda, normalized = true }) {
    Object.assign(this, { mu, gammaLambda, normalized, beta: Math.log(alpha), v: 0 });
    Object.assign(this, { h: new Float64Array(nWeights), alpha: new Float64Array(nWeights) });
  }

  startEpisode() {}

  /* Whether all weights have the same step-size. */
  get isShared() {
    return true;
  }

  /* Weights from `from` on to `to` are met for the first time. */
  meet() {}

  logStepSize() {
    return this.beta;
  }

  isFinite() {
    return isNumber(this.beta) && isNumber(Math.exp(this.beta));
  }

  update({ n }) {
    return this.alpha.fill(Math.exp(this.beta), 0, n);
  }

  /* h + α z (δ + ⟨∂δ|h⟩), where a β is that of all weights. */
  advance(h, { n, z, delta, gradDelta, actual }) {
    const { alpha } = this;
    const error = delta + dot(actual, gradDelta, h);
    for (let i = 0; i < n; i++) h[i] += alpha[i] * (z[i] * error);
    return alpha;
  }

  /* Lines 14 and 15 of algorithm 1. */
  finish(step) {
    this.alpha.fill(Math.exp(this.beta), 0, step.n);
    return this.advance(this.h, step);
  }

  /* By how much β falls so that the largest recent effective step-size is not above 1. */
  overshoot(effective) {
    this.u = runningMaximum(this.u, effective, 1 - this.gammaLambda);
    return Math.log(Math.max(this.u, 1));
  }
}

class Scalar extends Constant {
  startEpisode() {
    this.zBeta = this.u = 0;
  }

  update(step) {
    const { delta, gradU, active } = step;
    this.zBeta = this.gammaLambda * this.zBeta + dot(active, gradU, this.h);
    const change = this.zBeta * delta;
    if (this.normalized) {
      this.v = runningMaximum(this.v, Math.abs(change), this.mu);
      this.beta += (this.mu * change) / divisor(this.v);
      this.beta -= this.overshoot(Math.exp(this.beta) * dot(active, gradU, gradU));
    } else {
      this.beta += this.mu * change;
    }
    return this.finish(step);
  }
}

class Sid extends Constant {
  update(step) {
    this.beta += this.mu * (step.delta * dense(step.n, step.z, this.h));
    return this.finish(step);
  }
}

class Nosid extends Constant {
  update(step) {
    const { n, z, delta, gradDelta, actual } = step;
    this.v = Math.max(this.v, Math.abs(delta));
    this.beta += (this.mu * (delta * dense(n, z, this.h))) / divisor(this.v);
    const along = dot(actual, z, gradDelta);
    if (along < 0) this.beta = Math.min(this.beta, -Math.log(-along));
    return this.finish(step);
  }
}

/* A step-size for each weight; β of a weight is that of all (`shared`), where Mixed has one, and its own. */
class Vector extends Constant {
  constructor(nWeights, settings) {
    super(nWeights, settings);
    const zeros = () => new Float64Array(nWeights);
    Object.assign(this, { own: zeros(), vOwn: zeros(), zOwn: zeros(), unmet: this.beta, sane: true });
  }

  startEpisode() {
    this.zOwn.fill(0);
    this.u = 0;
  }

  get isShared() {
    return false;
  }

  meet(from, to) {
    this.own.fill(this.unmet, from, to);
  }

  logStepSize(i) {
    return this.own[i];
  }

  isFinite() {
    return this.sane && isNumber(this.unmet) && isNumber(Math.exp(this.unmet));
  }

  /* Lines 7 to 10 of algorithm 2. */
  tuneOwn({ n, delta, gradU }) {
    const { own, vOwn, zOwn, h, mu, gammaLambda } = this;
    for (let i = 0; i < n; i++) {
      zOwn[i] = gammaLambda * zOwn[i] + gradU[i] * h[i];
      const change = zOwn[i] * delta;
      if (this.normalized) {
        vOwn[i] = runningMaximum(vOwn[i], Math.abs(change), mu);
        own[i] += (mu * change) / divisor(vOwn[i]);
      } else {
        own[i] += mu * change;
      }
    }
  }

  /* Lines 14 and 15: e^β, where β is `shared` and a weight's own, which falls by `drop`. */
  advanceOwn({ n, z, delta, gradDelta }, drop, shared) {
    const { own, h, alpha } = this;
    this.sane = true;
    for (let i = 0; i < n; i++) {
      own[i] -= drop;
      if (z[i] === 0) continue; // neither h nor the weight moves
      alpha[i] = Math.exp(shared + own[i]);
      h[i] += alpha[i] * (z[i] * (delta + gradDelta[i] * h[i]));
      this.sane &&= isNumber(own[i]) && isNumber(alpha[i]);
    }
  }

  effective({ active, gradU }, shared) {
    let sum = 0;
    for (const i of active) sum += Math.exp(shared + this.own[i]) * gradU[i] ** 2;
    return sum;
  }

  update(step) {
    this.tuneOwn(step);
    const drop = this.normalized ? this.overshoot(this.effective(step, 0)) : 0;
    this.unmet -= drop;
    this.advanceOwn(step, drop, 0);
    return this.alpha;
  }
}

class Mixed extends Vector {
  constructor(nWeights, settings) {
    super(nWeights, settings);
    this.unmet = 0;
    this.hShared = new Float64Array(nWeights);
  }

  startEpisode() {
    super.startEpisode();
    this.zBeta = 0;
  }

  logStepSize(i) {
    return this.own[i] + this.beta;
  }

  isFinite() {
    return super.isFinite() && isNumber(Math.exp(this.beta));
  }

  update(step) {
    const { delta, gradU, active } = step;
    this.zBeta = this.gammaLambda * this.zBeta + dot(active, gradU, this.hShared);
    const change = this.zBeta * delta;
    this.tuneOwn(step);
    if (this.normalized) {
      this.v = runningMaximum(this.v, Math.abs(change), this.mu);
      this.beta += (this.mu * change) / divisor(this.v);
      this.beta -= this.overshoot(this.effective(step, this.beta));
    } else {
      this.beta += this.mu * change;
    }
    this.advanceOwn(step, 0, this.beta);
    return this.advance(this.hShared, step);
  }
}

const TUNERS = { Constant, Scalar, Sid, Nosid, Vector, Mixed };
