import i18next from 'i18next'
import { expect, it } from 'vitest'
import { startI18n } from '@/app/i18n'
import { ApiError, type Attempt } from './api/errors'
import { problemText } from './server-problem'

const repeatable = 'It is safe to try again'
const ofServer = 'Look whether it took effect'

it.each<[string, Attempt | undefined, string]>([
  ['outcome_unknown', 'keyed', repeatable],
  ['outcome_unknown', 'change', ofServer],
  ['outcome_unknown', undefined, ofServer],
  ['database_busy', 'keyed', ofServer],
])('of the answer %s to a call that is %s says: %s', async (code, attempt, text) => {
  document.documentElement.lang = 'en'
  await startI18n()
  const error = new ApiError(`${ofServer}.`, { status: 503, code, attempt })
  expect(problemText(error, i18next.getFixedT(null, 'common'))).toContain(text)
})
