import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import type { ImagePart } from '../../chat/parts.ts';
import type { ChatRequest } from '../../chat/request.ts';
import type { JsonObject } from '../../json.ts';
import { unspoken } from '../losses.ts';
import { flattened } from '../turns.ts';

export const dialect = 'dify-chat';
const maxFiles = 10;

/** An application is asked one question; the model and all settings are the application's own. */
export function encodeRequest(request: ChatRequest, _context: RequestContext): Encoded {
  const losses = unspoken(request, ['user']);
  const files = filesOf(request, losses);
  const body: JsonObject = {
    inputs: {},
    query: flattened(withoutImages(request), losses),
    response_mode: request.stream ? 'streaming' : 'blocking',
    user: request.user ?? 'user',
    auto_generate_name: false,
  };
  if (files.length > 0) body.files = files;
  return { body, losses: [...losses] };
}

function withoutImages(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => part.kind !== 'image'),
  }));
  return { ...request, messages };
}

/**
 * Pictures of the last message that has any; all others are lost. One that comes along is a file of the application's own:
 * it has a data URL where its id will stand, and whoever sends the request uploads it first.
 */
function filesOf({ messages }: ChatRequest, losses: Set<string>): JsonObject[] {
  const byMessage = messages.map(({ parts }) => parts.filter((part): part is ImagePart => part.kind === 'image'));
  const last = byMessage.findLastIndex((images) => images.length > 0);
  const files: JsonObject[] = [];
  for (const [index, images] of byMessage.entries()) {
    for (const { source, detail = 'auto' } of images) {
      if (detail !== 'auto') losses.add('image_detail');
      const file = index === last && files.length < maxFiles ? fileOf(source) : undefined;
      if (file === undefined) losses.add('image');
      else files.push({ type: 'image', ...file });
    }
  }
  return files;
}

function fileOf(source: ImagePart['source']): JsonObject | undefined {
  if (source.at === 'url') return { transfer_method: 'remote_url', url: source.url };
  if (source.at !== 'inline') return undefined;
  return { transfer_method: 'local_file', upload_file_id: `data:${source.mediaType};base64,${source.base64}` };
}
