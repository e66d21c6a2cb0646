/** A word that a reader would have to guess at, and what to write. Patterns hold for one line of text. */
export interface Term {
  readonly pattern: RegExp;
  readonly write: string;
}

/** Held everywhere: texts that users read, and comments. */
export const everywhere: readonly Term[] = [
  { pattern: /\bcan not\b/i, write: 'cannot' },
  { pattern: /\b(?:provider|vendor|family|service) [A-G]\b/, write: 'the name of the service' },
  { pattern: /\bof (?:one's|ones) own\b/i, write: 'your own' },
  { pattern: /\bunder way\b/i, write: 'in progress' },
  { pattern: /\bat the most\b/i, write: 'at most' },
  { pattern: /\bstands beside\b/i, write: 'is next to' },
  { pattern: /\bbrings? none\b/i, write: 'has none' },
  { pattern: /\bin the words of\b/i, write: 'in the format of' },
  { pattern: /\bdecisions? D\d+|\bD\d{2}\b/, write: 'the reason itself' },
  { pattern: /\b(?:house|design|style|ux|decisions|facts)\.md\b/, write: 'a file of the repository, or the reason itself' },
];

/** Held in what users read: documentation, errors, hints, help, descriptions of settings. */
export const forReaders: readonly Term[] = [
  ...everywhere,
  {
    pattern: /\b(?:stands?|stood) (?:in|at|under|for|beside|behind|before|there|on|twice|where)\b|\bwhat stands\b/i,
    write: 'is, is set in, means',
  },
  { pattern: /\b(?:brings?|brought)\b(?! up\b)/i, write: 'has, sends, contains' },
  {
    pattern:
      /\btakes?\b(?! (?:precedence|effect|place|part|too long|longer|about|until|up to|at least|more than|\d|`|too|long\b|five|a (?:few|minute|second)))/i,
    write: 'accepts, needs, uses',
  },
  { pattern: /\btakes? (?:it|them|that|this) out\b/i, write: 'remove' },
  { pattern: /\b(?:tells?|told)\b/i, write: 'shows, lists, reports' },
  { pattern: /\bgone\b/i, write: 'disconnected, deleted' },
  { pattern: /\bgiven up\b/i, write: 'disconnected, cancelled' },
  { pattern: /\bclocks?\b(?! (?:of the (?:gateway|machine)|difference|_tolerance))/i, write: 'timeout' },
  { pattern: /\b(?:answers?|answered|answering)\b/i, write: 'response, responds, returns' },
  { pattern: /\b(?:is|are) refused\b/i, write: 'the gateway rejects it with <status>' },
  { pattern: /\bmends?\b|\bmended\b/i, write: 'fix' },
  { pattern: /\bin vain\b/i, write: 'without success' },
  { pattern: /\b(?:whose|last|operator's|caller's) word\b/i, write: 'who is trusted, who decides' },
  {
    pattern: /\b(?:the )?entr(?:y|ies) of (?:the )?(?:catalog|`?providers|`?api_keys|`?configs|`?virtual_keys)/i,
    write: 'provider, key, config',
  },
  { pattern: /\b(?:speaks?|spoke|spoken)\b/i, write: 'supports, uses' },
  { pattern: /\bbeside\b/i, write: 'besides, in addition to, next to' },
  { pattern: /\blikewise\b/i, write: 'the same words again' },
  { pattern: /\bbytes pass\b/i, write: 'the gateway forwards the bytes unchanged' },
  { pattern: /\ba bare number\b/i, write: 'a number without unit' },
];
