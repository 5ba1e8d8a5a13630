import type { SourceFile } from '../../source-files.ts';
import { type Finding, isTestFile, lineAt, literals, withoutComments, withoutLiterals } from '../finding.ts';

/** Companies and services behind channel types. Model families (gpt, claude, llama ...) are data, not vendors. */
const vendors = [
  'ai360|ai-?proxy|aigc2d|ails|ali(?:yun|baba|bailian)|api2gpt|azure|baidu|bedrock|bytedance|caipacity|cohere|coze|dashscope',
  'deepseek|dify|doubao|fastgpt|fireworks|groq|hunyuan|jina|kling|lingyi(?:wanwu)?|luma|minimax|mistral|mokaai|moonshot|ohmygpt',
  'openaimax|openrouter|perplexity|qianfan|silicon(?:flow|cloud)|tencent|vertex|volc(?:es|engine)?|xai|xfyun|xinference|xunfei|zhipu',
].join('|');
/** Companies whose name is also that of a wire dialect: openai-chat, openaiChat and openai_organization are the dialect. */
const dialects = 'openai|anthropic|gemini';

const vendorWord = new RegExp(vendors, 'gi');
/** The bare name, as a whole literal or a whole identifier: that is what a branch on a vendor looks like. A label has capitals. */
const bareLiteral = new RegExp(`^['"\`](?:${dialects})['"\`]$`);
const bareIdentifier = new RegExp(`(?<![\\w$-])(?:${dialects})(?![\\w$-])`, 'gi');

const inScope = /^(contract|wire|server|console)\/.*\.(ts|tsx)$/;

/** Refuses vendor names outside of folders named `providers`: declare a property of the provider record instead. */
export function checkVendors(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => inScope.test(file.path) && !/(^|\/)providers\//.test(file.path) && !isTestFile(file.path))
    .flatMap((file) => [...vendorFindings(file), ...(file.path.startsWith('wire/') ? [] : dialectFindings(file))]);
}

function vendorFindings({ path, text }: SourceFile): Finding[] {
  return [...text.matchAll(vendorWord)]
    .filter(({ index, 0: name }) => isWord(text, index, name))
    .map((match) => ({
      path,
      line: lineAt(text, match.index),
      message: `names the vendor "${match[0]}": move it into a folder named providers/ and declare a property there`,
    }));
}

/** `isMoonshot` and `moonshotKey` hold a word, `details` does not. */
function isWord(text: string, offset: number, name: string): boolean {
  const before = text[offset - 1] ?? '';
  const after = text[offset + name.length] ?? '';
  const starts = !/[a-z]/i.test(before) || (/[a-z]/.test(before) && /^[A-Z]/.test(name));
  return starts && !/[a-z]/.test(after);
}

function dialectFindings({ path, text }: SourceFile): Finding[] {
  const code = withoutComments(text);
  const named = [
    ...literals(code).filter((literal) => bareLiteral.test(literal.text)),
    ...[...withoutLiterals(code).matchAll(bareIdentifier)].map((match) => ({ offset: match.index, text: match[0] })),
  ];
  return named.map((name) => ({
    path,
    line: lineAt(code, name.offset),
    message: `names ${name.text}, which is a vendor unless it is a protocol id such as openai-chat`,
  }));
}
