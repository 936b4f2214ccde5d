import { Button, FileButton, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { siteOptions } from '@/lib/api/site'
import { staffSitePictureRemove, staffSitePictureSet } from '@/lib/api/gen/staff/sdk.gen'
import { problemText } from '@/lib/server-problem'
import { FormError } from '@/ui/form-error'
import { useMay } from '../parts/permissions'
import classes from './settings.module.css'

type Name = 'logo' | 'icon'

const base64Of = async (file: File) => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''))
}

/** A picture of the site: which there is, another one, none of its own. */
export function SitePicture({ name }: { name: Name }) {
  const { t } = useTranslation('console/system')
  const may = useMay()
  const { data: site } = useQuery(siteOptions())
  const address = name === 'logo' ? site?.look.logo_url : site?.look.icon_url
  return (
    <div>
      <Text fw={600}>{t(`look.${name}`)}</Text>
      <Text size="sm" c="dimmed" mb="xs">
        {t(`look.${name}About`)}
      </Text>
      {address ? (
        <img src={address} alt={t(`look.${name}`)} className={classes.picture} />
      ) : (
        <Text size="sm">{t('look.builtin')}</Text>
      )}
      {may('setting.write') && <Buttons name={name} isOwn={Boolean(address)} />}
    </div>
  )
}

function Buttons({ name, isOwn }: { name: Name; isOwn: boolean }) {
  const { t } = useTranslation('console/system')
  const { t: common } = useTranslation()
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: siteOptions().queryKey })
  const change = useMutation({
    mutationFn: async (file: File | undefined) => {
      const path = { name }
      if (!file) return staffSitePictureRemove({ path, throwOnError: true })
      const data = await base64Of(file)
      return staffSitePictureSet({ path, body: { data }, throwOnError: true })
    },
    onSuccess,
  })
  const { isPending, error } = change
  return (
    <>
      <Group gap="sm" mt="xs">
        <FileButton
          accept={name === 'icon' ? 'image/png' : 'image/png,image/jpeg,image/webp'}
          onChange={(file) => file && change.mutate(file)}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="sm"
              loading={isPending}
              leftSection={<Upload size={16} aria-hidden />}
              aria-label={`${t('look.upload')}: ${t(`look.${name}`)}`}
            >
              {t('look.upload')}
            </Button>
          )}
        </FileButton>
        {isOwn && (
          <Button
            variant="default"
            size="sm"
            disabled={isPending}
            onClick={() => change.mutate(undefined)}
            aria-label={`${t('look.remove')}: ${t(`look.${name}`)}`}
          >
            {t('look.remove')}
          </Button>
        )}
      </Group>
      <FormError message={error ? problemText(error, common) : undefined} />
    </>
  )
}
