// Widgets of the matrix page that the page corrects, and a drawing outside the accessibility tree. Only the
// state in which a widget settles is logged.

const SETTLE_MS = 60;
const SPRING_MS = 10;
const MAX_CLAMP = 50;

const corrected = {
  veto: ["toggled", (element) => element.checked],
  spring: ["toggled", (element) => element.checked],
  upper: ["text", (element) => element.value],
  digits: ["text", (element) => element.value],
  clamp: ["value", (element) => Number(element.value)],
  refuse: ["chosen", (element) => element.value],
};
// For each widget: the last state, the time of the last change, and the state that was logged.
const settling = {};
// The number of corrections that are still to come.
let pending = 0;

function lookAtCorrected() {
  if (pending > 0) return;
  for (const [id, [event, read]] of Object.entries(corrected)) {
    const now = read(by(id));
    const one = settling[id];
    if (one.state !== now) Object.assign(one, { state: now, since: performance.now() });
    else if (one.logged !== now && performance.now() - one.since >= SETTLE_MS) {
      one.logged = now;
      say(id, event, now);
    }
  }
}

function onChange(id, correct, delay) {
  const element = by(id);
  element.addEventListener("input", () => {
    pending += 1;
    setTimeout(() => {
      correct(element);
      pending -= 1;
      lookAtCorrected();
    }, delay);
  });
}
onChange("veto", (element) => { element.checked = false; }, 0);
onChange("spring", (element) => { element.checked = false; }, SPRING_MS);
onChange("upper", (element) => { element.value = element.value.toUpperCase(); }, 0);
onChange("clamp", (element) => { element.value = Math.min(element.value, MAX_CLAMP); }, 0);
onChange("refuse", (element) => { element.selectedIndex = 0; }, 0);
by("digits").addEventListener("input", (event) => {
  event.target.value = event.target.value.replace(/\D/g, "");
  lookAtCorrected();
});

function paintCanvas(isFilled) {
  const canvas = by("canvas");
  canvas.dataset.filled = isFilled;
  const painter = canvas.getContext("2d");
  painter.fillStyle = isFilled ? "#36c" : "#ccc";
  painter.fillRect(0, 0, canvas.width, canvas.height);
}

function pressCanvas() {
  paintCanvas(by("canvas").dataset.filled !== "true");
  say("canvas", "pressed");
}
by("canvas").addEventListener("click", pressCanvas);
by("canvas").addEventListener("keydown", (event) => {
  if (event.key === " " || event.key === "Enter") pressCanvas();
});

function resetCorrected() {
  const states = { veto: false, spring: false, upper: "", digits: "", clamp: 10, refuse: "Nothing" };
  for (const [id, state] of Object.entries(states)) {
    const element = by(id);
    if (typeof state === "boolean") element.checked = state;
    else element.value = state;
    settling[id] = { state, since: performance.now(), logged: state };
  }
  paintCanvas(false);
}
resetCorrected();
