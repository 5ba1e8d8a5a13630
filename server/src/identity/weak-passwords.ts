import { PublicError } from '../platform/errors.ts';

/** What the package's list lacks and is typed as the password of a server, or in China. Lower case. */
const alsoCommon = `
  0123456789 13145200 1314520520 1q2w3e4r5t6y7u 52013140 5201314520 5201314a 88888889 98765432 aa12345678 admin1234 admin12345
  admin123456 administrator1 adminpassword apikey123 autumn2024 bailey123 barcelona1 biteme123 changeme123 chatgpt123 cheese123
  default123 eagles123 facebook1 flower123 fortnite fuckme123 gateway123 guest123 iloveu123 li123456 linkedin login123 loveme123
  merlin123 mypassword1 mysql123 openai123 oracle123 p@ssw0rd1 p@ssw0rd123 p@ssword pa$$word pass12345 pass123456 passpass1
  password12345 password123456 postgres postgres1 qwe12345 ranger123 root1234 root12345 root123456 rootpassword server123
  sk-12345678 spring2024 summer123 summer2023 summer2024 system123 test12345 test123456 testpassword tollgate tollgate1
  tollgate123 userpassword wang1234 welcome1234 winter123 winter2023 winter2024 wizard123 woaini123 woaini1314 woaini520
  woaiwojia wodemima youtube1 zhang123`;
/** What may follow a common word or the own name without making another password of it. */
const trimmings = 5;

let list: Promise<ReadonlySet<string>> | undefined;

/** Some 18,000 of the most frequent ones of 8 characters and more. Read at the first use: a start does not wait for them. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const long = dictionary['passwords-common'].filter((password) => password.length >= 8);
    return new Set([...long, ...alsoCommon.trim().split(/\s+/)]);
  });
  return list;
}

/** Whether anybody would try it: well-known ones, also with a few digits more, repetitions, plain sequences. */
export async function isCommonPassword(password: string): Promise<boolean> {
  const plain = password.toLowerCase();
  if (new Set(plain).size <= 2 || /^(.{1,5})\1+$/s.test(plain) || isSequence(plain)) return true;
  const common = await commonPasswords();
  const core = plain.replace(/^[^a-z]*/, '').replace(/[^a-z]{0,5}$/, '');
  return common.has(plain) || (plain.length <= core.length + trimmings && common.has(core));
}

/** Whether a password is the user's own name, or that with a few characters more. */
export function isOwnName(password: string, username: string): boolean {
  return password.length <= username.length + trimmings && password.toLowerCase().includes(username.toLowerCase());
}

/** Throws PublicError when a new password is too easy to guess. */
export async function checkNewPassword(password: string, username: string): Promise<void> {
  if (isOwnName(password, username)) throw new PublicError('password_is_name');
  if (await isCommonPassword(password)) throw new PublicError('password_is_weak');
}

function isSequence(text: string): boolean {
  const steps = new Set<number>();
  for (let index = 1; index < text.length; index++) steps.add(text.charCodeAt(index) - text.charCodeAt(index - 1));
  return steps.size === 1 && Math.abs([...steps][0] ?? 0) <= 1;
}
