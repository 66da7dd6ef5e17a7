// The page: takes a file, has it read, shows what came back.

import { listPipelines, readFile, Refusal, useToken } from "./gateway.js";
import { plural, showPage } from "./viewer.js";

const at = (id) => document.getElementById(id);
const UNAUTHORIZED = 401;

let answer = null;
let fileName = "";
let shown = 0;
let reading = null; // the AbortController of the request under way
let waiting = null; // a file that needs a token first

async function start() {
  try {
    const pipelines = await listPipelines();
    at("error").textContent = pipelines.length ? "" : "No model here reads pages yet.";
    at("model").replaceChildren(...pipelines.map(({ name }) => new Option(name)));
    at("model-choice").hidden = pipelines.length < 2;
    const [only] = pipelines;
    at("served").textContent = pipelines.length === 1 ? `${only.name}, version ${only.version}` : "";
  } catch (error) {
    refuse(error);
  }
}

async function read(file) {
  if (!file) return;
  reading?.abort();
  const mine = (reading = new AbortController());
  fileName = file.name || "the pasted image";
  begin(`Reading ${fileName} …`);
  try {
    answer = await readFile(file, { model: at("model").value, signal: mine.signal });
    show();
  } catch (error) {
    if (mine !== reading) return; // another file was chosen meanwhile
    if (error.name === "AbortError") say("Cancelled.");
    else refuse(error, file);
  } finally {
    if (mine === reading) at("progress").hidden = true;
  }
}

function begin(words) {
  at("result").hidden = true;
  document.body.classList.remove("has-result");
  at("error").textContent = "";
  at("progress").hidden = false;
  say(words);
}

function show() {
  const count = answer.pages.reduce((sum, page) => sum + page.lines.length, 0);
  document.body.classList.add("has-result");
  at("result").hidden = false;
  at("pages").hidden = answer.pages.length < 2;
  at("result-title").textContent = fileName;
  at("copy").disabled = !answer.text;
  turnTo(0);
  const where = answer.pages.length > 1 ? ` on ${plural(answer.pages.length, "page")}` : "";
  say(`Found ${plural(count, "line")}${where} with ${answer.model}, version ${answer.version}.`);
  at("result-title").focus();
}

function turnTo(index) {
  shown = index;
  showPage(answer.pages[index]);
  at("page-number").textContent = `Page ${index + 1} of ${answer.pages.length}`;
  at("previous").disabled = index === 0;
  at("next").disabled = index === answer.pages.length - 1;
}

function refuse(error, file = null) {
  say("");
  if (!(error instanceof Refusal)) throw error;
  if (error.status === UNAUTHORIZED) {
    askForToken(file);
    return;
  }
  at("error").textContent = file ? `${fileName} was not read. ${error.message}` : error.message;
}

function askForToken(file) {
  waiting = file;
  const wasWrong = !at("token-form").hidden;
  at("error").textContent = wasWrong ? "The gateway does not know this token." : "";
  at("token-form").hidden = false;
  at("docs").hidden = true; // a link carries no token
  at("token").focus();
}

async function takeToken(event) {
  event.preventDefault();
  useToken(at("token").value);
  at("token").value = "";
  const file = waiting;
  at("error").textContent = "";
  await start();
  if (at("error").textContent) return;
  at("token-form").hidden = true;
  if (file) read(file);
  else at("file").focus();
}

async function copyAll() {
  try {
    await navigator.clipboard.writeText(answer.text);
  } catch {
    copyBySelection(answer.text); // without TLS there is no clipboard to write to
  }
  say("Copied all lines.");
}

function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  at("copy").focus();
}

function download() {
  const pages = answer.pages.map(({ image, ...page }) => page);
  const json = JSON.stringify({ ...answer, pages }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([json], { type: "application/json" }));
  link.download = `${fileName.replace(/\.[^.]*$/, "") || "page"}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
  say(`Saved ${link.download}.`);
}

function say(words) {
  at("status").textContent = words;
}

at("file").addEventListener("change", (event) => {
  read(event.target.files[0]);
  event.target.value = ""; // so that the same file can be chosen again
});
at("cancel").addEventListener("click", () => reading?.abort());
at("copy").addEventListener("click", copyAll);
at("download").addEventListener("click", download);
at("previous").addEventListener("click", () => turnTo(shown - 1));
at("next").addEventListener("click", () => turnTo(shown + 1));
at("token-form").addEventListener("submit", takeToken);
document.addEventListener("paste", (event) => read(event.clipboardData.files[0]));
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  at("drop").classList.add("over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) at("drop").classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  at("drop").classList.remove("over");
  read(event.dataTransfer.files[0]);
});

start();
