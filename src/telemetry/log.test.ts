import { spawn } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createMask } from '../core/secrets/mask.ts';
import { sampleRecord } from '../store/fixtures/sample.ts';
import { createLog, type LogFormat, type LogLevel } from './log.ts';

function open(format: LogFormat, level: LogLevel = 'info', isTTY = false, onRequestLine?: () => void) {
  const writes: string[] = [];
  const log = createLog({
    level,
    format,
    stdout: { isTTY, write: (text) => writes.push(text) },
    now: () => 1_795_253_467_000,
    clockTime: () => '09:31:07',
    requestLine: (record) => {
      onRequestLine?.();
      return `LINE ${record.id}`;
    },
  });
  return { log, writes };
}

const time = '2026-11-21T09:31:07.000Z';
const json = (text: string | undefined) => JSON.parse(text ?? '') as Record<string, unknown>;

describe('JSON log lines', () => {
  it('contain level, time, fields and message', async () => {
    const { log, writes } = open('json');
    log.warn({ file: 'a.yaml', n: 3 }, 'odd file');
    await turn();
    expect(writes).toEqual([`{"level":"warn","time":"${time}","file":"a.yaml","n":3,"msg":"odd file"}\n`]);
  });

  it('contain an error with its stack', async () => {
    const { log, writes } = open('json');
    log.error({ err: new Error('boom') }, 'failed');
    await turn();
    expect(json(writes[0])).toMatchObject({
      level: 'error',
      msg: 'failed',
      err: { message: 'boom', stack: expect.stringContaining('log.test.ts') as string },
    });
  });

  it.each<[string, () => Error]>([
    ['a long message', () => new Error(`${'m'.repeat(2e6)}`)],
    [
      'thousands of causes',
      () => Array.from({ length: 5000 }).reduce<Error>((cause, _, n) => new Error(`e${n}`, { cause }), new Error('first')),
    ],
    ['a long text as a property', () => Object.assign(new Error('boom'), { body: 'b'.repeat(4e6) })],
  ])('are limited in length for an error with %s', async (_, make) => {
    const { log, writes } = open('json');
    log.error({ err: make(), request: 'req_1' }, 'failed');
    await turn();
    expect(writes[0]?.length).toBeLessThan(64 * 1024);
    expect(json(writes[0])).toMatchObject({ level: 'error', time, request: 'req_1', msg: 'failed', err: { type: 'Error' } });
    expect(writes[0]).toMatch(/… \(\d+ characters\)/);
    expect(writes[0]).toMatch(/\}\n$/);
  });

  it.each<[string, object]>([
    ['many long texts', { texts: Array.from({ length: 60 }, () => 't'.repeat(10_000)) }],
    ['many short texts', { texts: Array.from({ length: 60_000 }, () => 'text') }],
    ['long names', { ['n'.repeat(100_000)]: 1, ['\0'.repeat(100_000)]: '\0' }],
    ['many numbers', { numbers: Array.from({ length: 60_000 }, (_, n) => n) }],
  ])('are limited in length with %s, and mask secrets in them', async (_, fields) => {
    const { log, writes } = open('json');
    log.configure({ mask: createMask(['hidden-secret-0123456789']) });
    log.warn({ ...fields, more: 'm'.repeat(500) + 'hidden-secret-0123456789' }, 'odd');
    await turn();
    expect(writes[0]?.length).toBeLessThan(64 * 1024);
    expect(json(writes[0])).toMatchObject({ level: 'warn', time, msg: 'odd' });
    expect(writes[0]).toMatch(/… \(\d+ characters\)/);
    expect(writes[0]).not.toContain('hidden');
  });

  it('mask a secret before they are cut within it', async () => {
    const { log, writes } = open('json');
    log.configure({ mask: createMask(['hidden-secret-0123456789']) });
    for (let before = 16_384 - 24; before < 16_384; before += 1)
      log.error({ err: new Error(`${'m'.repeat(before)}hidden-secret-0123456789${'m'.repeat(1e5)}`) }, 'failed');
    await turn();
    expect(writes.join('')).not.toContain('hidden');
  });

  it('summarize a request without its messages', async () => {
    const { log, writes } = open('json');
    log.request(sampleRecord());
    await log.flush();
    const line = json(writes[0]);
    expect(line).toMatchObject({
      level: 'info',
      time,
      msg: 'request',
      id: sampleRecord().id,
      status: 200,
      config: 'support',
      usage: { prompt: 312 },
    });
    expect(Object.keys(line)).not.toContain('request');
    expect(Object.keys(line)).not.toContain('response');
  });

  it('contain the fields of news, not its text', async () => {
    const { log, writes } = open('json');
    log.announce('for people', { a: 1 }, 'something happened', 'error');
    await turn();
    expect(json(writes[0])).toEqual({ level: 'error', time, a: 1, msg: 'something happened' });
  });
});

