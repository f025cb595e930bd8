/* The explorer, last part: draws and lists what the reader chooses. Nothing but Vega helps; nothing is downloaded. */

/* ---- What is chosen ---- */

/* The values of each field that the reader ticked; a field that is not there has all. */
const ticked = {};
const boxOf = (field) => document.querySelector(`fieldset[data-field=${field}]`);

const fill = (select, pairs, wanted) => {
  select.replaceChildren(...pairs.map(([value, text]) => make("option", { value, textContent: text })));
  if (pairs.some(([value]) => value === wanted)) select.value = wanted;
};

const ofFigure = () => curves.filter((curve) => !ui.figure.value || curve.figures.includes(ui.figure.value));
const ofEnvironment = () => {
  const wanted = ui.environment.value;
  return ofFigure().filter((curve) => (wanted === ALL_GAMES ? curve.axis === "frame" : curve.environment === wanted));
};
const fits = (field, curve) =>
  !ticked[field] || ticked[field].has(curve[field]) || (field === "mu" && !isTuned(curve));
const chosen = () => {
  const some = ofEnvironment().filter((curve) => FIELDS.every((field) => fits(field, curve)));
  return ui.best.checked ? bestOf(some) : some;
};

/* Of curves that differ only in μ, the one with the highest final return; of equal ones, that with the larger μ. */
const bestOf = (some) => {
  const others = NAMING.filter((field) => field !== "mu");
  const keyOf = (curve) => JSON.stringify(others.map((field) => curve[field]));
  const isBetter = (one, other) => (scoreOf(one) - scoreOf(other) || number(one.mu) - number(other.mu)) > 0;
  const rivals = Map.groupBy(some, keyOf);
  return some.filter((curve) => !rivals.get(keyOf(curve)).some((rival) => isBetter(rival, curve)));
};

const listEnvironments = () => {
  const there = values("environment", ofFigure());
  const games = new Set(curves.filter((curve) => curve.axis === "frame").map((curve) => curve.environment));
  const several = there.filter((environment) => games.has(environment)).length;
  const pairs = there.map((environment) => [environment, words.environments[environment]]);
  if (several > 1) pairs.push([ALL_GAMES, ALL_GAMES]);
  fill(ui.environment, pairs, several > 1 && several === there.length ? ALL_GAMES : ui.environment.value);
};

const listChoices = () => {
  let left = ofEnvironment();
  for (const field of FIELDS) {
    const there = values(field, left).filter((value) => field !== "mu" || value !== UNTUNED);
    const box = boxOf(field);
    if (ticked[field]?.size && !there.some((value) => ticked[field].has(value))) delete ticked[field];
    for (const tick of box.querySelectorAll("input")) {
      tick.parentElement.hidden = !there.includes(tick.value);
      tick.checked = !ticked[field] || ticked[field].has(tick.value);
    }
    box.hidden = there.length === 0 || (there.length === 1 && (field === "variant" || there[0] === "0"));
    box.querySelector("legend span").hidden = there.length < 2;
    left = left.filter((curve) => fits(field, curve));
  }
};

const readTicks = (field) => {
  const ticks = [...boxOf(field).querySelectorAll("label:not([hidden]) input")];
  const on = ticks.filter((tick) => tick.checked).map((tick) => tick.value);
  ticked[field] = on.length === ticks.length ? null : new Set(on);
};

const preset = () => {
  for (const field of FIELDS) delete ticked[field];
  const figure = figureOf(ui.figure.value);
  if (!figure) return;
  ui.colours.value = figure.colours;
  ui.panels.value = figure.panels;
  ui.best.checked = figure.best;
};

/* Leaves a table that the figure does not have. */
const fitTable = () => {
  const names = figureOf(ui.figure.value)?.tables;
  if (!names || names.includes(ui.table.value) || ui.table.value === "verdicts") return;
  ui.table.value = names.includes("settings") ? "settings" : names[0];
};

/* ---- The page follows ---- */

/* For tests, and for the curious: what is drawn, and the view that draws it. */
const explorer = (globalThis.explorer = { palette, rows: [], curves: [], view: null, betaView: null });
let turn = 0;

const embed = async (some, rows, shown, measure) => {
  if (!rows.length) return null;
  const part = make("div");
  const how = { mode: "vega-lite", actions: false, renderer: "svg" };
  const { view } = await vegaEmbed(part, specification(some, rows, shown, measure), how);
  return { part, view };
};

