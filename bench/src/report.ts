import type { BenchResult } from './bench.ts';
import type { Start } from './gateway.ts';
import type { Figures, Spread, Summary } from './summary.ts';
import { isStream, type Kind, paceOf, streams } from './traffic.ts';

/** Above this share of foreign work on the measured core, the figures say little about small differences. */
const quietShare = 0.04;
/** From here on the generator sets the pace, not what is measured. */
const saturatedShare = 0.95;
const titles: Record<Kind, string> = {
  json: '1 KB, not streamed',
  json20: '20 KB, not streamed',
  json200: '200 KB, not streamed',
  stream: `stream of ${streams.stream.chunks} chunks`,
  long: `stream of ${streams.long.chunks} chunks`,
  crowd: `stream of ${streams.crowd.chunks} chunks, ${streams.crowd.pacingMs} ms apart`,
  idle: 'open streams, a chunk each second',
  converted: '1 KB, Anthropic caller, OpenAI upstream',
};
const names = {
  nginx: 'nginx `proxy_pass`',
  gateway: 'Tollgate, metered',
  unmetered: 'Tollgate without its meter',
  other: 'Tollgate of the other revision',
  peer: 'the other product',
} as const;

/** The result as Markdown: table, ratios, books, circumstances. */
export function toMarkdown(result: BenchResult, summary: Summary): string {
  return [
    table(summary.figures),
    '',
    ...ratioLines(summary, result.options),
    startLine(result.start),
    ...bookLines(summary),
    '',
    ...circumstances(result),
    ...warnings(result, summary),
    '',
  ].join('\n');
}

