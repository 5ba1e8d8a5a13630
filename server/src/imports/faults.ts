/** Why an import ended before its end, in Chinese and English; `{name}` stands for a value. */
const texts = {
  not_known: [
    '这不是 new-api、one-api、one-hub 或 Laisky 版 one-api 的数据库：其中没有它们的数据表',
    'This is not a database of new-api, one-api, one-hub or one-api by Laisky: their tables are not in it',
  ],
  no_file: ['没有文件 {file}', 'There is no file {file}'],
  unreadable_file: ['{file} 无法作为 SQLite 数据库读取：{reason}', '{file} cannot be read as a SQLite database: {reason}'],
  no_room: [
    '{file} 的临时副本放不进 {folder}：请在那里腾出空间，或把 TMPDIR 设为有空间的目录',
    'The private copy of {file} does not fit into {folder}: make room there, or set TMPDIR to a folder with room',
  ],
  no_stage: [
    '临时文件无法放入 {folder}：{reason}。请在那里腾出空间并允许写入，或把 TMPDIR 设为有空间的目录',
    'Temporary files cannot be put into {folder}: {reason}. Let it be written and make room there, or set TMPDIR to a folder with room',
  ],
  unreadable_server: ['无法读取来源数据库：{reason}', 'The database that --from names cannot be read: {reason}'],
  other_site: [
    '用户 {key} 不是之前从 {product} 数据库导入的那一位：这是另一个站点的数据库，它的编号会被当成前一个站点的。没有导入任何内容；请把它导入到单独的安装',
    "User {key} is not the one who came from a database of {product} before: this is another site's, and its ids would be " +
      'taken for those of the first. Nothing of it was brought over; import it into an installation of its own',
  ],
  written_meanwhile: [
    '另一次导入正在此数据库上运行，或有人刚刚占用了同样的名称或代码。请等它结束后再运行一次：会从中断处继续。',
    'Another import runs on this database, or somebody took the same name or code this moment. Wait until it has ended, then run this again: it goes on where it was.',
  ],
  cut_off: [
    '运行导入的服务器已停止。已导入的内容保留，下次从中断处继续。',
    'The server that ran it ended. What came until then stays, and the next run goes on there.',
  ],
  stopped: [
    '已停止。已导入的内容保留，下次从中断处继续。',
    'Stopped. What came until then stays, and the next run goes on there.',
  ],
  no_report: ['导入结束时没有给出报告', 'The import ended without a report'],
} as const;

export type ImportFaultCode = keyof typeof texts;

/** A fault as nodes and programs tell it to each other. */
export interface ToldFault {
  readonly code: ImportFaultCode;
  readonly values: Readonly<Record<string, string>>;
}

/** An import cannot go on for a reason that is ours to explain. The message is the English text. */
export class ImportFault extends Error {
  readonly told: ToldFault;
  constructor(code: ImportFaultCode, values: Readonly<Record<string, string>> = {}, options?: ErrorOptions) {
    super(faultText({ code, values }, 'en'), options);
    this.told = { code, values };
  }
}

export function faultText({ code, values }: ToldFault, language: 'zh' | 'en'): string {
  return texts[code][language === 'zh' ? 0 : 1].replaceAll(/\{(\w+)\}/g, (mark, name: string) => values[name] ?? mark);
}

/** What another program told; undefined when it is none of ours. */
export function faultIn(value: unknown): ToldFault | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('values' in value)) return undefined;
  const { code, values } = value as { code: unknown; values: unknown };
  const isOurs = typeof code === 'string' && Object.hasOwn(texts, code) && typeof values === 'object' && values !== null;
  return isOurs ? { code: code as ImportFaultCode, values: values as Readonly<Record<string, string>> } : undefined;
}
