import { expect, test } from 'vitest';
import { isNearby } from './nearby.ts';

test.each([
  ...['http://localhost:8080', 'http://127.0.0.1', 'http://10.1.2.3', 'http://172.16.0.1', 'http://192.168.1.1', 'http://ollama'],
  ...['http://[::1]:11434', 'http://[fd12:3456::1]', 'http://[fc00::2]/v1', 'http://[FE80::1]', 'http://models.internal'],
])('%s is of this machine or its own network', (address) => {
  expect(isNearby(address)).toBe(true);
});

test.each([
  ...['http://203.0.113.7', 'http://172.32.0.1', 'http://models.example.com', 'not an address'],
  ...['http://[2001:db8::1]', 'http://[2606:4700::1111]:8080/v1'],
])('%s is not', (address) => {
  expect(isNearby(address)).toBe(false);
});
