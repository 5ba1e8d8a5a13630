import { setImmediate as turn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { sourceOf } from './closed.ts';
import { ceilTo, floorTo, hourSeconds } from './cubes.ts';
import { addText, type Histogram } from './histogram.ts';
import { cubeOf, sumParts, type UsageFilter } from './parts.ts';

export interface ModelQuality {
  name: string;
  latency: Histogram;
  firstToken: Histogram;
  cached_tokens: number;
  prompt_tokens: number;
}

interface Row {
  name: string;
  latency: string | null;
  first_token: string | null;
  cached_tokens: number;
  prompt_tokens: number;
}

/**
 * Durations and cache hits of each model in all hours that the range touches, from the rollups alone: rows of the last seconds are
 * missing. Empty for a filter that the rollups do not know. Throws DatabaseError.
 */
export async function usageQuality(read: Kysely<Schema>, filter: UsageFilter): Promise<ModelQuality[]> {
  const source = await sourceOf(read, cubeOf(filter, ['model_name']));
  if (!source?.cube.durations) return [];
  const hours = { from: floorTo(filter.start, hourSeconds), to: ceilTo(filter.end + 1, hourSeconds) };
  const columns = ['model_name', 'latency', 'first_token', 'cached_tokens', 'prompt_tokens'] as const;
  const parts = sumParts(filter, source, columns, hours);
  const { rows } = await sql<Row>`
    SELECT model_name AS name, string_agg(latency, ',') AS latency, string_agg(first_token, ',') AS first_token,
      SUM(cached_tokens) AS cached_tokens, SUM(prompt_tokens) AS prompt_tokens
    FROM (${sql.join(parts, sql` UNION ALL `)}) AS quality GROUP BY model_name`.execute(read);
  const groups: ModelQuality[] = [];
  for (const { name, latency, first_token, cached_tokens, prompt_tokens } of rows) {
    groups.push({ name, latency: histogramOf(latency), firstToken: histogramOf(first_token), cached_tokens, prompt_tokens });
    // Texts of a busy user are megabytes: calls go on between them.
    await turn();
  }
  return groups;
}

function histogramOf(text: string | null): Histogram {
  const histogram: Histogram = new Map();
  addText(histogram, text ?? '');
  return histogram;
}
