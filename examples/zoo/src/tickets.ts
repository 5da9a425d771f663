/** Numbers the tickets of this process, such as T-0417. Animals with the same first letter share numbers, so that no two tickets are equal. */
export class TicketRoll {
  readonly #sold = new Map<string, number>()

  next(animal: string): string {
    const letter = animal.charAt(0).toUpperCase()
    const number = (this.#sold.get(letter) ?? 0) + 1
    this.#sold.set(letter, number)
    return `${letter}-${String(number).padStart(4, '0')}`
  }
}
