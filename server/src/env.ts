import ipaddr from 'ipaddr.js';
import * as z from 'zod';

/** One line of the table: name, default as text (undefined = unset), how it is read, what it means. */
interface Variable {
  readonly fallback?: string;
  readonly schema: z.ZodType<unknown, string>;
  readonly meaning: string;
}

const between = (form: RegExp, kind: string) => (min: number, max: number) =>
  z
    .string()
    .regex(form, `must be a ${kind}`)
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
const integer = between(/^\d+$/, 'whole number');
const decimal = between(/^\d+(\.\d+)?$/, 'number such as 15 or 0.5');
const text = z.string();
const list = z.string().transform((value) => value.split(/[\s,]+/).filter((entry) => entry !== ''));
const listOf = (kind: string, ...fitting: ((entry: string) => boolean)[]) =>
  list.superRefine((entries, context) => {
    const wrong = entries.filter((entry) => !fitting.some((fits) => fits(entry)));
    if (wrong.length > 0) context.addIssue({ code: 'custom', message: `${wrong.join(', ')}: must be ${kind}` });
  });
/** ipaddr.js reads "1", octal and hexadecimal forms too, which nobody means. */
const isAddress = (entry: string): boolean =>
  (entry.includes(':') || /^\d{1,3}(\.\d{1,3}){3}$/.test(entry)) && ipaddr.isValid(entry);
