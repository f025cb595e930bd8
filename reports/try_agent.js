/* Try it, fourth part: AC(λ) with a linear value and a softmax policy (metatrace/agents/linear.py), and its training. */

const BLOCKS = 1 + N_ACTIONS;

/*
A learner: an agent in a world of its own.

Weights are numbered as their features are met: those of the feature that is met as number k are 4k (the value's) to
4k + 3 (an action's each). So every loop is over what was met alone.
*/
class Learner {
  constructor({ tuner, options, alpha, mu, drift, seed, gamma, lambda }) {
    this.world = new World(drift, seed);
    this.choices = new Generator(seed, [1]);
    const { nFeatures } = this.world;
    const zeros = () => new Float64Array(BLOCKS * nFeatures);
    Object.assign(this, { gamma, gammaLambda: gamma * lambda, weights: zeros(), z: zeros() });
    this.tuner = new TUNERS[tuner](BLOCKS * nFeatures, { alpha, mu, gammaLambda: this.gammaLambda, ...options });
    this.step = { n: 0, z: this.z, gradU: zeros(), gradDelta: zeros(), active: [], actual: [], delta: 0 };
    this.numbers = new Int32Array(nFeatures).fill(-1);
    this.acted = new Set();
    this.diverged = false;
  }

  /* The present observation: the numbers of its features and their values. */
  observe() {
    const { features, values } = this.world.observe();
    const places = features.map((feature) => {
      if (this.numbers[feature] < 0) {
        this.numbers[feature] = this.step.n / BLOCKS;
        this.tuner.meet(this.step.n, this.step.n + BLOCKS);
        this.step.n += BLOCKS;
      }
      return BLOCKS * this.numbers[feature];
    });
    return { features, places, values };
  }

  /* ⟨w|x⟩ of a block: 0 is the value, then an action each. */
  product({ places, values }, block) {
    let sum = 0;
    for (let k = 0; k < places.length; k++) sum += this.weights[places[k] + block] * values[k];
    return sum;
  }

  policy(x) {
    const logits = [1, 2, 3].map((block) => this.product(x, block));
    const most = Math.max(...logits);
    const odds = logits.map((logit) => Math.exp(logit - most));
    const sum = odds[0] + odds[1] + odds[2];
    return odds.map((one) => one / sum);
  }

  /* The action that a uniform number picks. */
  act(pi, uniform) {
    if (uniform < pi[0]) return 0;
    return uniform < pi[0] + pi[1] ? 1 : 2;
  }

  /* One step of AC(λ), all gradients at the weights before it; whether all is finite still. */
  learn(x, pi, action, next, terminal) {
    const { step, z, weights, gammaLambda } = this;
    const { gradU, gradDelta } = step;
    const bootstrap = terminal ? 0 : this.gamma;
    step.delta = -1 + (terminal ? 0 : bootstrap * this.product(next, 0)) - this.product(x, 0);
    step.active = [];
    step.actual = [];
    for (let block = 0; block < BLOCKS; block++) {
      const slope = block === 0 ? 1 : 0.5 * ((block - 1 === action ? 1 : 0) - pi[block - 1]);
      x.places.forEach((place, k) => {
        gradU[place + block] = slope * x.values[k];
        step.active.push(place + block);
      });
    }
    if (!terminal) {
      next.places.forEach((place, k) => {
        gradDelta[place] = bootstrap * next.values[k];
        step.actual.push(place);
      });
    }
    x.places.forEach((place, k) => {
      if (gradDelta[place] === 0) step.actual.push(place);
      gradDelta[place] -= x.values[k];
    });

    for (let i = 0; i < step.n; i++) z[i] *= gammaLambda;
    for (const i of step.active) z[i] += gradU[i];
    const alpha = this.tuner.update(step);
    for (let i = 0; i < step.n; i++) weights[i] += alpha[i] * z[i] * step.delta;
    for (const i of step.active) gradU[i] = 0;
    for (const i of step.actual) gradDelta[i] = 0;
    return isNumber(step.delta) && this.tuner.isFinite();
  }

  /* An episode: its states. After numbers have stopped being finite there is no policy to follow. */
  episode() {
    this.z.fill(0);
    this.tuner.startEpisode();
    this.world.reset();
    const states = [this.world.state];
    let x = this.observe();
    while (!this.diverged && states.length <= TIME_LIMIT && !atGoal(states.at(-1))) {
      const pi = this.policy(x);
      const action = this.act(pi, this.choices.random());
      this.world.step(action);
      states.push(this.world.state);
      const next = this.observe();
      for (const place of x.places) this.acted.add(place);
      const terminal = states.length > TIME_LIMIT || atGoal(this.world.state);
      this.diverged = !pi.every(isNumber) || !this.learn(x, pi, action, next, terminal);
      x = next;
    }
    return states;
  }

  /* The mean log step-size of the value's weights and of the policy's, of tiles that it has acted in and of noise. */
  logStepSizes() {
    const sums = {};
    this.numbers.forEach((number, feature) => {
      if (!this.acted.has(BLOCKS * number)) return;
      for (let block = 0; block < BLOCKS; block++) {
        const group = `${block ? "policy" : "value"}/${feature < N_TILES ? "informative" : "noisy"}`;
        const sum = (sums[group] ??= { total: 0, count: 0 });
        sum.total += this.tuner.logStepSize(BLOCKS * number + block);
        sum.count += 1;
      }
    });
    return Object.fromEntries(Object.entries(sums).map(([group, { total, count }]) => [group, total / count]));
  }

  /* V of a state, by its active tiles and their present signs; the noise is left out. */
  valueOf(tiles) {
    const signs = this.world.drift?.signs;
    let sum = 0;
    for (const tile of tiles) {
      if (this.numbers[tile] >= 0) sum += this.weights[BLOCKS * this.numbers[tile]] * (signs ? signs[tile] : 1);
    }
    return sum;
  }
}

/* The return of an episode's states. */
const returnOf = (states, learner) => (learner.diverged ? -TIME_LIMIT : 1 - states.length);
