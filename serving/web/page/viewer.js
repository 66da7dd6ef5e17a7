// One page: its picture, a box over every line, and the lines beside it, linked both ways.

const SURE = 0.9;
const SVG = "http://www.w3.org/2000/svg";

const view = document.getElementById("view");
const picture = document.getElementById("picture");
const boxes = document.getElementById("boxes");
const list = document.getElementById("lines");
const tip = document.getElementById("tip");
const summary = document.getElementById("summary");

let lines = []; // what was read, then what was set aside
let read = 0;
let current = -1;

export function showPage(page) {
  lines = [...page.lines, ...page.set_aside];
  read = page.lines.length;
  current = -1;
  tip.hidden = true;
  picture.src = `data:image/jpeg;base64,${page.image}`;
  picture.alt = `Page ${page.page}; its ${read} lines are listed beside it`;
  picture.width = page.width;
  picture.height = page.height;
  boxes.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
  boxes.replaceChildren(...lines.map(makeBox));
  list.replaceChildren(...lines.map(makeLine));
  summary.textContent = describe(page);
}

function describe(page) {
  const unsure = page.lines.filter((line) => line.confidence < SURE).length;
  const aside = page.set_aside.length;
  const seconds = Object.values(page.timings).reduce((sum, stage) => sum + stage, 0);
  return [
    read ? plural(read, "line") : "No text was found",
    unsure ? `${unsure} to check (dashed, below ${SURE * 100} %)` : "",
    aside ? `${aside} set aside (dotted), rather no text` : "",
    page.rotation ? `turned by ${page.rotation}° to read it` : "",
    `${seconds.toFixed(2)} s`,
  ].filter(Boolean).join(" · ");
}

export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function makeBox(line, index) {
  const box = document.createElementNS(SVG, "polygon");
  box.setAttribute("points", line.polygon.map((corner) => corner.join(",")).join(" "));
  box.classList.toggle("unsure", index < read && line.confidence < SURE);
  box.classList.toggle("aside", index >= read);
  box.addEventListener("pointerenter", () => select(index, { reveal: true }));
  box.addEventListener("pointerleave", () => leave(index));
  box.addEventListener("click", () => button(index).focus());
  return box;
}

function makeLine(line, index) {
  const item = document.createElement("li");
  const row = document.createElement("button");
  row.type = "button";
  row.tabIndex = index === 0 ? 0 : -1; // one stop for Tab, arrows inside
  row.classList.toggle("unsure", index < read && line.confidence < SURE);
  row.classList.toggle("aside", index >= read);
  const check = index >= read ? " · set aside" : line.confidence < SURE ? " · check" : "";
  row.append(
    part("number", index + 1),
    part("text", line.text || "(nothing)"),
    part("confidence", `${percent(line)}${check}`),
  );
  row.addEventListener("focus", () => select(index, {}));
  row.addEventListener("blur", () => leave(index));
  row.addEventListener("pointerenter", () => select(index, {}));
  row.addEventListener("pointerleave", () => leave(index));
  row.addEventListener("click", () => boxes.children[index].scrollIntoView({ block: "nearest" }));
  item.append(row);
  return item;
}

function part(name, text) {
  const span = document.createElement("span");
  span.className = name;
  span.dir = "auto";
  span.textContent = text;
  return span;
}

function percent(line) {
  return `${Math.round(line.confidence * 100)} %`;
}

function button(index) {
  return list.children[index].firstChild;
}

function select(index, { reveal }) {
  mark(current, false);
  current = index;
  mark(index, true);
  if (reveal) revealIn(document.getElementById("reading"), button(index));
  showTip(lines[index]);
}

/** A line that has the focus stays selected when the pointer leaves another one. */
function leave(index) {
  if (index !== current) return;
  mark(index, false);
  current = -1;
  tip.hidden = true;
  const focused = [...list.children].findIndex((item) => item.firstChild === document.activeElement);
  if (focused >= 0 && focused !== index) select(focused, {});
}

function mark(index, isCurrent) {
  boxes.children[index]?.classList.toggle("current", isCurrent);
  list.children[index]?.firstChild.classList.toggle("current", isCurrent);
}

/** Scroll the list alone: the page must not move under the pointer. */
function revealIn(scroller, row) {
  const [frame, inner] = [scroller.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < frame.top) scroller.scrollTop -= frame.top - inner.top;
  if (inner.bottom > frame.bottom) scroller.scrollTop += inner.bottom - frame.bottom;
}

function showTip(line) {
  tip.textContent = `${line.text || "(nothing)"} – ${percent(line)}`;
  tip.hidden = false;
  const scale = picture.clientWidth / boxes.viewBox.baseVal.width;
  const xs = line.polygon.map(([x]) => x * scale);
  const ys = line.polygon.map(([, y]) => y * scale);
  const above = Math.min(...ys) - tip.offsetHeight - 6;
  const left = Math.min(Math.min(...xs), view.clientWidth - tip.offsetWidth - 4);
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${above >= 0 ? above : Math.max(...ys) + 6}px`;
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

list.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  if (step === undefined || !lines.length) return;
  event.preventDefault();
  const at = [...list.children].findIndex((item) => item.contains(document.activeElement));
  const next = Math.min(Math.max(at + step, 0), lines.length - 1);
  for (const item of list.children) item.firstChild.tabIndex = -1;
  button(next).tabIndex = 0;
  button(next).focus();
});
