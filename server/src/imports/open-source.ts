import type { Source } from './source.ts';

export type SourceAddress = { readonly file: string } | { readonly url: string; readonly engine: 'postgres' | 'mysql' };

/** How the sources themselves write where a server is: taken for a file's name it would be repeated, with its password. */
const otherForms = /@(tcp|unix)\(|\bpassword=/i;

/** What `--from` names; undefined when it is neither a file nor a server that can be read. */
export function readSourceAddress(from: string): SourceAddress | undefined {
  if (/^postgres(ql)?:\/\//.test(from)) return { url: from, engine: 'postgres' };
  if (/^(mysql|mariadb):\/\//.test(from)) return { url: from.replace(/^mariadb/, 'mysql'), engine: 'mysql' };
  if (/^\w+:\/\//.test(from) || otherForms.test(from)) return undefined;
  return from === '' ? undefined : { file: from.replace(/^sqlite:/, '') };
}

/** Opens it for reading. Throws with a reason that says what to do, and never with a password in it. */
export async function openSource(address: SourceAddress): Promise<Source> {
  if ('file' in address) return (await import('./sources/sqlite.ts')).openSqliteSource(address.file);
  if (address.engine === 'mysql') return (await import('./sources/mysql.ts')).openMysqlSource(address.url);
  return (await import('./sources/postgres.ts')).openPostgresSource(address.url);
}
