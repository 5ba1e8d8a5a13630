import { expect } from 'vitest';
import { type RealtimeTurn, usageOf } from '../../support/mock/realtime.ts';
import { type Talk, talkTo } from '../../support/talk.ts';
import { eventually } from '../../support/wait.ts';
import { costOf, soundRatios, talkingModel, type World } from '../world.ts';
import type { FamilyRow } from './row.ts';

/** What one charge of a session is made of, as the upstream told it. */
interface Spoken {
  readonly text: readonly [heard: number, said: number];
  readonly sound?: readonly [heard: number, said: number];
}

const nothingCached = { cached: 0, write5m: 0, write1h: 0, reasoning: 0 };

/** Sound is text of another price: heard once the ratio, said both. */
function costOfSpoken({ text: [heard, said], sound: [heardSound, saidSound] = [0, 0] }: Spoken): number {
  const { heard: ratio, spoken } = soundRatios;
  const text = costOf({ ...nothingCached, prompt: heard, completion: said });
  return text + costOf({ ...nothingCached, prompt: (heardSound + saidSound * spoken) * ratio, completion: 0 });
}

interface Conversation {
  readonly feature: string;
  readonly turns: readonly RealtimeTurn[];
  readonly charges: readonly Spoken[];
  run(talk: Talk, world: World): Promise<void>;
}

/** A row whose session is charged turn by turn; each has one log row that says what the upstream told. */
function conversation({ feature, turns, charges, run }: Conversation): FamilyRow {
  let id = '';
  return {
    sdk: 'openai',
    feature: `realtime: ${feature}`,
    upstream: 'openai (WebSocket)',
    charge: 'none',
    async run(world) {
      world.talker.script(turns);
      const talk = talkTo({ url: world.gateway.url, key: world.key, model: talkingModel });
      id = String((await talk.opened)['x-oneapi-request-id']);
      await run(talk, world);
      talk.client.close();
    },
    async charged(world) {
      await eventually(async () => expect(await world.rowsOf(id)).toHaveLength(charges.length));
      const rows = await world.rowsOf(id);
      expect(rows.map(({ quota }) => quota)).toEqual(charges.map(costOfSpoken));
      expect(rows.every(({ other }) => other.ws === true && other.usage_source === 'upstream')).toBe(true);
      return rows.reduce((sum, { quota }) => sum + quota, 0);
    },
  };
}

const says = (text: string) => ({
  type: 'conversation.item.create' as const,
  item: { type: 'message' as const, role: 'user' as const, content: [{ type: 'input_text' as const, text }] },
});
const heardBy = ({ talker }: World) => talker.openings.at(-1)?.heard ?? [];

export const sessionRows: readonly FamilyRow[] = [
  conversation({
    feature: 'session.update and a turn of text',
    turns: [{ words: ['Hel', 'lo'], usage: usageOf(10, 2) }],
    charges: [{ text: [10, 2] }],
    async run(talk, world) {
      await talk.next('session.created');
      talk.client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } });
      expect(await talk.next('session.updated')).toMatchObject({ session: { instructions: 'Be brief.' } });
      talk.client.send(says('hi'));
      await talk.turn();
      const said = talk.events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
      expect(said).toEqual(['Hel', 'lo']);
      expect(heardBy(world).map(({ type }) => type)).toEqual(['session.update', 'conversation.item.create', 'response.create']);
      expect(heardBy(world)[1]).toEqual(says('hi'));
    },
  }),
  conversation({
    feature: 'sound, heard and spoken, in two turns',
    turns: [
      { soundBytes: 4_800, usage: usageOf(5, 1, { heard: 100, spoken: 50 }) },
      { soundBytes: 480, usage: usageOf(20, 3, { heard: 10, spoken: 5 }) },
    ],
    charges: [
      { text: [5, 1], sound: [100, 50] },
      { text: [20, 3], sound: [10, 5] },
    ],
    async run(talk, world) {
      const audio = Buffer.alloc(9_600, 7).toString('base64');
      await talk.next('session.created');
      talk.client.send({ type: 'input_audio_buffer.append', audio });
      talk.client.send({ type: 'input_audio_buffer.commit' });
      talk.client.send({ type: 'response.create' });
      const { delta } = await talk.next('response.output_audio.delta');
      expect(Buffer.from(String(delta), 'base64')).toHaveLength(4_800);
      await talk.next('response.done');
      await talk.turn();
      expect(heardBy(world)[0]).toEqual({ type: 'input_audio_buffer.append', audio });
    },
  }),
  conversation({
    feature: 'a function call and its result',
    turns: [
      {
        words: [],
        more: [
          { type: 'response.function_call_arguments.delta', response_id: 'resp_1', delta: '{"city":' },
          { type: 'response.function_call_arguments.done', response_id: 'resp_1', call_id: 'call_1', arguments: '{"city":1}' },
        ],
        usage: usageOf(30, 9),
      },
      { words: ['Sunny.'], usage: usageOf(45, 3) },
    ],
    charges: [{ text: [30, 9] }, { text: [45, 3] }],
    async run(talk, world) {
      await talk.next('session.created');
      await talk.turn();
      const done = talk.events.find(({ type }) => type === 'response.function_call_arguments.done');
      expect(done).toMatchObject({ call_id: 'call_1', arguments: '{"city":1}' });
      const result = { type: 'function_call_output' as const, call_id: 'call_1', output: '"sunny"' };
      talk.client.send({ type: 'conversation.item.create', item: result });
      await talk.turn();
      expect(heardBy(world)[1]).toMatchObject({ item: result });
    },
  }),
  conversation({
    feature: 'what was said, written down',
    turns: [
      {
        words: ['Yes.'],
        more: [
          {
            type: 'conversation.item.input_audio_transcription.completed',
            ...{ item_id: 'item_1', content_index: 0, transcript: 'is it so' },
            usage: { type: 'tokens', total_tokens: 17, input_tokens: 13, output_tokens: 4 },
          },
        ],
        usage: usageOf(8, 2),
      },
    ],
    charges: [{ text: [13, 4] }, { text: [8, 2] }],
    async run(talk) {
      await talk.next('session.created');
      await talk.turn();
      const type = 'conversation.item.input_audio_transcription.completed';
      expect(talk.events.find((event) => event.type === type)).toMatchObject({ transcript: 'is it so' });
    },
  }),
  {
    sdk: 'openai',
    feature: 'realtime: error: a model that nobody serves',
    upstream: '-',
    charge: 'none',
    async run({ gateway, key }) {
      const talk = talkTo({ url: gateway.url, key, model: 'nobody-has-it' });
      expect(await talk.next('error')).toMatchObject({ error: { message: expect.stringContaining('nobody-has-it') } });
      expect((await talk.closed()).code).toBe(1013);
    },
  },
];
