/**
 * Does the request hold this text (lower case), as it came or behind JSON escapes? Upstreams quote what they refuse:
 * a phrase that the caller sent proves nothing about a channel.
 */
export function saidByCaller(body: Buffer, text: string): boolean {
  const raw = body.toString();
  if (raw.toLowerCase().includes(text)) return true;
  try {
    return JSON.stringify(JSON.parse(raw)).toLowerCase().includes(JSON.stringify(text).slice(1, -1));
  } catch {
    return false;
  }
}
