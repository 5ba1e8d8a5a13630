import { createFrameSplitter, decodeFrame, maxFrameBytes } from '../sse.ts';

/** Turns server-sent events into the JSON array that a stream is when the caller did not ask for `alt=sse`. */
export interface ArrayFramer {
  /** Takes bytes of the event stream, cut anywhere; gives the array's next elements. */
  push(bytes: Buffer): Buffer | undefined;
  /**
   * Ends the array. Of a stream that was cut (`complete` false, and its last event was no error) the bracket stays
   * open, so that nobody takes it for whole.
   */
  end(complete: boolean): Buffer;
}

/** A framer for one answer; one event may hold `limitBytes` at most, longer ones end the array where it is. */
export function createArrayFramer(limitBytes: number = maxFrameBytes): ArrayFramer {
  const splitter = createFrameSplitter(limitBytes);
  let isOpen = true;
  let count = 0;
  let isError = false;
  const element = (frame: Buffer): string => {
    const { data } = decodeFrame(frame);
    if (data === undefined || data.trim() === '' || data.trim() === '[DONE]') return '';
    count += 1;
    isError = /^\s*\{\s*"error"\s*:/.test(data);
    return `${count === 1 ? '[' : ',\r\n'}${data}`;
  };
  return {
    push(bytes) {
      if (!isOpen) return undefined;
      isOpen = splitter.feed(bytes);
      if (!isOpen) return undefined;
      let text = '';
      const { buffer } = splitter;
      while (splitter.next()) text += element(buffer.subarray(splitter.frameStart, splitter.frameEnd));
      splitter.keepRest();
      return text === '' ? undefined : Buffer.from(text);
    },
    end(complete) {
      const rest = isOpen ? element(splitter.rest()) : '';
      isOpen = false;
      if (!complete && !isError) return Buffer.from(rest);
      return Buffer.from(`${rest}${count === 0 ? '[' : ''}]`);
    },
  };
}
