import {
  type_account_id,
  type_account_id_hint,
  type_api_version,
  type_api_version_hint,
  type_cloud_endpoint,
  type_cloud_endpoint_example,
  type_cloud_endpoint_hint,
  type_dialog_notice,
  type_knowledge,
  type_knowledge_hint,
  type_path_prefix,
  type_path_prefix_example,
  type_path_prefix_hint,
  type_spark_version,
  type_spark_version_hint,
} from '../../../i18n/generated/messages.ts';

interface Texts {
  label: () => string;
  hint: () => string;
  /** An example; texts of vendors are messages. */
  example: () => string;
}

/** Words of a type that the general ones do not fit (contract 4.3). */
interface TypeNames {
  address?: Texts;
  other?: Texts;
  keyPlaceholder?: string;
  notice?: () => string;
}

const plain = (text: string) => () => text;

export const typeNames: Readonly<Record<number, TypeNames>> = {
  3: {
    address: { label: type_cloud_endpoint, hint: type_cloud_endpoint_hint, example: type_cloud_endpoint_example },
    other: { label: type_api_version, hint: type_api_version_hint, example: plain('2024-12-01-preview') },
  },
  18: { other: { label: type_spark_version, hint: type_spark_version_hint, example: plain('v2.1') } },
  21: { other: { label: type_knowledge, hint: type_knowledge_hint, example: plain('123456') } },
  22: { keyPlaceholder: 'APIKey-AppId' },
  36: { address: { label: type_path_prefix, hint: type_path_prefix_hint, example: type_path_prefix_example } },
  37: { keyPlaceholder: 'app-...', notice: type_dialog_notice },
  39: {
    other: { label: type_account_id, hint: type_account_id_hint, example: plain('d6b5da8hk1awo8nap34ube6gh') },
    keyPlaceholder: 'API token',
  },
};