/* `how` the address takes what was chosen: as a new entry of the history, or in place of the present one. */
const draw = async (how = "pushState") => {
  const mine = ++turn;
  listChoices();
  const all = chosen();
  const some = all.slice(0, MOST_CURVES);
  const seen = some.filter((curve) => curve.mean.length);
  const [colours, panels] = [ui.colours.value, ui.panels.value];
  /* Fields in which the curves differ and that neither panel nor colour shows; dashes can show one of them. */
  const differing = NAMING.filter((field) => values(field, field === "mu" ? seen.filter(isTuned) : seen).length > 1);
  const untold = differing.filter((field) => field !== colours && field !== panels);
  const dashes = untold.find((field) => field !== "smoothing" && values(field, seen).length <= looks.dashes.length);
  const shown = { colours, panels, dashes, differing };
  const rows = rowsOf(seen, shown);
  Object.assign(explorer, { rows, curves: seen });
  tell(all, some, untold.filter((field) => field !== dashes));
  remember(how);
  list();
  drawMaps();
  for (const id of ["save-svg", "save-png", "save-drawn"]) ui[id].disabled = !rows.length;
  const keepers = seen.filter((curve) => curve.beta).slice(0, MOST_BETA);
  const betaRows = ui.beta.checked ? betaRowsOf(keepers, shown) : [];
  ui["step-sizes"].hidden = !betaRows.length;
  ui.beta.parentElement.hidden = !ofEnvironment().some((curve) => curve.beta);
  const left = seen.filter((curve) => curve.beta).length - keepers.length;
  ui.groups.textContent =
    "The mean over runs and weights. Of the informative features, only those count that an agent has met." +
    (left > 0 ? ` The first ${MOST_BETA} curves are shown; choose fewer to see the others.` : "");
  const made = [await embed(seen, rows, shown, seen[0]?.measure), await embed(keepers, betaRows, shown, "beta")];
  if (mine !== turn) {
    for (const one of made) one?.view.finalize();
    return;
  }
  explorer.view?.finalize();
  explorer.betaView?.finalize();
  [explorer.view, explorer.betaView] = made.map((one) => one?.view);
  ui.chart.replaceChildren(...(made[0] ? [made[0].part] : []));
  ui["beta-chart"].replaceChildren(...(made[1] ? [made[1].part] : []));
  ui.chart.dataset.turn = String(mine);
};

/* Says what is drawn, and what a reader may miss. */
const tell = (all, some, untold) => {
  const environment = ui.environment.selectedOptions[0]?.textContent ?? "";
  ui["drawing-title"].textContent = figureOf(ui.figure.value)?.title ?? `All curves: ${environment}`;
  if (!all.length) {
    const empty = FIELDS.filter((field) => ticked[field]?.size === 0).map((field) => NAMES[field]);
    const advice = empty.length ? `: tick at least one ${empty.join(" and one ")}` : "";
    ui.drawn.textContent = `Nothing is chosen${advice}.`;
    return;
  }
  const runs = some.reduce((sum, curve) => sum + curve.seeds.length, 0);
  const blank = some.filter((curve) => !curve.mean.length).length;
  const names = untold.map((field) => NAMES[field] ?? field).join(" and ");
  const parts = [
    `${plural(some.length, "curve")} of ${plural(runs, "run")}.`,
    all.length > some.length && `These are the first of ${all.length}; choose fewer to see the others.`,
    ui.runs.checked && runs > MOST_RUNS && `Only ${MOST_RUNS.toLocaleString("en")} single runs are shown.`,
    blank && `${plural(blank, "curve")} without points: some of their runs finished no episode.`,
    names && `Lines that look the same differ in ${names}: point at one to see which it is.`,
    ui.bands.checked && some.every((curve) => !curve.low.length) && "A single run has no interval.",
  ];
  ui.drawn.textContent = parts.filter(Boolean).join(" ");
};

/* ---- The table ---- */

let sorting = { column: null, down: false };
let everything = false;
let listed = { columns: [], rows: [] };

const HEADS = { alpha: "α", mu: "μ", drift: "drift rate", auc: "AUC" };
const headOf = (key) => HEADS[key] ?? key.replace(/^auc_/, "AUC ").replace(/_/g, " ");

