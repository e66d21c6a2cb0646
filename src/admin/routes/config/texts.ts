import { dirname, resolve } from 'node:path';
import { unsetDefaults } from '../../../config/report/defaults.ts';
import { runInSlices, type Steps } from '../../../core/async/steps.ts';
import { changeSteps, restartKeys } from '../../../config/report/diff.ts';
import { type EffectiveValue, effectiveValues } from '../../../config/report/effective.ts';
import type { WrittenLocations } from '../../../config/report/origins.ts';
import { filesDiff, renameFiles } from '../../../config/report/files-diff.ts';
import { valueChangeSteps } from '../../../config/report/value-changes.ts';
import type { LoadedConfig } from '../../../config/reload/load.ts';
import type { SavedFiles } from '../../../config/read/files.ts';
import { GatewayError } from '../../../core/error.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { createMask, type Mask } from '../../../core/secrets/mask.ts';
import { barePath } from '../../../core/text/display-path.ts';
import type { CheckResult, ConfigFiles, EffectiveConfig, PlanResult } from '../../api-types.ts';
import { diagnosed } from '../../views/diagnostics.ts';
import { restoreSecrets } from '../../views/restore-secrets.ts';
import { wordMatcher } from '../../../query/text.ts';
import { type AdminCall, type AdminRoute, flagIn, numberIn } from '../route.ts';

const files = { files: 'object with the new text of each file, by its path in `GET /api/config/files`; all other files stay as they are' };

export const textRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/config',
    role: 'operator',
    about:
      'The values of the current configuration, each with its file and line, or `default`. Secrets are shown as references, or masked.',
    query: {
      q: 'words that the path, the value or the `file:line` of a value must contain',
      defaults: '`false`: without values that are defaults',
      limit: 'maximum number of values; default: all',
    },
    returns: '`EffectiveConfig`',
    handle: async (call) => ({ json: await effectiveConfig(call) }),
  },
  {
    method: 'GET',
    path: '/api/config/files',
    role: 'operator',
    about: 'The files of the current configuration and their problems. Secrets in the texts are masked.',
    query: { text_of: 'path of the file whose text is returned, or `all`; default: no texts' },
    returns: '`ConfigFiles`',
    handle: (call) => ({ json: configFiles(call) }),
  },
  {
    method: 'POST',
    path: '/api/check',
    role: 'admin',
    about: 'Validates texts as `gateway check` does, without using them.',
    body: files,
    returns: '`CheckResult`',
    handle: async (call) => {
      const { loaded, mask } = await inspectTexts(call);
      return { json: checkResult(loaded, mask) };
    },
  },
  {
    method: 'POST',
    path: '/api/plan',
    role: 'admin',
    about: 'What would change if these texts were saved.',
    body: {
      ...files,
      entry:
        'name of the main file in `files`. With it, `files` contains all files of the configuration, with paths relative to the folder of the main file; `gateway plan` uses this for files of another machine',
    },
    returns: '`PlanResult`',
    handle: async (call) => {
      const { loaded, mask, texts } = await inspectTexts(call);
      return { json: await planResult(call, { loaded, mask, texts }) };
    },
  },
];

/** Values of the configuration that was shown last. */
const shown = new WeakMap<WrittenLocations, { readonly mask: Mask; readonly values: readonly EffectiveValue[] }>();

async function valuesOf(subject: AdminCall['subject']): Promise<readonly EffectiveValue[]> {
  const written = await subject.written();
  const mask = subject.mask();
  const known = shown.get(written);
  if (known?.mask === mask) return known.values;
  const types = new Set(subject.catalog().map(({ binding }) => binding.provider));
  const values = effectiveValues(written, unsetDefaults(subject.loaded().tree, [...types]), mask);
  shown.set(written, { mask, values });
  return values;
}

function matcherOf(query: URLSearchParams): (value: EffectiveValue) => boolean {
  const matches = wordMatcher(query.get('q') ?? '');
  const withDefaults = flagIn(query, 'defaults', true);
  return ({ path, value, origin }) => {
    if (!withDefaults && origin === 'default') return false;
    return matches === undefined || matches(`${path} ${value} ${origin === 'default' ? 'default' : `${origin.file}:${origin.line}`}`);
  };
}

