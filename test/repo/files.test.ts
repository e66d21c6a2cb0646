import { describe, expect, it } from 'vitest';
import { projectFiles, readProjectFile } from './tree.ts';

const texts = projectFiles().filter((file) => !/\.(png|ico|woff2?)$/.test(file));

/** Split strings, so that this file does not match itself. */
const registries = ['registry.npmjs', 'pypi', 'files.pythonhosted', 'static.crates', 'proxy.golang', 'repo.maven.apache', 'deb.debian'].map(
  (host) => `${host}.org`,
);
const machinePaths = ['work', 'tmp', 'root', 'home/[a-z]+'].map((folder) => `(?<![\\w.*~:}-])/${folder}/`);

const found = (pattern: RegExp): string[] =>
  texts.flatMap((file) => {
    const lines = readProjectFile(file).split('\n');
    return lines.flatMap((line, n) => (pattern.test(line) ? [`${file}:${n + 1}: ${line.trim().slice(0, 100)}`] : []));
  });

describe('files of the project', () => {
  it('are found', () => {
    expect(texts).toContain('package-lock.json');
    expect(texts.length).toBeGreaterThan(40);
  });

  it('contain no host of a package registry', () => {
    const configuredRegistry = process.env.npm_config_registry;
    const hosts = configuredRegistry === undefined ? registries : [...registries, new URL(configuredRegistry).host];
    expect(found(new RegExp(hosts.map((host) => host.replaceAll('.', '\\.')).join('|')))).toEqual([]);
  });

  it('contain no path of a machine', () => {
    expect(found(new RegExp(machinePaths.join('|')))).toEqual([]);
  });

  it('contain no open task without an issue, and no disabled type check', () => {
    const later = ['TO', 'FIX'].map((word) => `\\b${word}${word === 'TO' ? 'DO' : 'ME'}\\b(?!\\(#\\d+\\))`);
    const off = ['ignore', 'nocheck', 'expect-error'].map((word) => `@ts-${word}`);
    expect(found(new RegExp([...later, ...off].join('|')))).toEqual([]);
  });
});
