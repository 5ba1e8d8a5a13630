import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyChannel, anyOptions } from '../../test/config-arbitrary.ts';
import { createConfigKit } from '../../test/config-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const cases = 12;

onEachEngine((_engine, open) => {
  test(`whatever is configured: what is exported changes nothing here, and makes the same bytes of nothing (${cases} configurations)`, async () => {
    const kit = await createConfigKit(await open());
    const configuration = fc.record({ channels: fc.array(anyChannel, { maxLength: 5 }), options: anyOptions });
    await fc.assert(
      fc.asyncProperty(configuration, async ({ channels, options }) => {
        await kit.wipe();
        for (const channel of channels) await kit.channels.create(channel);
        if (options.length > 0) await kit.settings.save(options);
        const text = await kit.export();
        expect(text).not.toContain('planted');
        expect(await kit.plan(text, true)).toMatchObject({ changes: [], faults: [] });
        await kit.wipe();
        const plan = await kit.plan(text);
        expect((await kit.apply(text)).changes).toEqual(plan.changes);
        expect(await kit.export()).toBe(text);
        expect(await kit.plan(text, true)).toMatchObject({ changes: [], faults: [] });
      }),
      { numRuns: cases },
    );
  });
});
