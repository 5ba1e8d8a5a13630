export const dialectName = 'openai-completions';
