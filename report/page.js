// Draws each chart from the JSON beside it. The expression interpreter replaces generated code, so the page needs no
// eval; the loader is asked for nothing, since all data are inline.
(function () {
  'use strict';
  var font = getComputedStyle(document.body).fontFamily;
  var config = {
    aria: false, background: null, font: font,
    view: {stroke: null},
    axis: {labelFontSize: 12, titleFontSize: 12, titleFontWeight: 400, labelColor: '#1c2530', titleColor: '#1c2530',
           gridColor: '#e6eaee', domainColor: '#8a949f', tickColor: '#8a949f', labelLimit: 220},
    legend: {orient: 'top', direction: 'horizontal', title: null, labelFontSize: 12, symbolSize: 90, labelLimit: 260,
             columns: window.innerWidth < 600 ? 2 : 0},
    title: {anchor: 'start', fontSize: 13}
  };
  var options = {
    renderer: 'svg', ast: true, config: config, tooltip: true,
    actions: {export: true, source: false, compiled: false, editor: false}
  };
  var specs = document.querySelectorAll('script.chart-spec');
  var left = specs.length;
  function done() { if (--left <= 0) document.documentElement.setAttribute('data-charts', 'done'); }
  if (!specs.length) document.documentElement.setAttribute('data-charts', 'done');
  specs.forEach(function (script) {
    var holder = document.getElementById(script.getAttribute('data-for'));
    function failed(error) {
      holder.textContent = 'This chart could not be drawn (' + error + '); its numbers are in the tables.';
      holder.className = 'absent';
      done();
    }
    if (typeof vegaEmbed !== 'function') { failed('the chart library is missing'); return; }
    try {
      vegaEmbed(holder, JSON.parse(script.textContent), options).then(function () {
        holder.setAttribute('data-drawn', 'yes');
        done();
      }, failed);
    } catch (error) { failed(error); }
  });
  // A click on a head sorts by that column: first the largest numbers, or names from A; what has no number stays below.
  function keyOf(row, column) {
    var cell = row.cells[column];
    if (cell.hasAttribute('data-value')) return Number(cell.getAttribute('data-value'));
    return cell.textContent.trim();
  }
  function compare(a, b) {
    var numbers = (typeof a === 'number') + (typeof b === 'number');
    if (numbers === 2) return b - a;
    if (numbers === 1) return typeof a === 'number' ? -1 : 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  function sortBy(table, column) {
    var heads = table.tHead.rows[0].cells, body = table.tBodies[0];
    var turned = heads[column].getAttribute('data-sorted') === 'first';
    Array.prototype.forEach.call(heads, function (head) {
      head.removeAttribute('aria-sort');
      head.removeAttribute('data-sorted');
    });
    var rows = Array.prototype.map.call(body.rows, function (row, at) { return [keyOf(row, column), at, row]; });
    var numeric = rows.some(function (row) { return typeof row[0] === 'number'; });
    heads[column].setAttribute('data-sorted', turned ? 'second' : 'first');
    heads[column].setAttribute('aria-sort', numeric !== turned ? 'descending' : 'ascending');
    var sign = turned ? -1 : 1;
    rows.sort(function (a, b) {
      var unlike = (typeof a[0] === 'number') !== (typeof b[0] === 'number');
      return (unlike ? 1 : sign) * compare(a[0], b[0]) || a[1] - b[1];
    });
    rows.forEach(function (row) { body.appendChild(row[2]); });
  }
  document.querySelectorAll('main table').forEach(function (table) {
    if (!table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length < 5) return;
    table.classList.add('sortable');
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      head.tabIndex = 0;
      head.addEventListener('click', function () { sortBy(table, column); });
      head.addEventListener('keydown', function (event) {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        sortBy(table, column);
      });
    });
  });

  // Tables that the page carries as text become links under the heading "downloads".
  var shelf = document.getElementById('downloads');
  var carried = JSON.parse(document.getElementById('scvet-data').textContent).tables || {};
  if (shelf && Object.keys(carried).length) {
    var list = document.createElement('ul');
    list.className = 'text';
    Object.keys(carried).sort().forEach(function (name) {
      var item = document.createElement('li'), link = document.createElement('a');
      link.download = name;
      link.href = 'data:text/csv;charset=utf-8,' + encodeURIComponent(carried[name]);
      link.textContent = name;
      item.appendChild(link);
      list.appendChild(item);
    });
    shelf.insertAdjacentElement('afterend', list);
  }

  // What is printed is whole: closed blocks open for the printer and close again.
  var opened = [];
  window.addEventListener('beforeprint', function () {
    opened = Array.prototype.slice.call(document.querySelectorAll('main details.whole:not([open])'));
    opened.forEach(function (block) { block.open = true; });
  });
  window.addEventListener('afterprint', function () { opened.forEach(function (block) { block.open = false; }); });
})();
