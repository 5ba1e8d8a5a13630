import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Asks again and again until its input ends, then tells how long each answer took, in milliseconds. */
const script = `
const [url, key] = process.argv.slice(1);
let isOver = false;
process.stdin.resume().once('end', () => { isOver = true; });
const waits = [];
while (!isOver) {
  const startedMs = performance.now();
  await (await fetch(url, { headers: { authorization: key } })).arrayBuffer();
  waits.push(Math.round(performance.now() - startedMs));
  if (waits.length === 1) console.log('begun');
  await new Promise((resolve) => setTimeout(resolve, 10));
}
console.log(JSON.stringify(waits));
`;

/** Another caller, in a process of its own so that nothing but the gateway makes it wait. */
export async function startBystander(url: string, key: string): Promise<{ waitsMs(): Promise<readonly number[]> }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, url, `Bearer ${key}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child.stdout, 'data');
  return {
    async waitsMs() {
      child.stdin.end();
      await once(child, 'close');
      return JSON.parse(output.slice(output.indexOf('['))) as number[];
    },
  };
}
