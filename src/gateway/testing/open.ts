import { Tester } from '../../testing/tester.ts';
import { buildOffline, type OfflineRequest } from '../explain/offline.ts';

/** A provider of this build that responds without a network. */
const answeringType = 'mock';

/** Runs tests of a loaded configuration, without a network. */
export function openTester(request: Omit<OfflineRequest, 'clock'>): Tester {
  const answering = request.registry.providers.find(({ type }) => type === answeringType);
  if (answering === undefined) throw new Error(`this build has no provider of the type "${answeringType}"`);
  return new Tester({ sampleProvider: answering, open: (clock) => buildOffline({ ...request, clock }) });
}