/* Only rows of the settings that are drawn; a column that a table does not have excludes nothing. */
const isChosen = (columns) => {
  const games = columns.filter(({ key }) => key === "game");
  const asked = games.length ? games : columns.filter(({ key }) => ["figure", "readings", ...SETTING].includes(key));
  const there = new Set();
  for (const curve of chosen()) {
    for (const figure of curve.figures.filter((name) => !ui.figure.value || name === ui.figure.value)) {
      const { short: called, readings } = figureOf(figure);
      const row = { ...curve, game: curve.environment, figure: called, readings };
      there.add(JSON.stringify(asked.map(({ key }) => row[key])));
    }
  }
  return (i) => there.has(JSON.stringify(asked.map(({ cells }) => cells[i])));
};

/* Sorts rows by a column; missing values go last in both directions. */
const sort = (rows, { key, isNumber, cells }) => {
  const sign = sorting.down ? -1 : 1;
  const valueOf = (cell) => (cell === "" ? null : !isNumber && TOKENS.includes(key) ? number(cell) : cell);
  const sorted = cells.map(valueOf);
  rows.sort((a, b) => {
    const [one, other] = [sorted[a], sorted[b]];
    if (one === null || other === null) return (one === null) - (other === null);
    return one < other ? -sign : one > other ? sign : a - b;
  });
};

const list = () => {
  const columns = columnsOf(ui.table.value);
  let rows = [...columns[0].cells.keys()];
  if (ui.only.checked) rows = rows.filter(isChosen(columns));
  const column = columns.find(({ key }) => key === sorting.column);
  if (column) sort(rows, column);
  listed = { columns, rows };
  const shown = everything ? rows : rows.slice(0, FIRST_ROWS);
  const first = shown.length < rows.length ? `, the first ${shown.length} shown` : "";
  ui.rows.caption.textContent = `${plural(rows.length, "row")}${first}`;
  const classOf = ({ isNumber }) => (isNumber ? "number" : "");
  const heads = columns.map((one) => {
    const button = make("button", { type: "button", value: one.key, textContent: headOf(one.key) });
    const ariaSort = one !== column ? null : sorting.down ? "descending" : "ascending";
    return make("th", { scope: "col", className: classOf(one), ariaSort }, button);
  });
  const textOf = (cell, isNumber) => (cell === null ? "–" : isNumber ? String(cell).replace("-", "−") : cell);
  const cellsOf = (i) =>
    columns.map((one) => make("td", { className: classOf(one), textContent: textOf(one.cells[i], one.isNumber) }));
  ui.rows.tHead.replaceChildren(make("tr", {}, ...heads));
  ui.rows.tBodies[0].replaceChildren(...shown.map((i) => make("tr", {}, ...cellsOf(i))));
  ui.more.hidden = rows.length <= FIRST_ROWS;
  ui.more.textContent = everything ? `Show the first ${FIRST_ROWS} rows` : `Show all ${plural(rows.length, "row")}`;
  const { text } = words.tables[ui.table.value];
  ui.about.textContent =
    `${text[0].toUpperCase()}${text.slice(1)}. Numbers are rounded to seven digits; ` +
    `results/${words.scale}/tables/ has all digits.`;
};

/* ---- Files ---- */

