import type { Contract, Operation } from './contract'
import { exampleOf } from './schema'

export const sampleLanguages = {
  curl: 'curl',
  javascript: 'JavaScript',
  python: 'Python',
  go: 'Go',
} as const
export type SampleLanguage = keyof typeof sampleLanguages

/** The environment variable from which the samples read the API token. */
export const TOKEN_VARIABLE = 'AIRSTRIP_TOKEN'

type Call = { method: string; url: string; hasToken: boolean; body: string | undefined }

/** Sample code that calls the operation of this site and prints the answer. */
export function sampleOf(
  language: SampleLanguage,
  { contract, operation, site }: { contract: Contract; operation: Operation; site: string },
): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = operation.parameters.find((one) => one.name === name)?.schema
    return encodeURIComponent(String(exampleOf(contract, schema ?? { type: 'integer' })))
  })
  return writers[language]({
    method: operation.method,
    url: site + path,
    hasToken: operation.needsSignIn,
    body: operation.body && JSON.stringify(exampleOf(contract, operation.body), null, 2),
  })
}

const lines = (...parts: (string | false | undefined)[]) =>
  parts.filter((part) => typeof part === 'string').join('\n')

const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)

const writers: Record<SampleLanguage, (call: Call) => string> = {
  curl: ({ method, url, hasToken, body }) =>
    [
      `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
      ...(hasToken ? [`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`] : []),
      ...(body ? [`-H 'Content-Type: application/json'`] : []),
      ...(body ? [`-d '${body.replaceAll("'", String.raw`'\''`)}'`] : []),
    ].join(' \\\n  '),

  javascript: ({ method, url, hasToken, body }) =>
    lines(
      `const response = await fetch('${url}', {`,
      `  method: '${method}',`,
      '  headers: {',
      hasToken && `    Authorization: \`Bearer \${process.env.${TOKEN_VARIABLE}}\`,`,
      body && `    'Content-Type': 'application/json',`,
      '  },',
      body && `  body: JSON.stringify(${indent(body, '  ')}),`,
      '})',
      'const answer = await response.json()',
      'if (!response.ok) throw new Error(`${answer.code}: ${answer.message}`)',
      'console.log(answer)',
    ),

  python: ({ method, url, hasToken, body }) =>
    lines(
      'import json',
      hasToken && 'import os',
      'import urllib.request',
      '',
      'request = urllib.request.Request(',
      `    "${url}",`,
      `    method="${method}",`,
      '    headers={',
      hasToken && `        "Authorization": "Bearer " + os.environ["${TOKEN_VARIABLE}"],`,
      body && '        "Content-Type": "application/json",',
      '    },',
      body && `    data=r"""${indent(body, '    ')}""".encode(),`,
      ')',
      'with urllib.request.urlopen(request, timeout=30) as response:',
      '    print(json.load(response))',
    ),

  go: ({ method, url, hasToken, body }) =>
    lines(
      'package main',
      '',
      'import (',
      '\t"fmt"',
      '\t"io"',
      '\t"log"',
      '\t"net/http"',
      hasToken && '\t"os"',
      body && '\t"strings"',
      ')',
      '',
      'func main() {',
      `\treq, err := http.NewRequest("${method}", "${url}", ${body ? `strings.NewReader(\`${body}\`)` : 'nil'})`,
      '\tif err != nil {',
      '\t\tlog.Fatal(err)',
      '\t}',
      hasToken && `\treq.Header.Set("Authorization", "Bearer "+os.Getenv("${TOKEN_VARIABLE}"))`,
      body && '\treq.Header.Set("Content-Type", "application/json")',
      '\tres, err := http.DefaultClient.Do(req)',
      '\tif err != nil {',
      '\t\tlog.Fatal(err)',
      '\t}',
      '\tdefer res.Body.Close()',
      '\tanswer, err := io.ReadAll(res.Body)',
      '\tif err != nil {',
      '\t\tlog.Fatal(err)',
      '\t}',
      '\tfmt.Println(res.Status, string(answer))',
      '}',
    ),
}
