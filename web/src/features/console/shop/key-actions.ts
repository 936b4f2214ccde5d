import { Ban } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { staffCdKeysVoid, staffCdKeyVoid } from '@/lib/api/gen/staff/sdk.gen'
import type { KeyBatch, KeyItem } from '@/lib/api/gen/staff/types.gen'
import type { Action } from '../parts/action'
import { batchName } from './key-batch-parts'

/** Ends a whole batch: the size is typed, since nothing brings the keys back. */
export function useVoidBatch(): Action<KeyBatch> {
  const { t } = useTranslation('console/cdkey')
  return {
    key: 'void',
    icon: Ban,
    title: t('void'),
    permission: 'cdkey.void',
    danger: 'T',
    isShown: ({ voided_at: voided }) => voided === null,
    typed: ({ size }) => String(size),
    effect: (batch) =>
      t('voidEffect', {
        name: batchName(batch),
        count: batch.size * batch.max_uses - batch.used,
      }),
    run: ({ id }, { reason }) =>
      staffCdKeysVoid({
        path: { batch_id: id },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: (batch) => t('voided', { name: batchName(batch) }),
  }
}

export function useVoidKey(batchId: number): Action<KeyItem> {
  const { t } = useTranslation('console/cdkey')
  return {
    key: 'void',
    icon: Ban,
    title: t('void'),
    permission: 'cdkey.void',
    danger: 'R',
    isShown: ({ voided_at: voided, used, max_uses: uses }) => voided === null && used < uses,
    effect: ({ prefix }) => t('voidKeyEffect', { prefix }),
    run: ({ id }, { reason }) =>
      staffCdKeyVoid({
        path: { batch_id: batchId, key_id: id },
        body: { reason: String(reason) },
        throwOnError: true,
      }),
    done: ({ prefix }) => t('voidedKey', { prefix }),
  }
}
