import { dirname } from 'node:path';
import { blockText, type MemberValue } from '../../../config/edit/document.ts';
import { fileForKey, readKeys, type WrittenKey, type WrittenKeys } from '../../../config/edit/written.ts';
import { GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { barePath } from '../../../core/text/display-path.ts';
import { issue, type KeyRules, revoke, rotate } from '../../../manage/keys/change.ts';
import { editKey, writeNew } from '../../../manage/keys/files.ts';
import type { LimitInput } from '../../../manage/keys/limits.ts';
import { keyNamed } from '../../../manage/keys/shared.ts';
import { Refusal } from '../../../manage/refusal.ts';
import type { KeyChange, ReloadVerdict } from '../../api-types.ts';
import { type AdminCall, checkNames, isSet, textIn } from '../route.ts';

/** Handlers of the key routes. Each throws GatewayError if the files cannot be read or the change is not possible. */
export const keyChanges = {
  create: (call: AdminCall) => applyChange(call, create),
  rotate: (call: AdminCall) => applyChange(call, rotateKey),
  revoke: (call: AdminCall) => applyChange(call, revokeKey),
};

/** A change before it is known whether it is active. */
type PendingKeyChange = Omit<KeyChange, 'rejected'>;

interface Change {
  readonly subject: AdminCall['subject'];
  readonly body: JsonObject;
  readonly written: WrittenKeys;
  /** Name of the key in the path. */
  readonly name: string;
  readonly configPath: string;
}

/** @throws GatewayError if the files cannot be read or the change is not possible */
async function applyChange(
  call: AdminCall,
  make: (change: Change) => PendingKeyChange | Promise<PendingKeyChange>,
): Promise<{ readonly json: KeyChange }> {
  const { subject, params } = call;
  const body = await call.body();
  const { configPath, cwd, env } = subject;
  if (configPath === undefined) throw changeRefused('The configuration is not a file: keys cannot be changed.');
  try {
    const written = readKeys({ path: configPath }, { cwd, env });
    if (written.broken.length > 0)
      throw changeRefused(`${written.broken.join(' and ')} cannot be read.`, 'Fix the file first: gateway check shows where.');
    const change = await make({ subject, body, written, name: params['name'] ?? '', configPath });
    // Reload before the response is sent, so that the key works at once, without waiting for the file watcher.
    const verdict = change.written_to === null ? undefined : await subject.reload();
    return { json: { ...change, rejected: verdict?.result === 'rejected' ? rejectionReason(verdict) : null } };
  } catch (error) {
    if (error instanceof Refusal)
      throw changeRefused(/[.?]$/.test(error.message) ? error.message : `${error.message}.`, error.hint, error.param);
    throw error;
  }
}

function rejectionReason({ reason, diagnostics }: ReloadVerdict): string {
  const error = diagnostics.find(({ level }) => level === 'error');
  if (error === undefined) return reason ?? 'The configuration was rejected.';
  return `${error.file}:${error.line}:${error.column}: ${error.message}`;
}

const changeRefused = (message: string, hint?: string, param?: string): GatewayError =>
  new GatewayError('invalid_value', { message, hint, param });

async function create({ subject, body, written, configPath }: Change): Promise<PendingKeyChange> {
  const name = textIn(body, 'name');
  const { key, text } = issue(name, rulesOf(body), written.keys, Date.now());
  await checkNew({ subject, written, name, text, configPath });
  const file = fileForKey(name, written.include, configPath);
  const isWritten = file !== undefined && tryWrite(() => writeNew(file, text, configPath, subject.cwd));
  return { secret: key, yaml: text, written_to: isWritten && file !== undefined ? barePath(file, subject.cwd) : null };
}

/** Checks a new key, so that it cannot make the next load fail, for example with a wrong config name. */
async function checkNew(made: {
  subject: Change['subject'];
  written: WrittenKeys;
  name: string;
  text: string;
  configPath: string;
}): Promise<void> {
  const { subject, written, name, text, configPath } = made;
  // Checked as an additional included file.
  const path = `${dirname(configPath)}/the key ${name}`;
  const entry = written.texts[configPath] ?? '';
  const both = JSON.stringify([configPath, path]);
  const { diagnostics } = await subject.inspect({ ...written.texts, [configPath]: entry, [path]: text }, `version: 1\ninclude: ${both}\n`);
  const named = [path, barePath(path, subject.cwd)];
  const newKeyError = diagnostics.find(({ severity, file }) => severity === 'error' && named.includes(file));
  if (newKeyError !== undefined) throw new Refusal('no', newKeyError.message, newKeyError.hint);
}

function rotateKey({ subject, body, written, name }: Change): PendingKeyChange {
  const found = keyNamed(name, written);
  const { key, members } = rotate(found, body['overlap'] === undefined ? '24h' : textIn(body, 'overlap'), Date.now());
  return { secret: key, ...writeMembers(found, members, subject.cwd, written.texts[found.file]) };
}

function revokeKey({ subject, written, name }: Change): PendingKeyChange {
  const found = keyNamed(name, written);
  return { secret: null, ...writeMembers(found, revoke(found, Date.now()), subject.cwd) };
}

function writeMembers(
  found: WrittenKey,
  members: Readonly<Record<string, MemberValue>>,
  cwd: string,
  asRead?: string,
): Omit<PendingKeyChange, 'secret'> {
  const isWritten = tryWrite(() => editKey(found, members, cwd, asRead));
  const yaml = blockText('api_keys', found.name, { ...found.entry, ...members });
  return { yaml, written_to: isWritten ? barePath(found.file, cwd) : null };
}

/** Returns false if the file can't be written: the user then has to paste the YAML. */
function tryWrite(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (error instanceof Refusal && / cannot be (?:written|edited)/.test(error.message)) return false;
    throw error;
  }
}

function rulesOf(body: JsonObject): KeyRules {
  const metadata: unknown = body['metadata'] ?? {};
  if (!isJsonObject(metadata) || Object.values(metadata).some((value) => typeof value !== 'string'))
    throw new GatewayError('invalid_type', { message: '"metadata" is not an object of strings.', param: 'metadata' });
  const optional = (name: string): string | undefined => (body[name] === undefined || body[name] === null ? undefined : textIn(body, name));
  return {
    allow: {
      ...stringListIn(body, 'configs'),
      ...stringListIn(body, 'providers'),
      ...stringListIn(body, 'models'),
      ...stringListIn(body, 'prompts'),
    },
    limits: limitsIn(body),
    expires: optional('expires'),
    defaultConfig: optional('default_config'),
    enforceConfig: isSet(body, 'enforce_config'),
    metadata: metadata as Readonly<Record<string, string>>,
    debug: false,
    kind: isSet(body, 'test') ? 'test' : 'live',
  };
}

const limitNames: Readonly<Record<keyof LimitInput, string>> = { rate: '', tokens: '', budget: '', concurrency: '' };

function limitsIn(body: JsonObject): LimitInput {
  const limits: unknown = body['limits'] ?? {};
  if (!isJsonObject(limits)) throw new GatewayError('invalid_type', { message: '"limits" is not an object.', param: 'limits' });
  checkNames(Object.keys(limits), limitNames, 'limit');
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null));
}

function stringListIn(body: JsonObject, name: string): Readonly<Record<string, readonly string[]>> {
  const value: unknown = body[name];
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string'))
    throw new GatewayError('invalid_type', { message: `"${name}" is not a list of strings.`, param: name });
  return { [name]: value as readonly string[] };
}
