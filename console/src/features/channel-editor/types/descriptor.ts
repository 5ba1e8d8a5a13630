/** What the editor asks for one channel type. A new type is a line in the contract's table, not a branch in a form. */
export interface TypeDescriptor {
  /** Absent: the address follows from other fields and is not asked for. */
  address?: {
    label: () => string;
    hint: () => string;
    placeholder: string;
    required: boolean;
  };
  key: {
    placeholder: string;
    /** One credential that may have several lines, instead of one per line. */
    whole: boolean;
    /** Texts joined by `|` that a key needs at least. */
    minParts: number;
  };
  /** The field `other`, named after what it holds for this type. */
  other?: {
    label: () => string;
    hint: () => string;
    required: boolean;
  };
  /** The provider's organization header. */
  organization: boolean;
  /** Extra settings stand with the main fields instead of in the advanced fold. */
  settingInMain: boolean;
  /** The address is used as it is, nothing is appended. */
  completeUrl: boolean;
}
