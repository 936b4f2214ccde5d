import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '@/ui/copy-button'
import classes from './tokens.module.css'

/** The token itself, which is shown only once. Closing asks whether it was saved. */
export function NewSecret(props: {
  secret: string
  isLeaving: boolean
  onStay: () => void
  onDone: () => void
}) {
  const { t } = useTranslation('developer')
  return (
    <Stack gap="md">
      <Text>{t('secret.text')}</Text>
      <p className={classes.secret} data-testid="secret">
        {props.secret}
      </p>
      {props.isLeaving ? (
        <>
          <p role="alert" className={classes.warning}>
            {t('secret.leave')}
          </p>
          <Group gap="sm" justify="flex-end">
            <Button variant="default" data-autofocus onClick={props.onStay}>
              {t('secret.stay')}
            </Button>
            <Button onClick={props.onDone}>{t('secret.kept')}</Button>
          </Group>
        </>
      ) : (
        <Group gap="sm" justify="space-between">
          <CopyButton text={props.secret} name={t('secret.name')} data-autofocus />
          <Button onClick={props.onDone}>{t('secret.kept')}</Button>
        </Group>
      )}
    </Stack>
  )
}
