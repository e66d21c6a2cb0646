import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findPython } from '../support/python.ts';
import { readProjectFile, root } from '../repo/tree.ts';
import { configsOf, type Container, containerOf, podOf } from './manifests.ts';
import { runHere } from '../cli/in-process.ts';

const dir = mkdtempSync(join(tmpdir(), 'deploy-'));
afterAll(() => rmSync(dir, { recursive: true }));
const python = findPython();

function problems(kind: string, file: string): string {
  if ('missing' in python) throw new Error(python.missing);
  const script = new URL('validate.py', import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(python.python, [script, kind, file], { encoding: 'utf8' });
  return status === 0 ? stdout : stderr;
}

const manifests = ['deploy/kubernetes/service.yaml', 'deploy/kubernetes/sidecar.yaml'] as const;

describe('schemas of deployment files', () => {
  it.each([
    ['kubernetes', manifests[0], 'failureThreshold: 30', 'failureTreshold: 30'],
    ['kubernetes', manifests[1], 'restartPolicy: Always\n          args', 'restartPolicy: [Always]\n          args'],
    ['compose', 'deploy/compose/compose.yaml', 'read_only: true\n    tmpfs', 'readonly: true\n    tmpfs'],
  ])('%s: %s is valid, and a typing mistake in it is found', (kind, file, right, wrong) => {
    if ('missing' in python) throw new Error(python.missing);
    expect(problems(kind, join(root, file))).toBe('');
    const text = readProjectFile(file);
    expect(text).toContain(right);
    const invalidFile = join(dir, 'broken.yaml');
    writeFileSync(invalidFile, text.replace(right, wrong));
    expect(problems(kind, invalidFile)).not.toBe('');
  });

  it('kubectl accepts the manifests', (test) => {
    const version = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
    test.skip(version.status !== 0, 'there is no kubectl');
    for (const file of manifests) {
      // Without a server kubectl only parses and merges the manifests.
      const { status, stderr, stdout } = spawnSync('kubectl', ['kustomize', folderWith(file)], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(parseAllDocuments(stdout).length).toBe(parseAllDocuments(readProjectFile(file)).length);
    }
  });

  it('systemd accepts the unit with a low exposure level', (test) => {
    const unit = join(root, 'deploy/systemd/gateway.service');
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    test.skip(verified.error !== undefined, 'there is no systemd-analyze');
    // The only accepted message is that the program is not installed.
    const warnings = verified.stderr
      .split('\n')
      .filter((line) => line !== '' && !line.includes('/opt/gateway/bin/gateway is not executable'));
    expect(warnings).toEqual([]);
    const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], { encoding: 'utf8' });
    expect([status, /Overall exposure level .*: ([\d.]+)/.exec(stdout)?.[1]]).toEqual([0, expect.any(String)]);
  });
});

/** Replaces the key of the example, which check rejects. */
const withOwnKey = (yaml: string): string => yaml.replace(/sha256:[0-9a-f]{64}/, `sha256:${'1'.repeat(64)}`);

/** 1 GB in `gateway.yaml` is 1Gi in Kubernetes. */
function bytes(size = ''): number {
  const [, count, unit = ''] = /^(\d+)(Mi|Gi|MB|GB)$/.exec(size) ?? [];
  return Number(count) * (unit.startsWith('G') ? 1024 : 1) * 1024 ** 2;
}

function folderWith(file: string): string {
  const folder = mkdtempSync(join(dir, 'kustomize-'));
  writeFileSync(join(folder, 'all.yaml'), readProjectFile(file));
  writeFileSync(join(folder, 'kustomization.yaml'), 'resources: [all.yaml]\n');
  return folder;
}

describe.each(manifests)('%s', (file) => {
  const text = readProjectFile(file);
  const gateway: Container = containerOf(text);
  const [config = ''] = configsOf(text);

  it('contains a configuration that gateway check accepts, with the key in a file', async () => {
    const folder = mkdtempSync(join(dir, 'config-'));
    writeFileSync(join(folder, 'openai-api-key'), 'sk-0123456789');
    writeFileSync(join(folder, 'gateway.yaml'), withOwnKey(config).replaceAll('/run/secrets/gateway', folder));
    expect(await runHere(['check', '--strict'], folder)).toMatchObject({ code: 0, err: '' });
  });

  it('probes existing paths on the probe port', () => {
    const port = gateway.ports.find(({ name }) => name === 'probes')?.containerPort;
    expect(config).toContain(`probe_listen: 0.0.0.0:${port}`);
    expect([gateway.startupProbe, gateway.readinessProbe, gateway.livenessProbe].map((probe) => probe.httpGet)).toEqual([
      { path: '/readyz', port: 'probes' },
      { path: '/readyz', port: 'probes' },
      { path: '/healthz', port: 'probes' },
    ]);
  });

  it('has a termination grace period longer than the drain', () => {
    const [, delay, timeout] = /drain: \{delay: (\d+)s, timeout: (\d+)s\}/.exec(config) ?? [];
    expect(podOf(text).terminationGracePeriodSeconds).toBeGreaterThan(Number(delay) + Number(timeout));
  });

  it('limits stored data well below the size at which the pod is evicted', () => {
    const limit = podOf(text).volumes.find(({ name }) => name === 'state')?.emptyDir?.sizeLimit;
    const [, log, spool] = /retention: \{size: (\w+)\}, spool_size: (\w+)\}/.exec(config) ?? [];
    expect(bytes(log) + bytes(spool)).toBeLessThan(bytes(limit) * 0.75);
  });

  it('restricts the container, and mounts folders that can be reloaded', () => {
    const pod = podOf(text).securityContext;
    expect({ ...pod, ...gateway.securityContext }).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(gateway.volumeMounts.filter((mount) => 'subPath' in mount)).toEqual([]);
    expect(gateway.resources.limits.memory).toBeDefined();
  });
});

it('compose.yaml and gateway.service allow enough time to drain, and check accepts the configuration', async () => {
  const config = readProjectFile('deploy/gateway.yaml');
  const [, delay, timeout] = /drain: \{delay: (\d+)s, timeout: (\d+)s\}/.exec(config) ?? [];
  const needed = Number(delay) + Number(timeout);
  expect(Number(/stop_grace_period: (\d+)s/.exec(readProjectFile('deploy/compose/compose.yaml'))?.[1])).toBeGreaterThan(needed);
  expect(Number(/TimeoutStopSec=(\d+)/.exec(readProjectFile('deploy/systemd/gateway.service'))?.[1])).toBeGreaterThan(needed);
  const folder = mkdtempSync(join(dir, 'config-'));
  writeFileSync(join(folder, 'openai-api-key'), 'sk-0123456789');
  const write = (yaml: string) => writeFileSync(join(folder, 'gateway.yaml'), yaml.replaceAll('/run/secrets', folder));
  write(config);
  expect(await runHere(['check', '--strict'], folder)).toMatchObject({
    code: 3,
    out: expect.stringContaining('published example') as string,
  });
  write(withOwnKey(config));
  expect(await runHere(['check', '--strict'], folder)).toMatchObject({ code: 0, err: '' });
});
