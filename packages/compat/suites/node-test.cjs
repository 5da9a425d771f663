const path = require('node:path')

/** A reporter for node:test that writes a line of JSON for each test, as results.mjs reads them. */
module.exports = async function* lines(events) {
  let titles = []
  for await (const { type, data } of events) {
    if (type === 'test:start') titles = [...titles.slice(0, data.nesting), data.name]
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite' || data.skip !== undefined) continue
    const above = titles.slice(0, data.nesting)
    const name = [path.basename(data.file ?? '', '.test.js'), ...above, data.name].join(' › ')
    const { cause, message } = data.details.error ?? {}
    const [why] = String(cause?.message ?? message ?? '').split('\n')
    yield `${JSON.stringify({ name, ok: type === 'test:pass', why })}\n`
  }
}
