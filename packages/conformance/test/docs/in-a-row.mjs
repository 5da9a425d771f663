// In a thread: runs the programs of `workerData` one after the other, and prints a NUL before what each prints, on both streams.
// What several of them import is loaded once, which is most of what a program takes. One has ended when it waits for nothing more, as its
// process would.
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'

const files = workerData.values()
let isLoading = false

process.on('beforeExit', async () => {
  // So Node ends a program that waits, outside of all functions, for what never comes.
  if (isLoading) process.exit(13)
  if (process.exitCode) process.exit()
  const { value: file, done } = files.next()
  if (done) return
  for (const stream of [process.stdout, process.stderr]) stream.write('\0')
  // One that starts itself again looks here for its name.
  process.argv[1] = file
  isLoading = true
  await import(pathToFileURL(file))
  isLoading = false
})
