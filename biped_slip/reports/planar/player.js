// Copyright 2026 The biped_slip authors
// SPDX-License-Identifier: Apache-2.0
(() => {
  const player = document.currentScript.parentElement;
  const data = JSON.parse(player.querySelector('script[type="application/json"]').textContent);
  const [button, slider, output, speed] = ["button", "input", "output", "select"].map((tag) => player.querySelector(tag));
  const drawings = [...player.querySelectorAll("svg")];
  let playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let frame = 0, before = null;

  const set = (element, values) => Object.entries(values).forEach(([name, value]) => element.setAttribute(name, value));

  function drawWalk(svg, rows) {
    if (!rows.length) return;
    const over = frame >= rows.length;
    const row = rows[Math.min(Math.floor(frame), rows.length - 1)];
    const [tx, ty, hx, hy] = row;
    svg.querySelector(".camera").setAttribute(
      "transform", `translate(${data.middle - hx},${data.floor - data.incline * hx})`);
    set(svg.querySelector(".trunk"), {x1: hx, y1: hy, x2: tx, y2: ty});
    svg.querySelectorAll(".leg").forEach((leg, foot) => {
      const [kx, ky, sx, sy, ax, ay, c1x, c1y, c2x, c2y, nearness] = row.slice(4 + 11 * foot, 15 + 11 * foot);
      const shown = nearness < 0 ? "hidden" : "visible";
      leg.setAttribute("points", `${hx},${hy} ${kx},${ky} ${sx},${sy}`);
      set(svg.querySelectorAll(".force")[foot], {x1: sx, y1: sy, x2: ax, y2: ay, visibility: shown});
      set(svg.querySelectorAll(".tip")[foot], {cx: ax, cy: ay, visibility: shown});
      set(svg.querySelectorAll(".cone")[foot], {
        points: `${sx},${sy} ${c1x},${c1y} ${c2x},${c2y}`, fill: data.colours[Math.max(0, nearness)], visibility: shown});
    });
    svg.querySelector(".note").textContent = over ? svg.dataset.end : "";
  }

  function draw() {
    drawings.forEach((svg, walk) => drawWalk(svg, data.walks[walk]));
    slider.value = Math.floor(frame);
    output.textContent = (Math.floor(frame) / data.rate).toFixed(2) + " s";
    button.textContent = playing ? "pause" : "play";
  }

  function tick(now) {
    if (playing && before !== null) {
      frame += Math.min(0.1, (now - before) / 1000) * data.rate * Number(speed.value);
      if (frame >= data.count) frame = 0;
      draw();
    }
    before = now;
    requestAnimationFrame(tick);
  }

  button.addEventListener("click", () => { playing = !playing; draw(); });
  slider.addEventListener("input", () => { playing = false; frame = Number(slider.value); draw(); });
  draw();
  requestAnimationFrame(tick);
})();
