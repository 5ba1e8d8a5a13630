import type { Surface } from '../chat/dialect.ts';
import { parseObject } from '../json.ts';
import { errorInOk, isErrorAnswer } from '../openai-chat/error.ts';
import { compactionSurface } from './compaction.ts';
import { readUsage } from './usage.ts';

/** POST /v1/decisions: questions about an input are answered in one piece and without a cap, by numbers instead of words. */
export const decisionSurface: Surface = {
  ...compactionSurface,
  name: 'decisions',
  readResponse(body) {
    const text = body.toString('utf8');
    const answer = parseObject(text);
    if (answer === undefined) return { kind: 'invalid', reason: text.trim() === '' ? 'empty' : 'not-json' };
    if (isErrorAnswer(answer) || !Array.isArray(answer.answers)) return { kind: 'error', error: errorInOk(answer) };
    return { kind: 'answer', usage: readUsage(answer.usage), text: () => '' };
  },
};
