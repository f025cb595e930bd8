/* Try it, last part: what the reader chooses, two agents that learn, and what is seen of them. */

const { methods, grids } = data;
const WINDOW = 20;
const BUDGET = 10; // milliseconds of learning a frame
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const offered = Object.keys(methods).filter((token) => methods[token].tuner in TUNERS);
const colourOf = (token) => methods[token][dark.matches ? "dark" : "light"];

/* What the address keeps, as tokens. */
const START = { method: "scalar", alpha: "2^-10", mu: "", drift: "0", seed: "0", episodes: "300" };
const SLIDERS = ["alpha", "mu", "drift"];
const EXAMPLES = [
  ["A step-size that is too small, rescued by scalar Metatrace", { method: "scalar", alpha: "2^-12" }],
  ["A step-size that is too large", { method: "scalar", alpha: "2^-4" }],
  ["NOSID, from the same too large step-size", { method: "nosid", alpha: "2^-4" }],
  ["A step-size for every weight, next to one for all", { method: "mixed", alpha: "2^-10" }],
  ["Drifting features and noise: which step-sizes stay large?", { method: "mixed", alpha: "2^-10", drift: "6e-6" }],
  ["A meta-step-size that is far too large", { method: "scalar-unnormalized", alpha: "2^-8", mu: "2^-6" }],
];

/* ---- Learning ---- */

const learnerOf = (token, { alpha, mu, drift, seed }) => {
  const { tuner, options } = methods[token];
  const { gamma, lambda } = data;
  const numbers = { alpha: number(alpha), mu: number(mu), drift: number(drift), seed: Number(seed) };
  return new Learner({ tuner, options, gamma, lambda, ...numbers });
};

/* For tests, and for the curious: the returns of a method's first episodes, and its mean log step-sizes after each. */
globalThis.tryIt = {
  offered,
  learn(token, settings, episodes) {
    const learner = learnerOf(token, settings);
    const returns = [];
    const logStepSizes = [];
    for (let i = 0; i < episodes; i++) {
      returns.push(returnOf(learner.episode(), learner));
      logStepSizes.push(learner.logStepSizes());
    }
    return { returns, logStepSizes };
  },
};

/* An agent on the page: it learns by `learn`, and `show` replays its latest episode. */
class Shown {
  constructor(token, settings) {
    Object.assign(this, { token, settings, learner: learnerOf(token, settings) });
    Object.assign(this, { returns: [], means: [], sizes: [], frame: 0, replayed: null, latest: null, readAt: 0, read: 0 });
    const { name } = methods[token];
    this.car = hill();
    this.land = landscape();
    this.told = make("p");
    this.caption = make("figcaption");
    const heading = make("h2", { textContent: name[0].toUpperCase() + name.slice(1) });
    const figures = [
      make("figure", {}, this.car.picture, make("figcaption", { textContent: "The latest episode" })),
      make("figure", {}, this.land.picture, this.caption),
    ];
    this.card = make("article", { className: "agent" }, heading, ...figures, this.told);
    this.car.picture.setAttribute("aria-label", "The car on its hill, in the latest episode");
    this.land.picture.setAttribute("aria-label", "The value function over position and velocity, with the path of that episode");
    this.card.setAttribute("aria-label", name);
    this.paint();
  }

  paint() {
    this.card.style.setProperty("--colour", colourOf(this.token));
  }

  learn() {
    const states = this.learner.episode();
    this.returns.push(returnOf(states, this.learner));
    const recent = this.returns.slice(-WINDOW);
    this.means.push(recent.reduce((sum, one) => sum + one, 0) / recent.length);
    this.sizes.push(this.learner.logStepSizes());
    this.latest = { number: this.returns.length, states };
  }

