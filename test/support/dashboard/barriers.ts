import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Best practices that are checked too: two regions of one name cannot be told apart. */
const rules = { 'landmark-unique': { enabled: true } };
/** Rules about colors, which are all that differs between the themes. */
const colorRules = ['color-contrast', 'link-in-text-block'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Returns the accessibility violations of the page in its current state (WCAG 2.2 A and AA). */
export const barriersOf = (page: Page): Promise<string[]> => runAxe(page, { type: 'tag', values: tags }, rules);

async function runAxe(page: Page, runOnly: object, rules: object = {}): Promise<string[]> {
  // Injected through the debugger, because the page's content security policy blocks foreign scripts.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const options = JSON.stringify({ runOnly, rules, resultTypes: ['violations'] });
  const violations = (await page.evaluate(`axe.run(document, ${options}).then((r) => r.violations)`)) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Checks both themes. The page has the dark theme afterwards. */
export async function barriersInBothThemes(page: Page): Promise<Readonly<Record<'light' | 'dark', string[]>>> {
  const light = await barriersOf(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator(':root[data-scheme="dark"]').waitFor({ state: 'attached' });
  return { light, dark: await runAxe(page, { type: 'rule', values: colorRules }) };
}

export const noBarriers = { light: [], dark: [] } as const;
