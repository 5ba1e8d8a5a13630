import { expect, test } from 'vitest';
import { checkTexts } from './texts.ts';

const found = (text: string, path = 'console/src/features/tokens/TokensPage.tsx'): number[] =>
  checkTexts([{ path, text }]).map(({ line }) => line);

test.each([
  '<p>No tokens yet</p>',
  '<p className="muted">还没有令牌</p>',
  '<p>\n{count} tokens left</p>',
  '<p>Tokens {count}</p>',
  '<p>Tokens <b>{count}</b></p>',
  '<button aria-label="Close" />',
  '<input placeholder="搜索" />',
  "<Dialog title={'Delete'} />",
])('a text that only one language has is refused: %s', (line) => {
  expect(found(`\n${line}\n`).length).toBe(1);
});

test('the line is that of the text', () => {
  expect(found('\n<p\n  className="muted"\n>\n  Nothing\n</p>')).toEqual([5]);
});

test.each([
  '<p>{tokens_none()}</p>',
  '<p>{seconds.toFixed(1)} s</p>',
  '<p>{a} · {b}</p>',
  '<button aria-label={action_close()} />',
  '<button aria-label={[action_edit(), name].join()} />',
  '<input placeholder="https://" />',
  `<input placeholder={'{"model-a": "model-b"}'} />`,
  '<input placeholder="203.0.113.9" />',
  '<p aria-live="polite" className="title" />',
  '// <p>Nothing</p>',
  'const at = (a: number): Promise<void> => (a > b ? list.map<string>(({ name }) => name) : none);',
  'type Props = ComponentProps<typeof Field> & Pick<Frame, "title"> & { note: string };',
  'function of(row: Map<string, Row> | undefined = new Map<string, Row>()) { return <b />; }',
])('what is the same in every language, and what is no text, is not: %s', (line) => {
  expect(found(line)).toEqual([]);
});

test('tests and what is no page may say what they like', () => {
  expect(found('<p>Nothing</p>', 'console/src/app/app.test.tsx')).toEqual([]);
  expect(found('<p>Nothing</p>', 'e2e/support/page.tsx')).toEqual([]);
});
