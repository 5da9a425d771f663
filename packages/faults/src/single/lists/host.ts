import { inFile } from '../fault.ts'
import { type GuardedFault, noticedBy } from '../guarded.ts'

const election = ['packages/host/test/seats.test.ts', 'packages/host/test/folder.test.ts']
const talk = [
  'packages/host/test/takeover.test.ts',
  'packages/host/test/strangers.test.ts',
  'packages/host/test/forms.test.ts',
  'packages/host/test/store/another-process.test.ts',
]
const file = ['packages/host/test/file.test.ts']
const processes = ['packages/host/test/processes.test.ts']

/** The counts of a machine, which one of its processes holds. */
export const hostFaults: readonly GuardedFault[] = [
  ...noticedBy(
    election,
    inFile(
      'packages/host/src/seats.ts',
      [
        'who comes late takes the place of who holds the counts',
        '!== dead.get(other)',
        '=== undefined',
        'two processes hold the counts, and each admits the whole limit',
      ],
      [
        'what is removed is not looked at',
        'if (at.holds()) remove(file)',
        'remove(file)',
        'who leaves removes the socket of who has come after it, and a third process holds counts of its own',
      ],
      [
        'a socket has the mode that the system gives it',
        'chmodSync(before, 0o600)',
        'chmodSync(before, 0o666)',
        'other users may ask for counts, and block clients',
      ],
      [
        'a connection that a dying process resets is trouble',
        "else if (error.code === 'ECONNRESET') resolve(soon().then(() => connectTo(address)))",
        '',
        'processes decide by themselves for a while when the one that holds the counts dies',
      ],
      [
        'dead sockets stay',
        'for (const other of others) remove(path.join(folder, other))',
        'for (const other of others.slice(1)) remove(path.join(folder, other))',
        'the folder is never empty again',
      ],
    ),
    inFile(
      'packages/host/src/folder.ts',
      [
        'a folder that a group may enter will do',
        '(found.mode & 0o077)',
        '(found.mode & 0o007)',
        'users of the same group may block clients',
      ],
      [
        'what PM2 starts is taken for the program',
        'return (isOfPm2 && process.env.pm_exec_path) || started',
        'return started',
        'applications under one PM2 count together',
      ],
    ),
  ),
  ...noticedBy(
    talk,
    inFile('packages/host/src/desk.ts', [
      'a receipt of counts that are gone gives back',
      'return isForeign && !partsOf(check.policy).inFlight ? []',
      'return isForeign && partsOf(check.policy).inFlight ? []',
      'more is admitted than the limit, by what was charged elsewhere',
    ]),
    inFile('packages/host/src/hello.ts', [
      'any version will do',
      'if (theirs === version()) return',
      "if (typeof theirs === 'string') return",
      'numbers of another version are taken for what they are not',
    ]),
    inFile('packages/host/src/call.ts', [
      'what was under way is not asked again',
      'if (this.#isSecond || this.done) return false',
      'if (!this.#isSecond) return false',
      'a takeover is seen by requests: the fallback answers them',
    ]),
    inFile('packages/host/src/wire/rows.ts', [
      'rows of several checks are read from the first',
      'readRow(list, i * members, checks[i])',
      'readRow(list, 0, checks[i])',
      'a request is told the numbers of another policy',
    ]),
    inFile('packages/host/src/wire/questions.ts', [
      'a question that only looks is written as one that takes',
      'maxWaitUs === 0 && take &&',
      'maxWaitUs === 0 &&',
      'a peek is charged',
    ]),
    inFile('packages/host/src/frames.ts', [
      'a frame may be of any length',
      'if (length > mostBytes)',
      'if (length > 2 ** 40)',
      'a stranger is waited for without an end',
    ]),
  ),
  ...noticedBy(
    file,
    inFile('packages/host/src/counts-file.ts', [
      'a file is believed as it is',
      'text.slice(end, -1) !== digestOf(text.slice(0, end))',
      "text.slice(end, -1) === ''",
      'counts of a damaged file are counted on',
    ]),
    inFile(
      'packages/host/src/kept.ts',
      [
        'blocks are not written',
        'if (lifeUs <= 0 && block === undefined && count === undefined) return undefined',
        'if (lifeUs <= 0) return undefined',
        'a client that was blocked passes after a restart',
      ],
      [
        'how often a key was blocked is not read',
        'if (count !== undefined && table.slotOf(key) >= 0)',
        'if (count !== undefined && table.slotOf(key) < 0)',
        'blocks begin anew at their shortest after a restart',
      ],
    ),
  ),
  ...noticedBy(
    processes,
    inFile('packages/host/src/seats.ts', [
      'a listening socket keeps its process',
      'resolve(server.unref())',
      'resolve(server)',
      'a program that is done never ends',
    ]),
  ),
]
