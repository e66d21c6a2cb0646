import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const words =
  'the model reads a file and calls another tool while operators compare answers of several providers with each other; tokens, limits, windows, schemas, results and errors are words of most requests'.split(
    ' ',
  );

/** Text of `count` words that is the same in each run. */
function prose(count: number, seed: number): string {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return words[state % words.length];
  }).join(' ');
}

/** One turn of an agent: the user's text, a call of a tool, its result, which is program code, and the answer. */
function turn(number: number): readonly object[] {
  const id = `call_${String(483_920_115 + number)}`;
  const path = `/src/part-${number}.ts`;
  const code = prose(150, number + 1).replaceAll(' the ', ' = "the";\n\tconst ');
  return [
    { role: 'user', content: `${prose(60, number + 2)}\n\n${prose(20, number + 3)}` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ path, from: 1, to: 80 }) } }],
    },
    { role: 'tool', tool_call_id: id, content: `import { x } from "./y";\n${code}` },
    { role: 'assistant', content: prose(80, number + 4) },
  ];
}

/** Writes a request as agents send it: a long conversation with tool calls. @returns the path of the file */
export function writeConversation(folder: string, model: string, bytes: number): string {
  const messages: object[] = [{ role: 'system', content: prose(600, 1) }];
  for (let number = 0; JSON.stringify(messages).length < bytes; number += 1) messages.push(...turn(number));
  const file = join(folder, 'conversation.json');
  writeFileSync(file, JSON.stringify({ model, messages, temperature: 0.2 }));
  return file;
}
