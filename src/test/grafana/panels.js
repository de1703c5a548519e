/**
 * Draws the panels of one dashboard with the components of @grafana/ui, from the data of a Prometheus, and reports where
 * each panel's data should be and in which colours. Opened as
 * index.html?prometheus=PORT&seconds=RANGE&dashboard=NAME.json.
 *
 * Heat maps and state timelines are not drawn: Grafana does not publish their components.
 */
import {
  applyFieldOverrides,
  createTheme,
  dateTime,
  FieldType,
  getFieldDisplayName,
  getFieldDisplayValues,
  getFieldSeriesColor,
  identityOverrideProcessor,
  standardFieldConfigEditorRegistry,
  standardTransformers,
  standardTransformersRegistry,
  ThemeContext,
  toDataFrame,
  transformDataFrame,
} from '@grafana/data';
import {BarGauge, BigValue, Table, TimeSeries} from '@grafana/ui';
import React from 'react';
import {createRoot} from 'react-dom/client';

const e = React.createElement;
const theme = createTheme({colors: {mode: 'dark'}});
const COLUMN = 64;
const ROW = 38;
/** The height of a panel's title. */
const TITLE = 32;

const STANDARD = ['unit', 'min', 'max', 'decimals', 'color', 'thresholds', 'noValue', 'displayName', 'mappings'];
const CUSTOM = ['drawStyle', 'lineWidth', 'fillOpacity', 'showPoints', 'spanNulls', 'stacking', 'transform', 'width', 'minWidth', 'cellOptions'];

standardFieldConfigEditorRegistry.setInit(() => [...STANDARD, ...CUSTOM].map((id) => {
  const isCustom = CUSTOM.includes(id);
  return {id: isCustom ? `custom.${id}` : id, path: id, name: id, isCustom, process: identityOverrideProcessor,
    shouldApply: () => true, getItemsCount: () => 0};
}));
standardTransformersRegistry.setInit(() => [standardTransformers.mergeTransformer, standardTransformers.organizeFieldsTransformer,
  standardTransformers.groupingToMatrixTransformer, standardTransformers.joinByFieldTransformer]
    .map((one) => ({id: one.id, name: one.id, transformation: one, editor: () => null})));

const parameters = new URLSearchParams(location.search);
const prometheus = `http://127.0.0.1:${parameters.get('prometheus')}/api/v1`;
const SECONDS = Number(parameters.get('seconds'));

/** What variables stand for: everything, but one core, and one host in rows that are repeated for each. */
function replaced(text, host) {
  return text
      .replaceAll('$__rate_interval', '10s')
      .replaceAll('$__range', `${SECONDS}s`)
      .replaceAll('$host', host)
      .replace(/\$cpu\b/g, '0')
      .replace(/\$(job|session|source|destination)\b/g, '.*');
}

function legend(format, labels) {
  return format === '__auto' ? JSON.stringify(labels) : format.replace(/\{\{(\w+)\}\}/g, (_, name) => labels[name] ?? '');
}

async function ask(path, query) {
  const response = await fetch(`${prometheus}/${path}?${new URLSearchParams(query)}`);
  const answer = await response.json();
  if (answer.status !== 'success') {
    throw new Error(`${query.query}: ${answer.error}`);
  }
  return answer.data.result;
}

/** The frames of a query, as Grafana's data source for Prometheus makes them. */
async function frames(target, host, end) {
  const query = replaced(target.expr, host);
  if (target.format === 'table') {
    const found = await ask('query', {query, time: end});
    const names = [...new Set(found.flatMap((one) => Object.keys(one.metric)))].sort();
    return [toDataFrame({refId: target.refId, fields: [
      {name: 'Time', type: FieldType.time, values: found.map((one) => 1000 * one.value[0])},
      ...names.map((name) => ({name, type: FieldType.string, values: found.map((one) => one.metric[name] ?? '')})),
      {name: 'Value', type: FieldType.number, values: found.map((one) => Number(one.value[1]))},
    ]})];
  }
  const series = target.instant
    ? (await ask('query', {query, time: end})).map((one) => ({...one, values: [one.value]}))
    : await ask('query_range', {query, start: end - SECONDS, end, step: 1});
  return series.map((one) => toDataFrame({refId: target.refId, fields: [
    {name: 'Time', type: FieldType.time, values: one.values.map((value) => 1000 * value[0])},
    {name: 'Value', type: FieldType.number, labels: one.metric, values: one.values.map((value) => Number(value[1])),
      config: {displayNameFromDS: legend(target.legendFormat, one.metric)}},
  ]}));
}

function transformed(transformations, data, several) {
  // Prometheus' data source numbers the values of several queries.
  const named = data.map((frame) => ({...frame, fields: frame.fields.map((field) => (
    several && field.name === 'Value' ? {...field, name: `Value #${frame.refId}`} : field))}));
  return new Promise((resolve, reject) => {
    transformDataFrame(transformations ?? [], named, {interpolate: (text) => text})
        .subscribe({next: resolve, error: reject});
  });
}

function drawTimeSeries(panel, data, size, end) {
  const timeRange = {from: dateTime(1000 * (end - SECONDS)), to: dateTime(1000 * end), raw: {from: `now-${SECONDS}s`, to: 'now'}};
  return e(TimeSeries, {frames: data, timeRange, timeZone: 'utc', legend: panel.options.legend, options: panel.options,
    structureRev: 1, ...size});
}

