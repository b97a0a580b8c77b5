(function () {
  "use strict";
  var root = document.documentElement, body = document.body;
  root.classList.add("js");
  function make(name, kind) { var e = document.createElement(name); e.className = kind; return e; }

  var theme = document.querySelector(".theme");
  theme.addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  function numberOf(text) {
    var found = text.replace(/\u2212/g, "-").match(/[-+]?\d+(\.\d+)?(e[-+]?\d+)?/);
    return found ? parseFloat(found[0]) : NaN;
  }
  function order(a, b, numeric) {
    if (!numeric) return a.localeCompare(b, root.lang, { numeric: true });
    var x = numberOf(a), y = numberOf(b);
    return isNaN(x) ? (isNaN(y) ? 0 : 1) : isNaN(y) ? -1 : x - y;
  }
  document.querySelectorAll("table.sort").forEach(function (table) {
    var rows = Array.prototype.slice.call(table.tBodies[0].rows);
    if (rows.length < 4) return;
    var heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      var button = make("button", ""), numeric = head.classList.contains("n");
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var way = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        Array.prototype.forEach.call(heads, function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", way);
        rows.slice().sort(function (a, b) {
          var x = a.cells[column].textContent, y = b.cells[column].textContent;
          return way === "ascending" ? order(x, y, numeric) : order(y, x, numeric);
        }).forEach(function (row) { table.tBodies[0].appendChild(row); });
      });
    });
    if (rows.length < 12) return;
    var box = make("input", "filter");
    box.type = "search";
    box.placeholder = box.ariaLabel = theme.dataset.filter;
    table.parentNode.parentNode.insertBefore(box, table.parentNode);
    box.addEventListener("input", function () {
      var wanted = box.value.toLowerCase();
      rows.forEach(function (row) { row.hidden = row.textContent.toLowerCase().indexOf(wanted) < 0; });
    });
  });

  var tip = null;
  function hide() { if (tip) { tip.remove(); tip = null; } }
  document.addEventListener("pointerover", function (event) {
    hide();
    var target = event.target.closest && event.target.closest("[data-tip]");
    if (!target) return;
    tip = make("div", "tip");
    tip.textContent = target.dataset.tip;
    body.appendChild(tip);
    var place = target.getBoundingClientRect(), size = tip.getBoundingClientRect();
    var left = place.left + place.width / 2 - size.width / 2;
    tip.style.left = Math.max(8, Math.min(left, innerWidth - size.width - 8)) + "px";
    tip.style.top = (place.top > size.height + 12 ? place.top - size.height - 8 : place.bottom + 8) + "px";
  });
  addEventListener("scroll", hide, { passive: true });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") hide(); });
  document.addEventListener("click", function (event) {
    var target = event.target.closest && event.target.closest("[data-go]");
    if (target) location.hash = target.dataset.go;
  });

  var shut = [];
  addEventListener("beforeprint", function () {
    shut = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    shut.forEach(function (d) { d.open = true; });
  });
  addEventListener("afterprint", function () { shut.forEach(function (d) { d.open = false; }); });
})();
