import { runScript } from '../sdk/python.ts';
import { findPython } from '../support/python.ts';
import type { Client, Report } from './scenarios.ts';

export const python = findPython();

/** PyPI openai: one process for all surfaces. */
export const openaiPyPi: Client = {
  name: 'PyPI openai',
  async run(surfaces) {
    if ('missing' in python) throw new Error(python.missing);
    return JSON.parse(await runScript(python.python, ['../surface/client.py'], JSON.stringify(surfaces))) as Record<string, Report>;
  },
};
