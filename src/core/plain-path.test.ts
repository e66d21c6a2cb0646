import { expect, it } from 'vitest';
import { plainPath } from './plain-path.ts';

it.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1//%63hat/Completions/', '/v1/chat/completions'],
  ['//v1/chat%2Fcompletions', '/v1/chat/completions'],
  ['/v1/%ZZ/A', '/v1/%zz/a'],
  ['', '/'],
])('%s is read as %s', (path, plain) => expect(plainPath(path)).toBe(plain));
