/* Try it, fifth part: pictures of an agent, the car and its value function, and charts over episodes. */

const svg = (tag, attributes = {}, ...parts) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...parts);
  return made;
};

/* ---- The car on its hill: height sin 3x over position x ---- */

const heightAt = (position) => -0.45 * Math.sin(3 * position);

const hill = () => {
  const steps = Array.from({ length: 61 }, (_, i) => MIN_POSITION + (i / 60) * (MAX_POSITION - MIN_POSITION));
  const path = `M${steps.map((x) => `${x.toFixed(3)} ${heightAt(x).toFixed(3)}`).join("L")}`;
  const top = heightAt(GOAL);
  const car = svg("g", { class: "car" });
  car.append(svg("rect", { x: -0.08, y: -0.13, width: 0.16, height: 0.08, rx: 0.025 }));
  for (const cx of [-0.045, 0.045]) car.append(svg("circle", { cx, cy: -0.04, r: 0.035 }));
  const flag = svg("path", { class: "flag", d: `M${GOAL} ${top}v-.2l.1 .05l-.085 .045v.105z` });
  const picture = svg("svg", { viewBox: "-1.25 -0.75 1.9 1.25", role: "img" }, svg("path", { class: "hill", d: path }), flag, car);
  const show = ([position]) => {
    const slope = (Math.atan2(-1.35 * Math.cos(3 * position), 1) * 180) / Math.PI;
    car.setAttribute("transform", `translate(${position} ${heightAt(position)}) rotate(${slope})`);
  };
  return { picture, show };
};

/* ---- The value of every state, position to the right and velocity upwards, and an episode's way through them ---- */

const [ACROSS, UP] = [64, 48];
const CELLS = Array.from({ length: ACROSS * UP }, (_, i) => {
  const [column, row] = [i % ACROSS, Math.floor(i / ACROSS)];
  const position = MIN_POSITION + ((column + 0.5) / ACROSS) * (MAX_POSITION - MIN_POSITION);
  return activeTiles([position, MAX_SPEED * (1 - (2 * (row + 0.5)) / UP)]);
});
const shades = data.shades.map((shade) => [1, 3, 5].map((i) => parseInt(shade.slice(i, i + 2), 16)));

const landscape = () => {
  const [scale, small] = [6, make("canvas", { width: ACROSS, height: UP })];
  const picture = make("canvas", { width: ACROSS * scale, height: UP * scale, role: "img" });
  const [brush, cells] = [picture.getContext("2d"), small.getContext("2d")];
  const range = { low: 0, high: 0 };
  /* Reads the value function, which takes some milliseconds. */
  const read = (learner) => {
    const values = CELLS.map((tiles) => learner.valueOf(tiles));
    range.low = Math.min(...values);
    range.high = Math.max(...values);
    const image = cells.createImageData(ACROSS, UP);
    values.forEach((value, i) => {
      const place = range.high > range.low ? (value - range.low) / (range.high - range.low) : 1;
      image.data.set([...(shades[Math.round(place * (shades.length - 1))] ?? [128, 128, 128]), 255], 4 * i);
    });
    cells.putImageData(image, 0, 0);
  };
  const pointOf = ([position, velocity]) => [
    ((position - MIN_POSITION) / (MAX_POSITION - MIN_POSITION)) * picture.width,
    (0.5 - velocity / (2 * MAX_SPEED)) * picture.height,
  ];
  /* Draws it, and the way of an episode up to a step. */
  const show = (states, frame) => {
    brush.imageSmoothingEnabled = false;
    brush.drawImage(small, 0, 0, picture.width, picture.height);
    brush.beginPath();
    states.slice(0, frame + 1).forEach((state) => brush.lineTo(...pointOf(state)));
    for (const [style, width] of [["#000", 4], ["#fff", 2]]) {
      Object.assign(brush, { strokeStyle: style, lineWidth: width, lineJoin: "round" });
      brush.stroke();
    }
    brush.beginPath();
    brush.arc(...pointOf(states[frame]), 6, 0, 7);
    Object.assign(brush, { fillStyle: "#fff", strokeStyle: "#000", lineWidth: 2 });
    brush.fill();
    brush.stroke();
  };
  return { picture, range, read, show };
};

/* ---- A chart over episodes ---- */

const DASHES = ["", "7 3", "2 2.5", "7 2 2 2"];

/* Draws lines `{points, colour, dashes, isDots}` of points [x, y]; `ticks` are [y, text]. */
const drawChart = (picture, { most, ticks, lines }) => {
  const [width, height] = [picture.clientWidth || 400, 230];
  const [left, right, top, bottom] = [44, width - 8, 8, height - 34];
  const [low, high] = [ticks[0][0], ticks.at(-1)[0]];
  const xOf = (x) => left + (x / most) * (right - left);
  const yOf = (y) => bottom - ((y - low) / (high - low)) * (bottom - top);
  const parts = ticks.flatMap(([y, text]) => [
    svg("line", { class: "grid", x1: left, x2: right, y1: yOf(y), y2: yOf(y) }),
    svg("text", { x: left - 6, y: yOf(y) + 4, "text-anchor": "end" }, text),
  ]);
  for (const share of [0, 0.5, 1]) {
    const anchor = share === 1 ? "end" : share ? "middle" : "start";
    parts.push(svg("text", { x: xOf(share * most), y: bottom + 15, "text-anchor": anchor }, String(share * most)));
  }
  parts.push(svg("text", { x: (left + right) / 2, y: bottom + 30, "text-anchor": "middle" }, "Training episode"));
  for (const { points, colour, dashes = "", isDots } of lines) {
    const places = points.map(([x, y]) => `${xOf(x).toFixed(1)} ${yOf(Math.min(Math.max(y, low), high)).toFixed(1)}`);
    if (!places.length) continue;
    const d = isDots ? places.map((place) => `M${place}h.01`).join("") : `M${places.join("L")}`;
    const looks = isDots ? { class: "dots", "stroke-width": 2.5, "stroke-linecap": "round" } : { class: "line" };
    parts.push(svg("path", { d, stroke: colour, "stroke-dasharray": isDots ? "none" : dashes, ...looks }));
  }
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("height", height);
  picture.replaceChildren(picture.querySelector("title"), ...parts);
};