/** A range of IPv4 inside IPv6 would meet nobody: such addresses are compared as IPv4. */
const isRange = (entry: string): boolean => {
  const [address = ''] = entry.split('/');
  return isAddress(address) && ipaddr.isValidCIDR(entry) && !(address.includes(':') && ipaddr.process(address).kind() === 'ipv4');
};
const isHostAndPort = (entry: string): boolean => {
  const [, host = '', port] = /^(\[[^\]]+\]|[^\s:/?#@*[\]]+):(\d{1,5})$/.exec(entry) ?? [];
  return host !== '' && Number(port) >= 1 && Number(port) <= 65_535 && URL.canParse(`http://${host}`);
};
/** A name as addresses have it, and where its calls go; the path stays the caller's, so that one here would get lost. */
const isRewrite = (entry: string): boolean => {
  const [, host = '', target = ''] = /^([^=]+)=(https?:\/\/[^?#@]+)$/.exec(entry) ?? [];
  return URL.parse(`http://${host}`)?.hostname === host && URL.parse(target)?.pathname === '/';
};
const oneOf = <const T extends string>(...values: [T, ...T[]]) => z.enum(values, `must be one of ${values.join(', ')}`);
const namesOneHost = (value: string): boolean => {
  const [, authority = ''] = /^[a-z]+:\/\/([^/?#]*)/.exec(value) ?? [];
  return !authority.slice(authority.lastIndexOf('@') + 1).includes(',') && !/[?&]host=[^&]*(,|%2C)/i.test(value);
};
const urlOf = (...protocols: string[]) =>
  z
    .string()
    .refine((value) => protocols.some((protocol) => value.startsWith(`${protocol}://`)), {
      error: `must start with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
      abort: true,
    })
    .refine(namesOneHost, {
      error: 'must name one host, which leads to the server that takes writes, also after a fail-over (docs/many-nodes.md)',
      abort: true,
    })
    // Without a host: PostgreSQL by a socket.
    .refine((value) => URL.canParse(value.replace('@/', '@localhost/')), {
      error: 'cannot be read: of its password the signs / ? # @ : % must be written as %2F %3F %23 %40 %3A %25',
    });
const namesDatabase = (value: string) => /^\/?\d*$/.test(URL.parse(value)?.pathname ?? '');
const noDatabase = 'must end with the host and its port, or with / and the number of a database';
const factor = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number, 0 or more')
  .transform(Number);

/** Every environment variable (issue "spine", contract 16.4, rulings 27). The README's table is printed from here. */
export const variables = {
  PORT: { fallback: '3000', schema: integer(0, 65535), meaning: 'port of console, API and relay (0 = any free one)' },
  HOST: { fallback: '0.0.0.0', schema: text, meaning: 'address to listen on' },
  DATA_DIR: { fallback: './data', schema: text, meaning: 'folder of the embedded database and the key file' },
  MIGRATION_BACKUP_DIR: {
    schema: text,
    meaning: 'where the embedded database is copied before a migration (default: `backups` in `DATA_DIR`; `off` = no copy)',
  },
  DATABASE_URL: { schema: urlOf('postgres', 'postgresql'), meaning: 'PostgreSQL (15 or newer) instead of the embedded database' },
  REDIS_URL: {
    schema: urlOf('redis', 'rediss').refine(namesDatabase, { error: noDatabase }),
    meaning: 'Redis or Valkey for several nodes',
  },
  SECRET_KEY: {
    schema: z.string().regex(/^([0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=)$/, 'must be 32 bytes as 64 hex digits or base64'),
    meaning:
      'master key, 32 bytes as hex or base64 (default: `secret.key` in `DATA_DIR`; with `DATABASE_URL` this or the next is needed)',
  },
  SECRET_KEY_FILE: { schema: text, meaning: 'file that holds the master key' },
  INITIAL_ROOT_PASSWORD: {
    schema: z.string().min(8, 'must have at least 8 characters').max(128, 'must have at most 128 characters'),
    meaning:
      "root's password on the first start (otherwise 123456, usable from this machine or a private network only until changed)",
  },
  WORKERS: { fallback: '1', schema: integer(1, 64), meaning: 'processes that serve the port, for machines with several cores' },
  TRUSTED_PROXIES: {
    fallback: '',
    schema: listOf('an address or a range such as 10.0.0.0/8', isAddress, isRange),
    meaning: 'addresses or CIDR ranges whose X-Forwarded-For is believed',
  },
  ALLOW_PRIVATE_UPSTREAMS: {
    fallback: '',
    schema: listOf('a range such as 10.0.0.0/8 or host:port, [::1]:11434 for IPv6', isRange, isHostAndPort),
    meaning: 'private targets that channels may reach: CIDR or host:port list',
  },
  LOG_LEVEL: {
    fallback: 'info',
    schema: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    meaning: 'how much is logged',
  },
  HOLD_LEASE_SECONDS: { fallback: '120', schema: integer(1, 86_400), meaning: 'how long a hold lives without renewal' },
  HOLD_SWEEP_SECONDS: { fallback: '30', schema: integer(1, 3600), meaning: 'how often expired holds are closed' },
  HOLD_CHECKPOINT_SECONDS: { fallback: '5', schema: integer(1, 3600), meaning: 'how often an open stream is metered durably' },
  UPSTREAM_CONNECT_TIMEOUT_MS: { fallback: '5000', schema: integer(10, 600_000), meaning: 'connecting to an upstream' },
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: {
    fallback: '120000',
    schema: integer(10, 3_600_000),
    meaning: 'until the first byte of an answer',
  },
  UPSTREAM_IDLE_TIMEOUT_MS: { fallback: '120000', schema: integer(10, 3_600_000), meaning: 'silence inside an answer' },
  UPSTREAM_TOTAL_TIMEOUT_MS: { fallback: '1800000', schema: integer(10, 86_400_000), meaning: 'one whole attempt' },
  CLIENT_STALL_TIMEOUT_MS: {
    fallback: '60000',
    schema: integer(100, 3_600_000),
    meaning: 'a caller who takes nothing of its answer for so long is cut off',
  },
  STREAM_PING_SECONDS: {
    fallback: '15',
    schema: integer(0, 3600),
    meaning: 'comment line while the upstream is silent (0 = off)',
  },
  TASK_POLL_SECONDS: { fallback: '15', schema: decimal(0.1, 3600), meaning: 'drawing and task pollers' },
  AGENT_MATURE_SECONDS: {
    fallback: '60',
    schema: integer(1, 3600),
    meaning: "how often agents' dividends whose days are over become withdrawable",
  },
  DRAIN_SECONDS: { fallback: '120', schema: integer(0, 3600), meaning: 'how long running calls may finish after SIGTERM' },
  MAX_STREAMS: { fallback: '10000', schema: integer(1, 1_000_000), meaning: 'open relay requests in one process' },
  MAX_SESSIONS_PER_TOKEN: {
    fallback: '5',
    schema: integer(0, 1_000_000),
    meaning:
      'sessions over WebSockets that one token may have open at once (0 = as many as it wants), all of one user a tenth of MAX_STREAMS',
  },
  DISK_RESERVE_MB: {
    fallback: '256',
    schema: integer(0, 1_000_000_000),
    meaning: 'free space below which new calls are refused, so that those under way can be booked (0 = off)',
  },
  DISK_RESERVE_PERCENT: {
    fallback: '5',
    schema: decimal(0, 50),
    meaning: 'the same as a share of the disk, 2 GiB at most; the larger of the two holds',
  },
  MAX_BODY_MB: { fallback: '16', schema: integer(1, 1024), meaning: 'largest relay request' },
  MAX_UPLOAD_MB: { fallback: '26', schema: integer(1, 1024), meaning: 'largest multipart request' },
  MAX_BODIES_MB: {
    schema: integer(1, 1_000_000),
    meaning:
      'bodies of all relay requests under way in one process, files that they name by address, and large answers and events of theirs (default: 40 % of its memory)',
  },
  MAX_FILE_DOWNLOAD_MB: { fallback: '20', schema: integer(1, 1024), meaning: 'largest file that a request names by address' },
  RATE_LIMIT_FACTOR: { fallback: '1', schema: factor, meaning: 'scales every rate limit of the console API (0 = off)' },
  EGRESS_REWRITE: {
    fallback: '',
    schema: listOf('host=origin such as api.example.com=http://127.0.0.1:9000', isRewrite),
    meaning: 'host=origin,...: stand-ins for hosts on the internet, for tests',
  },
  SESSION_IDLE_HOURS: { fallback: '168', schema: integer(1, 8760), meaning: "a user's session ends after this silence" },
  SESSION_MAX_DAYS: { fallback: '30', schema: integer(1, 365), meaning: 'and at this age' },
  SESSION_IDLE_HOURS_ADMIN: { fallback: '12', schema: integer(1, 8760), meaning: "the same for administrators' sessions" },
  SESSION_MAX_DAYS_ADMIN: { fallback: '7', schema: integer(1, 365), meaning: 'and at this age' },
  METRICS_PORT: { schema: integer(1, 65535), meaning: 'Prometheus metrics' },
  SQLITE_SYNCHRONOUS: {
    fallback: 'FULL',
    schema: oneOf('FULL', 'NORMAL'),
    meaning: 'NORMAL trades the last milliseconds at a power loss for speed',
  },
} as const satisfies Record<string, Variable>;

type Variables = typeof variables;
type Optional<V> = V extends { fallback: string } ? never : undefined;
export type Env = { readonly [K in keyof Variables]: z.output<Variables[K]['schema']> | Optional<Variables[K]> };

/** Faults of the environment, one readable line each. */
export class EnvironmentError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Reads the environment; throws EnvironmentError that names every wrong value without repeating secrets. */
export function readEnv(source: Record<string, string | undefined>): Env {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable>(variables)) {
    const raw = source[name]?.trim() || variable.fallback;
    if (raw === undefined) continue;
    const parsed = variable.schema.safeParse(raw);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(`${name}: ${parsed.error.issues[0]?.message ?? 'is not valid'} (${variable.meaning})`);
  }
  if (values.SECRET_KEY !== undefined && values.SECRET_KEY_FILE !== undefined)
    faults.push('SECRET_KEY and SECRET_KEY_FILE: set only one of them');
  const { PORT, METRICS_PORT, WORKERS } = values as Partial<Env>;
  if (PORT !== undefined && METRICS_PORT !== undefined && PORT >= METRICS_PORT && PORT < METRICS_PORT + (WORKERS ?? 1))
    faults.push(`METRICS_PORT: must leave out PORT (${PORT}); each of WORKERS has one, from there upwards`);
  const lastMetricsPort = (METRICS_PORT ?? 0) + (WORKERS ?? 1) - 1;
  if (lastMetricsPort > 65_535)
    faults.push(`METRICS_PORT: must leave room below 65536; each of WORKERS has one, and the last would be ${lastMetricsPort}`);
  if (
    values.DATABASE_URL !== undefined &&
    values.SECRET_KEY === undefined &&
    values.SECRET_KEY_FILE === undefined &&
    faults.length === 0
  ) {
    faults.push('SECRET_KEY or SECRET_KEY_FILE: needed with DATABASE_URL, since several nodes must share one master key');
  }
  if (faults.length > 0) throw new EnvironmentError(faults);
  return values as Env;
}
