/** What the editor asks for one channel type. A new type is a line in a table, not a branch in a form. */
export interface TypeDescriptor {
  baseUrl: {
    label: () => string;
    hint?: () => string;
    placeholder?: string;
    required: boolean;
  };
  key: { hint?: () => string; placeholder: string };
  /** The provider's organization header. */
  organization: boolean;
  /** Extra settings stand with the main fields instead of in the advanced fold. */
  settingInMain: boolean;
}
