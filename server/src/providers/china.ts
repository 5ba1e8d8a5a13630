import { ali } from './ali.ts';
import { baidu } from './baidu.ts';
import { dify } from './dify.ts';
import { library } from './library.ts';
import { moka } from './moka.ts';
import type { Provider } from './provider.ts';
import { tencent } from './tencent.ts';
import { xunfei } from './xunfei.ts';
import { zhipu, zhipuV4 } from './zhipu.ts';

/** Vendors in China that need more than a line in the table of compatible ones. */
export const chinaProviders: readonly Provider[] = [baidu, zhipu, ali, xunfei, library, tencent, zhipuV4, dify, moka];
