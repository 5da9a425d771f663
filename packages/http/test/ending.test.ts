import { describe, expect, it } from '@jest/globals'
import { Ending } from '../src/ending.ts'
import { exchangeOf } from './exchange.ts'

function endingsOf(ending: Ending): readonly unknown[] {
  const endings: unknown[] = []
  ending.whenOver((ended) => endings.push(ended))
  return endings
}

describe('Ending', () => {
  it('distinguishes a whole answer from one that was broken off', () => {
    for (const [finish, aborted] of [
      [true, false],
      [false, true],
    ]) {
      const { raw } = exchangeOf()
      const endings = endingsOf(new Ending(raw))
      raw.statusCode = 204
      raw.end()
      if (finish) raw.emit('finish')
      expect(endings).toEqual([])
      raw.emit('close')
      raw.emit('close')
      expect(endings).toEqual([{ status: 204, aborted }])
    }
  })

  it('reports an answer that nobody had ended as broken off, whatever the connection says', () => {
    const { raw } = exchangeOf()
    const endings = endingsOf(new Ending(raw))
    raw.emit('finish')
    raw.emit('close')
    expect(endings).toEqual([{ status: 499, aborted: true }])
  })

  it('reports at once what was over before it was asked, or before it was made', () => {
    const { raw } = exchangeOf()
    const ending = new Ending(raw)
    raw.emit('close')
    expect(endingsOf(ending)).toEqual([{ status: 499, aborted: true }])
    raw.destroy()
    expect(endingsOf(new Ending(raw))).toEqual([{ status: 499, aborted: true }])
  })
})
