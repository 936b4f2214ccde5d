import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { singBoxApp } from '../harness/api-user.ts'
import { Download } from '../harness/download.ts'
import { newFolder } from '../harness/folder.ts'
import { Origin } from '../harness/origin.ts'
import { freePort } from '../harness/ports.ts'
import { Process } from '../harness/process.ts'
import { nodeOn, SingBox, type Profile } from '../harness/sing-box.ts'
import type { Demo } from '../harness/test-service.ts'

test('the service that make run starts works as it prints', async () => {
  const folder = newFolder('airstrip-e2e-demo-')
  const listen = `127.0.0.1:${await freePort()}`
  const origin = await Origin.start()
  const script = new Process('scripts/run.sh', fileURLToPath(new URL('../../scripts/run.sh', import.meta.url)), [], {
    log: join(folder, 'run.log'),
    env: { AIRSTRIP_DATA: join(folder, 'data'), AIRSTRIP_LISTEN: listen, AIRSTRIP_SITE_URL: `http://${listen}` },
  })
  try {
    const link = (await script.waitForLine(/\/link2\//)).trim()
    const demo = JSON.parse(readFileSync(join(folder, 'data', 'demo.json'), 'utf8')) as Demo
    expect(link).toBe(`http://${listen}/link2/${demo.user.link_token}`)
    const profile = (await (await fetch(link, { headers: { 'user-agent': singBoxApp } })).json()) as Profile
    for (const { port } of demo.nodes) {
      const proxy = await SingBox.start(profile, nodeOn(profile, port), folder)
      await expect(async () => { // The script does not wait for its nodes.
        expect(await new Download(proxy.port, origin.port, '/page').answer()).toMatchObject({ status: 200 })
      }).toPass({ intervals: [100] })
      await proxy.stop()
    }
  } finally {
    await script.stop(128 + 15) // This also stops everything that it started.
    await origin.stop()
  }
  rmSync(folder, { recursive: true })
})
