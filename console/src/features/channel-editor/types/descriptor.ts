/** What the editor asks for one channel type. A new type is a line in the contract's table, not a branch in a form. */
export interface TypeDescriptor {
  /** Absent: the address follows from other fields and is not asked for, as long as none is set. */
  address?: FieldTexts & { required: boolean };
  key: {
    placeholder: string;
    /** One credential that may have several lines, instead of one per line. */
    whole: boolean;
    /** Texts joined by `|` that a key needs at least. */
    minParts: number;
  };
  /** The field `other`, named after what it holds for this type. */
  other?: FieldTexts & {
    required: boolean;
    /** Sent when it is left empty. */
    fallback: string;
    /** May be a JSON object. */
    json: boolean;
  };
  /** What operators should know before they fill it in. */
  notice?: () => string;
  /** The provider's organization header. */
  organization: boolean;
  /** Extra settings stand with the main fields instead of in the advanced fold. */
  settingInMain: boolean;
  /** The address is used as it is, nothing is appended. */
  completeUrl: boolean;
}

/** How a field is named and explained. */
export interface FieldTexts {
  label: () => string;
  hint: () => string;
  placeholder: string;
}
