/** Usage of a response in a realtime session: text and audio, some of both cached. */
export const realtimeUsage = {
  total_tokens: 253,
  input_tokens: 132,
  output_tokens: 121,
  input_token_details: {
    text_tokens: 119,
    audio_tokens: 13,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 54, audio_tokens: 10 },
  },
  output_token_details: { text_tokens: 30, audio_tokens: 91 },
};
