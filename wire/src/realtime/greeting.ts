/** Tells that a session is open which only writes down. `isOlder`: in the words of the protocol's first version. */
export function greeting(id: string, isOlder: boolean): Buffer {
  const type = isOlder ? 'transcription_session.created' : 'session.created';
  const session = { id: `sess_${id}`, object: 'realtime.transcription_session', type: 'transcription' };
  return Buffer.from(JSON.stringify({ type, event_id: `evt_${id}`, session }));
}
