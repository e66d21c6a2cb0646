/** Tools that OpenAI's responses API runs. Clients and configs that also use that API send them in chats. */
export const responsesTools = [
  'web_search',
  'web_search_preview',
  'code_interpreter',
  'image_generation',
  'computer_use_preview',
  'local_shell',
  'mcp',
] as const;
