import { supportedEncoding } from '../../storage/expected.ts';
import { checksOf, type Finding, fail, few, warn, when } from '../check.ts';
import type { Facts } from '../facts.ts';

type Settings = Facts['engine']['journal'];
const unsound = (settings: Settings): string[] =>
  settings.filter(({ isSound }) => !isSound).map(({ name, value }) => `${name}=${value}`);
const skewMs = 5_000;
const grossSkewMs = 60_000;
const longJournal = 256 * 2 ** 20;
const fullPool = 0.85;

/** What is told of it, and the statement that ends it. */
function heldBy({ kind, name, who, seconds }: NonNullable<Facts['engine']['holder']>): Finding {
  const minutes = Math.floor(seconds / 60);
  const [zhKind, enKind, end] = {
    process: ['进程', 'Process', `SELECT pg_terminate_backend(${name})`],
    slot: ['复制槽', 'Replication slot', `SELECT pg_drop_replication_slot('${name}')`],
    prepared: ['两阶段事务', 'Prepared transaction', `ROLLBACK PREPARED '${name}'`],
  }[kind] as [string, string, string];
  const [zhLasts, enLasts] = minutes > 0 ? [`，已 ${minutes} 分钟`, `, for ${minutes} minutes`] : ['', ''];
  return warn(
    `${zhKind} ${name}${who && `（${who}）`}${zhLasts}。结束它：${end}。`,
    `${enKind} ${name}${who && ` (${who})`}${enLasts}. What ends it: ${end}.`,
  );
}

