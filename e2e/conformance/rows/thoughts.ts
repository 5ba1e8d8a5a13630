import { expect } from 'vitest';
import type { Row } from '../table.ts';
import { signatureOfGemini } from './samples.ts';

/** Of a second call that goes on after a thought and a call: what the vendor had signed is there again, where it can be. */
export const thoughtsComeBack: Pick<Row, 'saw' | 'except'> = {
  saw([first, second], { column, world }) {
    expect(first?.thinking).toBeDefined();
    const signed = second?.turns
      .flatMap(({ pieces }) => pieces)
      .flatMap((piece) => ('thought' in piece ? [piece.signature] : []));
    if (column === 'anthropic-messages') expect(signed).toEqual(['sig-of-messages-1']);
    if (column === 'openai-responses') expect(signed).toEqual(['sealed-by-responses']);
    if (column === 'gemini-generate') expect(world.mock.requests()[1]?.body.toString()).toContain(signatureOfGemini);
  },
  except: { 'openai-chat': { loses: ['reasoning'] } },
};
