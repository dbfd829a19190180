// Reports the events of the matrix page to the server, one request per event, in order.

const by = (id) => document.getElementById(id);
let muted = true;
let queue = Promise.resolve();

function write(line) {
  queue = queue.then(() => fetch("/event", { method: "POST", body: JSON.stringify(line) })).catch(() => {});
}

function say(widget, event, value = null) {
  if (!muted) write({ widget, event, value });
}

let pushes = 0;
let ticking = null;

function press(id, then = () => {}) {
  by(id).addEventListener("click", () => { say(id, "pressed"); then(); });
}

press("push", () => { by("counted").textContent = `Pushes: ${++pushes}`; });
press("idle");
press("disabled");
press("besideclock");
press("vanish", () => { by("vanish").hidden = true; });
press("slow", () => setTimeout(() => { by("slowly").textContent = "Slow: done"; say("slow", "finished"); }, 400));
press("ask", ask);
press("runjob");
press("copyname", () => { by("popup").hidden = true; });
by("link").addEventListener("click", (event) => { event.preventDefault(); say("link", "pressed"); });
by("yes").addEventListener("click", () => { say("ask", "answered", "yes"); by("question").close(); });
by("no").addEventListener("click", () => { say("ask", "answered", "no"); by("question").close(); });

function flip(id, attribute) {
  by(id).addEventListener("click", () => {
    const now = by(id).getAttribute(attribute) !== "true";
    by(id).setAttribute(attribute, now);
    say(id, "toggled", now);
  });
}
flip("toggle", "aria-pressed");
flip("switch", "aria-checked");
flip("verbose", "aria-checked");

by("check").addEventListener("change", () => say("check", "toggled", by("check").checked));
for (const radio of document.querySelectorAll("[type=radio]")) {
  radio.addEventListener("change", () => say("radio", "chosen", radio.value));
}

// Reports every change of a field's value, with or without a DOM event: browsers fire none when
// accessibility sets a value or a selection. The server requests the check with `look`, because timers of a
// hidden page are slow.
const holds = {
  entry: ["text", () => by("entry").value],
  fixed: ["text", () => by("fixed").value],
  secret: ["text", () => by("secret").value],
  notes: ["text", () => by("notes").value],
  editable: ["text", () => by("editable").value],
  spin: ["value", () => Number(by("spin").value)],
  slider: ["value", () => Number(by("slider").value)],
  details: ["expanded", () => by("details").open],
  combo: ["chosen", () => by("combo").value],
  list: ["selected", () => Array.from(by("list").selectedOptions, (option) => option.value)],
  multi: ["selected", () => Array.from(by("multi").selectedOptions, (option) => option.value)],
};
const held = {};
function look() {
  for (const [id, [event, read]] of Object.entries(holds)) {
    const now = JSON.stringify(read());
    if (held[id] !== now) say(id, event, read());
    held[id] = now;
  }
  lookAtCorrected();
}
for (const event of ["input", "change", "toggle"]) document.addEventListener(event, look, true);
by("entry").addEventListener("focus", () => say("Entry", "focused"));
by("entry").addEventListener("keydown", (event) => event.key === "Enter" && say("entry", "activated", by("entry").value));
by("list").addEventListener("dblclick", () => say("list", "activated", by("list").value));

const tabs = Array.from(document.querySelectorAll("[role=tab]"));
function tab(chosen) {
  for (const one of tabs) one.setAttribute("aria-selected", one === chosen);
}
for (const one of tabs) {
  one.addEventListener("click", () => { tab(one); say("tabs", "chosen", one.textContent); });
}

by("actions").addEventListener("click", () => {
  by("actions").setAttribute("aria-expanded", true);
  say("actions", "opened");
});
by("context").addEventListener("contextmenu", (event) => {
  event.preventDefault();
  by("popup").hidden = false;
  say("context", "opened");
});

