import { pacing } from '../result.ts';
import type { Scenario } from '../report/summary.ts';

const gateways = ['gateway', 'log-metadata', 'log-off'] as const;

/** Providers of the gateway with a format other than the client's. */
const converted = ['gemini', 'anthropic'] as const;

/**
 * Scenarios without conversion run before those with it, because a process that has converted is not comparable to one that
 * never does. Large bodies come last, because they start the masking thread.
 */
export const loads: readonly Scenario[] = [
  {
    name: 'json',
    about: '1 KB JSON, 32 connections, as fast as it goes',
    stream: false,
    conns: 32,
    unit: 'request',
    systems: ['nginx', 'relay', ...gateways, 'portkey'],
  },
  {
    name: 'json-1000',
    about: '1 KB JSON at 1,000 requests a second; times count from the planned moment of sending',
    stream: false,
    conns: 32,
    rate: 1000,
    unit: 'request',
    systems: ['nginx', 'relay', 'gateway', 'log-off'],
  },
  {
    name: 'stream',
    about: `64 streams at a time, ${pacing.chunks} events each, ${pacing.delayMs} ms apart, passed through`,
    stream: true,
    conns: 64,
    unit: 'event',
    // Portkey 1.15.2 responds to streams with 500 on Node 24 ("immutable").
    systems: ['nginx', 'relay', 'gateway'],
  },
  {
    name: 'tls-json',
    about: 'as json, from a provider that is reached by https',
    stream: false,
    conns: 32,
    unit: 'request',
    systems: ['gateway'],
    providers: ['tls'],
  },
  {
    name: 'tls-stream',
    about: 'as stream, from a provider that is reached by https',
    stream: true,
    conns: 64,
    unit: 'event',
    systems: ['gateway'],
    providers: ['tls'],
  },
  {
    name: 'convert-json',
    about: 'as json, with responses of other providers converted',
    stream: false,
    conns: 32,
    unit: 'request',
    systems: ['gateway'],
    providers: converted,
  },
  {
    name: 'convert-stream',
    about: 'as stream, with responses of other providers converted; per event that the client gets',
    stream: true,
    conns: 64,
    unit: 'event',
    systems: ['gateway'],
    providers: converted,
  },
  {
    name: 'conversation',
    about: 'a conversation with tool calls, 100 KB of JSON, the same in each request, 32 connections, as fast as it goes',
    stream: false,
    conns: 32,
    unit: 'request',
    systems: ['nginx', 'relay', ...gateways],
    bytes: 100_000,
  },
];
