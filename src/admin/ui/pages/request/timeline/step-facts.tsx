import type { LogRecord } from '../../../../../core/records/record.ts';
import { duration } from '../../../browser/format.ts';
import { Button } from '../../../components/button.tsx';
import { Code } from '../../../components/code.tsx';
import { Facts } from '../../../components/display.tsx';
import { Panel } from '../../../components/surface.tsx';
import { causeOf, type Step } from './segments.ts';

/** The facts about one bar of the timeline. */
export function StepFacts({ step, record, onClose }: { step: Step; record: LogRecord; onClose: () => void }) {
  const close = <Button small kind="quiet" icon="close" label="Show all steps" onClick={onClose} />;
  if (step.kind === 'plugin') {
    const { name, moment, ms } = step.plugin;
    const notes = Object.hasOwn(record.notes, name) ? record.notes[name] : undefined;
    return (
      <Panel title={`Plugin ${name}`} aside={close}>
        <div class="stack tight">
          <Facts
            rows={[
              ['moment', moment],
              ['time', duration(ms)],
            ]}
          />
          {notes !== undefined && <Code text={JSON.stringify(notes, null, 2)} language="json" what={`notes of ${name}`} />}
        </div>
      </Panel>
    );
  }
  const { attempt } = step;
  const index = record.attempts.indexOf(attempt);
  const cause = causeOf(attempt, record.attempts[index - 1]);
  return (
    <Panel title={`Attempt ${index + 1}`} aside={close}>
      <Facts
        rows={[
          ['target', <code key="t">{attempt.target}</code>],
          ['provider', attempt.provider],
          ['model', attempt.model],
          ['outcome', attempt.status === null ? attempt.outcome : `${attempt.outcome} ${attempt.status}`],
          ['why it was tried', cause && (cause.isRetry ? `again after ${duration(cause.pause)}` : 'the previous target failed')],
          ['why it ended', attempt.reason],
          ['retry-after', attempt.retry_after_ms === null ? null : duration(attempt.retry_after_ms)],
          ['started at', duration(attempt.at)],
          ['connect', attempt.connect_ms === null ? 'connection reused' : duration(attempt.connect_ms)],
          ['first byte', duration(attempt.first_byte_ms)],
          ['upstream id', attempt.upstream_id],
        ]}
      />
    </Panel>
  );
}