for (let number = 0; number < 200; number++) {
  const row = document.createElement("div");
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", false);
  row.textContent = `Row ${number}`;
  row.addEventListener("click", () => {
    for (const other of by("long").children) other.setAttribute("aria-selected", other === row);
    say("long", "selected", [row.textContent]);
  });
  by("long").append(row);
}
by("long").addEventListener("scroll", () => say("long", "scrolled", by("long").scrollTop));

const branches = [];
for (const [kind, kinds] of Object.entries({ Animals: ["Cat", "Dog"], Plants: ["Fern", "Moss"] })) {
  const branch = document.createElement("div");
  branch.setAttribute("role", "treeitem");
  branch.setAttribute("aria-label", kind);
  branch.tabIndex = 0;
  const head = document.createElement("span");
  head.textContent = kind;
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  for (const name of kinds) {
    const leaf = document.createElement("div");
    leaf.setAttribute("role", "treeitem");
    leaf.textContent = name;
    group.append(leaf);
  }
  branch.append(head, group);
  branch.addEventListener("click", () => {
    const now = branch.getAttribute("aria-expanded") !== "true";
    unfold(branch, now);
    say("tree", "expanded", [kind, now]);
  });
  by("tree").append(branch);
  branches.push(branch);
}
function unfold(branch, now) {
  branch.setAttribute("aria-expanded", now);
  branch.lastChild.hidden = !now;
}

function call(name, words) {
  by(name).textContent = words;
  by(name).setAttribute("aria-label", words);
}

by("source").addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", "Source"));
by("target").addEventListener("dragover", (event) => event.preventDefault());
by("target").addEventListener("drop", (event) => {
  event.preventDefault();
  say("target", "dropped", event.dataTransfer.getData("text/plain"));
  call("target", "Dropped");
});

function reset() {
  muted = true;
  clearInterval(ticking);
  ticking = null;
  if (by("question").open) by("question").close();
  by("popup").hidden = true;
  by("actions").setAttribute("aria-expanded", false);
  pushes = 0;
  by("counted").textContent = "Pushes: 0";
  call("target", "Drop target");
  by("slowly").textContent = "Slow: idle";
  by("vanish").hidden = false;
  by("toggle").setAttribute("aria-pressed", false);
  by("switch").setAttribute("aria-checked", false);
  by("verbose").setAttribute("aria-checked", false);
  by("check").checked = false;
  document.querySelector("[value=Small]").checked = true;
  const texts = { entry: "start", fixed: "fixed text", secret: "", notes: "first line\nsecond line",
    editable: "Sweden", spin: 10, slider: 20, combo: "Finland" };
  for (const [id, text] of Object.entries(texts)) by(id).value = text;
  by("entry").setSelectionRange(5, 5);
  by("list").selectedIndex = -1;
  by("multi").selectedIndex = -1;
  by("details").open = false;
  tab(tabs[0]);
  for (const row of by("long").children) row.setAttribute("aria-selected", false);
  by("long").scrollTop = 0;
  for (const branch of branches) unfold(branch, false);
  resetCorrected();
  if (document.activeElement) document.activeElement.blur();
  resume();
}

function resume() {
  look();
  muted = false;
  write({ event: "reset" });
}

function other() {
  muted = true;
  by("toggle").setAttribute("aria-pressed", true);
  by("switch").setAttribute("aria-checked", true);
  by("verbose").setAttribute("aria-checked", true);
  by("check").checked = true;
  by("details").open = true;
  for (const branch of branches) unfold(branch, true);
  resume();
}

function ask() {
  by("question").showModal();
  say("ask", "opened");
}

function ticks() {
  ticking ??= setInterval(() => {
    const number = Number(by("ticker").textContent) + 1;
    by("ticker").textContent = number;
    if (number % 20 === 0) by("clock").textContent = `00:${String(number / 20).padStart(2, "0")}`;
  }, 50);
}

const commands = new EventSource("/commands");
commands.onmessage = (message) => ({ reset, other, ticks, ask, look })[message.data]();
commands.onopen = () => write({ event: "ready" });
