/** One instruction of a Dockerfile, continued lines joined: `RUN`, and what follows it. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

export interface Stage {
  /** Of `FROM … AS name`; the number of the stage without one. */
  readonly name: string;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile, arguments before the first one filled in by their defaults. */
export function stagesOf(text: string): readonly Stage[] {
  const stages: { name: string; image: string; instructions: Instruction[] }[] = [];
  const defaults = new Map<string, string>();
  for (const { name, rest } of instructionsOf(text)) {
    if (name === 'ARG' && stages.length === 0) {
      const [key = '', value = ''] = rest.split('=', 2);
      defaults.set(key, value);
    } else if (name === 'FROM') {
      const [image = '', as, alias] = rest.split(/\s+/);
      const resolvedImage = image.replace(/\$\{(\w+)\}/g, (_whole, key: string) => defaults.get(key) ?? '');
      stages.push({
        name: as?.toUpperCase() === 'AS' && alias !== undefined ? alias : String(stages.length),
        image: resolvedImage,
        instructions: [],
      });
    } else stages.at(-1)?.instructions.push({ name, rest });
  }
  return stages;
}

function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  const joined = lines.join('\n').replace(/\\\n/g, ' ');
  return joined.split('\n').flatMap((line) => {
    const match = /^\s*([A-Z]+)\s+(.*)$/s.exec(line);
    if (match === null) throw new Error(`no instruction: ${line}`);
    return [{ name: match[1] ?? '', rest: (match[2] ?? '').trim() }];
  });
}

/** The words of the JSON form of `CMD`, `ENTRYPOINT` and the command of a `HEALTHCHECK`. */
export function argumentsOf({ rest }: Instruction): readonly string[] {
  return JSON.parse(rest.slice(rest.indexOf('['))) as readonly string[];
}