function table(figures: readonly Figures[]): string {
  const head = [
    '',
    'calls/s',
    'CPU µs/call',
    'of it main thread',
    'CPU µs/chunk',
    'p50 ms',
    'p99 ms',
    'first byte p50 ms',
    'p99 ms',
    'RSS MB',
    'core used',
    'errors',
  ];
  const rows = figures.map((each) => [
    `${names[each.target]}, ${titles[each.kind]}`,
    whole(each.callsPerSecond.median),
    spread(each.callCpuUs),
    fixed(each.callMainThreadUs.median),
    isStream(each.kind) ? spread(each.chunkCpuUs) : '',
    each.p50Ms.median.toFixed(2),
    each.p99Ms.median.toFixed(2),
    each.firstByteP50Ms.median.toFixed(2),
    each.firstByteP99Ms.median.toFixed(2),
    `${whole(each.rssMb.median)} (peak ${whole(each.peakRssMb)})`,
    percent(each.busyShare.median),
    String(each.errors),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

function ratioLines({ ratios, figures }: Summary, { ratePerSecond, against }: BenchResult['options']): string[] {
  if (ratePerSecond > 0) return addedLines(ratios, ratePerSecond);
  const idle = figures.find(({ kind }) => kind === 'idle');
  if (idle !== undefined) return [idleLine(idle)];
  const line = (what: string, process: Spread, main: Spread) =>
    more(what, process, 'nginx').map((text) => `${text}, main thread alone ${times(main)}`);
  return [
    ...line('CPU per call, not streamed', ratios.call, ratios.callMainThread),
    ...line('CPU per streamed chunk', ratios.chunk, ratios.chunkMainThread),
    ...more('CPU per chunk of a long stream', ratios.longChunk, 'nginx'),
    ...more('CPU of one chunk more', ratios.oneMoreChunk, 'nginx'),
    ...more('CPU per chunk of a crowd of streams', ratios.crowdChunk, 'nginx'),
    ...more('CPU per call, not streamed', ratios.callOverOther, against),
    ...more('CPU per call of 20 KB', ratios.call20OverOther, against),
    ...more('CPU per streamed chunk', ratios.chunkOverOther, against),
    ...more('CPU per chunk of a long stream', ratios.longChunkOverOther, against),
    ...more('CPU per chunk of a crowd of streams', ratios.crowdChunkOverOther, against),
    ...more('CPU per call, not streamed', ratios.callOverPeer, names.peer),
    ...more('CPU per call of 20 KB', ratios.call20OverPeer, names.peer),
    ...more('CPU per streamed chunk', ratios.chunkOverPeer, names.peer),
    ...more('CPU per call of 20 KB', ratios.call20, 'nginx'),
    ...more('CPU per call of 200 KB', ratios.call200, 'nginx'),
    ...more('CPU per call without the meter', ratios.unmeteredCall, 'nginx'),
    ...more('CPU per chunk without the meter', ratios.unmeteredChunk, 'nginx'),
    ...more('CPU per translated call', ratios.converted, 'a call that is passed on'),
  ];
}

function addedLines(ratios: Summary['ratios'], rate: number): string[] {
  const rounds = ({ min, max }: Spread) => `rounds ${min.toFixed(2)} to ${max.toFixed(2)}`;
  const line = (what: string, middle: Spread, slow: Spread) =>
    `- ${what}: **${middle.median.toFixed(2)} ms** (${rounds(middle)}) at the median, **${slow.median.toFixed(2)} ms** (${rounds(slow)}) at the 99th percentile`;
  return [
    line(`added latency at ${rate} calls/s`, ratios.addedP50Ms, ratios.addedP99Ms),
    line(
      `added to a stream's first byte at ${paceOf('stream', rate)} streams/s`,
      ratios.addedFirstByteP50Ms,
      ratios.addedFirstByteP99Ms,
    ),
  ];
}

function idleLine({ chunksPerSecond, longestGapMs, rssMb, peakRssMb }: Figures): string {
  const pace = `${whole(chunksPerSecond.median)} chunks/s, never more than ${(longestGapMs / 1000).toFixed(2)} s between two of one stream`;
  return `- open streams: **${pace}**, ${whole(rssMb.median)} MB (peak ${whole(peakRssMb)})`;
}

/** Nothing where the run had no such calls. */
function more(what: string, spread: Spread, yardstick: string): string[] {
  if (spread.median === 0) return [];
  return [`- ${what}: **${times(spread)} of ${yardstick}** (rounds ${spread.min.toFixed(2)} to ${spread.max.toFixed(2)})`];
}

function startLine({ listeningMs, firstCallMs, tenthCallMs }: Start): string {
  const calls = `the first call of all took ${firstCallMs.toFixed(1)} ms, the tenth ${tenthCallMs.toFixed(1)} ms`;
  return `- listening after ${(listeningMs / 1000).toFixed(2)} s on a new database; ${calls}`;
}

function bookLines({ answered, logRows, errors, faults }: Summary): string[] {
  if (faults.length > 0) return faults.map((fault) => `- **${fault}**`);
  return [`- ${answered} calls answered, ${logRows} log rows, ledger proof green after every run, ${errors} errors`];
}

function circumstances({ at, options, machine, pinned, durability }: BenchResult): string[] {
  const seconds = `${options.warmMs / 1000} s warm-up, ${options.windowMs / 1000} s window`;
  return [
    `${at.slice(0, 10)}. Median of ${options.rounds} rounds (smallest to largest), ${options.against === '' ? 'nginx and Tollgate in turn' : 'both revisions at once on the same core'}, ${seconds}, ${options.connections} connections${options.users > 1 ? ` of ${options.users} users with a key each` : ''}${options.ratePerSecond > 0 ? `, ${options.ratePerSecond} calls/s` : ' in a closed loop'}. ` +
      `${paces(options.kinds)}Metering on: key check, durable hold, settle, log row. Engine ${options.engine}, ${durability}; file system ${machine.fileSystem}.`,
    '',
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.kernel}; Node ${machine.node}, nginx ${machine.nginx}. ` +
      (pinned
        ? 'Measured process on one core, load generator and mock upstream on another.'
        : 'Not pinned: all processes share the cores.'),
  ];
}

/** How fast streams come, where there are any. */
function paces(kinds: readonly Kind[]): string {
  const apart = new Set(kinds.filter(isStream).map((kind) => streams[kind].pacingMs));
  return apart.size === 0 ? '' : `Stream chunks leave the upstream ${[...apart].join(' or ')} ms apart. `;
}

function warnings({ pinned }: BenchResult, { figures }: Summary): string[] {
  const foreign = Math.max(...figures.map((each) => each.foreignShare.max));
  const limited = figures.filter((each) => each.loadShare.median > saturatedShare);
  return [
    ...(pinned && foreign > quietShare
      ? ['', `Other work ran beside it: up to ${percent(foreign)} of the measured core in a round.`]
      : []),
    ...limited.map(
      (each) =>
        `\nThe rate of "${names[each.target]}, ${titles[each.kind]}" is the load generator's limit (its core ${percent(each.loadShare.median)} busy); its CPU per call is its own.`,
    ),
  ];
}

function spread({ median, min, max }: Spread): string {
  return `${fixed(median)} (${fixed(min)} to ${fixed(max)})`;
}

function times({ median }: Spread): string {
  return `${median.toFixed(2)}x`;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function whole(value: number): string {
  return String(Math.round(value));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
