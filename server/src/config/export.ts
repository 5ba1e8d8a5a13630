import { Document, isScalar, Scalar, visit } from 'yaml';
import { type Crypto, sha256 } from '../platform/crypto.ts';
import { optionShapes } from '../settings/index.ts';
import { formatVersion } from './change.ts';
import { keyBinding, proxyBinding } from './channel-entry.ts';
import { describeOption, optionBinding } from './option-entry.ts';
import { gatherEntries, type MapSection, mapSections, spreadOptions } from './option-maps.ts';
import { sortText } from './plan-channels.ts';
import type { Present, PresentChannel } from './present.ts';
import { referenceWriter, type SecretForm } from './references.ts';
import { compare, isRecord, Secret, type Value } from './value.ts';

type Write = ReturnType<typeof referenceWriter>;

const header = ` Tollgate's configuration: see "Configuration as code" in docs/operations.md, and npx tollgate config --help.
 What a channel or an entry leaves out has its default.`;

/**
 * The configuration as YAML: the same text for the same configuration. Throws where a secret shall be sealed and does not
 * open.
 */
export function exportConfig(present: Present, { secrets, crypto }: { secrets: SecretForm; crypto: Crypto }): string {
  const lost = present.unreadable.filter((key) => optionShapes.get(key)?.form === 'secret');
  if (secrets === 'sealed' && lost.length > 0) throw new Error(`Do not open with this master key: ${lost.join(', ')}`);
  const write = referenceWriter(secrets, crypto);
  const hide = (plain: string): string => crypto.hmac('audit', plain);
  const channels = present.channels.map((channel) => ({ channel, text: sortText(channel, hide) }));
  const sorted = channels.sort((left, right) => compare(left.text, right.text)).map(({ channel }) => channel);
  const defaults = new Map([...optionShapes].map(([key, { fallback }]) => [key, fallback]));
  const entries = (section: MapSection): Value =>
    // Also those that only the defaults have: what is not named would stay where the file is applied.
    Object.fromEntries(
      [...gatherEntries(section, present.options, gatherEntries(section, defaults).keys())].map(([name, fields]) => [
        name,
        Object.fromEntries(fields),
      ]),
    );
  const content = {
    version: formatVersion,
    channels: sorted.map((channel) => channelEntry(channel, secrets, write)),
    ...(Object.fromEntries(Object.keys(mapSections).map((name) => [name, entries(name as MapSection)])) as object),
    options: options(present.options, secrets, write),
  };
  return printed(content as Value);
}

function channelEntry({ row, fields, keys }: PresentChannel, form: SecretForm, write: Write): Value {
  const variable = `TOLLGATE_KEY_${upperCase(row.name)}`;
  const written = keys.map((key, index) =>
    write(key, { binding: keyBinding(row), variable: keys.length === 1 ? variable : `${variable}_${index + 1}` }),
  );
  const { setting, ...rest } = Object.fromEntries(fields) as { [name: string]: Value };
  const proxy = setting !== undefined && isRecord(setting) ? setting.proxy : undefined;
  const shown =
    proxy instanceof Secret
      ? {
          ...(setting as object),
          proxy: write(proxy, { binding: proxyBinding, variable: `TOLLGATE_PROXY_${upperCase(row.name)}` }),
        }
      : setting;
  return {
    name: row.name,
    ...rest,
    ...(shown === undefined ? {} : { setting: shown as Value }),
    ...(form === 'none' && keys.length > 0 ? {} : { keys: written }),
  };
}

/** A name in the environment; names in other letters are told apart by a piece of their hash. */
function upperCase(name: string): string {
  const plain = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
  const isWhole = /^[A-Za-z0-9_ .-]+$/.test(name) && plain.length <= 60;
  return isWhole ? plain : [plain.slice(0, 40), sha256(name).slice(0, 8).toUpperCase()].filter((part) => part !== '').join('_');
}

function options(texts: ReadonlyMap<string, string>, form: SecretForm, write: Write): Value {
  const set = [...optionShapes.values()].filter(({ key, fallback }) => !spreadOptions.has(key) && texts.get(key) !== fallback);
  return Object.fromEntries(
    set.flatMap((shape): [string, Value][] => {
      const value = describeOption(shape, texts.get(shape.key) ?? '');
      if (!(value instanceof Secret)) return [[shape.key, value]];
      if (form === 'none') return [];
      const variable = `TOLLGATE_OPTION_${upperCase(shape.key)}`;
      return [[shape.key, write(value, { binding: optionBinding(shape.key, texts), variable })]];
    }),
  );
}

function printed(content: Value): string {
  const document = new Document(content, { aliasDuplicateObjects: false, version: '1.2' });
  document.commentBefore = header;
  visit(document, {
    // Line breaks that a block would change, and what a terminal would take for a command.
    Scalar(_, node) {
      if (isScalar(node) && typeof node.value === 'string' && /[^\P{C}\n]|[\u2028\u2029]/u.test(node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return document.toString({ lineWidth: 0 });
}
