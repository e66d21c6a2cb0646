import type { ProviderHealth } from '../../api-types.ts';
import { Badge, type Tone } from '../components/display.tsx';

type State = ProviderHealth['state'];

const tones: Readonly<Record<State, Tone>> = { ok: 'ok', degraded: 'warn', down: 'bad', idle: 'idle', off: 'off' };

export const ProviderState = ({ state }: { state: State }) => (
  <Badge tone={tones[state]} filled>
    {state}
  </Badge>
);
