import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../api/errors.ts';
import { passkeyFaultText } from './passkey.ts';

const refusal = (name: string) => Object.assign(new Error('of the browser'), { name });

describe('what a browser refuses', () => {
  it('is told in words for who signs in and for who adds a passkey', () => {
    expect(passkeyFaultText(refusal('NotAllowedError'))).toBe('已取消，或此设备上没有可用的通行密钥');
    expect(passkeyFaultText(refusal('NotAllowedError'), true)).toBe('已取消或超时，没有添加通行密钥');
    expect(passkeyFaultText(refusal('InvalidStateError'), true)).toBe('此设备上已经有本站的通行密钥');
  });

  it('at another address than the operator set is no matter of HTTPS', () => {
    expect(passkeyFaultText(refusal('SecurityError'))).toMatch(/用那个域名打开页面/);
    for (const name of ['ConstraintError', 'NotSupportedError']) expect(passkeyFaultText(refusal(name))).toMatch(/请换一个再试/);
  });

  it("is kept apart from the server's own words", () => {
    expect(passkeyFaultText(refusalOf(new Response(null, { status: 200 }), '通行密钥数量已达上限'), true)).toBe(
      '通行密钥数量已达上限',
    );
  });
});
