// Installs Node for development if the machine's Node cannot run the sources. It is a package of the registry that npm is
// configured for, is verified against the hashes in this file, and none of its scripts run. Plain JavaScript without packages,
// since it runs with any installed Node (20 or newer).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The oldest Node versions, [major, minor], that run the gateway, and that run the tests and tools. */
export const oldest = { serving: [22, 19], developing: [24, 0] };
export const version = '24.21.0';

/** SHA-512 of the package by platform, in the format of the registry and of npm's lock files. */
const hashes = {
  'linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'win32-x64': 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
};

const file = process.platform === 'win32' ? 'node.exe' : 'node';

/** True if `npm run` finds a sufficiently new Node: the installed one in `node_modules/.bin`, or the machine's. */
export function hasNode(modules, [major, minor], running = process.versions.node) {
  if (existsSync(join(modules, '.bin', file))) return existsSync(stamp(modules));
  const [runningMajor, runningMinor] = running.split('.').map(Number);
  return runningMajor > major || (runningMajor === major && runningMinor >= minor);
}

const stamp = (modules) => join(modules, '.cache', `node-${version}`);

/**
 * Installs Node into `node_modules/.bin`, the first entry in the PATH of npm scripts.
 *
 * @param npm runs npm with arguments in a folder: { status, stderr }
 * @returns the problem, or undefined
 */
export function installNode(modules, npm) {
  const platform = `${process.platform}-${process.arch}`;
  const hash = hashes[platform];
  if (hash === undefined) return `there is no package of Node for ${platform}: install Node ${oldest.developing[0]} or newer yourself`;
  const name = `node-${platform.replace('win32', 'win')}`;
  const folder = mkdtempSync(join(tmpdir(), 'node-'));
  try {
    const packed = npm(['pack', `${name}@${version}`, '--loglevel=error'], folder);
    const archive = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
    if (packed.status !== 0 || archive === undefined) return `npm can't fetch ${name}@${version}`;
    const found = `sha512-${createHash('sha512')
      .update(readFileSync(join(folder, archive)))
      .digest('base64')}`;
    if (found !== hash) return `${name}@${version} is not what it was: its hash is ${found}`;
    const unpacked = spawnSync('tar', ['-xzf', archive], { cwd: folder, encoding: 'utf8' });
    if (unpacked.status !== 0) return `tar can't unpack ${archive}: ${unpacked.error?.message ?? unpacked.stderr}`;
    place(join(folder, 'package', 'bin', file), join(modules, '.bin'));
    mkdirSync(stamp(modules), { recursive: true });
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replaces the file instead of overwriting it, because the existing Node may be running. */
function place(from, folder) {
  mkdirSync(folder, { recursive: true });
  const to = join(folder, file);
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
  chmodSync(to, 0o755);
}
