/** Where threads hear that there is load that lasts. */
const channelName = 'tollgate:lasting-load';

/**
 * Makes garbage of three times `halfMb`, one of the two halves of this thread's room for young objects, in pieces of 64 KB: a
 * page is the process's own from its first touch on. Some tens of milliseconds for 32 MB.
 */
export function fillYoungRoom(halfMb: number): void {
  for (let piece = 0; piece < 3 * halfMb * 16; piece += 1) new Array(8_000).fill(0);
}

/** Does so in this thread once another one calls `tellLastingLoad`. */
export function fillYoungRoomUnderLoad(halfMb: number): void {
  const channel = new BroadcastChannel(channelName);
  channel.unref();
  channel.onmessage = () => {
    channel.close();
    fillYoungRoom(halfMb);
  };
}

/** Tells all other threads of this process. */
export function tellLastingLoad(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(true);
  channel.close();
}