  /* The next step of the replay; a new episode when it has ended. */
  show() {
    if (!this.latest) return;
    const last = this.replayed && this.frame >= this.replayed.states.length - 1;
    if (!this.replayed || last || STILL.matches) {
      this.replayed = this.latest;
      this.frame = STILL.matches ? this.replayed.states.length - 1 : 0;
    } else {
      this.frame += 1;
    }
    const now = performance.now();
    if (now - this.readAt > 300 && this.read !== this.returns.length) {
      this.land.read(this.learner);
      this.readAt = now;
      this.read = this.returns.length;
      const { low, high } = this.land.range;
      this.caption.textContent = `Value: ${minus(low.toFixed(0))} (dark) to ${minus(high.toFixed(0))} (bright)`;
    }
    const { number: episode, states } = this.replayed;
    this.car.show(states[this.frame]);
    this.land.show(states, this.frame);
    const steps = states.length - 1;
    const end = atGoal(states.at(-1)) ? `up after ${steps} steps` : "did not get up";
    const diverged = this.learner.diverged ? " Learning has diverged." : "";
    this.told.textContent = `Episode ${episode}: ${end}.${diverged}`;
  }
}

const minus = (text) => text.replace("-", "−");

/* ---- The page ---- */

let chosen = { ...START };
let shown = [];
let isPaused = false;
let drawnAt = 0;

const total = () => Number(chosen.episodes);
const isLearning = () => shown.some(({ returns }) => returns.length < total());

const restart = () => {
  const tokens = chosen.method === "none" ? ["none"] : ["none", chosen.method];
  shown = tokens.map((token) => new Shown(token, chosen));
  ui.agents.replaceChildren(...shown.map(({ card }) => card));
  isPaused = false;
  drawnAt = 0;
  tell();
};

/* A method's own meta-step-size, until the reader chooses one. */
const muOf = (token) => methods[token].mu || grids.mu[Math.floor(grids.mu.length / 2)];

const showChoices = () => {
  const { hasMu } = methods[chosen.method];
  ui.method.value = chosen.method;
  for (const id of SLIDERS) {
    const token = chosen[id];
    ui[id].value = grids[id].indexOf(token);
    const text = id === "drift" && token === "0" ? "0: plain mountain car" : raised(token);
    ui[`${id}-shown`].textContent = id === "mu" && !hasMu ? "none" : text;
    ui[id].setAttribute("aria-valuetext", ui[`${id}-shown`].textContent);
  }
  ui.mu.disabled = !hasMu;
  ui.seed.value = chosen.seed;
  ui.episodes.value = chosen.episodes;
};

const isKnown = (key, value) => {
  if (key === "method") return offered.includes(value);
  if (key === "seed") return /^\d{1,10}$/.test(value) && Number(value) < 2 ** 32;
  if (key === "episodes") return [...ui.episodes.options].some((option) => option.value === value);
  return grids[key].includes(value);
};

/* Takes choices over, those that it knows; the method's own μ comes with a new method. */
const choose = (changes) => {
  for (const [key, value] of Object.entries(changes)) if (key in START && isKnown(key, value)) chosen[key] = value;
  if (!isKnown("mu", chosen.mu) || ("method" in changes && !("mu" in changes))) chosen.mu = muOf(chosen.method);
  showChoices();
  restart();
};
const remember = () => history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
const recall = () => {
  chosen = { ...START };
  choose({ method: START.method, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) });
};

const tell = () => {
  ui.pause.textContent = isPaused ? "Go on" : "Pause";
  if (isLearning()) {
    ui.status.textContent = "Learning.";
    return;
  }
  const parts = shown.map(({ token, means }) => `${methods[token].name} ${minus(means.at(-1).toFixed(1))}`);
  ui.status.textContent = `After ${total()} episodes, mean return of the last ${WINDOW}: ${parts.join(", ")}.`;
};

const GROUPS = {
  "value/informative": "value", "policy/informative": "policy",
  "value/noisy": "value, noise", "policy/noisy": "policy, noise",
};

/* The lines of step-sizes: one where all weights share one, else one for each group of weights. */
const sizeLines = () =>
  shown.flatMap(({ token, sizes, learner }) => {
    const { isShared } = learner.tuner;
    const groups = isShared ? ["value/informative"] : Object.keys(GROUPS).filter((group) => group in (sizes[0] ?? {}));
    return groups.map((group, i) => ({
      text: isShared ? methods[token].name : `${methods[token].name}: ${GROUPS[group]}`,
      colour: colourOf(token),
      dashes: token === "none" ? "5 3" : DASHES[i],
      points: sizes.map((groupsOf, k) => [k + 1, groupsOf[group] / Math.LN2]),
    }));
  });

