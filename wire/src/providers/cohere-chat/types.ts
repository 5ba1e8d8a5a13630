/** POST /v2/chat, by the public API reference. */
export const dialect = 'cohere-chat';
