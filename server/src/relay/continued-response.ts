import { findMember, type JsonScan, memberBoolean, openaiResponses } from '@tollgate/wire';
import type { BodySink } from '../platform/http/client.ts';
import { type Route, type RouteChannel, urnOf } from '../routing/index.ts';
import { localFault } from './faults.ts';
import type { Continued, Inquiry } from './inquiry.ts';
import type { ResponseOwner, ResponseOwners } from './response-owners.ts';

const protocol = 'openai-responses';
const continuing: ReadonlySet<string> = new Set([protocol, 'responses-compact']);

/** What an inquiry continues; undefined = nothing. Rejects with RelayFault when that was another user's. */
export function continuedBy(
  owners: Pick<ResponseOwners, 'find'>,
  userId: number,
  { protocol: spoken, bytes, peek }: Pick<Inquiry, 'protocol' | 'bytes' | 'peek'>,
): Promise<Continued> | Continued | undefined {
  if (!continuing.has(spoken)) return undefined;
  const responseId = openaiResponses.previousResponseId(bytes, peek.scan);
  if (responseId !== undefined) return continuedFrom(owners, userId, responseId);
  return isGiven(peek.scan, 'conversation') ? { field: 'conversation' } : undefined;
}

async function continuedFrom(owners: Pick<ResponseOwners, 'find'>, userId: number, responseId: string): Promise<Continued> {
  const owner = await owners.find(userId, responseId);
  if (owner === 'foreign') throw lost(responseId);
  return { field: 'previous_response_id', responseId, owner };
}

function isGiven(scan: JsonScan, key: string): boolean {
  const member = findMember(scan, key);
  return member !== undefined && member.kind !== 'null';
}

/** The only way that leads to the upstream which keeps the conversation. Throws RelayFault when none of `routes` does. */
export function routesTo({ responseId = '' }: Continued, owner: ResponseOwner, routes: readonly Route[]): readonly Route[] {
  for (const route of routes) {
    for (const tier of route.tiers) {
      const channel = tier.members.find(({ id }) => id === owner.channelId);
      if (channel !== undefined) return [{ ...route, tiers: [urnOf([withOnlyKey(channel, owner.keyId)])], size: 1 }];
    }
  }
  throw lost(responseId);
}

/** A credential that is gone leaves the others: they may belong to the same account. */
function withOnlyKey(channel: RouteChannel, keyId: string): RouteChannel {
  const key = channel.keys.find(({ id, disabled }) => id === keyId && !disabled);
  return key === undefined || channel.keys.length === 1 ? channel : { ...channel, keys: [key], key: key.secret };
}

function lost(responseId: string) {
  return localFault('previous_response_not_found', { id: responseId });
}

const headBytes = 4_096;

/** Will the upstream know this answer by its id? */
export function isKept({ protocol: spoken, bytes, peek }: Inquiry): boolean {
  return spoken === protocol && memberBoolean(bytes, findMember(peek.scan, 'store')) !== false;
}

/** Tells the id of an answer that passes through; the sink behind hears what it would hear anyway. */
export function notingSink(sink: BodySink, note: (responseId: string) => void): BodySink {
  let head: Buffer | undefined = Buffer.alloc(0);
  return {
    data(chunk) {
      if (head !== undefined) {
        head = Buffer.concat([head, chunk.subarray(0, headBytes - head.length)]);
        const id = openaiResponses.responseId(head);
        if (id !== undefined) note(id);
        if (id !== undefined || head.length >= headBytes) head = undefined;
      }
      sink.data(chunk);
    },
    end: () => sink.end(),
    fault: (fault) => sink.fault(fault),
  };
}
