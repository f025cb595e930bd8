"use strict";

/* The explorer: draws and lists what the reader chooses. Vega draws, no other library; nothing is downloaded. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { words, looks } = data;
  const byId = (id) => document.getElementById(id);

  /* In this order: each list of choices shows what those above it leave. */
  const FIELDS = ["variant", "method", "drift", "mu", "alpha"];
  const NAMES = {
    variant: "readings",
    environment: "environment",
    method: "method",
    drift: "drift rate",
    mu: "μ",
    alpha: "α",
  };
  const UNTUNED = "0";
  const RAISED = Object.fromEntries([..."-0123456789"].map((sign, i) => [sign, [..."⁻⁰¹²³⁴⁵⁶⁷⁸⁹"][i]]));
  /* The fields that name a curve, the most telling first. */
  const NAMING = ["method", "mu", "drift", "variant", "environment", "alpha", "smoothing"];
  const AXES = { episode: "Training episode", frame: "Observed frames" };
  const ALL_GAMES = "all games";
  const MOST_CURVES = 150;
  const MOST_RUNS = 1500;
  const FIRST_ROWS = 50;

  /* ---- The data ---- */

  const summed = (steps) => {
    let value = 0;
    return steps.map((step) => (step === null ? null : (value += step)));
  };
  const grids = data.grids.map(summed);
  const scaled = (steps, decimals) =>
    summed(steps).map((whole) => (whole === null ? null : whole / 10 ** decimals));
  const curves = data.curves;

  const number = (token) => {
    const power = /^2\^(-?\d+)$/.exec(token);
    return power ? 2 ** Number(power[1]) : Number(token);
  };
  const methods = Object.keys(looks.methods);
  const environments = Object.keys(words.environments);
  const variants = Object.keys(words.variants);
  const ORDER = {
    alpha: (a, b) => number(b) - number(a),
    mu: (a, b) => number(b) - number(a),
    drift: (a, b) => number(a) - number(b),
    method: (a, b) => methods.indexOf(a) - methods.indexOf(b),
    environment: (a, b) => environments.indexOf(a) - environments.indexOf(b),
    variant: (a, b) => variants.indexOf(a) - variants.indexOf(b),
  };
  const label = (field, value) => {
    if (field === "method") return words.methods[value];
    if (field === "environment") return words.environments[value];
    if (field === "variant") return words.variants[value];
    if (field === "mu" && value === UNTUNED) return "untuned";
    return value.replace(/\^(-?\d+)$/, (_, power) => [...power].map((sign) => RAISED[sign]).join(""));
  };
  const short = (field, value) => (field === "method" ? looks.methods[value].name : label(field, value));
  const values = (field, some) => [...new Set(some.map((curve) => curve[field]))].sort(ORDER[field]);
  const isTuned = (curve) => curve.mu !== UNTUNED;
  const isGame = (environment) =>
    curves.some((curve) => curve.environment === environment && curve.axis === "frame");
  const figureOf = (name) => words.figures.find((figure) => figure.name === name);

  /* The mean final return of every setting of every figure. */
  const settingOf = (figure, named) =>
    JSON.stringify([figureOf(figure).short, ...["environment", "method", "alpha", "mu", "drift"].map((field) => named[field])]);
  const finals = new Map();
  {
    const { final, ...named } = data.tables.settings;
    final.numbers.forEach((value, i) => {
      const texts = ["figure", "environment", "method", "alpha", "mu", "drift"].map(
        (field) => named[field].texts[named[field].places[i]]
      );
      if (value !== null) finals.set(JSON.stringify(texts), value);
    });
  }

  /* ---- What is chosen ---- */

  /* The values of each field that the reader ticked; null for all. */
  const ticked = Object.fromEntries(FIELDS.map((field) => [field, null]));
  const options = (select) => [...select.options].map((option) => option.value);

  const fill = (select, pairs, wanted) => {
    select.replaceChildren(
      ...pairs.map(([value, text]) => Object.assign(document.createElement("option"), { value, textContent: text }))
    );
    if (pairs.some(([value]) => value === wanted)) select.value = wanted;
  };

  const ofFigure = () => curves.filter((curve) => !byId("figure").value || curve.figures.includes(byId("figure").value));
  const ofEnvironment = () => {
    const environment = byId("environment").value;
    return ofFigure().filter(
      (curve) => curve.environment === environment || (environment === ALL_GAMES && curve.axis === "frame")
    );
  };
  const fits = (field, curve) =>
    ticked[field] === null || ticked[field].has(curve[field]) || (field === "mu" && curve.mu === UNTUNED);
  const chosen = () => {
    const some = ofEnvironment().filter((curve) => FIELDS.every((field) => fits(field, curve)));
    return byId("best").checked ? bestOf(some) : some;
  };

  /* Of curves that differ only in μ, the one with the highest final return; of equal ones, the one with the larger μ. */
  const bestOf = (some) => {
    const best = new Map();
    for (const curve of some) {
      const key = JSON.stringify(["variant", "environment", "method", "drift", "alpha", "smoothing"].map((field) => curve[field]));
      const final = finals.get(settingOf(curve.figures[0], curve)) ?? -Infinity;
      const leads = best.get(key);
      const ahead = leads && (final - leads.final || number(curve.mu) - number(leads.curve.mu));
      if (!leads || ahead > 0) best.set(key, { final, curve });
    }
    return some.filter((curve) => [...best.values()].some((leads) => leads.curve === curve));
  };

  const listEnvironments = () => {
    const there = values("environment", ofFigure());
    const games = there.filter(isGame);
    const pairs = there.map((environment) => [environment, words.environments[environment]]);
    if (games.length > 1) pairs.push([ALL_GAMES, ALL_GAMES]);
    const several = games.length > 1 && games.length === there.length;
    fill(byId("environment"), pairs, several ? ALL_GAMES : byId("environment").value);
  };

  /* Rebuilds the lists of choices from field number `first` on; those above keep their choices and the focus. */
  const listChoices = (first) => {
    let left = ofEnvironment();
    FIELDS.forEach((field, position) => {
      const box = document.querySelector(`fieldset[data-field=${field}]`);
      const there = values(field, left).filter((value) => field !== "mu" || value !== UNTUNED);
      if (position >= first) {
        if (ticked[field] && !there.some((value) => ticked[field].has(value))) ticked[field] = null;
        box.querySelectorAll("label").forEach((old) => old.remove());
        for (const value of there) {
          const tick = Object.assign(document.createElement("input"), { type: "checkbox", value });
          tick.checked = ticked[field] === null || ticked[field].has(value);
          const line = document.createElement("label");
          line.append(tick, ` ${label(field, value)}`);
          box.append(line);
        }
        box.hidden = there.length === 0 || (there.length === 1 && (field === "variant" || there[0] === "0"));
        box.querySelector("legend span").hidden = there.length < 2;
      }
      left = left.filter((curve) => fits(field, curve));
    });
  };

  const preset = () => {
    const figure = figureOf(byId("figure").value);
    if (!figure) return;
    for (const field of FIELDS) ticked[field] = null;
    byId("colours").value = figure.colours;
    byId("panels").value = figure.panels;
    byId("best").checked = figure.best;
  };

  /* ---- The chart ---- */

  const spaced = (count, from, to) =>
    Array.from({ length: count }, (_, i) => from + ((to - from) * i) / Math.max(count - 1, 1));
  const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const palette = (field, domain) => {
    const look = isDark() ? "dark" : "light";
    if (field === "method") return domain.map((method) => looks.methods[method][look]);
    if (field === "alpha" || field === "mu" || field === "drift") {
      /* Leaves out the end of the palette that would not show on a page of this brightness. */
      const [from, to] = isDark() ? [1, 0.4] : [0, 0.8];
      return spaced(domain.length, from, to).map((part) => looks.shades[Math.round(part * (looks.shades.length - 1))]);
    }
    const hues = methods.filter((method) => method !== "none").map((method) => looks.methods[method][look]);
    return domain.map((_, i) => hues[i % hues.length]);
  };

  const plainNumber = (value) => {
    const digits = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 1 ? 2 : 4;
    return Number(value.toFixed(digits)).toLocaleString("en");
  };

  /* The full name of a curve: all fields in which the drawn curves differ. */
  const nameOf = (curve, differing) =>
    differing.map((field) => {
      if (field === "smoothing") return `mean of ${curve.smoothing}`;
      const text = short(field, curve[field]);
      if (field === "alpha" || field === "mu" || field === "drift") {
        return text === "untuned" ? text : `${NAMES[field].replace(" rate", "")} ${text}`;
      }
      return field === "variant" ? `readings: ${text}` : text;
    }).join(", ");

  let view = null;
  let drawn = { rows: [], curves: [] };
  let turn = 0;

  const rowsOf = (some, colours, panels, dashes, differing) => {
    const rows = [];
    const withRuns = byId("runs").checked;
    const withBands = byId("bands").checked;
    let runs = 0;
    for (const curve of some) {
      const shared = {
        panel: panels ? panelName(panels, curve) : "",
        colour: short(colours, curve[colours]),
        dash: dashes ? short(dashes, curve[dashes]) : "",
        name: nameOf(curve, differing) || short("method", curve.method),
      };
      const x = grids[curve.grid];
      const mean = scaled(curve.mean, curve.decimals);
      const low = scaled(curve.low, curve.decimals);
      const high = scaled(curve.high, curve.decimals);
      const end = mean.length - 1;
      if (end >= 0) {
        shared.last = plainNumber(mean[end]);
        if (low.length) shared.last += ` (${plainNumber(low[end])} to ${plainNumber(high[end])})`;
        shared.last += `, ${curve.seeds.length} run${curve.seeds.length > 1 ? "s" : ""}`;
      }
      const line = curves.indexOf(curve);
      mean.forEach((y, i) => {
        const row = { kind: "curve", line: `${line}`, x: x[i], y, ...shared };
        if (withBands && low.length) Object.assign(row, { low: low[i], high: high[i] });
        rows.push(row);
      });
      if (!withRuns) continue;
      const at = grids[curve.run_grid];
      curve.runs.forEach((steps, seed) => {
        if (runs++ >= MOST_RUNS) return;
        scaled(steps, curve.decimals).forEach((y, i) => {
          if (y !== null) rows.push({ kind: "run", line: `${line} ${curve.seeds[seed]}`, x: at[i], y, ...shared });
        });
      });
    }
    return rows;
  };

  const panelName = (field, curve) => {
    const text = short(field, curve[field]);
    if (text === "untuned") return text;
    return ["alpha", "mu", "drift"].includes(field) ? `${NAMES[field]} = ${text}` : text;
  };

  /* Calls `change` with every layer's encoding of a channel. */
  const eachEncoding = (spec, channel, change) => {
    for (const { encoding } of spec.spec.layer) if (encoding[channel]) change(encoding[channel], encoding);
  };

  const specification = (some, rows, { colours, panels, dashes }) => {
    const spec = structuredClone(data.chart);
    const wide = byId("chart").clientWidth;
    const narrow = wide < 620;
    const panelTexts = panels ? values(panels, some).map((value) => panelName(panels, { [panels]: value })) : [""];
    const most = narrow ? 1 : wide < 900 ? 2 : 3;
    const columns = panelTexts.length === 4 ? Math.min(2, most) : Math.min(panelTexts.length, most);
    const colourValues = values(colours, some);
    const colourTexts = colourValues.map((value) => short(colours, value));
    const dashTexts = dashes ? values(dashes, some).map((value) => short(dashes, value)) : [];
    const longest = Math.max(...[...(colourTexts.length > 1 ? colourTexts : []), ...dashTexts].map((text) => text.length), 0);
    const below = narrow || longest > 24;
    const legendWidth = below || longest === 0 ? 0 : 60 + 7 * longest;
    const width = Math.max((wide - legendWidth - 60) / columns - 22, 150);
    const isRow = panelTexts.length === columns;
    const height = columns === 1 ? Math.min(Math.max(width * 0.55, 220), 430) : width * (isRow ? 1.1 : 0.72);
    const axis = AXES[some[0].axis];
    const windows = values("smoothing", some).join(" or ");

    const shown = { bands: rows.some((row) => "low" in row), runs: rows.some((row) => row.kind === "run") };
    spec.spec.layer = spec.spec.layer.filter(({ name }) => shown[name] ?? true);
    const runs = new Set(rows.filter((row) => row.kind === "run").map((row) => row.line)).size;
    for (const { name, mark } of spec.spec.layer) if (name === "runs") mark.opacity = runs > 300 ? 0.25 : 0.5;
    spec.datasets = { rows };
    spec.columns = columns;
    spec.spacing = 22;
    spec.background = css("--card");
    spec.padding = 4;
    Object.assign(spec.spec, { width, height });
    spec.facet.sort = panelTexts;
    spec.facet.header = panels
      ? { labelFontSize: 13, labelFontWeight: 600, labelColor: css("--ink"), title: null, labelPadding: 4 }
      : { labels: false, title: null };
    spec.description =
      `Return against ${axis.toLowerCase()}: ${some.length} curves, a colour for each ${NAMES[colours]}` +
      `${panels ? `, a panel for each ${NAMES[panels]}` : ""}. The tables below have the numbers.`;
    if (panels === "environment") spec.resolve = { scale: { y: "independent" } };
    const legend = {
      orient: below ? "bottom" : "right",
      direction: "vertical",
      columns: below ? (longest > 24 ? 1 : 4) : 1,
      symbolType: "stroke",
      symbolSize: 260,
      symbolStrokeWidth: 2.6,
      symbolOpacity: 1,
      labelLimit: 400,
    };
    eachEncoding(spec, "color", (encoding) => {
      encoding.scale = { domain: colourTexts, range: palette(colours, colourValues) };
      encoding.legend = colourTexts.length > 1 ? { ...legend, title: NAMES[colours] } : null;
    });
    eachEncoding(spec, "strokeDash", (encoding, all) => {
      if (!dashes) {
        delete all.strokeDash;
        return;
      }
      encoding.scale = { domain: dashTexts, range: dashTexts.map((_, i) => looks.dashes[i % looks.dashes.length]) };
      encoding.legend = { ...legend, title: NAMES[dashes], symbolStrokeColor: css("--ink") };
    });
    eachEncoding(spec, "x", (encoding) => {
      encoding.title = axis;
      encoding.axis = { tickCount: Math.max(Math.round(width / 90), 2), labelFlush: false, format: "~s" };
      if (some[0].axis === "episode") encoding.axis.format = ",d";
    });
    eachEncoding(spec, "y", (encoding) => {
      encoding.title = `Return, mean of the last ${windows} episodes`;
      if (height < 240) encoding.title = `Return (last ${windows})`;
    });
    const ink = css("--ink");
    const soft = css("--soft");
    spec.config = {
      font: getComputedStyle(document.body).fontFamily,
      axis: {
        labelColor: soft,
        titleColor: ink,
        titleFontWeight: 500,
        labelFontSize: 11.5,
        titleFontSize: 12.5,
        gridColor: css("--grid"),
        domainColor: css("--edge"),
        tickColor: css("--edge"),
        titlePadding: 8,
      },
      legend: {
        labelColor: ink,
        titleColor: ink,
        labelFontSize: 12,
        titleFontSize: 12.5,
        titleFontWeight: 600,
        rowPadding: 3,
      },
      view: { stroke: css("--edge") },
    };
    return spec;
  };

  const plural = (count, one) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

  const draw = async () => {
    const mine = ++turn;
    const all = chosen();
    const some = all.slice(0, MOST_CURVES);
    const seen = some.filter((curve) => curve.mean.length);
    const colours = byId("colours").value;
    const panels = byId("panels").value;
    /* Fields in which the curves differ and that neither panel nor colour shows; dashes can show one of them. */
    const differing = NAMING.filter((field) => values(field, field === "mu" ? seen.filter(isTuned) : seen).length > 1);
    const untold = differing.filter((field) => field !== colours && field !== panels);
    const dashes = untold.find((field) => field !== "smoothing" && values(field, seen).length <= looks.dashes.length);
    const rows = rowsOf(seen, colours, panels, dashes, differing);
    drawn = { rows, curves: seen };
    tell(all, some, rows, untold.filter((field) => field !== dashes));
    remember();
    list();
    for (const id of ["save-svg", "save-png", "save-drawn"]) byId(id).disabled = !rows.length;
    if (!rows.length) {
      view?.finalize();
      view = null;
      byId("chart").replaceChildren();
      return;
    }
    const spec = specification(seen, rows, { colours, panels, dashes });
    const next = document.createElement("div");
    const result = await vegaEmbed(next, spec, { actions: false, renderer: "svg" });
    if (mine !== turn) {
      result.view.finalize();
      return;
    }
    view?.finalize();
    view = result.view;
    byId("chart").replaceChildren(next);
    byId("chart").dataset.turn = String(mine);
  };

  const tell = (all, some, rows, untold) => {
    const figure = figureOf(byId("figure").value);
    const environment = byId("environment").selectedOptions[0]?.textContent ?? "";
    byId("drawing-title").textContent = figure ? figure.title : `All curves: ${environment}`;
    const parts = [];
    if (!all.length) {
      const empty = FIELDS.filter((field) => ticked[field] && ticked[field].size === 0).map((field) => NAMES[field]);
      parts.push(`Nothing is chosen${empty.length ? `: tick at least one ${empty.join(" and one ")}` : ""}.`);
    } else {
      const runs = some.reduce((sum, curve) => sum + curve.seeds.length, 0);
      parts.push(`${plural(some.length, "curve")} of ${plural(runs, "run")}.`);
      if (all.length > some.length) {
        parts.push(`These are the first of ${all.length}; choose fewer to see the others.`);
      }
      if (byId("runs").checked && runs > MOST_RUNS) parts.push(`Only ${MOST_RUNS.toLocaleString("en")} single runs are shown.`);
      const blank = some.filter((curve) => !curve.mean.length).length;
      if (blank) parts.push(`${plural(blank, "curve")} without points: some of their runs finished no episode.`);
      if (untold.length) {
        const names = untold.map((field) => NAMES[field] ?? field).join(" and ");
        parts.push(`Lines that look the same differ in ${names}: point at one to see which it is.`);
      }
      if (byId("bands").checked && some.every((curve) => !curve.low.length)) {
        parts.push("A single run has no interval.");
      }
    }
    byId("drawn").textContent = parts.join(" ");
  };

  /* ---- The table ---- */

  let sorting = { column: null, down: false };
  let everything = false;
  let listed = { columns: [], rows: [] };

  const columnsOf = (name) =>
    Object.entries(data.tables[name]).map(([key, column]) => ({
      key,
      isNumber: "numbers" in column,
      at: "numbers" in column ? (i) => column.numbers[i] : (i) => column.texts[column.places[i]],
      length: (column.numbers ?? column.places).length,
    }));

  const HEADS = { alpha: "α", mu: "μ", drift: "drift rate", auc: "AUC" };
  const headOf = (key) =>
    HEADS[key] ?? key.replace(/^auc_/, "AUC ").replace(/_/g, " ");

  const keyOf = (column) => {
    if (column.isNumber) return (value) => value;
    const isToken = ["alpha", "mu", "drift"].includes(column.key);
    return isToken ? (value) => (value === "" ? null : number(value)) : (value) => (value === "" ? null : value);
  };

  /* Only rows of the settings that are drawn; a column that a table does not have excludes nothing. */
  const isChosen = (columns) => {
    const asked = columns.filter(({ key }) => ["environment", "method", "alpha", "mu", "drift"].includes(key));
    const figures = columns.find(({ key }) => key === "figure");
    const readings = columns.find(({ key }) => key === "readings");
    const names = new Set();
    for (const curve of chosen()) {
      for (const figure of curve.figures) {
        if (byId("figure").value && figure !== byId("figure").value) continue;
        names.add(
          JSON.stringify([
            figures && figureOf(figure).short,
            readings && words.variants[curve.variant],
            ...asked.map(({ key }) => curve[key]),
          ])
        );
      }
    }
    const games = columns.find(({ key }) => key === "game");
    if (games) {
      const there = new Set(chosen().map((curve) => curve.environment));
      return (i) => there.has(games.at(i));
    }
    return (i) => names.has(JSON.stringify([figures?.at(i), readings?.at(i), ...asked.map((column) => column.at(i))]));
  };

  const list = () => {
    const name = byId("table").value;
    if (!name) return;
    const columns = columnsOf(name);
    let rows = [...Array(columns[0].length).keys()];
    if (byId("only").checked) rows = rows.filter(isChosen(columns));
    const column = columns.find(({ key }) => key === sorting.column);
    if (column) {
      const key = keyOf(column);
      const sign = sorting.down ? -1 : 1;
      const found = new Map(rows.map((i) => [i, key(column.at(i))]));
      /* Missing values go last in both directions. */
      rows.sort((a, b) => {
        const [one, other] = [found.get(a), found.get(b)];
        if (one === null || other === null) return (one === null) - (other === null);
        return one < other ? -sign : one > other ? sign : a - b;
      });
    }
    listed = { columns, rows };
    const shown = everything ? rows : rows.slice(0, FIRST_ROWS);
    byId("rows").caption.textContent =
      `${plural(rows.length, "row")}${shown.length < rows.length ? `, the first ${shown.length} shown` : ""}`;
    const head = document.createElement("tr");
    for (const { key, isNumber } of columns) {
      const cell = document.createElement("th");
      cell.scope = "col";
      if (isNumber) cell.className = "number";
      if (sorting.column === key) cell.ariaSort = sorting.down ? "descending" : "ascending";
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: headOf(key) });
      button.dataset.column = key;
      cell.append(button);
      head.append(cell);
    }
    byId("rows").tHead.replaceChildren(head);
    byId("rows").tBodies[0].replaceChildren(
      ...shown.map((i) => {
        const row = document.createElement("tr");
        for (const column of columns) {
          const cell = row.insertCell();
          const value = column.at(i);
          cell.textContent = value === null ? "–" : column.isNumber ? String(value).replace("-", "−") : value;
          if (column.isNumber) cell.className = "number";
        }
        return row;
      })
    );
    byId("more").hidden = rows.length <= FIRST_ROWS;
    byId("more").textContent = everything ? `Show the first ${FIRST_ROWS} rows` : `Show all ${rows.length.toLocaleString("en")} rows`;
    byId("about").textContent =
      `${words.tables[name].text[0].toUpperCase()}${words.tables[name].text.slice(1)}. Numbers are rounded to seven digits; ` +
      `results/${words.scale}/tables/ has all digits.`;
  };

  /* ---- Files ---- */

  const save = (name, url) => {
    const link = Object.assign(document.createElement("a"), { download: name, href: url });
    document.body.append(link);
    link.click();
    link.remove();
  };
  const quoted = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const saveCsv = (name, header, rows) => {
    const text = [header, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    save(name, url);
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  const fileName = (what, suffix) =>
    `metatrace_${words.scale}_${byId("figure").value || byId("environment").value.replaceAll(" ", "_")}_${what}.${suffix}`;

  const saveDrawn = () => {
    const setting = ["environment", "variant", "method", "alpha", "mu", "drift"];
    const rows = [];
    for (const curve of drawn.curves) {
      const [mean, low, high] = [curve.mean, curve.low, curve.high].map((steps) => scaled(steps, curve.decimals));
      const named = setting.map((field) => (field === "variant" ? words.variants[curve.variant] : curve[field]));
      mean.forEach((y, i) => rows.push([...named, "", grids[curve.grid][i], y, low[i], high[i]]));
      if (!byId("runs").checked) continue;
      curve.runs.forEach((steps, seed) =>
        scaled(steps, curve.decimals).forEach((y, i) => {
          if (y !== null) rows.push([...named, curve.seeds[seed], grids[curve.run_grid][i], y, "", ""]);
        })
      );
    }
    const header = setting.map((field) => (field === "variant" ? "readings" : field));
    saveCsv(fileName("curves", "csv"), [...header, "seed", drawn.curves[0].axis, "mean", "low", "high"], rows);
  };

  /* ---- The address remembers the choices, so that a view can be shared ---- */

  const remember = () => {
    const kept = new URLSearchParams();
    for (const id of ["figure", "environment", "panels", "colours"]) kept.set(id, byId(id).value);
    for (const field of FIELDS) if (ticked[field]) kept.set(field, [...ticked[field]].join(" "));
    for (const id of ["bands", "runs", "best"]) kept.set(id, byId(id).checked ? "1" : "0");
    try {
      history.replaceState(null, "", `#${kept}`);
    } catch {
      /* Inside Snakemake's report the page has no address of its own. */
    }
  };

  const recall = () => {
    const kept = new URLSearchParams(location.hash.slice(1));
    const put = (id) => {
      if (kept.has(id) && options(byId(id)).includes(kept.get(id))) byId(id).value = kept.get(id);
    };
    put("figure");
    preset();
    listEnvironments();
    put("environment");
    put("panels");
    put("colours");
    for (const field of FIELDS) if (kept.has(field)) ticked[field] = new Set(kept.get(field).split(" ").filter(Boolean));
    for (const id of ["bands", "runs", "best"]) if (kept.has(id)) byId(id).checked = kept.get(id) === "1";
  };

  /* ---- Beginning ---- */

  const begin = () => {
    const seeds = new Set(curves.map((curve) => curve.seeds.length)).size;
    byId("made").append(
      `Scale: `,
      Object.assign(document.createElement("strong"), { textContent: words.scale }),
      ` · ${plural(words.runs, "run")} · ${plural(curves.length, "setting")} · code `,
      Object.assign(document.createElement("code"), { textContent: words.fingerprint })
    );
    for (const [job, digest] of Object.entries(words.code)) {
      const item = document.createElement("li");
      item.append(
        Object.assign(document.createElement("code"), { textContent: job }),
        " ",
        Object.assign(document.createElement("code"), { textContent: digest })
      );
      byId("code").querySelector("ul").append(item);
    }
    byId("thinned").textContent =
      "A line is the mean over runs of each run's trailing mean; a band, its 95 % bootstrap interval over seeds. " +
      "To keep the page small, a curve has at most 120 points here and a single run 60; their values are " +
      `those in results/${words.scale}/tables/ and runs/, rounded.`;
    fill(byId("figure"), [
      ...words.figures.map((figure) => [figure.name, figure.title]),
      ["", "All figures"],
    ]);
    const first = words.figures.find((figure) => curves.some((curve) => curve.figures.includes(figure.name) && curve.mu !== UNTUNED));
    byId("figure").value = (first ?? words.figures[0]).name;
    const offered = ["environment", ...FIELDS].filter((field) => values(field, curves).length > 1 || field === "alpha");
    fill(byId("colours"), offered.map((field) => [field, NAMES[field]]));
    fill(byId("panels"), [["", "(one panel)"], ...offered.map((field) => [field, NAMES[field]])]);
    fill(byId("table"), Object.keys(data.tables).map((name) => [name, words.tables[name].name]), "settings");
    for (const box of document.querySelectorAll("fieldset[data-field]")) {
      const legend = box.querySelector("legend");
      const text = legend.textContent;
      const pair = document.createElement("span");
      for (const what of ["all", "none"]) {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: what });
        button.ariaLabel = `${text}: ${what}`;
        button.addEventListener("click", () => {
          ticked[box.dataset.field] = what === "all" ? null : new Set();
          box.querySelectorAll("input").forEach((tick) => (tick.checked = what === "all"));
          listChoices(FIELDS.indexOf(box.dataset.field) + 1);
          draw();
        });
        pair.append(button);
      }
      legend.append(pair);
      box.addEventListener("change", () => {
        const ticks = [...box.querySelectorAll("input")];
        const on = ticks.filter((tick) => tick.checked).map((tick) => tick.value);
        ticked[box.dataset.field] = on.length === ticks.length ? null : new Set(on);
        listChoices(FIELDS.indexOf(box.dataset.field) + 1);
        draw();
      });
    }
    byId("choices").addEventListener("submit", (event) => event.preventDefault());
    byId("figure").addEventListener("change", () => {
      preset();
      listEnvironments();
      listChoices(0);
      draw();
    });
    byId("environment").addEventListener("change", () => {
      listChoices(0);
      draw();
    });
    for (const id of ["bands", "runs", "best", "panels", "colours"]) byId(id).addEventListener("change", draw);
    for (const id of ["table", "only"]) {
      byId(id).addEventListener("change", () => {
        everything = false;
        list();
      });
    }
    byId("more").addEventListener("click", () => {
      everything = !everything;
      list();
    });
    byId("rows").addEventListener("click", (event) => {
      const button = event.target.closest("th button");
      if (!button) return;
      const { column } = button.dataset;
      sorting = { column, down: sorting.column === column && !sorting.down };
      list();
      byId("rows").querySelector(`th button[data-column="${column}"]`).focus();
    });
    byId("save-table").addEventListener("click", () =>
      saveCsv(
        fileName(byId("table").value, "csv"),
        listed.columns.map(({ key }) => key),
        listed.rows.map((i) => listed.columns.map((column) => column.at(i)))
      )
    );
    byId("save-drawn").addEventListener("click", saveDrawn);
    byId("save-svg").addEventListener("click", async () => save(fileName("curves", "svg"), await view.toImageURL("svg")));
    byId("save-png").addEventListener("click", async () => save(fileName("curves", "png"), await view.toImageURL("png", 2)));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    let waiting = 0;
    let width = byId("chart").clientWidth;
    addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        if (byId("chart").clientWidth !== width) {
          width = byId("chart").clientWidth;
          draw();
        }
      }, 150);
    });
    recall();
    listChoices(0);
    draw();
  };

  /* For tests, and for the curious: what is drawn, and the view that draws it. */
  globalThis.explorer = {
    get rows() {
      return drawn.rows;
    },
    get curves() {
      return drawn.curves;
    },
    get view() {
      return view;
    },
  };

  begin();
})();