describe('line logged while another one is written', () => {
  it.each<LogFormat>(['json', 'pretty'])('follows that line: %s', async (format) => {
    const onRequestLine = vi
      .fn<() => void>(() => undefined)
      .mockImplementationOnce(() => {
        log.warn({}, 'in between');
        log.forwardLines(Buffer.from('of another process\n'));
        void log.flush();
      });
    const { log, writes } = open(format, 'info', false, onRequestLine);
    log.error({}, 'before');
    // A third-party plugin may store anything in a record.
    log.request(sampleRecord({ notes: { toJSON: onRequestLine } as never }));
    log.warn({}, 'behind');
    await turn();
    await log.flush();
    const lines = writes.join('').trimEnd().split('\n');
    const matched = lines.map((line) => /before|in between|behind|of another process|LINE|"msg":"request"/.exec(line)?.[0]);
    const request = format === 'json' ? '"msg":"request"' : 'LINE';
    expect(matched.filter((text) => text !== 'of another process')).toEqual(['before', request, 'in between', 'behind']);
    expect(lines).toContain('of another process');
    if (format === 'json') for (const line of lines.filter((text) => text.startsWith('{'))) json(line);
    expect(onRequestLine).toHaveBeenCalled();
  });
});

describe('pretty log lines', () => {
  it('are short, with quoted values and stacks below', async () => {
    const { log, writes } = open('pretty');
    log.warn({ file: 'a.yaml', text: 'two words', list: [1] }, 'odd\u001b[2Jfile');
    log.error({ err: new Error('boom') }, 'failed');
    await turn();
    const lines = writes.join('').split('\n');
    expect(lines[0]).toBe('09:31:07  warn   odd\ufffd[2Jfile  file=a.yaml  text="two words"  list=[1]');
    expect(lines[1]).toBe('09:31:07  error  failed');
    expect(lines[2]).toBe('    Error: boom');
    expect(lines[3]).toMatch(/^ {4}at .*log\.test\.ts/);
  });

  it('contain the text of news and requests unchanged', async () => {
    const { log, writes } = open('pretty');
    log.announce('a\n  b', {}, 'ignored');
    log.request(sampleRecord());
    await turn();
    expect(writes.join('')).toBe(`a\n  b\nLINE ${sampleRecord().id}\n`);
  });
});

describe('log', () => {
  it('writes all lines of one turn together and in order', async () => {
    const { log, writes } = open('pretty');
    log.request(sampleRecord({ id: 'a' }));
    log.warn({}, 'between');
    log.request(sampleRecord({ id: 'b' }));
    expect(writes).toEqual([]);
    await turn();
    expect(writes).toEqual(['LINE a\n09:31:07  warn   between\nLINE b\n']);
    await log.flush();
    expect(writes).toHaveLength(1);
  });

  it('batches request lines and writes them with any other line', async () => {
    const { log, writes } = open('pretty');
    log.request(sampleRecord({ id: 'a' }));
    await turn();
    expect(writes).toEqual([]);
    log.request(sampleRecord({ id: 'b' }));
    await expect.poll(() => writes).toEqual(['LINE a\nLINE b\n']);
    log.request(sampleRecord({ id: 'c' }));
    log.warn({}, 'odd');
    await turn();
    expect(writes[1]).toMatch(/^LINE c\n.*odd\n$/);
  });

  it('limits the number of batched request lines', async () => {
    const { log, writes } = open('json');
    for (let i = 0; i < 400; i += 1) log.request(sampleRecord());
    await turn();
    expect(writes.join('').split('\n')).toHaveLength(401);
  });

  it('writes immediately on flush()', async () => {
    const { log, writes } = open('pretty');
    log.warn({}, 'one');
    await log.flush();
    expect(writes).toHaveLength(1);
    log.warn({}, 'two');
    await log.flush();
    expect(writes).toHaveLength(2);
  });

  it.each<[LogLevel, string[]]>([
    ['debug', ['debug', 'LINE', 'warn', 'error']],
    ['info', ['LINE', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ])('writes at level %s the expected lines, also after a change of the level', async (level, expected) => {
    for (const { log, writes } of [open('pretty', level), open('pretty', 'debug')]) {
      log.configure({ level });
      log.debug({}, 'debug');
      log.request(sampleRecord());
      log.warn({}, 'warn');
      log.error({}, 'error');
      await turn();
      expect(writes.join('').match(/debug$|LINE|warn$|error$/gm)).toEqual(expected);
    }
  });

  it('is pretty on a terminal and JSON otherwise by default', () => {
    expect(open('auto', 'info', true).log.style.format).toBe('pretty');
    expect(open('auto', 'info', false).log.style.format).toBe('json');
    const { log } = open('auto', 'info', true);
    log.configure({ format: 'json' });
    expect(log.style.format).toBe('json');
  });

  it('masks secrets', async () => {
    const { log, writes } = open('pretty');
    log.configure({ mask: createMask(['the-secret']) });
    log.warn({ header: 'Bearer the-secret' }, 'the-secret leaked');
    await turn();
    expect(writes).toEqual(['09:31:07  warn   *** leaked  header="Bearer ***"\n']);
  });

  it('writes all lines before the process ends, even if the reader stops for a while', async () => {
    const script = `
      import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)};
      const log = createLog({ level: 'info', format: 'json', stdout: process.stdout, now: Date.now, clockTime: String, requestLine: String });
      for (let i = 0; i < 3000; i += 1) { log.warn({ i, fill: 'x'.repeat(100) }, 'line'); if (i % 100 === 0) await new Promise(setImmediate); }
      process.stderr.write('written');
      await log.flush();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    // The reader starts only after all lines are written.
    await new Promise((resolve) => child.stderr.once('data', resolve));
    let text = '';
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => json(line).i),
    ).toEqual(Array.from({ length: 3000 }, (_, i) => i));
  });
});
