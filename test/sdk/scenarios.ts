/**
 * What every client library is made to do. A library's driver does each one and tells what its user would see; the
 * expectations are in `clients.test.ts`.
 */
export const scenarios = [
  'chat',
  'chat_stream',
  'tools',
  'tools_stream',
  'embeddings',
  'image',
  'moderation',
  'response',
  'response_stream',
  'models',
  'provider_models',
  'file_create',
  'file_list',
  'error',
  'wrong_key',
  'rate_limit',
  'all_failed',
  'target_timeout',
  'broken_stream',
  'abort',
  'client_timeout',
] as const;

export type Scenario = (typeof scenarios)[number];

/** An exception as a user of the library sees it. */
export interface Thrown {
  readonly class: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly message: string;
  /** From the place where the library shows it. */
  readonly request_id: string | null;
  readonly retry_after: string | null;
}

/** `value` is what the scenario reports; `thrown` an exception that it lets through. */
export type ScenarioOutcome = { readonly value: unknown } | { readonly thrown: Thrown };

export type Report = Readonly<Partial<Record<Scenario, ScenarioOutcome>>>;

/** One client library, changed only in base URL and key. */
export interface Client {
  readonly name: string;
  /** Scenarios that the library does not support, with the reason. */
  readonly lacks: Readonly<Partial<Record<Scenario, string>>>;
  /** @param baseUrl ends with `/v1` */
  run(baseUrl: string, key: string): Promise<Report>;
}

/** Runs the scenarios of a library of this process one after another. */
export async function runAll(
  steps: Readonly<Partial<Record<Scenario, () => Promise<unknown>>>>,
  read: (error: unknown) => Thrown,
): Promise<Report> {
  const report: Partial<Record<Scenario, ScenarioOutcome>> = {};
  for (const scenario of scenarios) {
    const step = steps[scenario];
    if (step === undefined) continue;
    report[scenario] = await step().then(
      (value): ScenarioOutcome => ({ value }),
      (error: unknown): ScenarioOutcome => ({ thrown: read(error) }),
    );
  }
  return report;
}

/** Bytes that any text encoding would change. */
export const fileBytes = Buffer.from([...Array.from({ length: 256 }, (_, i) => i), 0x0d, 0x0a, 0x2d, 0x2d]);

/** Sent with chat calls that may call a tool. */
export const weatherTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const;
