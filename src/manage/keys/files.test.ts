import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { editKey, writeNew } from './files.ts';

const root = mkdtempSync(join(tmpdir(), 'keys-'));
afterAll(() => rmSync(root, { recursive: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const ownerOf = (path: string): readonly [number, number] => [statSync(path).uid, statSync(path).gid];

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

describe.each([
  [0o644, 0o755],
  [0o640, 0o750],
  [0o600, 0o700],
])('next to a configuration with mode %o', (mode, folderMode) => {
  const dir = join(root, mode.toString(8));
  mkdirSync(dir);
  const config = join(dir, 'gateway.yaml');
  writeFileSync(config, 'version: 1\n');
  chmodSync(config, mode);
  chmodSync(dir, folderMode);
  if (isRoot) for (const path of [dir, config]) chownSync(path, nobody, nobody);
  const file = join(dir, 'configs/keys/app.yaml');

  it('a new key file has the same owner and mode', () => {
    writeNew(file, 'api_keys: {app: {hash: a}}\n', config, dir);
    expect([modeOf(file), modeOf(join(dir, 'configs/keys')), modeOf(join(dir, 'configs'))]).toEqual([mode, folderMode, folderMode]);
    for (const path of [file, join(dir, 'configs/keys'), join(dir, 'configs')]) expect(ownerOf(path)).toEqual(ownerOf(config));
  });

  it('a changed key file keeps its owner and mode, also behind a symbolic link', () => {
    chmodSync(file, 0o440);
    if (isRoot) chownSync(file, nobody, 0);
    const ownerBefore = ownerOf(file);
    const link = join(dir, 'link.yaml');
    symlinkSync(file, link);
    editKey({ name: 'app', entry: {}, file: link }, { revoked: '2027-01-01' }, dir);
    expect([modeOf(file), ownerOf(file)]).toEqual([0o440, ownerBefore]);
  });
});

it('in a world-writable folder, a new key file is not writable for others', () => {
  const dir = join(root, 'everybody');
  mkdirSync(dir);
  const config = join(dir, 'gateway.yaml');
  writeFileSync(config, 'version: 1\n');
  chmodSync(config, 0o666);
  chmodSync(dir, 0o1777);
  const file = join(dir, 'keys/app.yaml');
  writeNew(file, 'api_keys: {app: {hash: a}}\n', config, dir);
  expect([modeOf(file), modeOf(join(dir, 'keys'))]).toEqual([0o664, 0o775]);
});

it("a new folder inherits the setgid bit of the configuration's folder", () => {
  const dir = join(root, 'group');
  mkdirSync(dir);
  const config = join(dir, 'gateway.yaml');
  writeFileSync(config, 'version: 1\n');
  chmodSync(dir, 0o2770);
  writeNew(join(dir, 'keys/app.yaml'), 'api_keys: {app: {hash: a}}\n', config, dir);
  expect(statSync(join(dir, 'keys')).mode & 0o7777).toBe(0o2770);
});

it('editKey rejects the change of a key file that was changed since it was read', () => {
  const file = join(root, 'changed.yaml');
  const readText = 'api_keys: {app: {hash: a}}\n';
  const changedText = 'api_keys: {app: {hash: b}}\n';
  writeFileSync(file, changedText);
  const edit = (textRead: string) => editKey({ name: 'app', entry: {}, file }, { hash: 'c' }, root, textRead);
  expect(() => edit(readText)).toThrow(/changed\.yaml was changed in the meantime/);
  expect(readFileSync(file, 'utf8')).toBe(changedText);
  const undo = edit(changedText);
  expect(readFileSync(file, 'utf8')).toBe('api_keys: {app: {hash: c}}\n');
  undo();
  expect(readFileSync(file, 'utf8')).toBe(changedText);
});

it('writeNew and editKey work beside the drafts of processes that were killed', () => {
  const dir = join(root, 'killed');
  mkdirSync(dir);
  const config = join(dir, 'gateway.yaml');
  writeFileSync(config, 'version: 1\n');
  const file = join(dir, 'app.yaml');
  const draft = join(dir, `.app.yaml.${process.pid}.draft`);
  writeFileSync(draft, 'theirs');
  writeNew(file, 'api_keys: {app: {hash: a}}\n', config, dir);
  editKey({ name: 'app', entry: {}, file }, { hash: 'b' }, dir);
  expect(readFileSync(file, 'utf8')).toBe('api_keys: {app: {hash: b}}\n');
  expect(readFileSync(draft, 'utf8')).toBe('theirs');
  expect(() => writeNew(file, '', config, dir)).toThrow('app.yaml already exists and is not overwritten');
});

it('writeNew leaves no folder behind if it cannot write the key', () => {
  const dir = join(root, 'away');
  mkdirSync(dir);
  const file = join(dir, 'configs/keys/app.yaml');
  expect(() => writeNew(file, 'api_keys: {app: {hash: a}}\n', join(dir, 'missing.yaml'), dir)).toThrow(/cannot be written/);
  expect(existsSync(join(dir, 'configs'))).toBe(false);
});
