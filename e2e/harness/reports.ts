import { createHash, randomUUID } from 'node:crypto'
import type { Node } from './agent.ts'

export type Row = { user_id: number; up: number; down: number }

/** A report as airstrip-node sends it. */
export function report(rows: Row[], fields: object = {}): string {
  const to = new Date()
  const from = new Date(to.getTime() - 60_000)
  return JSON.stringify({ boot: randomUUID(), sequence: 1, from, to, rows, hits: [], ...fields })
}

/** Posts a report of airstrip-node to /api/agent/v1/reports, valid or not. */
export async function sendReport(site: string, secret: string, body: string, digest = sha256(body)): Promise<{ status: number; answer: any }> {
  const response = await fetch(`${site}/api/agent/v1/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-digest': `sha-256=:${digest}:` },
    body,
  })
  return { status: response.status, answer: JSON.parse(await response.text()) }
}

/** Posts a report of XrayR to mod_mu, valid or not. */
export async function sendToModMu(site: string, node: Node, body: string, key = node.secret): Promise<{ status: number; answer: any }> {
  const response = await fetch(`${site}/mod_mu/users/traffic?key=${encodeURIComponent(key)}&node_id=${node.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, answer: JSON.parse(await response.text()) }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