const save = (what, suffix, href) => {
  const shown = ui.figure.value || ui.environment.value.replaceAll(" ", "_");
  make("a", { download: `metatrace_${words.scale}_${shown}_${what}.${suffix}`, href }).click();
};
const quoted = (value) => {
  const text = String(value ?? "");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const saveCsv = (what, rows) => {
  const text = rows.map((row) => `${row.map(quoted).join(",")}\n`);
  const url = URL.createObjectURL(new Blob(text, { type: "text/csv" }));
  save(what, "csv", url);
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};
const saveTable = () => {
  const { columns, rows } = listed;
  saveCsv(ui.table.value, [columns.map(({ key }) => key), ...rows.map((i) => columns.map(({ cells }) => cells[i]))]);
};
const saveDrawn = () => {
  const rows = explorer.curves.flatMap((curve) => {
    const { environment, variant, method, alpha, mu, drift } = curve;
    const named = [environment, words.variants[variant], method, alpha, mu, drift];
    return linesOf(curve).flatMap(({ seed, x, y, low, high }) =>
      y.flatMap((value, i) => (value === null ? [] : [[...named, seed, x[i], value, low[i], high[i]]]))
    );
  });
  const header = ["environment", "readings", "method", "alpha", "mu", "drift", "seed", explorer.curves[0].axis];
  saveCsv("curves", [[...header, "mean", "low", "high"], ...rows]);
};

/* ---- Beginning ---- */

const listAll = () => {
  /* Inside Snakemake's report the page has no other pages next to it, and no address. */
  ui.pages.hidden = ui.copy.hidden = !/^(file|https?):$/.test(location.protocol);
  ui.made.append(
    "Scale: ",
    make("strong", {}, words.scale),
    ` · ${plural(words.runs, "run")} · ${plural(curves.length, "setting")} · code `,
    make("code", {}, words.fingerprint)
  );
  for (const [job, digest] of Object.entries(words.code)) {
    ui.code.querySelector("ul").append(make("li", {}, make("code", {}, job), " ", make("code", {}, digest)));
  }
  ui.thinned.textContent =
    "A line is the mean over runs of each run's trailing mean; a band, its 95 % bootstrap interval over seeds. " +
    "To keep the page small, a curve has at most 120 points here and a single run 60; their values are " +
    `those in results/${words.scale}/tables/ and runs/, rounded.`;
  fill(ui.figure, [...words.figures.map((figure) => [figure.name, figure.title]), ["", "All figures"]]);
  fill(ui.score, Object.entries(SCORES));
  const offered = ["environment", ...FIELDS].filter((field) => values(field, curves).length > 1 || field === "alpha");
  const fields = offered.map((field) => [field, NAMES[field]]);
  fill(ui.colours, fields);
  fill(ui.panels, [["", "(one panel)"], ...fields]);
  fill(ui.table, Object.keys(data.tables).map((name) => [name, words.tables[name].name]));
  for (const field of FIELDS) {
    const box = boxOf(field);
    const legend = box.querySelector("legend");
    const tick = (value) => make("label", {}, make("input", { type: "checkbox", value }), ` ${label(field, value)}`);
    const button = (what, on) => {
      const onclick = () => {
        ticked[field] = on;
        draw();
      };
      return make("button", { type: "button", ariaLabel: `${legend.firstChild.data}: ${what}`, onclick }, what);
    };
    box.append(...values(field, curves).filter((value) => field !== "mu" || value !== UNTUNED).map(tick));
    legend.append(make("span", {}, button("all", null), button("none", new Set())));
  }
};

const listen = () => {
  ui.choices.onsubmit = (event) => event.preventDefault();
  ui.choices.onchange = ({ target }) => {
    const { field } = target.closest("fieldset")?.dataset ?? {};
    if (field) readTicks(field);
    if (target === ui.figure) {
      preset();
      listEnvironments();
      fitTable();
    }
    draw();
  };
  const relist = () => {
    remember("pushState");
    list();
  };
  ui.table.onchange = ui.only.onchange = () => {
    everything = false;
    relist();
  };
  ui.more.onclick = () => {
    everything = !everything;
    relist();
  };
  ui.score.onchange = () => {
    remember("pushState");
    drawMaps();
  };
  ui.maps.onclick = ({ target }) => pickCell(target.closest("button"));
  ui.copy.onclick = async () => {
    await copyText(location.href);
    ui.copy.textContent = "Copied";
    setTimeout(() => (ui.copy.textContent = "Copy link"), 2000);
  };
  ui.rows.onclick = ({ target }) => {
    const column = target.closest("th button")?.value;
    if (!column) return;
    sorting = { column, down: sorting.column === column && !sorting.down };
    relist();
    ui.rows.querySelector(`th button[value="${column}"]`).focus();
  };
  ui["save-table"].onclick = saveTable;
  ui["save-drawn"].onclick = saveDrawn;
  ui["save-svg"].onclick = async () => save("curves", "svg", await explorer.view.toImageURL("svg"));
  ui["save-png"].onclick = async () => save("curves", "png", await explorer.view.toImageURL("png", 2));
  dark.onchange = () => draw();
  onhashchange = () => {
    recall();
    draw("replaceState");
  };
  let waiting = 0;
  let width = ui.chart.clientWidth;
  onresize = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (ui.chart.clientWidth !== width) draw();
      width = ui.chart.clientWidth;
    }, 150);
  };
};

listAll();
listen();
recall();
draw("replaceState");
