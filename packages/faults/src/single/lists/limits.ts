import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const folder = 'packages/limits/src'
const test = 'packages/limits/test'

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/** Files, trees, reloads and lists. */
export const limitsFaults: readonly GuardedFault[] = [
  ...noticedBy(
    [`${test}/walk.test.ts`, `${test}/limiter.test.ts`, `${test}/names.test.ts`],
    inFile(
      `${folder}/tree.ts`,
      [
        'names with a slash are paths',
        ".replaceAll('/', '%2F')",
        '',
        'the limits of user/a are those of a user who is called so',
      ],
      [
        'any name comes before its own',
        'if (own !== undefined) return own\n',
        'if (any === undefined && own !== undefined) return own\n',
        'an exception for one name never applies',
      ],
    ),
    inFile(
      `${folder}/read.ts`,
      [
        'a deny below a deny is named',
        'denied: way.denied ?? pattern',
        'denied: pattern',
        'a refusal names another place than the one that refuses',
      ],
      [
        'unlimited lifts nothing',
        'return { ...way, met: [], lifted: pattern, matched: true }',
        'return { ...way, lifted: pattern, matched: true }',
        'what is unlimited is refused by the limits above it',
      ],
    ),
    inFile(`${folder}/tree.ts`, [
      'a level counts the whole path',
      'return depth === path.length ? path : path.slice(0, depth)',
      'return path',
      'a user has the limit of all actions for each action',
    ]),
    inFile(`${folder}/path-questions.ts`, [
      'all levels are managed',
      '.filter((_, i) => met[i]?.depth === last.depth)',
      '',
      'a block of one action blocks the whole user',
    ]),
  ),
  ...noticedBy(
    [`${test}/together.test.ts`],
    inFile(`${folder}/together.ts`, [
      'of several paths the first is charged',
      '{ ...known, cost: known.cost + check.cost }',
      'known',
      'a limit that two paths meet is charged for one',
    ]),
    inFile(`${folder}/tree-limiter.ts`, [
      'a shadow level refuses its path',
      'levels.every((level) => level.allowed || level.check.lane.shadow)',
      'levels.every((level) => level.allowed)',
      'a part of an allowed decision is refused',
    ]),
  ),
  ...noticedBy(
    [`${test}/reload.test.ts`, `${test}/reloads.test.ts`, `${test}/watch.test.ts`],
    inFile(
      `${folder}/reload.ts`,
      [
        'a broken file stops reloads',
        'return report({ ok: false, problems: error.problems })',
        'throw error',
        'after one mistake no change of the file is seen',
      ],
      [
        'two reloads at once',
        'last = last.then(reload)',
        'void last.then(reload)',
        'the older of two texts may stay in force',
      ],
    ),
    inFile(
      `${folder}/watch.ts`,
      [
        'a half written file is read',
        'if (mark !== this.#seen) {\n      this.#seen = mark\n      this.#lookSoon()\n    } else if (mark !== this.#reported) {',
        'if (mark !== this.#reported) {',
        'a file is read while an editor writes it',
      ],
      [
        'a watch outlives its limiter',
        'clearInterval(this.#poll)\n',
        '',
        'a closed limiter goes on looking at its file',
      ],
    ),
    inFile(`${folder}/load.ts`, [
      'a file that is broken at the start is watched on',
      'watch.close()\n    throw error',
      'throw error',
      'a limiter that was never made keeps watching its file',
    ]),
  ),
  ...noticedBy(
    [`${test}/lists-file.test.ts`],
    inFile(
      `${folder}/lists-file.ts`,
      [
        'a later watcher hears of no failure',
        'if (this.#error !== undefined) watcher.reloadFailed({ source: this.#file, error: this.#error })\n',
        '',
        'a limiter that is made after a broken reload says that all is well',
      ],
      [
        'a list that is well again stays broken',
        'this.#error = undefined\n    for',
        'for',
        'health says that a reload has failed long after it was mended',
      ],
      [
        'an error of a logger ends all reloads',
        'try {\n      this.#logger.error(`[sluice] the previous lists stay in force: ${error}`)\n    } catch {\n      // An error of the logger must not affect the lists.\n    }',
        'this.#logger.error(`[sluice] the previous lists stay in force: ${error}`)',
        'after one mistake in a file no change of it is seen, and the process may end',
      ],
      [
        'a list that is broken at the start is watched on',
        'this.close()\n      throw error',
        'throw error',
        'lists that were never made keep looking at their file',
      ],
    ),
    inFile(
      `${folder}/read-lists.ts`,
      [
        'milliseconds are taken for microseconds in a list',
        '(endMs - nowMs) * 1000 }',
        '(endMs - nowMs) }',
        'an entry for a day ends in a minute and a half',
      ],
      [
        'what has ended applies',
        'if (endMs === undefined || endMs <= nowMs) return undefined',
        'if (endMs === undefined) return undefined',
        'entries that are over make the list of all requests longer',
      ],
      [
        'a number of a list is read as one',
        'return node.value === null ? null : (node.source ?? String(node.value))',
        'return node.value === null ? null : String(node.value)',
        'the key 007 of a file denies the user 7',
      ],
      [
        'a file of lists has no bound',
        'if (node.items.length > mostEntries)',
        'if (node.items.length > 2 * mostEntries)',
        'a slip in a program that writes the file makes each request slow',
      ],
    ),
  ),
  ...noticedBy(
    [`${test}/durations.test.ts`, `${test}/read.test.ts`, `${test}/endless.test.ts`],
    inFile(`${folder}/plain.ts`, [
      'durations without a unit are milliseconds',
      "typeof value === 'number' && value !== 0 && this.#durations.has(name)",
      "typeof value === 'number' && value < 0 && this.#durations.has(name)",
      'window: 60 is a limit per 60 ms',
    ]),
    inFile(`${folder}/read-policy.ts`, [
      'a list of numbers is in another order',
      'const [burst, count, seconds] = parts.map((each, i) => readWhole(document, each, i === 2 ? 1 : 0))',
      'const [count, burst, seconds] = parts.map((each, i) => readWhole(document, each, i === 2 ? 1 : 0))',
      '[15, 30, 60] is 15 per minute and a burst of 30',
    ]),
    inFile(`${folder}/document.ts`, [
      'a name that stands twice is the last',
      "if (entries.has(entry.name)) this.note(entry.key, 'each name once', `${quoted(entry.name)} again`)\n      else ",
      '',
      'of two limits of one name one is silently lost',
    ]),
  ),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
