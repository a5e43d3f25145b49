(() => {
  "use strict";
  const said = document.getElementById("said");
  let silence;
  for (const button of document.querySelectorAll("button.copy")) {
    const source = document.getElementById(button.dataset.copy);
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      let answer = "Copied";
      try {
        await navigator.clipboard.writeText(source.textContent);
      } catch {
        const around = source.closest("details");
        if (around) around.open = true;
        getSelection().selectAllChildren(source);
        answer = "Selected";
      }
      button.textContent = said.textContent = answer;
      clearTimeout(button.silence);
      button.silence = setTimeout(() => { button.textContent = label; }, 2000);
      clearTimeout(silence);
      silence = setTimeout(() => { said.textContent = ""; }, 2000);
    });
  }
  const key = (row, at) => {
    const text = row.cells[at].textContent.trim();
    const number = parseFloat(text);
    return [Number.isNaN(number) ? Infinity : number, text];
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    if (table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((cell, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.textContent = cell.textContent;
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = cell.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        const isNumber = cell.classList.contains("number");
        const rows = [...table.tBodies[0].rows].map((row) => [key(row, at), row]);
        rows.sort(([one], [other]) => (isNumber ? one[0] - other[0] : one[1].localeCompare(other[1])));
        if (down) rows.reverse();
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  }
  const closed = [];
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details:not([open], .raw, .long)")) {
      one.open = true;
      closed.push(one);
    }
  });
  addEventListener("afterprint", () => { for (const one of closed.splice(0)) one.open = false; });
})();
