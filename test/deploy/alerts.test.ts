import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { errorCatalogue } from '../../src/core/error.ts';
import { metricsTable } from '../../src/telemetry/metrics/table.ts';
import { readProjectFile, root } from '../repo/tree.ts';
import { skipping } from '../support/skipping.ts';

/** The alert rules and the Grafana dashboard: their metrics exist, and the rules match their examples. */

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}

const rulesFile = 'deploy/prometheus/alerts.yaml';
const testFile = 'deploy/prometheus/alerts-examples.yaml';
const { groups } = parse(readProjectFile(rulesFile)) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(readProjectFile('deploy/grafana/dashboard.json')) as {
  panels: Panel[];
  annotations: { list: { expr: string }[] };
  templating: { list: { name: string; query: { query: string } | string }[] };
};

/** Values for the variables of Grafana. */
const filled = (expr: string): string =>
  expr
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$__range', '1h')
    .replaceAll(/"\$\w+"/g, '".*"');

const expressions: readonly (readonly [where: string, expr: string])[] = [
  ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`panel ${title}`, filled(expr)] as const)),
  ...dashboard.annotations.list.map(({ expr }) => ['annotation', filled(expr)] as const),
];

const metricRows = new Map(metricsTable.map((row) => [row.name, row]));

/** Metrics of Prometheus itself. */
const ofPrometheus: ReadonlySet<string> = new Set(['up']);
const everywhere: ReadonlySet<string> = new Set(['job', 'instance', 'le']);

/** Names of the metrics in an expression, with or without selectors. */
function metricsIn(expr: string): readonly string[] {
  const plain = expr.replaceAll(/"[^"]*"/g, '""').replaceAll(/\{[^}]*\}/g, '{}');
  const names = plain.match(/\b(?:gateway|gen_ai|process|nodejs)_[a-z0-9_]+|\bup\b/g) ?? [];
  const labels = new Set([...plain.matchAll(/\b(?:by|on|group_left)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/)));
  return [...new Set(names)].filter((name) => !labels.has(name));
}

function metricOf(name: string): string {
  const base = name.replace(/_(?:bucket|sum|count)$/, '');
  return metricRows.get(base)?.type === 'histogram' ? base : name;
}

function labelsIn(expr: string): readonly string[] {
  const selectors = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) => [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)]);
  const lists = [...expr.matchAll(/\b(?:by|on|group_left)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/));
  return [...selectors.map(([, name = '']) => name), ...lists].filter((name) => name !== '');
}

describe('alert rules and Grafana dashboard', () => {
  it.each(expressions)('%s uses existing metrics and labels', (_where, expr) => {
    const metrics = metricsIn(expr).map(metricOf);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !metricRows.has(name) && !ofPrometheus.has(name))).toEqual([]);
    const labels = new Set(metrics.flatMap((name) => metricRows.get(name)?.labels ?? []));
    expect(labelsIn(expr).filter((label) => !labels.has(label) && !everywhere.has(label))).toEqual([]);
  });

  it('use only error codes of the gateway', () => {
    const codes = expressions.flatMap(([, expr]) => [...expr.matchAll(/\bcode=~?"([^"]*)"/g)].flatMap(([, list = '']) => list.split('|')));
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter((code) => !Object.hasOwn(errorCatalogue, code))).toEqual([]);
  });

  it('every panel has a description, and no panels overlap', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(panels.filter(({ description }) => description === undefined).map(({ title }) => title)).toEqual([]);
    const cells = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(cells.has(`${x},${y}`), `${title} lies over another panel`).toBe(false);
          cells.add(`${x},${y}`);
        }
    }
  });

  it('every rule has examples of firing and of not firing', () => {
    const { tests } = parse(readProjectFile(testFile)) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
    };
    const cases = tests.flatMap((one) => one.alert_rule_test);
    const fires = (name: string, does: boolean): boolean =>
      cases.some(({ alertname, exp_alerts = [] }) => alertname === name && exp_alerts.length > 0 === does);
    expect(rules.filter(({ alert }) => !fires(alert, true) || !fires(alert, false)).map(({ alert }) => alert)).toEqual([]);
  });
});

const promtool = spawnSync('promtool', ['--version']).error;
const missing = promtool === undefined ? undefined : 'promtool (Debian: prometheus) is not installed: alert rules are not run';

describe.skipIf(skipping(missing))('promtool', () => {
  const dir = mkdtempSync(join(tmpdir(), 'alerts-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  function run(...args: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  }

  it('accepts the rules, and the examples pass', () => {
    expect(run('check', 'rules', join(root, rulesFile))).toMatchObject({ status: 0 });
    const { status, output } = run('test', 'rules', join(root, testFile));
    expect(status, output).toBe(0);
  });

  it('accepts every expression of the dashboard', () => {
    const file = join(dir, 'dashboard.yaml');
    const recorded = expressions.map(([, expr], index) => ({ record: `r${index}`, expr }));
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    const { status, output } = run('check', 'rules', file);
    expect(status, output).toBe(0);
  });

  it.each(rules.filter((rule) => rule.for !== undefined).map((rule) => [rule.alert] as const))(
    'the examples fail if %s never fires',
    (alert) => {
      const changed = groups.map((group) => ({
        ...group,
        rules: group.rules.map((rule) => (rule.alert === alert ? { ...rule, for: '3h' } : rule)),
      }));
      writeFileSync(join(dir, 'alerts.yaml'), stringify({ groups: changed }));
      const examples = parse(readProjectFile(testFile)) as { tests: { alert_rule_test: { alertname: string }[] }[] };
      const tests = examples.tests.filter((one) => one.alert_rule_test.some(({ alertname }) => alertname === alert));
      writeFileSync(join(dir, 'alerts-examples.yaml'), stringify({ ...examples, tests }));
      expect(run('test', 'rules', join(dir, 'alerts-examples.yaml')).status).not.toBe(0);
    },
  );
});
