import { spawn } from 'node:child_process';
import { findPython } from '../support/python.ts';
import { type Client, fileBytes, type Report } from './scenarios.ts';

export const python = findPython();

/** PyPI libraries are run by a script that prints its report as one line of JSON. */
function pythonClient(name: string, script: string): Client {
  return {
    name,
    lacks: {},
    async run(baseUrl, key) {
      if ('missing' in python) throw new Error(python.missing);
      const text = await runScript(python.python, [script, baseUrl, key, fileBytes.toString('base64')]);
      return JSON.parse(text) as Report;
    },
  };
}

/** Runs a script of this folder and returns its output. Its environment is empty, so that no setting of the machine affects it. */
export function runScript(command: string, [script = '', ...args]: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, ['-B', new URL(script, import.meta.url).pathname, ...args], {
    env: { PATH: process.env['PATH'] ?? '', NO_PROXY: '*', PYTHONUTF8: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A script that does not read its input may exit before this is written.
  child.stdin.on('error', () => undefined).end(input);
  let out = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${script} ended with ${code}: ${output.slice(-2000)}`))));
  });
}

export const openaiPyPi = pythonClient('PyPI openai', './openai-client.py');
export const portkeyPyPi = pythonClient('PyPI portkey-ai', './portkey-client.py');
