import { describeProblem, isLimitsError, type ListsFile, listsFile } from '@sluice/limits'
import { Complaint } from './complaint.ts'

/** Lists in a file, for when Redis is away: it is read again whenever it changes. Throws a Complaint that contains all problems. */
export function openLists(file: string | undefined): readonly ListsFile[] {
  if (file === undefined) return []
  try {
    return [listsFile(file)]
  } catch (error) {
    if (!isLimitsError(error)) throw error
    throw new Complaint(2, error.problems.map(describeProblem).join('\n'))
  }
}