const drawCharts = () => {
  const most = total();
  const dots = shown.map(({ token, returns }) => ({
    points: returns.map((value, i) => [i + 1, value]), colour: colourOf(token), isDots: true,
  }));
  const means = shown.map(({ token, means: values }) => ({
    points: values.map((value, i) => [i + 1, value]), colour: colourOf(token), dashes: token === "none" ? "5 3" : "",
  }));
  const ticks = [-200, -170, -140, -110, -80].map((value) => [value, minus(String(value))]);
  drawChart(ui.returns, { most, ticks, lines: [...dots, ...means] });

  const lines = sizeLines();
  const powers = lines.flatMap(({ points }) => points.map(([, y]) => y)).filter(Number.isFinite);
  const low = Math.floor(Math.min(...powers, Math.log2(number(chosen.alpha)) - 1));
  const high = Math.ceil(Math.max(...powers, Math.log2(number(chosen.alpha)) + 1));
  const every = Math.max(Math.ceil((high - low) / 5), 1);
  const marks = Array.from({ length: Math.ceil((high - low) / every) + 1 }, (_, i) => low + i * every);
  drawChart(ui.sizes, { most, ticks: marks.map((power) => [power, raised(`2^${power}`)]), lines });

  const swatch = ({ colour, dashes }) =>
    svg("svg", { viewBox: "0 0 34 10", "aria-hidden": "true" },
      svg("path", { d: "M0 5H34", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dashes }));
  ui.legend.replaceChildren(...lines.map((line) => make("li", {}, swatch(line), line.text)));
  const names = shown.map(({ token, means: values }) =>
    values.length ? `${methods[token].name} ${minus(values.at(-1).toFixed(1))}` : methods[token].name);
  ui.returns.querySelector("title").textContent = `Return against episode. Mean of the last ${WINDOW}: ${names.join(", ")}.`;
  ui.sizes.querySelector("title").textContent = "Step-size against episode, on a scale of powers of 2.";
  ui["sizes-caption"].textContent = shown.every(({ learner }) => learner.tuner.isShared)
    ? "Step-size α, the same for all weights."
    : "Step-size α: the geometric mean over each group of weights that the agent has used.";
};

/* A frame: learning for some milliseconds, whoever is behind first; then a step of both replays. */
const frame = (now) => {
  requestAnimationFrame(frame);
  if (isPaused) return;
  const wasLearning = isLearning();
  const end = performance.now() + BUDGET;
  while (isLearning() && performance.now() < end) {
    const [next] = [...shown].sort((one, other) => one.returns.length - other.returns.length);
    next.learn();
  }
  for (const agent of shown) agent.show();
  if (wasLearning && (now - drawnAt > 150 || !isLearning())) {
    drawnAt = now;
    drawCharts();
    if (!isLearning()) tell();
  }
};

const begin = () => {
  ui.method.append(...offered.map((value) => make("option", { value, textContent: methods[value].label })));
  for (const value of ["100", "300", "1000"]) ui.episodes.append(make("option", { value, textContent: value }));
  for (const id of SLIDERS) Object.assign(ui[id], { min: 0, max: grids[id].length - 1 });
  for (const [text, changes] of EXAMPLES) {
    const all = { ...START, ...changes, mu: changes.mu ?? muOf(changes.method) };
    ui.examples.append(make("li", {}, make("a", { href: `#${new URLSearchParams(all)}`, textContent: text })));
  }
  ui.choices.onsubmit = (event) => event.preventDefault();
  ui.choices.oninput = ({ target }) => {
    const value = SLIDERS.includes(target.id) ? grids[target.id][target.value] : target.value;
    choose({ [target.id]: value });
    remember();
  };
  ui.pause.onclick = () => {
    isPaused = !isPaused;
    tell();
  };
  ui.again.onclick = restart;
  ui.other.onclick = () => {
    choose({ seed: String((Number(chosen.seed) + 1) % 2 ** 32) });
    remember();
  };
  ui.copy.onclick = async () => {
    remember();
    await copyText(location.href);
    ui.copy.textContent = "Copied";
    setTimeout(() => (ui.copy.textContent = "Copy link"), 2000);
  };
  onhashchange = recall;
  onresize = drawCharts;
  dark.onchange = () => {
    for (const agent of shown) agent.paint();
    drawCharts();
  };
  recall();
  drawCharts();
  requestAnimationFrame(frame);
};

begin();
