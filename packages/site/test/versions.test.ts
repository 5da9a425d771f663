import { expect, test } from '@jest/globals'
import { repositoryOf } from '../src/repository.ts'
import { versionsOf } from '../src/versions.ts'

test('the current version comes first, then those of the tags by their numbers', () => {
  const versions = versionsOf('1.0.0', ['v0.9.0', 'v0.10.0', 'v1.0.0', 'v1.0.0-beta.1', 'other', ''])
  expect(versions.map(({ name, folder, tag }) => [name, folder, tag])).toEqual([
    ['1.0.0', '', null],
    ['0.10.0', 'versions/0.10.0', 'v0.10.0'],
    ['0.9.0', 'versions/0.9.0', 'v0.9.0'],
  ])
})

test.each([
  [{}, null],
  [{ repository: 'owner/name' }, 'https://github.com/owner/name'],
  [{ repository: 'github:owner/name' }, 'https://github.com/owner/name'],
  [{ repository: { url: 'git+https://example.com/owner/name.git' } }, 'https://example.com/owner/name'],
  [{ repository: { url: 'https://example.com/owner/name/' } }, 'https://example.com/owner/name'],
])('the repository of %j is %j', (manifest, expected) => {
  expect(repositoryOf(manifest)).toBe(expected)
})