function displayValues(panel, data) {
  return getFieldDisplayValues({fieldConfig: panel.fieldConfig, reduceOptions: panel.options.reduceOptions,
    replaceVariables: (text, scope) => text.replace(/\$\{__field\.labels\.(\w+)\}/g,
        (_, name) => scope?.__dataContext?.value.field.labels?.[name] ?? name),
    theme, data, timeZone: 'utc'});
}

function drawStat(panel, values, size) {
  return e(BigValue, {value: values[0].display, theme, ...panel.options, ...size});
}

function drawBars(panel, values, size) {
  const height = Math.max(panel.options.minVizHeight, Math.floor(size.height / values.length));
  return values.map((value, index) => e(BarGauge, {key: index, value: value.display, field: value.field, display: value.view?.getFieldDisplayProcessor(value.colIndex),
    theme, ...panel.options, valueDisplayMode: panel.options.valueMode, width: size.width, height, itemSpacing: 8, isOverflow: false}));
}

async function draw(panel, place, end) {
  const shown = {title: panel.title, kind: panel.type, series: 0, colours: [], error: ''};
  const box = document.createElement('section');
  box.style.cssText = `left:${COLUMN * panel.gridPos.x}px;top:${ROW * panel.gridPos.y + place.shift}px;`
    + `width:${COLUMN * panel.gridPos.w - 8}px;height:${ROW * panel.gridPos.h - 8}px`;
  const title = document.createElement('h2');
  title.textContent = panel.title;
  const body = document.createElement('div');
  box.append(title, body);
  place.root.append(box);
  const size = {width: COLUMN * panel.gridPos.w - 24, height: ROW * panel.gridPos.h - 16 - TITLE};
  try {
    const raw = (await Promise.all(panel.targets.map((target) => frames(target, place.host, end)))).flat();
    const changed = await transformed(panel.transformations, raw, panel.type === 'table' && panel.targets.length > 1);
    const data = applyFieldOverrides({data: changed, fieldConfig: panel.fieldConfig, theme, timeZone: 'utc',
      replaceVariables: (text) => text, fieldConfigRegistry: standardFieldConfigEditorRegistry});
    shown.legend = () => [...box.querySelectorAll('tbody tr')].map((row) => row.textContent);
    const numbers = data.flatMap((frame) => frame.fields.filter((field) => field.type === FieldType.number));
    shown.series = panel.type === 'table' ? data[0]?.length ?? 0 : numbers.length;
    let content = null;
    if (panel.type === 'stat' || panel.type === 'bargauge') {
      // Without data, they show one value, with the text for that.
      const values = displayValues(panel, data);
      shown.colours = values.map((value) => value.display.color);
      shown.names = values.map((value) => value.display.title);
      content = panel.type === 'stat' ? drawStat(panel, values, size) : drawBars(panel, values, size);
    } else if (shown.series === 0) {
      shown.colours = [theme.colors.text.primary];
      content = e('p', {}, panel.fieldConfig.defaults.noValue ?? 'No data');
    } else if (panel.type === 'timeseries') {
      shown.colours = numbers.map((field) => getFieldSeriesColor(field, theme).color);
      // With its frame: the name is kept, and the legend shows it.
      shown.names = data.flatMap((frame) => frame.fields.filter((field) => numbers.includes(field))
          .map((field) => getFieldDisplayName(field, frame, data)));
      content = drawTimeSeries(panel, data, size, end);
    } else if (panel.type === 'table') {
      shown.colours = [theme.colors.text.primary];
      content = e(Table, {data: data[0], columnMinWidth: 70, ...size});
    }
    createRoot(body).render(e(ThemeContext.Provider, {value: theme}, content));
  } catch (mistake) {
    shown.error = String(mistake.stack ?? mistake);
  }
  shown.text = () => body.innerText;
  shown.area = () => {
    // Not the legend, whose swatches have the same colours.
    const within = (box.querySelector('.u-over') ?? body).getBoundingClientRect();
    return [within.x, within.y, within.width, within.height].map(Math.round);
  };
  return shown;
}

/** All panels with a place: those of a collapsed row are below it, and everything after it moves down. */
function placed(dashboard) {
  let shift = 0;
  let host = '.*';
  const all = [];
  for (const panel of dashboard.panels) {
    if (panel.type !== 'row') {
      all.push([panel, {shift, host}]);
      continue;
    }
    host = panel.repeat === 'host' ? 'dtn1' : '.*';
    const folded = panel.panels ?? [];
    const top = Math.min(...folded.map((one) => one.gridPos.y));
    for (const one of folded) {
      const y = panel.gridPos.y + 1 + one.gridPos.y - top;
      all.push([{...one, gridPos: {...one.gridPos, y}}, {shift, host}]);
    }
    shift += folded.length === 0 ? 0 : ROW * Math.max(...folded.map((one) => one.gridPos.y + one.gridPos.h - top));
  }
  return all;
}

const dashboard = await (await fetch(parameters.get('dashboard'))).json();
const end = Math.floor(Date.now() / 1000) - 1;
const root = document.querySelector('main');
const drawn = await Promise.all(placed(dashboard).map(([panel, place]) => draw(panel, {root, ...place}, end)));
const bottom = Math.max(...[...root.children].map((box) => box.offsetTop + box.offsetHeight));
root.style.height = `${bottom}px`;

window.report = () => JSON.stringify(drawn.map((one) => ({...one, area: one.area(), text: one.text(), legend: one.legend?.() ?? []})));
window.pageHeight = bottom;
