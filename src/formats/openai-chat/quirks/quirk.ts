/** One difference between a service's chat requests and responses and the format that it follows. */
export interface ChatQuirk {
  /** Members of the body that the service rejects. They are dropped and reported. */
  readonly drops?: readonly string[];
  /** Members of the body that have another name at the service. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Roles of messages that have another name at the service. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Keywords that it rejects in the JSON schemas of tools, and that constrain nothing. */
  readonly schemaKeywords?: readonly string[];
  /** It continues the text of a last assistant message only if this member is true. */
  readonly prefill?: string;
  /** It rejects system messages after the first message of the assistant: all are sent in front of the conversation. */
  readonly systemFirst?: true;
  /** It rejects messages of the assistant that have neither content nor calls: they are left out. */
  readonly rejectsEmpty?: true;
  /** It rejects a user message directly after a tool result: this text of the assistant is sent between them. */
  readonly afterResults?: string;
  /** It accepts text parts only as one text. */
  readonly joinsTexts?: true;
  /** Values of `reasoning_effort` that it rejects, with the nearest that it accepts. */
  readonly efforts?: Readonly<Record<string, string>>;
  /** It thinks unless `thinking` disables it: it has no effort `none`, and rejects a forced tool while it thinks. */
  readonly thinksByDefault?: true;
  /** Its `thinking` has no type but `enabled` and `disabled`. */
  readonly switchesThinking?: true;
  /** In place of `thinking` it has an object `reasoning`, with either an effort or a number of tokens. */
  readonly thinkingAsReasoning?: true;
  /** It has no structured outputs, only a JSON mode: the schema becomes a system message. */
  readonly schemaInPrompt?: true;
  /** It has no `functions`, only tools. */
  readonly functionsAsTools?: true;
  /** It has no `allowed_tools` in `tool_choice`: the other tools are not offered. */
  readonly offersAllowedTools?: true;
  /** The content of its responses may be a list of parts. */
  readonly repliesInParts?: true;
  /** Choices in its streams may have no `delta`. */
  readonly omitsDeltas?: true;
  /** Models that differ, by the service's own name. All models if absent. */
  readonly models?: RegExp;
}

/** All members that change a request or a response. */
const changing: Readonly<Record<Exclude<keyof ChatQuirk, 'models'>, true>> = {
  drops: true,
  renames: true,
  roles: true,
  schemaKeywords: true,
  prefill: true,
  systemFirst: true,
  rejectsEmpty: true,
  afterResults: true,
  joinsTexts: true,
  efforts: true,
  thinksByDefault: true,
  switchesThinking: true,
  thinkingAsReasoning: true,
  schemaInPrompt: true,
  functionsAsTools: true,
  offersAllowedTools: true,
  repliesInParts: true,
  omitsDeltas: true,
};

/** True for a difference of chat requests or responses. */
export const isChatQuirk = (quirk: object): boolean => Object.keys(quirk).some((name) => Object.hasOwn(changing, name));