export const engineChecks = checksOf('engine', {
  engine_version: {
    title: ['数据库版本', 'Version of the database'],
    means: ['旧版本没有经过测试，也缺少本程序要用的功能。', 'Older ones are not tested and lack what this program uses.'],
    fix: ['升级到 PostgreSQL 15 或更新版本。', 'Upgrade to PostgreSQL 15 or newer.'],
    judge: ({ isSupported, version }) => when(!isSupported, fail(`正在用 ${version}。`, `It is ${version}.`)),
  },
  takes_writes: {
    title: ['数据库可写', 'The database takes writes'],
    means: ['只读的数据库记不了账，请求全部被拒绝。', 'Nothing can be booked in one that only reads, and every call is refused.'],
    fix: [
      '让 DATABASE_URL 指向主库；若是管理员设成了只读：ALTER DATABASE … RESET default_transaction_read_only。',
      'Let DATABASE_URL lead to the primary; where somebody set it: ALTER DATABASE ... RESET default_transaction_read_only.',
    ],
    judge: ({ takesWrites }) =>
      when(!takesWrites, fail('只能读：是副本，或被设为只读。', 'It only reads: a replica, or set to be read only.')),
  },
  standby: {
    title: ['同步备库', 'Synchronous standby'],
    means: [
      '同步备库不应答时，每次提交都一直等待：请求全部被拒绝，收费留在 outbox 里。',
      'While it does not answer every commit waits: all calls are refused, and charges wait in the outbox.',
    ],
    fix: [
      "让 synchronous_standby_names 里的备库恢复运行。先恢复服务：ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf();（此后故障切换会丢掉最近的收费）。有两台备库时写成 ANY 1 (a, b)，少一台也不会停。",
      "See that the standby of synchronous_standby_names runs. To serve without it: ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf(); a fail-over then loses the newest charges. With two of them, ANY 1 (a, b), the loss of one stops nothing.",
    ],
    judge: ({ waitingCommits: waiting }) =>
      when(waiting > 0, fail(`${waiting} 个提交在等备库。`, `Commits that wait for it: ${waiting}.`)),
  },
  holder: {
    title: ['一直不结束的事务', 'Transactions that do not end'],
    means: [
      '它看得见的旧行都不能清理：磁盘越占越多，请求越来越慢；它若写过数据，用量汇总和实时日志也停在它之前。',
      'No row that it can see is cleared away: the disk fills and calls get slower. Where it has written, usage sums and the live log stop before it, too.',
    ],
    fix: [
      '找出是谁在用；不需要就结束它。idle_in_transaction_session_timeout 能让空闲的事务自己结束。',
      'Find out whose it is, and end it if nobody needs it. idle_in_transaction_session_timeout ends idle ones.',
    ],
    judge: ({ holder }) => holder && heldBy(holder),
  },
  slots: {
    title: ['复制槽', 'Replication slots'],
    means: ['没有人读的复制槽会一直留着 WAL，直到占满磁盘。', 'One that nobody reads keeps the journal until the disk is full.'],
    fix: [
      "让它的备库恢复运行；备库不要了：SELECT pg_drop_replication_slot('…')。max_slot_wal_keep_size 能限制它留多少。",
      "Start its standby again; where there is none any more: SELECT pg_drop_replication_slot('...'). max_slot_wal_keep_size limits what it keeps.",
    ],
    judge: ({ forgottenSlots: slots }) =>
      when(slots.length > 0, warn(`没有人读：${few(slots)}。`, `Nobody reads: ${few(slots)}.`)),
  },
  encoding: {
    title: ['数据库编码', 'Encoding of the database'],
    means: [
      '除 UTF8 外，其他编码存不下多种文字，保存时会出错，或按字节截断。',
      'Others cannot store every text: saving fails, or lengths are counted in bytes.',
    ],
    fix: [
      "新建数据库（CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0），停掉所有服务，用 pg_dump 和 pg_restore 搬过去。",
      "Make a new one (CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0), stop all servers, and bring it there by pg_dump and pg_restore.",
    ],
    judge: ({ encoding }) => when(encoding !== supportedEncoding, warn(`编码是 ${encoding}。`, `It is ${encoding}.`)),
  },
  migrations: {
    title: ['数据库结构', 'Schema of the database'],
    means: ['结构和程序不一致时，请求会出错。', 'Where schema and program differ, requests fail.'],
    fix: [
      'npx tollgate migrate；若数据库更新，请换用更新的程序。',
      'npx tollgate migrate; if the database is newer, use the newer program.',
    ],
    judge: ({ pendingMigrations: pending, newerThanProgram }) => {
      if (newerThanProgram) return fail('数据库由更新的程序写成。', 'A newer program wrote the database.');
      return when(pending.length > 0, fail(`待执行：${few(pending)}。`, `Pending: ${few(pending)}.`));
    },
  },
  journal: {
    title: ['预写日志', 'Write-ahead journal'],
    means: ['崩溃或断电可能损坏数据库，读写也会互相等待。', 'A crash can damage the database, and readers wait for writers.'],
    fix: [
      '重启服务（会切回 WAL）；PostgreSQL：ALTER SYSTEM SET fsync = on，full_page_writes = on。',
      'Restart the server, which switches WAL on; PostgreSQL: ALTER SYSTEM SET fsync = on, full_page_writes = on.',
    ],
    judge: ({ journal }) => when(unsound(journal).length > 0, fail(`${few(unsound(journal))}。`, `${few(unsound(journal))}.`)),
  },
  synchronous: {
    title: ['提交即落盘', 'Commits are on disk'],
    means: ['断电会丢掉最后一瞬间已经确认的收费。', 'A power loss takes the last moment of charges that were confirmed.'],
    fix: [
      '去掉 SQLITE_SYNCHRONOUS；PostgreSQL：synchronous_commit = on。',
      'Remove SQLITE_SYNCHRONOUS; PostgreSQL: synchronous_commit = on.',
    ],
    judge: ({ commits }) => when(unsound(commits).length > 0, warn(`${few(unsound(commits))}。`, `${few(unsound(commits))}.`)),
  },
  indexes: {
    title: ['索引', 'Indexes'],
    means: ['缺了索引，日志和结算会越来越慢。', 'Without them logs and settling get slower and slower.'],
    fix: [
      '从备份恢复，或按 server/src/storage/migrations 重建缺少的索引。',
      'Restore a backup, or make them anew as in server/src/storage/migrations.',
    ],
    judge: ({ missingIndexes: missing }) =>
      when(missing.length > 0, fail(`缺少：${few(missing)}。`, `Missing: ${few(missing)}.`)),
  },
  append_only: {
    title: ['只增表的保护', 'Append-only tables'],
    means: [
      '流水和审计本来谁都不能改；触发器没了，账就可以被悄悄改掉。',
      'Nobody may change transfers and the audit log; without the triggers somebody can.',
    ],
    fix: [
      '运行 npx tollgate doctor ledger 和 npx tollgate audit verify，再从备份恢复触发器。',
      'Run npx tollgate doctor ledger and npx tollgate audit verify, then restore the triggers from a backup.',
    ],
    judge: ({ openTables: open }) => when(open.length > 0, fail(`可以修改：${few(open)}。`, `Can be changed: ${few(open)}.`)),
  },
  clock_skew: {
    title: ['与数据库的时钟差', 'Clock against the database'],
    means: [
      '差一分钟以上的机器不接收请求，证书校验和发给上游的签名也会出错。',
      'A machine that is more than a minute off takes no calls, and certificates and signatures for upstreams go wrong.',
    ],
    fix: ['两边都启用 NTP（timedatectl set-ntp true）。', 'Run NTP on both machines (timedatectl set-ntp true).'],
    judge: ({ ownNowMs, nowMs }) => {
      const seconds = Math.round((ownNowMs - nowMs) / 1000);
      const finding = Math.abs(ownNowMs - nowMs) > grossSkewMs ? fail : warn;
      return when(Math.abs(ownNowMs - nowMs) > skewMs, finding(`相差 ${seconds} 秒。`, `They differ by ${seconds} s.`));
    },
  },
  connections: {
    title: ['数据库连接数', 'Connections of the database'],
    means: ['连接用完后，新节点和请求都连不上。', 'Without any left neither nodes nor requests get in.'],
    fix: [
      '提高 max_connections（每个节点约 13 个），或用 PgBouncer。',
      'Raise max_connections (about 13 for each node), or use PgBouncer.',
    ],
    judge: ({ connections }) =>
      when(
        connections !== undefined && connections.used > fullPool * connections.most,
        warn(`已用 ${connections?.used}/${connections?.most}。`, `${connections?.used} of ${connections?.most} are used.`),
      ),
  },
  archive: {
    title: ['WAL 归档', 'Archive of the journal'],
    means: [
      '归档失败时无法恢复到某一时刻，WAL 还会占满磁盘。',
      'While it fails no moment can be restored, and the journal fills the disk.',
    ],
    fix: ['查看 pg_stat_archiver 和 archive_command。', 'Look at pg_stat_archiver and archive_command.'],
    judge: ({ archive }) => when(archive?.isFailing === true, fail('最近一次归档失败。', 'The last attempt failed.')),
  },
  journal_size: {
    title: ['日志文件大小', 'Size of the journal'],
    means: [
      '有读者长时间不放手，日志无法收回，读取越来越慢。',
      'Some reader holds on to it, so that it cannot shrink and reads get slower.',
    ],
    fix: [
      '结束对 tollgate.db 的长时间读取（其他工具、旧的备份），然后重启。',
      'End long reads of tollgate.db (other tools, copies), then restart.',
    ],
    judge: ({ journalBytes: bytes }) =>
      when(bytes > longJournal, warn(`${Math.round(bytes / 2 ** 20)} MiB。`, `${Math.round(bytes / 2 ** 20)} MiB.`)),
  },
});