async function effectiveConfig({ subject, query }: AdminCall): Promise<EffectiveConfig> {
  const { revision } = subject.loaded();
  const values = (await valuesOf(subject)).filter(matcherOf(query));
  const limit = numberIn(query, 'limit', values.length, [0, Number.MAX_SAFE_INTEGER]);
  return { revision, values: values.slice(0, limit), total: values.length };
}

function configFiles({ subject, query }: AdminCall): ConfigFiles {
  const { revision, texts, diagnostics } = subject.loaded();
  const mask = subject.mask();
  const textOf = query.get('text_of');
  const files = Object.entries(texts).map(([path, text]) => {
    const name = barePath(path, subject.cwd);
    return { path: name, text: textOf === 'all' || textOf === name ? mask.text(text) : null };
  });
  return { revision, files, ...diagnosed(diagnostics, mask) };
}

interface Inspected {
  readonly loaded: LoadedConfig;
  /** Masks the secrets of the active and of the submitted configuration. */
  readonly mask: Mask;
  readonly texts: SavedFiles;
}

/** @throws GatewayError for a body without readable texts */
async function inspectTexts(call: AdminCall): Promise<Inspected> {
  const { subject } = call;
  const { texts: serving, secrets } = subject.loaded();
  const { files: sent, entry } = await call.body();
  if (!isJsonObject(sent)) throw new GatewayError('missing_required_parameter', { message: '"files" is missing.', param: 'files' });
  const known = Object.keys(serving);
  const texts: Record<string, string> = entry === undefined ? { ...serving } : {};
  const pathOf = entry === undefined ? (name: string) => knownPath(known, name, subject.cwd) : pathsBeside(known[0], entry, sent);
  for (const [name, text] of Object.entries(sent)) {
    if (typeof text !== 'string')
      throw new GatewayError('invalid_type', { message: `The text of "${name}" is not a string.`, param: 'files' });
    const path = pathOf(name);
    // An edited text from GET /api/config/files contains masks, which are replaced with the original values.
    texts[path] = entry === undefined ? restoreSecrets(text, serving[path] ?? '', subject.mask()) : text;
  }
  const loaded = await subject.inspect(texts);
  return { loaded, mask: createMask([...new Set([...secrets, ...loaded.secrets])]), texts };
}

function knownPath(known: readonly string[], name: string, cwd: string): string {
  const path = known.find((one) => one === name || barePath(one, cwd) === name);
  if (path !== undefined) return path;
  throw new GatewayError('invalid_value', { message: `The configuration has no file "${name.slice(0, 200)}".`, param: 'files' });
}

/** Resolves file names. @param main path of the active main file; the file named `entry` replaces it */
function pathsBeside(main: string | undefined, entry: unknown, sent: object): (name: string) => string {
  if (typeof entry !== 'string' || !Object.hasOwn(sent, entry))
    throw new GatewayError('invalid_value', { message: '"entry" is not the name of one of the files.', param: 'entry' });
  if (main === undefined)
    throw new GatewayError('invalid_value', {
      message: 'The gateway serves without a file, so there is nothing to compare with.',
      param: 'entry',
    });
  return (name) => (name === entry ? main : resolve(dirname(main), name));
}

const checkResult = ({ tree, revision, diagnostics }: LoadedConfig, mask: Mask): CheckResult => ({
  ok: tree !== undefined,
  revision,
  ...diagnosed(diagnostics, mask),
});

async function planResult({ subject }: AdminCall, { loaded, mask, texts }: Inspected): Promise<PlanResult> {
  const now = subject.loaded();
  const { tree } = loaded;
  const inSlices = <T>(steps: Steps<T>): Promise<T> => runInSlices(steps, () => performance.now());
  const entries = tree === undefined ? [] : await inSlices(changeSteps(now.tree, tree));
  const values = await inSlices(valueChangeSteps(entries, mask));
  const restart = tree === undefined ? [] : restartKeys(now.tree, tree, subject.overridden);
  const nameOf = (path: string): string => barePath(path, subject.cwd);
  const diff = filesDiff(renameFiles(now.texts, nameOf), renameFiles(texts, nameOf), (text) => mask.text(text));
  return { ...checkResult(loaded, mask), against: now.revision, values, restart_needed: restart, diff };
}
