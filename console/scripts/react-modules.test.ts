import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { asModule, reactModules } from '../vite.plugins.ts';

const script = `"use strict";
var Other = require("other"),
  More = require("more/deep");
exports.unstable_now = void 0;
if (More.clock) {
  exports.choice = function () { return exports.plain; };
}
exports.plain = Other.part;
exports.LONG_NAME =
  1;
`;

describe('asModule', () => {
  test('exports and imports by name what a script exported and required', () => {
    expect(asModule(script)).toBe(`import * as Other from 'other';
import * as More from 'more/deep';
"use strict";

var exports_unstable_now = void 0;
if (More.clock) {
  exports_choice = function () { return exports_plain; };
}
var exports_plain = Other.part;
var exports_LONG_NAME =
  1;

var exports_choice;
export { exports_unstable_now as unstable_now, exports_choice as choice, exports_plain as plain, exports_LONG_NAME as LONG_NAME };`);
  });
});

describe('the modules that React is built as', () => {
  const require = createRequire(import.meta.url);
  const { load, transform } = reactModules() as unknown as {
    load(id: string): Promise<string | undefined>;
    transform(code: string): string;
  };

  test.each(['react', 'react/jsx-runtime', 'react-dom', 'react-dom/client', 'scheduler'])(
    '%s has all its parts',
    async (name) => {
      const code = (await load(require.resolve(name))) ?? '';
      expect(code).not.toMatch(/\brequire\(|\bmodule\.exports|\bexports\./);
      const [, list = ''] = /export \{ (.*) \};$/.exec(code) ?? [];
      const parts = list.split(', ').map((part) => part.split(' as ')[1]);
      const development = ['act', 'captureOwnerStack'];
      expect(parts).toEqual(
        expect.arrayContaining(Object.keys(require(name) as object).filter((key) => !development.includes(key))),
      );
    },
  );

  test('who asks for all of React gets its parts', () => {
    expect(transform(`import React, { useRef } from "react";`)).toBe(
      `import * as React from "react"; import { useRef } from "react";`,
    );
    expect(transform(`import React from 'react';`)).toBe(`import * as React from 'react';`);
    expect(transform(`import { useRef } from 'react';`)).toBe(`import { useRef } from 'react';`);
  });
});
