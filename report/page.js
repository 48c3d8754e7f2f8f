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
  // What is printed is whole: closed blocks open for the printer and close again.
  var opened = [];
  window.addEventListener('beforeprint', function () {
    opened = Array.prototype.slice.call(document.querySelectorAll('main details.whole:not([open])'));
    opened.forEach(function (block) { block.open = true; });
  });
  window.addEventListener('afterprint', function () { opened.forEach(function (block) { block.open = false; }); });
})();
