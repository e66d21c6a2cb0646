import type { TargetView } from '../../../api-types.ts';
import { SelectField } from '../../components/form.tsx';
import type { ExplainInput } from './explain-input.ts';

/** Maximum number of fields in the form. */
const maxSlugs = 12;

const outcomes = [
  ['', 'responds'],
  ['429', '429'],
  ['500', '500'],
  ['503', '503'],
  ['401', '401'],
  ['timeout', 'timeout'],
  ['reset', 'connection lost'],
] as const;

/** The distinct providers of a tree, in order. */
export const slugsOf = (target: TargetView): readonly string[] => [
  ...new Set([...(target.provider === null ? [] : [target.provider]), ...target.targets.flatMap(slugsOf)]),
];

interface AssumeProps {
  readonly slugs: readonly string[];
  readonly value: ExplainInput['assume'];
  readonly onChange: (value: ExplainInput['assume']) => void;
}

/** Assumed responses of providers, to test a fallback chain. */
export function Assume({ slugs, value, onChange }: AssumeProps) {
  if (slugs.length === 0) return null;
  return (
    <fieldset class="stack tight">
      <legend>Assume that</legend>
      <div class="fields small-fields">
        {slugs.slice(0, maxSlugs).map((slug) => (
          <SelectField
            key={slug}
            label={slug}
            value={Object.hasOwn(value, slug) ? (value[slug] ?? '') : ''}
            onInput={(said) => onChange({ ...value, [slug]: said })}
            options={outcomes}
          />
        ))}
      </div>
    </fieldset>
  );
}
