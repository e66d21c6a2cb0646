import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from '../../core/text/printable.ts';
import { plural } from '../../core/text/wording.ts';
import { CommandError, type EndingSignal, endingSignals, exitCodes, signalCodes } from '../command.ts';
import type { CliIo } from '../io.ts';
import { countOf, durationOf } from '../flag-values.ts';
import { jsonText } from '../text.ts';
import { type BenchGateway, startGateway } from './child.ts';
import { type Measured, runLoad } from './load.ts';
import { reportOf, reportText } from './report.ts';

export interface BenchFlags {
  readonly stream?: boolean | undefined;
  readonly concurrency: string;
  readonly duration: string;
  readonly json?: boolean | undefined;
}

const maxConcurrency = 256;
const durationBounds = { least: 100, most: 120_000, range: ' from 100ms to 2m' };
const maxWarmUpMs = 1000;

/** The mock is called directly and through the gateway in turns, so that a busy moment of the machine affects both. */
const turnMs = 1000;

const mockModel = '@mock/echo';
const mockConfig = 'version: 1\nserver: {state_dir: memory}\nproviders: {mock: {type: mock}}\nlogging: {requests: "off"}\n';
const gatewayConfig = (upstream: string, state: string): string => `version: 1
server: {state_dir: ${JSON.stringify(state)}}
providers: {bench: {type: openai, custom_host: ${JSON.stringify(upstream)}, api_key: not-a-secret}}
`;

/** `gateway bench`: measures a gateway of its own in a temporary folder. The user's gateway and files are not used. */
export async function bench(flags: BenchFlags, io: CliIo): Promise<number> {
  const concurrency = countOf('concurrency', flags.concurrency, 8);
  if (concurrency > maxConcurrency) throw new CommandError(exitCodes.usage, `--concurrency is at most ${maxConcurrency}`);
  const durationMs = durationOf('duration', flags.duration, durationBounds);

  const ended = new AbortController();
  let code: number = exitCodes.yes;
  const end = (signal: EndingSignal): void => {
    code = signalCodes[signal];
    ended.abort();
  };
  // A terminal that is closed sends SIGHUP to the measured gateways too, which only reload then.
  for (const signal of endingSignals) process.once(signal, end);
  const folder = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const running: BenchGateway[] = [];
  const startNamed = async (name: string, config: string): Promise<BenchGateway> => {
    const one = await startGateway(join(folder, name), config, io, ended.signal);
    running.push(one);
    return one;
  };
  try {
    const mock = await startNamed('mock', mockConfig);
    const gateway = await startNamed('gateway', gatewayConfig(mock.url, join(folder, 'state')));
    io.stderr.write(`measuring for ${flags.duration}; press Ctrl-C to stop and print the results so far\n`);
    const found = await measure(mock, gateway, { isStream: flags.stream === true, concurrency, durationMs }, ended.signal);
    const report = reportOf({ ...found, stream: flags.stream === true, concurrency, interrupted: ended.signal.aborted });
    if (ended.signal.aborted && report.direct.requests + report.gateway.requests === 0) return reportNothingMeasured(code, io);
    io.stdout.write(flags.json === true ? jsonText(report) : reportText(report));
    const failed = report.direct.failed + report.gateway.failed;
    if (failed === 0) return code;
    const fault = [...found.direct, ...found.gateway].find((one) => one.fault !== undefined)?.fault ?? '';
    io.stderr.write(`error: ${plural(failed, 'request')} failed, the first with: ${printable(fault)}\n`);
    return code === exitCodes.yes ? exitCodes.no : code;
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    return reportNothingMeasured(code, io);
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    await rm(folder, { recursive: true, force: true });
    for (const signal of endingSignals) process.off(signal, end);
  }
}

function reportNothingMeasured(code: number, { stderr }: CliIo): number {
  stderr.write('interrupted: nothing was measured\n');
  return code;
}

interface BenchSettings {
  readonly isStream: boolean;
  readonly concurrency: number;
  readonly durationMs: number;
}

interface BenchResults {
  readonly direct: readonly Measured[];
  readonly gateway: readonly Measured[];
  readonly memory: number | null;
}

async function measure(mock: BenchGateway, gateway: BenchGateway, settings: BenchSettings, signal: AbortSignal): Promise<BenchResults> {
  const direct: Measured[] = [];
  const viaGateway: Measured[] = [];
  let memory: number | null = null;
  const callMock = (durationMs: number): Promise<Measured> => runLoad({ ...settings, url: mock.url, model: mockModel, durationMs }, signal);
  const callGateway = (durationMs: number): Promise<Measured> =>
    runLoad({ ...settings, url: gateway.url, model: `@bench/${mockModel}`, durationMs }, signal);
  const before = Math.min(maxWarmUpMs, settings.durationMs / 4);
  await callMock(before);
  await callGateway(before);
  const rounds = Math.max(1, Math.round(settings.durationMs / turnMs / 2));
  const slice = settings.durationMs / rounds / 2;
  for (let round = 0; round < rounds && !signal.aborted; round += 1) {
    direct.push(await callMock(slice));
    viaGateway.push(await callGateway(slice));
    memory = Math.max(memory ?? 0, (await gateway.memory()) ?? 0) || null;
  }
  return { direct, gateway: viaGateway, memory };
}
