import type { SourceFile } from '../../source-files.ts';
import { type Finding, isTestFile, lineAt } from '../finding.ts';

/** Companies and services behind channel types. Model families (gpt, claude, llama ...) are data, not vendors. */
const vendors = [
  'ai360', 'ai-?proxy', 'aigc2d', 'ails', 'ali(?:yun|baba|bailian)', 'api2gpt', 'azure', 'baidu', 'bedrock', 'bytedance', 'caipacity',
  'cohere', 'coze', 'dashscope', 'deepseek', 'dify', 'doubao', 'fastgpt', 'fireworks', 'groq', 'hunyuan', 'jina', 'kling',
  'lingyi(?:wanwu)?', 'luma', 'minimax', 'mistral', 'mokaai', 'moonshot', 'ohmygpt', 'openaimax', 'openrouter', 'perplexity',
  'qianfan', 'silicon(?:flow|cloud)', 'tencent', 'vertex', 'volc(?:es|engine)?', 'xai', 'xfyun', 'xinference', 'xunfei', 'zhipu',
]; // biome-ignore format: one name per line would hide the list
/** Companies whose name is also that of a wire dialect. */
const dialects = ['openai', 'anthropic', 'gemini'];

const vendorWord = new RegExp(`(?<![a-z])(?:${vendors.join('|')})(?![a-z])`, 'gi');
const dialectWord = new RegExp(`(?<![a-z])(?:${dialects.join('|')})(?![a-z])`, 'gi');
/** What follows a dialect's name when it names the dialect, a header or a field of it: openai-chat, openai_organization. */
const dialectSuffix = /^[-_][a-z]/;

const inScope = /^(contract|wire|server|console)\/.*\.(ts|tsx)$/;

/** Refuses vendor names outside of folders named `providers`: declare a property of the provider record instead. */
export function checkVendors(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => inScope.test(file.path) && !/(^|\/)providers\//.test(file.path) && !isTestFile(file.path))
    .flatMap((file) => [...vendorFindings(file), ...(file.path.startsWith('wire/') ? [] : dialectFindings(file))]);
}

function vendorFindings({ path, text }: SourceFile): Finding[] {
  return [...text.matchAll(vendorWord)].map((match) => ({
    path,
    line: lineAt(text, match.index),
    message: `names the vendor "${match[0]}": move it into a folder named providers/ and declare a property there`,
  }));
}

function dialectFindings({ path, text }: SourceFile): Finding[] {
  return [...text.matchAll(dialectWord)]
    .filter((match) => !dialectSuffix.test(text.slice(match.index + match[0].length)))
    .map((match) => ({
      path,
      line: lineAt(text, match.index),
      message: `names "${match[0]}", which is a vendor unless it is a protocol id such as openai-chat`,
    }));
}
