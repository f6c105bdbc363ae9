// The charting library with only the parts that the report uses, and a chart that is created when it becomes visible.
import { init, use } from 'echarts/core';
import { BoxplotChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { AriaComponent, DataZoomInsideComponent, GridComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { h } from './dom.js';
import { usePointer } from './pointer.js';
import { tokens } from './theme.js';

use([BoxplotChart, CustomChart, LineChart, ScatterChart, AriaComponent, DataZoomInsideComponent, GridComponent,
  TooltipComponent, CanvasRenderer]);

const FAR = '400px'; // distance from the window at which a chart is created

export function axis(theme, name, more) {
  return {
    name, nameLocation: 'middle', nameGap: 28, nameTextStyle: { color: theme.soft, fontSize: 12 },
    axisLine: { show: true, lineStyle: { color: theme.line } }, axisTick: { show: false },
    axisLabel: { color: theme.soft, fontSize: 11, hideOverlap: true },
    splitLine: { show: true, lineStyle: { color: theme.grid } }, minorSplitLine: { show: false }, ...more,
  };
}

// 1, 2, 5 of each decade, or only the decades if there are many. An axis of less than one decade still has labels.
export function logAxis(theme, name, [min, max], format, more) {
  const decades = Math.log10(max / min);
  const leading = decades > 3 ? [1] : decades > 1 ? [1, 2, 5] : decades > 0.5 ? [1, 1.5, 2, 3, 5, 7] : [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9];
  const values = [];
  for (let d = Math.floor(Math.log10(min)); d <= Math.ceil(Math.log10(max)); ++d) {
    for (const l of leading) if (l * 10 ** d >= min && l * 10 ** d <= max) values.push(Number((l * 10 ** d).toPrecision(3)));
  }
  return axis(theme, name, {
    type: 'log', min, max, axisTick: { show: false, customValues: values },
    axisLabel: { color: theme.soft, fontSize: 11, hideOverlap: true, formatter: format, customValues: values }, ...more,
  });
}

export function base(theme, description) {
  return {
    animation: false, aria: { enabled: true, label: { description } },
    textStyle: { fontFamily: theme.font, color: theme.ink },
    tooltip: {
      trigger: 'item', transitionDuration: 0, confine: true, padding: [8, 10], backgroundColor: theme.paper,
      borderColor: theme.line, borderWidth: 1, textStyle: { color: theme.ink, fontSize: 12, fontFamily: theme.font },
      extraCssText: 'box-shadow:0 4px 16px rgb(0 0 0/.14);border-radius:6px;max-width:320px',
    },
  };
}

// render(theme, width): the option. points: {at(trial) -> [x, y] or null, order() -> trials} for pointer and keys.
// `scope` collects the functions that redraw, print and end the charts of the view.
export function makeChart(scope, { label, height, render, points }) {
  const canvas = h('div.chart-canvas', { style: { height: height + 'px' } });
  const element = h('div.chart', { role: 'group', 'aria-roledescription': 'chart', 'aria-label': label }, canvas);
  let chart = null;
  let width = 0;
  let pointer = null;
  const draw = () => {
    if (!chart) return;
    chart.setOption(render(tokens(), width), { notMerge: true });
    if (pointer) pointer.place();
  };
  const start = () => {
    if (chart || !canvas.isConnected || !canvas.clientWidth) return;
    sight.disconnect();
    width = canvas.clientWidth;
    chart = init(canvas, null, { renderer: 'canvas' });
    draw();
    if (points) pointer = usePointer(chart, element, scope.state, points);
    size.observe(canvas);
  };
  const sight = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && start(), { rootMargin: FAR });
  const size = new ResizeObserver(() => {
    if (!canvas.clientWidth || canvas.clientWidth === width) return;
    width = canvas.clientWidth;
    chart.resize();
    draw();
  });
  sight.observe(canvas);
  scope.redraw.push(draw);
  scope.print.push(start);
  scope.end.push(() => { sight.disconnect(); size.disconnect(); if (chart) chart.dispose(); });
  return { element, draw };
}
